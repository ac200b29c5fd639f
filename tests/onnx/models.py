#!/usr/bin/env python3
"""ONNX graphs of every kind that the reader must know, read three ways.

Each model is written as bytes and as JSON in both casings; `tenure convert` must give one
native graph for all three. The shapes that tenure infers are compared with ONNX's own.
Skips (exit status 77) without python3-onnx. With --write FOLDER it makes the fixtures of
the unit tests instead.
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

try:
    import numpy as np
    import onnx
    from google.protobuf.json_format import MessageToJson
    from onnx import TensorProto as T
    from onnx import helper as h
    from onnx import numpy_helper as nh
    from onnx import shape_inference
except ImportError as why:
    print(f"skipped: {why}")
    sys.exit(77)

F, I64, B = T.FLOAT, T.INT64, T.BOOL
RNG = np.random.default_rng(1)


def const(name, array):
    return nh.from_array(np.asarray(array), name)


def weights(name, *shape):
    return const(name, RNG.standard_normal(shape).astype(np.float32))


def value(name, kind=F, shape=None):
    return h.make_tensor_value_info(name, kind, shape)


def model(name, nodes, inputs, outputs, init=(), opset=13, functions=(), domains=()):
    graph = h.make_graph(nodes, name, inputs, outputs, list(init))
    opsets = [h.make_opsetid("", opset)] + [h.make_opsetid(d, 1) for d in domains]
    return h.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=8,
                        producer_name="test")


def conv():
    nodes = [h.make_node("Conv", ["x", "w", "b"], ["c"], name="c", pads=[1, 1, 1, 1], strides=[2, 2]),
             h.make_node("Relu", ["c"], ["r"]),
             h.make_node("Conv", ["r", "dw"], ["d"], group=8, auto_pad="SAME_UPPER", strides=[2, 1]),
             h.make_node("MaxPool", ["d"], ["p"], kernel_shape=[3, 3], ceil_mode=1, strides=[2, 2]),
             h.make_node("AveragePool", ["p"], ["a"], kernel_shape=[1, 2]),
             h.make_node("GlobalAveragePool", ["a"], ["g"]),
             h.make_node("Flatten", ["g"], ["f"]),
             h.make_node("Gemm", ["f", "gw", "gb"], ["y"], transB=1),
             h.make_node("Softmax", ["y"], ["s"], axis=-1)]
    return model("conv", nodes, [value("x", F, [1, 3, 17, 16])], [value("s", F, [1, 5])],
                 [weights("w", 8, 3, 3, 3), weights("b", 8), weights("dw", 8, 1, 3, 3),
                  weights("gw", 5, 8), weights("gb", 5)])


def qdq():
    nodes = [h.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
             h.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
             h.make_node("DequantizeLinear", ["wq", "ws", "wz"], ["wd"], axis=0),
             h.make_node("Conv", ["xd", "wd"], ["c"], kernel_shape=[1, 1]),
             h.make_node("QuantizeLinear", ["c", "s"], ["yq"]),
             h.make_node("DequantizeLinear", ["yq", "s"], ["y"]),
             h.make_node("QLinearConv", ["xq", "s", "z", "wq", "s", "z", "s", "z"], ["q"]),
             h.make_node("ConvInteger", ["xq", "wq"], ["i"])]
    return model("qdq", nodes, [value("x", F, [1, 3, 8, 8])],
                 [value("y", F, [1, 4, 8, 8]), value("q", T.INT8), value("i", T.INT32)],
                 [const("s", np.float32(0.25)), const("z", np.int8(3)),
                  const("wq", RNG.integers(-9, 9, (4, 3, 1, 1)).astype(np.int8)),
                  const("ws", np.array([.1, .2, .3, .4], np.float32)),
                  const("wz", np.zeros(4, np.int8))])


def choice():
    branch = {
        "then_branch": h.make_graph([h.make_node("Add", ["a", "b"], ["t"])], "then", [], [value("t", F, [4])]),
        "else_branch": h.make_graph([h.make_node("Mul", ["a", "k"], ["e0"]), h.make_node("Neg", ["e0"], ["e"])],
                                    "else", [], [value("e", F, [4])]),
    }
    nodes = [h.make_node("Relu", ["x"], ["a"]), h.make_node("Exp", ["x"], ["b"]),
             h.make_node("If", ["cond"], ["y"], name="if", **branch)]
    return model("choice", nodes, [value("x", F, [4]), value("cond", B, [])], [value("y", F, [4])],
                 [const("k", np.float32(2))])


def loop():
    body = h.make_graph(
        [h.make_node("Add", ["acc", "x"], ["next"]), h.make_node("Identity", ["c"], ["more"]),
         h.make_node("Mul", ["next", "next"], ["scan"])],
        "body", [value("i", I64, []), value("c", B, []), value("acc", F, [2, 3])],
        [value("more", B, []), value("next", F, [2, 3]), value("scan", F, [2, 3])])
    nodes = [h.make_node("Loop", ["n", "", "x0"], ["last", "all"], body=body)]
    return model("loop", nodes, [value("x", F, [2, 3]), value("x0", F, [2, 3])],
                 [value("last", F, [2, 3]), value("all", F, [5, 2, 3])], [const("n", np.int64(5))])


def scan():
    body = h.make_graph([h.make_node("Add", ["s", "e"], ["s2"]), h.make_node("Identity", ["s2"], ["o"])],
                        "body", [value("s", F, [3]), value("e", F, [3])],
                        [value("s2", F, [3]), value("o", F, [3])])
    nodes = [h.make_node("Scan", ["s0", "xs"], ["last", "all"], body=body, num_scan_inputs=1)]
    return model("scan", nodes, [value("s0", F, [3]), value("xs", F, [7, 3])],
                 [value("last", F, [3]), value("all", F, [7, 3])])


def lstm():
    nodes = [h.make_node("LSTM", ["x", "w", "r", "", "", "h0"], ["", "yh"], hidden_size=4, name="l"),
             h.make_node("GRU", ["x", "gw", "gr"], ["y", "gh"], hidden_size=4, direction="bidirectional"),
             h.make_node("Squeeze", ["yh", "ax"], ["z"])]
    return model("lstm", nodes, [value("x", F, [5, 1, 3]), value("h0", F, [1, 1, 4])],
                 [value("z", F, [1, 4]), value("y", F, [5, 2, 1, 4]), value("gh", F, [2, 1, 4])],
                 [weights("w", 1, 16, 3), weights("r", 1, 16, 4), weights("gw", 2, 12, 3),
                  weights("gr", 2, 12, 4), const("ax", np.array([0], np.int64))])


def optional():
    nodes = [h.make_node("Clip", ["x", "", "hi"], ["c"]),
             h.make_node("Dropout", ["c"], ["d"]),
             h.make_node("Split", ["d", "parts"], ["s0", "", "s2"], axis=1),
             h.make_node("TopK", ["s0", "k"], ["tv", "ti"]),
             h.make_node("Resize", ["s2", "", "scales"], ["r"], mode="nearest")]
    return model("optional", nodes, [value("x", F, [2, 9])],
                 [value("tv", F, [2, 2]), value("ti", I64, [2, 2]), value("r", F, [2, 8])],
                 [const("hi", np.float32(6)), const("parts", np.array([3, 2, 4], np.int64)),
                  const("k", np.array([2], np.int64)), const("scales", np.array([1, 2], np.float32))])


def shapes():
    """A reshape whose shape is computed, as exporters write it."""
    nodes = [h.make_node("Shape", ["x"], ["sh"]),
             h.make_node("Gather", ["sh", "zero"], ["n"], axis=0),
             h.make_node("Unsqueeze", ["n", "ax"], ["n1"]),
             h.make_node("Concat", ["n1", "rest"], ["to"], axis=0),
             h.make_node("Reshape", ["x", "to"], ["flat"]),
             h.make_node("Slice", ["flat", "st", "en", "ax1", "step"], ["sl"]),
             h.make_node("Transpose", ["sl"], ["tr"]),
             h.make_node("Tile", ["tr", "rep"], ["ti"]),
             h.make_node("ReduceMean", ["ti"], ["me"], axes=[1], keepdims=0),
             h.make_node("Pad", ["me", "pads"], ["pa"]),
             h.make_node("Expand", ["pa", "ex"], ["big"]),
             h.make_node("ArgMax", ["big"], ["am"], axis=1),
             h.make_node("Where", ["mask", "big", "big"], ["wh"]),
             h.make_node("Cast", ["wh"], ["half"], to=T.FLOAT16)]
    i64 = lambda *v: np.array(v, np.int64)
    return model("shapes", nodes, [value("x", F, [2, 3, 4]), value("mask", B, [3, 1])],
                 [value("am", I64, [3, 1]), value("half", T.FLOAT16)],
                 [const("zero", np.int64(0)), const("ax", i64(0)), const("rest", i64(-1)),
                  const("st", i64(-1)), const("en", i64(-9223372036854775807)), const("ax1", i64(1)),
                  const("step", i64(-2)), const("rep", i64(1, 3)), const("pads", i64(1, 2)),
                  const("ex", i64(3, 1))])


def function():
    swish = h.make_function("own", "Swish", ["v"], ["o"],
                            [h.make_node("Sigmoid", ["v"], ["g"]), h.make_node("Mul", ["v", "g"], ["o"])],
                            [h.make_opsetid("", 13)])
    leaky = h.make_node("LeakyRelu", ["v"], ["o"])
    ref = leaky.attribute.add()
    ref.name, ref.ref_attr_name, ref.type = "alpha", "slope", onnx.AttributeProto.FLOAT
    twice = h.make_function("own", "Leaky", ["v"], ["o"], [leaky], [h.make_opsetid("", 13)], attributes=["slope"])
    nodes = [h.make_node("Swish", ["x"], ["a"], domain="own", name="s1"),
             h.make_node("Swish", ["a"], ["b"], domain="own"),
             h.make_node("Leaky", ["b"], ["y"], domain="own", slope=0.25),
             h.make_node("Mystery", ["y"], ["z"], domain="else", level=3, names=["a", "b"])]
    return model("function", nodes, [value("x", F, [1, 4])], [value("z", F, [1, 4])], functions=[swish, twice],
                 domains=["own", "else"])


def constants():
    """Values of every kind of list, raw and typed."""
    kinds = [("f", F, [1.5, -2, 0.1]), ("i8", T.INT8, [-1, 2, 3]), ("u8", T.UINT8, [255, 2, 3]),
             ("i16", T.INT16, [-300, 2, 3]), ("i32", T.INT32, [-70000, 2, 3]), ("i64", I64, [-(1 << 62), 2, 3]),
             ("u64", T.UINT64, [(1 << 64) - 1, 2, 3]), ("d", T.DOUBLE, [1e300, 2, 3]), ("b", B, [1, 0, 1]),
             ("h", T.FLOAT16, [1.5, 2, 3])]
    init = [h.make_tensor(name, kind, [3], values) for name, kind, values in kinds]
    init += [const("nan", np.array([np.nan, np.inf, -np.inf], np.float32)), h.make_tensor("empty", F, [0], []),
             h.make_tensor("scalar", F, [], [3.25])]
    nodes = [h.make_node("Constant", [], ["k"], value=const("", np.arange(6, dtype=np.float32).reshape(2, 3))),
             h.make_node("Constant", [], ["ki"], value_ints=[1, 6]),
             h.make_node("Constant", [], ["kf"], value_float=0.1),
             h.make_node("ConstantOfShape", ["ki"], ["kc"], value=h.make_tensor("", F, [1], [2.5])),
             h.make_node("Reshape", ["k", "ki"], ["r"]),
             h.make_node("Add", ["r", "kc"], ["s"]), h.make_node("Mul", ["s", "kf"], ["y"])]
    nodes += [h.make_node("Identity", [t.name], ["o_" + t.name]) for t in init]
    outputs = [value("y", F, [1, 6])] + [value("o_" + t.name, t.data_type) for t in init]
    return model("constants", nodes, [], outputs, init)


def old():
    """IR 3: initialisers are inputs, attributes where operands are today."""
    nodes = [h.make_node("Unsqueeze", ["x"], ["u"], axes=[0]), h.make_node("Squeeze", ["u"], ["q"], axes=[0]),
             h.make_node("Pad", ["q"], ["p"], pads=[0, 1, 0, 1]), h.make_node("Slice", ["p"], ["s"], starts=[0], ends=[1]),
             h.make_node("Split", ["s"], ["a", "b"], axis=1, split=[2, 4]),
             h.make_node("MatMul", ["b", "w"], ["m"]), h.make_node("Softmax", ["m"], ["y"])]
    m = model("old", nodes, [value("x", F, [3, 4]), value("w", F, [4, 2])], [value("y", F, [1, 2]), value("a", F, [1, 2])],
              [weights("w", 4, 2)], opset=7)
    m.ir_version = 3
    return m


def disorder():
    nodes = [h.make_node("Neg", ["b"], ["y"]), h.make_node("Exp", ["a"], ["b"]), h.make_node("Relu", ["x"], ["a"])]
    return model("disorder", nodes, [value("x", F, [4])], [value("y", F, [4])])


def idioms():
    """What PyTorch's exporter makes of expand, interpolate and pads that are computed."""
    nodes = [h.make_node("ConstantOfShape", ["three"], ["ones"], value=const("v", np.array([1], np.int64))),
             h.make_node("Mul", ["ones", "minus"], ["kept"]), h.make_node("Equal", ["to", "kept"], ["is"]),
             h.make_node("Where", ["is", "ones", "to"], ["whole"]), h.make_node("Expand", ["x", "whole"], ["e"]),
             h.make_node("Shape", ["e"], ["s"]), h.make_node("Slice", ["s", "two", "zero", "", "back"], ["r"]),
             h.make_node("Concat", ["s", "r"], ["t"], axis=0), h.make_node("Split", ["t"], ["t1", "t2"], axis=0),
             h.make_node("Cast", ["t2"], ["t3"], to=T.INT32), h.make_node("Cast", ["t3"], ["t4"], to=I64),
             h.make_node("Concat", ["t4", "last"], ["t5"], axis=0),
             h.make_node("ConstantOfShape", ["t5"], ["y"])]
    ints = {"three": [3], "minus": [-1], "to": [2, -1, 4], "two": [2], "zero": [0], "back": [-1], "last": [6]}
    return model("idioms", nodes, [value("x", F, [1, 3, 1])], [value("y", F, [4, 3, 6]), value("e", F, [2, 3, 4])],
                 [const(k, np.array(v, np.int64)) for k, v in ints.items()])


def windows():
    """Transposed convolutions and resizing of every kind; some have no kernel."""
    kinds = [{"group": 2, "strides": [2, 2]}, {"group": 8, "pads": [1, 1, 1, 1], "output_padding": [1, 1], "strides": [2, 2]},
             {"dilations": [2, 3]}, {"auto_pad": "SAME_UPPER", "strides": [2, 3]}, {"output_shape": [18, 30], "strides": [2, 3]}]
    nodes = [h.make_node("ConvTranspose", ["x", "w"], [f"t{i}"], **k) for i, k in enumerate(kinds)]
    nodes += [h.make_node("Resize", ["x", "", "scales"], [f"r{i}"], mode=m) for i, m in enumerate(["nearest", "linear", "cubic"])]
    nodes += [h.make_node("Resize", ["x", "", "", "sizes"], ["r"], mode="cubic", coordinate_transformation_mode="align_corners")]
    names = [n.output[0] for n in nodes]
    # 10 * 0.7 is 7 in floats, and less than 7 in doubles
    return model("windows", nodes, [value("x", F, [1, 8, 9, 10])], [value(n, F, [1, 1, 1, 1]) for n in names],
                 [weights("w", 8, 1, 3, 3), const("scales", np.array([1, 1, 2, .7], np.float32)),
                  const("sizes", np.array([1, 8, 18, 7], np.int64))])


MODELS = [conv, qdq, choice, loop, scan, lstm, optional, shapes, function, constants, old, disorder, idioms, windows]
TYPES = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 9: "bool", 10: "f16", 11: "f64",
         12: "u32", 13: "u64"}


def convert(tenure, path):
    done = served.run([tenure, "convert", str(path), "-o", "-"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{path.name}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def check_shapes(name, m, native):
    """What ONNX infers, tenure infers, too."""
    ours = {t["name"]: t for t in native["tensors"]}
    inferred = shape_inference.infer_shapes(m, check_type=True, strict_mode=False)
    compared = 0
    for v in list(inferred.graph.value_info) + list(inferred.graph.output):
        t = v.type.tensor_type
        dims = [d.dim_value if d.HasField("dim_value") else None for d in t.shape.dim]
        if v.name not in ours or not t.HasField("shape") or None in dims:
            continue
        if ours[v.name]["shape"] != dims or ours[v.name]["dtype"] != TYPES[t.elem_type]:
            raise SystemExit(f"{name}: '{v.name}' is {ours[v.name]['dtype']} {ours[v.name]['shape']}, "
                             f"ONNX infers {TYPES[t.elem_type]} {dims}")
        compared += 1
    return compared


def write(m, folder):
    paths = [folder / f"{m.graph.name}.onnx", folder / f"{m.graph.name}.camel.json",
             folder / f"{m.graph.name}.snake.json"]
    paths[0].write_bytes(m.SerializeToString())
    paths[1].write_text(MessageToJson(m))
    paths[2].write_text(MessageToJson(m, preserving_proto_field_name=True, use_integers_for_enums=True))
    return paths


def write_fixtures(folder):
    """The fixtures of the unit tests: JSON of all, bytes and the other casing of some."""
    for make in MODELS:
        m = make()
        out = folder / f"onnx_{m.graph.name}.json"
        out.write_text(MessageToJson(m) + "\n")
        if make in (function, constants, choice):
            out.with_suffix(".onnx").write_bytes(m.SerializeToString())
        if make in (qdq, loop):
            text = MessageToJson(m, preserving_proto_field_name=True, use_integers_for_enums=True,
                                 including_default_value_fields=True)
            out.with_name(out.stem + "_snake.json").write_text(text + "\n")
    write_overload(folder)


def field(number, data):
    """A field of protobuf's wire format that python3-onnx's schema does not have yet."""
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    return varint(number << 3 | 2) + varint(len(data)) + data


def write_overload(folder):
    """Functions of one name, told apart by `overload`, and an attribute with a default."""
    join = h.make_node("Concat", ["a", "b"], ["c"])
    join.attribute.add(name="axis", ref_attr_name="axis", type=onnx.AttributeProto.INT)
    axis = h.make_attribute("axis", 1)
    bodies = [h.make_function("own", "F", ["a", "b"], ["c"], [node], [h.make_opsetid("", 13)])
              for node in (join, h.make_node("Add", ["a", "b"], ["c"]))]
    calls = [h.make_node("F", ["x", "x"], ["y"], domain="own"), h.make_node("F", ["x", "x"], ["z"], domain="own", axis=0),
             h.make_node("F", ["x", "x"], ["w"], domain="own")]
    m = model("overload", calls, [value("x", F, [2, 3])], [value(n, F) for n in "yzw"], domains=("own",))
    m.functions.extend(bodies)
    text = json.loads(MessageToJson(m))
    text["functions"][0]["attributeProto"] = [{"name": "axis", "type": "INT", "i": "1"}]
    text["functions"][1]["overload"] = text["graph"]["node"][2]["overload"] = "two"
    graph = onnx.GraphProto()
    graph.CopyFrom(m.graph)
    del graph.node[2]
    data = graph.SerializeToString() + field(1, calls[2].SerializeToString() + field(8, b"two"))
    m.ClearField("graph")
    m.ClearField("functions")
    data = (m.SerializeToString() + field(7, data) +
            field(25, bodies[0].SerializeToString() + field(11, axis.SerializeToString())) +
            field(25, bodies[1].SerializeToString() + field(13, b"two")))
    (folder / "onnx_overload.json").write_text(json.dumps(text, indent=2) + "\n")
    (folder / "onnx_overload.onnx").write_bytes(data)


def main(tenure):
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for make in MODELS:
            m = make()
            for output in m.graph.output if make is not function else []:  # to be inferred
                output.type.tensor_type.ClearField("shape")
            texts = [convert(tenure, p) for p in write(m, pathlib.Path(folder))]
            if len(set(texts)) != 1:
                raise SystemExit(f"{make.__name__}: bytes and JSON give different graphs")
            compared += check_shapes(make.__name__, m, json.loads(texts[0]))
            print(f"ok {make.__name__}")
    print(f"{len(MODELS)} models, {compared} shapes as ONNX infers them")
    if compared < 40:
        raise SystemExit("too few shapes were compared")


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write_fixtures(pathlib.Path(sys.argv[2]))
    else:
        main(sys.argv[1])

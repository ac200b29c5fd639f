#!/usr/bin/env python3
"""What a command says of wrong words and of files that do not fit them: each diagnostic with its
status, its rule and its words, by a case that is one change away from a command that works.
usage: errors.py TENURE ROOT

tests/lint/reached.py looks for the rules here and in the other tests.
"""
import itertools
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served


sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import flatbuffer  # noqa: E402
import make_tflite  # noqa: E402


def graph(shape=(1, 4), tensors=(), ops=None, **more):
    x = {"name": "x", "dtype": "f32", "shape": list(shape), "role": "input"}
    y = {**x, "name": "y", "role": "output"}
    return {"format": "tenure.graph/1", "tensors": [x, y, *tensors],
            "ops": ops or [relu("x", "y")], **more}


def relu(source, target, **more):
    return {"name": f"{source}-{target}", "type": "RELU", "inputs": [source],
            "outputs": [target], **more}


def tensor(name, shape=(1, 4), **more):
    return {"name": name, "dtype": "f32", "shape": list(shape), **more}


def added(n):
    """two inputs that stay and an output, of n floats"""
    g = graph((1, n), [{"name": "z", "dtype": "f32", "shape": [1, n], "role": "input"}])
    g["ops"] = [{"name": "add", "type": "ADD", "inputs": ["x", "z"], "outputs": ["y"]}]
    return g


def viewed():
    """an output that is computed from the second half of what is computed first"""
    g = graph(tensors=[tensor("t"), tensor("v", (1, 2), view_of="t", offset=2)])
    g["tensors"][1]["shape"] = [1, 2]
    g["ops"] = [relu("x", "t"), relu("v", "y")]
    return g


def chain(size, n):
    names = ["x", *(f"t{i}" for i in range(n)), "y"]
    return {"format": "tenure.graph/1",
            "tensors": [tensor("x", size, role="input"), *(tensor(t, size) for t in names[1:-1]),
                        tensor("y", size, role="output")],
            "ops": [relu(a, b) for a, b in zip(names, names[1:])]}


def npy(descr="'<f4'", order="False", version=1, cut=None, shape="(1, 4)"):
    """of four floats"""
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
    data = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(text)) + text.encode() + bytes(16)
    return data[:cut]


def xml(text):
    return text.encode()


def outside_options():
    """a model whose op has its options behind the flatbuffer"""
    model, g = make_tflite.one_relu()
    g.ops[0].fields[9] = flatbuffer.Scalar("Q", 64)
    return model.bytes()


def new_field():
    """a model with a field that the schema has not"""
    model, _ = make_tflite.one_relu()
    finish = flatbuffer.Writer.finish

    def more(writer, root, name):
        root.fields[8] = flatbuffer.Scalar("I", 1)
        return finish(writer, root, name)
    with unittest.mock.patch.object(flatbuffer.Writer, "finish", more):
        return model.bytes()


def shared_name():
    """a thousand tensors, all of them with one name of a hundred thousand letters"""
    model, g = make_tflite.one_relu()
    name = flatbuffer.Text("n" * 100000)
    for _ in range(1000):
        g.tensor("z", [2], make_tflite.FLOAT32)
    for t in g.tensors:
        t.fields[3] = name
    put, at = flatbuffer.Writer.put_text, {}

    def once(writer, text):
        if text is not name:
            return put(writer, text)
        return at.setdefault(writer, None) or at.update({writer: put(writer, text)}) or at[writer]
    with unittest.mock.patch.object(flatbuffer.Writer, "put_text", once):
        return model.bytes()


def read_often(shape, n):
    """one large input, many small results of it"""
    g = graph(shape, [tensor(f"t{i}", role="output") for i in range(n)])
    g["tensors"][1]["shape"] = [1]
    g["ops"] = [{**relu("x", y), "type": "OWN"} for y in ("y", *(f"t{i}" for i in range(n)))]
    return g


def side_by_side():
    """two ops of 16 bytes each that nothing joins"""
    g = graph(tensors=[tensor("z", role="input"), tensor("w", role="output")])
    g["ops"].append(relu("z", "w"))
    return g


def board(*kib):
    ram = "".join(f'<memory name="m{i}" kind="ram" kib="{n}"/>' for i, n in enumerate(kib))
    return ('<boards format="tenure.boards/1"><board id="own" title="b" cpu="cortex-m4" mhz="80">'
            f'{ram}<memory name="flash" kind="flash" kib="512"/><source>s</source></board></boards>')


CSV = "id,lower,upper,size"
G = graph()
PLAN = ["plan", "g.json"]
RUN = ["run", "g.json"]
PLACES = f"{CSV},offset\nx,0,2,16,0\ny,1,3,16,16\n"
FAR = """<contracts format="tenure.contracts/1" runtime="bench">
<kernel op="RELU" displacement="9223372036854775807">of all memory</kernel></contracts>"""
METHOD = '{"name": "other", "values": [], "inputs": [], "outputs": [], "chains": [], "operators": []},'
# of every element, of every element, of every element: too many steps for a graph of 300 ops
EVERY = '''<rules format="tenure.rules/1"><rule id="team/r" severity="note"><title>r</title>
<check context="/*" assert="count(//*[count(//*[count(//*) &gt; 1]) &gt; 1]) &gt; 1"/></rule></rules>'''
# of each of 1005 ops; the first is decided without a document
MANY = """<rules format="tenure.rules/1"><rule id="team/r" severity="note"><title>r</title>
<check context="//op" assert="{}"/></rule></rules>"""
POOLS = ("models/small_cnn.strict", '"name": "flat"', '"name": "pool"', 1)  # two of the name
PLANNED = ["plan", "g.json", "-o", "p.json"]
APART = [word for i in range(33) for word in ("--region", f"r{i}:64")]
# rule, status, words of the message (and of notes below it), command, files beside g.json: a
# list of words is the command that makes the file
CASES = [
    ("file/io", 2, "cannot open 'none.json'", ["plan", "none.json"], {}),
    ("file/io", 2, "it is a folder", ["plan", "."], {}),
    ("file/io", 2, "no graph in this folder or below it", ["lint", "empty"], {"empty/notes.txt": ""}),
    ("file/io", 2, "no file matches", ["lint", "none*.json"], {}),
    ("file/io", 3, "cannot make directory", ["emit", "g.json", "-o", "a/b/c"], {}),
    ("boards/invalid", 2, "", [*PLAN, "--target", "t", "--boards", "b.xml"], {"b.xml": xml("<boards/>")}),
    ("boards/invalid", 2, "", [*PLAN, "--target", "t", "--boards", "b.xml"], {"b.xml": xml("boards")}),
    ("command/unknown-board", 2, "--target knows no board 'none'", [*PLAN, "--target", "none"], {}),
    ("command/target", 2, "and --region both say", [*PLAN, "--target", "stm32f4-disco", "--region", "a:1K"], {}),
    ("command/target", 2, "and --ram both say", [*PLAN, "--target", "stm32f4-disco", "--ram", "1K"], {}),
    ("command/max-batch", 2, "needs --ram or --region", [*PLAN, "--max-batch"], {}),
    ("command/max-batch", 2, "does not go with --repair", [*PLAN, "--max-batch", "--ram", "1K", "--repair"], {}),
    ("command/max-batch", 2, "does not go with -o", [*PLAN, "--max-batch", "--ram", "1K", "-o", "p.json"], {}),
    ("batch/fixed", 2, "the batch cannot be scaled", [*PLAN, "--max-batch", "--ram", "1K"],
     {"g.json": graph(ops=[{**relu("x", "y"), "type": "OWN"}])}),
    ("batch/fixed", 2, "the inputs have no first dimension in common", [*PLAN, "--max-batch", "--ram", "1K"],
     {"g.json": graph(tensors=[tensor("z", (2, 4), role="input")])}),
    ("batch/fixed", 2, "the input 'x' has strides", [*PLAN, "--max-batch", "--ram", "1K"],
     {"g.json": {**G, "tensors": [{**G["tensors"][0], "strides": [8, 1]}, G["tensors"][1]]}}),
    ("batch/fixed", 2, "'x-t' (RELU) has a view for an operand", [*PLAN, "--max-batch", "--ram", "1K"],
     {"g.json": graph(tensors=[tensor("s"), tensor("t", view_of="s")], ops=[relu("x", "t"), relu("t", "y")])}),
    ("batch/fixed", 2, "'x-t' (RESHAPE) has an output whose first dimension is not the batch",
     [*PLAN, "--max-batch", "--ram", "1K", "--rewrite", "none"],
     {"g.json": graph(tensors=[tensor("t", (4,))], ops=[relu("x", "t", type="RESHAPE"), relu("t", "y", type="RESHAPE")])}),
    ("command/check", 2, "has no plan beside it", ["check", "g.json"], {}),
    ("exec/no-kernel", 2, "Fancy has no kernel", ["run", "g.json"],
     {"g.json": graph(ops=[relu("x", "y", type="Fancy")])}),
    ("command/unknown-tensor", 2, "--keep names 'z'", [*PLAN, "--keep", "z"], {}),
    ("command/unknown-tensor", 2, "'z'", ["explain", "g.json", "z"], {}),
    ("command/many-tensors", 0, "2 tensors are called 'pool'; this is the first", ["explain", "m.json", "pool"],
     {"m.json": ("models/small_cnn.strict", '"name": "flat"', '"name": "pool"', 1)}),
    ("command/unknown-rule", 2, "there is no rule 'none/none'", ["explain", "none/none"], {}),
    ("command/unknown-stage", 2, "--dump knows no stage 'none'", [*PLAN, "--dump", "none"], {}),
    ("command/unknown-op", 2, "--focus names 'z'", ["report", "g.json", "--graph-svg", "g.svg", "--focus", "z"], {}),
    ("command/only", 2, "there is no family 'none'", ["lint", "g.json", "--only", "none"], {}),
    ("command/unknown-rewrite", 2, "there is no rewrite 'none-such'", [*PLAN, "--rewrite", "none-such"], {}),
    ("command/inexact-rewrite", 2, "names more than inexact rewrites", [*PLAN, "--allow-inexact", "identity"], {}),
    ("command/inputs", 2, "2 files of --input for 1 graph input", [*RUN, "--input", "a", "--input", "b"], {}),
    ("import/option", 2, "--dim must be NAME=N, not 'n'", [*PLAN, "--dim", "n"], {}),
    ("import/option", 2, "--shape must be NAME=AxBxC, not 'x=1x'", [*PLAN, "--shape", "x=1x"], {}),
    ("command/tensor-file", 2, "holds 3 bytes, but the tensor 'x' has 16", [*RUN, "--input", "in"], {"in": b"abc"}),
    ("command/tensor-file", 2, "holds 3000000 bytes", [*RUN, "--input", "in"], {"in": bytes(3000000)}),
    ("command/tensor-file", 2, "this .npy version is not understood", [*RUN, "--input", "in"], {"in": npy(version=9)}),
    ("command/tensor-file", 2, "the .npy header is cut off", [*RUN, "--input", "in"], {"in": npy(cut=20)}),
    ("command/tensor-file", 2, "the .npy element type is not the tensor's", [*RUN, "--input", "in"],
     {"in": npy("'|i1'")}),
    ("command/tensor-file", 2, "Fortran order is not understood", [*RUN, "--input", "in"], {"in": npy(order="True")}),
    *(("command/tensor-file", 2, "the .npy shape is not the tensor's", [*RUN, "--input", "in"], {"in": npy(shape=shape)})
      for shape in ("(2, 2)", "(1, 2, 2)", "(4, 2)", "()", "(1, 1)", "(2, 2, 1)")),
    *(("command/tensor-file", 2, "the .npy shape is not understood", [*RUN, "--input", "in"], {"in": npy(shape=shape)})
      for shape in ("4", "(4", "(x, 4)", "(1, -4)", "(99999999999999999999,)", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 4)")),
    ("command/region", 2, "--write-csv needs a plan in one region",
     [*PLAN, "--rewrite", "none", "--region", "a:16", "--region", "b:32", "--write-csv", "p.csv"], {"g.json": chain((1, 4), 1)}),
    ("command/pin", 2, "", [*PLAN, "--region", "a:64", "--pin", "x=a+60"], {}),
    ("command/pin", 2, "'x' is pinned to two different places",
     [*PLAN, "--region", "a:64", "--pin", "x=a+0", "--pin", "x=a+16"], {}),
    ("command/pin", 2, "it is a view that starts 8 bytes into its storage",
     [*PLAN, "--region", "a:64", "--pin", "v=a+4"], {"g.json": viewed()}),
    ("command/pin", 2, "'v' and 't' share their storage, but are pinned to different places",
     [*PLAN, "--region", "a:64", "--pin", "t=a+16", "--pin", "v=a+16"], {"g.json": viewed()}),
    ("command/pin", 2, "it needs no memory", [*PLAN, "--region", "a:64", "--pin", "k=a+0"],
     {"g.json": graph(tensors=[tensor("k", data={"seed": 1})])}),
    ("command/pin", 2, "are needed at the same time", [*PLAN, "--region", "a:64:4", "--align", "4", "--pin", "x=a+0", "--pin", "y=a+4"],
     {"g.json": {**graph(), "ops": [{**relu("x", "y"), "type": "OWN"}]}}),
    ("command/memory", 2, "a region's name has letters", [*PLAN, "--region", "a b:64"], {}),
    ("command/memory", 2, "the alignment must be a power of two", [*PLAN, "--region", "a:64:3"], {}),
    ("command/memory", 2, "is not a multiple of the alignment", [*PLAN, "--region", "a:64:16@0x4"], {}),
    ("command/memory", 2, "there are two regions 'a'", [*PLAN, "--region", "a:64", "--region", "a:32"], {}),
    ("command/memory", 2, "it overlaps the region 'a'",
     [*PLAN, "--region", "a:64@0x100", "--region", "b:64@0x120"], {}),
    ("command/memory", 2, "its size is missing", [*PLAN, "--region", "a"], {}),
    ("command/memory", 2, "there is no region 'z'", [*PLAN, "--region", "a:64", "--owned", "z"], {}),
    ("command/memory", 2, "expected TENSOR=REGION[+OFFSET]", [*PLAN, "--region", "a:64", "--pin", "x"], {}),
    ("command/memory", 2, "no region has that address", [*PLAN, "--region", "a:64@0x100", "--pin", "x=@0x10"], {}),
    ("command/memory", 2, "there is no region '8'", [*PLAN, "--region", "a:64", "--reserve", "8"], {}),
    ("command/memory", 2, "the region 'a' has only 64 bytes", [*PLAN, "--region", "a:64", "--reserve", "a:65"], {}),
    ("command/memory", 2, "--pin 'pool=a': the graph has 2 tensors 'pool'",
     ["plan", "m.json", "--region", "a:64", "--pin", "pool=a"], {"m.json": POOLS}),
    ("command/memory", 2, "--pin 'x=@0x100z': 'z' is not understood",
     [*PLAN, "--region", "a:64@0x100", "--pin", "x=@0x100z"], {}),
    ("command/memory", 2, "--pin 'x=a+0z': 'z' is not understood", [*PLAN, "--region", "a:64", "--pin", "x=a+0z"], {}),
    ("command/memory", 2, "--region 'r32:64': there may be 32 regions", [*PLAN, *APART], {}),
    ("command/memory", 2, "--region 'a:64': the plan of --plan has regions of its own",
     [*PLAN, "--repair", "--plan", "p.json", "--region", "a:64"], {"p.json": PLANNED}),
    ("command/plan", 2, "--region does not go with --plan", [*RUN, "--region", "a:64", "--plan", "p.json"],
     {"p.json": PLANNED}),
    ("command/plan", 2, "--no-reuse does not go with --plan", [*RUN, "--no-reuse", "--plan", "p.json"],
     {"p.json": PLANNED}),
    ("command/target", 2, "does not go with --plan, which has regions of its own",
     ["report", "g.json", "--plan", "p.json", "--target", "nrf52840"], {"p.json": PLANNED}),
    ("command/unknown-tensor", 2, ("m.json: error: the graph has no tensor 'imagee'", "did you mean 'image'?"),
     ["explain", "m.json", "imagee"], {"m.json": POOLS}),
    ("command/unknown-rule", 2, ("there is no rule 'graph/rnk'", "did you mean 'graph/rank'?"),
     ["explain", "graph/rnk"], {}),
    ("command/unknown-rule", 2, ("there is no rule 'g.json'", "'tenure explain g.json TENSOR'"),
     ["explain", "g.json"], {}),
    ("command/unknown-board", 2, ("--target knows no board 'nrf5284'", "did you mean 'nrf52840'?"),
     [*PLAN, "--target", "nrf5284"], {}),
    ("memory/over-budget", 1, ("of the board own", "all memories of the board, 3072 B, are not enough either"),
     ["lint", "g.json", "--target", "own", "--boards", "b.xml"], {"g.json": added(1024), "b.xml": board(1, 2)}),
    ("memory/over-budget", 1, "the tensors do not fit, and no single region, however large, would help",
     [*PLAN, "--region", "a:16", "--region", "b:16", "--pin", "x=a", "--pin", "z=a", "--pin", "y=b", "--pin", "w=b"],
     {"g.json": side_by_side()}),
    ("plan/stale", 2, "p.json:1:43: error: the plan is for the kernel set 'none', which is unknown",
     [*RUN, "--plan", "p.json"], {"p.json": {"format": "tenure.plan/1", "kernel_set": "none"}}),
    ("command/tensor-file", 2, ".npy has no such element type", [*RUN, "--output-tensor", "o.npy"],
     {"g.json": {**G, "tensors": [{**t, "dtype": "bf16"} for t in G["tensors"]], "ops": [relu("x", "y", type="RESHAPE")]}}),
    ("graph/schedule", 2, "is twice in the schedule", ["plan", "g.json"], {"g.json": graph(schedule=["x-y", "x-y"])}),
    ("native/data", 2, "the graph came from standard input", ["sh", "-c", "exec \"$0\" lint - <g.json"],
     {"g.json": graph(tensors=[tensor("k", data={"file": "k.bin"})])}),
    ("csv/problem", 2, "a line has more than 32 fields", ["offsets", "p.csv"], {"p.csv": CSV + "\n" + "1," * 40 + "1\n"}),
    ("claims/repaired", 0, "", [*PLAN, "--repair"], {"g.json": "fixtures/repair/inserted_copy.json"}),
    ("plan/offline", 0, "", ["plan", "m.tflite", "--write-offline", "o.tflite"],
     {"m.tflite": "fixtures/models/small_cnn.tflite"}),
    ("plan/offsets", 2, "no tensor of the program is in planned memory",
     ["plan", "e.json", "--write-offsets", "o.json"],
     {"e.json": ("foreign/executorch_bound", '"allocation_info"', '"no_allocation"', 99)}),
    ("plan/fixed", 2, "are alive together and their given offsets", ["offsets", "p.csv"],
     {"p.csv": f"{CSV},offset\na,0,2,4,0\nb,1,3,4,2\n"}),
    ("plan/over-capacity", 1, "'a' alone has 9 B, 1 B more than the capacity", ["offsets", "p.csv", "--capacity", "8"],
     {"p.csv": f"{CSV}\na,0,2,9\n"}),
    ("plan/over-capacity", 1, "the buffers end at 9, 1 B beyond the capacity",
     ["verify", "p.csv", "--capacity", "8"], {"p.csv": f"{CSV},offset\na,0,2,9,0\n"}),
    ("csv/problem", 2, "there is no column 'size'", ["offsets", "p.csv"], {"p.csv": "id,lower,upper\na,0,1\n"}),
    ("csv/problem", 2, "is not a whole number", ["offsets", "p.csv"], {"p.csv": f"{CSV}\na,0,1,4x\n"}),
    ("plan/tensor", 2, "the graph has no tensor 'z'", ["verify", "g.json", "p.csv"],
     {"p.csv": f"{CSV},offset\nz,0,2,4,0\n"}),
    ("plan/format", 2, "", ["verify", "g.json", "p.json"], {"p.json": {"format": "tenure.plan/1"}}),
    ("emit/too-large", 2, "a memory of more than 2 GiB", ["emit", "g.json", "-o", "out"],
     {"g.json": added(1 << 28)}),
    ("emit/too-large", 2, "without sharing the memory is larger than 2 GiB", ["emit", "g.json", "-o", "out", "--debug", "--rewrite", "none"],
     {"g.json": chain((1, 1 << 27), 4)}),
    ("exec/too-large", 2, "the tensors together are larger than any memory", ["run", "g.json", "--no-reuse"],
     {"g.json": chain((1 << 29, 1 << 28), 30)}),
    ("graph/too-large", 2, "the ops access more than 2^63 bytes", [*PLAN, "--rewrite", "none", "--region", f"a:{1 << 60}"],
     {"g.json": read_often((1 << 31, 1 << 26), 17)}),
    ("graph/too-large", 2, "", [*PLAN, "--rewrite", "none"], {"g.json": chain((1 << 29, 1 << 28), 30)}),
    ("executorch/methods", 0, "only the first of 2 methods is read", ["plan", "e.json"],
     {"e.json": ("foreign/executorch", '"execution_plan": [', '"execution_plan": [' + METHOD, 1)}),
    ("tflite/offline-plan", 2, "its root has fields that the schema has not",
     ["plan", "m.tflite", "--write-offline", "o.tflite"], {"m.tflite": new_field()}),
    ("tflite/damaged", 2, "too many references to the same bytes", ["plan", "m.tflite"],
     {"m.tflite": shared_name()}),
    ("tflite/data", 2, "", ["plan", "t.json"], {"t.json": '{"subgraphs": [], "buffers": [{"data": [1, 300]}]}'}),
    ("tflite/type", 2, "", ["plan", "t.json"], {"t.json": '{"version": 3, "subgraphs": 1, "buffers": []}'}),
    ("tflite/custom-options", 0, "custom options outside of the model are ignored", ["plan", "m.tflite"],
     {"m.tflite": outside_options()}),
    ("nnvm/type", 2, "expected an object", ["plan", "t.json"],
     {"t.json": '{"nodes": [1], "arg_nodes": [], "heads": [], "attrs": {"storage_id": 1}}'}),
    ("model-explorer/no-graph", 2, "there is no graph", ["plan", "t.json"], {"t.json": '{"label": "m", "graphs": []}'}),
    ("model-explorer/graphs", 2, "only the first of 3 graphs is read", ["plan", "m.json"],
     {"m.json": ("foreign/model_explorer", '"subgraphs": [', '"subgraphs": [{"id": "b", "nodes": []},', 1)}),
    ("model-explorer/type", 2, "", ["plan", "t.json"], {"t.json": '{"label": "m", "graphs": [{"id": "a", "nodes": 1}]}'}),
    ("openvino/no-graph", 2, "there are no layers in a net", ["plan", "n.xml", "--from", "openvino"],
     {"n.xml": xml("<net/>")}),
    ("st/graphs", 0, "only the first of 2 graphs is read", ["plan", "s.json"],
     {"s.json": ("foreign/st", '"graphs": [', '"graphs": [{}, ', 1)}),
    ("rules/expression", 2, "cannot be used", ["lint", "g.json", "--rules", "r.xml"],
     {"g.json": chain((1, 4), 300), "r.xml": xml(EVERY)}),
    ("rules/invalid", 2, "Document is empty", ["lint", "g.json", "--rules", "r.xml"], {"r.xml": b""}),
    ("contracts/invalid", 2, "the displacement is too large", ["verify", "g.json", "p.csv", "--contracts", "c.xml"],
     {"p.csv": PLACES, "c.xml": xml(FAR)}),
    ("file/io", 3, "cannot make a temporary directory 'none/tenure.",
     ["sh", "-c", "TMPDIR=none exec \"$0\" validate g.json --on host"], {}),
    ("validate/tool", 2, ("'arm-none-eabi-gcc' has no C library, which cortex-m4 needs", "install the package libnewlib-arm-none-eabi"),
     ["sh", "-c", "chmod +x arm*; PATH=$PWD:$PATH exec \"$0\" validate g.json --on m4"],
     {"arm-none-eabi-gcc": "#!/bin/sh\necho libc.a\n"}),
    *(("team/r", 0, ("r", "and 5 more"), ["lint", "g.json", "--rules", "r.xml"],
       {"g.json": chain((1, 4), 1004), "r.xml": xml(MANY.format(no))})
      for no in ("@type = 'EXP'", "string-length(@name) &gt; 99")),
    ("baseline/invalid", 2, "", ["lint", "g.json", "--baseline", "b.xml"], {"b.xml": xml("<none/>")}),
    ("config/invalid", 2, "", ["lint", "g.json", "--config", "c.xml"], {"c.xml": xml("<none/>")}),
    ("config/unknown-rule", 2, "there is no rule 'none/none'", ["lint", "g.json", "--config", "c.xml"],
     {"c.xml": xml('<tenure format="tenure.config/1"><rule id="none/none" severity="off"/></tenure>')}),
]


def write(folder, root, name, content):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    if isinstance(content, tuple):  # a file of another tool with something in it changed
        file, old, new, times = content
        text = (root / f"fixtures/{file}.json").read_text()
        assert old in text, content
        content = text.replace(old, new, times)
    if isinstance(content, str) and content.startswith("fixtures/"):
        shutil.copy(root / content, path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def says(said, rule, words):
    """Is there a line of the rule with the words, and below it notes with the others?"""
    message, *notes = words if isinstance(words, tuple) else (words,)
    lines = said.splitlines()
    for i, line in enumerate(lines):
        if f"[{rule}]" in line and message in line:
            below = list(itertools.takewhile(lambda one: one.startswith("    "), lines[i + 1:]))
            if all(any(note in one for one in below) for note in notes):
                return True
    return False


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    wrong = 0
    for rule, status, words, command, files in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, content in {"g.json": G, **files}.items():
                if isinstance(content, list):
                    served.run([tenure, *content], cwd=folder, capture_output=True, check=True, timeout=120)
                else:
                    write(folder, root, file, content)
            if command[0] == "sh":
                command = [*command, tenure]
            else:
                command = [tenure, *command]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                  errors="replace", timeout=120)
        said = done.stdout + done.stderr
        if done.returncode != status or not says(said, rule, words):
            wrong += 1
            print(f"{rule} {command}: status {done.returncode}, wanted {status} and '{words}'", said[:400], sep="\n")
    # the shapes of an array that are the tensor's
    for shape in ("(1, 4)", "(4,)", "(4)", "(4, 1)", "(1,4)", "(1, 1, 4, 1)"):
        with tempfile.TemporaryDirectory() as name:
            write(pathlib.Path(name), root, "g.json", G)
            write(pathlib.Path(name), root, "in", npy(shape=shape))
            done = served.run([tenure, *RUN, "--input", "in"], cwd=name, capture_output=True,
                              text=True, timeout=120)
        if done.returncode or done.stderr:
            wrong += 1
            print(f"shape {shape}", done, sep="\n")
    print(f"{len(CASES)} diagnostics, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

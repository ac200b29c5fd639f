#!/usr/bin/env python3
"""Makes fixtures/kernels/ops.json: one graph with an op of every kind that has a kernel,
each on inputs of its own, in the types and shapes that make its loops differ."""
import json
import os
import sys

import arguments

I8 = {"scale": 0.05, "zero_point": 3}
I16 = {"scale": 0.0005, "zero_point": 0}


def quant(dtype, given):
    if given is not None:
        return given or None
    return {"i8": I8, "i16": I16}.get(dtype)


class Ops:
    def __init__(self):
        self.tensors, self.ops, self.seed = [], [], 0

    def tensor(self, name, dtype, shape, role, q=None, data=None):
        t = {"name": name, "dtype": dtype, "shape": shape, "role": role}
        q = quant(dtype, q)
        if q:
            t["quantization"] = q
        if data is not None:
            t["data"] = data
        self.tensors.append(t)
        return name

    def op(self, name, kind, inputs, outputs, **attrs):
        """inputs: (dtype, shape[, quantization]) of the graph; a string names a constant.
        outputs: (dtype, shape[, quantization])."""
        ins = [i if i is None or isinstance(i, str) else
               self.tensor(f"{name}/{k}", i[0], i[1], "input",
                           i[2] if len(i) > 2 else None)
               for k, i in enumerate(inputs)]
        outs = [self.tensor(f"{name}/out{k}", o[0], o[1], "output",
                            o[2] if len(o) > 2 else None)
                for k, o in enumerate(outputs)]
        self.ops.append({"name": name, "type": kind, "inputs": ins, "outputs": outs,
                         "attrs": attrs})

    def ints(self, values, shape=None):
        name = f"ints{len(self.tensors)}"
        return self.tensor(name, "i32", shape or [len(values)], "const", {},
                           {"values": values})

    def floats(self, values):
        name = f"floats{len(self.tensors)}"
        return self.tensor(name, "f32", [len(values)], "const", {}, {"values": values})

    def weights(self, dtype, shape, q=None):
        self.seed += 1
        name = f"weights{len(self.tensors)}"
        return self.tensor(name, dtype, shape, "const", q, {"seed": self.seed})


def windows(g):
    w8 = {"scale": 0.01, "zero_point": 0}
    out8 = {"scale": 0.5, "zero_point": -5}
    bias = {"i8": "i32", "i16": "i64", "f32": "f32"}
    shapes = [
        ("same", [2, 5, 6, 3], 4, [3, 3], [1, 1], [1, 1], "SAME", [2, 5, 6, 4]),
        ("valid_s2", [1, 7, 6, 3], 5, [3, 2], [2, 2], [1, 1], "VALID", [1, 3, 3, 5]),
        ("dilated", [1, 7, 7, 2], 2, [3, 3], [1, 1], [2, 2], "SAME", [1, 7, 7, 2]),
        ("padded", [1, 4, 4, 2], 3, [3, 3], [1, 2], [1, 1], [2, 0, 0, 1], [1, 4, 2, 3]),
        ("one", [1, 4, 4, 6], 3, [1, 1], [1, 1], [1, 1], "VALID", [1, 4, 4, 3]),
        ("wide", [1, 2, 2, 3], 2, [5, 5], [1, 1], [1, 1], "SAME", [1, 2, 2, 2]),
    ]
    for dtype in ("i8", "i16", "f32"):
        wtype = "f32" if dtype == "f32" else "i8"
        wq = {} if dtype == "f32" else w8
        oq = out8 if dtype == "i8" else None
        for name, x, n, k, stride, dilation, pad, out in shapes:
            g.op(f"conv_{dtype}_{name}", "CONV_2D",
                 [(dtype, x), g.weights(wtype, [n] + k + [x[3]], wq),
                  g.weights(bias[dtype], [n], {})], [(dtype, out, oq)],
                 pad=pad, stride=stride, dilation=dilation, activation="RELU")
            c = x[3] * 2
            g.op(f"dw_{dtype}_{name}", "DEPTHWISE_CONV_2D",
                 [(dtype, x), g.weights(wtype, [1] + k + [c], wq),
                  g.weights(bias[dtype], [c], {})], [(dtype, out[:3] + [c], oq)],
                 pad=pad, stride=stride, dilation=dilation, activation="NONE",
                 depth_multiplier=2)
            if dilation == [1, 1]:
                for kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
                    g.op(f"{kind.lower()}_{dtype}_{name}", kind, [(dtype, x)],
                         [(dtype, out[:3] + [x[3]])], kernel=k, pad=pad, stride=stride,
                         activation="NONE")
    g.op("l2_pool", "L2_POOL_2D", [("f32", [1, 5, 5, 2])], [("f32", [1, 3, 3, 2])],
         kernel=[3, 3], pad="VALID", stride=[1, 1], activation="NONE")


def rows(g):
    w8 = {"scale": 0.01, "zero_point": 0}
    for dtype, wtype, btype, oq in (("i8", "i8", "i32", {"scale": 0.4, "zero_point": 1}),
                                    ("i16", "i8", "i64", None),
                                    ("f32", "f32", "f32", None)):
        g.op(f"fc_{dtype}", "FULLY_CONNECTED",
             [(dtype, [3, 7]), g.weights(wtype, [5, 7], {} if dtype == "f32" else w8),
              g.weights(btype, [5], {})], [(dtype, [3, 5], oq)], activation="RELU6")
    g.op("softmax_i8", "SOFTMAX", [("i8", [3, 9])],
         [("i8", [3, 9], {"scale": 1 / 256, "zero_point": -128})], beta=1.0)
    g.op("softmax_i8_i16", "SOFTMAX", [("i8", [2, 9])],
         [("i16", [2, 9], {"scale": 1 / 65536, "zero_point": -32768})], beta=1.0)
    g.op("softmax_i16", "SOFTMAX", [("i16", [3, 9])],
         [("i16", [3, 9], {"scale": 1 / 32768, "zero_point": 0})], beta=1.0)
    g.op("softmax_f32", "SOFTMAX", [("f32", [3, 9])], [("f32", [3, 9])], beta=2.0)
    g.op("log_softmax_i8", "LOG_SOFTMAX", [("i8", [3, 9])],
         [("i8", [3, 9], {"scale": 0.0625, "zero_point": 127})])
    g.op("log_softmax_f32", "LOG_SOFTMAX", [("f32", [3, 9])], [("f32", [3, 9])])
    g.op("l2_norm_i8", "L2_NORMALIZATION", [("i8", [3, 9])],
         [("i8", [3, 9], {"scale": 1 / 128, "zero_point": 0})])
    g.op("l2_norm_f32", "L2_NORMALIZATION", [("f32", [3, 9])], [("f32", [3, 9])])


def folds(g):
    x = [2, 3, 4, 5]
    cases = [([1, 2], [2, 5]), ([3], [2, 3, 4]), ([0, 2], [3, 5]), ([-1, 0], [3, 4])]
    for axes, out in cases:
        tag = "_".join(str(a % 4) for a in axes)
        for kind in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
            for dtype in ("i8", "f32"):
                wider = kind == "SUM" and dtype == "i8"
                g.op(f"{kind.lower()}_{dtype}_{tag}", kind,
                     [(dtype, x), g.ints(axes)],
                     [(dtype, out, {"scale": 0.3, "zero_point": 7} if wider else None)],
                     keep_dims=False)
    g.op("mean_i16", "MEAN", [("i16", x), g.ints([1])], [("i16", [2, 4, 5])],
         keep_dims=False)
    g.op("reduce_any", "REDUCE_ANY", [("bool", [3, 4]), g.ints([1])], [("bool", [3])],
         keep_dims=False)
    g.op("reduce_all", "REDUCE_ALL", [("bool", [3, 4]), g.ints([1])], [("bool", [3])],
         keep_dims=False)


def pointwise(g):
    shapes = [("same", [2, 3, 4], [2, 3, 4]), ("channel", [2, 3, 4], [4]),
              ("both", [2, 1, 4], [1, 3, 1]), ("scalar", [2, 3, 4], [1])]
    other = {"i8": {"scale": 0.031, "zero_point": -7}, "i16": {"scale": 0.0007,
                                                               "zero_point": 0}}
    out = [2, 3, 4]
    for tag, a, b in shapes:
        for dtype in ("i8", "i16", "f32", "i32"):
            for kind in ("ADD", "SUB", "MUL"):
                q = {"scale": 0.3, "zero_point": 9} if dtype == "i8" else None
                g.op(f"{kind.lower()}_{dtype}_{tag}", kind,
                     [(dtype, a), (dtype, b, other.get(dtype))], [(dtype, out, q)],
                     activation="NONE")
        for dtype in ("i8", "f32"):
            for kind in ("MINIMUM", "MAXIMUM", "SQUARED_DIFFERENCE"):
                g.op(f"{kind.lower()}_{dtype}_{tag}", kind, [(dtype, a), (dtype, b)],
                     [(dtype, out)])
            g.op(f"less_{dtype}_{tag}", "LESS", [(dtype, a), (dtype, b)], [("bool", out)])
        for dtype in ("i8", "i32", "f32"):
            q = {"scale": 0.3, "zero_point": 9} if dtype == "i8" else None
            g.op(f"div_{dtype}_{tag}", "DIV", [(dtype, a), (dtype, b)], [(dtype, out, q)],
                 activation="NONE")
        for kind in ("FLOOR_DIV", "FLOOR_MOD", "PRELU"):
            g.op(f"{kind.lower()}_f32_{tag}", kind, [("f32", a), ("f32", b)],
                 [("f32", out)])
        g.op(f"squared_difference_i16_{tag}", "SQUARED_DIFFERENCE",
             [("i16", a), ("i16", b)], [("i16", out)])
        g.op(f"prelu_i16_{tag}", "PRELU", [("i16", a), ("i8", b)], [("i16", out)])
        g.op(f"and_{tag}", "LOGICAL_AND", [("bool", a), ("bool", b)], [("bool", out)])
        g.op(f"less_equal_i32_{tag}", "LESS_EQUAL", [("i32", a), ("i32", b)],
             [("bool", out)])
        g.op(f"prelu_i8_{tag}", "PRELU", [("i8", a), ("i8", b)], [("i8", out)])
        g.op(f"select_{tag}", "SELECT_V2", [("bool", b), ("i8", a), ("i8", out)],
             [("i8", out)])
        g.op(f"or_{tag}", "LOGICAL_OR", [("bool", a), ("bool", b)], [("bool", out)])
    for dtype in ("i8", "f32"):
        g.op(f"add_n_{dtype}", "ADD_N", [(dtype, out)] * 3, [(dtype, out)])
    for kind in ("RELU", "RELU6", "RELU_N1_TO_1", "LOGISTIC", "TANH", "HARD_SWISH",
                 "ELU", "ABS"):
        for dtype in ("i8", "f32"):
            sat = {"scale": 1 / 256, "zero_point": -128} if kind == "LOGISTIC" else None
            g.op(f"{kind.lower()}_{dtype}", kind, [(dtype, [3, 17])],
                 [(dtype, [3, 17], sat if dtype == "i8" else None)])
    for kind in ("NEG", "EXP", "LOG", "SIN", "COS", "SQRT", "RSQRT", "SQUARE", "FLOOR",
                 "CEIL", "ROUND"):
        g.op(f"{kind.lower()}_f32", kind, [("f32", [3, 17])], [("f32", [3, 17])])
    unit = {"scale": 1 / 32768, "zero_point": 0}
    g.op("logistic_i16", "LOGISTIC", [("i16", [3, 17])], [("i16", [3, 17], unit)])
    g.op("tanh_i16", "TANH", [("i16", [3, 17])], [("i16", [3, 17], unit)])
    g.op("relu_i16", "RELU", [("i16", [3, 17])], [("i16", [3, 17])])
    g.op("abs_i16", "ABS", [("i16", [3, 17], {})], [("i16", [3, 17], {})])
    g.op("abs_q16", "ABS", [("i16", [3, 17])],
         [("i16", [3, 17], {"scale": 0.001, "zero_point": 0})])
    for dtype in ("i8", "i16", "f32"):
        g.op(f"leaky_relu_{dtype}", "LEAKY_RELU", [(dtype, [3, 17])],
             [(dtype, [3, 17])], alpha=0.25)
    half = {"scale": 0.1, "zero_point": -3}
    for a, b, q in (("i8", "i8", half), ("i16", "i8", half), ("i8", "i16", None),
                    ("i8", "i32", {"scale": 0.001, "zero_point": 0}), ("f32", "i8", half),
                    ("f32", "i16", None)):
        g.op(f"quantize_{a}_{b}", "QUANTIZE", [(a, [3, 17])], [(b, [3, 17], q)])
    for a in ("i8", "i16"):
        g.op(f"dequantize_{a}", "DEQUANTIZE", [(a, [3, 17])], [("f32", [3, 17])])
    for a, b in (("f32", "i8"), ("i8", "f32"), ("i16", "i32"), ("i32", "i64"),
                 ("bool", "f32")):
        g.op(f"cast_{a}_{b}", "CAST", [(a, [3, 17], {})], [(b, [3, 17], {})])
    g.op("not", "LOGICAL_NOT", [("bool", [3, 17])], [("bool", [3, 17])])


def moves(g):
    for dtype in ("i8", "i16", "f32", "i64"):
        x = [2, 3, 4, 5]
        g.op(f"reshape_{dtype}", "RESHAPE", [(dtype, x)], [(dtype, [6, 20])],
             new_shape=[6, 20])
        g.op(f"pad_{dtype}", "PAD", [(dtype, x), g.ints([0, 0, 1, 2, 0, 1, 2, 0], [4, 2])],
             [(dtype, [2, 6, 5, 7])])
        g.op(f"pad_rows_{dtype}", "PAD",
             [(dtype, x), g.ints([0, 0, 2, 0, 0, 0, 0, 0], [4, 2])],
             [(dtype, [2, 5, 4, 5])])
        g.op(f"mirror_pad_{dtype}", "MIRROR_PAD",
             [(dtype, x), g.ints([0, 1, 2, 1, 0, 0, 1, 2], [4, 2])],
             [(dtype, [3, 6, 4, 8])], mode="SYMMETRIC")
        g.op(f"transpose_{dtype}", "TRANSPOSE", [(dtype, x), g.ints([0, 3, 1, 2])],
             [(dtype, [2, 5, 3, 4])])
        g.op(f"concat_{dtype}", "CONCATENATION",
             [(dtype, [2, 3, 2]), (dtype, [2, 1, 2]), (dtype, [2, 4, 2])],
             [(dtype, [2, 8, 2])], axis=1, activation="NONE")
        g.op(f"pack_{dtype}", "PACK", [(dtype, [3, 4])] * 2, [(dtype, [3, 2, 4])],
             axis=1, values_count=2)
        g.op(f"split_{dtype}", "SPLIT", [g.ints([1]), (dtype, [2, 6, 3])],
             [(dtype, [2, 2, 3])] * 3, num_splits=3)
        g.op(f"unpack_{dtype}", "UNPACK", [(dtype, [2, 3, 4])], [(dtype, [2, 4])] * 3,
             axis=1, num=3)
        g.op(f"slice_{dtype}", "SLICE",
             [(dtype, x), g.ints([1, 0, 2, 1]), g.ints([1, 2, 2, 3])],
             [(dtype, [1, 2, 2, 3])])
        g.op(f"strided_slice_{dtype}", "STRIDED_SLICE",
             [(dtype, [5, 6, 4]), g.ints([4, 1, 2]), g.ints([0, 6, 3]),
              g.ints([-2, 2, 1])], [(dtype, [2, 3])],
             begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
             shrink_axis_mask=4, offset=False)
        g.op(f"broadcast_to_{dtype}", "BROADCAST_TO", [(dtype, [2, 1, 4]),
             g.ints([3, 2, 3, 4])], [(dtype, [3, 2, 3, 4])])
        g.op(f"reverse_{dtype}", "REVERSE_V2", [(dtype, [2, 3, 4]), g.ints([1, 2])],
             [(dtype, [2, 3, 4])])
        g.op(f"space_to_depth_{dtype}", "SPACE_TO_DEPTH", [(dtype, [1, 4, 6, 3])],
             [(dtype, [1, 2, 3, 12])], block_size=2)
        g.op(f"depth_to_space_{dtype}", "DEPTH_TO_SPACE", [(dtype, [1, 2, 3, 12])],
             [(dtype, [1, 4, 6, 3])], block_size=2)
        g.op(f"resize_nearest_{dtype}", "RESIZE_NEAREST_NEIGHBOR",
             [(dtype, [1, 3, 4, 2]), g.ints([5, 7])], [(dtype, [1, 5, 7, 2])],
             align_corners=False, half_pixel_centers=True)


def layers16(g):
    """int16 layers whose bias has 32 bits."""
    w8 = {"scale": 0.01, "zero_point": 0}
    g.op("conv_i16_b32", "CONV_2D",
         [("i16", [1, 3, 3, 2]), g.weights("i8", [2, 1, 1, 2], w8),
          g.weights("i32", [2], {})], [("i16", [1, 3, 3, 2])], pad="VALID",
         stride=[1, 1], dilation=[1, 1], activation="NONE")
    g.op("fc_i16_b32", "FULLY_CONNECTED",
         [("i16", [2, 5]), g.weights("i8", [3, 5], w8), g.weights("i32", [3], {})],
         [("i16", [2, 3])], activation="NONE")


def opaque(g):
    w8 = {"scale": 0.01, "zero_point": 0}
    for dtype, wtype, btype in (("i8", "i8", "i32"), ("i16", "i8", "i64"),
                                ("f32", "f32", "f32")):
        oq = {"scale": 0.5, "zero_point": 0} if dtype == "i8" else None
        wq = {} if dtype == "f32" else w8
        g.op(f"transpose_conv_{dtype}", "TRANSPOSE_CONV",
             [g.ints([1, 6, 6, 3]), g.weights(wtype, [3, 3, 3, 2], wq),
              (dtype, [1, 3, 3, 2]), g.weights(btype, [3], {})],
             [(dtype, [1, 6, 6, 3], oq)], pad="SAME", stride=[2, 2], activation="NONE")
        mq = {"scale": 0.7, "zero_point": 0} if dtype == "i8" else None
        g.op(f"matmul_{dtype}", "BATCH_MATMUL", [(dtype, [2, 3, 4]), (dtype, [1, 5, 4])],
             [(dtype, [2, 3, 5], mq)], adj_x=False, adj_y=True)
    for dtype in ("i8", "f32"):
        g.op(f"bilinear_{dtype}", "RESIZE_BILINEAR",
             [(dtype, [1, 3, 4, 2]), g.ints([5, 7])], [(dtype, [1, 5, 7, 2])],
             align_corners=False, half_pixel_centers=True)
        g.op(f"arg_max_{dtype}", "ARG_MAX", [(dtype, [3, 4, 5]), g.ints([1])],
             [("i32", [3, 5])])
        q = {"scale": 0.2, "zero_point": 0} if dtype == "i8" else None
        g.op(f"cumsum_{dtype}", "CUMSUM", [(dtype, [3, 4]), g.ints([1])],
             [(dtype, [3, 4], q)], exclusive=False, reverse=True)
    g.op("gather", "GATHER", [("i8", [3, 4, 2]), ("i32", [5])], [("i8", [3, 5, 2])],
         axis=1, batch_dims=0)
    g.op("gather_nd", "GATHER_ND", [("f32", [4, 4, 2]), ("i32", [6, 2])],
         [("f32", [6, 2])])
    g.op("embedding", "EMBEDDING_LOOKUP", [("i32", [6]), g.weights("i8", [4, 3], w8)],
         [("f32", [6, 3])])
    g.op("update_slice", "DYNAMIC_UPDATE_SLICE",
         [("i8", [5, 6]), ("i8", [2, 3]), ("i32", [2])], [("i8", [5, 6])])
    g.op("space_to_batch", "SPACE_TO_BATCH_ND",
         [("i8", [1, 5, 6, 2]), g.ints([2, 2]), g.ints([1, 0, 0, 2], [2, 2])],
         [("i8", [4, 3, 4, 2])])
    g.op("batch_to_space", "BATCH_TO_SPACE_ND",
         [("i8", [4, 3, 4, 2]), g.ints([2, 2]), g.ints([1, 0, 0, 2], [2, 2])],
         [("i8", [1, 5, 6, 2])])
    g.op("fill", "FILL", [g.ints([2, 3]), ("f32", [])], [("f32", [2, 3])])
    g.op("zeros_like", "ZEROS_LIKE", [("i8", [2, 3])], [("i8", [2, 3])])
    g.op("shape", "SHAPE", [("i8", [2, 3])], [("i32", [2])])
    g.op("broadcast_args", "BROADCAST_ARGS", [("i32", [3]), g.ints([1, 1])],
         [("i32", [3])])


def states(g):
    w8 = {"scale": 0.01, "zero_point": 0}
    w16 = {"scale": 0.0002, "zero_point": 0}
    for name, dtype, wtype, kept, kq in (
            ("i8", "i8", "i8", "i8", {"scale": 0.05, "zero_point": -3}),
            ("i8_i16", "i8", "i8", "i16", {"scale": 0.0005, "zero_point": 0}),
            ("f32", "f32", "f32", "f32", {})):
        wq = {} if dtype == "f32" else w8
        tq = w16 if kept == "i16" else wq
        state = g.tensor(f"svdf_{name}/state", kept, [2, 4 * 5], "variable", kq)
        g.op(f"svdf_{name}", "SVDF",
             [(dtype, [2, 6]), g.weights(wtype, [4, 6], wq), g.weights(kept, [4, 5], tq),
              g.weights("i32" if dtype == "i8" else "f32", [2], {}), state],
             [(dtype, [2, 2])], rank=2, activation="NONE")
    for dtype, wtype, btype in (("i8", "i8", "i32"), ("i16", "i8", "i64"),
                                ("f32", "f32", "f32")):
        wq = {} if dtype == "f32" else w8
        n, u = 3, 4
        hq = None if dtype == "f32" else {"scale": 1 / 128 if dtype == "i8" else 1 / 32768,
                                          "zero_point": 0}
        cq = {} if dtype == "f32" else {"scale": 1 / 2048, "zero_point": 0}
        hidden = g.tensor(f"lstm_{dtype}/hidden", dtype, [2, u], "variable", hq)
        cell = g.tensor(f"lstm_{dtype}/cell", "f32" if dtype == "f32" else "i16", [2, u],
                        "variable", cq)
        ins = [(dtype, [2, 3, n])]
        ins += [g.weights(wtype, [u, n], wq) for _ in range(4)]
        ins += [g.weights(wtype, [u, u], wq) for _ in range(4)]
        ins += [None] * 3
        ins += [g.weights(btype, [u], {}) for _ in range(4)]
        ins += [None] * 2 + [hidden, cell] + [None] * 4
        g.op(f"lstm_{dtype}", "UNIDIRECTIONAL_SEQUENCE_LSTM", ins,
             [(dtype, [2, 3, u], hq)], activation="TANH", cell_clip=10.0, proj_clip=0.0,
             time_major=False)


def norms(g):
    def params(n):
        """scale, offset, mean and, above zero, variance"""
        some = [g.weights("f32", [n]) for _ in range(3)]
        return some + [g.floats([0.25 + 0.5 * k for k in range(n)])]

    g.op("batch_norm_f32", "BATCH_NORM", [("f32", [2, 3, 4, 5])] + params(5),
         [("f32", [2, 3, 4, 5])], epsilon=0.001)
    g.op("batch_norm_f32_planes", "BATCH_NORM", [("f32", [2, 3, 4, 5])] + params(3),
         [("f32", [2, 3, 4, 5])], axis=1, epsilon=0.001)
    g.op("batch_norm_f32_plain", "BATCH_NORM",
         [("f32", [3, 4]), None, None] + params(4)[2:], [("f32", [3, 4])])
    g.op("layer_norm_f32", "LAYER_NORM",
         [("f32", [2, 3, 7]), g.weights("f32", [7]), g.weights("f32", [7])],
         [("f32", [2, 3, 7])], epsilon=0.001)
    g.op("layer_norm_f32_axes", "LAYER_NORM",
         [("f32", [3, 4, 5]), g.weights("f32", [4, 5])], [("f32", [3, 4, 5])], axis=1)
    g.op("layer_norm_f32_plain", "LAYER_NORM", [("f32", [5, 6])], [("f32", [5, 6])],
         axis=-1)
    g.op("layer_norm_f32_facts", "LAYER_NORM",
         [("f32", [4, 9]), None, g.weights("f32", [9])],
         [("f32", [4, 9]), ("f32", [4, 1]), ("f32", [4, 1])])


def elements(g):
    """What rewrites make of others, and what they take away."""
    g.op("clip_f32", "CLIP", [("f32", [3, 17])], [("f32", [3, 17])], min=-0.5, max=0.25)
    g.op("fake_quant_f32", "FAKE_QUANT", [("f32", [3, 17])], [("f32", [3, 17])],
         min=-0.7, max=0.9, num_bits=4, narrow_range=False)
    for a, b in (("i8", "i8"), ("u8", "i8"), ("i8", "u8")):
        least = 0 if b == "u8" else -128
        g.op(f"table_{a}_{b}", "TABLE", [(a, [3, 17])], [(b, [3, 17])],
             table=[least + (i * 37 + 5) % 256 for i in range(256)])


def text():
    g = Ops()
    for part in (windows, layers16, rows, folds, pointwise, moves, opaque, states, norms,
                 elements):
        part(g)
    lines = ['{', '  "format": "tenure.graph/1",', '  "name": "ops",', '  "tensors": [']
    lines.append(",\n".join("    " + json.dumps(t) for t in g.tensors))
    lines += ['  ],', '  "ops": [']
    lines.append(",\n".join("    " + json.dumps(o) for o in g.ops))
    lines += ['  ]', '}', '']
    return "\n".join(lines)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    args = arguments.read(__doc__, os.path.join(root, "fixtures", "kernels"))
    path = os.path.join(args.folder, "ops.json")
    if args.check:
        with open(path, encoding="utf-8") as f:
            if f.read() == text():
                return 0
        print(f"{path} is not what tools/make_kernel_fixtures.py makes")
        return 1
    with open(path, "w", encoding="utf-8") as f:
        f.write(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())

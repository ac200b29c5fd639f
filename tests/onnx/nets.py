"""ONNX nets with random shapes and weights from a seed, as exporters write them: channels
first, float, with QuantizeLinear around float ops, and of QLinear ops. For agree.py and
tools/make_onnx_nets.py."""
import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

F, I8, U8 = T.FLOAT, T.INT8, T.UINT8


class Net:
    """Collects nodes; each method gives the name of its result."""

    def __init__(self, name, seed, opset=13):
        self.name, self.opset = name, opset
        self.rng = np.random.default_rng([seed, len(name)] + [ord(c) for c in name])
        self.nodes, self.init, self.inputs, self.outputs = [], [], [], []
        self.shapes, self.count, self.domains = {}, 0, []

    def new(self, prefix="t"):
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def input(self, shape, kind=F):
        name = self.new("x")
        self.inputs.append(h.make_tensor_value_info(name, kind, shape))
        self.shapes[name] = list(shape)
        return name

    def const(self, array, prefix="c"):
        name = self.new(prefix)
        self.init.append(nh.from_array(np.asarray(array), name))
        self.shapes[name] = list(np.asarray(array).shape)
        return name

    def weights(self, *shape, scale=None):
        fan = np.prod(shape[1:]) if len(shape) > 1 else 1
        scale = scale or 1 / np.sqrt(max(fan, 1))
        return self.const((self.rng.standard_normal(shape) * scale).astype(np.float32), "w")

    def op(self, kind, *ins, shape=None, outs=1, domain="", **attrs):
        names = [self.new() for _ in range(outs)]
        self.nodes.append(h.make_node(kind, list(ins), names, name=f"{kind}_{names[0]}",
                                      domain=domain, **attrs))
        if domain and domain not in self.domains:
            self.domains.append(domain)
        if shape is None and ins:
            shape = self.shapes[ins[0]]
        for name in names:
            self.shapes[name] = list(shape)
        return names[0] if outs == 1 else names

    def window(self, x, k, stride, pads, dilation=(1, 1), ceil=False):
        out = []
        for i in range(2):
            room = self.shapes[x][2 + i] + pads[i] + pads[2 + i] - (k[i] - 1) * dilation[i] - 1
            n = (-(-room // stride[i]) if ceil else room // stride[i]) + 1
            if ceil and (n - 1) * stride[i] >= self.shapes[x][2 + i] + pads[i]:
                n -= 1
            out.append(n)
        return out

    def conv_attrs(self, x, k):
        """Padding in every spelling; a stride; now and then a dilation."""
        stride = self.pick([1, 1], [1, 1], [2, 2], [2, 1])
        dilation = self.pick([1, 1], [1, 1], [1, 1], [2, 2])
        if min(self.shapes[x][2:]) < 5:
            stride, dilation = [1, 1], [1, 1]
        span = [(k[i] - 1) * dilation[i] + 1 for i in range(2)]
        how = self.pick("pads", "pads", "odd", "SAME_UPPER", "SAME_LOWER", "VALID")
        if any(span[i] > self.shapes[x][2 + i] for i in range(2)) and how == "VALID":
            how = "pads"
        if how.startswith("SAME"):  # ONNX Runtime has no dilation with it
            dilation, span = [1, 1], k
        attrs = {"strides": stride, "dilations": dilation}
        if how in ("pads", "odd"):
            pads = [s // 2 for s in span] * 2
            if how == "odd":
                pads = [pads[0], pads[1], max(pads[2] - 1, 0), max(pads[3] - 1, 0)]
            attrs["pads"] = pads
            return attrs, self.window(x, k, stride, pads, dilation)
        attrs["auto_pad"] = how
        if how == "VALID":
            return attrs, self.window(x, k, stride, [0] * 4, dilation)
        return attrs, [-(-self.shapes[x][2 + i] // stride[i]) for i in range(2)]

    def conv(self, x, channels, k=None, group=1, bias=True):
        n, c = self.shapes[x][:2]
        k = k or self.pick([3, 3], [1, 1], [3, 1], [5, 5])
        k = [min(k[i], self.shapes[x][2 + i]) for i in range(2)]
        attrs, size = self.conv_attrs(x, k)
        if self.rng.random() < 0.5:
            attrs["kernel_shape"] = k
        ins = [x, self.weights(channels, c // group, *k)]
        if bias:
            ins.append(self.weights(channels, scale=0.1))
        if group > 1:
            attrs["group"] = group
        return self.op("Conv", *ins, shape=[n, channels] + size, **attrs)

    def pool(self, x, kind=None):
        kind = kind or self.pick("MaxPool", "AveragePool")
        k = [min(self.pick(2, 3), s) for s in self.shapes[x][2:]]
        stride = self.pick([1, 1], [2, 2])
        # not in nets of bytes: ONNX Runtime's own op for them has another shape there
        ceil = self.rng.random() < 0.3 and not isinstance(self, Quantised)
        pads = self.pick([0] * 4, [k[0] // 2, k[1] // 2, 0, 0], [k[0] // 2, k[1] // 2] * 2)
        size = self.window(x, k, stride, pads, ceil=ceil)
        return self.op(kind, x, shape=self.shapes[x][:2] + size, kernel_shape=k,
                       strides=stride, pads=pads, ceil_mode=int(ceil))

    def act(self, x):
        kind = self.pick("Relu", "Relu", "Clip", "LeakyRelu", "Sigmoid", "Tanh", "HardSwish",
                         "none", "PRelu", "Elu")
        if kind == "none":
            return x
        if kind == "Clip":
            return self.op("Clip", x, self.const(np.float32(0)), self.const(np.float32(6)))
        if kind == "LeakyRelu":
            return self.op("LeakyRelu", x, **self.pick({}, {"alpha": 0.25}))
        if kind == "PRelu":
            return self.op("PRelu", x, self.weights(self.shapes[x][1], 1, 1, scale=0.3))
        if kind == "HardSwish" and self.opset < 14:
            kind = "Relu"
        return self.op(kind, x)

    def norm(self, x):
        c = self.shapes[x][1]
        return self.op("BatchNormalization", x, self.weights(c, scale=1), self.weights(c),
                       self.weights(c, scale=0.1),
                       self.const(self.rng.uniform(0.5, 2, c).astype(np.float32)))

    def gemm(self, x, n):
        rows, depth = self.shapes[x]
        how = self.pick("transB", "plain", "alpha", "MatMul")
        if how == "transB":
            return self.op("Gemm", x, self.weights(n, depth), self.weights(n), transB=1,
                           shape=[rows, n])
        if how == "plain":
            w = self.const((self.rng.standard_normal((depth, n)) / np.sqrt(depth))
                           .astype(np.float32))
            return self.op("Gemm", x, w, self.weights(n), shape=[rows, n])
        if how == "alpha":
            return self.op("Gemm", x, self.weights(n, depth), self.weights(1, n), transB=1,
                           alpha=0.5, beta=2.0, shape=[rows, n])
        w = self.const((self.rng.standard_normal((depth, n)) / np.sqrt(depth))
                       .astype(np.float32))
        return self.op("Add", self.op("MatMul", x, w, shape=[rows, n]), self.weights(n))

    def flatten(self, x):
        n, rest = self.shapes[x][0], int(np.prod(self.shapes[x][1:]))
        if self.rng.random() < 0.5:
            return self.op("Flatten", x, shape=[n, rest])
        return self.op("Reshape", x, self.const(np.array([n, -1], np.int64)), shape=[n, rest])

    def head(self, x, n=None):
        how = self.pick("global", "mean", "max", "flat", "flat")
        batch, c = self.shapes[x][:2]
        if how == "global":
            x = self.op("GlobalAveragePool", x, shape=[batch, c, 1, 1])
        elif how == "max":
            x = self.op("GlobalMaxPool", x, shape=[batch, c, 1, 1])
        elif how == "mean":
            x = self.op("ReduceMean", x, axes=[2, 3], keepdims=0, shape=[batch, c])
        if len(self.shapes[x]) == 4:
            x = self.flatten(x)
        x = self.gemm(x, n or self.pick(3, 5, 10))
        if self.rng.random() < 0.5:
            x = self.op("Softmax", x, axis=self.pick(1, -1))
        return x

    def output(self, name, kind=F):
        self.outputs.append(h.make_tensor_value_info(name, kind, self.shapes[name]))

    def model(self):
        opsets = [h.make_opsetid("", self.opset)] + [h.make_opsetid(d, 1) for d in self.domains]
        graph = h.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.init)
        return h.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="test")


def image(n, small=False):
    size = 8 if small else n.pick(7, 8, 11, 16)
    return [n.pick(1, 1, 2) if not small else 1, n.pick(1, 3, 4), size, size + n.pick(0, 0, 1)]


def conv(seed, small=False):
    n = Net("conv", seed, 14 if seed % 2 else 12)
    x = n.input(image(n, small))
    for _ in range(2 if small else n.pick(1, 2, 3)):
        x = n.act(n.conv(x, n.pick(3, 4, 8), bias=n.rng.random() < 0.7))
        if n.rng.random() < 0.5 and min(n.shapes[x][2:]) > 3:
            x = n.pool(x)
    n.output(n.head(x))
    return n


def separable(seed, small=False):
    n = Net("separable", seed, 14)
    x = n.act(n.conv(n.input(image(n, small)), 4))
    for _ in range(1 if small else n.pick(1, 2)):
        c = n.shapes[x][1]
        x = n.act(n.norm(n.conv(x, c * n.pick(1, 1, 2), [3, 3], group=c, bias=False)))
        x = n.act(n.conv(x, n.pick(4, 8), [1, 1]))
    if n.rng.random() < 0.3:
        x = n.conv(x, 2 * n.shapes[x][1], [3, 3], group=2)
    n.output(n.head(x))
    return n


def residual(seed, small=False):
    n = Net("residual", seed)
    x = n.act(n.conv(n.input(image(n, small)), 4, [3, 3]))
    for _ in range(1 if small else n.pick(1, 2)):
        y = n.op("Conv", x, n.weights(4, 4, 3, 3), n.weights(4), pads=[1] * 4)
        y = n.op("Relu", n.norm(y))
        y = n.op("Conv", y, n.weights(4, 4, 3, 3), pads=[1] * 4)
        if n.rng.random() < 0.4:  # squeeze and excite
            b, c = n.shapes[y][:2]
            s = n.op("GlobalAveragePool", y, shape=[b, c, 1, 1])
            s = n.op("Conv", s, n.weights(2, c, 1, 1), shape=[b, 2, 1, 1])
            s = n.op("Conv", n.op("Relu", s), n.weights(c, 2, 1, 1), shape=[b, c, 1, 1])
            y = n.op("Mul", y, n.op("Sigmoid", s))
        x = n.op("Relu", n.op("Add", x, y))
        if n.rng.random() < 0.3:
            x = n.op("Mul", x, n.weights(4, 1, 1, scale=1))
    if n.rng.random() < 0.4:
        n.output(x)
    n.output(n.head(x))
    return n


def inception(seed, small=False):
    n = Net("inception", seed)
    x = n.act(n.conv(n.input(image(n, small)), 4, [3, 3]))
    for _ in range(1 if small else n.pick(1, 2)):
        c = n.shapes[x][1]
        parts = [n.op("Conv", x, n.weights(3, c, 1, 1), shape=[n.shapes[x][0], 3] + n.shapes[x][2:]),
                 n.op("Conv", x, n.weights(2, c, 3, 3), n.weights(2), pads=[1] * 4,
                      shape=[n.shapes[x][0], 2] + n.shapes[x][2:]),
                 n.op(n.pick("MaxPool", "AveragePool"), x, kernel_shape=[3, 3], pads=[1] * 4,
                      strides=[1, 1])]
        if n.rng.random() < 0.5:
            parts.append(x)
        total = sum(n.shapes[p][1] for p in parts)
        x = n.op("Concat", *parts, axis=n.pick(1, -3),
                 shape=[n.shapes[x][0], total] + n.shapes[x][2:])
        x = n.act(x)
    if n.rng.random() < 0.5:
        c = n.shapes[x][1]
        a, b = n.op("Split", x, n.const(np.array([1, c - 1], np.int64)), outs=2, axis=1)
        n.shapes[a][1], n.shapes[b][1] = 1, c - 1
        x = n.op("Mul", b, a)
    if n.rng.random() < 0.5:
        pads = [0, 0, 1, 2, 0, 0, 0, 1]
        shape = [s + pads[i] + pads[4 + i] for i, s in enumerate(n.shapes[x])]
        x = n.op("Pad", x, n.const(np.array(pads, np.int64)),
                 *n.pick([], [n.const(np.float32(0.5))]), shape=shape)
    if n.rng.random() < 0.5:
        shape = list(n.shapes[x])
        shape[2], shape[3] = shape[2] - 1, -(-shape[3] // 2)
        x = n.op("Slice", x, n.const(np.array([1, 0], np.int64)),
                 n.const(np.array([2**31 - 1, 2**31 - 1], np.int64)),
                 n.const(np.array([2, -1], np.int64)), n.const(np.array([1, 2], np.int64)),
                 shape=shape)
    n.output(n.head(x))
    return n


def shuffle(seed, small=False):
    """Grouped convolutions with their channels shuffled in between, as ShuffleNet has them."""
    n = Net("shuffle", seed)
    c = 6 if small else n.pick(4, 6, 12)
    x = n.act(n.conv(n.input(image(n, small)), c, [3, 3]))
    for _ in range(1 if small else n.pick(1, 2)):
        groups = n.pick(*[g for g in (2, 3, 6) if c % g == 0])
        shape = n.shapes[x]
        split = shape[:1] + [groups, c // groups] + shape[2:]
        y = n.op("Reshape", x, n.const(np.array(split, np.int64)), shape=split)
        split = shape[:1] + [c // groups, groups] + shape[2:]
        y = n.op("Transpose", y, perm=[0, 2, 1, 3, 4], shape=split)
        y = n.op("Reshape", y, n.const(np.array(n.pick(shape, shape[:1] + [-1] + shape[2:]),
                                                np.int64)), shape=shape)
        if not small and n.rng.random() < 0.3:  # the caller wants what was shuffled
            n.output(y)
        if n.rng.random() < 0.3:
            x = n.op("Relu", x)
        y = n.conv(y, c, [3, 3], group=c) if n.rng.random() < 0.7 else n.conv(y, c, [1, 1])
        x = y if n.shapes[y] != shape or n.rng.random() < 0.3 else n.op("Add", x, y)
    n.output(n.head(x))
    return n


class Quantised(Net):
    """Nets of integers: with QuantizeLinear and DequantizeLinear around float ops, or of
    QLinear ops. A value is (name, scale, zero point)."""

    def __init__(self, name, seed, kind):
        super().__init__(name, seed)
        self.dtype = np.int8 if kind == I8 else np.uint8
        self.kind = kind

    def scales(self, positive=False):
        low = -128 if self.kind == I8 else 0
        zero = low if positive else low + 128 + int(self.rng.integers(-9, 9))
        return np.float32(self.rng.uniform(0.02, 0.05)), self.dtype(zero)

    def consts(self, scale, zero):
        return self.const(scale, "s"), self.const(zero, "z")

    def filters(self, *shape):
        """Weights, their scales, and those as constants."""
        data = self.rng.integers(-127, 128, shape).astype(np.int8)
        each = self.rng.random() < 0.6
        count = shape[0] if each else 1
        scale = self.rng.uniform(0.7, 1.3, count).astype(np.float32) / np.float32(
            64 * np.sqrt(np.prod(shape[1:])))
        zero = np.zeros(count, np.int8)
        if not each:
            scale, zero = scale[0], zero[0]
        return self.const(data, "w"), scale, self.const(scale, "s"), self.const(zero, "z")

    # around float ops

    def both(self, x, positive=False):
        s, z = self.consts(*self.scales(positive))
        self.last = (s, z)
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, s, z), s, z)

    def qdq_weights(self, x_scale, *shape):
        w, scale, s, z = self.filters(*shape)
        bias = self.rng.integers(-2000, 2000, shape[0]).astype(np.int32)
        axis = {"axis": 0} if np.ndim(scale) else {}
        return (self.op("DequantizeLinear", w, s, z, **axis),
                self.op("DequantizeLinear", self.const(bias, "b"),
                        self.const((x_scale * scale).astype(np.float32), "s"), **axis))

    def scale_of(self, name):
        return next(nh.to_array(i) for i in self.init if i.name == name)

    def qdq_conv(self, x, channels, k, group=1):
        n, c = self.shapes[x][:2]
        w, b = self.qdq_weights(self.scale_of(self.last[0]), channels, c // group, *k)
        attrs, size = self.conv_attrs(x, k)
        y = self.op("Conv", x, w, b, shape=[n, channels] + size, group=group, **attrs)
        relu = self.rng.random() < 0.6
        return self.both(self.op("Relu", y) if relu else y, relu)

    # of QLinear ops

    def q_conv(self, x, channels, k, group=1):
        name, s, z = x
        n, c = self.shapes[name][:2]
        w, _, ws, wz = self.filters(channels, c // group, *k)
        attrs, size = self.conv_attrs(name, k)
        ys, yz = self.consts(*self.scales(self.rng.random() < 0.5))
        bias = self.const(self.rng.integers(-2000, 2000, channels).astype(np.int32), "b")
        y = self.op("QLinearConv", name, s, z, w, ws, wz, ys, yz, bias,
                    shape=[n, channels] + size, group=group, **attrs)
        return y, ys, yz

    def q_op(self, kind, *ins, shape, **attrs):
        ys, yz = self.consts(*self.scales())
        flat = [name for x in ins for name in x]
        flat = [ys, yz] + flat if kind == "QLinearConcat" else flat + [ys, yz]
        return self.op(kind, *flat, shape=shape, domain="com.microsoft", **attrs), ys, yz


def qdq(seed, small=False, kind=None, given=False):
    """`given`: the caller quantises."""
    n = Quantised("qdq_bytes" if given else "qdq", seed, kind or (I8, U8)[seed % 2])
    if given:
        n.last = n.consts(*n.scales())
        x = n.op("DequantizeLinear", n.input(image(n, small), n.kind), *n.last)
    else:
        x = n.both(n.input(image(n, small)))
    x = n.qdq_conv(x, 4, [3, 3])
    if n.rng.random() < 0.5:
        x = n.qdq_conv(x, n.shapes[x][1], [3, 3], group=n.shapes[x][1])
    if n.rng.random() < 0.6:
        s, z = n.last
        x = n.pool(x, "MaxPool")
        x = n.op("DequantizeLinear", n.op("QuantizeLinear", x, s, z), s, z)
    if n.rng.random() < 0.5:
        last = n.last
        w, b = n.qdq_weights(n.scale_of(last[0]), 4, 4, 3, 3)
        y = n.both(n.op("Conv", x, w, b, pads=[1] * 4))
        x = n.both(n.op("Add", x, y))
    elif n.rng.random() < 0.5:
        w, b = n.qdq_weights(n.scale_of(n.last[0]), 4, 4, 1, 1)
        s, z = n.last
        y = n.op("Conv", x, w, b)
        y = n.op("DequantizeLinear", n.op("QuantizeLinear", y, s, z), s, z)
        x = n.op("Concat", x, y, axis=1,
                 shape=[n.shapes[x][0], 8] + n.shapes[x][2:])
        x = n.op("DequantizeLinear", n.op("QuantizeLinear", x, s, z), s, z)
    if n.rng.random() < 0.5:
        x = n.both(n.op("GlobalAveragePool", x, shape=n.shapes[x][:2] + [1, 1]))
    s, z = n.last
    x = n.flatten(x)
    x = n.op("DequantizeLinear", n.op("QuantizeLinear", x, s, z), s, z)
    w, b = n.qdq_weights(n.scale_of(s), 5, n.shapes[x][1])
    x = n.op("Gemm", x, w, b, transB=1, shape=[n.shapes[x][0], 5])
    n.output(n.op("QuantizeLinear", x, *n.consts(*n.scales())), n.kind)
    return n


def qlinear(seed, small=False, kind=None):
    n = Quantised("qlinear", seed, kind or (I8, U8)[seed % 2])
    shape = image(n, small)
    s, z = n.consts(*n.scales())
    x = (n.input(shape, n.kind), s, z) if n.rng.random() < 0.5 else (
        n.op("QuantizeLinear", n.input(shape), s, z), s, z)
    x = n.q_conv(x, 4, [3, 3])
    if n.rng.random() < 0.5:
        x = n.q_conv(x, 4, [3, 3], group=4)
    if n.rng.random() < 0.5:
        x = (n.pool(x[0], "MaxPool"),) + x[1:]
    size = n.shapes[x[0]]
    how = n.pick("add", "concat", "mul", "none")
    w, _, ws, wz = n.filters(4, 4, 1, 1)
    ys, yz = n.consts(*n.scales())
    y = (n.op("QLinearConv", *x, w, ws, wz, ys, yz, shape=size), ys, yz)
    if how == "add":
        x = n.q_op("QLinearAdd", x, y, shape=size)
    elif how == "mul":
        x = n.q_op("QLinearMul", x, n.q_op("QLinearSigmoid", y, shape=size), shape=size)
    elif how == "concat":
        x = n.q_op("QLinearConcat", x, y, shape=[size[0], 8] + size[2:], axis=1)
    else:
        x = n.q_op("QLinearLeakyRelu", y, shape=size, alpha=0.1)
    size = n.shapes[x[0]]
    if n.rng.random() < 0.3 and min(size[2:]) > 2:
        x = n.q_op("QLinearAveragePool", x, shape=n.shapes[x[0]][:2] + n.window(
            x[0], [2, 2], [2, 2], [0] * 4), kernel_shape=[2, 2], strides=[2, 2])
    if n.rng.random() < 0.6:
        x = n.q_op("QLinearGlobalAveragePool", x, shape=n.shapes[x[0]][:2] + [1, 1],
                   channels_last=0)
    flat = n.flatten(x[0])
    rows, depth = n.shapes[flat]
    w = n.const(n.rng.integers(-127, 128, (depth, 5)).astype(np.int8), "w")
    ws, wz = n.consts(np.float32(0.01 / np.sqrt(depth)), np.int8(0))
    ys, yz = n.consts(*n.scales())
    n.output(n.op("QLinearMatMul", flat, x[1], x[2], w, ws, wz, ys, yz, shape=[rows, 5]), n.kind)
    return n


def qdq_bytes(seed, small=False, kind=None):
    return qdq(seed, small, kind, given=True)


def line_window(n, x, k, pads, stride, dilation):
    """The length of what a window over one dimension gives."""
    return (n.shapes[x][2] + sum(pads) - (k - 1) * dilation - 1) // stride + 1


def line_conv(n, x, channels, group=1):
    batch, c, size = n.shapes[x]
    k = min(n.pick(1, 3, 5), size)
    stride, dilation = n.pick((1, 1), (2, 1), (1, 2) if (k - 1) * 2 < size else (1, 1))
    ins = [x, n.weights(channels, c // group, k)]
    if n.rng.random() < 0.7:
        ins.append(n.weights(channels, scale=0.1))
    attrs = {"strides": [stride], "dilations": [dilation], "group": group}
    if dilation == 1 and n.rng.random() < 0.3:
        attrs["auto_pad"] = n.pick("SAME_UPPER", "SAME_LOWER")
        return n.op("Conv", *ins, shape=[batch, channels, -(-size // stride)], **attrs)
    pads = n.pick([0, 0], [k // 2, k // 2], [k // 2, 0])
    if n.rng.random() < 0.5:
        attrs["kernel_shape"] = [k]
    return n.op("Conv", *ins, pads=pads,
                shape=[batch, channels, line_window(n, x, k, pads, stride, dilation)], **attrs)


def line(seed, small=False):
    """Windows over one dimension, as nets for sound have them."""
    n = Net("line", seed)
    x = n.input([1 if small else n.pick(1, 2), n.pick(1, 3), n.pick(12, 17, 24)])
    for _ in range(1 if small else n.pick(1, 2)):
        c = n.pick(2, 4)
        x = n.op(n.pick("Relu", "Sigmoid", "Tanh"), line_conv(n, x, c))
        if n.rng.random() < 0.5:
            x = line_conv(n, x, c, group=c)
        if n.rng.random() < 0.6 and n.shapes[x][2] > 3:
            pads = n.pick([0, 0], [1, 0], [1, 1])
            x = n.op(n.pick("MaxPool", "AveragePool"), x, kernel_shape=[2], strides=[2], pads=pads,
                     shape=n.shapes[x][:2] + [line_window(n, x, 2, pads, 2, 1)])
    if n.rng.random() < 0.5:
        n.output(x)
    n.output(n.gemm(n.flatten(x), 3))
    return n


def conv_transpose(n, x, channels):
    batch, c = n.shapes[x][:2]
    k = [n.pick(1, 2, 3, 4), n.pick(2, 3)]
    stride = n.pick([1, 1], [2, 2], [2, 1], [3, 2])
    pads = n.pick([0] * 4, [k[0] // 2, k[1] // 2] * 2, [0, 1, k[0] // 2, 0])
    extra = n.pick([0, 0], [0, 0], [stride[0] - 1, stride[1] - 1])
    size = [(n.shapes[x][2 + i] - 1) * stride[i] + k[i] + extra[i] - pads[i] - pads[2 + i]
            for i in range(2)]
    ins = [x, n.weights(c, channels, *k)]
    if n.rng.random() < 0.6:
        ins.append(n.weights(channels, scale=0.1))
    attrs = {"output_padding": extra} if any(extra) else {}
    return n.op("ConvTranspose", *ins, strides=stride, pads=pads,
                shape=[batch, channels] + size, **attrs)


def resize(n, x):
    batch, c, *size = n.shapes[x]
    mode, where = n.pick(("nearest", "asymmetric"), ("nearest", "half_pixel"),
                         ("linear", "half_pixel"), ("linear", "asymmetric"),
                         ("linear", "align_corners"), ("linear", "pytorch_half_pixel"))
    by = [n.pick(1, 2, 3), 2] if mode == "nearest" else n.pick([2, 2], [1.5, 2])
    new = [int(size[i] * by[i]) for i in range(2)]
    by_sizes = n.rng.random() < 0.5 or any(size[i] * by[i] != new[i] for i in range(2))
    if mode == "nearest" and by_sizes and any(new[i] % size[i] for i in range(2)):
        by_sizes = False
    none = n.const(np.array([], np.float32))
    if by_sizes:
        how = [none, none, n.const(np.array([batch, c] + new, np.int64))]
    else:
        how = [none, n.const(np.array([1, 1] + by, np.float32))]
    attrs = {"nearest_mode": "floor"} if where == "asymmetric" and mode == "nearest" else {}
    return n.op("Resize", x, *how, mode=mode, coordinate_transformation_mode=where,
                shape=[batch, c] + new, **attrs)


def decoder(seed, small=False):
    """Images that grow: transposed convolutions and resizing."""
    n = Net("decoder", seed)
    x = n.op("Relu", n.conv(n.input([1, n.pick(1, 3), 4, n.pick(4, 5)]), 4, [3, 3]))
    for _ in range(1 if small else 2):
        if n.rng.random() < 0.5 and seed % 2:
            x = n.op("Relu", conv_transpose(n, x, n.pick(2, 3)))
        else:
            x = resize(n, x)
        x = n.op("Sigmoid", n.conv(x, n.pick(2, 4), [1, 1])) if n.rng.random() < 0.6 else x
    if seed % 3 == 0:
        x = conv_transpose(n, x, 2)
    n.output(x)
    return n


FAMILIES = {f.__name__: f for f in (conv, separable, residual, inception, shuffle, line, decoder,
                                    qdq, qdq_bytes, qlinear)}

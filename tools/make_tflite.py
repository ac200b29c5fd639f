#!/usr/bin/env python3
"""Makes the .tflite files of fixtures/models, and the wrong ones of fixtures/invalid."""
import os
import struct
import sys

import arguments
from flatbuffer import Scalar, Table, Text, Vector, Writer

FLOAT32, INT32, INT8, RESOURCE, BOOL = 0, 2, 9, 13, 6
ADD, AVERAGE_POOL_2D, CONV_2D, DEPTHWISE_CONV_2D = 0, 1, 3, 4
FULLY_CONNECTED, RESHAPE, SOFTMAX, SVDF, CUSTOM = 9, 22, 25, 27, 32
IF, CALL_ONCE, VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE = 118, 129, 142, 143, 144
LESS = 58
SAME, VALID = 0, 1
RELU, RELU6 = 1, 3


def i32(value):
    return Scalar('i', value)


def u32(value):
    return Scalar('I', value)


def i8(value):
    return Scalar('b', value)


def flag(value):
    return Scalar('B', value)


def f32(value):
    return Scalar('f', value)


def stream(seed):
    """The xorshift32 stream of src/ir/seed.h."""
    x = 0x9E3779B9 ^ seed
    while True:
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        yield x


def weights(seed, count):
    s = stream(seed)
    return bytes(((next(s) >> 8) % 255 - 127) & 0xFF for _ in range(count))


def biases(seed, count):
    s = stream(seed)
    return struct.pack('<%di' % count, *((next(s) >> 8) % 2048 - 1024 for _ in range(count)))


class Model:
    def __init__(self):
        self.buffers = [Table()]  # number 0 is empty by convention
        self.outside = []         # (buffer index, bytes) behind the FlatBuffer
        self.codes, self.code_of = [], {}
        self.graphs, self.metadata = [], []

    def buffer(self, data, outside=False):
        if outside:
            self.buffers.append(Table(_1=Scalar('Q', 2), _2=Scalar('Q', len(data))))
            self.outside.append((self.buffers[-1], data))
        else:
            self.buffers.append(Table(_0=Vector('B', data, 16) if data is not None else None))
        return len(self.buffers) - 1

    def code(self, number, custom=None, old=False):
        """old: as files from before the wide operator code have it."""
        key = (number, custom)
        if key not in self.code_of:
            self.code_of[key] = len(self.codes)
            self.codes.append(Table(
                _0=i8(min(number, 127)) if number else None,
                _1=Text(custom) if custom else None,
                _2=i32(2) if number == ADD else None,
                _3=i32(number) if number and not old else None))
        return self.code_of[key]

    def graph(self, name=None):
        self.graphs.append(Graph(self, name))
        return self.graphs[-1]

    def bytes(self):
        root = Table(
            _0=u32(3), _1=Vector(None, self.codes),
            _2=Vector(None, [g.table() for g in self.graphs]),
            _3=Text('made by tools/make_tflite.py'), _4=Vector(None, self.buffers),
            _6=Vector(None, self.metadata) if self.metadata else None)
        for table, data in self.outside:  # a first layout tells where the end is
            table.fields[1].value = len(Writer().finish(root, b'TFL3'))
        out = Writer().finish(root, b'TFL3')
        for table, data in self.outside:
            table.fields[1].value = len(out)
            out += data + bytes(-len(data) % 16)
        # the offsets are known now and change no size
        head = Writer().finish(root, b'TFL3')
        return bytes(head + out[len(head):])


class Graph:
    def __init__(self, model, name):
        self.model, self.name = model, name
        self.tensors, self.ops, self.inputs, self.outputs = [], [], [], []

    def tensor(self, name, shape, kind, scale=None, zero=None, axis=0, data=None,
               variable=False, signature=None, outside=False, empty=False):
        quant = None
        if scale:
            quant = Table(_2=Vector('f', scale), _3=Vector('q', zero or [0] * len(scale)),
                          _6=i32(axis) if axis else None)
        buffer = 0
        if data is not None:
            buffer = self.model.buffer(data, outside)
        elif empty:  # converters give each activation an empty buffer of its own
            buffer = self.model.buffer(None)
        self.tensors.append(Table(
            _0=Vector('i', shape), _1=i8(kind) if kind else None,
            _2=u32(buffer) if buffer else None, _3=Text(name) if name is not None else None,
            _4=quant, _5=flag(1) if variable else None,
            _7=Vector('i', signature) if signature else None, _8=flag(1)))
        return len(self.tensors) - 1

    def op(self, code, inputs, outputs, tag=0, options=None, custom=None,
           intermediates=None):
        self.ops.append(Table(
            _0=u32(code) if code else None, _1=Vector('i', inputs), _2=Vector('i', outputs),
            _3=flag(tag) if tag else None, _4=options,
            _5=Vector('B', custom) if custom is not None else None,
            _8=Vector('i', intermediates) if intermediates is not None else None))

    def table(self):
        return Table(_0=Vector(None, self.tensors), _1=Vector('i', self.inputs),
                     _2=Vector('i', self.outputs), _3=Vector(None, self.ops),
                     _4=Text(self.name) if self.name else None)


def small_cnn():
    """Convolution, depthwise, pooling, reshape, fully connected, softmax; int8."""
    m = Model()
    g = m.graph('main')
    per_channel = [0.004 + 0.0007 * k for k in range(4)]
    x = g.tensor('image', [1, 8, 8, 3], INT8, [0.0078125], [-1], signature=[-1, 8, 8, 3])
    w0 = g.tensor('conv/filter', [4, 3, 3, 3], INT8, per_channel, data=weights(1, 108))
    b0 = g.tensor('conv/bias', [4], INT32, [0.0078125 * s for s in per_channel],
                  data=biases(2, 4))
    a0 = g.tensor('conv', [1, 4, 4, 4], INT8, [0.0235294122248888], [-128], empty=True)
    w1 = g.tensor('dw/filter', [1, 3, 3, 4], INT8, per_channel, axis=3, data=weights(3, 36))
    b1 = g.tensor('dw/bias', [4], INT32, [0.0235294122248888 * s for s in per_channel],
                  data=biases(4, 4))
    a1 = g.tensor('dw', [1, 4, 4, 4], INT8, [0.05], [-128], empty=True)
    a2 = g.tensor('pool', [1, 2, 2, 4], INT8, [0.05], [-128], empty=True)
    sh = g.tensor('flat/shape', [2], INT32, data=struct.pack('<2i', 1, 16))
    a3 = g.tensor('flat', [1, 16], INT8, [0.05], [-128], empty=True)
    w2 = g.tensor('fc/weights', [5, 16], INT8, [0.01], data=weights(5, 80))
    a4 = g.tensor('fc', [1, 5], INT8, [0.11], [3], empty=True)
    y = g.tensor('probabilities', [1, 5], INT8, [0.00390625], [-128], empty=True)
    g.op(m.code(CONV_2D, old=True), [x, w0, b0], [a0], 1,
         Table(_1=i32(2), _2=i32(2), _3=i8(RELU)))
    g.op(m.code(DEPTHWISE_CONV_2D, old=True), [a0, w1, b1], [a1], 2,
         Table(_1=i32(1), _2=i32(1), _3=i32(1), _4=i8(RELU6)))
    g.op(m.code(AVERAGE_POOL_2D), [a1], [a2], 5,
         Table(_0=i8(VALID), _1=i32(2), _2=i32(2), _3=i32(2), _4=i32(2)))
    g.op(m.code(RESHAPE), [a2, sh], [a3], 17, Table(_0=Vector('i', [-1, 16])))
    g.op(m.code(FULLY_CONNECTED), [a3, w2, -1], [a4], 8, Table(_2=flag(1)))
    g.op(m.code(SOFTMAX), [a4], [y], 9, Table(_0=f32(0.7)))
    g.inputs, g.outputs = [x], [y]
    return m


def features():
    """What small_cnn has not: state, subgraphs, a custom op, an op code above 127, a
    buffer behind the FlatBuffer, names that are no UTF-8 or not unique, a scalar."""
    m = Model()
    g, then, other, init = (m.graph(n) for n in ('main', 'then', 'else', 'init'))
    x = g.tensor('x', [2, 4], FLOAT32)
    h = g.tensor('handle', [], RESOURCE)
    s = g.tensor('same', [2, 4], FLOAT32)
    a = g.tensor('same', [2, 4], FLOAT32)
    big = g.tensor('outside', [4], FLOAT32, data=struct.pack('<4f', 1, -2, 0.5, 1e-30),
                   outside=True)
    c = g.tensor('is_less', [], BOOL)
    k0 = g.tensor('k0', [], FLOAT32, data=struct.pack('<f', 3))
    k1 = g.tensor('k1', [], FLOAT32, data=struct.pack('<f', 4))
    work = g.tensor(b'work\xff\xc3', [64], INT8)
    b = g.tensor(None, [2, 4], FLOAT32)
    y = g.tensor('y', [2, 4], FLOAT32)
    g.op(m.code(CALL_ONCE), [], [], 103, Table(_0=i32(3)))
    g.op(m.code(VAR_HANDLE), [], [h], 111, Table(_0=Text(''), _1=Text('state')))
    g.op(m.code(READ_VARIABLE), [h], [s], 112, Table())
    g.op(m.code(ADD), [x, s], [a], 11, Table(_0=i8(RELU), _1=flag(0)))
    g.op(m.code(ASSIGN_VARIABLE), [h, a], [], 113, Table())
    g.op(m.code(LESS), [k0, k1], [c], 41, Table())
    g.op(m.code(IF), [c, a], [b], 92, Table(_0=i32(1), _1=i32(2)))
    g.op(m.code(CUSTOM, 'Relu'), [b, big, work], [y], custom=b'\1\2\3\4\5')
    g.inputs, g.outputs = [x], [y]
    for sub, number in ((then, RELU), (other, RELU6)):
        p = sub.tensor('in', [2, 4], FLOAT32)
        q = sub.tensor('out', [2, 4], FLOAT32)
        sub.op(m.code(19 if number == RELU else 21), [p], [q])
        sub.inputs, sub.outputs = [p], [q]
    h2 = init.tensor('handle', [], RESOURCE)
    z = init.tensor('zero', [2, 4], FLOAT32, data=bytes(32))
    init.op(m.code(VAR_HANDLE), [], [h2], 111, Table(_0=Text(''), _1=Text('state')))
    init.op(m.code(ASSIGN_VARIABLE), [h2, z], [], 113, Table())
    return m


def svdf():
    """A state tensor that an op mutates in place, an optional input in the middle, and a
    memory plan: the state and the input have places, the output is left to the runtime."""
    m = Model()
    g = m.graph()
    x = g.tensor('x', [1, 6], INT8, [0.05], [2])
    wf = g.tensor('feature', [4, 6], INT8, [0.01], data=weights(7, 24))
    wt = g.tensor('time', [4, 3], INT8, [0.02], data=weights(8, 12))
    st = g.tensor('state', [1, 12], INT8, [0.03], [-4], variable=True)
    y = g.tensor('y', [1, 4], INT8, [0.1], [0])
    g.op(m.code(SVDF), [x, wf, wt, -1, st], [y], 6, Table(_0=i32(1), _1=i8(RELU)))
    g.inputs, g.outputs = [x], [y]
    plan = m.buffer(struct.pack('<8i', 1, 1, 5, 16, -1, -1, 0, -1))
    m.metadata.append(Table(_0=Text('min_runtime_version'), _1=u32(0)))
    m.metadata.append(Table(_0=Text('OfflineMemoryAllocation'), _1=u32(plan)))
    return m


def one_relu():
    """The smallest model that is right; each wrong one is this with one mistake."""
    m = Model()
    g = m.graph()
    x = g.tensor('x', [2], FLOAT32)
    k = g.tensor('k', [2], FLOAT32, data=bytes(8))
    y = g.tensor('y', [2], FLOAT32)
    g.op(m.code(ADD), [x, k], [y], 11, Table(_0=i8(RELU)))
    g.inputs, g.outputs = [x], [y]
    return m, g


def invalid():
    """Pairs of a name and bytes."""
    def wrong(change):
        m, g = one_relu()
        change(m, g)
        return m.bytes()

    def set_tensor(index, **fields):
        return wrong(lambda m, g: g.tensors[index].fields.update(Table(**fields).fields))

    def set_op(**fields):
        return wrong(lambda m, g: g.ops[0].fields.update(Table(**fields).fields))

    def two_scales(m, g):
        g.tensors[0] = Table(_0=Vector('i', [2]), _1=i8(INT8), _4=Table(
            _2=Vector('f', [1, 2]), _3=Vector('q', [0, 0, 0])))
        g.tensors[1] = Table(_0=Vector('i', [2]), _2=u32(1), _4=Table(
            _2=Vector('f', [1, 2]), _6=i32(1)))

    def indices(m, g):
        g.inputs, g.outputs = [3, -1], [2]
        g.op(0, [7, 0], [-1], 11, Table())

    def short_plan(m, g):
        m.metadata.append(Table(_0=Text('OfflineMemoryAllocation'), _1=u32(
            m.buffer(struct.pack('<5i', 1, 1, 3, 0, -1)))))

    yield 'tflite-plan', wrong(short_plan)
    yield 'tflite-buffer', set_tensor(1, _2=u32(2))
    yield 'tflite-constant-size', set_tensor(1, _0=Vector('i', [3]))
    yield 'tflite-rank', set_tensor(1, _0=Vector('i', [1] * 9))
    yield 'tflite-type', set_tensor(1, _1=i8(99))
    yield 'tflite-sparsity', set_tensor(1, _6=Table(_0=Vector('i', [0])))
    yield 'tflite-external', set_tensor(1, _10=u32(1))
    yield 'tflite-dynamic', set_tensor(0, _0=Vector('i', [-1]))
    yield 'tflite-blockwise', set_tensor(1, _4=Table(
        _4=flag(2), _5=Table(_0=i32(0), _2=i32(1))))
    yield 'tflite-quantization', wrong(two_scales)
    yield 'tflite-index', wrong(indices)
    yield 'tflite-code', set_op(_0=u32(5))
    yield 'tflite-options', set_op(_3=flag(1), _4=Table(_0=i8(1)))
    yield 'tflite-enumeration', set_op(_4=Table(_0=i8(77)))
    m, g = one_relu()
    m.codes[0] = Table(_3=i32(123456))
    yield 'tflite-operator', m.bytes()
    m, g = one_relu()
    m.graphs = []
    yield 'tflite-no-graph', m.bytes()
    m, g = one_relu()
    data = bytearray(m.bytes())
    data[0:4] = struct.pack('<I', len(data))
    yield 'tflite-damaged', bytes(data)
    yield 'tflite-cut', svdf().bytes()[:900]
    yield 'tflite-version', bytes(Writer().finish(Table(_0=u32(2)), b'TFL3'))


def all_files():
    """Pairs of a path below fixtures and bytes."""
    for make in (small_cnn, features, svdf):
        yield os.path.join('models', make.__name__ + '.tflite'), make().bytes()
    for name, data in invalid():
        yield os.path.join('invalid', name, 'input.tflite'), data


def main():
    args = arguments.read(__doc__, os.path.join(
        os.path.dirname(os.path.abspath(__file__)), '..', 'fixtures'))
    stale = []
    for name, data in all_files():
        path = os.path.join(args.folder, name)
        if not args.check:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as f:
                f.write(data)
        elif not os.path.exists(path) or open(path, 'rb').read() != data:
            stale.append(path)
    if stale:
        sys.exit('not what the script makes: ' + ', '.join(stale))


if __name__ == '__main__':
    main()

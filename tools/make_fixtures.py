#!/usr/bin/env python3
"""Makes the graphs of fixtures/graphs: the nets of MLPerf Tiny and small graphs, complete
with weights from seeds.

Scales are chosen so that activations stay alive: inputs and weights are random, so a sum
over K products has a deviation of sqrt(K) times theirs, which the output's scale maps to
a fixed part of its range."""
import json
import math
import os
import struct
import sys

import arguments

WEIGHT_RMS_I8 = 254 / math.sqrt(12)  # uniform in [-127, 127]
WEIGHT_RMS_F32 = 1 / math.sqrt(12)   # uniform in (-0.5, 0.5)
SPREAD = 3.2                         # deviations that a range holds on each side


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def number(value):
    """The shortest of at most nine digits that gives the float back."""
    for digits in range(1, 10):
        text = '%.*g' % (digits, value)
        if f32(float(text)) == value:
            return float(text)
    raise ValueError(value)


class Tensor:
    """rms: of the real values; scale and zero: of an i8 activation."""

    def __init__(self, name, shape, dtype, rms=1.0, scale=None, zero=0):
        self.name, self.shape, self.dtype = name, list(shape), dtype
        self.rms, self.scale, self.zero = rms, scale, zero


class Net:
    def __init__(self, name, dtype='i8'):
        self.name, self.dtype = name, dtype
        self.tensors, self.ops, self.seed, self.jitter = [], [], 0, 12345

    def add(self, tensor, role=None, quant=None, data=None, **more):
        entry = {'name': tensor.name, 'dtype': tensor.dtype, 'shape': tensor.shape}
        if role:
            entry['role'] = role
        entry.update(more)
        if quant:
            entry['quantization'] = quant
        if data:
            entry['data'] = data
        self.tensors.append(entry)
        return tensor

    def quant(self, tensor):
        if tensor.scale is None:
            return None
        return {'scale': number(tensor.scale), 'zero_point': tensor.zero}

    def next_seed(self):
        self.seed += 1
        return {'seed': self.seed}

    def random(self, low, high):
        self.jitter = (self.jitter * 1664525 + 1013904223) & 0xFFFFFFFF
        return low + (high - low) * (self.jitter >> 8) / (1 << 24)

    def input(self, shape, name='input'):
        # bytes of the input rule are uniform; floats are uniform in (-1, 1)
        t = Tensor(name, shape, self.dtype, 1 / math.sqrt(3))
        if self.dtype == 'i8':
            t.scale, t.zero = 1 / 128, 0
        return self.add(t, 'input', self.quant(t), clobber=True)

    def activation(self, name, shape, rms, positive=False, like=None):
        """A result. positive: nothing below zero, so all of the range is above it."""
        t = Tensor(name, shape, self.dtype, rms)
        if self.dtype == 'i8' and like:
            t.scale, t.zero = like.scale, like.zero
        elif self.dtype == 'i8':
            span = SPREAD * rms * (math.sqrt(2) if positive else 2)
            t.scale = f32(span / 255)
            t.zero = -128 if positive else int(self.random(-12, 12))
        return self.add(t, quant=self.quant(t))

    def op(self, kind, inputs, outputs, **attrs):
        entry = {'name': '%s_%d' % (kind.lower(), len(self.ops)), 'type': kind,
                 'inputs': [t.name if t else None for t in inputs],
                 'outputs': [t.name for t in outputs]}
        if attrs:
            entry['attrs'] = attrs
        self.ops.append(entry)
        return outputs[0]

    def integers(self, name, values):
        return self.add(Tensor(name, [len(values)], 'i32'), 'const', data={'values': values})

    def floats(self, name, low, high, n):
        values = [number(f32(round(self.random(low, high), 3))) for _ in range(n)]
        return self.add(Tensor(name, [n], 'f32'), 'const', data={'values': values})

    def batch_norm(self, x):
        """Statistics near those of x, so that the result has a deviation near 1."""
        name, c = 'batch_norm%d' % len(self.ops), x.shape[-1]
        parts = [self.floats(name + '/scale', 0.6, 1.4, c),
                 self.floats(name + '/offset', -0.5, 0.5, c),
                 self.floats(name + '/mean', -0.5, 0.5, c),
                 self.floats(name + '/variance', 0.5 * x.rms ** 2, 1.5 * x.rms ** 2, c)]
        y = self.activation(name, x.shape, 1.0)
        return self.op('BATCH_NORM', [x, *parts], [y], epsilon=0.001)

    def layer_norm(self, x):
        name, n = 'layer_norm%d' % len(self.ops), x.shape[-1]
        parts = [self.floats(name + '/scale', 0.6, 1.4, n),
                 self.floats(name + '/offset', -0.5, 0.5, n)]
        y = self.activation(name, x.shape, 1.0)
        return self.op('LAYER_NORM', [x, *parts], [y], axis=-1, epsilon=0.001)

    def ranged(self, name, shape, low, high, role=None, data=None):
        """An i8 value of this range."""
        t = Tensor(name, shape, 'i8', max(-low, high) / 2, f32((high - low) / 255))
        t.zero = max(-128, min(127, -128 - round(low / t.scale)))
        return self.add(t, role, self.quant(t), data)

    def weights(self, name, shape, channels, axis, fan_in, source):
        """A filter and a bias whose sums have a deviation near 1."""
        w, b = Tensor(name + '/filter', shape, self.dtype), Tensor(
            name + '/bias', [channels], 'i32' if self.dtype == 'i8' else 'f32')
        if self.dtype == 'f32':
            self.add(w, 'const', data=self.next_seed())
            self.add(b, 'const', data=self.next_seed())
            return w, b, source.rms * math.sqrt(fan_in) * WEIGHT_RMS_F32
        base = 1 / (math.sqrt(fan_in) * source.rms * WEIGHT_RMS_I8)
        scales = [f32(base * self.random(0.6, 1.4)) for _ in range(channels)]
        bias = [f32(f32(source.scale) * s) for s in scales]
        if axis is None:
            scales, bias = scales[:1], bias[:1]
        along = {} if len(scales) == 1 else {'axis': axis}
        self.add(w, 'const', {'scale': [number(s) for s in scales],
                              'zero_point': [0] * len(scales), **along},
                 self.next_seed())
        along = {} if len(scales) == 1 else {'axis': 0}
        self.add(b, 'const', {'scale': [number(s) for s in bias],
                              'zero_point': [0] * len(bias), **along}, self.next_seed())
        return w, b, 1.0

    def after(self, rms, activation):
        """Deviation after the activation, and whether it is never negative."""
        if activation == 'RELU6':
            return min(rms / math.sqrt(2), 4.2), True
        if activation == 'RELU':
            return rms / math.sqrt(2), True
        return rms, False

    def conv(self, x, channels, kernel, stride=(1, 1), pad='SAME', activation='RELU'):
        name = 'conv%d' % len(self.ops)
        fan_in = kernel[0] * kernel[1] * x.shape[3]
        w, b, rms = self.weights(name, [channels, *kernel, x.shape[3]], channels, 0, fan_in, x)
        rms, positive = self.after(rms, activation)
        y = self.activation(name, [x.shape[0], *window(x.shape, kernel, stride, pad),
                                   channels], rms, positive)
        return self.op('CONV_2D', [x, w, b], [y], pad=pad, stride=list(stride),
                       dilation=[1, 1], activation=activation)

    def depthwise(self, x, kernel, stride=(1, 1), pad='SAME', activation='RELU'):
        name, c = 'depthwise%d' % len(self.ops), x.shape[3]
        w, b, rms = self.weights(name, [1, *kernel, c], c, 3, kernel[0] * kernel[1], x)
        rms, positive = self.after(rms, activation)
        y = self.activation(name, [x.shape[0], *window(x.shape, kernel, stride, pad), c],
                            rms, positive)
        return self.op('DEPTHWISE_CONV_2D', [x, w, b], [y], pad=pad, stride=list(stride),
                       dilation=[1, 1], depth_multiplier=1, activation=activation)

    def fully_connected(self, x, units, activation='NONE'):
        name = 'dense%d' % len(self.ops)
        w, b, rms = self.weights(name, [units, x.shape[-1]], units, None, x.shape[-1], x)
        rms, positive = self.after(rms, activation)
        y = self.activation(name, [x.shape[0], units], rms, positive)
        return self.op('FULLY_CONNECTED', [x, w, b], [y], activation=activation,
                       keep_num_dims=False)

    def pool(self, x, kind, kernel, stride=None, pad='VALID', activation='NONE'):
        stride = stride or kernel
        y = self.activation('pool%d' % len(self.ops), [
            x.shape[0], *window(x.shape, kernel, stride, pad), x.shape[3]], x.rms, like=x)
        return self.op(kind, [x], [y], pad=pad, kernel=list(kernel), stride=list(stride),
                       activation=activation)

    def reshape(self, x, shape):
        y = self.activation('reshape%d' % len(self.ops), shape, x.rms, like=x)
        to = self.integers(y.name + '/shape', shape)
        return self.op('RESHAPE', [x, to], [y], new_shape=list(shape))

    def binary(self, kind, a, b, activation='NONE'):
        rms = math.hypot(a.rms, b.rms) if kind != 'MUL' else a.rms * b.rms
        rms, positive = self.after(rms, activation)
        shape = a.shape if len(a.shape) >= len(b.shape) else b.shape
        y = self.activation('%s%d' % (kind.lower(), len(self.ops)), shape, rms, positive)
        return self.op(kind, [a, b], [y], activation=activation)

    def unary(self, kind, x, rms=None, like=None, **attrs):
        y = self.activation('%s%d' % (kind.lower(), len(self.ops)), x.shape,
                            rms or x.rms, like=like)
        return self.op(kind, [x], [y], **attrs)

    def fixed(self, kind, x, scale, zero, **attrs):
        """An op whose result has a range of its own in i8."""
        y = Tensor('%s%d' % (kind.lower(), len(self.ops)), x.shape, self.dtype, 0.5)
        if self.dtype == 'i8':
            y.scale, y.zero = scale, zero
        self.add(y, quant=self.quant(y))
        return self.op(kind, [x], [y], **attrs)

    def softmax(self, x):
        return self.fixed('SOFTMAX', x, 1 / 256, -128, beta=1.0)

    def finish(self, *outputs):
        names = {t.name for t in outputs}
        for t in self.tensors:
            if t['name'] in names:
                t['role'] = 'output'
        return self


def window(shape, kernel, stride, pad):
    return [-(-shape[1 + k] // stride[k]) if pad == 'SAME'
            else (shape[1 + k] - kernel[k]) // stride[k] + 1 for k in (0, 1)]


def kws(dtype):
    """DS-CNN of the keyword spotting benchmark."""
    n = Net('DS-CNN keyword spotting', dtype)
    act = 'RELU' if dtype == 'i8' else 'RELU6'  # keeps floats from growing
    x = n.conv(n.input([1, 49, 10, 1]), 64, (10, 4), (2, 2), activation=act)
    for _ in range(4):
        x = n.depthwise(x, (3, 3), activation=act)
        x = n.conv(x, 64, (1, 1), activation=act)
    x = n.reshape(n.pool(x, 'AVERAGE_POOL_2D', (25, 5)), [1, 64])
    return n.finish(n.softmax(n.fully_connected(x, 12)))


def resnet8(dtype):
    """ResNet of the image classification benchmark."""
    n = Net('ResNet8 image classification', dtype)
    x = n.conv(n.input([1, 32, 32, 3]), 16, (3, 3))
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        y = n.conv(x, channels, (3, 3), (stride, stride))
        y = n.conv(y, channels, (3, 3), activation='NONE')
        if stride != 1:
            x = n.conv(x, channels, (1, 1), (stride, stride), activation='NONE')
        x = n.binary('ADD', x, y, 'RELU')
    x = n.reshape(n.pool(x, 'AVERAGE_POOL_2D', (8, 8)), [1, 64])
    return n.finish(n.softmax(n.fully_connected(x, 10)))


def vww(dtype):
    """MobileNetV1 of width 0.25 of the visual wake words benchmark."""
    n = Net('MobileNetV1 0.25 visual wake words', dtype)
    x = n.conv(n.input([1, 96, 96, 3]), 8, (3, 3), (2, 2))
    for channels, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1),
                             (128, 1), (128, 1), (128, 1), (128, 1), (256, 2), (256, 1)):
        x = n.depthwise(x, (3, 3), (stride, stride))
        x = n.conv(x, channels, (1, 1))
    x = n.reshape(n.pool(x, 'AVERAGE_POOL_2D', (3, 3)), [1, 256])
    return n.finish(n.softmax(n.fully_connected(x, 2)))


def ad(dtype):
    """Autoencoder of the anomaly detection benchmark."""
    n = Net('autoencoder anomaly detection', dtype)
    x = n.input([1, 640])
    for units in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        x = n.fully_connected(x, units, 'RELU')
    return n.finish(n.fully_connected(x, 640))


def wake(dtype):
    """One-dimensional DS-CNN over a stream of frames, as wake word nets are."""
    n = Net('streaming wake word', dtype)
    x = n.depthwise(n.input([1, 30, 1, 40]), (3, 1), pad='VALID', activation='NONE')
    x = n.conv(x, 128, (1, 1), pad='VALID')
    for taps, channels in ((5, 128), (10, 128), (15, 32)):
        x = n.depthwise(x, (taps, 1), pad='VALID', activation='NONE')
        x = n.conv(x, channels, (1, 1), pad='VALID')
    return n.finish(n.softmax(n.fully_connected(n.reshape(x, [1, 32]), 3)))


def residual(dtype):
    """Two skips of different length over one value, which both operands of an add reach."""
    n = Net('residual', dtype)
    a = n.conv(n.input([1, 8, 8, 4]), 8, (3, 3))
    b = n.conv(a, 8, (3, 3))
    c = n.binary('ADD', a, b)
    d = n.depthwise(c, (3, 3))
    e = n.binary('ADD', d, a, 'RELU')
    return n.finish(n.binary('ADD', e, c))


def branches(dtype):
    """Parallel branches that are concatenated, and a value with readers in all of them."""
    n = Net('branches', dtype)
    x = n.conv(n.input([1, 12, 12, 3]), 8, (3, 3))
    one = n.conv(x, 8, (1, 1))
    three = n.conv(n.conv(x, 4, (1, 1)), 8, (3, 3))
    pool = n.conv(n.pool(x, 'MAX_POOL_2D', (3, 3), (1, 1), 'SAME'), 8, (1, 1))
    for t in n.tensors:  # a concatenation wants one scale
        if t['name'] in (three.name, pool.name) and dtype == 'i8':
            t['quantization'] = n.quant(one)
    three.scale, pool.scale = one.scale, one.scale
    y = n.activation('concat', [1, 12, 12, 24], one.rms, like=one)
    y = n.op('CONCATENATION', [one, three, pool], [y], axis=3, activation='NONE')
    z = n.conv(y, 6, (1, 1), (2, 2), activation='NONE')
    return n.finish(z, n.pool(y, 'AVERAGE_POOL_2D', (12, 12)))


def two_outputs(dtype):
    """A value that is an output and is read again."""
    n = Net('two outputs', dtype)
    x = n.conv(n.input([1, 6, 6, 2]), 4, (3, 3), activation='NONE')
    y = n.unary('RELU', x)
    return n.finish(x, n.binary('MUL', y, x))


def batch_norm(dtype):
    """Convolutions with normalisations behind them, in two branches."""
    n = Net('batch normalisation', dtype)
    x = n.batch_norm(n.conv(n.input([1, 10, 8, 3]), 8, (3, 3), activation='NONE'))
    x = n.unary('RELU', x, x.rms / math.sqrt(2))
    y = n.batch_norm(n.depthwise(x, (3, 3), activation='NONE'))
    y = n.batch_norm(n.conv(y, 8, (1, 1), activation='NONE'))
    return n.finish(n.binary('ADD', x, y, 'RELU'))


def layer_norm(dtype):
    """The two halves of a transformer's block that need no attention."""
    n = Net('layer normalisation', dtype)
    x = n.input([1, 12, 16])
    y = n.unary('TANH', n.layer_norm(x), 0.6)
    z = n.layer_norm(n.binary('ADD', y, x))
    flat = n.fully_connected(n.reshape(z, [12, 16]), 24, 'RELU')
    return n.finish(n.layer_norm(n.fully_connected(flat, 16)))


def layer_norm_parts(dtype):
    """What converters to TFLite make of a layer normalisation."""
    n = Net('layer normalisation in parts', dtype)
    x, rows = n.input([1, 12, 16]), [1, 12, 1]
    axes = n.integers('axes', [2])
    mean = n.ranged('mean', rows, -0.6, 0.6)
    n.op('MEAN', [x, axes], [mean], keep_dims=True)
    squares = n.ranged('squares', x.shape, 0, 2.6)
    n.op('SQUARED_DIFFERENCE', [x, mean], [squares])
    variance = n.ranged('variance', rows, 0, 0.7)
    n.op('MEAN', [squares, axes], [variance], keep_dims=True)
    epsilon = n.ranged('epsilon', [1], 0, 0.001, 'const', {'values': [127]})
    shifted = n.ranged('variance + epsilon', rows, 0, 0.7)
    n.op('ADD', [variance, epsilon], [shifted], activation='NONE')
    inverse = n.ranged('1 / deviation', rows, 0, 2.8)
    n.op('RSQRT', [shifted], [inverse])
    gamma = n.ranged('gamma', [16], 0.5, 1.5, 'const', n.next_seed())
    scale = n.ranged('scale', x.shape, 0, 4.2)
    n.op('MUL', [inverse, gamma], [scale], activation='NONE')
    scaled = n.ranged('scaled', x.shape, -4, 4)
    n.op('MUL', [x, scale], [scaled], activation='NONE')
    centre = n.ranged('centre', x.shape, -1.5, 1.5)
    n.op('MUL', [mean, scale], [centre], activation='NONE')
    beta = n.ranged('beta', [16], -0.5, 0.5, 'const', n.next_seed())
    offset = n.ranged('offset', x.shape, -2, 2)
    n.op('SUB', [beta, centre], [offset], activation='NONE')
    y = n.ranged('normalised', x.shape, -4, 4)
    return n.finish(n.op('ADD', [scaled, offset], [y], activation='NONE'))


def single(dtype, kind):
    """One op, or what it needs around it."""
    n = Net(kind, dtype)
    if kind == 'ADD':
        return n.finish(n.binary('ADD', n.input([1, 5, 4, 3], 'a'), n.input([1, 5, 4, 3], 'b')))
    if kind == 'MUL':
        return n.finish(n.binary('MUL', n.input([1, 5, 4, 3], 'a'), n.input([3], 'b'), 'RELU'))
    if kind == 'CONV_2D':
        return n.finish(n.conv(n.input([1, 9, 7, 3]), 5, (3, 2), (2, 1)))
    if kind == 'DEPTHWISE_CONV_2D':
        return n.finish(n.depthwise(n.input([1, 9, 7, 4]), (3, 3), (2, 2)))
    if kind == 'FULLY_CONNECTED':
        return n.finish(n.fully_connected(n.input([3, 17]), 6, 'RELU'))
    if kind in ('AVERAGE_POOL_2D', 'MAX_POOL_2D'):
        return n.finish(n.pool(n.input([1, 9, 8, 3]), kind, (3, 2), (2, 2), 'SAME'))
    x = n.input([2, 6, 5, 3])
    if kind == 'MEAN':
        axes = n.integers('axes', [1, 2])
        y = n.activation('mean', [2, 1, 1, 3], x.rms / math.sqrt(30))
        return n.finish(n.op('MEAN', [x, axes], [y], keep_dims=True))
    if kind == 'PAD':
        pads = n.add(Tensor('paddings', [4, 2], 'i32'), 'const',
                     data={'values': [0, 0, 1, 2, 0, 1, 0, 0]})
        y = n.activation('pad', [2, 9, 6, 3], x.rms, like=x)
        return n.finish(n.op('PAD', [x, pads], [y]))
    if kind == 'RESHAPE':
        return n.finish(n.reshape(x, [6, 30]))
    if kind == 'SOFTMAX':
        return n.finish(n.softmax(n.reshape(x, [12, 15])))
    if kind == 'TRANSPOSE':
        perm = n.integers('perm', [0, 3, 1, 2])
        y = n.activation('transpose', [2, 3, 6, 5], x.rms, like=x)
        return n.finish(n.op('TRANSPOSE', [x, perm], [y]))
    if kind in ('RELU', 'RELU6'):
        return n.finish(n.unary(kind, x, like=x))
    if kind == 'LOGISTIC':
        return n.finish(n.fixed(kind, x, 1 / 256, -128))
    if kind == 'TANH':
        return n.finish(n.fixed(kind, x, 1 / 128, 0))
    raise ValueError(kind)


def convert(to):
    """QUANTIZE of floats, or DEQUANTIZE back to them."""
    kind = 'QUANTIZE' if to == 'i8' else 'DEQUANTIZE'
    n = Net(kind, 'f32' if to == 'i8' else 'i8')
    x = n.input([3, 4, 5])
    y = Tensor('output', x.shape, to)
    if to == 'i8':
        y.scale, y.zero = f32(1 / 120), 3
    n.add(y, quant=n.quant(y))
    return n.finish(n.op(kind, [x], [y]))


def text(net):
    """One tensor and one op a line."""
    def lines(items):
        return '[\n    ' + ',\n    '.join(json.dumps(i) for i in items) + '\n  ]'

    return '{\n  "format": "tenure.graph/1",\n  "name": %s,\n  "tensors": %s,\n  "ops": %s\n}\n' % (
        json.dumps(net.name), lines(net.tensors), lines(net.ops))


KINDS = ('ADD', 'MUL', 'AVERAGE_POOL_2D', 'MAX_POOL_2D', 'CONV_2D', 'DEPTHWISE_CONV_2D',
         'FULLY_CONNECTED', 'MEAN', 'PAD', 'RESHAPE', 'SOFTMAX', 'TRANSPOSE', 'RELU',
         'RELU6', 'LOGISTIC', 'TANH')


def all_graphs():
    for make in (kws, resnet8, vww, ad, wake, residual, branches, two_outputs):
        yield make.__name__ + '_i8', make('i8')
    for make in (kws, residual, branches):
        yield make.__name__ + '_f32', make('f32')
    for kind in KINDS:
        for dtype in ('i8', 'f32'):
            yield 'op_%s_%s' % (kind.lower(), dtype), single(dtype, kind)
    for make in (batch_norm, layer_norm):
        yield make.__name__ + '_f32', make('f32')
    yield 'layer_norm_i8', layer_norm_parts('i8')
    yield 'op_quantize', convert('i8')
    yield 'op_dequantize', convert('f32')


def main(graphs=all_graphs, kind='graphs'):
    args = arguments.read(sys.modules['__main__'].__doc__, os.path.join(
        os.path.dirname(os.path.abspath(__file__)), '..', 'fixtures', kind))
    stale = []
    os.makedirs(args.folder, exist_ok=True)
    for name, net in graphs():
        path = os.path.join(args.folder, name + '.json')
        if not args.check:
            with open(path, 'w') as f:
                f.write(text(net))
        elif not os.path.exists(path) or open(path).read() != text(net):
            stale.append(path)
    if stale:
        sys.exit('not what the script makes: ' + ', '.join(stale))


if __name__ == '__main__':
    main()

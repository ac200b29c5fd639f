#!/usr/bin/env python3
"""Makes the graphs of fixtures/rewrites: for each rewrite one graph that it changes and
near misses that it must leave. The nets come from make_fixtures.py."""
import make_fixtures
from make_fixtures import Net, Tensor, f32, number


class Small(Net):
    """A net with what models do not need: pads, clamps, transposes by hand."""

    def pad(self, x, rows, kind='PAD'):
        to = self.integers('pad%d/paddings' % len(self.ops),
                           [0, 0, rows, rows, rows, rows, 0, 0])
        self.tensors[-1]['shape'] = [4, 2]
        b, h, w, c = x.shape
        y = self.activation('pad%d' % len(self.ops), [b, h + 2 * rows, w + 2 * rows, c],
                            x.rms, like=x)
        return self.op(kind, [x, to], [y])

    def same(self, kind, x, **attrs):
        """One operand, the same scale."""
        return self.unary(kind, x, like=x, **attrs)

    def transpose(self, x, perm):
        y = self.activation('transpose%d' % len(self.ops), [x.shape[p] for p in perm],
                            x.rms, like=x)
        return self.op('TRANSPOSE', [x, self.integers(y.name + '/perm', perm)], [y])

    def mean(self, x):
        name = 'mean%d' % len(self.ops)
        y = self.activation(name, [x.shape[0], 1, 1, x.shape[3]], x.rms, like=x)
        return self.op('MEAN', [x, self.integers(name + '/axes', [1, 2])], [y],
                       keep_dims=True)

    def floats(self, name, shape, values):
        return self.add(Tensor(name, shape, 'f32'), 'const', data={'values': values})

    def real(self, name, shape):
        return self.add(Tensor(name, shape, 'f32'))

    def to_float(self, x):
        return self.op('DEQUANTIZE', [x], [self.real('real%d' % len(self.ops), x.shape)])

    def to_bytes(self, x, like=None, scale=None, zero=0):
        y = Tensor('bytes%d' % len(self.ops), x.shape, 'i8', x.rms,
                   like.scale if like else scale, like.zero if like else zero)
        self.add(y, quant=self.quant(y))
        return self.op('QUANTIZE', [x], [y])

    def float_op(self, kind, inputs, shape, **attrs):
        return self.op(kind, inputs, [self.real('%s%d' % (kind.lower(), len(self.ops)),
                                                shape)], **attrs)

    def float_weights(self, name, shape, axis, step):
        """Multiples of a step for each channel, as dequantised weights are."""
        n = 1
        for d in shape:
            n *= d
        inner = 1
        for d in shape[axis + 1:]:
            inner *= d
        steps = [f32(step * self.random(0.6, 1.4)) for _ in range(shape[axis])]
        values = [number(f32(steps[i // inner % shape[axis]] *
                             round(self.random(-127, 127)))) for i in range(n)]
        return self.floats(name, shape, values)

    def zero_weights(self, conv, channels_out=(), channels_in=()):
        """Replaces the seeded weights of an op by numbers, zero for some channels."""
        entry = next(t for t in self.tensors if t['name'] == conv.name + '/filter')
        o, h, w, c = ([entry['shape'][0], 1, 1, entry['shape'][1]]
                      if len(entry['shape']) == 2 else entry['shape'])
        depthwise = o == 1 and len(entry['quantization']['scale']) == c > 1
        values = []
        for a in range(o):
            for tap in range(h * w):
                for b in range(c):
                    out = b if depthwise else a
                    gone = out in channels_out or (not depthwise and b in channels_in)
                    values.append(0 if gone else int(self.random(-127, 127)))
        entry['data'] = {'values': values}


def pad_conv(dtype):
    n = Small('pad_conv', dtype)
    x = n.conv(n.input([1, 7, 6, 3]), 4, (1, 1))
    return n.finish(n.conv(n.pad(x, 1), 5, (3, 3), (2, 2), 'VALID'))


def pad_depthwise(dtype):
    n = Small('pad_depthwise', dtype)
    x = n.conv(n.input([1, 8, 8, 3]), 4, (1, 1), activation='NONE')
    return n.finish(n.depthwise(n.pad(x, 1), (3, 3), (2, 2), 'VALID'))


def pad_max_pool(dtype):
    n = Small('pad_max_pool', dtype)
    x = n.conv(n.input([1, 6, 6, 2]), 3, (1, 1), activation='RELU6')
    return n.finish(n.pool(n.pad(x, 1), 'MAX_POOL_2D', (3, 3), (1, 1)))


def pad_max_pool_left(dtype):
    n = Small('pad_max_pool_left', dtype)
    x = n.conv(n.input([1, 6, 6, 2]), 3, (1, 1), activation='NONE')
    return n.finish(n.pool(n.pad(x, 1), 'MAX_POOL_2D', (3, 3), (1, 1)))


def pad_average_left(dtype):
    n = Small('pad_average_left', dtype)
    x = n.conv(n.input([1, 6, 6, 2]), 3, (1, 1))
    return n.finish(n.pool(n.pad(x, 1), 'AVERAGE_POOL_2D', (3, 3), (1, 1)))


def pad_two_readers_left(dtype):
    n = Small('pad_two_readers_left', dtype)
    x = n.pad(n.conv(n.input([1, 6, 6, 3]), 4, (1, 1)), 1)
    return n.finish(n.conv(x, 4, (3, 3), pad='VALID'), n.pool(x, 'MAX_POOL_2D', (2, 2)))


def clamp(dtype):
    n = Small('clamp', dtype)
    a = n.same('RELU6', n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE'))
    b = n.same('RELU', n.binary('ADD', a, n.depthwise(a, (3, 3), activation='NONE')))
    return n.finish(n.same('RELU', b))


def clamp_two_readers_left(dtype):
    n = Small('clamp_two_readers_left', dtype)
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    return n.finish(n.same('RELU', x), n.pool(x, 'MAX_POOL_2D', (2, 2)))


def clamp_output_left(dtype):
    n = Small('clamp_output_left', dtype)
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    return n.finish(x, n.same('RELU', x))


def clamp_scale_left(dtype):
    n = Small('clamp_scale_left', dtype)
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    return n.finish(n.unary('RELU', x))


def leaky_left(dtype):
    n = Small('leaky_left', dtype)
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    return n.finish(n.same('LEAKY_RELU', x, alpha=0.25))


def dead_reader(dtype):
    """RELU may not write over the sum while a dead op still reads it."""
    n = Small('dead_reader', dtype)
    x = n.input([1, 6, 6, 3])
    y = n.binary('MUL', x, x)
    z = n.unary('TANH', y) if dtype == 'f32' else n.fixed('TANH', y, 1 / 128, 0)
    n.same('ABS', n.same('ABS', y))
    return n.finish(z)


def identities(dtype):
    n = Small('identities', dtype)
    x = n.conv(n.input([1, 5, 4, 3]), 4, (3, 3))
    x = n.transpose(x, [0, 1, 2, 3])
    x = n.reshape(x, list(x.shape))
    x = n.pad(x, 0)
    x = n.op('CONCATENATION', [x], [n.activation('one', x.shape, x.rms, like=x)], axis=3)
    return n.finish(n.conv(x, 2, (1, 1)))


def reshapes(dtype):
    n = Small('reshapes', dtype)
    x = n.conv(n.input([1, 4, 1, 3]), 4, (3, 1))
    x = n.transpose(x, [0, 2, 1, 3])  # moves a dimension of 1
    x = n.reshape(x, [4, 4])
    x = n.op('EXPAND_DIMS', [x, n.integers('axis', [0])],
             [n.activation('expanded', [1, 4, 4], x.rms, like=x)])
    return n.finish(n.softmax(n.reshape(x, [1, 16])))


def commuted(dtype, swap):
    n = Small('commuted', dtype)
    x = n.input([1, 4, 4, 3])
    a = n.conv(x, 4, (3, 3))
    b = n.conv(x, 4, (1, 1), activation='NONE')
    y = n.activation('sum', a.shape, 1.0)
    return n.finish(n.op('ADD', [b, a] if swap else [a, b], [y], activation='NONE'))


def minus_left(dtype):
    n = Small('minus_left', dtype)
    x = n.input([1, 4, 4, 3])
    a, b = n.conv(x, 4, (3, 3)), n.conv(x, 4, (1, 1))
    y = n.activation('difference', a.shape, 1.0)
    return n.finish(n.op('SUB', [b, a], [y], activation='NONE'))


def constants():
    n = Small('constants', 'f32')
    x = n.input([1, 8])
    k = n.floats('k', [8], [0.5, -1.0, 2.0, 0.25, 4.0, -8.0, 1.0, 3.0])
    k = n.op('NEG', [k], [n.real('negated', [8])])
    k = n.op('RELU', [k], [n.real('clamped', [8])])
    return n.finish(n.binary('ADD', x, k))


def large_constant_left():
    n = Small('large_constant_left', 'f32')
    x = n.input([1, 256, 128, 1])
    k = n.floats('k', [1, 1, 1, 1], [0.5])
    k = n.op('BROADCAST_TO', [k, n.integers('to', [1, 256, 128, 1])],
             [n.real('spread', [1, 256, 128, 1])])
    return n.finish(n.binary('ADD', x, k))


def common(dtype):
    n = Small('common', dtype)
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), activation='NONE')
    a, b = n.same('RELU', x), n.same('RELU', x)
    c, d = n.same('RELU6', x), n.same('RELU6', x)
    return n.finish(n.binary('MUL', a, c), n.binary('ADD', b, d))


def common_left(dtype):
    n = Small('common_left', dtype)
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), activation='NONE')
    a, b = n.same('LEAKY_RELU', x, alpha=0.25), n.same('LEAKY_RELU', x, alpha=0.5)
    return n.finish(n.binary('ADD', a, b))


def transposes(dtype):
    n = Small('transposes', dtype)
    x = n.conv(n.input([1, 5, 4, 3]), 4, (3, 3), activation='NONE')
    x = n.transpose(x, [0, 3, 1, 2])
    x = n.same('RELU', n.same('ABS', x))
    return n.finish(n.conv(n.transpose(x, [0, 2, 3, 1]), 3, (1, 1)))


def transpose_left(dtype):
    n = Small('transpose_left', dtype)
    x = n.conv(n.input([1, 5, 4, 3]), 4, (3, 3), activation='NONE')
    return n.finish(n.same('ABS', n.transpose(x, [0, 3, 1, 2])))


def transposed_operands():
    """A matrix product reads transposed operands by columns; RELU lies between."""
    n = Small('transposed_operands', 'i8')
    a, b = n.input([2, 6, 4], 'a'), n.input([2, 5, 6], 'b')
    a = n.same('ABS', n.transpose(a, [0, 2, 1]))
    b = n.transpose(b, [0, 2, 1])
    return n.finish(n.op('BATCH_MATMUL', [a, b], [n.activation('product', [2, 4, 5], 0.8)],
                         adj_x=False, adj_y=False))


def transposed_rows(dtype):
    """Channels first, then a layer: as exports from such frameworks end."""
    left = dtype == 'f32'
    n = Small('transposed_rows_left' if left else 'transposed_rows', dtype)
    x = n.conv(n.input([1, 4, 3, 3]), 5, (3, 3))
    x = n.same('ABS', n.transpose(x, [0, 3, 1, 2]))
    return n.finish(n.fully_connected(n.reshape(x, [1, 60]), 4))


def transposed_sum(left=False):
    """Both operands are transposed alike, or not."""
    n = Small('transposed_sum_left' if left else 'transposed_sum', 'i8')
    x = n.input([1, 4, 4, 4])
    a = n.transpose(n.conv(x, 4, (3, 3)), [0, 3, 1, 2])
    b = n.transpose(n.conv(x, 4, (1, 1)), [0, 3, 2, 1] if left else [0, 3, 1, 2])
    y = n.binary('ADD', a, b, 'RELU')
    return n.finish(y) if left else n.finish(n.conv(n.transpose(y, [0, 2, 3, 1]), 3, (1, 1)))


def transpose_narrow():
    """Channels first and floats, as such frameworks hand them over: bytes are transposed."""
    n = Small('transpose_narrow', 'f32')
    x = n.input([1, 3, 8, 8])
    y = n.activation('last', [1, 8, 8, 3], 1.0)
    n.op('TRANSPOSE', [x, n.integers('perm', [0, 2, 3, 1])], [y])
    n.dtype = 'i8'
    return n.finish(n.conv(n.to_bytes(y, scale=f32(1 / 128)), 4, (3, 3), (2, 2)))


def transpose_wide():
    """Bytes are transposed before they become floats."""
    n = Small('transpose_wide', 'i8')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3))
    y = n.op('CAST', [x], [n.real('wide', x.shape)])
    z = n.op('TRANSPOSE', [y, n.integers('perm', [0, 3, 1, 2])], [n.real('first', [1, 4, 6, 6])])
    return n.finish(n.float_op('ABS', [z], z.shape))


def transposed_channels(dtype, left=False):
    """A scale for each channel, a border and a mean between channels first and last. Left:
    the floats would be summed in another order."""
    n = Small('transposed_channels_left' if left else 'transposed_channels', dtype)
    x = n.transpose(n.conv(n.input([1, 6, 5, 3]), 4, (3, 3)), [0, 3, 2, 1] if left else
                    [0, 3, 1, 2])
    if left:
        return n.finish(n.op('SUM', [x, n.integers('axes', [2, 3])],
                             [n.activation('sum', [1, 4], 1.0)], keep_dims=False))
    k = n.add(Tensor('scales', [4, 1, 1], 'f32', 1.0), 'const', data={'seed': 3}) \
        if dtype == 'f32' else Tensor('scales', [4, 1, 1], 'i8', 1.0, f32(0.0125), 0)
    if dtype == 'i8':
        n.add(k, 'const', n.quant(k), {'values': [80, -60, 100, 40]})
    x = n.op('MUL', [x, k], [n.activation('scaled', x.shape, 0.5)], activation='NONE')
    to = n.integers('border', [0, 0, 0, 0, 1, 0, 0, 2])
    n.tensors[-1]['shape'] = [4, 2]
    x = n.op('PAD', [x, to], [n.activation('padded', [1, 4, 7, 7], x.rms, like=x)])
    y = n.transpose(x, [0, 2, 3, 1])
    return n.finish(n.conv(y, 3, (3, 3), pad='VALID'))


def transposed_mean(dtype):
    """What is left of the transpose behind the mean is nothing."""
    n = Small('transposed_mean', dtype)
    x = n.transpose(n.conv(n.input([1, 6, 5, 3]), 4, (3, 3)), [0, 3, 1, 2])
    y = n.op('MEAN', [x, n.integers('axes', [2, 3])],
             [n.activation('mean', [1, 4], 0.5, like=x)], keep_dims=False)
    return n.finish(n.fully_connected(y, 3))


def mean_left():
    """A mean and a pool round otherwise, so the clamp stays."""
    n = Small('mean_left', 'i8')
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), pad='VALID', activation='NONE')
    return n.finish(n.same('RELU', n.mean(x)))


def mean_left_f32():
    """A sum may overflow, and a pool would cut it."""
    n = Small('mean_left', 'f32')
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), pad='VALID', activation='NONE')
    return n.finish(n.same('RELU', n.mean(x)))


def mean_pool():
    """Three pixels: the mean and the pool are one value, computed twice."""
    n = Small('mean_pool', 'i8')
    x = n.conv(n.input([1, 1, 3, 3]), 8, (1, 1), activation='NONE')
    return n.finish(n.binary('ADD', n.mean(x), n.pool(x, 'AVERAGE_POOL_2D', (1, 3))))


def mean_pool_f32():
    """Between -1 and 1 nothing overflows: a pool, which clamps as well."""
    n = Small('mean_pool', 'f32')
    x = n.conv(n.input([1, 5, 4, 3]), 4, (3, 3), activation='NONE')
    return n.finish(n.same('RELU', n.mean(n.same('TANH', x))))


def mean_of_one():
    """A mean of one pixel and a pool of one: nothing but other shapes, so nobody copies
    what the sum still needs."""
    n = Small('mean_of_one', 'i8')
    x = n.conv(n.input([1, 1, 1, 8]), 32, (1, 1), activation='NONE')
    y = n.pool(n.mean(x), 'MAX_POOL_2D', (1, 1))
    return n.finish(n.conv(y, 8, (1, 1)), n.conv(x, 8, (1, 1)))


def shape_reader():
    """TANH may not write over the product while its shape is asked for: which is known."""
    n = Small('shape_reader', 'i8')
    x = n.input([1, 6, 6, 3])
    y = n.binary('MUL', x, x)
    z = n.fixed('TANH', y, 1 / 128, 0)
    s = n.op('SHAPE', [y], [n.add(Tensor('shape', [4], 'i32'))])
    one = n.integers('one', [1, 1, 1, 1])
    return n.finish(z, n.op('ADD', [s, one], [n.add(Tensor('more', [4], 'i32'))],
                            activation='NONE'))


def round_trip(other):
    n = Small('round_trip_left' if other else 'round_trip', 'i8')
    x = n.conv(n.input([1, 5, 4, 3]), 4, (3, 3))
    real = n.to_float(x)
    y = n.activation('again', x.shape, 1.0, like=None if other else x)
    n.op('QUANTIZE', [real], [y])
    return n.finish(n.conv(y, 3, (1, 1)))


def dead_channels():
    n = Small('dead_channels', 'i8')
    a = n.conv(n.input([1, 8, 8, 3]), 8, (1, 1))
    b = n.depthwise(a, (3, 3))
    c = n.pool(b, 'AVERAGE_POOL_2D', (2, 2))
    d = n.conv(c, 6, (1, 1))
    e = n.depthwise(d, (3, 3), activation='NONE')
    f = n.conv(e, 4, (1, 1))
    n.zero_weights(a, channels_out=(1, 5))
    n.zero_weights(b, channels_out=(1, 2))
    n.zero_weights(d, channels_in=(0, 6))
    n.zero_weights(e, channels_out=(3,))
    n.zero_weights(f, channels_in=(5,))
    return n.finish(f)


def dead_channels_left():
    """The constant is not the zero point and meets padding; another reader needs all."""
    n = Small('dead_channels_left', 'i8')
    a = n.conv(n.input([1, 6, 6, 3]), 5, (1, 1), activation='NONE')
    b = n.conv(a, 4, (3, 3))
    n.zero_weights(a, channels_out=(2,))
    c = n.conv(b, 4, (1, 1))
    n.zero_weights(b, channels_out=(1,))
    return n.finish(c, n.same('ABS', b))


def dead_channels_residual():
    """An addition of two tensors of the same channels. Channel 2 is constant on both sides,
    5 is read by nobody; of 3 and 6 only one side is constant, 4 has one reader."""
    n = Small('dead_channels_residual', 'i8')
    a = n.conv(n.input([1, 8, 8, 3]), 8, (3, 3))
    b = n.conv(a, 8, (1, 1), activation='NONE')
    k = Tensor('factors', [8], 'i8', 1.0, f32(0.0125), 0)
    n.add(k, 'const', n.quant(k), {'values': [80, 60, 100, 40, 90, 70, 110, 50]})
    c = n.op('MUL', [b, k], [n.activation('normed', b.shape, 1.0)], activation='NONE')
    d = n.binary('ADD', a, c, 'RELU')
    e = n.conv(d, 4, (1, 1))
    f = n.op('MEAN', [d, n.integers('axes', [1, 2])],
             [n.activation('mean', [1, 8], 0.5, like=d)], keep_dims=False)
    g = n.fully_connected(f, 3)
    n.zero_weights(a, channels_out=(2, 3))
    n.zero_weights(b, channels_out=(2, 6), channels_in=(5,))
    n.zero_weights(e, channels_in=(4, 5))
    n.zero_weights(g, channels_in=(5,))
    return n.finish(e, g)


def batch_norm():
    n = Small('batch_norm', 'f32')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    scale = n.floats('scale', [4], [0.5, 1.5, -0.25, 2.0])
    shift = n.floats('shift', [4], [1.0, -1.0, 0.125, 0.0])
    y = n.op('MUL', [x, scale], [n.real('scaled', x.shape)], activation='NONE')
    y = n.op('ADD', [y, shift], [n.real('shifted', x.shape)], activation='NONE')
    return n.finish(n.op('RELU', [y], [n.real('result', x.shape)]))


def conv_bn_relu(left=False):
    """A batch norm between a convolution and its activation; another op reads its input."""
    n = Small('conv_bn_relu_left' if left else 'conv_bn_relu', 'f32')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    k = [n.floats(name, [4], values) for name, values in (
        ('scale', [0.5, 1.5, -0.25, 2.0]), ('offset', [1.0, -1.0, 0.125, 0.0]),
        ('mean', [0.25, -0.5, 0.0, 1.0]), ('variance', [1.0, 0.25, 2.0, 0.5]))]
    y = n.op('BATCH_NORM', [x, *k], [n.real('normed', x.shape)], epsilon=0.001)
    y = n.op('RELU', [y], [n.real('result', x.shape)])
    return n.finish(y, n.same('ABS', x)) if left else n.finish(y)


def scale_ahead(left=False):
    """A batch norm in front of a layer alone: what it reads is needed later, so it would
    write elsewhere. Left: its shift would meet padding."""
    n = Small('scale_ahead_left' if left else 'scale_ahead', 'f32')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3))
    x = n.same('ABS', x) if left else x
    values = lambda name, lo, hi: n.floats(name, [4], [number(f32(n.random(lo, hi)))
                                                       for _ in range(4)])
    y = n.activation('norm', x.shape, 1.0)
    n.op('BATCH_NORM', [x, values('gamma', 0.5, 1.5), values('beta', -0.2, 0.2),
                        values('mean', -0.1, 0.1), values('variance', 0.5, 1.5)], [y])
    y = n.conv(y, 1, (3, 3) if left else (1, 1), activation='NONE')
    return n.finish(y, n.same('ABS', x))


def scale_ahead_layers():
    """A scale without a shift may meet padding; a shift in front of a layer of rows."""
    n = Small('scale_ahead_layers', 'f32')
    x = n.conv(n.input([1, 4, 4, 3]), 4, (3, 3))
    values = lambda name, lo, hi: n.floats(name, [4], [number(f32(n.random(lo, hi)))
                                                       for _ in range(4)])
    y = n.binary('MUL', x, n.add(Tensor('scales', [4], 'f32', 1.0), 'const',
                                 data={'seed': 11}))
    y = n.pool(n.depthwise(y, (3, 3), activation='RELU'), 'MAX_POOL_2D', (4, 4))
    z = n.op('BATCH_NORM', [y, values('gamma', 0.5, 1.5), values('beta', -0.2, 0.2),
                            values('mean', -0.1, 0.1), values('variance', 0.5, 1.5)],
             [n.activation('norm', y.shape, 1.0)])
    return n.finish(n.fully_connected(z, 5))


def matmul(dtype, bias=True):
    n = Small('matmul' if bias else 'matmul_left', dtype)
    x = n.input([2, 6])
    w = Tensor('w', [6, 5], dtype)
    n.add(w, 'const', {'scale': 0.01, 'zero_point': 3} if dtype == 'i8' else None,
          n.next_seed())
    y = n.op('BATCH_MATMUL', [x, w], [n.activation('product', [2, 5], 0.6)])
    if not bias or dtype == 'i8':
        return n.finish(y)
    b = n.floats('b', [5], [0.5, -1.0, 0.25, 2.0, 0.0])
    return n.finish(n.op('ADD', [b, y], [n.real('sum', [2, 5])], activation='RELU'))


def gemm():
    n = Small('gemm', 'f32')
    x = n.input([2, 6])
    w = n.add(Tensor('w', [6, 5], 'f32'), 'const', data=n.next_seed())
    b = n.floats('b', [5], [0.5, -1.0, 0.25, 2.0, 0.0])
    y = n.op('Gemm', [x, w, b], [n.real('product', [2, 5])], alpha=1.0, beta=1.0,
             transA=0, transB=0)
    return n.finish(n.op('FULLY_CONNECTED', [y, n.add(
        Tensor('v', [3, 5], 'f32'), 'const', data=n.next_seed())],
        [n.real('last', [2, 3])], activation='NONE', keep_num_dims=False))


def matmul_two_readers_left():
    n = Small('matmul_two_readers_left', 'f32')
    x = n.input([2, 6])
    w = n.add(Tensor('w', [6, 5], 'f32'), 'const', data=n.next_seed())
    y = n.op('BATCH_MATMUL', [x, w], [n.real('product', [2, 5])])
    b = n.floats('b', [5], [0.5, -1.0, 0.25, 2.0, 0.0])
    return n.finish(n.op('ADD', [y, b], [n.real('sum', [2, 5])], activation='NONE'),
                    n.op('ABS', [y], [n.real('abs', [2, 5])]))


def bare_conv(n, x, channels):
    """A float convolution without a bias."""
    w = n.add(Tensor('w%d' % len(n.ops), [channels, 3, 3, x.shape[3]], 'f32'), 'const',
              data=n.next_seed())
    return n.op('CONV_2D', [x, w], [n.real('bare%d' % len(n.ops),
                                           x.shape[:3] + [channels])],
                pad='SAME', stride=[1, 1], dilation=[1, 1], activation='NONE')


def bias(left=False):
    n = Small('bias_left' if left else 'bias', 'f32')
    x = bare_conv(n, n.input([1, 5, 5, 3]), 4)
    b = n.floats('b', [4], [0.5, -1.0, 0.25, 2.0])
    y = n.op('ADD', [x, b], [n.real('sum', x.shape)], activation='RELU6')
    return n.finish(y, n.same('ABS', x)) if left else n.finish(y)


def bias_twice_left():
    n = Small('bias_twice_left', 'f32')
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), activation='NONE')
    b = n.floats('b', [4], [0.5, -1.0, 0.25, 2.0])
    return n.finish(n.op('ADD', [x, b], [n.real('sum', x.shape)], activation='NONE'))


def spelled_clamps():
    """RELU6 as CLIP, RELU as the greater of 0 and x, and two bounds one after the other."""
    n = Small('spelled_clamps', 'f32')
    zero, six = n.floats('zero', [], [0.0]), n.floats('six', [1], [6.0])
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), activation='NONE')
    x = n.op('MAXIMUM', [zero, x], [n.real('relu', x.shape)])
    x = n.conv(x, 4, (3, 3), activation='NONE')
    x = n.op('CLIP', [x, zero, six], [n.real('clip', x.shape)])
    x = n.conv(x, 3, (1, 1), activation='NONE')
    x = n.op('MINIMUM', [six, x], [n.real('least', x.shape)])
    return n.finish(n.op('MAXIMUM', [zero, x], [n.real('both', x.shape)]))


def maximum_left():
    """The greater of x and 0 is 0 for NaN, and +0 for -0: RELU keeps both."""
    n = Small('maximum_left', 'f32')
    zero = n.floats('zero', [], [0.0])
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), activation='NONE')
    return n.finish(n.op('MAXIMUM', [x, zero], [n.real('relu', x.shape)]))


def byte_constant(n, name, value, like):
    t = Tensor(name, [1], 'i8', 1.0, like.scale, like.zero)
    return n.add(t, 'const', n.quant(t), {'values': [value]})


def spelled_clamps_i8():
    n = Small('spelled_clamps', 'i8')
    x = n.conv(n.input([1, 5, 5, 3]), 4, (3, 3), activation='NONE')
    zero = byte_constant(n, 'zero', x.zero, x)
    x = n.op('MAXIMUM', [zero, x], [n.activation('relu', x.shape, x.rms, like=x)])
    # a range in which 6 lies
    y = Tensor('wide', x.shape, 'i8', 1.0, 0.0625, -20)
    n.add(y, quant=n.quant(y))
    x = n.op('ADD', [x, x], [y], activation='NONE')
    x = n.op('MINIMUM', [x, byte_constant(n, 'six', -20 + 96, y)],
             [n.activation('least', x.shape, 1.0, like=y)])
    return n.finish(n.op('MAXIMUM', [x, byte_constant(n, 'none', -20, y)],
                         [n.activation('both', x.shape, 1.0, like=y)]))


def chain(dtype):
    n = Small('chain', dtype)
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    x = n.same('ABS', x)
    x = n.fixed('LOGISTIC', x, 1 / 256, -128)
    return n.finish(n.same('ABS', n.fixed('TANH', x, 1 / 128, 0)))


def chain_two_readers_left():
    n = Small('chain_two_readers_left', 'i8')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    x = n.fixed('LOGISTIC', x, 1 / 256, -128)
    return n.finish(n.fixed('TANH', x, 1 / 128, 0), x)


def requantize_pair():
    """Two requantisations are one."""
    n = Small('requantize_pair', 'i8')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    y = n.unary('QUANTIZE', x, 0.7 * x.rms)
    return n.finish(n.conv(n.unary('QUANTIZE', y, 1.1 * x.rms), 3, (1, 1)))


def fake_quant():
    """What is rounded to the steps of its own scale stays as it is: ABS reads bytes."""
    n = Small('fake_quant', 'i8')
    x = n.input([1, 6, 6, 3])
    y = Tensor('scaled', [1, 6, 6, 3], 'i8', 1.0, f32(1 / 64), 0)
    n.add(y, quant=n.quant(y))
    x = n.op('ADD', [x, x], [y], activation='NONE')
    real = n.to_float(x)
    real = n.float_op('FAKE_QUANT', [real], x.shape, min=-2.0, max=127 / 64, num_bits=8,
                      narrow_range=False)
    real = n.float_op('ABS', [real], x.shape)
    return n.finish(n.to_bytes(real, like=y))


def float_moves():
    """Pooling, a transpose and a concatenation of floats that were bytes."""
    n = Small('float_moves', 'i8')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    real = n.to_float(x)
    y = n.float_op('MAX_POOL_2D', [real], [1, 3, 3, 4], pad='VALID', kernel=[2, 2],
                   stride=[2, 2], activation='NONE')
    z = n.to_bytes(y, like=x)
    w = n.to_bytes(n.float_op('RESHAPE', [real], [1, 4, 9, 4]), like=x)
    return n.finish(n.conv(z, 3, (1, 1)), n.conv(w, 3, (1, 1)))


def float_moves_seen():
    """The float is seen, too: it is made of what the integers gave."""
    n = Small('float_moves_seen', 'i8')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    y = n.float_op('MAX_POOL_2D', [n.to_float(x)], [1, 3, 3, 4], pad='VALID', kernel=[2, 2],
                   stride=[2, 2], activation='NONE')
    return n.finish(n.conv(n.to_bytes(y, like=x), 3, (1, 1)), y)


def qdq_add_seen_left():
    """The float sum is seen, too, and there is no byte that it could be made of."""
    n = Small('qdq_add_seen_left', 'i8')
    a, b = n.input([1, 6, 6, 3], 'a'), n.input([1, 6, 6, 3], 'b')
    y = n.float_op('ADD', [n.to_float(a), n.to_float(b)], a.shape, activation='NONE')
    return n.finish(n.to_bytes(y, scale=f32(0.0137), zero=5), y)


def qdq_binary(kind, name):
    """Integers round a sum as floats do, a product not always."""
    n = Small(name, 'i8')
    a, b = n.input([1, 6, 6, 3], 'a'), n.input([1, 6, 6, 3], 'b')
    y = n.float_op(kind, [n.to_float(a), n.to_float(b)], a.shape, activation='NONE')
    return n.finish(n.to_bytes(y, scale=f32(0.0137), zero=5))


def qdq_net():
    """A net as tools write it that keep floats: every layer between a dequantisation and a
    quantisation, weights dequantised."""
    n = Small('qdq_net', 'i8')
    real = n.to_float(n.input([1, 8, 8, 3]))
    w = n.float_weights('w0', [4, 3, 3, 3], 0, 0.004)
    b = n.floats('b0', [4], [0.25, -0.5, 0.125, 0.0])
    x = n.float_op('CONV_2D', [real, w, b], [1, 8, 8, 4], pad='SAME', stride=[1, 1],
                   dilation=[1, 1], activation='NONE')
    x = n.to_bytes(n.float_op('RELU', [x], x.shape), scale=f32(0.02), zero=-128)
    real = n.to_float(x)
    w = n.float_weights('w1', [1, 3, 3, 4], 3, 0.004)
    x = n.float_op('DEPTHWISE_CONV_2D', [real, w], [1, 8, 8, 4], pad='SAME', stride=[1, 1],
                   dilation=[1, 1], depth_multiplier=1, activation='NONE')
    x = n.to_bytes(x, scale=f32(0.03), zero=3)
    y = n.float_op('ADD', [n.to_float(x), real], x.shape, activation='NONE')
    y = n.to_bytes(y, scale=f32(0.05), zero=-30)
    real = n.float_op('AVERAGE_POOL_2D', [n.to_float(y)], [1, 1, 1, 4], pad='VALID',
                      kernel=[8, 8], stride=[8, 8], activation='NONE')
    y = n.to_bytes(real, like=y)
    real = n.float_op('RESHAPE', [n.to_float(y)], [1, 4])
    y = n.to_bytes(real, like=y)
    w = n.float_weights('w2', [5, 4], 0, 0.01)
    b = n.floats('b2', [5], [0.1, 0.0, -0.25, 0.5, 0.0])
    y = n.float_op('FULLY_CONNECTED', [n.to_float(y), w, b], [1, 5], activation='NONE',
                   keep_num_dims=False)
    return n.finish(n.to_bytes(y, scale=f32(0.04), zero=0))


def qat_net():
    """A float net trained with fake quantisation: it runs on integers when that is allowed."""
    n = Small('qat_net', 'f32')

    def fake(x, low, high):
        return n.float_op('FAKE_QUANT', [x], x.shape, min=low, max=high, num_bits=8,
                          narrow_range=False)

    x = fake(n.input([1, 8, 8, 3]), -1.0, 127 / 128)
    for k, channels in enumerate((4, 6)):
        w = n.float_weights('w%d' % k, [channels, 3, 3, x.shape[3]], 0, 0.004)
        x = n.float_op('CONV_2D', [x, w], [1, 8, 8, channels], pad='SAME', stride=[1, 1],
                       dilation=[1, 1], activation='NONE')
        x = fake(n.float_op('RELU', [x], x.shape), 0.0, 2.0)
    x = fake(n.float_op('AVERAGE_POOL_2D', [x], [1, 1, 1, 6], pad='VALID', kernel=[8, 8],
                        stride=[8, 8], activation='NONE'), 0.0, 2.0)
    w = n.float_weights('w2', [5, 6], 0, 0.01)
    b = n.floats('b2', [5], [0.1, 0.0, -0.25, 0.5, 0.0])
    y = n.float_op('FULLY_CONNECTED', [n.float_op('RESHAPE', [x], [1, 6]), w, b], [1, 5],
                   activation='NONE', keep_num_dims=False)
    return n.finish(fake(y, -4.0, 4.0))


def all_graphs():
    both = (pad_conv, pad_depthwise, pad_max_pool, pad_max_pool_left, pad_average_left,
            pad_two_readers_left, clamp, clamp_two_readers_left, clamp_output_left,
            leaky_left, dead_reader, identities, reshapes, minus_left, common, common_left,
            transposes, transpose_left)
    for make in both:
        yield make.__name__ + '_i8', make('i8')
        yield make.__name__ + '_f32', make('f32')
    yield 'clamp_scale_left_i8', clamp_scale_left('i8')
    yield 'commuted_ab_i8', commuted('i8', False)
    yield 'commuted_ba_i8', commuted('i8', True)
    yield 'constants_f32', constants()
    yield 'large_constant_left_f32', large_constant_left()
    yield 'round_trip_i8', round_trip(False)
    yield 'round_trip_left_i8', round_trip(True)
    yield 'dead_channels_i8', dead_channels()
    yield 'dead_channels_residual_i8', dead_channels_residual()
    yield 'dead_channels_left_i8', dead_channels_left()
    yield 'batch_norm_f32', batch_norm()
    yield 'conv_bn_relu_f32', conv_bn_relu()
    yield 'conv_bn_relu_left_f32', conv_bn_relu(True)
    yield 'scale_ahead_f32', scale_ahead()
    yield 'scale_ahead_left_f32', scale_ahead(True)
    yield 'scale_ahead_layers_f32', scale_ahead_layers()
    yield 'transposed_operands_i8', transposed_operands()
    yield 'transposed_rows_i8', transposed_rows('i8')
    yield 'transposed_rows_left_f32', transposed_rows('f32')
    yield 'transposed_sum_i8', transposed_sum()
    yield 'transposed_sum_left_i8', transposed_sum(True)
    yield 'transpose_narrow_i8', transpose_narrow()
    yield 'transpose_wide_i8', transpose_wide()
    yield 'transposed_channels_i8', transposed_channels('i8')
    yield 'transposed_channels_f32', transposed_channels('f32')
    yield 'transposed_channels_left_f32', transposed_channels('f32', True)
    yield 'transposed_mean_i8', transposed_mean('i8')
    yield 'transposed_mean_f32', transposed_mean('f32')
    yield 'mean_left_i8', mean_left()
    yield 'mean_left_f32', mean_left_f32()
    yield 'mean_pool_i8', mean_pool()
    yield 'mean_pool_f32', mean_pool_f32()
    yield 'mean_of_one_i8', mean_of_one()
    yield 'shape_reader_i8', shape_reader()
    yield 'matmul_f32', matmul('f32')
    yield 'matmul_i8', matmul('i8')
    yield 'matmul_left_f32', matmul('f32', False)
    yield 'matmul_two_readers_left_f32', matmul_two_readers_left()
    yield 'gemm_f32', gemm()
    yield 'bias_f32', bias()
    yield 'bias_left_f32', bias(True)
    yield 'bias_twice_left_f32', bias_twice_left()
    yield 'spelled_clamps_f32', spelled_clamps()
    yield 'spelled_clamps_i8', spelled_clamps_i8()
    yield 'maximum_left_f32', maximum_left()
    yield 'chain_i8', chain('i8')
    yield 'chain_left_f32', chain('f32')
    yield 'chain_two_readers_left_i8', chain_two_readers_left()
    yield 'requantize_pair_i8', requantize_pair()
    yield 'fake_quant_i8', fake_quant()
    yield 'float_moves_i8', float_moves()
    yield 'float_moves_seen_i8', float_moves_seen()
    yield 'qdq_add_seen_left_i8', qdq_add_seen_left()
    yield 'qdq_add_i8', qdq_binary('ADD', 'qdq_add')
    yield 'qdq_mul_left_i8', qdq_binary('MUL', 'qdq_mul_left')
    yield 'qdq_net_i8', qdq_net()
    yield 'qat_net_f32', qat_net()


if __name__ == '__main__':
    make_fixtures.main(all_graphs, 'rewrites')

#!/usr/bin/env python3
"""Makes the graphs of fixtures/rewrites: for each rewrite one graph that it changes and
near misses that it must leave. Usage: as make_fixtures.py, from which the nets come."""
import make_fixtures
from make_fixtures import Net, Tensor


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

    def floats(self, name, shape, values):
        return self.add(Tensor(name, shape, 'f32'), 'const', data={'values': values})

    def real(self, name, shape):
        return self.add(Tensor(name, shape, 'f32'))

    def to_float(self, x):
        return self.op('DEQUANTIZE', [x], [self.real('real%d' % len(self.ops), x.shape)])

    def zero_weights(self, conv, channels_out=(), channels_in=()):
        """Replaces the seeded weights of an op by numbers, zero for some channels."""
        entry = next(t for t in self.tensors if t['name'] == conv.name + '/filter')
        o, h, w, c = entry['shape']
        depthwise = o == 1 and len(entry['quantization']['scale']) == c
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


def batch_norm():
    n = Small('batch_norm', 'f32')
    x = n.conv(n.input([1, 6, 6, 3]), 4, (3, 3), activation='NONE')
    scale = n.floats('scale', [4], [0.5, 1.5, -0.25, 2.0])
    shift = n.floats('shift', [4], [1.0, -1.0, 0.125, 0.0])
    y = n.op('MUL', [x, scale], [n.real('scaled', x.shape)], activation='NONE')
    y = n.op('ADD', [y, shift], [n.real('shifted', x.shape)], activation='NONE')
    return n.finish(n.op('RELU', [y], [n.real('result', x.shape)]))


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
    yield 'dead_channels_left_i8', dead_channels_left()
    yield 'batch_norm_f32', batch_norm()


if __name__ == '__main__':
    make_fixtures.main(all_graphs, 'rewrites')

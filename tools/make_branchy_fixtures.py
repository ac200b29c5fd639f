#!/usr/bin/env python3
"""Makes the graphs of fixtures/branchy: small nets with branches, in the order that a
breadth-first writer gives them, int8, complete with weights from seeds. The order of their
ops decides how much memory they need. The parts come from make_fixtures.py.

Branches are stacked along the rows, and rows are split, so that the bytes of a part are one
range of the whole."""
import make_fixtures
from make_fixtures import Net


class Branchy(Net):
    def alike(self, parts):
        """One scale for all: what a concatenation wants. Before they are read."""
        for t in self.tensors:
            if t['name'] in [p.name for p in parts]:
                t['quantization'] = self.quant(parts[0])
        for p in parts:
            p.scale, p.zero = parts[0].scale, parts[0].zero

    def stack(self, parts):
        self.alike(parts)
        shape = list(parts[0].shape)
        shape[1] = sum(p.shape[1] for p in parts)
        y = self.activation('stack%d' % len(self.ops), shape, parts[0].rms, like=parts[0])
        return self.op('CONCATENATION', parts, [y], axis=1, activation='NONE')

    def split(self, x, n):
        shape = [x.shape[0], x.shape[1] // n, *x.shape[2:]]
        parts = [self.activation('split%d_%d' % (len(self.ops), k), shape, x.rms, like=x)
                 for k in range(n)]
        axis = self.integers(parts[0].name + '/axis', [1])
        self.op('SPLIT', [axis, x], parts, num_splits=n)
        return parts

    def rows(self, x, begin, end):
        y = self.activation('rows%d' % len(self.ops), [
            x.shape[0], end - begin, *x.shape[2:]], x.rms, like=x)
        at = [self.integers(y.name + '/' + name, values) for name, values in (
            ('begin', [0, begin, 0, 0]), ('end', [x.shape[0], end, *x.shape[2:]]),
            ('strides', [1, 1, 1, 1]))]
        return self.op('STRIDED_SLICE', [x, *at], [y], begin_mask=0, end_mask=0,
                       ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)

    def shuffle(self, x, groups):
        """Rows of the groups take turns."""
        n, h, w, c = x.shape
        y = self.reshape(x, [n, groups, h // groups, w * c])
        perm = self.integers('perm%d' % len(self.ops), [0, 2, 1, 3])
        z = self.activation('turns%d' % len(self.ops), [
            n, h // groups, groups, w * c], x.rms, like=x)
        self.op('TRANSPOSE', [y, perm], [z])
        return self.reshape(z, [n, h, w, c])

    def head(self, x, classes):
        x = self.pool(x, 'AVERAGE_POOL_2D', (x.shape[1], x.shape[2]))
        x = self.reshape(x, [1, x.shape[3]])
        return self.finish(self.softmax(self.fully_connected(x, classes)))


def inception():
    """Two blocks of four towers; a block is written level by level."""
    n = Branchy('Inception-like', 'i8')
    x = n.conv(n.input([1, 16, 16, 4]), 8, (3, 3))
    for out in (12, 16):
        one = n.conv(x, 2 * out, (1, 1))
        three = n.conv(x, 2 * out, (1, 1))
        five = n.conv(x, out, (1, 1))
        pool = n.pool(x, 'MAX_POOL_2D', (3, 3), (1, 1), 'SAME')
        one = n.pool(one, 'MAX_POOL_2D', (2, 2))
        three = n.depthwise(three, (3, 3), (2, 2))
        five = n.conv(five, out, (3, 3))
        pool = n.conv(pool, out, (1, 1), (2, 2))
        one = n.conv(one, out, (1, 1))
        three = n.conv(three, out, (1, 1))
        five = n.conv(five, out, (3, 3), (2, 2))
        x = n.stack([three, one, five, pool])
        x = n.conv(x, 8, (3, 3), (2, 1))
    return n.head(x, 10)


def shuffle():
    """A unit that halves the picture, and units of which one half only passes through."""
    n = Branchy('ShuffleNet-like', 'i8')
    x = n.conv(n.input([1, 24, 24, 3]), 8, (3, 3))
    right = n.conv(x, 12, (1, 1))
    left = n.depthwise(x, (3, 3), (2, 2), activation='NONE')
    right = n.depthwise(right, (3, 3), (2, 2), activation='NONE')
    left, right = n.conv(left, 8, (1, 1)), n.conv(right, 8, (1, 1))
    x = n.shuffle(n.stack([left, right]), 2)
    for sliced in (False, True):
        half = x.shape[1] // 2
        left, right = ((n.rows(x, 0, half), n.rows(x, half, 2 * half)) if sliced
                       else n.split(x, 2))
        right = n.conv(right, 8, (1, 1))
        right = n.depthwise(right, (3, 3), activation='NONE')
        right = n.conv(right, 8, (1, 1))
        x = n.shuffle(n.stack([left, right]), 2)
    return n.head(x, 6)


def randwire():
    """Nodes of a random graph, each a sum, a depthwise and a pointwise convolution; the two
    halves of the picture have a stem each."""
    n = Branchy('RandWire-like', 'i8')
    x = n.input([1, 24, 12, 4])
    nodes = [n.conv(n.rows(x, 0, 12), 8, (3, 3)), n.conv(n.rows(x, 12, 24), 8, (3, 3))]
    used = set()
    for k in range(2, 12):
        reads = {int(n.random(max(0, k - 6), k)) for _ in range(2)}
        if k - 1 not in reads and n.random(0, 1) < 0.2:
            reads.add(k - 1)
        used |= reads
        x = None
        for r in sorted(reads):
            x = n.binary('ADD', x, nodes[r]) if x else nodes[r]
        nodes.append(n.conv(n.depthwise(x, (3, 3)), 8, (1, 1)))
    ends = [t for k, t in enumerate(nodes) if k not in used]
    return n.head(n.conv(n.stack(ends), 16, (3, 3), (2, 2)), 5)


def all_graphs():
    for make in (inception, shuffle, randwire):
        yield make.__name__, make()


if __name__ == '__main__':
    make_fixtures.main(all_graphs, 'branchy')

#!/usr/bin/env python3
"""Claims of random graphs, judged and executed: memory holds tokens, kernels run byte by byte in
the order that their attributes declare, and no claim that is proved may change what an output
or a preserved input holds in the end. Usage: executed.py TENURE [GRAPHS [FIRST_SEED]]"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
first = int(sys.argv[3]) if len(sys.argv) > 3 else 0

POINT = ('Neg', 'Abs', 'Relu', 'Sin')
COPY = ('Copy', 'Identity', 'Clone')
OPAQUE = ('MatMul', 'Conv', 'Mystery')
UPDATE = ('DUS', 'Scatter', 'ShiftDUS')


def size(shape):
    n = 1
    for d in shape:
        n *= d
    return n


class Step:
    """Reads (operand, index) pairs, writes indices of one output: what it has read, moved, or a
    new token of all of it."""

    def __init__(self, reads, writes, output=0, moves=False, of_base=False):
        self.reads, self.writes, self.output = reads, writes, output
        self.moves, self.of_base = moves, of_base


def in_order(op, n):
    return range(n - 1, -1, -1) if op['attrs'].get('order') == 'desc' else range(n)


def grouped(op, n, groups, member, at_once):
    """Elements that need all of their row, or of the plane of their channel."""
    if at_once:
        for g in in_order(op, groups):
            own = [member(g, j) for j in range(n // groups)]
            yield Step([(0, i) for i in own],
                       [own[j] for j in in_order(op, len(own))])
        return
    of = {member(g, j): g for g in range(groups) for j in range(n // groups)}
    for i in in_order(op, n):
        yield Step([(0, member(of[i], j)) for j in range(n // groups)], [i])


def steps(op, shape):
    kind, at = op['type'], op['attrs']
    ins = [size(shape[t]) for t in op['inputs']]
    outs = [size(shape[t]) for t in op['outputs']]
    n = outs[0]
    if kind in UPDATE:
        for i in in_order(op, n):
            yield Step([(0, i)], [i], moves=True, of_base=True)
        moved, source, to, at_from = (
            (at['len'], 0, at['dst'], at['src']) if kind == 'ShiftDUS'
            else (ins[1], 1, at['start'][0], 0))
        for i in in_order(op, moved):
            yield Step([(source, at_from + i)], [to + i], moves=True)
    elif kind == 'Concat':
        for k in (reversed(range(len(ins))) if at.get('order') == 'desc'
                  else range(len(ins))):
            for i in in_order(op, ins[k]):
                yield Step([(k, i)], [sum(ins[:k]) + i], moves=True)
    elif kind == 'Split':
        for k, m in enumerate(outs):
            for i in in_order(op, m):
                yield Step([(0, sum(outs[:k]) + i)], [i], output=k, moves=True)
    elif kind == 'Slice':
        for i in in_order(op, n):
            yield Step([(0, at['start'][0] + i)], [i], moves=True)
    elif kind == 'Transpose':
        rows, columns = shape[op['inputs'][0]]
        for i in in_order(op, n):
            yield Step([(0, i % rows * columns + i // rows)], [i], moves=True)
    elif kind == 'Softmax':
        row = shape[op['outputs'][0]][-1]
        yield from grouped(op, n, n // row, lambda g, j: g * row + j,
                           at.get('row_buffered'))
    elif kind == 'DWConv':
        channels = shape[op['outputs'][0]][-1]
        yield from grouped(op, n, channels, lambda g, j: j * channels + g,
                           at.get('channel_buffered'))
    elif kind == 'ReduceSum':
        columns = shape[op['inputs'][0]][1]
        for i in in_order(op, n):
            yield Step([(0, i * columns + j) for j in range(columns)], [i])
    elif kind in OPAQUE:
        for i in in_order(op, n):
            yield Step([(k, j) for k, t in enumerate(op['inputs'])
                        for j in ([i] if at.get('tied') == t and ins[k] == n
                                  else range(ins[k]))], [i])
    else:
        for i in in_order(op, n):
            yield Step([(k, i) for k in range(len(ins))], [i], moves=kind in COPY)


def run_op(op, shape, memory, address, apart):
    """`apart`: the meaning of the graph, all reads before all writes."""
    at, first_in, first_out = op['attrs'], address[op['inputs'][0]], address[op['outputs'][0]]
    for t in at.get('scratch', []):
        for i in range(size(shape[t])):
            memory[address[t] + i] = ('garbage', op['name'])
    for t in op['outputs'] if at.get('prezero') else []:
        for i in range(size(shape[t])):
            memory[address[t] + i] = ('zero', op['name'])
    for _ in range(at.get('passes', 1)):
        late = {} if apart or at.get('buffered') else memory
        for s in steps(op, shape):
            if s.of_base and first_in == first_out and not at.get('always_copy'):
                continue
            read = tuple(memory.get(address[op['inputs'][k]] + i) for k, i in s.reads)
            for i in s.writes:
                late[address[op['outputs'][s.output]] + i] = (
                    read[0] if s.moves else hash((op['name'], s.output, i, read)))
        if late is not memory:
            memory.update(late)


def execute(graph, address, apart=False):
    shape = {t['name']: t['shape'] for t in graph['tensors']}
    memory, lasting = {}, []
    for t in graph['tensors']:
        if t['role'] == 'input':
            memory.update({address[t['name']] + i: (t['name'], i)
                           for i in range(size(t['shape']))})
        if t['role'] == 'output' or (t['role'] == 'input' and not t.get('clobber')):
            lasting.append(t['name'])
    for op in graph['ops']:
        run_op(op, shape, memory, address, apart)
    return {t: [memory.get(address[t] + i) for i in range(size(shape[t]))] for t in lasting}


class Maker:
    """A random graph of a few ops over elements of one byte."""

    def __init__(self, rng):
        self.rng, self.tensors, self.ops = rng, [], []

    def tensor(self, shape, role, **more):
        name = 't%d' % len(self.tensors)
        self.tensors.append(dict(name=name, dtype='i8', shape=shape, role=role, **more))
        return name

    def shape(self, name):
        return next(t['shape'] for t in self.tensors if t['name'] == name)

    def operands(self, kind, first, at):
        """Inputs and shapes of outputs; None: the kind does not suit the first input."""
        rng, s = self.rng, self.shape(first)
        n, flat = size(s), len(s) == 1
        lists = [t['name'] for t in self.tensors
                 if t['role'] != 'scratch' and len(t['shape']) == 1]
        if kind in ('DUS', 'Scatter'):
            fits = [t for t in lists if size(self.shape(t)) <= n]
            if not flat or not fits:
                return None
            update = rng.choice(fits)
            at['start'] = [rng.randint(0, n - size(self.shape(update)))]
            return [first, update], [s]
        if kind == 'ShiftDUS' and flat:
            length = rng.randint(1, n)
            at.update(len=length, dst=rng.randint(0, n - length),
                      src=rng.randint(0, n - length))
            return [first], [s]
        if kind in ('Slice', 'Split') and flat and n > 1:
            part = rng.randint(1, n - 1)
            if kind == 'Split':
                at['axis'] = 0
                return [first], [[part], [n - part]]
            at['start'] = [rng.randint(0, n - part)]
            return [first], [[part]]
        if kind == 'Concat' and flat:
            other = rng.choice(lists)
            at['axis'] = 0
            total = n + size(self.shape(other))
            return ([first, other], [[total]]) if total < 10 else None
        if kind == 'Transpose' and not flat:
            at['perm'] = [1, 0]
            return [first], [s[::-1]]
        if kind == 'ReduceSum' and not flat:
            at['axis'] = [1]
            return [first], [[s[0]]]
        if kind in ('ShiftDUS', 'Slice', 'Split', 'Concat', 'Transpose', 'ReduceSum') or (
                kind == 'DWConv' and flat):
            return None
        if kind == 'Add':
            return [first, rng.choice([t['name'] for t in self.tensors
                                       if t['shape'] == s and t['role'] != 'scratch'])], [s]
        if kind in OPAQUE and rng.random() < .5:
            at['tied'] = first
        return [first], [s]

    def op(self, live):
        rng, at = self.rng, {}
        kind = rng.choice(POINT + COPY + OPAQUE + 2 * UPDATE + (
            'Add', 'Concat', 'Split', 'Slice', 'Transpose', 'Softmax', 'DWConv', 'ReduceSum'))
        for key, value, often in (('order', 'desc', .3), ('buffered', True, .08),
                                  ('prezero', True, .08), ('passes', 2, .08),
                                  ('always_copy', True, .1), ('row_buffered', True, .4),
                                  ('channel_buffered', True, .4)):
            if rng.random() < often:
                at[key] = value
        made = self.operands(kind, rng.choice(live[-3:]), at)
        if not made:
            return []
        if rng.random() < .1:
            at.update(scratch=[self.tensor([rng.randint(1, 4)], 'scratch')],
                      scratch_live=False)
        outs = [self.tensor(s, 'act') for s in made[1]]
        self.ops.append(dict(name='o%d' % len(self.ops), type=kind, inputs=made[0],
                             outputs=outs, attrs=at))
        return outs

    def graph(self):
        rng = self.rng
        shape = rng.choice(([4], [2, 3], [6]))
        live = [self.tensor(shape, 'input', **({'clobber': True} if rng.random() < .6 else {}))
                for _ in range(rng.randint(1, 2))]
        while len(self.ops) < 2 or rng.random() < .6:
            live += self.op(live)
        read = {t for o in self.ops for t in o['inputs']}
        for t in self.tensors:
            if t['role'] == 'act' and t['name'] not in read:
                t['role'] = 'output'
        return dict(format='tenure.graph/1', tensors=self.tensors, ops=self.ops,
                    schedule=[o['name'] for o in self.ops], claims=[])


def add_claims(rng, graph, n):
    """Random claims; where each puts the tensors, by its id, and where none does."""
    sizes = {t['name']: size(t['shape']) for t in graph['tensors']}
    inputs = {t['name'] for t in graph['tensors'] if t['role'] == 'input'}
    apart = {t: 1000 * i for i, t in enumerate(sizes)}
    where = {}
    for i in range(n):
        place, kind = dict(apart), rng.choice(('inplace', 'reuse', 'plan'))
        claim = dict(id='c%d' % i, kind=kind)
        if kind == 'inplace':
            op = rng.choice(graph['ops'])
            claim.update({'op': op['name'], 'in': rng.choice(op['inputs']),
                          'out': op['outputs'][0]})
            place[claim['out']] = place[claim['in']]
        elif kind == 'reuse':
            tensor, of = rng.choice(sorted(set(sizes) - inputs)), rng.choice(sorted(sizes))
            if tensor == of:
                continue
            offset = rng.randint(0, max(0, sizes[of] - sizes[tensor]))
            claim.update(tensor=tensor, of=of, byte_offset=offset)
            place[tensor] = place[of] + offset
        else:
            arena = max(sizes.values()) * rng.randint(1, 3) + 2
            offsets = {t: rng.choice((0, arena - b, rng.randint(0, arena - b)))
                       for t, b in sizes.items()}
            claim.update(arena_bytes=arena, offsets=offsets)
            place = {t: 100000 + at for t, at in offsets.items()}
        graph['claims'].append(claim)
        where[claim['id']] = place
    return where, apart


proved = rejected = equal = unsound = 0
for seed in range(first, first + count):
    rng = random.Random(seed)
    graph = Maker(rng).graph()
    where, apart = add_claims(rng, graph, 14)
    done = served.run([program, 'lint', '--format', 'json', '-'], input=json.dumps(graph),
                      capture_output=True, text=True)
    right = execute(graph, apart, True)
    for verdict in json.loads(done.stdout)['claims']:
        if len(verdict['claims']) != 1:
            continue
        same = execute(graph, where[verdict['claims'][0]]) == right
        proved += verdict['verdict'] == 'proved'
        rejected += verdict['verdict'] == 'rejected'
        equal += verdict['verdict'] == 'rejected' and same
        if verdict['verdict'] == 'proved' and not same:
            unsound += 1
            print('seed %d: %s is proved and changes a result' % (seed, verdict['claims'][0]))
            print(json.dumps(graph))
print('%d graphs: %d claims proved, %d rejected (%d of them run equal), %d unsound'
      % (count, proved, rejected, equal, unsound))
sys.exit(1 if unsound or proved < 2 * count or rejected < 2 * count else 0)

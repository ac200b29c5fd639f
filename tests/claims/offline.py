#!/usr/bin/env python3
"""`tenure plan MODEL --write-offline FILE`: the copy holds every byte of the model, a runtime
finds one plan in it, and no two tensors that are alive share a byte there, whatever the
kernels do. This script reads the copies with a few lines of its own.
Usage: offline.py TENURE SOURCE_ROOT"""
import pathlib
import re
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = pathlib.Path(tempfile.mkdtemp())
NAME = b'OfflineMemoryAllocation'
RESHAPE = 22  # an operator
RESOURCE = 13  # a type: a handle, kept elsewhere
BITS = {0: 32, 1: 16, 2: 32, 3: 8, 4: 64, 6: 8, 7: 16, 9: 8, 15: 32, 16: 16, 17: 4}
wrong = 0


def tell(*words):
    global wrong
    wrong += 1
    print(*words)


class Model:
    """What a runtime looks at."""

    def __init__(self, data):
        self.data = data
        self.root = self.u32(0)

    def u32(self, at):
        return struct.unpack_from('<I', self.data, at)[0]

    def field(self, table, slot):
        """Position of a field, or None."""
        vtable = table - struct.unpack_from('<i', self.data, table)[0]
        size, = struct.unpack_from('<H', self.data, vtable)
        if 4 + 2 * slot >= size:
            return None
        offset, = struct.unpack_from('<H', self.data, vtable + 4 + 2 * slot)
        return table + offset if offset else None

    def follow(self, at):
        return at + self.u32(at)

    def number(self, table, slot, fmt, otherwise=0):
        at = self.field(table, slot)
        return otherwise if at is None else struct.unpack_from('<' + fmt, self.data, at)[0]

    def vector(self, table, slot):
        """(position of element 0, how many)."""
        at = self.field(table, slot)
        if at is None:
            return 0, 0
        at = self.follow(at)
        return at + 4, self.u32(at)

    def tables(self, table, slot):
        at, count = self.vector(table, slot)
        return [self.follow(at + 4 * i) for i in range(count)]

    def ints(self, table, slot):
        at, count = self.vector(table, slot)
        return struct.unpack_from('<%di' % count, self.data, at)

    def text(self, table, slot):
        at, count = self.vector(table, slot)
        return self.data[at:at + count]

    def plans(self):
        """All memory plans that the metadata lists."""
        buffers, found = self.tables(self.root, 4), []
        for entry in self.tables(self.root, 6):
            if self.text(entry, 0) == NAME:
                at, count = self.vector(buffers[self.number(entry, 1, 'I')], 0)
                found.append((at, struct.unpack_from('<%di' % (count // 4), self.data, at)))
        return found

    def codes(self):
        return [max(self.number(c, 0, 'b'), self.number(c, 3, 'i'))
                for c in self.tables(self.root, 1)]


def lives(model, graph):
    """[first, last] op by tensor; which tensors a RESHAPE may leave in their place."""
    operators, codes = model.tables(graph, 3), model.codes()
    first = dict.fromkeys(model.ints(graph, 1), -1)
    last = dict.fromkeys(model.ints(graph, 2), len(operators))
    same = set()
    for i, op in enumerate(operators):
        inputs, outputs = model.ints(op, 1), model.ints(op, 2)
        for t in inputs:
            last[t] = max(last.get(t, i), i)
        for t in outputs:
            first.setdefault(t, i)
            last[t] = max(last.get(t, i), i)
        if codes[model.number(op, 0, 'I')] == RESHAPE:
            same.add(frozenset((inputs[0], outputs[0])))
    return first, last, same


def size(model, tensor):
    bits = BITS.get(model.number(tensor, 1, 'b'), 0)
    for dim in model.ints(tensor, 0):
        bits *= dim
    return (bits + 7) // 8


def judge(path, model):
    """The copy's plan, by lifetimes alone."""
    graphs = model.tables(model.root, 2)
    counts = [len(model.tables(g, 0)) for g in graphs]
    plans = model.plans()
    if len(plans) != 1:
        return tell(path.name, 'has', len(plans), 'plans')
    at, words = plans[0]
    if at % 16 or words[2] != sum(counts) or len(words) != 3 + words[2]:
        return tell(path.name, 'the list of offsets is wrong', at, words[:3], counts)
    if any(w != -1 for w in words[3 + counts[0]:]):
        tell(path.name, 'places tensors of subgraphs')
    tensors, buffers = model.tables(graphs[0], 0), model.tables(model.root, 4)
    first, last, same = lives(model, graphs[0])
    placed = []
    for i, offset in enumerate(words[3:3 + counts[0]]):
        constant = model.vector(buffers[model.number(tensors[i], 2, 'I')], 0)[1] > 0
        if offset < 0:
            if i in first and i in last and not constant and size(model, tensors[i]) and \
                    not model.number(tensors[i], 5, '?') and \
                    model.number(tensors[i], 1, 'b') != RESOURCE:
                tell(path.name, 'tensor', i, 'has no place')
            continue
        if constant or offset % 16:
            tell(path.name, 'tensor', i, 'is at', offset, 'constant' * constant)
        placed.append((i, offset, offset + size(model, tensors[i])))
    root = {i: i for i, _, _ in placed}  # a RESHAPE's two are one
    for i, lo, _ in placed:
        for j, lo2, _ in placed:
            if frozenset((i, j)) in same and lo == lo2:
                root = {k: root[i] if r == root[j] else r for k, r in root.items()}
    for n, (i, lo, hi) in enumerate(placed):
        for j, lo2, hi2 in placed[:n]:
            if root[i] != root[j] and lo < hi2 and lo2 < hi and \
                    first[i] <= last[j] and first[j] <= last[i]:
                tell(path.name, 'tensors', i, 'and', j, 'are alive together and share bytes')


def write(path, *words):
    copy = folder / (path.stem + '.planned.tflite')
    done = served.run([program, 'plan', path, '--json', '--write-offline', copy, *words],
                      capture_output=True, text=True)
    return copy, done


def check(path, *words):
    """The copy, once it has passed."""
    copy, done = write(path, *words)
    if done.returncode:
        return tell(path.name, 'exit', done.returncode, done.stderr[:500])
    old, new = path.read_bytes(), copy.read_bytes()
    front = len(new) - len(old)
    if front <= 0 or front % 64 or new[front:] != old or new[4:8] != b'TFL3':
        return tell(path.name, 'is not kept as it was')
    judge(copy, Model(new))
    done = served.run([program, 'verify', copy], capture_output=True, text=True)
    if done.returncode or 'OfflineMemoryAllocation: proved' not in done.stdout:
        tell(path.name, 'is not proved:', done.stdout[:500], done.stderr[:500])
    return copy


def refuse(path, code, says, *words):
    copy = folder / (path.stem + '.planned.tflite')
    copy.write_bytes(b'as it was')
    _, done = write(path, *words)
    if done.returncode != code or says not in done.stderr:
        tell(path.name, 'exit', done.returncode, 'for', code, done.stderr[:500])
    if copy.read_bytes() != b'as it was':
        tell(path.name, 'a refused command has written')


models = root / 'fixtures/models'
for path in models / 'small_cnn.tflite', models / 'svdf.tflite':
    copy = check(path)
    if not copy:
        continue
    # a plan that is there already gives way: of a copy, the copy is the same as of the model
    other = folder / 'other' / path.name
    other.parent.mkdir(exist_ok=True)
    again, done = write(path, '--overlap', 'none')
    other.write_bytes(again.read_bytes())
    for given in again, other:
        last, done = write(given)
        if done.returncode or last.read_bytes() != check(path).read_bytes():
            tell(given, 'keeps an old plan', done.stderr[:500])
    # but only what was written here is taken away: another byte in it makes it a model
    data = bytearray(copy.read_bytes())
    data[data.index(NAME) + len(NAME)] = 1  # behind the name
    (folder / 'alike.tflite').write_bytes(data)
    if (folder / 'alike.tflite').read_bytes() not in check(folder / 'alike.tflite').read_bytes():
        tell(path.name, 'is not kept whole')
refuse(models / 'features.tflite', 2, 'referred to by position')
refuse(models / 'small_cnn.strict.json', 2, 'it is no .tflite file')
graph = sorted((root / 'fixtures/graphs').glob('kws_i8.json'))[0]
refuse(graph, 2, 'it is no .tflite file')
refuse(models / 'small_cnn.tflite', 3, 'cannot write', '-o', folder / 'no/such/folder')

# a plan with too few offsets, which a runtime refuses: verify does not accept it, and it is not
# carried on as a plan of nothing; a new one is put in its place
short = root / 'fixtures/invalid/tflite-plan/input.tflite'
for path, code, says in (short, 1, 'cannot be judged: the memory plan says that it has 3 offsets'), \
        (folder / 'short.json', 2, 'carries no plan'):
    served.run([program, 'convert', short, '-o', folder / 'short.json'], capture_output=True)
    done = served.run([program, 'verify', path], capture_output=True, text=True)
    if done.returncode != code or says not in done.stdout + done.stderr:
        tell(path, 'exit', done.returncode, done.stdout, done.stderr)
check(short)

# what is damaged where only the writer looks, or refers to itself by position
data = bytearray((models / 'small_cnn.tflite').read_bytes())
model = Model(data)
vtable = model.root - struct.unpack_from('<i', data, model.root)[0]
for slot, value in ((4, 0xfff0), (6, 0xfff0)):
    bad = bytearray(data)
    struct.pack_into('<H', bad, vtable + 4 + 2 * slot, value)
    (folder / 'bad.tflite').write_bytes(bad)
    _, done = write(folder / 'bad.tflite')
    if done.returncode != 2:
        tell('slot', slot, 'exit', done.returncode)

shared = root.parent / 'shared'
if shared.exists():
    for path in sorted((shared / 'models').glob('*.tflite')) + \
            sorted((shared / 'ops/models').glob('*.tflite'))[::4]:
        check(path)
    done = write(shared / 'models/vww_96_int8.tflite')[1]
    if not re.search(r'needs 55296 B where .* 36864', done.stderr):
        tell('vww:', done.stderr)
else:
    print('no ../shared: its models are skipped')
sys.exit(1 if wrong else 0)

#!/usr/bin/env python3
"""`tenure plan GRAPH --write-offsets FILE`: a program in ExecuTorch's JSON in which no two
values that are alive share a byte, whatever the kernels do. This script reads the files with a
few lines of its own, and so does `tenure verify`.
Usage: offsets.py TENURE SOURCE_ROOT"""
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = pathlib.Path(tempfile.mkdtemp())
BITS = {'FLOAT': 32, 'HALF': 16, 'BFLOAT16': 16, 'DOUBLE': 64, 'CHAR': 8, 'BYTE': 8, 'SHORT': 16,
        'INT': 32, 'LONG': 64, 'BOOL': 8, 'UINT16': 16, 'UINT32': 32, 'UINT64': 64}
wrong = 0


def tell(*words):
    global wrong
    wrong += 1
    print(*words)


def load(text):
    """What flatc prints is not quite JSON."""
    text = re.sub(r':\s*(-?)inf\b', r': \1Infinity', text)
    return json.loads(re.sub(r'([{,]\s*)([a-z_]+):', r'\1"\2":', text))


def size_of(tensor):
    bits = BITS[tensor.get('scalar_type', 'BYTE')]
    for dim in tensor.get('sizes', []):
        bits *= dim
    return bits // 8


class Program:
    def __init__(self, text):
        method = load(text)['execution_plan'][0]
        self.values, self.method = method['values'], method
        self.sizes = method['non_const_buffer_sizes']
        self.operators = method['operators']
        self.calls = [i for c in method['chains'] for i in c['instructions']]

    def tensors(self, index):
        value = self.values[index]
        if value['val_type'] == 'Tensor':
            return [index]
        if value['val_type'] in ('TensorList', 'OptionalTensorList'):
            return [i for i in value['val'].get('items', []) if i >= 0]
        return []

    def place(self, index):
        """(memory, offset, bytes), or None."""
        tensor = self.values[index]['val']
        info = tensor.get('allocation_info')
        if info is None:
            return None
        offset = info.get('memory_offset_low', 0) + (info.get('memory_offset_high', 0) << 32)
        return info['memory_id'], offset, size_of(tensor)

    def touched(self, call):
        args = call['instr_args']
        if call['instr_args_type'] == 'MoveCall':
            return [args.get('move_from', 0), args.get('move_to', 0)]
        return args.get('args', [])

    def lives(self):
        """[first, last] call by value; what a view is of."""
        life, view, end = {}, {}, len(self.calls)
        for i, call in enumerate(self.calls):
            for index in (t for a in self.touched(call) for t in self.tensors(a)):
                life.setdefault(index, [i, i])[1] = i
            if call['instr_args_type'] == 'KernelCall':
                args = call['instr_args']
                name = self.operators[args.get('op_index', 0)]['name']
                if name == 'executorch_prim::et_view':
                    source = next(t for a in args['args'] for t in self.tensors(a))
                    view[args['args'][-1]] = source
        for index in self.method['inputs']:
            life.setdefault(index, [-1, -1])[0] = -1
        for index in self.method['outputs']:
            life.setdefault(index, [-1, end])[1] = end
        for index, value in enumerate(self.values):
            if value['val_type'] == 'Tensor' and value['val'].get('data_buffer_idx', 0):
                life[index] = [-1, end]  # a variable, when it is in a memory
        return life, view

    def check(self, name):
        life, view = self.lives()
        planned = [i for i in life if i < len(self.values) and
                   self.values[i]['val_type'] == 'Tensor' and self.place(i)]
        for index, source in view.items():
            if self.place(index) and self.place(index)[:2] != self.place(source)[:2]:
                tell(name, 'view', index, 'is not where', source, 'is')
        root_of = {}
        for index in planned:
            at = index
            while at in view:
                at = view[at]
            root_of[index] = at
            life[at] = [min(life[at][0], life[index][0]), max(life[at][1], life[index][1])]
        for index in planned:
            memory, offset, size = self.place(index)
            if not 0 < memory < len(self.sizes) or offset + size > self.sizes[memory]:
                tell(name, 'value', index, 'is outside of memory', memory)
            if offset % 16:
                tell(name, 'value', index, 'is not aligned:', offset)
            for other in planned:
                m, o, s = self.place(other)
                a, b = life[root_of[index]], life[root_of[other]]
                if root_of[index] != root_of[other] and m == memory and a[0] <= b[1] and \
                        b[0] <= a[1] and offset < o + s and o < offset + size:
                    tell(name, index, 'and', other, 'are alive and share bytes')
        return len(planned)


def write(path, *words):
    out = folder / (path.name + '.offsets.json')
    done = served.run([program, 'plan', path, '-o', folder / 'plan.json', '--write-offsets',
                       out, *words], capture_output=True, text=True)
    return out, done


def check(path, says='', at_least=1, *words):
    out, done = write(path, *words)
    if done.returncode or says not in done.stderr:
        tell(path.name, 'exit', done.returncode, done.stderr[:600])
        return ''
    text = out.read_text()
    if Program(text).check(path.name) < at_least:
        tell(path.name, 'has fewer values than', at_least)
    proof = served.run([program, 'verify', out], capture_output=True, text=True)
    if proof.returncode or 'memory 1: proved' not in proof.stdout:
        tell(path.name, 'verify', proof.returncode, proof.stdout, proof.stderr[:600])
    return text


def refuse(path, code, says, *words):
    out = folder / (path.name + '.offsets.json')
    out.write_bytes(b'as it was')
    _, done = write(path, *words)
    if done.returncode != code or says not in done.stderr:
        tell(path.name, 'exit', done.returncode, 'for', code, done.stderr[:600])
    if out.read_bytes() != b'as it was':
        tell(path.name, 'a refused command has written')


def bare(text):
    """A program without its plan, whitespace aside."""
    data = load(text)
    method = data['execution_plan'][0]
    method['non_const_buffer_sizes'] = len(method['non_const_buffer_sizes'])
    for value in method['values']:
        if value['val_type'] == 'Tensor' and 'allocation_info' in value['val']:
            value['val']['allocation_info'] = value['val']['allocation_info']['memory_id']
    return data


# graphs of other formats: a program of their own
check(root / 'fixtures/graphs/kws_i8.json', 'needs 16000 B where tenure\'s kernels need 8384', 14)
check(root / 'fixtures/graphs/flow.json')
check(root / 'fixtures/graphs/residual_i8.json')
check(root / 'fixtures/models/svdf.tflite')
check(root / 'fixtures/models/small_cnn.tflite')
check(root / 'fixtures/foreign/onnx_loop.json')
check(root / 'fixtures/foreign/onnx_optional.json')
many = {'format': 'tenure.graph/1', 'name': 'a "b"\\\n',
        'tensors': [{'name': 'x', 'dtype': 'i4', 'shape': [20], 'role': 'input'},
                    {'name': 's', 'dtype': 'u8', 'shape': [64], 'role': 'scratch'},
                    {'name': 'z', 'dtype': 'f64', 'shape': [2, 3], 'role': 'output'}] +
                   [{'name': 'p%d' % i, 'dtype': 'i4', 'shape': [2]} for i in range(10)],
        'ops': [{'name': 'cut', 'type': 'Cut', 'inputs': ['x', 's'],
                 'outputs': ['p%d' % i for i in range(10)]},
                {'name': 'look', 'type': 'Look', 'inputs': ['p0', 'p1'], 'outputs': []},
                {'name': 'join', 'type': 'Join', 'inputs': ['p%d' % i for i in range(2, 10)],
                 'outputs': ['z']}]}
(folder / 'many.json').write_text(json.dumps(many))
text = check(folder / 'many.json', '', 12)
if text and 'TensorList' not in text:
    tell('many.json: ten results are a list')
view = {'format': 'tenure.graph/1',
        'tensors': [{'name': 'x', 'dtype': 'i8', 'shape': [4], 'role': 'input'},
                    {'name': 'v', 'dtype': 'i8', 'shape': [2], 'view_of': 'x', 'offset': 2},
                    {'name': 'y', 'dtype': 'i8', 'shape': [2], 'role': 'output'}],
        'ops': [{'name': 'f', 'type': 'Foo', 'inputs': ['v'], 'outputs': ['y']}]}
(folder / 'view.json').write_text(json.dumps(view))
refuse(folder / 'view.json', 1, "'v' is a view of another tensor")

# programs: a copy in which the plan alone is another
own = root / 'fixtures/foreign/executorch.json'
text = check(own, "the file's own plan has 4294967616 B", 7)
if text and bare(text) != bare(own.read_text()):
    tell('executorch.json: more than the plan has changed')
check(root / 'fixtures/foreign/executorch_norm.json', "own plan has 224 B")


def tensor(size, memory=1, offset=0, **more):
    info = {'allocation_info': {'memory_id': memory, 'memory_offset_low': offset}} if memory else {}
    return {'val_type': 'Tensor', 'val': {'scalar_type': 'FLOAT', 'sizes': [size],
                                          'dim_order': [0], **info, **more}}


def call(op, *args):
    return {'instr_args_type': 'KernelCall', 'instr_args': {'op_index': op, 'args': args}}


# x -> a -> (view) v -> b -> c; b and c in another memory; memory 3 is nobody's; y is the caller's
values = [tensor(8, 0), tensor(8, 1, 64), tensor(8, 1, 64), tensor(4, 4, 0), tensor(4, 4, 4),
          tensor(2, 0), {'val_type': 'String', 'val': {'string_val': '}]"{['}},
          {'val_type': 'Double', 'val': {'double_val': float('inf')}}]
method = {'name': 'forward', 'values': values, 'inputs': [0], 'outputs': [5],
          'chains': [{'instructions': [call(0, 0, 7, 1, 1), call(1, 1, 6, 2, 2),
                                       call(0, 2, 7, 3, 3), call(0, 3, 7, 4, 4),
                                       call(0, 4, 7, 5, 5)]}],
          'operators': [{'name': 'own::f', 'overload': 'out'},
                        {'name': 'executorch_prim::et_view', 'overload': 'default'}],
          'delegates': [], 'non_const_buffer_sizes': [7, 96, 5, 6, 32, 9]}
data = {'execution_plan': [method], 'constant_buffer': [{}]}
text = json.dumps(data, indent=1).replace('Infinity', 'inf')
for name, spelled in (('two.json', text), ('keys.json', re.sub(r'"([a-z_]+)":', r'\1:', text)),
                      ('line.json', ' '.join(text.split('\n')))):
    (folder / name).write_text(spelled)
    again = check(folder / name, "needs 64 B: other kernels", 4)
    if again and (bare(again) != bare(spelled) or
                  Program(again).sizes != [7, 32, 5, 6, 32, 9]):
        tell(name, 'is no copy but for the plan:', Program(again).sizes)
# a plan that is wrong gives way to one that is right
method['values'][4]['val']['allocation_info']['memory_offset_low'] = 0
(folder / 'bad.json').write_text(json.dumps(data).replace('Infinity', 'inf'))
if served.run([program, 'verify', folder / 'bad.json'], capture_output=True).returncode != 1:
    tell('bad.json is not refused')
check(folder / 'bad.json', '', 4)
for value in values:
    value['val'].pop('allocation_info', None)
(folder / 'none.json').write_text(json.dumps(data).replace('Infinity', 'inf'))
refuse(folder / 'none.json', 2, 'no tensor of the program is in planned memory')
(folder / 'line.json').write_text(text)
done = served.run([program, 'plan', folder / 'line.json', '--write-offsets',
                   folder / 'line.json'], capture_output=True, text=True)
if done.returncode != 2 or 'would overwrite the input' not in done.stderr:
    tell('the input would be overwritten:', done.stderr)

shared = root.parent / 'shared'
if shared.exists():
    for path in sorted((shared / 'formats/samples/executorch').glob('*.json')):
        again = check(path)
        if again and bare(again) != bare(path.read_text()):
            tell(path.name, 'is no copy but for the plan')
    check(shared / 'models/vww_96_int8.tflite', 'needs 55296 B where', 30)
else:
    print('no ../shared: its samples are skipped')
print('%d wrong' % wrong)
sys.exit(1 if wrong else 0)

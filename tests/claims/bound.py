#!/usr/bin/env python3
"""What is planned of an op is what its kernel does: with attributes that are absent, operands that
are scratch, and shapes at the ends of the range. Each graph runs over its plan and without sharing
to the same bytes, or is refused with these words. Usage: bound.py TENURE"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, folder = sys.argv[1], pathlib.Path(tempfile.mkdtemp())
wrong = []
LONG, WIDE = 2 ** 40, 2 ** 30


def tensor(name, shape, dtype='i8', role=None, **more):
    q = {'quantization': {'scale': [0.5], 'zero_point': [0]}} if dtype in ('i8', 'i16') else {}
    return dict(name=name, shape=shape, dtype=dtype, **q, **({'role': role} if role else {}), **more)


def between(kind, before, after, dtype='i8', more=(), **attrs):
    """RELU, the op, RELU: tensors that nobody else needs."""
    first = 'LOGICAL_NOT' if dtype == 'bool' else 'RELU'
    return dict(format='tenure.graph/1', tensors=[
        tensor('x', before, dtype, 'input', clobber=True), tensor('a', before, dtype),
        tensor('b', after, dtype), tensor('y', after, dtype, 'output'), *more], ops=[
            dict(name='p', type=first, inputs=['x'], outputs=['a']),
            dict(name='k', type=kind, inputs=['a', *(t['name'] for t in more)], outputs=['b'],
                 attrs=attrs),
            dict(name='q', type=first, inputs=['b'], outputs=['y'])])


def alone(kind, tensors, **attrs):
    inputs = [t['name'] for t in tensors if t.get('role') != 'output']
    outputs = [t['name'] for t in tensors if t.get('role') == 'output']
    return dict(format='tenure.graph/1', tensors=tensors, ops=[
        dict(name='k', type=kind, inputs=inputs, outputs=outputs, attrs=attrs)])


ROWS = [
    ('a mirror without a mode', between('MIRROR_PAD', [1, 8, 16], [1, 11, 16],
                                        paddings=[0, 0, 0, 3, 0, 0]), None),
    ('a mirror that is symmetric', between('MIRROR_PAD', [1, 8, 16], [1, 11, 16], mode='SYMMETRIC',
                                           paddings=[0, 0, 0, 3, 0, 0]), None),
    ('a mirror of another mode', between('MIRROR_PAD', [1, 8, 16], [1, 11, 16], mode='reflect',
                                         paddings=[0, 0, 0, 3, 0, 0]), "the mode 'reflect'"),
    ('a sum with scratch', between('ADD_N', [4], [4], more=[tensor('s', [4], role='scratch')]), None),
    ('not, of fewer', between('LOGICAL_NOT', [3], [2, 3], 'bool'), 'differ in size'),
    ('blocks of 2^60', alone('BATCH_TO_SPACE_ND', [
        tensor('x', [0, 1, 1, 1], role='input'),
        tensor('n', [2], 'i32', 'const', data={'values': [WIDE, WIDE]}),
        tensor('c', [2, 2], 'i32', 'const', data={'values': [WIDE - 1, 0, WIDE - 1, 0]}),
        tensor('y', [16, 1, 1, 1], role='output')]), 'is not what its operands give'),
    ('a bias of floats', alone('DEPTHWISE_CONV_2D', [
        tensor('x', [1, 4, 4, 2], 'i16', 'input'), tensor('w', [1, 3, 3, 2], role='const', data={'seed': 1}),
        tensor('c', [2], 'f32', 'const', data={'seed': 2}), tensor('y', [1, 2, 2, 2], 'i16', 'output')],
        stride=[1, 1], pad='VALID'), 'a bias of 64 bits'),
    ('rows that are not there', alone('RESIZE_NEAREST_NEIGHBOR', [
        tensor('x', [1, 0, 1, LONG], role='input'), tensor('y', [1, 0, 1, LONG], role='output')]),
     'no known size'),
    ('a constant that is written through a view', dict(format='tenure.graph/1', tensors=[
        tensor('x', [2], role='input'),
        tensor('c', [2], role='const', mutated=True, data={'values': [1, 2]}),
        tensor('v', [2], view_of='c', mutated=True), tensor('y', [2], role='output')],
        ops=[dict(name='o', type='RELU', inputs=['x'], outputs=['v']),
             dict(name='p', type='RELU', inputs=['v'], outputs=['y'])]), 'no place in memory'),
    ('columns that are not there', alone('PAD', [
        tensor('x', [70000, 70000, 0], role='input'), tensor('y', [70000, 70000, 0], role='output')],
        paddings=[0] * 6), 'no known size'),
]


def run(*words):
    return served.run([program, *map(str, words)], capture_output=True, timeout=20)


for what, graph, said in ROWS:
    path, plan = folder / 'graph.json', folder / 'plan.json'
    path.write_text(json.dumps(graph))
    apart = run('run', path, '--no-reuse', '--dump-layers')
    if said:
        if apart.returncode not in (1, 2) or said not in apart.stderr.decode():
            wrong.append(f'{what}: {apart.returncode}, {apart.stderr.decode()[-300:]}')
        continue
    made = run('plan', path, '-o', plan)
    over = run('run', path, '--plan', plan, '--dump-layers')
    if made.returncode or apart.returncode or over.stdout != apart.stdout:
        wrong.append(f'{what}: {made.stderr.decode()[-200:]} {over.stdout.decode()[-200:]} '
                     f'{over.stderr.decode()[-200:]}, want {apart.stdout.decode()[-200:]} '
                     f'{apart.stderr.decode()[-200:]}')
print(*wrong, sep='\n')
sys.exit(1 if wrong else 0)

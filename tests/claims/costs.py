#!/usr/bin/env python3
"""What a claim costs to judge is counted, so that a small file does not cost minutes: huge tensors,
long chains, many claims, many losses. Each graph is judged with these words, in seconds. Usage: costs.py TENURE [--every]"""
import json
import pathlib
import subprocess
import sys
import tempfile

program, folder = sys.argv[1], pathlib.Path(tempfile.mkdtemp())
LARGE = 'the graph and its claims are too large to be replayed step by step'
LONG = 2 ** 50


def tensor(name, shape, role='act', **more):
    return dict(name=name, shape=shape, dtype='f32', role=role, **more)


def op(kind, inputs, outputs, name='k', **attrs):
    return dict(name=name, type=kind, inputs=inputs, outputs=outputs, attrs=attrs)


def graph(tensors, ops, claims, **more):
    return dict(format='tenure.graph/1', tensors=tensors, ops=ops, claims=claims, **more)


def inplace(on='a', out='b', at='k', name='c'):
    return dict(id=name, kind='inplace', op=at, **{'in': on, 'out': out})


def reuse(name, what, of, **more):
    return dict(id=name, kind='reuse', tensor=what, of=of, **more)


def middle(before, after, kind, **attrs):
    """Relu, the op in place, Relu."""
    return graph([tensor('x', before, 'input'), tensor('a', before), tensor('b', after),
                  tensor('y', after, 'output')],
                 [op('Relu', ['x'], ['a'], 'p'), op(kind, ['a'], ['b'], **attrs),
                  op('Relu', ['b'], ['y'], 'q')], [inplace()])


def outputs_at_one_place(n):
    names = ['y%d' % i for i in range(n)]
    return graph([tensor('x', [4], 'input'), *(tensor(t, [4], 'output') for t in names)],
                 [op('Relu', ['x'], [t], 'k%s' % t) for t in names],
                 [dict(id='c', kind='plan', arena_bytes=16,
                       offsets={t: 0 for t in names})])


def chain(n, claims):
    names = ['t%d' % i for i in range(n)]
    return graph([tensor('x', [4], 'input'), *(tensor(t, [4]) for t in names), tensor('y', [4], 'output')],
                 [op('Relu', [before], [after], 'k' + after)
                  for before, after in zip(['x', *names], [*names, 'y'])], claims(names))


def strided(n):
    """Every second element, and those between: ops that no dependence orders."""
    half = [2, n // 2]
    return graph([tensor('x', half, 'input'), tensor('s', [2 * n]),
                  *(tensor(t, half, 'act', view_of='s', view_offset=k, strides=[2, 4])
                    for k, t in enumerate('ab')),
                  tensor('z', [2 * n], 'act'), tensor('y', [2 * n], 'output')],
                 [op('Relu', ['x'], ['a'], 'p'), op('Relu', ['x'], ['b'], 'q'),
                  op('Relu', ['s'], ['z'], 'k'), op('Relu', ['z'], ['y'], 'r')],
                 [dict(id='c', kind='inplace', op='k', **{'in': 's', 'out': 'z'})],
                 exec='parallel')


ROWS = [
    ('a copy of 2^50 elements', middle([LONG], [LONG], 'Copy'), LARGE),
    ('a transposition of them', middle([2 ** 25, 2 ** 25], [2 ** 25, 2 ** 25], 'Transpose',
                                       perm=[1, 0]), LARGE),
    ('a sum over them', middle([1, LONG], [1, 1], 'ReduceSum', axis=[1]), LARGE),
    ('a row of them', middle([1, LONG], [1, LONG], 'Softmax'), LARGE),
    ('outputs at one place', outputs_at_one_place(4000), "'ky1' writes 'y1' over bytes [0, 16)"),
    ('claims in a row', chain(8000, lambda names: [
        reuse('c%d' % i, a, b) for i, (a, b) in enumerate(zip(names[1:], names))]), LARGE),
    ('claims, each for itself', chain(8000, lambda names: [
        inplace(a, b, 'k' + b, 'c' + b) for a, b in zip(names, names[1:])]), LARGE),
    ('elements between elements', strided(2 ** 17), '0 errors'),
    ('many elements between elements', strided(2 ** 22), LARGE),
]
FEW = [row for row in ROWS if row[0] in (
    'a sum over them', 'outputs at one place', 'elements between elements')]
wrong = []
for what, judged, said in ROWS if '--every' in sys.argv else FEW:
    path = folder / 'graph.json'
    path.write_text(json.dumps(judged))
    done = subprocess.run([program, 'lint', path], capture_output=True, timeout=300)
    text = done.stdout.decode() + done.stderr.decode()
    if done.returncode not in (0, 1) or said not in text:
        wrong.append(f'{what}: {done.returncode}, {text[-400:]}')
print(*wrong, sep='\n')
sys.exit(1 if wrong else 0)

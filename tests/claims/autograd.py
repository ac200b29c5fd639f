#!/usr/bin/env python3
"""What backward keeps (rules/autograd.def) against a public table of it: no claim may be proved
that writes over what the table says is kept, and few are rejected without need. Skipped
without ../shared. Usage: autograd.py TENURE SOURCE_ROOT"""
import csv
import pathlib
import sys

import cases

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
table = root.parent / 'shared/peers/autograd_saved.csv'
if not table.exists():
    sys.exit(77)
PAIRS = ('add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'matmul', 'mm', 'bmm')


def tensor(name, role='act'):
    return {'name': name, 'dtype': 'f32', 'shape': [4, 4], 'role': role}


def graph(kind, two):
    """Two results of linear ops, the op, and a linear op on what it gives."""
    def op(name, kind, inputs, output):
        return {'name': name, 'type': kind, 'inputs': inputs, 'outputs': [output], 'attrs': {}}

    claims = [{'id': 'self', 'kind': 'inplace', 'op': 'o', 'in': 'h', 'out': 'y'},
              {'id': 'result', 'kind': 'inplace', 'op': 'c', 'in': 'y', 'out': 'z'}]
    if two:
        claims.append({'id': 'other', 'kind': 'inplace', 'op': 'o', 'in': 'k', 'out': 'y'})
    return {'format': 'tenure.graph/1', 'claims': claims,
            'tensors': [tensor('x', 'input'), tensor('h'), tensor('k'), tensor('y'),
                        tensor('z', 'output')],
            'ops': [op('a', 'AddC', ['x'], 'h'), op('b', 'AddC', ['x'], 'k'),
                    op('o', kind, ['h', 'k'] if two else ['h'], 'y'),
                    op('c', 'aten::neg', ['y'], 'z')]}


graphs, want = {}, {}
for row in csv.DictReader(table.open()):
    name = row['op'].split(' (')[0]
    base = name.split('.')[0]
    two = base in PAIRS and '.Scalar' not in name
    kept = {'self': row['saves_self'] == 'yes' and row['inplace_ok_in_training'] == 'no',
            'result': row['saves_result'] == 'yes',
            'other': row['saves_other'] == 'yes'}
    # without its overload a name may be any of them
    for kind in {'aten::' + name,
                 'torch.ops.aten.' + (name if '.' in name else name + '.default')}:
        graphs[kind], want[kind] = graph(kind, two), kept
told = cases.lint(program, graphs, {'profile': 'training'})
wrong = needless = n = 0
for kind, claims in told.items():
    for claim in claims:
        if len(claim['claims']) != 1 or claim['verdict'] == 'unproved':
            continue
        n += 1
        what = claim['claims'][0]
        has = claim['hazard'] == 'SAVED_FOR_BACKWARD_WAR'
        needless += has and not want[kind][what]
        if want[kind][what] and not has:
            wrong += 1
            print('%s, %s: kept, and the claim is %s' % (kind, what, claim['verdict']))
print('%d claims on %d ops: %d wrong, %d rejected without need' % (n, len(graphs), wrong, needless))
sys.exit(1 if wrong or n < 300 or needless > n // 10 else 0)

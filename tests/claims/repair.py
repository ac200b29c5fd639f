#!/usr/bin/env python3
"""`tenure plan --repair` keeps to claims as far as they are legal, mends plans that are wrong,
and what it writes is verified. Usage: repair.py TENURE SOURCE_ROOT"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import cases

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = pathlib.Path(tempfile.mkdtemp())
wrong = []


def run(*words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True)


def offsets(plan):
    return {t['name']: t['offset'] for t in plan['tensors'] if t.get('region') is not None}


def repaired(name, graph, extra=()):
    """The plan and what was said about it; None when the graph cannot be planned at all."""
    path, out = folder / 'graph.json', folder / 'plan.json'
    path.write_text(json.dumps(graph))
    done = run('plan', '--repair', path, '-o', out, *extra)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        wrong.append('%s: exit %d: %s' % (name, done.returncode, done.stderr[-300:]))
        return None
    check = run('verify', path, out)
    if check.returncode != 0:
        wrong.append('%s: %s' % (name, check.stderr[-300:]))
    return json.loads(out.read_text()), done.stderr


def holds(claim, at):
    """Does the plan do what the claim says?"""
    pair = {'inplace': ('out', 'in'), 'reuse': ('tensor', 'of'), 'alias': ('tensor', 'of'),
            'donate': ('tensor', 'of')}.get(claim['kind'])
    if not pair or any(claim[p] not in at for p in pair):
        return None
    return at[claim[pair[0]]] == at[claim[pair[1]]] + claim.get('byte_offset', 0)


def claims():
    """Every set of every case. A set that is proved is kept, unless the built-in kernels
    cannot do it: they are what the plan is for."""
    kept = moved = changed = 0
    for case in cases.own(root) + cases.public(root):
        for i, item in enumerate(case['items']):
            graph = cases.subset(case, item)
            if any(o in item for o in cases.OPTIONS):
                continue
            got = repaired('%s %d' % (case['id'], i), graph)
            if not got:
                continue
            plan, said = got
            is_rejected = item['verdict'] == 'REJECT'
            if is_rejected and 'repaired]' not in said and 'replaced]' not in said \
                    and graph['claims'][0]['kind'] not in ('plan', 'drop'):
                wrong.append('%s %d: nothing was repaired' % (case['id'], i))
            changed += is_rejected
            if item['verdict'] != 'PROVE':
                continue
            for claim in graph['claims']:
                does = holds(claim, offsets(plan))
                kept += does is True
                moved += does is False
                # types that only claims know, and strides, have no built-in kernel that
                # works in place
                if does is False and 'unknown-op' not in said \
                        and not any('strides' in t for t in graph['tensors']):
                    wrong.append('%s %d: %s is not kept' % (case['id'], i, claim['id']))
    print('%d rejected sets changed, %d proved claims kept, %d not' % (changed, kept, moved))
    assert kept > moved and changed > 100, (kept, moved, changed)


def plans():
    """Plans of ours that are damaged."""
    mended = refused = 0
    for path in sorted((root / 'fixtures/graphs').glob('*.json')):
        good = folder / 'good.json'
        if run('plan', path, '-o', good).returncode != 0:
            continue
        rng = random.Random(path.name)
        for change in range(3):
            plan = json.loads(good.read_text())
            tensors = [t for t in plan['tensors'] if t.get('region') is not None]
            if change == 0:
                for t in tensors:
                    t['offset'] = 0
            elif change == 1:
                some = [t['offset'] for t in tensors]
                rng.shuffle(some)
                for t, at in zip(tensors, some):
                    t['offset'] = at
            else:
                rng.choice(tensors)['offset'] += 1
            bad, out = folder / 'bad.json', folder / 'mended.json'
            bad.write_text(json.dumps(plan))
            refused += run('verify', path, bad).returncode == 1
            done = run('plan', path, '--repair', '--plan', bad, '-o', out)
            if done.returncode != 0 or run('verify', path, out).returncode != 0:
                wrong.append('%s, change %d: exit %d: %s' % (
                    path.name, change, done.returncode, done.stderr[-300:]))
            elif 'replaced]' not in done.stderr:
                mended += 1
    print('%d damaged plans were refused, %d mended' % (refused, mended))
    assert mended > 0.9 * refused > 20, (mended, refused)


claims()
plans()
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)

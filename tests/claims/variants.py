#!/usr/bin/env python3
"""Cases that are changed in ways that change nothing keep their verdicts: other names, other
numbers, ops listed in another order, unrelated ops between them.
Usage: variants.py TENURE SOURCE_ROOT"""
import copy
import pathlib
import random
import sys

import cases

program, root = sys.argv[1], pathlib.Path(sys.argv[2])


def schedule(graph):
    return graph.get('schedule') or [op['name'] for op in graph['ops']]


def rename(value, name):
    """A name, or all names of a list."""
    if isinstance(value, list):
        return [rename(v, name) for v in value]
    return name(value) if isinstance(value, str) else value


def renamer(graph, word):
    known = {t['name'] for t in graph['tensors']} | {o['name'] for o in graph['ops']}
    known |= {c['id'] for c in graph['claims']}
    return lambda name: word + name if name in known else name


def renamed(case, rng):
    """Tensors, ops and claims get other names. What tells a body's tensor is at the end."""
    graph = case['graph']
    name = renamer(graph, rng.choice(('n', 'layer4_', 'Model-')))
    out = copy.deepcopy(case)
    for t in out['graph']['tensors']:
        t.update({k: name(t[k]) for k in ('name', 'view_of') if k in t})
    for op in out['graph']['ops']:
        op['name'] = name(op['name'])
        op['inputs'] = rename(op['inputs'], name)
        op['outputs'] = rename(op['outputs'], name)
        for key in ('scratch', 'destroys', 'tied', 'mutates', 'reads_target', 'scratch_live'):
            if key in op.get('attrs', {}):
                op['attrs'][key] = rename(op['attrs'][key], name)
    for claim in out['graph']['claims']:
        for key, value in claim.items():
            if isinstance(value, dict):
                claim[key] = {name(k): v for k, v in value.items()}
            elif key != 'kind':
                claim[key] = rename(value, name)
    for key in ('schedule', 'outputs', 'inputs'):
        if key in out['graph']:
            out['graph'][key] = rename(out['graph'][key], name)
    for choice in out['graph'].get('branches', {}).values():
        for branch in choice:
            choice[branch] = rename(choice[branch], name)
    scopes = out['graph'].get('subgraph_of', {})
    for scope in scopes:
        scopes[scope] = rename(scopes[scope], name)
    for item in out['items']:
        item['claims'] = rename(item['claims'], name)
        witness = item.get('witness', {})
        for key in ('writer', 'victim', 'reader'):
            if witness.get(key):
                witness[key] = name(witness[key])
    return out


def renumbered(case, rng):
    """Tensors in another order; inputs and outputs keep theirs, it is the caller's."""
    out = copy.deepcopy(case)
    tensors = out['graph']['tensors']
    fixed = [t for t in tensors if t.get('role') in ('input', 'output')]
    free = [t for t in tensors if t not in fixed]
    rng.shuffle(free)
    slots = sorted(rng.sample(range(len(tensors)), len(fixed)))
    out['graph']['tensors'] = [fixed.pop(0) if i in slots else free.pop(0)
                               for i in range(len(tensors))]
    return out


def relisted(case, rng):
    """Ops listed in another order; they run in the old one. Those that the schedule leaves
    out, of another branch, keep theirs."""
    out = copy.deepcopy(case)
    order = list(schedule(case['graph']))
    out['graph']['schedule'] = order
    ops = out['graph']['ops']
    slots = [i for i, op in enumerate(ops) if op['name'] in order]
    moved = [ops[i] for i in slots]
    rng.shuffle(moved)
    for i, op in zip(slots, moved):
        ops[i] = op
    return out


def accompanied(case, rng):
    """Ops that have nothing to do with the others run between them."""
    out = copy.deepcopy(case)
    graph = out['graph']
    order = list(schedule(graph))
    shape = {'dtype': 'f32', 'shape': [3]}
    graph['tensors'] += [dict(shape, name='zz_in', role='input'),
                         dict(shape, name='zz_mid', role='act'),
                         dict(shape, name='zz_out', role='output')]
    graph['ops'] += [
        {'name': 'zz_a', 'type': 'Neg', 'inputs': ['zz_in'], 'outputs': ['zz_mid'], 'attrs': {}},
        {'name': 'zz_b', 'type': 'Abs', 'inputs': ['zz_mid'], 'outputs': ['zz_out'],
         'attrs': {}}]
    for a_list in [order] + [c['order'] for c in graph['claims'] if 'order' in c]:
        at = sorted(rng.sample(range(len(a_list) + 2), 2))
        a_list.insert(at[0], 'zz_a')
        a_list.insert(at[1], 'zz_b')
    graph['schedule'] = order
    return out


CHANGES = (renamed, renumbered, relisted, accompanied)


def check(list_of_cases, seed):
    items, want = {}, {}
    for case in list_of_cases:
        for change in CHANGES + (None,):
            rng = random.Random('%s %s %d' % (case['id'], change, seed))
            other = case
            for one in (change,) if change else CHANGES:
                other = one(other, rng)
            for i, item in enumerate(other['items']):
                items[case['id'], change.__name__ if change else 'all', i] = (other, item)
    wrong = 0
    for key, have in cases.judge(program, items).items():
        case, item = items[key]
        bad = cases.mistakes(case, item, have)
        if bad:
            wrong += 1
            print(key, item, 'but', ', '.join(bad))
    print('seed %d: %d variants, %d wrong' % (seed, len(items), wrong))
    return wrong


bad = 0
for seed in (1, 2):
    bad += check(cases.own(root) + cases.training(root) + cases.public(root), seed)
sys.exit(1 if bad else 0)

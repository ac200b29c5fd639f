#!/usr/bin/env python3
"""`tenure plan --repair` keeps to claims as far as they are legal, mends plans that are wrong,
and what it writes is verified. Usage: repair.py TENURE SOURCE_ROOT"""
import json
import pathlib
import random
import sys
import tempfile

import cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = pathlib.Path(tempfile.mkdtemp())
wrong = []


def run(*words):
    return served.run([program, *map(str, words)], capture_output=True, text=True)


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


def destroyed():
    """Ops that destroy what is needed: another order where that helps, else a copy for each op
    that no order helps, and of nothing else. Of plans made before anybody needed it, too."""
    copies = {'destroy-clobber-ok': 0, 'destroyed-copy': 0, 'late-reader': 0, 'two-destroyers': 2}
    n, mended = 0, []
    for case in cases.own_word(root):
        destroys = [o for o in case['graph']['ops'] if 'destroys' in o['attrs']]
        (folder / 'graph.json').write_text(
            json.dumps(dict(case['graph'], format='tenure.graph/1')))
        code = run('plan', '--rewrite', 'none', folder / 'graph.json').returncode
        if code > 1 or (code and not case['items'] and 'claims' not in case['graph']):
            wrong.append('%s: plan says %d' % (case['id'], code))
        if not destroys:
            continue
        n += 1
        graph = dict(case['graph'], format='tenure.graph/1', claims=[])
        want = copies.get(case['id'], 1)
        got = repaired(case['id'], graph)
        if not got:
            wrong.append('%s: no plan' % case['id'])
            continue
        check_copies(case['id'], graph, got[0], want)
        # the same graph when nobody needs what is destroyed: its plan is right, but for us
        easy = json.loads(json.dumps(graph))
        for t in easy['tensors']:
            t['clobber'] = True if t['role'] == 'input' else t.get('clobber', False)
            t.pop('observed', None)
        path, plan = folder / 'easy.json', folder / 'easy.plan.json'
        path.write_text(json.dumps(easy))
        if run('plan', '--rewrite', 'none', path, '-o', plan).returncode != 0:
            continue
        got = repaired(case['id'] + ', a plan', graph, ('--plan', plan))
        if got:
            check_copies(case['id'] + ', a plan', graph, got[0], want)
        mended.append(case['id'])
    print('%d graphs with ops that destroy something, %d plans of them' % (n, len(mended)))
    assert n >= 10 and len(mended) >= 3 and len(tried) >= 8, (n, mended, tried)


def in_new_memory(graph):
    """What the graph means, each write in a tensor of its own."""
    made = json.loads(json.dumps(graph))
    now = {}
    written = set(o for op in made['ops'] for o in op['outputs'])
    kept = [t['name'] for t in made['tensors'] if t.get('mutated') and t['name'] in written]
    for op in made['ops']:
        op['inputs'] = [now.get(t, t) for t in op['inputs']]
        for i, t in enumerate(op['outputs']):
            if t not in kept:
                continue
            fresh = dict(next(m for m in made['tensors'] if m['name'] == t), role='act')
            for key in 'view_of', 'offset', 'mutated', 'data', 'clobber':
                fresh.pop(key, None)
            fresh['name'] = op['outputs'][i] = now[t] = '%s_%d' % (t, len(made['tensors']))
            made['tensors'].append(fresh)
    return made


def written():
    """Ops that write what must stay as it is: they write a copy, where that is legal."""
    def tensor(name, role='act', n=8, **more):
        return dict(name=name, dtype='f32', shape=[n], role=role, **more)

    def op(name, kind, inputs, output):
        return {'name': name, 'type': kind, 'inputs': inputs, 'outputs': [output]}

    given = [tensor('x', 'input'), tensor('v', view_of='x', mutated=True)]
    fixed = [tensor('x', 'input'), tensor('v', 'const', data={'seed': 1}, mutated=True)]
    part = [tensor('x', 'input'), tensor('v', n=4, view_of='x', offset=4, mutated=True),
            tensor('u', n=4, view_of='x')]
    ends, few = [tensor('y', 'output'), tensor('w', 'output')], [tensor('y', 'output', 4)]
    negated, absolute = op('a', 'NEG', ['x'], 'v'), op('b', 'ABS', ['v'], 'y')
    cases = {
        'input': (1, given + ends, [negated, absolute, op('c', 'NEG', ['v'], 'w')]),
        'input, read before': (1, given + ends, [op('c', 'NEG', ['x'], 'w'), negated, absolute]),
        'input, twice': (1, given + ends, [negated, op('d', 'EXP', ['v'], 'v'), absolute,
                                           op('c', 'NEG', ['v'], 'w')]),
        'part of an input': (1, part + few, [op('a', 'NEG', ['u'], 'v'), absolute]),
        'constant': (1, fixed + ends, [op('c', 'ABS', ['v'], 'w'),
                                       op('a', 'ADD', ['x', 'v'], 'v'), absolute]),
        'constant, only written': (1, fixed + ends[:1], [negated, absolute]),
        'input, by another name': (0, given + ends, [negated, absolute,
                                                     op('c', 'NEG', ['x'], 'w')]),
        'input, given back': (0, [given[0], dict(given[1], role='output')], [negated]),
        'input, observed': (0, [given[0], dict(given[1], observed=True)] + ends[:1],
                            [negated, absolute]),
        'input, in parallel': (0, given + ends[:1], [negated, absolute]),
    }
    for name, (copies, tensors, ops) in cases.items():
        graph = {'format': 'tenure.graph/1', 'tensors': tensors, 'ops': ops}
        if 'parallel' in name:
            graph['exec'] = 'parallel'
        path, out = folder / 'written.json', folder / 'written.plan.json'
        path.write_text(json.dumps(graph))
        done = run('plan', '--repair', path, '-o', out)
        if not copies:
            if done.returncode != 1 or '[hazard/' not in done.stderr:
                wrong.append('%s: exit %d: %s' % (name, done.returncode, done.stderr[-300:]))
            continue
        got = repaired(name, graph)
        if not got:
            continue
        if len(got[0].get('copies', [])) != copies or 'writes a copy of' not in got[1]:
            wrong.append('%s: copies %s: %s' % (name, got[0].get('copies'), got[1]))
        (folder / 'fresh.json').write_text(json.dumps(in_new_memory(graph)))
        one, other = ran(folder / 'graph.json', '--plan', folder / 'plan.json'), ran(
            folder / 'fresh.json', '--no-reuse')
        if one != other:
            wrong.append('%s: runs differently: %s, %s' % (name, one[-200:], other[-200:]))


tried = []


def check_copies(name, graph, plan, want):
    have = plan.get('copies', [])
    known = {t['name'] for t in graph['tensors']} | {o['name'] for o in graph['ops']}
    if len(have) != want:
        wrong.append('%s: %d copies' % (name, len(have)))
    for copy in have:
        if copy['before'] != copy['reader'] or copy['tensor'] not in known:
            wrong.append('%s: %s is no copy of what an op destroys' % (name, copy))
    # the copy is what is destroyed: it may not be left out
    for copy in have:
        bad = json.loads(json.dumps(plan))
        at = {t['name']: t for t in bad['tensors']}
        whole = at.get(copy['tensor'], {})
        made = copy['tensor'] + '_copy'
        if whole.get('region') is None or whole['offset'] % 16:
            continue
        at[made]['offset'] = whole['offset']
        next(o for o in bad['ops'] if o['name'] == made)['elided'] = True
        tried.append(name)
        (folder / 'bad.json').write_text(json.dumps(bad))
        done = run('verify', folder / 'graph.json', folder / 'bad.json')
        if done.returncode != 1 or 'garbage' not in done.stderr:
            wrong.append('%s: a copy is left out: exit %d: %s' % (
                name, done.returncode, done.stderr[-300:]))


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


def ran(path, *extra):
    done = run('run', '--rewrite', 'none', path, *extra)
    return done.stdout if done.returncode == 0 else done.stderr


def remedies():
    """One graph for each remedy: it is the one that is taken, what comes of it is verified,
    runs equal, and the claim holds unless it is given up."""
    expected = {'another_order': "run 'late' before", 'inserted_copy': "copy 'head'",
                'out_of_place': 'memory of its own', 'buffered_kernel': 'holds a pixel back',
                'two_copies': "'feet' for 'later'"}
    for kind, words in sorted(expected.items()):
        path, out = root / 'fixtures/repair' / (kind + '.json'), folder / 'repaired.json'
        done = run('plan', '--repair', path, '-o', out)
        if done.returncode != 0 or words not in done.stderr:
            wrong.append('%s: exit %d: %s' % (kind, done.returncode, done.stderr[-300:]))
            continue
        if run('verify', path, out).returncode != 0:
            wrong.append('%s: the plan is refused' % kind)
        if ran(path, '--plan', out) != ran(path, '--no-reuse'):
            wrong.append('%s: runs differently' % kind)
        plan = json.loads(out.read_text())
        claim = json.loads(path.read_text())['claims'][0]
        if holds(claim, offsets(plan)) != (kind != 'out_of_place'):
            wrong.append('%s: where is %s?' % (kind, claim['out']))
        if len(plan.get('copies', [])) != {'inserted_copy': 1, 'two_copies': 2}.get(kind, 0):
            wrong.append('%s: copies %s' % (kind, plan.get('copies')))
        if plan.get('copies'):
            other = json.loads(out.read_text())
            other['copies'] *= 300
            (folder / 'bad.json').write_text(json.dumps(other))
            if run('verify', path, folder / 'bad.json').returncode != 2:
                wrong.append('%s: any number of copies is accepted' % kind)
        for i in range(len(plan.get('copies', []))):
            for key, value in (('index', 999), ('before', 999), ('reader', 0), ('reader', -1),
                               ('index', 0), ('before', None)):
                other = json.loads(out.read_text())
                other['copies'][i][key] = value
                bad = folder / 'bad.json'
                bad.write_text(json.dumps(other))
                if run('verify', path, bad).returncode not in (1, 2):
                    wrong.append('%s: %s %s is accepted' % (kind, key, value))


def impossible_copies():
    """A copy that would change what the graph means is not taken, nor one that runs in
    parallel to what it is for."""
    for change in ('written between', 'parallel'):
        graph = json.loads((root / 'fixtures/repair/inserted_copy.json').read_text())
        if change == 'parallel':
            graph['exec'] = 'parallel'
        else:
            graph['tensors'][1]['mutated'] = True
            graph['tensors'] += [
                {'name': 'part', 'dtype': 'f32', 'shape': [1, 2], 'view_of': 'a', 'offset': 4,
                 'mutated': True},
                {'name': 'few', 'dtype': 'f32', 'shape': [1, 2], 'role': 'input'}]
            graph['ops'].insert(2, {'name': 'again', 'type': 'NEG', 'inputs': ['few'],
                                    'outputs': ['part']})
        got = repaired(change, graph)
        if got and got[0].get('copies'):
            wrong.append('%s: a copy was inserted' % change)
        if got and 'memory of its own' not in got[1]:
            wrong.append('%s: %s' % (change, got[1][-300:]))


def mended_copy():
    """A plan in which few bytes are overwritten before they are read for the last time: a
    copy of them costs less than moving all of either."""
    graph = json.loads((root / 'fixtures/repair/inserted_copy.json').read_text())
    del graph['claims']
    path, bad, out = (folder / n for n in ('graph.json', 'bad.json', 'out.json'))
    for tight in (True, False):
        path.write_text(json.dumps(graph))
        run('plan', path, '--overlap', 'none', '--rewrite', 'none', '-o', bad)
        plan = json.loads(bad.read_text())
        at = {t['name']: t for t in plan['tensors']}
        shift = at['b']['offset'] - at['a']['offset']
        for name in 'b', 'tail':
            at[name]['offset'] -= shift
        if tight:
            at['y']['offset'] -= shift
        bad.write_text(json.dumps(plan))
        if run('verify', path, bad).returncode != 1:
            wrong.append('mended copy: the plan is accepted')
        mend = 'plan', path, '--repair', '--rewrite', 'none', '--plan', bad, '-o', out
        done = run(*mend)
        if done.returncode != 0 or run('verify', path, out).returncode != 0:
            wrong.append('mended copy: exit %d: %s' % (done.returncode, done.stderr[-300:]))
            continue
        plan = json.loads(out.read_text())
        copies = [c['tensor'] for c in plan.get('copies', [])]
        # memory that is there already costs nothing: then b moves
        if copies != (['head'] if tight else []) or plan['arena_bytes'] > 3104:
            wrong.append('mended copy: %s, %d B' % (copies, plan['arena_bytes']))
        if ran(path, '--plan', out) != ran(path, '--no-reuse'):
            wrong.append('mended copy: runs differently')
        # what is mended once can be mended again
        again = json.loads(out.read_text())
        for t in again['tensors']:
            if t.get('region') is not None:
                t['offset'] = 0
        bad.write_text(json.dumps(again))
        done = run(*mend)
        if done.returncode != 0 or 'replaced]' in done.stderr \
                or run('verify', path, out).returncode != 0:
            wrong.append('mended again: exit %d: %s' % (done.returncode, done.stderr[-300:]))


def wrecked(plan):
    """All on one place."""
    plan = json.loads(json.dumps(plan))
    for t in plan['tensors']:
        if t.get('region') is not None:
            t['offset'] = 0
    return plan


def mend(graph, plan, *words):
    bad, out = folder / 'bad.json', folder / 'mended.json'
    bad.write_text(json.dumps(plan))
    if out.exists():
        out.unlink()
    done = run('plan', graph, '--repair', '--plan', bad, '-o', out, *words)
    return done, json.loads(out.read_text()) if out.exists() else None


def kept_memories():
    """Regions, what is reserved of them, their capacities and pins are what the plan says: a
    repair keeps to them, or there is none."""
    path, good = root / 'fixtures/graphs/kws_i8.json', folder / 'good.json'
    mended = refused = 0
    for words in (['--region', 'fast:9k', '--region', 'slow:20k'],
                  ['--region', 'fast:20k', '--region', 'slow:20k', '--pin', 'input=slow+16'],
                  ['--region', 'fast:20k', '--reserve', 'fast:4k'],
                  ['--region', 'fast:20k', '--region', 'io:2k', '--owned', 'io', '--pin', 'input=io'],
                  ['--region', 'only:8700']):
        done = run('plan', path, *words, '--rewrite', 'none', '-o', good)
        if done.returncode != 0:
            wrong.append('%s: exit %d: %s' % (words, done.returncode, done.stderr[-300:]))
            continue
        plan = json.loads(good.read_text())
        for shrink in (0, 1):
            bad = wrecked(plan)
            for r in bad['regions']:
                if shrink:
                    r['capacity'] = r['used'] // 8
            done, got = mend(path, bad)
            refused += done.returncode == 1
            if done.returncode == 1:
                if '[plan/no-repair]' not in done.stderr or got or not shrink and 'only' not in words[1]:
                    wrong.append('%s: %s' % (words, done.stderr[-300:]))
                continue
            mended += 1
            if run('verify', path, folder / 'mended.json').returncode != 0:
                wrong.append('%s: what is mended is refused' % words)
            for had, has in zip(bad['regions'], got['regions']):
                if {k: v for k, v in had.items() if k != 'used'} != {
                        k: v for k, v in has.items() if k != 'used'}:
                    wrong.append('%s: a region has changed: %s' % (words, has))
                if has['used'] > has['capacity'] - has.get('reserved', 0):
                    wrong.append('%s: %s' % (words, has))
            if bad.get('pins') != got.get('pins'):
                wrong.append('%s: pins have changed' % words)
    print('%d plans with memories mended, %d refused' % (mended, refused))
    assert mended >= 4 and refused >= 4, (mended, refused)


def huge_numbers():
    """Offsets of which no end can be counted."""
    path, good = root / 'fixtures/graphs/kws_i8.json', folder / 'good.json'
    run('plan', path, '-o', good)
    for at in (2 ** 63 - 1, 2 ** 63 - 16, 2 ** 62):
        plan = json.loads(good.read_text())
        for t in plan['tensors'][:6]:
            if t.get('region') is not None:
                t['offset'] = at
        done, got = mend(path, plan)
        if done.returncode != 0 or run('verify', path, folder / 'mended.json').returncode != 0:
            wrong.append('offset %d: exit %d: %s' % (at, done.returncode, done.stderr[-300:]))


def stale():
    """A plan of another graph, other constants, kernels or contracts is no plan of this one."""
    path, good = root / 'fixtures/repair/inserted_copy.json', folder / 'good.json'
    run('plan', path, '--repair', '-o', good)
    plan = json.loads(good.read_text())
    for key, digest in plan['digests'].items():
        other = json.loads(good.read_text())
        other['digests'][key] = ('0' if digest[0] != '0' else '1') + digest[1:]
        done, got = mend(path, other, '--rewrite', 'none')
        if done.returncode != 1 or got or '[plan/stale]' not in done.stderr:
            wrong.append('another digest of %s: exit %d: %s' % (
                key, done.returncode, done.stderr[-300:]))
    other = json.loads(good.read_text())
    other['copies'][0]['index'] = 999
    (folder / 'bad.json').write_text(json.dumps(other))
    for words in (['verify', path, folder / 'bad.json'],
                  ['run', path, '--plan', folder / 'bad.json', '--rewrite', 'none'],
                  ['plan', path, '--repair', '--plan', folder / 'bad.json']):
        done = run(*words)
        rules = [w.split(']')[0] for w in done.stderr.split('[')[1:]]
        if done.returncode != 1 or rules != ['plan/stale']:
            wrong.append('%s: exit %d: %s' % (words[0], done.returncode, done.stderr[-300:]))


def told_once():
    """What moved is told, once, with where it is in the end."""
    for name in 'kws_i8.json', 'residual_i8.json', 'resnet8_i8.json':
        path, good = root / 'fixtures/graphs' / name, folder / 'good.json'
        run('plan', path, '--rewrite', 'none', '-o', good)
        done, got = mend(path, wrecked(json.loads(good.read_text())), '--rewrite', 'none')
        notes = [line.split(": note: '")[1] for line in done.stderr.splitlines()
                 if '[plan/repaired]' in line]
        at = offsets(got)
        for note in notes:
            tensor, _, place = note.partition("' is placed at ")
            if place and at[tensor] != int(place.split()[0]):
                wrong.append('%s: %s, but it is at %d' % (name, note, at[tensor]))
        if not notes or len(notes) != len(set(n.split("'")[0] for n in notes)):
            wrong.append('%s: %d notes: %s' % (name, len(notes), notes[:4]))


def figures():
    """What a plan with copies says of itself."""
    for name, copies in ('inserted_copy', 1), ('two_copies', 2):
        path, out = root / 'fixtures/repair' / (name + '.json'), folder / 'plan.json'
        run('plan', path, '--rewrite', 'none', '-o', out)
        alone = json.loads(out.read_text())['no_reuse_bytes']
        text = run('plan', path, '--repair', '-o', out).stdout
        plan = json.loads(out.read_text())
        bytes_of = {t['index']: t['bytes'] for t in plan['tensors']}
        more = sum((bytes_of[c['index']] + 15) // 16 * 16 for c in plan['copies'])
        if len(plan['copies']) != copies or plan['no_reuse_bytes'] != alone + more:
            wrong.append('%s: no reuse %d B, without the copies %d' % (
                name, plan['no_reuse_bytes'], alone))
        if not 0 < plan['bound_bytes'] <= plan['activation_bytes']:
            wrong.append('%s: bound %d B' % (name, plan['bound_bytes']))
        if "nobody reads 'a' later" not in text or 'nothing runs' in text:
            wrong.append('%s: of the copy is said: %s' % (name, text))
        done = run('run', path, '--rewrite', 'none', '--plan', out, '--dump-layers')
        index = [json.loads(line)['tensor'] for line in done.stdout.splitlines()
                 if line.startswith('{"tensor"')]
        if not index or len(index) != len(set(index)):
            wrong.append('%s: layers have numbers %s' % (name, index))


def chains():
    """Rings are not mended, and no other format knows them."""
    path, plan = root / 'fixtures/graphs/kws_i8.json', folder / 'streamed.json'
    run('plan', path, '--stream', 'auto', '-o', plan)
    out = folder / 'none.json'
    for words in (['--repair', '--plan', plan, '-o', out],
                  ['--repair', '--stream', 'auto', '-o', out],
                  *(['--stream', 'auto', '-o', out, '--write-' + form, folder / 'none.bin']
                    for form in ('csv', 'header', 'offline', 'offsets'))):
        done = run('plan', path, *words)
        if done.returncode != 2 or '[command/stream]' not in done.stderr or out.exists() \
                or (folder / 'none.bin').exists():
            wrong.append('%s: exit %d: %s' % (words, done.returncode, done.stderr[-300:]))


kept_memories()
huge_numbers()
stale()
told_once()
figures()
chains()
mended_copy()
claims()
destroyed()
plans()
remedies()
impossible_copies()
written()
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)

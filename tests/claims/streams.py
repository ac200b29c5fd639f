#!/usr/bin/env python3
"""Plans with chains from strangers: whatever stands in `streams` and `ring_bytes`, the program
says what is wrong with it, or runs it as it runs the graph without sharing. Nothing may crash.
Usage: streams.py TENURE SOURCE_ROOT"""
import copy
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = pathlib.Path(tempfile.mkdtemp())
wrong = []
JUNK = (None, True, 'x', 1.5, -1, 0, 1, 2 ** 31, 2 ** 32, 2 ** 63 - 1, 10 ** 30, [], {}, [1], [[]])


def run(*words):
    done = served.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 1, 2) or 'anitizer' in done.stderr or 'runtime error' in done.stderr:
        wrong.append('%s: exit %d: %s' % (words[0], done.returncode, done.stderr[-600:]))
    return done


def places(value, at=()):
    """Every place in the JSON, outermost first."""
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], at + (key,))
    elif isinstance(value, list):
        for i in sorted({0, 1, len(value) - 1} & set(range(len(value)))):
            yield from places(value[i], at + (i,))


def put(plan, at, value):
    for key in at[:-1]:
        plan = plan[key]
    plan[at[-1]] = value


def drop(plan, at):
    for key in at[:-1]:
        plan = plan[key]
    del plan[at[-1]]


def fields(plan):
    """Each field missing, of another type, negative, zero, huge: half of the values, and the others
    for the next one."""
    for n, at in enumerate(places(plan['streams'], ('streams',))):
        for value in JUNK[n % 2::2]:
            yield '%s = %s' % (at, json.dumps(value)), lambda p, at=at, v=value: put(p, at, v)
        if len(at) > 1:
            yield '%s missing' % (at,), lambda p, at=at: drop(p, at)
    for i, t in enumerate(plan['tensors']):
        if t.get('region') is None:
            continue
        for value in JUNK[i % 2::2] + (t['bytes'], t['bytes'] * 2, t['bytes'] - 1, 16, 7):
            yield ('ring_bytes of %s = %s' % (t['name'], json.dumps(value)),
                   lambda p, i=i, v=value: put(p, ('tensors', i, 'ring_bytes'), v))


def swap_order(p, i, k):
    p['order'][i], p['order'][k] = p['order'][k], p['order'][i]


def events(p, edit):
    for s in p['streams']:
        for loop in s['loops']:
            loop['events'] = edit(loop['events'])


def shapes(plan):
    """Well-formed, and something else than was meant."""
    first = plan['streams'][0]['first']
    n = plan['streams'][0]['ops']
    for i in range(first, first + n):
        for k in range(i + 1, first + n):
            yield 'positions %d and %d swapped' % (i, k), lambda p, i=i, k=k: swap_order(p, i, k)
    yield 'order turned', lambda p: p['order'].reverse()
    yield 'chain turned', lambda p: p['order'].__setitem__(
        slice(first, first + n), p['order'][first:first + n][::-1])
    yield 'other direction', lambda p: put(p, ('streams', 0, 'order'), 'descending')
    yield 'chain twice', lambda p: p['streams'].insert(0, copy.deepcopy(p['streams'][0]))
    yield 'op in two chains', lambda p: p['streams'].append(
        dict(copy.deepcopy(p['streams'][0]), first=first + n - 1, ops=1))
    yield 'one op longer', lambda p: put(p, ('streams', 0, 'ops'), n + 1)
    yield 'one op shorter', lambda p: put(p, ('streams', 0, 'ops'), n - 1)
    yield 'one op later', lambda p: put(p, ('streams', 0, 'first'), first + 1)
    yield 'no loops', lambda p: put(p, ('streams', 0, 'loops'), [])
    yield 'loops twice', lambda p: put(p, ('streams', 0, 'loops'), p['streams'][0]['loops'] * 2)
    yield 'loops turned', lambda p: p['streams'][0]['loops'].reverse()
    yield 'events repeat', lambda p: events(p, lambda list: [e for e in list for _ in (0, 1)])
    yield 'events turned', lambda p: events(p, lambda list: list[::-1])
    yield 'events skip a row', lambda p: events(p, lambda list: [[o, y + 1, r, s] for o, y, r, s in list])
    yield 'events overlap', lambda p: events(p, lambda list: [[o, y, r + 1, s] for o, y, r, s in list])
    yield 'events are short', lambda p: events(
        p, lambda list: [[o, y, max(r - 1, 1), s] for o, y, r, s in list])
    yield 'steps are long', lambda p: events(p, lambda list: [[o, y, r, s + 1] for o, y, r, s in list])
    yield 'steps back', lambda p: events(p, lambda list: [[o, y, r, -s] for o, y, r, s in list])
    yield 'all rows at once', lambda p: events(p, lambda list: [[o, 0, 10000, s] for o, y, r, s in list])
    yield 'events of one op', lambda p: events(
        p, lambda list: [[p['order'][first], y, r, s] for o, y, r, s in list])
    yield 'events of the next op', lambda p: events(
        p, lambda list: [[o + 1, y, r, s] for o, y, r, s in list])
    yield 'half of the events', lambda p: events(p, lambda list: list[::2])
    for size in 'half', 'row less', 'double', 'one row':
        def resize(p, size=size):
            for t in p['tensors']:
                ring = t.get('ring_bytes')
                if ring:
                    t['ring_bytes'] = {'half': ring // 2, 'row less': ring * 3 // 4,
                                       'double': ring * 2, 'one row': max(ring // 8, 1)}[size]
        yield 'rings: ' + size, resize
    yield 'no rings', lambda p: [t.pop('ring_bytes', None) for t in p['tensors']]
    yield 'no chains', lambda p: p.pop('streams')


def layers(done):
    return done.stdout if done.returncode == 0 else None


def judge(graph, plan, what, want):
    bad = folder / 'bad.json'
    bad.write_text(json.dumps(plan))
    verdict = run('verify', graph, bad)
    if verdict.returncode and ': error: ' not in verdict.stderr:
        wrong.append('%s: exit %d without a word' % (what, verdict.returncode))
    if verdict.returncode:
        for words in (['run', graph, '--plan', bad], ['run', graph, '--plan', bad, '--dump-layers']):
            if run(*words).returncode == 0:
                wrong.append('%s: refused, and runs' % what)
            if verdict.returncode == 2:
                break
        return False
    if layers(run('run', graph, '--plan', bad, '--dump-layers')) != want:
        wrong.append('%s: accepted, and runs differently' % what)
    return True


accepted = refused = 0
for name in sys.argv[3:] or ['residual_i8', 'kws_i8']:
    graph = root / 'fixtures/graphs' / (name + '.json')
    good = folder / 'good.json'
    assert run('plan', graph, '--stream', 'auto', '-o', good).returncode == 0
    plan = json.loads(good.read_text())
    want = layers(run('run', graph, '--plan', good, '--dump-layers'))
    assert plan['streams'] and want
    for make in ((fields, shapes) if name == 'residual_i8' else (shapes,)):
        for what, change in make(plan):
            other = copy.deepcopy(plan)
            change(other)
            if other == plan:
                continue
            if judge(graph, other, '%s: %s' % (name, what), want):
                accepted += 1
            else:
                refused += 1
for line in wrong:
    print(line)
print('%d plans accepted, %d refused' % (accepted, refused))
assert refused > 300 and accepted, (accepted, refused)
sys.exit(1 if wrong else 0)

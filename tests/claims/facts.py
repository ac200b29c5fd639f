#!/usr/bin/env python3
"""What attributes say of an op's kernel counts for plans, too: what a claim is rejected for is
no candidate, in no plan, and refused in a plan that does it all the same. An input that the op
destroys is needed by nobody after it. Usage: facts.py TENURE"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())
wrong = []
FACTS = ({'passes': 2}, {'prezero': True}, {'reads_target': True}, {'accumulate': True},
         {'destroys': ['a']}, {'destroys': 'a'}, {'destroys': True}, {'extra_tail_bytes': 16})
TYPES = ('Relu', 'RELU', 'Neg', 'ADD', 'Mystery', 'RESHAPE')


def run(*words):
    if words[0] == 'plan':
        words += '--rewrite', 'none'  # a RESHAPE of one shape is none
    return served.run([program, *map(str, words)], capture_output=True, text=True)


def graph(kind, attrs, schedule=None, view=False, **x):
    """x -> a -> b -> y, and with a schedule another reader r of a, maybe through a view."""
    tensors = [dict(name=n, dtype='f32', shape=[4], role=r) for n, r in (
        ('x', 'input'), ('a', 'act'), ('b', 'act'), ('y', 'output'))]
    tensors[0].update(x)
    ops = [('p', 'Neg', ['x'], 'a', {}), ('k', kind, ['a'] * (2 if kind == 'ADD' else 1), 'b',
                                          attrs), ('q', 'Sin', ['b'], 'y', {})]
    if schedule:
        tensors.append(dict(name='z', dtype='f32', shape=[4], role='output'))
        if view:
            tensors.append(dict(name='v', dtype='f32', shape=[4], view_of='a'))
        ops.append(('r', 'Neg', ['v' if view else 'a'], 'z', {}))
    return dict(format='tenure.graph/1', tensors=tensors, ops=[
        dict(name=n, type=t, inputs=i, outputs=[o], attrs=at) for n, t, i, o, at in ops],
        schedule=schedule or ['p', 'k', 'q'],
        claims=[dict(id='c', kind='inplace', op='k', **{'in': 'a', 'out': 'b'})])


def write(what, name='graph.json'):
    (folder / name).write_text(json.dumps(what))
    return folder / name


def need(ok, *what):
    if not ok:
        wrong.append(' '.join(map(str, what)))


def planned(path, *words):
    done = run('plan', path, '-o', folder / 'plan.json', *words)
    if done.returncode:
        return done, None, None
    check = run('verify', path, folder / 'plan.json')
    need(check.returncode == 0, words, check.stderr)
    plan = json.loads((folder / 'plan.json').read_text())
    return done, plan, {t['name']: t['offset'] for t in plan['tensors']}


def in_place():
    for kind in TYPES:
        for fact in FACTS:
            path = write(graph(kind, fact))
            told = json.loads(run('lint', '--format', 'json', path).stdout)
            need(all(c['verdict'] == 'rejected' for c in told['candidates']
                     if c['op'] == 'k'), kind, fact, 'is a candidate')
            for words in ((), ('--overlap', 'inplace'), ('--schedule', 'search')):
                done, plan, at = planned(path, *words)
                need(at and abs(at['a'] - at['b']) >= 16, kind, fact, words, done.stderr, at)
            for t in plan['tensors']:
                if t['name'] == 'b':
                    t['offset'] = at['a']
            for elided in False, True:
                plan['ops'][1]['elided'] = elided
                done = run('verify', path, write(plan, 'plan.json'))
                need(done.returncode == 1, kind, fact, elided, 'in place is verified')


def tails():
    """What an op writes past the end of its output is reserved, and looked at: a destroyed
    neighbour, the end of the memory, memory of the caller."""
    for kind in TYPES:
        for bytes in (1, 16, 100):
            own = graph(kind, {'extra_tail_bytes': bytes}, ['p', 'r', 'k', 'q'])
            # a stays needed: the tail of b must not lie on it
            own['ops'].append(dict(name='s', type='Neg', inputs=['a'], outputs=['w']))
            own['tensors'].append(dict(name='w', dtype='f32', shape=[4], role='output'))
            own['schedule'].append('s')
            path = write(own)
            for words in ((), ('--overlap', 'inplace'), ('--overlap', 'none'),
                          ('--schedule', 'search')):
                done, plan, at = planned(path, *words)
                need(at and plan['arena_bytes'] >= at['b'] + 16 + bytes, kind, bytes, words,
                     'is not reserved', at, done.stderr)
                need(at and not at['b'] <= at['a'] < at['b'] + 16 + bytes, kind, bytes, at)
            for name, there in (('a', at['b'] + 16), ('b', plan['arena_bytes'] - 16)):
                bad = json.loads(json.dumps(plan))
                for t in bad['tensors']:
                    if t['name'] == name:
                        t['offset'] = there
                done = run('verify', path, write(bad, 'plan.json'))
                need(done.returncode == 1 and '[plan/' in done.stderr, kind, bytes, name,
                     'is verified', done.stderr)
    for what in ('8', 8.5, [8]):
        done = run('plan', write(graph('Neg', {'extra_tail_bytes': what})))
        need(done.returncode == 2 and 'graph/too-large' in done.stderr, what, done)


def orders():
    """A kernel that exists in one order runs in no other, and not row by row. The claim and
    the plan say the same of an op that overwrites what the other order would still read."""
    for order, descending in (('asc', False), ('ascending', False), ('desc', True),
                              ('descending', True)):
        for shift in (-4, 0, 4):
            for kind in 'Relu', 'RELU', 'Neg':
                own = graph(kind, {'order': order})
                places = dict(x=52, a=16, b=16 + shift, y=36)
                own['claims'] = [dict(id='c', kind='plan', arena_bytes=68, align=4,
                                      offsets=places)]
                path = write(own)
                told = json.loads(run('lint', '--format', 'json', path).stdout)
                right = shift <= 0 if not descending else shift >= 0
                need([c['verdict'] == 'proved' for c in told['claims']] == [right], order,
                     shift, kind, 'the claim', told['claims'])
                done, plan, at = planned(path, '--align', 4)
                need(at and plan['ops'][1]['variant'] == dict(
                    order='descending' if descending else 'ascending', hold='none'), order,
                    kind, done.stderr, plan and plan['ops'][1])
                for t in plan['tensors']:
                    t['offset'] = places[t['name']]
                plan['optimal'] = False
                for name in 'arena_bytes', 'activation_bytes':
                    plan[name] = 68
                plan['regions'][0]['used'] = 68
                for way in 'ascending', 'descending':
                    plan['ops'][1]['variant']['order'] = way
                    done = run('verify', path, write(plan, 'plan.json'))
                    ok = right and (way == 'descending') == descending
                    need(done.returncode == (0 if ok else 1), order, shift, kind, way,
                         done.stderr)
    for word in 'backwards', '', 3, True:
        done, plan, at = planned(write(graph('Relu', {'order': word})))
        need(at and abs(at['a'] - at['b']) >= 16, word, 'is an order', at, done.stderr)


def scratch():
    """Working memory that only attributes tell of has its bytes while the op runs, and what is
    needed then, or later, lies elsewhere."""
    for kind in TYPES:
        own = graph(kind, {'scratch': ['s']}, ['p', 'r', 'k', 'q'])
        own['tensors'].append(dict(name='s', dtype='i8', shape=[24], role='scratch'))
        own['tensors'].append(dict(name='w', dtype='f32', shape=[4], role='output'))
        own['ops'].append(dict(name='t', type='Neg', inputs=['a'], outputs=['w']))
        own['schedule'].append('t')
        path = write(own)
        for words in (('--schedule', 'search'), ('--overlap', 'inplace'), ('--overlap', 'none'),
                      ()):
            done, plan, at = planned(path, *words)
            need(at and 's' in at, kind, words, 'has no scratch', done.stderr)
            need(at and all(abs(at['s'] - at[n]) >= 16 for n in 'xab'), kind, words, at)
        free = (plan['arena_bytes'] + 15) // 16 * 16
        for name, ok in ('x', False), ('a', False), ('b', False), ('z', False), (None, True):
            bad = json.loads(json.dumps(plan))
            for t in bad['tensors']:
                if t['name'] == 's':
                    t['offset'] = at[name] if name else free
            bad['optimal'] = False
            bad['arena_bytes'] = bad['activation_bytes'] = bad['regions'][0]['used'] = (
                plan['arena_bytes'] if name else free + 24)
            done = run('verify', path, write(bad, 'plan.json'))
            need(done.returncode == (0 if ok else 1), kind, name, 'under the scratch',
                 done.stderr)
        del bad['tensors'][[t['name'] for t in bad['tensors']].index('s')]
        need(run('verify', path, write(bad, 'plan.json')).returncode == 1, kind, 'no place')
        for have, need_bytes in (0, 2), (0, 40), (24, 24), (24, 26), (24, 100):
            if kind == 'RESHAPE':  # it does not run
                continue
            own['ops'][1]['attrs'] = dict(scratch_required=need_bytes, **(
                {'scratch': 's'} if have else {}))
            done, plan, at = planned(write(own))
            room = plan and [o for o in plan['ops'] if o['name'] == 'k'][0]['scratch']
            need(at and (room['bytes'] if room else 0) >= need_bytes - have, kind, have,
                 need_bytes, room, done.stderr)
            if not room:
                continue
            room['bytes'] -= 1
            done = run('verify', write(own), write(plan, 'plan.json'))
            need(done.returncode == 1, kind, have, need_bytes, 'is too small', done.stderr)


def scratch_is_no_value():
    """What the graph puts into scratch is gone when its op has run: that is told of the op and
    the tensor, whether a role or an attribute makes it scratch, of a view or a root."""
    def small(ops, *more, **s):
        tensors = [dict(name=n, dtype='i8', shape=[8], role=r) for n, r in (
            ('x', 'input'), ('s', 'scratch'), ('y', 'output'))]
        tensors[1].update(s)
        return dict(format='tenure.graph/1', tensors=tensors + list(more), ops=[
            dict(name=n, type=t, inputs=i, outputs=o, attrs=a) for n, t, i, o, a in ops])

    view = dict(name='v', dtype='i8', shape=[8], view_of='s')
    part = dict(name='v', dtype='i8', shape=[4], view_of='x')
    read = ('q', 'ADD', ['s', 'x'], ['y'], {})
    for own, op, name in (
            (small([('p', 'NEG', ['x'], ['s'], {}), read]), 'p', 's'),
            (small([('p', 'NEG', ['x'], ['s'], {}), read], mutated=True), 'p', 's'),
            (small([('p', 'Mystery', ['x'], ['s'], {}), ('q', 'Mystery', ['s'], ['y'], {})]),
             'p', 's'),
            (small([('p', 'NEG', ['x'], ['v'], {}), ('q', 'ADD', ['v', 'x'], ['y'], {})], view),
             'p', 'v'),
            (small([('p', 'NEG', ['x'], ['s'], {}), read], role='act'), None, None),
            (small([('p', 'NEG', ['x'], ['y'], {'scratch': 'y'})]), 'p', 'y'),
            (small([('p', 'NEG', ['x'], ['y'], {'scratch': 'x'})]), 'p', 'x'),
            (small([('p', 'NEG', ['x'], ['y'], {'scratch': 'v'})], part), 'p', 'x'),
            (small([('p', 'NEG', ['x'], ['y'], {'scratch': 's'})]), None, None)):
        done = run('plan', write(own))
        need(done.returncode == (1 if op else 0) and '/internal' not in done.stderr,
             own['ops'], done.stderr)
        need(not op or any('hazard/' in line and "'%s'" % op in line and "'%s'" % name in line
                           for line in done.stderr.splitlines()), op, name, done.stderr)


def apart():
    """Each tensor in memory of its own has room for what is written behind it; and executed
    so, nothing is lost."""
    for kind in 'Neg', 'RELU', 'Relu':
        for bytes in 0, 1, 16, 100:
            own = graph(kind, {'extra_tail_bytes': bytes})
            path = write(own)
            plan = planned(path)[1]
            room = sum(-(-(16 + (bytes if n == 'b' else 0)) // 16) * 16 for n in 'xaby')
            need(plan['no_reuse_bytes'] == room, kind, bytes, plan['no_reuse_bytes'], room)
            plan['no_reuse_bytes'] += 16
            done = run('verify', path, write(plan, 'plan.json'))
            need(done.returncode == 1 and 'plan/figures' in done.stderr, kind, bytes, done)
            # b lies before a, which is still needed when b is written
            own['tensors'][1:3] = own['tensors'][2:0:-1]
            own['ops'] = [dict(name=n, type=t, inputs=i, outputs=[o], attrs=a)
                          for n, t, i, o, a in (
                              ('p', 'NEG', ['x'], 'a', {}),
                              ('k', 'RELU', ['x'], 'b', {'extra_tail_bytes': bytes}),
                              ('q', 'ADD', ['a', 'b'], 'y', {}))]
            own['claims'] = []
            path = write(own)
            ran = [run('run', path, '--dump-layers', *w) for w in ((), ('--no-reuse',))]
            need(ran[0].returncode == 0 and ran[0].stdout == ran[1].stdout, bytes, ran)


def nothing():
    """What has no bytes needs no place, to be verified or to be run."""
    own = dict(format='tenure.graph/1', tensors=[
        dict(name=n, dtype='f32', shape=[0, 4], role=r) for n, r in (
            ('x', 'input'), ('a', 'act'), ('y', 'output'))], ops=[
        dict(name='p', type='NEG', inputs=['x'], outputs=['a']),
        dict(name='q', type='RELU', inputs=['a'], outputs=['y'])])
    plan = planned(write(own))[1]
    for gone in (), 'x', 'a', 'y', 'xay':
        bad = dict(plan, tensors=[t for t in plan['tensors'] if t['name'] not in gone])
        for command in ('verify', write(own), write(bad, 'plan.json')), (
                'run', write(own), '--plan', write(bad, 'plan.json')):
            done = run(*command)
            need(done.returncode == 0, command[0], 'without', gone, done.stderr)


def same_storage():
    """No plan can move what lies behind a view in its own storage."""
    own = graph('Neg', {})
    own['tensors'][1:2] = [
        dict(name='s', dtype='f32', shape=[8], role='act'),
        dict(name='a', dtype='f32', shape=[4], view_of='s'),
        dict(name='c', dtype='f32', shape=[4], view_of='s', offset=4),
        dict(name='z', dtype='f32', shape=[4], role='output')]
    own['ops'] = [dict(o, attrs={}) for o in own['ops']]
    own['ops'].insert(0, dict(name='f', type='Neg', inputs=['x'], outputs=['c']))
    own['ops'].append(dict(name='g', type='Sin', inputs=['c'], outputs=['z']))
    own['schedule'], own['claims'] = ['f', 'p', 'k', 'q', 'g'], []
    need(planned(write(own))[2], 'without a tail')
    own['ops'][1]['attrs']['extra_tail_bytes'] = 4
    done = run('plan', write(own))
    need(done.returncode == 1 and 'hazard/partial-overlap' in done.stderr, done)
    own['schedule'] = ['p', 'f', 'k', 'q', 'g']  # c is written later
    need(planned(write(own))[2], 'a tail where nothing is yet')


def parts():
    """A part of a whole that has a tail does not lie in the whole, and takes nothing in."""
    part = dict(format='tenure.graph/1', tensors=[
        dict(name=n, dtype='i8', shape=[1, d], role=r) for n, d, r in (
            ('x', 8, 'input'), ('a', 8, 'act'), ('b', 8, 'act'), ('c', 16, 'act'),
            ('d', 16, 'output'))], ops=[
        dict(name='p', type='NEG', inputs=['x'], outputs=['a'],
             attrs={'extra_tail_bytes': 8}),
        dict(name='q', type='NEG', inputs=['x'], outputs=['b']),
        dict(name='j', type='CONCATENATION', inputs=['a', 'b'], outputs=['c'],
             attrs={'axis': 1}),
        dict(name='s', type='NEG', inputs=['c'], outputs=['d'])])
    for tail in (0, 8):
        part['ops'][0]['attrs']['extra_tail_bytes'] = tail
        for words in ((), ('--overlap', 'inplace'), ('--overlap', 'none')):
            done, plan, at = planned(write(part), *words)
            need(at and plan['ops'][2].get('elided', False) == (not tail), tail, words,
                 done.stderr, at)


def destroyed():
    """The op before the other reader, and behind it."""
    for kind in TYPES:
        for fact in FACTS[4:7]:
            for view in (False, True):
                path = write(graph(kind, fact, ['p', 'r', 'k', 'q'], view))
                for words in ((), ('--schedule', 'search'), ('--overlap', 'none')):
                    done, plan, at = planned(path, *words)
                    need(at, kind, fact, view, words, done.stderr)
                    order = plan['order'] if at else []
                    need(at and order.index(3) < order.index(1), kind, fact, words, order)
                swapped = [1 if i == 3 else 3 if i == 1 else i for i in order]
                done = run('verify', path, write(dict(plan, order=swapped), 'plan.json'))
                need(done.returncode == 1 and '[plan/' in done.stderr, kind, fact, 'swapped',
                     done.stderr)
                path = write(graph(kind, fact, ['p', 'k', 'r', 'q'], view))
                done = run('plan', path)
                need(done.returncode == 1 and 'hazard/destructive-input' in done.stderr,
                     kind, fact, view, done.returncode, done.stderr)
                done, plan, at = planned(path, '--repair')
                need(at and plan['order'].index(3) < plan['order'].index(1), kind, fact, view,
                     'not repaired:', done.stderr)
        own = graph(kind, {'destroys': ['x']})
        own['ops'][1]['inputs'] = ['x'] * len(own['ops'][1]['inputs'])
        own['claims'] = []
        need(run('plan', write(own)).returncode == 1, kind, 'destroys what the caller keeps')
        own['tensors'][0]['clobber'] = True
        own['schedule'] = ['p', 'k', 'q']
        need(planned(write(own))[2], kind, 'destroys what the caller gives away')
        for role in ('const', 'variable'):
            own['tensors'][0] = dict(name='x', dtype='f32', shape=[4], role=role)
            need(run('plan', write(own)).returncode == 1, kind, 'destroys a', role)


in_place()
tails()
orders()
scratch()
scratch_is_no_value()
apart()
nothing()
same_storage()
parts()
destroyed()
print('\n'.join(wrong[:20]))
print('%d wrong' % len(wrong))
sys.exit(1 if wrong else 0)

#!/usr/bin/env python3
"""What a plan file says of its sizes follows from graph and places, or is refused; its bounds are
computed again, or shown as what the file says; a bound is named after the plans that it is of.
Usage: figures.py TENURE SOURCE_ROOT"""
import itertools
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

tenure, root = sys.argv[1], pathlib.Path(sys.argv[2])
GRAPHS = root / 'fixtures/graphs'
NET, CHAINS = GRAPHS / 'kws_i8.json', GRAPHS / 'vww_i8.json'
REACHED, SAYS = 'the plan is optimal', 'the plan file says'


def run(*words, want=0):
    done = served.run([tenure, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == want, (words, done.returncode, done.stdout[-500:], done.stderr)
    return done


def figures(page):
    """Of a page: words of the figures by the class of each."""
    return {m[1]: re.sub(r'<svg.*?</svg>|<[^>]*>', ' ', m[2], flags=re.S) for m in re.finditer(
        r'<div class="figure figure-(\w+)">(.*?)</div>', page, re.S)}


def number(text):
    return int(re.sub(r'\D', '', re.search(r'\s([\d,]+)\s', text)[1]))


class Plans:
    def __init__(self, folder):
        self.folder, self.n = folder, 0

    def make(self, graph, *options):
        path = self.folder / 'made.json'
        run('plan', graph, '-o', path, *options)
        return json.loads(path.read_text())

    def file(self, plan):
        self.n += 1
        path = self.folder / f'{self.n}.json'
        path.write_text(json.dumps(plan))
        return path

    def page(self, graph, plan, want=0):
        path = self.folder / 'page.html'
        run('report', graph, '--plan', self.file(plan), '-o', path, want=want)
        return figures(path.read_text())


def contradictions(plans):
    """Every figure that follows from the places, one byte too many and too few, and bounds that
    cannot be."""
    for graph, options in ((NET, []), (NET, ['--overlap', 'none']),
                           (CHAINS, ['--stream', 'auto']),
                           (NET, ['--region', 'a:16k:16:1', '--region', 'b:1M:8:2'])):
        right = plans.make(graph, *options)
        run('verify', graph, plans.file(right))
        peak = right['activation_bytes']
        wrong = [({key: right[key] + by}, '/' + key) for by in (-1, 1) for key in
                 ('activation_bytes', 'scratch_bytes', 'no_reuse_bytes') if right[key] + by >= 0]
        wrong += [({'arena_bytes': right['arena_bytes'] + 1}, '/arena_bytes'),
                  ({'bound_bytes': peak + 1}, '/bound_bytes'),
                  ({'bound_bytes': peak - 1, 'optimal': True}, '/optimal'),
                  ({'schedule': {'mode': 'search', 'optimal': True, 'bound_bytes': peak - 1,
                                 'given_activation_bytes': None}}, '/schedule/optimal'),
                  ({'schedule': {'mode': 'search', 'optimal': False, 'bound_bytes': peak + 1,
                                 'given_activation_bytes': None}}, '/schedule/bound_bytes')]
        for change, place in wrong:
            path = plans.file({**right, **change})
            for words, want in ((('verify', graph, path), 1),
                                (('report', graph, '--plan', path), 2),
                                (('report', graph, '--ascii', '--plan', path), 2),
                                (('plan', graph, '--plan', path), 2)):
                found = run(*words, want=want)
                assert '[plan/figures]' in found.stderr, (options, change, found.stderr)
                assert not found.stdout, (options, change, found.stdout)
            # the place: line of the member, or its pointer
            assert re.search(r'\d+\.json:\d+:\d+: error', found.stderr), found.stderr


def refused(plans):
    """A page of a refused plan shows what its places come to, whatever the file says."""
    plan = plans.make(NET)
    for t in plan['tensors']:
        t['offset'] = 0
    largest = max(t['bytes'] for t in plan['tensors'])
    for key in ('activation_bytes', 'no_reuse_bytes', 'bound_bytes'):
        plan[key] = 7
    shown = plans.page(NET, plan, want=1)
    assert number(shown['plan']) == largest, shown
    assert number(shown['none']) == sum((t['bytes'] + 15) // 16 * 16 for t in plan['tensors'])
    assert REACHED not in shown['bound'], shown


def bounds(plans):
    """Lower than it is: the page says what it is. Not to be had again: who says so."""
    right = plans.make(NET)
    assert right['optimal']
    best = plans.page(NET, right)
    assert REACHED in best['bound'] and SAYS not in str(best), best
    low = {**right, 'bound_bytes': 1, 'optimal': False, 'disjoint_bound_bytes': 1}
    assert plans.page(NET, low) == best
    old = {k: v for k, v in right.items() if k not in ('align', 'overlap')}
    shown = plans.page(NET, old)
    assert SAYS in shown['bound'] and SAYS in shown['disjoint'] and \
        REACHED not in str(shown), shown
    # the plan of all tensors apart: nothing bounds it but what the file says
    chains = CHAINS
    plan = plans.make(chains, '--stream', 'auto')
    assert plan['streams']
    plan.update(bound_bytes=plan['activation_bytes'], optimal=True)
    for text in (plans.page(chains, plan)['bound'],
                 run('plan', chains, '--plan', plans.file(plan)).stdout):
        assert SAYS in text and 'optimal' not in text, text
    # a bound that no plan of this kind has
    apart = plans.make(NET, '--overlap', 'none')
    lie = {**apart, 'overlap': 'full'}
    shown = plans.page(NET, lie)
    assert SAYS in shown['bound'] and REACHED not in shown['bound'], shown
    text = run('plan', NET, '--plan', plans.file(lie)).stdout
    assert SAYS in text and 'optimal' not in text, text
    searched = plans.make(NET, '--schedule', 'search')
    text = run('plan', NET, '--plan', plans.file(searched)).stdout
    assert re.search(r'any order .*' + SAYS, text), text


def modes(plans):
    """Without overlap, or in place only, is what the bound is of."""
    for mode, words in (('none', 'without overlap'), ('inplace', 'in place only'), ('full', None)):
        page = plans.folder / 'mode.html'
        told = run('plan', NET, '--overlap', mode).stdout
        run('report', NET, '--overlap', mode, '-o', page)
        shown = figures(page.read_text())['bound']
        drawn = run('report', NET, '--overlap', mode, '--ascii').stdout.splitlines()[0]
        plan = plans.make(NET, '--overlap', mode)
        assert plan['overlap'] == mode
        bound = next(line for line in told.splitlines() if line.startswith('  bound'))
        again = plans.page(NET, plan)['bound']
        for text in (bound, shown, drawn, again):
            for other in ('without overlap', 'in place only'):
                assert (other in text) == (other == words), (mode, text)


def together(plans):
    """What one option makes known holds for the plan that all of them make."""
    for options in itertools.product(
            (['--stream', 'auto'], ['--stream-input'], []), (['--schedule', 'search'], []),
            (['--overlap', 'none'], ['--overlap', 'inplace'], []), (['--objective', 'arena'], [])):
        words = sum(options, [])
        plan = plans.make(NET, *words)
        assert bool(plan.get('streams')) == bool(options[0]), words
        run('verify', NET, plans.file(plan))
        for said in (plan, plan['schedule']):
            least = said.get('bound_bytes', 0)
            assert least <= plan['activation_bytes'], (words, said)
            assert said.get('optimal', False) == (
                'optimal' in said and least == plan['activation_bytes']), (words, said)
        if options[0] and options[1]:
            assert plan['schedule']['bound_bytes'] == 0, words
            told = run('plan', NET, *words).stdout
            assert re.search(r'any order +not known: .*chains', told), told


with tempfile.TemporaryDirectory() as name:
    made = Plans(pathlib.Path(name))
    for check in (contradictions, refused, bounds, modes, together):
        check(made)
        print('ok', check.__name__)

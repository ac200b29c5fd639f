"""Cases of claims with the verdicts that they should get, judged by the tenure program.

A case is {id, graph, items}; an item is {claims, verdict, hazard, witness, profile, execution,
allocation, contracts, says}. The public cases come from ../shared/cases when it is there, ours from
fixtures/claims."""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

VERDICT = {'PROVE': 'proved', 'REJECT': 'rejected', 'UNPROVED': 'unproved'}
OPTIONS = ('profile', 'execution', 'allocation', 'contracts')


def public(root):
    path = root.parent / 'shared/cases/cases.jsonl'
    if not path.exists():
        return []
    cases = []
    for line in path.read_text().splitlines():
        case = json.loads(line)
        items = case['right_answer']['items']
        for item in items:
            # it speaks of an allocation that the graph does not show
            if 'oracle' in item:
                item['allocation'] = 'owner'
        cases.append({'id': case['id'], 'graph': case['graph'], 'items': items})
    return cases


def own(root):
    cases = []
    for path in sorted((root / 'fixtures/claims').glob('*.json')):
        cases += json.loads(path.read_text())
    return cases


def training(root):
    """An item without claims is about the ops that say themselves that they work in place."""
    return json.loads((root / 'fixtures/training/cases.json').read_text())


def contracts(root):
    """Plans of other tools, with what the packs of contracts declare of their kernels."""
    return json.loads((root / 'fixtures/contracts/cases.json').read_text())


def own_word(root):
    """An item is about an op that destroys something by the graph's own word, whatever claims
    there are, and none is told where there is no item."""
    return json.loads((root / 'fixtures/own_word/cases.json').read_text())


def fields(root):
    """Claims whose fields are odd: they say nothing, or nothing that can be read."""
    return json.loads((root / 'fixtures/fields/cases.json').read_text())


def subset(case, item):
    """The graph with only the claims of the item."""
    graph = dict(case['graph'], format='tenure.graph/1')
    graph['claims'] = [c for c in graph['claims'] if c['id'] in item['claims']]
    return graph


def lint(program, graphs, options):
    """claims[] of each graph, by its key. One run of the program for all."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for key, graph in graphs.items():
            path = os.path.join(folder, '%d.json' % len(names))
            names[path] = key
            pathlib.Path(path).write_text(json.dumps(graph))
        words = [w for o in OPTIONS if o in options for w in ('--' + o, options[o])]
        done = served.run([program, 'lint', '--format', 'json', *words, *names],
                          capture_output=True, text=True)
        # 2: a claim was fine although the graph has a tensor of unknown size
        assert done.returncode in (0, 1, 2), (done.returncode, done.stderr[-2000:])
        out = {key: [] for key in graphs}
        for claim in json.loads(done.stdout)['claims']:
            out[names[claim['file']]].append(claim)
    return out


def judge(program, items):
    """The verdict of each item: {key: (case, item)} to {key: claim of the report}."""
    groups = {}
    for key, (case, item) in items.items():
        options = tuple((o, item[o]) for o in OPTIONS if o in item)
        groups.setdefault(options, {})[key] = subset(case, item)
    verdicts = {}
    for options, graphs in groups.items():
        for key, claims in lint(program, graphs, dict(options)).items():
            verdicts[key] = claims[-1]
    return verdicts


def same_party(graph, want, have):
    """Ops by name; who is none is outside, and observers go by many names."""
    ops = {op['name'] for op in graph['ops']}
    if want is None or want in ops or want in ('caller', 'next run'):
        return want == have
    return have == 'observer' or have == want


def mistakes(case, item, have, renamed=lambda name: name):
    """What is wrong with a verdict; empty when it is right."""
    wrong = []
    if sorted(have['claims']) != sorted(renamed(c) for c in item['claims']):
        wrong.append('set %s' % have['claims'])
    if have['verdict'] != VERDICT[item['verdict']]:
        return wrong + ['verdict %s' % have['verdict']]
    for text in item.get('says', []):
        if text not in have['reason'] and text not in have['assumptions']:
            wrong.append('reason %s' % have['reason'])
    if item['verdict'] != 'REJECT':
        return wrong
    if have['hazard'] != item['hazard']:
        wrong.append('hazard %s' % have['hazard'])
    want, found = item.get('witness', {}), have['witness']
    tensors = {t['name'] for t in case['graph']['tensors']}
    for part in ('writer', 'reader'):
        if part in want and not same_party(case['graph'], renamed(want[part]), found[part]):
            wrong.append('%s %s' % (part, found[part]))
    victim = renamed(want.get('victim'))
    if victim in tensors and found['victim'] != victim:
        wrong.append('victim %s' % found['victim'])
    if victim and victim not in tensors and found['victim'] != 'scratch':
        wrong.append('victim %s' % found['victim'])
    for part in ('bytes', 'need', 'have', 'invocation'):
        if part in want and found[part] != want[part]:
            wrong.append('%s %s' % (part, found[part]))
    return wrong

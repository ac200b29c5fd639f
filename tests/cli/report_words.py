#!/usr/bin/env python3
"""What reports say in words and colours is so: what rewrites have saved, what a row of letters
stands for, how a refused plan looks, and how much room a name may take.
Usage: report_words.py TENURE SOURCE_ROOT"""
import fractions
import html
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

tenure, root = sys.argv[1], pathlib.Path(sys.argv[2])
REMOVED = ('dead-code', 'identity', 'constant-fold', 'common-subexpression')
SENTENCES = {'merged': r'merged ops: (\d+) intermediate values? .*?, ([\d,]+) B together',
             'removed': r'removed ops: (\d+) values? that .*?, ([\d,]+) B together',
             'narrowed': r'removed channels: (\d+) values? .*?, by ([\d,]+) B together'}


def run(*words, want=(0,)):
    done = served.run([tenure, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode in want, (words, done.returncode, done.stderr)
    return done.stdout


def text_of(page):
    body = re.sub(r'<(script|style|title)\b.*?</\1>', ' ', page, flags=re.S)
    return re.sub(r'\s+', ' ', html.unescape(re.sub(r'<[^>]*>', ' ', body)))


def chain(size, ops=4, name='t{}', kind='RELU'):
    ends = {0: 'input', ops: 'output'}
    return {'format': 'tenure.graph/1', 'name': 'chain',
            'tensors': [{'name': name.format(i), 'dtype': 'i8', 'shape': [1, size],
                         **({'role': ends[i]} if i in ends else {})} for i in range(ops + 1)],
            'ops': [{'type': kind, 'inputs': [name.format(i)], 'outputs': [name.format(i + 1)]}
                    for i in range(ops)],
            'inputs': [name.format(0)], 'outputs': [name.format(ops)]}


def rewrites(folder):
    seen = set()
    for graph in sorted((root / 'fixtures/rewrites').glob('*.json')):
        plan, page = folder / 'plan.json', folder / 'page.html'
        plan.unlink(missing_ok=True)
        run('plan', graph, '-o', plan, want=(0, 1, 2))
        if not plan.exists():
            continue
        run('report', graph, '-o', page, want=(0, 1))
        want = {}
        for r in json.loads(plan.read_text())['rewrites']:
            if not r.get('done', True) or not r.get('tensor') or r['ram_bytes'] <= 0:
                continue
            kind = 'narrowed' if r.get('channels') else \
                'removed' if r['pass'] in REMOVED else 'merged'
            n, size = want.get(kind, (0, 0))
            want[kind] = n + 1, size + r['ram_bytes']
        text, got = text_of(page.read_text()), {}
        for kind, pattern in SENTENCES.items():
            found = re.search(pattern, text)
            if found:
                got[kind] = int(found[1]), int(found[2].replace(',', ''))
        assert got == want, (graph.name, got, want)
        seen |= set(want)
    assert seen == set(SENTENCES), seen


def rows(folder):
    graph = folder / 'chain.json'
    for size in (1, 7, 24, 64, 100, 1001, 4099):
        graph.write_text(json.dumps(chain(size)))
        text = run('report', graph, '--ascii')
        used = int(re.search(r': ([\d,]+) B used', text)[1].replace(',', ''))
        row = re.search(r'^([\d,/ ]+) B a row', text, re.M)[1].replace(',', '').split()
        assert 24 * sum(map(fractions.Fraction, row)) == used, (size, used, row)


def refused(folder):
    """Colours mean what was proved: there is none in what is refused."""
    graph, plan = folder / 'chain.json', folder / 'plan.json'
    graph.write_text(json.dumps(chain(64, kind='SOFTMAX')))
    run('plan', graph, '-o', plan)
    for offset, want in ((None, 0), (0, 1)):
        p = json.loads(plan.read_text())
        for t in p['tensors']:
            t['offset'] = t['offset'] if offset is None else offset
        for op in p['ops']:
            op['variant'] = {'order': 'descending', 'hold': 'none'} if want else op['variant']
        plan.write_text(json.dumps(p))
        page, svg = folder / 'page.html', folder / 'p.svg'
        run('report', graph, '--plan', plan, '-o', page, '--svg', svg, want=(want,))
        marked = re.search(r'<body[^>]*class="([^"]*)"', page.read_text())[1]
        assert (marked == 'tl-refused') == bool(want), marked
        drawn = re.search(r'<svg[^>]*class="([^"]*)"', svg.read_text())[1]
        assert ('tl-refused' in drawn) == bool(want), drawn


def words(folder):
    """A type or a name of thousands of letters, or with hundreds of marks on one."""
    kinds = {'long': 'K' * 10000, 'marks': 'Z' + '\u0301' * 300 + 'z'}
    for what, kind in kinds.items():
        old, new = folder / 'old.json', folder / 'new.json'
        old.write_text(json.dumps(chain(64, kind='RELU')))
        new.write_text(json.dumps(chain(64, name=kind + '{}', kind=kind)))
        pages = [folder / name for name in ('p.html', 'd.html', 'd.md')]
        run('report', new, '-o', pages[0], want=(0, 1))
        for page in pages[1:]:
            run('diff', old, new, '-o', page, want=(0, 1))
        markdown = run('lint', new, '--format', 'markdown', want=(0, 1))
        for text in [text_of(p.read_text()) for p in pages[:2]] + [pages[2].read_text(), markdown]:
            if what == 'marks':
                assert '\u0301' * 5 not in text, what
            else:
                assert not re.search(r'K{200}', text), (what, text[max(0, text.find('K' * 200) - 300):][:400])


with tempfile.TemporaryDirectory() as name:
    for check in (rewrites, rows, refused, words):
        check(pathlib.Path(name))
        print('ok', check.__name__)

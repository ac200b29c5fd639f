#!/usr/bin/env python3
"""`tenure lint --format json` gives each case the verdict, hazard and witness that it should
have; sets of claims too. Usage: verdicts.py TENURE SOURCE_ROOT"""
import json
import pathlib
import sys

import cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])


def check(name, list_of_cases):
    items = {(c['id'], i): (c, item)
             for c in list_of_cases for i, item in enumerate(c['items'])}
    wrong = 0
    for key, have in cases.judge(program, items).items():
        case, item = items[key]
        bad = cases.mistakes(case, item, have)
        if bad:
            wrong += 1
            print(case['id'], item, 'but', ', '.join(bad))
    print('%s: %d cases, %d items, %d wrong' % (name, len(list_of_cases), len(items), wrong))
    return wrong


def check_sets(list_of_cases):
    """Few claims: the whole file at once tells every set, too."""
    graphs = {c['id']: dict(c['graph'], format='tenure.graph/1') for c in list_of_cases
              if len(c['graph']['claims']) <= 5}
    told = cases.lint(program, graphs, {})
    wrong = 0
    for case in list_of_cases:
        for item in case['items']:
            if case['id'] not in told or any(o in item for o in cases.OPTIONS):
                continue
            have = [c for c in told[case['id']]
                    if sorted(c['claims']) == sorted(item['claims'])]
            if len(have) != 1 or cases.mistakes(case, item, have[0]):
                wrong += 1
                print(case['id'], item, 'but the whole file says', have)
    return wrong


def check_own_word(list_of_cases):
    """What graphs do by their own word, beside what is said of claims if there are any, and how
    it is said."""
    graphs = {c['id']: dict(c['graph'], format='tenure.graph/1') for c in list_of_cases}
    told = cases.lint(program, graphs, {})
    wrong = items = 0
    for case in list_of_cases:
        have, want = [c for c in told[case['id']] if not c['claims']], case['items']
        items += len(want)
        bad = ['%d findings' % len(have)] if len(have) != len(want) else []
        for item, claim in zip(want, have):
            bad += cases.mistakes(case, dict(item, claims=[]), claim)
            kinds = [r['kind'] for r in claim['remedies']]
            if kinds != item['remedies']:
                bad.append('remedies %s' % kinds)
        if bad:
            wrong += 1
            print(case['id'], 'but', ', '.join(bad))
    print('own word: %d graphs, %d findings, %d wrong' % (len(list_of_cases), items, wrong))
    return wrong


def check_dump(case):
    """--dump claims: each claim and set by its id, as text."""
    graph = json.dumps(dict(case['graph'], format='tenure.graph/1'))
    done = served.run([program, 'lint', '--dump', 'claims', '-'], input=graph,
                      capture_output=True, text=True)
    names = ['  %s: ' % c['id'] for c in case['graph']['claims']]
    wrong = [n for n in ['claims:\n'] + names if n not in done.stdout]
    if wrong:
        print('--dump claims: no %s in %s' % (wrong, done.stdout + done.stderr))
    return len(wrong)


ours, theirs = cases.own(root), cases.public(root)
assert len(ours) > 40 and len(theirs) in (0, 76), (len(ours), len(theirs))
bad = check('own', ours) + check_sets(ours) + check('training', cases.training(root))
bad += check_dump(ours[0]) + check('contracts', cases.contracts(root))
bad += check('fields', cases.fields(root)) + check_own_word(cases.own_word(root))
if theirs:
    bad += check('public', theirs) + check_sets(theirs)
sys.exit(1 if bad else 0)

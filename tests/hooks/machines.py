#!/usr/bin/env python3
"""What lint writes for other programs is read by them: SARIF by the OASIS schema, with places
that are those of the ops; JUnit by xmllint; workflow commands by their grammar; JSON by its
schema. Real files, hostile names among them, pretty-printed and in one line.
Usage: machines.py SOURCE_ROOT TENURE [SARIF_SCHEMA]"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

root, tenure = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HOSTILE = ['plain', 'a "quoted" \\ name', '</failure>]]>&amp;<!--', 'über-Ѱ-層-𝔘', '%0A::error::x',
           '\x1b[31m\r\n\t\x01', '| `code` @user', '{"name": "op"}', '\u202eturned']


def lint(folder, form, *operands):
    done = served.run([tenure, 'lint', '--format', form, *map(str, operands)], cwd=folder,
                      capture_output=True)
    assert done.returncode in (0, 1, 2), (form, done.returncode, done.stderr)
    return done.stdout.decode('utf-8')


def graph():
    """Each op is of a type that nobody knows, so each has a finding; names are hostile."""
    names = ['x', *[f'{name}/out' for name in HOSTILE]]
    return {'format': 'tenure.graph/1',
            'tensors': [{'name': n, 'dtype': 'i8', 'shape': [8], **(
                {'role': 'input'} if i == 0 else
                {'role': 'output'} if i == len(HOSTILE) else {})}
                for i, n in enumerate(names)],
            'ops': [{'name': name, 'type': 'CompanyOp', 'inputs': [names[i]],
                     'outputs': [names[i + 1]]} for i, name in enumerate(HOSTILE)]}


def writings():
    g = graph()
    yield 'pretty.json', json.dumps(g, indent=2)
    yield 'unicode.json', json.dumps(g, indent=4, ensure_ascii=False)
    yield 'line.json', json.dumps(g)
    yield 'dense.json', json.dumps(g, separators=(',', ':'), ensure_ascii=False)
    yield 'crlf.json', json.dumps(g, indent=1).replace('\n', '\r\n')


def places(text):
    """Line and column (in code points) of the brace that opens each op, by decoding the list
    of ops element by element."""
    decoder, out = json.JSONDecoder(), []
    at = text.index('"ops"') + len('"ops"')
    at = text.index('[', at) + 1
    while True:
        while text[at] in ' \r\n\t,':
            at += 1
        if text[at] == ']':
            return out
        before = text[:at]
        out.append((before.count('\n') + 1, at - (before.rfind('\n') + 1) + 1))
        _, at = decoder.raw_decode(text, at)


def check_places(folder):
    for name, text in writings():
        (folder / name).write_bytes(text.encode('utf-8'))
        results = json.loads(lint(folder, 'sarif', name))['runs'][0]['results']
        found = [(r['locations'][0]['physicalLocation']['region']['startLine'],
                  r['locations'][0]['physicalLocation']['region']['startColumn'],
                  r['locations'][0]['logicalLocations'][0]['fullyQualifiedName'])
                 for r in results if r['ruleId'] == 'graph/unknown-op']
        want = [(line, column, f'/ops/{i}') for i, (line, column) in enumerate(places(text))]
        assert found == want, (name, found, want)
        prints = [r['partialFingerprints']['primaryLocationLineHash'] for r in results]
        assert len(set(prints)) == len(prints), name
    print('ok - places of ops in SARIF')


def everything(folder):
    """Names of files with a finding of every kind, hostile ones too."""
    out = [folder / name for name, _ in writings()]
    odd = folder / "it's <odd> & \"strange\" ü%.json"
    odd.write_text(json.dumps(graph()))
    out.append(odd)
    out += sorted((root / 'fixtures').glob('invalid/*/input.json'))
    out += sorted((root / 'fixtures/claims').glob('*.json'))
    out += sorted((root / 'fixtures/models').glob('*'))
    assert len(out) > 50, len(out)
    return out


def check_sarif(folder, files, schema):
    document = json.loads(lint(folder, 'sarif', '-j', 4, *files))
    run = document['runs'][0]
    rules = [r['id'] for r in run['tool']['driver']['rules']]
    assert run['tool']['driver']['name'] == 'tenure'
    assert len(run['results']) > 100, len(run['results'])
    for result in run['results']:
        assert rules[result['ruleIndex']] == result['ruleId']
        for location in result['locations']:
            uri = location['physicalLocation']['artifactLocation']['uri']
            assert re.fullmatch(r"[A-Za-z0-9._~/:%-]+", uri), uri
    if not schema or not pathlib.Path(schema).exists():
        print('# skip: no SARIF schema')
        return
    import jsonschema
    validator = jsonschema.Draft7Validator(json.loads(pathlib.Path(schema).read_text()))
    errors = [e.message for e in validator.iter_errors(document)]
    assert not errors, errors[:3]
    print('ok - SARIF matches the OASIS schema')


def check_junit(folder, files):
    text = lint(folder, 'junit', '-j', 4, *files)
    (folder / 'junit.xml').write_text(text, encoding='utf-8')
    if shutil.which('xmllint'):
        subprocess.run(['xmllint', '--noout', folder / 'junit.xml'], check=True)
    suites = tree.fromstring(text)
    cases = suites.findall('testsuite/testcase')
    assert int(suites.get('tests')) == len(cases) >= len(files)
    assert int(suites.get('failures')) == len(suites.findall('.//failure')) > 30
    print('ok - JUnit is well formed')


def check_github(folder, files):
    lines = lint(folder, 'github', '-j', 4, *files).splitlines()
    command = re.compile(r'::(error|warning|notice)( [a-zA-Z]+=[^,:\r\n]*(,[a-zA-Z]+=[^,:\r\n]*)*)?::.+')
    assert len(lines) > 100
    for line in lines:
        assert command.fullmatch(line), line
    print('ok - workflow commands')


def check_json(folder, files):
    document = json.loads(lint(folder, 'json', '-j', 4, *files))
    import jsonschema
    schema = json.loads((root / 'docs/schema/tenure.lint-1.schema.json').read_text())
    errors = [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(document)]
    assert not errors, errors[:3]
    print('ok - JSON matches its schema')


def check_diff():
    """Pairs of versions, one of them over its limit, one with a finding."""
    import jsonschema
    schema = json.loads((root / 'docs/schema/tenure.diff-1.schema.json').read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    models = root / 'fixtures/diff'
    for old, new, status, more in (
            ('base', 'skip', 1, ['--fail-on-growth', '10%']),
            ('skip', 'base', 0, ['--fail-on-growth', '10%']),
            ('base', 'unknown', 0, ['--fail-on-growth', '4K']), ('unknown', 'base', 0, []),
            ('base', 'skip', 0, ['--region', 'a:3K'])):
        done = served.run([tenure, 'diff', models / f'{old}.json', models / f'{new}.json',
                           '--format', 'json', *more], capture_output=True, text=True)
        assert done.returncode == status, (old, new, done.returncode, done.stderr)
        document = json.loads(done.stdout)
        errors = [e.message for e in validator.iter_errors(document)]
        assert not errors, (old, new, errors[:3])
        known = document['figures']['arena_bytes']
        assert (known['after'] is None) == ('--region' in more), known
    print('ok - diff matches its schema')


try:
    import jsonschema
except ImportError:
    sys.exit(77)  # skipped
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    check_places(folder)
    files = everything(folder)
    check_sarif(folder, files, sys.argv[3] if len(sys.argv) > 3 else None)
    check_junit(folder, files)
    check_github(folder, files)
    check_json(folder, files)
    check_diff()

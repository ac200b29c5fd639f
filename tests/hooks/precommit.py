#!/usr/bin/env python3
"""The real pre-commit installs the hooks into a scratch repository, blocks commits that break
a rule, a plan or a budget, and lets others through; without a network.
Usage: precommit.py SOURCE_ROOT TENURE"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root, tenure = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
precommit = '/usr/bin/pre-commit' if os.path.exists('/usr/bin/pre-commit') \
    else shutil.which('pre-commit')
if not precommit or not shutil.which('git'):
    sys.exit(77)  # skipped

work = pathlib.Path(tempfile.mkdtemp(prefix='tenure-hooks-'))
bin_ = work / 'bin'
bin_.mkdir()
(bin_ / 'tenure').symlink_to(tenure)
nowhere = 'http://127.0.0.1:9'
env = {'PATH': f'{bin_}:/usr/bin:/bin', 'HOME': str(work), 'LANG': 'C.UTF-8',
       'PRE_COMMIT_HOME': str(work / 'cache'), 'GIT_CONFIG_NOSYSTEM': '1',
       'GIT_AUTHOR_NAME': 'test', 'GIT_AUTHOR_EMAIL': 'test@example.invalid',
       'GIT_COMMITTER_NAME': 'test', 'GIT_COMMITTER_EMAIL': 'test@example.invalid',
       'GIT_ALLOW_PROTOCOL': 'file', 'http_proxy': nowhere, 'https_proxy': nowhere,
       'PIP_NO_INDEX': '1'}


def run(*command, cwd, ok=True):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ok:
        assert done.returncode == 0, (command, done.stdout)
    return done


def git(*arguments, cwd, ok=True):
    return run('git', *arguments, cwd=cwd, ok=ok)


def graph(size=64, second_reader=False, claim=False, kind='RELU'):
    """Two ops; the second reader makes writing in place over 'a' wrong."""
    shape = [size]
    tensors = [{'name': n, 'dtype': 'i8', 'shape': shape} for n in 'xabcy']
    tensors[0].update(role='input', clobber=True)
    tensors[4]['role'] = 'output'
    ops = [{'name': 'first', 'type': kind, 'inputs': ['x'], 'outputs': ['a']},
           {'name': 'second', 'type': kind, 'inputs': ['a'], 'outputs': ['b']},
           {'name': 'third', 'type': kind, 'inputs': ['a' if second_reader else 'b'],
            'outputs': ['c']},
           {'name': 'fourth', 'type': 'ADD', 'inputs': ['b', 'c'], 'outputs': ['y']}]
    made = {'format': 'tenure.graph/1', 'tensors': tensors, 'ops': ops}
    if claim:
        made['claims'] = [{'id': 'ours', 'kind': 'inplace', 'op': 'second', 'in': 'a',
                           'out': 'b'}]
    return json.dumps(made, indent=1)


def hooks_repository():
    """What users name as `repo`: only its file of hooks is looked at."""
    path = work / 'tenure'
    path.mkdir()
    shutil.copy(root / '.pre-commit-hooks.yaml', path)
    git('init', '-q', '-b', 'main', cwd=path)
    git('add', '.', cwd=path)
    git('commit', '-q', '-m', 'hooks', cwd=path)
    return path, git('rev-parse', 'HEAD', cwd=path).stdout.strip()


def model_repository(hooks, revision):
    path = work / 'models'
    path.mkdir()
    git('init', '-q', '-b', 'main', cwd=path)
    (path / '.pre-commit-config.yaml').write_text(f'''repos:
- repo: {hooks}
  rev: {revision}
  hooks:
  - id: tenure-lint
  - id: tenure-plan-check
  - id: tenure-budget
    args: [--ram, 4K]
''')
    run(precommit, 'install', cwd=path)
    return path


def commit(path, name, files, blocked_by=(), says=()):
    """Commits the files; with hooks that block it nothing may have been committed."""
    for file, text in files.items():
        (path / file).parent.mkdir(exist_ok=True)
        (path / file).write_text(text)
        git('add', file, cwd=path)
    before = git('rev-parse', '-q', '--verify', 'HEAD', cwd=path, ok=False).stdout
    done = git('commit', '-m', name, cwd=path, ok=False)
    after = git('rev-parse', '-q', '--verify', 'HEAD', cwd=path, ok=False).stdout
    assert (done.returncode != 0) == bool(blocked_by), (name, done.stdout)
    assert (before == after) == bool(blocked_by), (name, done.stdout)
    failed = [line for line in done.stdout.splitlines() if line.endswith('Failed')]
    assert len(failed) == len(blocked_by), (name, done.stdout)
    for hook, line in zip(blocked_by, failed):
        assert line.startswith(hook), (name, done.stdout)
    for text in says:
        assert text in done.stdout, (name, text, done.stdout)
    if blocked_by:
        git('reset', '-q', '--hard', cwd=path)
    print(f'ok - {name}')
    return done.stdout


def main():
    models = model_repository(*hooks_repository())
    commit(models, 'no model at all', {'README.md': '# models\n'})
    commit(models, 'JSON that is no graph',
           {'package.json': '{"name": "x"}\n', 'list.json': '[1, 2]\n',
            'tsconfig.json': '{"compilerOptions": {}} // a comment\n'})
    commit(models, 'good models, several at once',
           {f'nets/{i}.json': graph(size=32 + i) for i in range(20)})
    commit(models, 'a claim that holds', {'claimed.json': graph(claim=True)})
    commit(models, 'a claim that does not',
           {'claimed.json': graph(claim=True, second_reader=True)},
           ['lint memory decisions'], ['claimed.json:', 'still reads'])
    commit(models, 'a model that is broken', {'broken.json': graph()[:-40]},
           ['lint', 'budgets'], ['broken.json'])
    commit(models, 'over the budget', {'large.json': graph(size=8192)},
           ['budgets'], ['large.json', 'B more than the 4096 B of --ram'])

    (models / 'net.json').write_text(graph(size=512))
    run(bin_ / 'tenure', 'plan', 'net.json', '-o', 'net.plan.json', cwd=models)
    commit(models, 'a model with its plan',
           {n: (models / n).read_text() for n in ('net.json', 'net.plan.json')})
    commit(models, 'the plan is stale', {'net.json': graph(size=640)},
           ['check memory plans'], ['net.plan.json', 'plan/stale', 'made now needs'])
    plan = json.loads((models / 'net.plan.json').read_text())
    moved = next(t for t in plan['tensors'] if t['name'] == 'y')
    moved['offset'] += 1
    commit(models, 'the plan is wrong', {'net.plan.json': json.dumps(plan)},
           ['check memory plans'], ['net.json'])
    run(bin_ / 'tenure', 'plan', 'net.json', '--overlap', 'none', '-o', 'net.plan.json',
        cwd=models)
    plan = json.loads((models / 'net.plan.json').read_text())
    plan['overlap'] = 'full'  # as it would be had the planner been worse
    commit(models, 'the plan is larger than need be', {'net.plan.json': json.dumps(plan)},
           ['check memory plans'], ['plan/larger'])
    out = run(precommit, 'run', '--all-files', cwd=models)
    assert out.stdout.count('Passed') == 3, out.stdout
    print('ok - all files')


try:
    main()
finally:
    shutil.rmtree(work)

#!/usr/bin/env python3
"""`emit --test`: `make test` in the project runs on the host and on the emulated board, and fails when
an expected byte is another.
Usage: own_test.py TENURE SOURCE_ROOT"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(root / 'tools'))
import emitted

PROJECTS = [('graphs/residual_i8.json', ['--cpu', 'cortex-m0plus']),
            ('graphs/two_outputs_i8.json', []),
            ('graphs/kws_i8.json', ['--region', 'fast:4K', '--region', 'slow:64K']),
            ('graphs/residual_i8.json', ['--cpu', 'cortex-m55', '--flat']),
            ('models/svdf.tflite', ['--debug']),
            ('graphs/vww_i8.json', ['--stream-input'])]
# its inputs and outputs in two runs do not fit beside the code on a Cortex-M55's board
LARGE = {'format': 'tenure.graph/1', 'name': 'large',
         'tensors': [{'name': name, 'dtype': 'i8', 'shape': [1, 150000], 'role': role,
                      'quantization': {'scale': 0.5}}
                     for name, role in (('x', 'input'), ('y', 'output'))],
         'ops': [{'type': 'RELU', 'inputs': ['x'], 'outputs': ['y']}]}
ON_BOARD = all(shutil.which(tool) for tool in emitted.TOOLS)


def make(folder, *words):
    done = subprocess.run(['make', '-s', '--no-print-directory', 'CFLAGS=-Werror', *words], cwd=folder,
                          text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def change(path, pattern):
    """One number more or less, the first one behind the pattern."""
    text = path.read_text()
    found = re.search(pattern + r'[^{]*\{\s*(-?\d+)', text)
    assert found, (path, pattern)
    path.write_text(f'{text[:found.start(1)]}{int(found.group(1)) ^ 1}{text[found.end(1):]}')
    return text


def check(graph, options, folder):
    emitted.run([tenure, 'emit', root / 'fixtures' / graph, '--test', *options, '-o', folder])
    assert '`make test`' in (folder / 'README.md').read_text()
    status, out, err = make(folder, 'test')
    assert not status and not err, (graph, options, out, err)
    right = re.findall(r'^\w+: 2 runs, the results are as expected\r?$', out, re.M)
    assert len(right) == 1 + ON_BOARD, (graph, options, out)
    main = folder / 'test/main.c'
    for pattern in ('expected_0_0', 'expected_1_0'):
        text = change(main, pattern)
        status, out, _ = make(folder, 'test-host')
        assert status and 'results differ' in out, (graph, options, pattern, out)
        if ON_BOARD and pattern == 'expected_0_0':
            status, out, _ = make(folder, 'test-board')
            assert status and 'results differ' in out, (graph, options, out)
        main.write_text(text)
    print(f'{graph} {" ".join(options)}: right {len(right)} times', flush=True)


for graph, options in PROJECTS:
    with tempfile.TemporaryDirectory() as folder:
        check(graph, options, pathlib.Path(folder) / 'project')
with tempfile.TemporaryDirectory() as folder:
    large = pathlib.Path(folder) / 'large.json'
    large.write_text(json.dumps(LARGE))
    check(large, ['--cpu', 'cortex-m55'], pathlib.Path(folder) / 'project')
with tempfile.TemporaryDirectory() as folder:
    one = root / 'fixtures' / PROJECTS[0][0]
    done = subprocess.run([tenure, 'emit', one, one, '--test', '-o', folder], text=True,
                          capture_output=True)
    assert done.returncode == 2 and '--test is for one graph' in done.stderr, done

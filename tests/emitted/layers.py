#!/usr/bin/env python3
"""The hook that measures layers: nothing in the object code unless it is defined; then it is called
behind each op, in order.
Usage: layers.py TENURE SOURCE_ROOT"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
HOOK = '''#include <stdint.h>
void layer_done(uint32_t op, const char *type, const char *name);
#define TENURE_LAYER_HOOK(op, type, name) layer_done(op, type, name)
'''
FLAGS = ['-std=c99', '-O2', '-Wall', '-Wextra', '-Werror', '-ffp-contract=off', '-I.', '-Ikernels']


def run(command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    assert not done.returncode, (command, done.returncode, done.stdout, done.stderr[-2000:])
    assert not done.stderr, (command, done.stderr[-2000:])
    return done.stdout


def code(folder, source):
    run(['gcc', *FLAGS, '-c', '-o', 'code.o', source], folder)
    return (folder / 'code.o').read_bytes()


def layers(folder):
    """(op, type, name) in the order of the calls."""
    ident = re.search(r'void (\w+)_init\(', (folder / 'model.h').read_text()).group(1)
    (folder / 'profile.h').write_text(HOOK)
    run(['gcc', *FLAGS, '-include', 'profile.h', '-DHEADER="model.h"', f'-DMODEL={ident}',
         f'-DBYTES={ident.upper()}_ARENA_BYTES', '-o', 'layers', *sorted(folder.rglob('*.c')),
         root / 'tests/emitted/layers.c'], folder)
    return [line.split(' ', 2) for line in run([folder / 'layers'], folder).splitlines()]


def check(graph, *options):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = root / 'fixtures/graphs' / graph
        run([tenure, 'emit', path, *options, '-o', folder], root)
        model = folder / 'model.c'
        text = model.read_text()
        bare = re.sub(r'\tTENURE_LAYER_HOOK\(.*\);\n', '', text)
        assert bare != text
        with_hook = code(folder, model)
        model.write_text(bare)
        assert code(folder, model) == with_hook, (graph, options)
        model.write_text(text)
        found = layers(folder)
        assert all(op and kind for op, kind, _ in found)
        return found, [op['name'] for op in json.loads(path.read_text())['ops']]


for graph in ('residual_i8.json', 'two_outputs_i8.json'):
    for debug in ([], ['--debug']):
        found, names = check(graph, '--rewrite', 'none', *debug)
        assert [name for *_, name in found] == names, (graph, found, names)
found, names = check('vww_i8.json', '--rewrite', 'none', '--stream', 'auto')
assert len(found) > len(names) and {name for *_, name in found} <= set(names), found
once = [name for k, (*_, name) in enumerate(found) if name not in (n for *_, n in found[:k])]
assert once == [name for name in names if name in once], once  # each starts behind those before
print(f'{len(names)} layers, {len(found)} calls in chains')

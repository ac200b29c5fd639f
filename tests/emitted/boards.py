#!/usr/bin/env python3
"""Every packed kernel gives the executor's bytes on an emulated board whatever the compiler makes of
it: levels, link-time optimisation, frame pointers, gcc and clang. The graph has the layers of
tests/unit/layers.h, each with an input and an output of its own. With --every all of the options
for all of the boards.
Usage: boards.py TENURE PUT_LAYERS [--every]"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

tenure, put_layers = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / 'tools'))
import emitted

if any(not shutil.which(tool) for tool in emitted.TOOLS):
    sys.exit(77)  # skipped

CLANG = emitted.clang_library()
WAYS = {'cortex-m3': [('gcc', '-O3'), ('clang', '-O2')],
        'cortex-m4': [('gcc', '-Os'), ('gcc', '-O2 -flto=auto'), ('clang', '-O2')],
        'cortex-m55': [('gcc', '-O0'), ('gcc', '-O3'),
                       # a register less
                       ('gcc', '-Os -fno-omit-frame-pointer'), ('clang', '-O0'), ('clang', '-O2')]}
EVERY = [('gcc', '-O0'), ('gcc', '-O3'), ('gcc', '-Os'), ('gcc', '-O2 -flto=auto'),
         ('gcc', '-O1 -fno-omit-frame-pointer'), ('gcc', '-Os -fno-omit-frame-pointer'),
         ('clang', '-O0'), ('clang', '-O2'), ('clang', '-Os')]
if '--every' in sys.argv:
    WAYS = {cpu: [way for way in EVERY if cpu == 'cortex-m55' or 'frame' not in way[1]]
            for cpu in WAYS}


def make(folder, cpu, *words):
    done = subprocess.run(['make', '-s', '-j2', '--no-print-directory', f'CPU={cpu}', f'BOARD={cpu}',
                           'CROSS=arm-none-eabi-', *words], cwd=folder, text=True,
                          capture_output=True)
    assert not done.returncode and not done.stderr, (cpu, words, done.stdout, done.stderr[-2000:])
    return done.stdout


def check(folder, cpu, compiler, level):
    shutil.rmtree(folder / 'build', ignore_errors=True)
    if compiler == 'clang':  # gcc's linker and library take the objects
        make(folder, cpu, f'OPT={level}', 'CFLAGS=-Werror -isystem ' + str(CLANG),
             'CC=clang --target=arm-none-eabi -fshort-enums')
    out = make(folder, cpu, f'OPT={level}', 'CFLAGS=-Werror', 'test-board',
               'CC=arm-none-eabi-gcc -Wl,-z,noexecstack')
    assert '2 runs, the results are as expected' in out, (cpu, compiler, level, out)
    print(f'{cpu}, {compiler} {level}: right', flush=True)


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    graph = top / 'layers.json'
    emitted.run([put_layers, graph])
    for cpu, ways in WAYS.items():
        folder = top / cpu
        emitted.run([tenure, 'emit', graph, '--test', '--cpu', cpu, '--kernels', 'auto', '-o',
                     folder])
        for way in ways:
            if way[0] != 'clang' or CLANG:
                check(folder, cpu, *way)

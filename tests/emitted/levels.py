#!/usr/bin/env python3
"""An emitted program gives the same bytes over its plan and with every tensor apart, whatever the
compiler makes of it: gcc and clang, levels, link-time optimisation, sanitizers.
Usage: levels.py TENURE SOURCE_ROOT"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
GRAPHS = [('graphs/residual_i8.json', kernels) for kernels in ('ref', 'thumb', 'dsp', 'mve')]
LEVELS = [['-O0'], ['-O2'], ['-O3'], ['-Os'], ['-O3', '-flto']]
SANITIZERS = ['-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']


def run(command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    assert not done.returncode, (command, done.returncode, done.stdout, done.stderr[-2000:])
    assert not done.stderr, (command, done.stderr[-2000:])
    return done.stdout


def programs(folder, compiler, flags):
    """What the program prints with tensors apart, and over its plan: kernels are compiled once."""
    header = (folder / 'model.h').read_text()
    ident = re.search(r'void (\w+)_init\(', header).group(1)
    out = folder / '-'.join([compiler, *flags]).replace('/', '_')
    out.mkdir()
    compile = [compiler, '-std=c99', *flags, '-Wall', '-Wextra', '-Werror', '-ffp-contract=off',
               f'-I{folder}', f'-I{folder}/kernels', '-DHEADER="model.h"', f'-DMODEL={ident}',
               f'-DBYTES={ident.upper()}_ARENA_BYTES',
               f'-DINPUT_BYTES={ident.upper()}_INPUT0_BYTES',
               f'-DOUTPUT_BYTES={ident.upper()}_OUTPUT0_BYTES']
    model = [folder / 'model.c', root / 'tests/emitted/outputs.c']
    run([*compile, '-c', *(path for path in sorted(folder.rglob('*.c')) if path != model[0])], out)
    said = []
    for apart in (['-DTENURE_UNSHARED'], []):
        run([*compile, *apart, '-o', out / 'program', *model, *sorted(out.glob('*.o'))], folder)
        said.append(run([out / 'program'], folder).strip())
    return said


def check(graph, kernels, folder):
    run([tenure, 'emit', root / 'fixtures' / graph, '--kernels', kernels, '--debug', '-o',
         folder], root)
    ways = [(compiler, flags) for compiler in ('gcc', 'clang') if shutil.which(compiler)
            for flags in [*LEVELS, SANITIZERS]
            if compiler == 'gcc' or '-flto' not in flags or shutil.which('ld.lld')]
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        found = dict(zip(map(str, ways), threads.map(lambda way: programs(folder, *way), ways)))
    digests = {digest for pair in found.values() for digest in pair}
    assert len(digests) == 1, (graph, kernels, found)
    print(f'{graph}, {kernels}: {2 * len(ways)} programs, {digests.pop()}', flush=True)


for graph, kernels in GRAPHS:
    with tempfile.TemporaryDirectory() as folder:
        check(graph, kernels, pathlib.Path(folder))

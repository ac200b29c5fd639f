#!/usr/bin/env python3
"""An emitted program gives the same bytes over its plan and with every tensor apart, whatever the
compiler makes of it: gcc and clang, levels, link-time optimisation, sanitizers. Each set of kernels
is compiled in every way by one of the compilers, each compiler's ways are for half of the sets; with
--every all of them are for all.
Usage: levels.py TENURE SOURCE_ROOT [--every]"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
GRAPH, SETS, COMPILERS = 'graphs/residual_i8.json', ['ref', 'thumb', 'dsp', 'mve'], ['gcc', 'clang']
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


def ways_of(number):
    """(compiler, flags) for a set of kernels."""
    for c, compiler in enumerate(COMPILERS):
        for k, flags in enumerate([*LEVELS, SANITIZERS]):
            if not shutil.which(compiler) or (
                    compiler == 'clang' and '-flto' in flags and not shutil.which('ld.lld')):
                continue
            if '--every' in sys.argv or (number + c + k) % 2 == 0:
                yield compiler, flags


def check(number, folder):
    """The digest that all programs of the set print."""
    run([tenure, 'emit', root / 'fixtures' / GRAPH, '--kernels', SETS[number], '--debug', '-o',
         folder], root)
    ways = list(ways_of(number))
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        found = dict(zip(map(str, ways), threads.map(lambda way: programs(folder, *way), ways)))
    digests = {digest for pair in found.values() for digest in pair}
    assert len(digests) == 1, (SETS[number], found)
    print(f'{SETS[number]}: {2 * len(ways)} programs, {digests}', flush=True)
    return digests.pop()


said = set()
for number in range(len(SETS)):
    with tempfile.TemporaryDirectory() as folder:
        said.add(check(number, pathlib.Path(folder)))
assert len(said) == 1, said

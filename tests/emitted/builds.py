#!/usr/bin/env python3
"""Two models that share one memory are built with the project's Makefile and with its
CMakeLists.txt, without a warning, and take turns without disturbing each other.
Usage: builds.py TENURE SOURCE_ROOT"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
GRAPHS = ['graphs/residual_i8.json', 'graphs/branches_i8.json']
CMAKE = '''cmake_minimum_required(VERSION 3.13)
project(firmware C)
add_subdirectory(models)
add_executable(firmware {main})
target_compile_definitions(firmware PRIVATE {defines})
target_link_libraries(firmware PRIVATE models)
'''


def run(command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    assert not done.returncode, (command, done.returncode, done.stdout, done.stderr[-2000:])
    assert 'warning' not in done.stderr + done.stdout, (command, done.stdout, done.stderr)
    return done.stdout


def arenas(folder):
    """Prefixes of the models, and what each needs."""
    text = (folder / 'models.h').read_text()
    names = re.findall(r'#include "(\w+)\.h"', text)
    each = [int(re.search(r'_ARENA_BYTES (\d+)', (folder / f'{name}.h').read_text()).group(1))
            for name in names]
    both = int(re.search(r'TENURE_ARENA_BYTES (\d+)', text).group(1))
    assert both == max(each) and min(each) > 0, (names, each, both)
    return names, both


def system_headers(top):
    """Names of headers without a directory that programs get with those of the C library,
    from each compiler that is there."""
    names = ('assert ctype errno float inttypes limits locale math setjmp signal stdarg '
             'stdbool stddef stdint stdio stdlib string time').split()
    (top / 'all.c').write_text(''.join(f'#include <{name}.h>\n' for name in names))
    found = set(names)
    for compiler in ('gcc', 'clang', 'arm-none-eabi-gcc'):
        if not shutil.which(compiler):
            continue
        trace = subprocess.run([compiler, '-std=c99', '-H', '-fsyntax-only', top / 'all.c'],
                               text=True, capture_output=True, check=True).stderr
        for path in re.findall(r'^\.+ (\S+)\.h$', trace, re.M):
            stem, folder = pathlib.Path(path).name, pathlib.Path(path).parent.name
            if folder.startswith('include') and re.fullmatch(r'[A-Za-z]\w*', stem):
                found.add(stem)
    return sorted(found)


def named_like_headers(top):
    """Models whose files are called like a header that the project or its user includes."""
    names = system_headers(top) + ['models', 'STDINT', 'kernels', 'simd', 'int', 'class']
    (top / 'names').mkdir()
    for name in names:
        shutil.copy(root / 'fixtures/models/small_cnn.tflite', top / f'names/{name}.tflite')
    folder = top / 'headers'
    run([tenure, 'emit', *sorted((top / 'names').iterdir()), '--shared-arena', '-o', folder],
        top)
    assert len(list(folder.glob('*.h'))) == 2 * len(names) + 1
    # as -I of a user's: searched before the compiler's own
    uses = ''.join(f'#include <{name}.h>\n' for name in
                   ('stdio', 'stdlib', 'string', 'math', 'time', 'signal'))
    (top / 'use.c').write_text(uses + '#include "models.h"\n'
                               'int main(void) { return puts("") == EOF; }\n')
    shutil.copy(top / 'use.c', top / 'use.cc')
    for compiler in (['gcc', '-std=c99'], ['clang', '-std=c99'], ['g++', '-std=c++11']):
        if shutil.which(compiler[0]):
            source = top / ('use.cc' if compiler[0] == 'g++' else 'use.c')
            run([*compiler, '-Wall', '-Wextra', '-pedantic', '-Werror', f'-I{folder}',
                 '-fsyntax-only', source], top)
    sources = sorted(folder.glob('*.c'))
    run(['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', f'-I{folder}',
         f'-I{folder}/kernels', '-fsyntax-only', *sources], top)


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    folder, main = top / 'models', root / 'tests/emitted/two.c'
    run([tenure, 'emit', *(root / 'fixtures' / graph for graph in GRAPHS), '--shared-arena',
         '-o', folder], top)
    names, both = arenas(folder)
    defines = [f'{letter}{what}' for letter, name in zip('AB', names)
               for what in (f'={name}', f'_INPUT={name.upper()}_INPUT0_BYTES',
                            f'_OUTPUT={name.upper()}_OUTPUT0_BYTES')]
    said = f'3 runs, {both} B\n'

    run(['make', '-s', 'CFLAGS=-Werror'], folder)
    run(['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', f'-I{folder}',
         *(f'-D{define}' for define in defines), '-o', top / 'made', main,
         folder / 'build/host/libmodels.a'], top)
    assert run([top / 'made'], top) == said

    if shutil.which('cmake'):
        (top / 'CMakeLists.txt').write_text(CMAKE.format(main=main, defines=' '.join(defines)))
        run(['cmake', '-S', '.', '-B', 'out', '-DCMAKE_C_FLAGS=-Werror'], top)
        run(['cmake', '--build', 'out'], top)
        assert run([top / 'out/firmware'], top) == said
    else:
        print('no cmake: CMakeLists.txt is not built')

    named_like_headers(top)

    def refused(*words):
        done = subprocess.run([tenure, 'emit', *words, '-o', top / 'refused'], text=True,
                              capture_output=True)
        assert done.returncode == 2, (words, done.returncode, done.stdout, done.stderr)
        return done.stderr

    one, state = root / 'fixtures/graphs/residual_i8.json', root / 'fixtures/models/svdf.tflite'
    for models in ((one, state), (state, one)):
        assert 'emit/shared-state' in refused(*models, '--shared-arena')
        run([tenure, 'emit', *models, '-o', top / 'apart'], top)
    for models in ((one, top / 'nothing'), (top / 'nothing', one)):
        assert 'nothing' in refused(*models)
    assert '--plan is for one graph' in refused(one, state, '--plan', top / 'nothing')

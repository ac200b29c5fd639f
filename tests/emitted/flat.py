#!/usr/bin/env python3
"""`emit --flat`: every source compiles in the one folder, as C99, the header in C++ too; the program
gives the bytes of the one in folders. Zephyr's build file is run with functions that stand for
Zephyr's own.
Usage: flat.py TENURE SOURCE_ROOT"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
MODELS = [('graphs/residual_i8.json', 'ref'), ('graphs/residual_i8.json', 'thumb'),
          ('graphs/residual_i8.json', 'dsp'), ('graphs/residual_i8.json', 'mve'),
          ('graphs/kws_f32.json', 'ref')]
FLAGS = ['-O1', '-Wall', '-Wextra', '-Werror', '-ffp-contract=off']
ZEPHYR = '''cmake_minimum_required(VERSION 3.13)
project(firmware C)
function(zephyr_include_directories)
	foreach(dir ${{ARGN}})
		get_filename_component(dir ${{dir}} ABSOLUTE)
		include_directories(${{dir}})
	endforeach()
	set(dirs ${{dir}} PARENT_SCOPE)
endfunction()
macro(zephyr_library_named name)
	set(library ${{name}})
	add_library(${{library}} STATIC)
endmacro()
macro(zephyr_library_compile_options)
	target_compile_options(${{library}} PRIVATE ${{ARGN}})
endmacro()
macro(zephyr_library_sources)
	target_sources(${{library}} PRIVATE ${{ARGN}})
	target_include_directories(${{library}} PRIVATE ${{dirs}})
endmacro()
add_subdirectory({folder} module)
'''


def run(command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    assert not done.returncode, (command, done.returncode, done.stdout, done.stderr[-2000:])
    return done.stdout


def defines(folder):
    ident = re.search(r'void (\w+)_init\(', (folder / 'model.h').read_text()).group(1)
    return ['-DHEADER="model.h"', f'-DMODEL={ident}', f'-DBYTES={ident.upper()}_ARENA_BYTES',
            f'-DINPUT_BYTES={ident.upper()}_INPUT0_BYTES',
            f'-DOUTPUT_BYTES={ident.upper()}_OUTPUT0_BYTES']


def output(folder, sources, *includes):
    run(['gcc', '-std=c99', *FLAGS, '-I.', *includes, *defines(folder), '-o', folder / 'program',
         *sources, root / 'tests/emitted/outputs.c'], folder)
    return run([folder / 'program'], folder)


def check_one_folder(folder):
    """Includes name files that are there, and no folder; nothing else is needed."""
    for path in [*folder.glob('*.c'), *folder.glob('*.h')]:
        for name in re.findall(r'#\s*include "(.*)"', path.read_text()):
            assert '/' not in name and (folder / name).is_file(), (path, name)
    names = {str(path.relative_to(folder)) for path in folder.rglob('*') if path.is_file()}
    assert {name for name in names if '/' in name} == {'zephyr/module.yml', 'zephyr/CMakeLists.txt'}


def check_frameworks(folder, top):
    properties = dict(line.split('=', 1)
                      for line in (folder / 'library.properties').read_text().splitlines())
    assert re.fullmatch(r'[A-Za-z0-9][\w .-]{0,62}', properties['name']), properties
    assert (folder / properties['includes']).is_file() and properties['version'] == '1.0.0'
    assert {'author', 'maintainer', 'sentence', 'paragraph', 'category', 'url',
            'architectures'} <= set(properties)
    module = (folder / 'zephyr/module.yml').read_text()
    assert re.fullmatch(r'name: \w+\nbuild:\n  cmake: zephyr\n', module), module
    if not shutil.which('cmake'):
        return
    (top / 'CMakeLists.txt').write_text(ZEPHYR.format(folder=folder / 'zephyr'))
    run(['cmake', '-S', '.', '-B', 'out', '-DCMAKE_C_FLAGS=-Werror'], top)
    run(['cmake', '--build', 'out'], top)
    assert list(top.glob('out/module/lib*.a')), 'no library'


def check(graph, kernels, top):
    flat, deep = top / 'flat', top / 'deep'
    for folder, option in ((flat, ['--flat']), (deep, [])):
        run([tenure, 'emit', root / 'fixtures' / graph, '--kernels', kernels, *option, '-o', folder],
            root)
    check_one_folder(flat)
    assert output(flat, sorted(flat.glob('*.c'))) == \
        output(deep, sorted(deep.rglob('*.c')), '-Ikernels'), (graph, kernels)
    (top / 'use.cc').write_text('#include "model.h"\nint main() { return 0; }\n')
    run(['g++', *FLAGS, f'-I{flat}', '-c', '-o', 'use.o', 'use.cc'], top)
    run(['make', '-s', 'CFLAGS=-Werror'], flat)
    check_frameworks(flat, top)


for graph, kernels in MODELS:
    with tempfile.TemporaryDirectory() as top:
        check(graph, kernels, pathlib.Path(top))
with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    run([tenure, 'emit', *(root / 'fixtures/graphs' / name for name in (
        'residual_i8.json', 'branches_i8.json')), '--flat', '--shared-arena', '-o', top / 'two'], root)
    check_one_folder(top / 'two')
    run(['make', '-s', 'CFLAGS=-Werror'], top / 'two')
    check_frameworks(top / 'two', top)

#!/usr/bin/env python3
"""clang compiles emitted projects, and every kernel with assembly, without a warning, for
processors that have the instructions and for one that has not: what is inline assembly to gcc is
that to clang.
Usage: clang.py TENURE SOURCE_ROOT"""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(root / 'tools'))
import emitted

LIBRARY = emitted.clang_library()
if not LIBRARY:
    sys.exit(77)  # skipped

GRAPHS = ['graphs/residual_i8.json', 'graphs/kws_i8.json', 'graphs/kws_f32.json',
          'models/svdf.tflite']
CPUS = ['cortex-m0plus', 'cortex-m4', 'cortex-m55']
SETS = {'thumb': ['cortex-m0plus', 'cortex-m3'], 'dsp': ['cortex-m0plus', 'cortex-m4', 'cortex-m33'],
        'mve': ['cortex-m0plus', 'cortex-m55']}


def compile(cpu, source, folder, *more):
    """What clang has to say, with warnings as errors. The object is a file: ccache knows those; with
    -MMD it asks for no text of the preprocessor."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(
            ['clang', '--target=arm-none-eabi', *emitted.BOARDS[cpu].flags, '-std=c99', '-O2', '-Wall',
             '-Wextra', '-Werror', '-ffp-contract=off', '-isystem', LIBRARY, *more, '-MMD', '-c', '-o',
             f'{out}/source.o', source], cwd=folder, text=True, capture_output=True)
    return f'{cpu}, {source}: {done.stderr[:400]}' if done.returncode or done.stderr else ''


def jobs(top):
    """(processor, source, folder, flags) of everything; a kernel of several graphs is there once."""
    kernels = root / 'src/kernels'
    seen = set()
    flags = [f'-I{root}/include', f'-I{kernels}']
    for name, cpus in SETS.items():
        for cpu in cpus:
            for source in sorted((kernels / name).glob('*.c')):
                yield cpu, source, root, flags
    for cpu in CPUS:
        for k, graph in enumerate(GRAPHS):
            folder = top / f'{cpu}-{k}'
            emitted.run([tenure, 'emit', root / 'fixtures' / graph, '--kernels', 'auto', '--cpu',
                         cpu, '-o', folder])
            for source in sorted(folder.rglob('*.c')):
                one = cpu, source.name, source.read_bytes()
                if source.parent.name not in SETS and one not in seen:  # those are above
                    yield cpu, source.relative_to(folder), folder, ['-I.', '-Ikernels']
                seen.add(one)


with tempfile.TemporaryDirectory() as top:
    todo = list(jobs(pathlib.Path(top)))
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        bad = [said for said in threads.map(lambda job: compile(*job[:3], *job[3]), todo) if said]
    print(*bad, sep='\n')
    assert not bad, f'{len(bad)} of {len(todo)}'
    # and a mistake would be found
    wrong = pathlib.Path(top) / 'wrong.c'
    wrong.write_text('void f(void) { __asm__("smlad r0"); }\n')
    assert compile('cortex-m4', wrong, top)
    print(f'{len(todo)} sources')

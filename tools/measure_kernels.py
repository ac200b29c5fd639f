#!/usr/bin/env python3
"""Measures what the kernels take: bytes of code and read-only data, and the deepest stack.

    measure_kernels.py --write [FILE...]  rewrites src/emit/footprint.def; all rows (minutes of
                                          CPU), or these
    measure_kernels.py --check [FILE...]  compares rows with the compiler; all, or these

The kernels are compiled as the Makefile of an emitted model does it. Text is what
arm-none-eabi-size prints (read-only data included); the stack is that of the deepest chain
of calls from a function of the file (stack_use.py), other files, the C library and libgcc
included, on the processor where it is deepest. Another compiler makes other code, so a row
holds when it is within 10 % and 64 bytes."""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import stack_use

root = pathlib.Path(__file__).resolve().parent.parent
table = root / 'src/emit/footprint.def'
kernels = root / 'src/kernels'
CPUS = {
    'm0plus': ['-mcpu=cortex-m0plus', '-mthumb', '-mfloat-abi=soft'],
    'm3': ['-mcpu=cortex-m3', '-mthumb', '-mfloat-abi=soft'],
    'm4': ['-mcpu=cortex-m4', '-mthumb', '-mfpu=fpv4-sp-d16', '-mfloat-abi=hard'],
    'm7': ['-mcpu=cortex-m7', '-mthumb', '-mfpu=fpv5-d16', '-mfloat-abi=hard'],
    'm33': ['-mcpu=cortex-m33', '-mthumb', '-mfpu=fpv5-sp-d16', '-mfloat-abi=hard'],
    'm55': ['-mcpu=cortex-m55', '-mthumb', '-mfloat-abi=hard'],
}
HEAD = '''/* What each kernel takes on a Cortex-M: bytes of code and read-only data by processor, and
 * of stack. Written by tools/measure_kernels.py with arm-none-eabi-gcc {version} -O2; a
 * test compares rows with the compiler. */
/* clang-format off */
/* FOOTPRINT(file, {cpus}, stack) */
'''


def needed(name):
    """The file and those that `emit` writes with it: for each header its source."""
    names, todo = [], [name]
    while todo:
        path = todo.pop()
        if path in names:
            continue
        names.append(path)
        twin = path[:-1] + 'c'
        if path.endswith('.h') and (kernels / twin).is_file():
            todo.append(twin)
        for included in re.findall('#include "([^"]+)"', (kernels / path).read_text()):
            beside = (pathlib.Path(path).parent / included).as_posix()
            todo += [p for p in (beside, included) if (kernels / p).is_file()][:1]
    return [path for path in names if path.endswith('.c')]


def compiled(cpu, source, folder):
    out = folder / (source.replace('/', '-') + '.o')
    subprocess.run(['arm-none-eabi-gcc', '-std=c99', *CPUS[cpu], '-O2', '-ffp-contract=off',
                    '-ffunction-sections', '-fdata-sections', '-fstack-usage',
                    f'-I{root}/include', f'-I{kernels}', '-c', '-o', out, kernels / source],
                   check=True)
    return out


def text_of(path):
    said = subprocess.run(['arm-none-eabi-size', path], check=True, text=True,
                          capture_output=True).stdout
    text, data, bss = map(int, said.splitlines()[1].split()[:3])
    assert not data and not bss, (path, 'kernels have no state')
    return text


def measure_on(cpu, names, folder):
    """By name, text of the file and the deepest stack of its functions."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    sources = sorted({source for name in names for source in needed(name)})
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        objects = dict(zip(sources, threads.map(
            lambda source: compiled(cpu, source, folder), sources)))
    elf, out = folder / 'kernel.elf', {}
    for name in names:
        mine = [objects[source] for source in needed(name)]
        subprocess.run(['arm-none-eabi-gcc', *CPUS[cpu], '-nostartfiles', '-Wl,-e,0', '-o', elf,
                        *mine], check=True)
        image = stack_use.Image(elf, [path.with_suffix('.su') for path in mine])
        listed = subprocess.run(['arm-none-eabi-nm', objects[name]], check=True, text=True,
                                capture_output=True).stdout
        functions = re.findall(r' T (\w+)$', listed, re.M)
        out[name] = (text_of(objects[name]),
                     max(image.deepest(function)[0] for function in functions))
    shutil.rmtree(folder)
    return out


def measure(names, folder, cpus=CPUS):
    """By name, texts by processor and the largest stack."""
    found = [measure_on(cpu, names, folder) for cpu in cpus]
    return {name: ([f[name][0] for f in found], max(f[name][1] for f in found))
            for name in names}


def rows():
    pattern = r'^FOOTPRINT\("([^"]+)", ([0-9, ]+)\)$'
    return {name: [int(n) for n in numbers.split(',')]
            for name, numbers in re.findall(pattern, table.read_text(), re.M)}


def write(names):
    known = rows() if names else {}
    version = subprocess.run(['arm-none-eabi-gcc', '-dumpversion'], check=True, text=True,
                             capture_output=True).stdout.strip()
    text = HEAD.format(version=version, cpus=', '.join(CPUS))
    every = [path.relative_to(kernels).as_posix() for path in sorted(kernels.rglob('*.c'))]
    new = [name for name in every if name in names or name not in known]
    with tempfile.TemporaryDirectory() as folder:
        for name, (texts, stack) in measure(new, folder).items():
            known[name] = [*texts, stack]
    for name in every:
        text += f'FOOTPRINT("{name}", {", ".join(map(str, known[name]))})\n'
    table.write_text(text + '/* clang-format on */\n')


def near(known, found):
    return abs(known - found) <= found * 0.1 + 64


def check(names):
    known, bad = rows(), []
    cpus = CPUS if not names else ('m0plus', 'm4')
    with tempfile.TemporaryDirectory() as folder:
        for name, (texts, stack) in measure(names or sorted(known), folder, cpus).items():
            row = known[name]
            for cpu, found in zip(cpus, texts):
                if not near(row[list(CPUS).index(cpu)], found):
                    bad.append(f'{name}: {cpu} {row[list(CPUS).index(cpu)]}, measured {found}')
            if stack > row[-1] + 64:
                bad.append(f'{name}: stack {row[-1]}, measured {stack}')
    print('\n'.join(bad))
    return 1 if bad else 0


if __name__ == '__main__':
    if sys.argv[1:2] == ['--write']:
        write(sys.argv[2:])
    elif sys.argv[1:2] == ['--check']:
        sys.exit(check(sys.argv[2:]))
    else:
        sys.exit(__doc__)

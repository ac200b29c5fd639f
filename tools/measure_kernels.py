#!/usr/bin/env python3
"""Measures what the kernels take: bytes of code and read-only data, and the deepest stack.

    measure_kernels.py --write [FILE...]  rewrites src/emit/footprint.def; all rows (minutes of
                                          CPU), or these
    measure_kernels.py --check [FILE...]  compares rows with the compiler; all, or these

The kernels are compiled as the Makefile of an emitted model does it. Text is what
arm-none-eabi-size prints (read-only data included); the stack is that of the deepest chain
of calls inside the file, from -fcallgraph-info, on the processor where it is deepest; what
the C library and libgcc need on top is not in it. Another compiler makes other code, so a
row holds when it is within 10 % and 64 bytes."""
import pathlib
import re
import subprocess
import sys
import tempfile

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


def depth(callgraph):
    """Bytes of the deepest chain; recursion, which kernels do not have, counts once."""
    own, calls = {}, {}
    for title, label in re.findall(r'node: \{ title: "([^"]+)" label: "([^"]*)"', callgraph):
        frame = re.search(r'\\n(\d+) bytes', label)
        own[title] = int(frame.group(1)) if frame else 0
    for source, target in re.findall(r'sourcename: "([^"]+)" targetname: "([^"]+)"', callgraph):
        calls.setdefault(source, set()).add(target)

    def below(name, above):
        rest = [below(c, above | {name}) for c in calls.get(name, ()) if c not in above]
        return own.get(name, 0) + max(rest, default=0)

    return max((below(name, frozenset()) for name in own), default=0)


def measure(name, folder, cpus=CPUS):
    texts, stack = [], 0
    for cpu in cpus:
        out = pathlib.Path(folder) / 'kernel.o'
        subprocess.run(['arm-none-eabi-gcc', '-std=c99', *CPUS[cpu], '-O2', '-ffp-contract=off',
                        '-ffunction-sections', '-fdata-sections', '-fcallgraph-info=su',
                        f'-I{root}/include', f'-I{kernels}', '-c', '-o', out,
                        kernels / name], check=True)
        said = subprocess.run(['arm-none-eabi-size', out], check=True, text=True,
                              capture_output=True).stdout
        text, data, bss = map(int, said.splitlines()[1].split()[:3])
        assert not data and not bss, (name, 'kernels have no state')
        texts.append(text)
        stack = max(stack, depth(out.with_suffix('.ci').read_text()))
    return texts, stack


def rows():
    pattern = r'^FOOTPRINT\("([^"]+)", ([0-9, ]+)\)$'
    return {name: [int(n) for n in numbers.split(',')]
            for name, numbers in re.findall(pattern, table.read_text(), re.M)}


def write(names):
    known = rows() if names else {}
    version = subprocess.run(['arm-none-eabi-gcc', '-dumpversion'], check=True, text=True,
                             capture_output=True).stdout.strip()
    text = HEAD.format(version=version, cpus=', '.join(CPUS))
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(kernels.rglob('*.c')):
            name = path.relative_to(kernels).as_posix()
            if name in names or name not in known:
                texts, stack = measure(name, folder)
                known[name] = [*texts, stack]
            text += f'FOOTPRINT("{name}", {", ".join(map(str, known[name]))})\n'
    table.write_text(text + '/* clang-format on */\n')


def near(known, found):
    return abs(known - found) <= found * 0.1 + 64


def check(names):
    known, bad = rows(), []
    with tempfile.TemporaryDirectory() as folder:
        for name in names or sorted(known):
            row = known[name]
            cpus = CPUS if not names else ('m0plus', 'm4')
            texts, stack = measure(name, folder, cpus)
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

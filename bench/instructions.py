#!/usr/bin/env python3
"""Prints how many instructions an inference takes on a Cortex-M, beside its peers' figures.
Usage: instructions.py TENURE [CPU...] (default: cortex-m3 cortex-m4 cortex-m7 cortex-m55)

The emitted program runs on QEMU as a firmware would build it (gcc -O2, --kernels auto), and a
plugin (count.c) counts. Needs gcc, arm-none-eabi-gcc and qemu-system-arm; says so and ends
when one is missing. Instructions are not cycles."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tables import model_path, number, root, rows, table

tenure = pathlib.Path(sys.argv[1]).resolve()
RUNS = 3  # inferences, each with other inputs
BOARDS = {  # machine, code, data
    'cortex-m3': ('mps2-an385', (0x00000000, '4M'), (0x20000000, '4M')),
    'cortex-m4': ('mps2-an386', (0x00000000, '4M'), (0x20000000, '4M')),
    'cortex-m7': ('mps2-an500', (0x00000000, '4M'), (0x20000000, '4M')),
    'cortex-m55': ('mps3-an547', (0x10000000, '512K'), (0x30000000, '512K')),
}
FLAGS = {
    'cortex-m3': ['-mcpu=cortex-m3', '-mfloat-abi=soft'],
    'cortex-m4': ['-mcpu=cortex-m4', '-mfpu=fpv4-sp-d16', '-mfloat-abi=hard'],
    'cortex-m7': ['-mcpu=cortex-m7', '-mfpu=fpv5-d16', '-mfloat-abi=hard'],
    'cortex-m55': ['-mcpu=cortex-m55', '-mfloat-abi=hard'],
}
SCRIPT = '''ENTRY(reset)
MEMORY {{
	CODE (rx) : ORIGIN = {code[0]:#x}, LENGTH = {code[1]}
	DATA (rw) : ORIGIN = {data[0]:#x}, LENGTH = {data[1]}
}}
SECTIONS {{
	.vectors : {{ KEEP(*(.vectors)) }} > CODE
	.text : {{ *(.text .text.* .rodata .rodata.*) . = ALIGN(8); }} > CODE
	.ARM.exidx : {{ *(.ARM.exidx*) }} > CODE
	data_load = LOADADDR(.data);
	.data : {{ . = ALIGN(8); data_start = .; *(.data .data.*) . = ALIGN(8); data_end = .; }} > DATA AT > CODE
	.bss (NOLOAD) : {{ . = ALIGN(8); bss_start = .; *(.bss .bss.* COMMON) . = ALIGN(8); bss_end = .; }} > DATA
	stack_top = ORIGIN(DATA) + LENGTH(DATA);
}}
'''


def run(command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: status {done.returncode}\n'
                 f'{done.stdout}{done.stderr}')
    return done.stdout


class Count:
    """Instructions of a program: of each run, and of all runs by function."""

    def __init__(self, elf, counted):
        self.runs, at = [], {}
        for line in pathlib.Path(counted).read_text().splitlines():
            words = line.split()
            if words[0] == 'total':
                self.runs.append(int(words[1]))
            else:
                at[int(words[1], 16)] = int(words[2])
        symbols = []
        for line in run(['arm-none-eabi-nm', '-n', elf], '.').splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in 'tT' and not words[2].startswith('$'):
                symbols.append((int(words[0], 16) & ~1, words[2]))
        self.functions = collections.Counter()
        k = -1
        for address in sorted(at):
            while k + 1 < len(symbols) and symbols[k + 1][0] <= address:
                k += 1
            self.functions[symbols[k][1]] += at[address]

    def kernels(self):
        """Of one inference, in kernels and what they call."""
        return sum(n for name, n in self.functions.items()
                   if not name.endswith('_run') and name not in HARNESS) // len(self.runs)


HARNESS = {'main', 'set_canaries', 'canaries_hold'}  # of programs with tensors apart


def program(folder, graph, cpu, plugin, emit=(), flags=()):
    """Emits, builds and counts."""
    name = f'{cpu}-{"-".join(word.strip("-") for word in [*emit, *flags])}'
    out = folder / name
    run([tenure, 'emit', graph, '--cpu', cpu, '-o', out, *emit], folder)
    ident = re.search(r'void (\w+)_init\(', (out / 'model.h').read_text()).group(1)
    prefix = ident.upper()
    (out / 'board.ld').write_text(SCRIPT.format(code=BOARDS[cpu][1], data=BOARDS[cpu][2]))
    sources = [p for p in sorted(out.rglob('*.c'))]
    sources += [root / 'bench/counted.c', root / 'src/validate/harness/startup.c']
    elf = out / 'program.elf'
    run(['arm-none-eabi-gcc', '-std=gnu99', *FLAGS[cpu], '-mthumb', '-O2', '-ffp-contract=off',
         '-ffunction-sections', '-fdata-sections', '-Wl,--gc-sections', '-I.', '-Ikernels',
         '-DHEADER="model.h"', f'-DMODEL={ident}', f'-DBYTES={prefix}_ARENA_BYTES',
         f'-DINPUT_BYTES={prefix}_INPUT0_BYTES', f'-DRUNS={RUNS}', *flags, '-nostartfiles',
         '-T', 'board.ld', '-o', elf, *sources], out)
    run(['qemu-system-arm', '-machine', BOARDS[cpu][0], '-display', 'none', '-monitor', 'none',
         '-serial', 'none', '-semihosting-config', 'enable=on,target=native', '-kernel', elf,
         '-plugin', f'{plugin},out={out / "counts"}'], out)
    return Count(elf, out / 'counts')


def line(model, graph, cpu, plugin, peers, folder):
    as_it_is = ['--rewrite', 'none']
    plain = program(folder, graph, cpu, plugin, as_it_is)
    apart = program(folder, graph, cpu, plugin, [*as_it_is, '--debug'],
                    ['-DTENURE_UNSHARED'])
    rewritten = program(folder, graph, cpu, plugin, ['--rewrite', 'all'])
    streamed = program(folder, graph, cpu, plugin, ['--rewrite', 'all', '--stream', 'auto'])
    total, best = plain.runs[0], peers.get((model, cpu))
    spread = max(plain.runs) - min(plain.runs)
    difference = 100 * (plain.kernels() - apart.kernels()) / apart.kernels()

    def share(count):
        return f'{count / best:.4f}' if best else ''

    return [model, cpu, number(total), number(spread), number(total - plain.kernels()),
            f'{difference:+.2f} %', number(best) if best else '', share(total),
            number(rewritten.runs[0]), share(rewritten.runs[0]),
            f'{streamed.runs[0] / rewritten.runs[0]:.3f}']


def main():
    for tool in ('gcc', 'arm-none-eabi-gcc', 'qemu-system-arm'):
        if not shutil.which(tool):
            print(f'Instructions are not counted: no {tool}.\n')
            return
    peers = {(p['model'], p['cpu']): int(p['instructions']) for p in rows('instructions.csv')}
    models = {row['model']: model_path(row) for row in rows('models.csv')}
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plugin = folder / 'count.so'
        run(['gcc', '-O2', '-Wall', '-shared', '-fPIC', '-o', plugin, root / 'bench/count.c'],
            folder)
        for model in dict.fromkeys(name for name, _ in peers):
            for cpu in sys.argv[2:] or BOARDS:
                each = folder / f'{len(lines)}'
                each.mkdir()
                lines.append(line(model, models[model], cpu, plugin, peers, each))
    print('Instructions of one inference of the emitted program on QEMU, which are not cycles.')
    print(f'"spread" is between {RUNS} inputs, "outside" what is not in kernels; "plan" what kernels')
    print('execute more over the plan than with every tensor in memory of its own (ops that move')
    print('nothing are left out then); "chains" is --stream auto over the rewritten one, as a')
    print("multiple of it. The peers' figures are of their kernels alone, with random")
    print('weights (bench/instructions.csv has their sources).\n')
    table(['model', 'cpu', 'instructions', 'spread', 'outside', 'plan', 'peer', 'share',
           'rewritten', 'share', 'chains'], lines)


main()

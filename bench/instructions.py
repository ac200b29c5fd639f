#!/usr/bin/env python3
"""Prints how many instructions an inference takes on a Cortex-M, beside its peers' figures.
Usage: instructions.py TENURE [CPU...] (default: cortex-m3 cortex-m4 cortex-m7 cortex-m55)

The emitted program runs on QEMU as a firmware would build it (gcc -O2, --kernels auto), and a
plugin (count.c) counts. TENURE_INPUTS says with how many inputs (3). Needs gcc, arm-none-eabi-gcc
and qemu-system-arm; says so and ends when one is missing. Instructions are not cycles."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tables import model_path, number, root, rows, table

sys.path.insert(0, str(root / 'tools'))
import emitted
from emitted import run

tenure = pathlib.Path(sys.argv[1]).resolve()
RUNS = int(os.environ.get('TENURE_INPUTS', '3'))  # inferences, each with other inputs
CPUS = ['cortex-m3', 'cortex-m4', 'cortex-m7', 'cortex-m55']


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
    out = folder / f'{cpu}-{"-".join(word.strip("-") for word in [*emit, *flags])}'
    project = emitted.Project(tenure, graph, cpu, out, *emit)
    elf = project.program(root / 'bench/counted.c', f'-DRUNS={RUNS}', *flags)
    emitted.qemu(cpu, elf, '-plugin', f'{plugin},out={out / "counts"}')
    return Count(elf, out / 'counts'), project


def line(model, graph, cpu, plugin, peers, folder):
    as_it_is = ['--rewrite', 'none']
    plain, project = program(folder, graph, cpu, plugin, as_it_is)
    apart, _ = program(folder, graph, cpu, plugin, [*as_it_is, '--debug'],
                    ['-DTENURE_UNSHARED'])
    rewritten, _ = program(folder, graph, cpu, plugin, ['--rewrite', 'all'])
    streamed, _ = program(folder, graph, cpu, plugin, ['--rewrite', 'all', '--stream', 'auto'])
    total, best = plain.runs[0], peers.get((model, cpu))
    outside, calls = total - plain.kernels(), project.calls()
    spread = max(plain.runs) - min(plain.runs)
    difference = 100 * (plain.kernels() - apart.kernels()) / apart.kernels()

    def share(count):
        return f'{count / best:.4f}' if best else ''

    return [model, cpu, number(total), number(spread), number(outside),
            f'{outside / calls:.1f}', f'{difference:+.2f} %', number(best) if best else '', share(total),
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
            for cpu in sys.argv[2:] or CPUS:
                each = folder / f'{len(lines)}'
                each.mkdir()
                lines.append(line(model, models[model], cpu, plugin, peers, each))
    print('Instructions of one inference of the emitted program on QEMU, which are not cycles.')
    print(f'"spread" is between {RUNS} inputs, "outside" what is not in kernels, in all')
    print('and for each op that is called; "plan" what kernels')
    print('execute more over the plan than with every tensor in memory of its own (ops that move')
    print('nothing are left out then); "chains" is --stream auto over the rewritten one, as a')
    print("multiple of it. The peers' figures are of their kernels alone, with random")
    print('weights (bench/instructions.csv has their sources).\n')
    table(['model', 'cpu', 'instructions', 'spread', 'outside', 'per op', 'plan', 'peer', 'share',
           'rewritten', 'share', 'chains'], lines)


main()

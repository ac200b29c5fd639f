#!/usr/bin/env python3
"""Prints what each layer of the kernel bench takes on a Cortex-M beside the fastest peer build:
instructions, scratch and stack, layer by layer, and totals of models.
Usage: layers.py BENCH [CPU...] (default: m3 m4 m7 m55); BENCH is the bench's folder, which stays
as it is.

Ends with 1 when an output's digest is wrong, a guard was written over, a layer takes more
instructions than the peer's or more than 2,560 bytes of scratch and stack."""
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tables import number, root

MACHINE = {'m3': 'mps2-an385', 'm4': 'mps2-an386', 'm7': 'mps2-an500', 'm55': 'mps3-an547'}
# a layer runs the first set's kernel where it has one
SETS = {'m3': ['tenure_thumb', 'tenure_plain_thumb'], 'm4': ['tenure', 'tenure_plain_dsp'],
        'm7': ['tenure', 'tenure_plain_dsp'], 'm55': ['tenure_mve', 'tenure_plain_mve']}
MODELS = {'resnet8': 'ResNet8', 'kws': 'KWS', 'vww': 'VWW', 'ad': 'AD'}
MEMORY = 2560  # bytes of scratch and stack, at most


def call(*command, **more):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, **more)


def read(path):
    with open(path, newline='') as file:
        return list(csv.DictReader(file))


def measured(bench, cpu, kernel_set):
    """Layers that the set has, by number."""
    image = bench / 'out' / f'{kernel_set}-{cpu}'
    text, counts = image / 'text', image / 'counts'
    # its exit status is the number of layers that this set does not have
    subprocess.run(['qemu-system-arm', '-machine', MACHINE[cpu], '-display', 'none', '-monitor',
                    'none', '-serial', 'none', '-semihosting-config',
                    'enable=on,target=native,chardev=sh', '-chardev', f'file,id=sh,path={text}',
                    '-plugin', f'{bench / "out/roicount.so"},out={counts}',
                    '-kernel', image / 'bench.elf'], timeout=1800)
    stretches = iter([int(line.split()[1]) for line in counts.read_text().splitlines()])
    found, runs = {}, []
    for line in text.read_text().splitlines():
        cells = line.split(',')
        if cells[0] == 'CAL':
            if next(stretches) != int(cells[2]):
                sys.exit(f'{kernel_set}-{cpu}: the plugin counts wrong: {line}')
        elif cells[0] == 'ROI':
            n = next(stretches)
            if cells[1] == 'run':
                runs.append(n)
        elif cells[0] == 'LAYER':
            if runs:
                found[int(cells[1])] = {
                    'count': runs[0], 'scratch': int(cells[9]), 'stack': int(cells[11]),
                    'digest': cells[12], 'kernel': cells[5],
                    'ok': cells[13:16] == ['0', 'guard_ok', 'rep_ok'] and runs[0] == runs[1]}
            runs = []
    return found


def layers_of(bench, cpu):
    found = {}
    for kernel_set in reversed(SETS[cpu]):
        found.update(measured(bench, cpu, kernel_set))
    return found


def peers_of(bench):
    """The layers, and by CPU and layer the instructions of the fastest build."""
    layers, best = {}, {}
    for row in read(bench / 'peer_counts.csv'):
        if not row['kernel_set'].startswith('cmsisnn'):
            continue
        layers[int(row['layer'])] = row
        key, n = (row['target'], int(row['layer'])), int(row['instructions'])
        best[key] = min(best.get(key, n), n)
    return layers, best


def cells_of(row):
    return '| ' + ' | '.join(row) + ' |'


def table(head, lines):
    for line in [head, ['---'] * len(head), *lines]:
        print(cells_of(line))
    print()


def name_of(row):
    return f"{row['kernel']} {row['shape']}"


def print_layers(cpus, layers, best, found):
    lines = []
    most = {cpu: [0, 0] for cpu in cpus}
    for k, row in sorted(layers.items()):
        line = [name_of(row)]
        for cpu in cpus:
            x = found[cpu][k]
            share, memory = x['count'] / best[cpu, k], x['scratch'] + x['stack']
            most[cpu] = [max(most[cpu][0], share), max(most[cpu][1], memory)]
            line += [number(x['count']), f'{share:.3f}', f"{x['scratch']} + {x['stack']}"]
        lines.append(line)
    lines.append(['most'] + [cell for cpu in cpus for cell in (
        '', f'{most[cpu][0]:.3f}', number(most[cpu][1]))])
    table(['layer'] + [cell for cpu in cpus for cell in (cpu.upper(), 'share', 'bytes')], lines)
    return most


def print_totals(bench, cpus, layers, found):
    """Beside the peer's fastest build of a whole model."""
    best = {}
    for row in read(bench / 'peer_totals.csv'):
        if row['kernel_set'].startswith('cmsisnn'):
            key, n = (row['target'], row['model']), int(row['instructions'])
            best[key] = min(best.get(key, n), n)
    lines = []
    for cpu in cpus:
        totals = {model: sum(found[cpu][k]['count'] * int(row['repeats'])
                             for k, row in layers.items() if row['model'] == model)
                  for model in MODELS}
        lines.append([cpu.upper()] + [number(n) for n in totals.values()])
        lines.append(['share'] + [f'{n / best[cpu, model]:.4f}' for model, n in totals.items()])
    table(['', *MODELS.values()], lines)


def main():
    source, cpus = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(MACHINE)
    with tempfile.TemporaryDirectory() as folder:
        bench = pathlib.Path(folder) / 'bench'
        shutil.copytree(source, bench, copy_function=shutil.copyfile,
                        ignore=shutil.ignore_patterns('out'))
        bench.chmod(0o755)
        (bench / 'out').mkdir()
        sets = sorted({name for cpu in cpus for name in SETS[cpu]})
        call('make', '-f', root / 'bench/kernel_set.mk', '-f', 'Makefile', f'TENURE={root}',
             f'SETS={" ".join(sets)}', 'out/roicount.so',
             *[f'out/{name}-{cpu}/bench.elf' for cpu in cpus for name in SETS[cpu]], cwd=bench)
        layers, best = peers_of(bench)
        digests = {int(row['layer']): row['fnv1a64'] for row in read(bench / 'golden.csv')}
        found = {cpu: layers_of(bench, cpu) for cpu in cpus}
        for cpu in cpus:
            for k, row in sorted(layers.items()):
                x = found[cpu].get(k)
                if not x or not x['ok'] or x['digest'] != digests[k]:
                    sys.exit(f'{cpu}, {name_of(row)}: {x or "no kernel"}')
        most = print_layers(cpus, layers, best, found)
        print_totals(bench, cpus, layers, found)
    problems = [f'{cpu}: a layer takes {share:.3f} of the peer' for cpu, (share, _) in most.items()
                if share > 1]
    problems += [f'{cpu}: a layer takes {memory} bytes' for cpu, (_, memory) in most.items()
                 if memory > MEMORY]
    for problem in problems:
        print(problem)
    return bool(problems)


sys.exit(main())

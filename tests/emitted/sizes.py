#!/usr/bin/env python3
"""What emitted programs take of a Cortex-M: no data that can be written; RAM within its share of
the peer's; a stack that a run on QEMU does not exceed; and all of it what lint says beforehand.
Usage: sizes.py TENURE SOURCE_ROOT"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(root / 'tools'))
import emitted
import stack_use

if any(not shutil.which(tool) for tool in emitted.TOOLS):
    sys.exit(77)  # skipped

ALL = list(emitted.BOARDS)
PROGRAMS = [('anomaly autoencoder', 'graphs/ad_i8.json', ALL),
            ('DS-CNN keyword spotting', 'graphs/kws_i8.json',
             ['cortex-m0plus', 'cortex-m4', 'cortex-m55']),
            ('streaming wake word', 'graphs/wake_i8.json', ['cortex-m3', 'cortex-m7', 'cortex-m55']),
            ('ResNet8', 'graphs/resnet8_i8.json', ['cortex-m33']),
            # without a peer's figure
            ('state', 'models/svdf.tflite', ['cortex-m0plus']),
            ('floats', 'graphs/kws_f32.json', ['cortex-m3', 'cortex-m33']),
            ('a variable with a first value', 'graphs/accumulator_f32.json',
             ['cortex-m0plus', 'cortex-m4'])]
# as above, in floats: as many addresses are kept as there are low registers
IN_FLOATS = [('the autoencoder in floats', 'graphs/ad_i8.json',
              ['cortex-m3', 'cortex-m4', 'cortex-m7'])]


def lint(graph, cpu):
    """Arena, stack, constants, code."""
    said = subprocess.run([tenure, 'lint', graph, '--cpu', cpu, '--kernels', 'auto', '--ram', '1',
                           '--flash', '1'], text=True, capture_output=True).stdout
    ram = re.search(r'arena (\d+) B(?: \([^)]*\))?, stack (\d+) B', said)
    flash = re.search(r'weights and tables (\d+) B, code (\d+) B \(' + cpu + r'\)', said)
    assert ram and flash, (graph, cpu, said)
    return [int(n) for n in ram.groups() + flash.groups()]


def in_floats(graph, out):
    """The same graph of ops that have kernels for both."""
    text = json.loads(graph.read_text())
    for tensor in text['tensors']:
        tensor.pop('quantization', None)
        tensor['dtype'] = 'f32'
    out.write_text(json.dumps(text))
    return out


def linked(objects, folder):
    """Bytes of the weights with what aligns them, in an image."""
    elf = folder / 'weights.elf'
    emitted.run(['arm-none-eabi-ld', '-e', '0', '-o', elf, *objects])
    return int(emitted.run(['arm-none-eabi-size', elf]).splitlines()[1].split()[0])


def near(said, found):
    return abs(said - found) <= max(0.02 * found, 16)


def check(name, graph, cpu, peers, folder):
    what = f'{name}, {cpu}'
    project = emitted.Project(tenure, graph, cpu, folder)
    objects = project.objects('-fstack-usage')
    sizes = emitted.Sections(objects)
    assert sizes.writable == 0, f'{what}: {sizes.writable} B can be written'
    if name in peers:
        most = float(peers[name]['share']) * int(peers[name]['bytes'])
        assert project.arena <= most, f'{what}: {project.arena} B of RAM, at most {most:.0f}'

    elf = project.program(root / 'tools/painted.c', objects=objects)
    stack, chain = stack_use.Image(elf, emitted.stack_usage(objects)).deepest(
        f'{project.ident}_run')
    used = int(emitted.qemu(cpu, elf))
    assert used <= stack, f'{what}: a run used {used} B of stack, computed {stack}: {chain}'
    assert used >= stack / 2, f'{what}: a run used {used} B of stack only, computed {stack}'

    arena, said_stack, constants, code = lint(graph, cpu)
    in_image = linked([path for path in objects if path.name.endswith('weights.o')],
                      project.folder)
    assert arena == project.arena, (what, arena, project.arena)
    assert said_stack >= stack, f'{what}: lint says {said_stack} B of stack, computed {stack}'
    # nothing behind the last one needs to be aligned
    assert in_image <= constants < in_image + 16, (what, constants, in_image)
    assert near(code, sizes.code), f'{what}: lint says {code} B of code, it is {sizes.code}'
    print(f'{what}: arena {arena}, stack {said_stack} ({stack}, {used}), constants {constants}, '
          f'code {code} ({sizes.code})', flush=True)


def main():
    with open(root / 'bench/sizes.csv', newline='') as file:
        peers = {row['name']: row for row in csv.DictReader(file) if row['what'] == 'ram'}
    for name, graph, cpus in PROGRAMS:
        for cpu in cpus:
            with tempfile.TemporaryDirectory() as folder:
                check(name, root / 'fixtures' / graph, cpu, peers, pathlib.Path(folder))
    for name, graph, cpus in IN_FLOATS:
        for cpu in cpus:
            with tempfile.TemporaryDirectory() as folder:
                floats = in_floats(root / 'fixtures' / graph, pathlib.Path(folder) / 'floats.json')
                check(name, floats, cpu, peers, pathlib.Path(folder) / 'project')


main()

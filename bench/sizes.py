#!/usr/bin/env python3
"""Prints what emitted programs take of a Cortex-M: RAM, stack and code, beside the peers' figures.
Usage: sizes.py TENURE [CPU...] (default: all that `emit` knows)

Built as the project's own Makefile does it (gcc -O2, --kernels auto). The stack is computed
from -fstack-usage and the image's call graph (tools/stack_use.py), and the stack that a run on
QEMU leaves painted over must not be more. Needs arm-none-eabi-gcc and qemu-system-arm; says so
and ends when one is missing."""
import pathlib
import shutil
import sys
import tempfile

from tables import model_path, number, root, rows, table

sys.path.insert(0, str(root / 'tools'))
import emitted
import stack_use

tenure = pathlib.Path(sys.argv[1]).resolve()


def stack(project, objects):
    """Bytes of the run function and all that it calls, and those that a run used."""
    elf = project.program(root / 'tools/painted.c', objects=objects)
    computed, _ = stack_use.Image(elf, emitted.stack_usage(objects)).deepest(f'{project.ident}_run')
    used = int(emitted.qemu(project.cpu, elf))
    if used > computed:
        sys.exit(f'{project.ident}, {project.cpu}: a run used {used} B of stack, {computed} B '
                 'were computed')
    return computed, used


def line(model, graph, cpu, peers, folder):
    project = emitted.Project(tenure, graph, cpu, folder, '--rewrite', 'none')
    objects = project.objects('-fstack-usage')
    sizes, (computed, used) = emitted.Sections(objects), stack(project, objects)
    ram, code = peers['ram', model], peers.get(('code', cpu))
    total = project.arena + sizes.writable
    return [model, cpu, number(project.arena), number(sizes.writable), number(ram['bytes']),
            f'{total / int(ram["bytes"]):.3f}', ram['share'], number(computed), number(used),
            number(sizes.constants), number(sizes.code), number(code['bytes']) if code else '',
            f'{sizes.code / int(code["bytes"]):.3f}' if code else '']


def main():
    for tool in emitted.TOOLS:
        if not shutil.which(tool):
            print(f'Sizes are not measured: no {tool}.\n')
            return
    peers = {(p['what'], p['name']): p for p in rows('sizes.csv')}
    lines = []
    for row in rows('models.csv'):
        if ('ram', row['model']) not in peers:
            continue
        for cpu in sys.argv[2:] or emitted.BOARDS:
            with tempfile.TemporaryDirectory() as folder:
                lines.append(line(row['model'], model_path(row), cpu, peers, folder))
    print('Bytes of the emitted program, ops one by one. "arena" includes scratch, "static" is all')
    print('other data that can be written; the share is of the peer\'s whole arena with pointers of 32')
    print('bits. "stack" is the most that the run function can need, computed, "used" what a run')
    print('needed. "code" includes the calls and their parameters; the peer\'s is of its kernels alone')
    print('(bench/sizes.csv has the sources).\n')
    table(['model', 'cpu', 'arena', 'static', 'peer', 'share', 'limit', 'stack', 'used',
           'constants', 'code', 'peer', 'share'], lines)


main()

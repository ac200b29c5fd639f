#!/usr/bin/env python3
"""What an emitted project says of memories: its flash map is what lint predicts, file by file and in
all; its linker scripts put each memory where it says.
Usage: maps.py TENURE SOURCE_ROOT"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(root / 'tools'))
import emitted

BOARD = '''MEMORY
{
	FLASH (rx) : ORIGIN = 0, LENGTH = 1M
	RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K
	SLOW (rwx) : ORIGIN = 0x60000000, LENGTH = 64K
}
REGION_ALIAS("TENURE_SRAM", SLOW)
ENTRY(main)
SECTIONS
{
	.text : { *(.text*) *(.rodata*) } > FLASH
	.data : { *(.data*) } > RAM
	INCLUDE memory.sram.ld
	.bss : { *(.bss*) *(COMMON) } > RAM
}
'''
MAIN = '''#include "memory.h"
static char mine[100];
int main(void) { return %s_run(%s_MEMORY) + mine[0]; }
'''


def flash(text, row):
    """{file: bytes}"""
    return {name: int(n) for name, n in re.findall(row, text, re.M)}


def emit(graph, cpu, folder, *options):
    emitted.run([tenure, 'emit', root / 'fixtures' / graph, '--cpu', cpu, *options, '-o', folder])


def check_flash(graph, cpu, folder):
    emit(graph, cpu, folder)
    table = flash((folder / 'README.md').read_text(), r'^\| `?([\w./]+)`? \| (\d+) \|$')
    said = (folder / 'model.c').read_text()
    comment = flash(re.sub(r'(?m)^ \* +(\d+)  (\S+)$', r'row \2 \1', said), r'^row (\S+) (\d+)$')
    assert table == comment and len(table) > 3, (graph, cpu, table, comment)
    sources = {str(path.relative_to(folder)) for path in folder.rglob('*.c')}
    assert set(table) == sources | {'all'}, (table, sources)
    assert table['all'] == sum(table.values()) - table['all']
    lint = subprocess.run([tenure, 'lint', root / 'fixtures' / graph, '--cpu', cpu, '--kernels',
                           'auto', '--flash', '1'], text=True, capture_output=True).stdout
    constants, code = map(int, re.search(
        r'weights and tables (\d+) B, code (\d+) B \(' + cpu + r'\)', lint).groups())
    assert (table['weights.c'], table['all']) == (constants, constants + code), (table, lint)


def check_link(folder):
    emit('graphs/kws_i8.json', 'cortex-m4', folder, '--region', 'dtcm:8K:32:1@0x20010000',
         '--region', 'sram:64K:16:4')
    assert sorted(path.name for path in folder.glob('*.ld')) == ['memory.ld', 'memory.sram.ld']
    ident = re.search(r'int (\w+)_run\(', (folder / 'model.h').read_text()).group(1)
    (folder / 'board.ld').write_text(BOARD)
    (folder / 'main.c').write_text(MAIN % (ident, ident.upper()))
    emitted.run(['make', '-s', 'CPU=cortex-m4', 'CROSS=arm-none-eabi-'], folder)
    emitted.run(['arm-none-eabi-gcc', *emitted.BOARDS['cortex-m4'].flags, '-Ikernels', 'main.c',
                 *folder.glob('build/cortex-m4/lib*.a'), '-nostartfiles', '-specs=nosys.specs',
                 '-T', 'memory.ld', '-T', 'board.ld', '-o', 'a.elf'], folder)
    at = {name: int(address, 16) for address, name in
          re.findall(r'^(\w+) [bB] (\w+)$', emitted.run(['arm-none-eabi-nm', 'a.elf'], folder), re.M)}
    assert at[f'{ident}_dtcm_memory'] == 0x20010000, at
    assert at[f'{ident}_sram_memory'] == 0x60000000, at
    assert 0x20000000 <= at['mine'] < 0x20010000, at


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    for cpu in ('cortex-m0plus', 'cortex-m4', 'cortex-m55'):
        for k, graph in enumerate(('graphs/kws_i8.json', 'models/svdf.tflite')):
            check_flash(graph, cpu, top / f'{cpu}-{k}')
    if all(shutil.which(tool) for tool in ('make', *emitted.TOOLS[:2])):
        check_link(top / 'link')

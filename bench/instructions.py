#!/usr/bin/env python3
"""Prints how many instructions an inference executes on emulated boards, with and without
chains of ops. Usage: instructions.py TENURE [-v] [MODEL...]

Models: names in bench/models.csv, those with constants in TENURE_SHARED or ../shared;
default: three of MLPerf Tiny. Counted are all instructions of the emitted run function, exactly
(bench/count_plugin.c); -v prints them by function. Instructions are not cycles. Needs
arm-none-eabi-gcc and qemu-system-arm."""
import collections
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent
shared = pathlib.Path(os.environ.get('TENURE_SHARED', root.parent / 'shared'))
BOARDS = {  # machine, kernels, code, data, options
    'cortex-m4': ('mps2-an386', 'dsp', (0x00000000, '4M'), (0x20000000, '4M'),
                  ['-mfpu=fpv4-sp-d16']),
    'cortex-m55': ('mps3-an547', 'mve', (0x10000000, '512K'), (0x30000000, '512K'), []),
}
MODELS = ['vww_96_int8', 'ResNet8', 'DS-CNN keyword spotting']
SCRIPT = """ENTRY(reset)
MEMORY {{ CODE (rx) : ORIGIN = {code[0]:#x}, LENGTH = {code[1]}
         DATA (rw) : ORIGIN = {data[0]:#x}, LENGTH = {data[1]} }}
SECTIONS {{
	.vectors : {{ KEEP(*(.vectors)) }} > CODE
	.text : {{ *(.text .text.*) *(.rodata .rodata.*) . = ALIGN(8); }} > CODE
	.ARM.exidx : {{ *(.ARM.exidx* .gnu.linkonce.armexidx.*) }} > CODE
	data_load = LOADADDR(.data);
	.data : {{ . = ALIGN(8); data_start = .; *(.data .data.*) . = ALIGN(8); data_end = .; }} > DATA AT > CODE
	.bss (NOLOAD) : {{ . = ALIGN(8); bss_start = .; *(.bss .bss.* COMMON) . = ALIGN(8); bss_end = .; }} > DATA
	stack_top = ORIGIN(DATA) + LENGTH(DATA);
}}
"""
MAIN = """#include "model.h"
#include <string.h>
void put_line(const char *text);
static uint8_t arena[{up}_ARENA_BYTES] __attribute__((aligned({up}_ARENA_ALIGN)));
int main(void)
{{
	static char text[] = "00000000";
	uint8_t *in = {id}_input(arena, 0);
	const uint8_t *out;
	uint32_t x = 1, hash = 2166136261u;
	int code;

	{id}_init(arena);
	for (uint32_t i = 0; i < {up}_INPUT0_BYTES; i++)
		in[i] = (uint8_t)((x = x * 1664525u + 1013904223u) >> 24);
	__asm__ volatile("dbg #1" ::: "memory");
	code = {id}_run(arena);
	__asm__ volatile("dbg #2" ::: "memory");
	out = {id}_output(arena, 0);
	for (uint32_t i = 0; i < {up}_OUTPUT0_BYTES; i++)
		hash = (hash ^ out[i]) * 16777619u;
	for (int i = 0; i < 8; i++)
		text[i] = "0123456789abcdef"[hash >> 4 * i & 15];
	put_line(text);
	return code;
}}
"""


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f'{command}: exit status {done.returncode}\n{done.stdout}')
    return done.stdout


def build(tenure, model, cpu, stream, folder):
    _, kernels, code, data, options = BOARDS[cpu]
    run(tenure, 'emit', model, '--stream', stream, '--kernels', kernels, '--cpu', cpu,
        '-o', folder)
    run('make', '-s', 'CROSS=arm-none-eabi-', cwd=folder)
    library = next((folder / 'build' / cpu).glob('lib*.a'))
    name = library.stem[3:]
    (folder / 'main.c').write_text(MAIN.format(id=name, up=name.upper()))
    (folder / 'board.ld').write_text(SCRIPT.format(code=code, data=data))
    run('arm-none-eabi-gcc', f'-mcpu={cpu}', '-mthumb', '-mfloat-abi=hard', *options, '-O2', '-nostartfiles', '-T', 'board.ld', '-I.',
        'main.c', root / 'src/validate/harness/startup.c', library, '-o', 'bench.elf',
        cwd=folder)


def count(cpu, plugin, folder):
    """Instructions by function, and what the program printed."""
    said = run('qemu-system-arm', '-machine', BOARDS[cpu][0], '-display', 'none', '-monitor',
               'none', '-serial', 'none', '-chardev', 'stdio,id=sh', '-semihosting-config',
               'enable=on,target=native,chardev=sh', '-plugin', f'{plugin},out=counts',
               '-kernel', 'bench.elf', cwd=folder)
    symbols = [line.split() for line in run('arm-none-eabi-nm', '-n', 'bench.elf',
                                            cwd=folder).splitlines()]
    starts = sorted((int(s[0], 16) & ~1, s[2]) for s in symbols if s[1] in 'tTwW')
    starts = [s for s in starts if not s[1].startswith('$')]
    counts, at = collections.Counter(), 0
    for line in (folder / 'counts').read_text().splitlines():
        address, n = line.split()
        while at + 1 < len(starts) and starts[at + 1][0] <= int(address, 16):
            at += 1
        counts[starts[at][1]] += int(n)
    return counts, said.strip()


def main():
    arguments = [a for a in sys.argv[2:] if a != '-v']
    verbose = '-v' in sys.argv
    for tool in ('arm-none-eabi-gcc', 'qemu-system-arm', 'gcc'):
        if not shutil.which(tool):
            print(f'instructions: skipped, there is no {tool}')
            return
    with open(here / 'models.csv', newline='') as file:
        models = {row['model']: shared / row['shared'] for row in csv.DictReader(file)
                  if row['shared']}
    print('Instructions of an inference, ops one after the other and in chains (QEMU).\n')
    with tempfile.TemporaryDirectory() as top:
        plugin = pathlib.Path(top) / 'count.so'
        run('gcc', '-O2', '-shared', '-fPIC', here / 'count_plugin.c', '-o', plugin)
        for name in arguments or MODELS:
            if name not in models or not models[name].is_file():
                continue
            for cpu in BOARDS:
                found = {}
                for stream in ('none', 'auto'):
                    folder = pathlib.Path(top) / f'{len(os.listdir(top))}'
                    build(sys.argv[1], models[name], cpu, stream, folder)
                    found[stream] = count(cpu, plugin, folder)
                if found['none'][1] != found['auto'][1]:
                    sys.exit(f'{name}, {cpu}: outputs differ')
                total = {s: sum(found[s][0].values()) for s in found}
                print(f'{name:26} {cpu:11} {total["none"]:12,} {total["auto"]:12,} '
                      f'{total["auto"] / total["none"]:7.4f}')
                for symbol in sorted(set(found['none'][0]) | set(found['auto'][0])):
                    both = [found[s][0][symbol] for s in found]
                    if verbose and max(both) > 1000:
                        print(f'    {symbol:34} {both[0]:12,} {both[1]:12,}')


main()

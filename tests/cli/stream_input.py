#!/usr/bin/env python3
"""Inputs that come row by row: usage: stream_input.py TENURE ROOT

The plan's file, and files that are damaged; what does not go together; and a person detection
net on an emulated Cortex-M4 with 32 KB of RAM for everything, arena and stack, whose camera
gives one row at a time: outputs as on this machine. That part needs arm-none-eabi-gcc and
qemu-system-arm; TENURE_SHARED or ../shared may have the real net.
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RAM = 32 * 1024
MAIN = """#include <stdint.h>
#include "model.h"

void put_line(const char *text);

static uint8_t arena[{up}_ARENA_BYTES] __attribute__((aligned({up}_ARENA_ALIGN)));
static uint8_t row[{up}_INPUT0_ROW_BYTES];

/* The input rule of tenure run --seed 1. */
static void camera(uint32_t *x)
{{
	for (uint32_t i = 0; i < sizeof(row); i++) {{
		*x ^= *x << 13;
		*x ^= *x >> 17;
		*x ^= *x << 5;
		row[i] = (uint8_t)*x;
	}}
}}

int main(void)
{{
	struct {id}_stream s;
	uint32_t x = 0x9E3779B9u ^ 1u;
	char text[2 * {up}_OUTPUT0_BYTES + 1];
	const uint8_t *out;
	int code;

	{id}_init(arena);
	code = {id}_begin(&s, arena);
	if (!code && {id}_end(&s) != 3)
		return 4;
	for (int y = 0; !code && y < {up}_INPUT0_ROWS; y++) {{
		camera(&x);
		code = {id}_push_rows(&s, row, 1);
	}}
	if (!code && {id}_push_rows(&s, row, 1) != 3)
		return 5;
	code = code ? code : {id}_end(&s);
	out = {id}_output(arena, 0);
	for (int i = 0; i < {up}_OUTPUT0_BYTES; i++) {{
		text[2 * i] = "0123456789abcdef"[out[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[out[i] & 15];
	}}
	text[2 * {up}_OUTPUT0_BYTES] = 0;
	put_line(text);
	return code;
}}
"""
SCRIPT = """ENTRY(reset)
MEMORY { CODE (rx) : ORIGIN = 0, LENGTH = 4M
         RAM (rw) : ORIGIN = 0x20000000, LENGTH = %d }
SECTIONS {
	.vectors : { KEEP(*(.vectors)) } > CODE
	.text : { *(.text .text.* .rodata .rodata.*) . = ALIGN(8); } > CODE
	.ARM.exidx : { *(.ARM.exidx* .gnu.linkonce.armexidx.*) } > CODE
	data_load = LOADADDR(.data);
	.data : { data_start = .; *(.data .data.*) . = ALIGN(8); data_end = .; } > RAM AT > CODE
	.bss (NOLOAD) : { bss_start = .; *(.bss .bss.* COMMON) . = ALIGN(8); bss_end = .; } > RAM
	stack_top = ORIGIN(RAM) + LENGTH(RAM);
	ASSERT(stack_top - bss_end >= 2048, "no room for the stack")
}
""" % RAM


class Test:
    def __init__(self, tenure, root, folder):
        self.tenure, self.root, self.folder = os.path.abspath(tenure), root, folder

    def call(self, *args, code=0):
        done = subprocess.run([self.tenure, *map(str, args)], cwd=self.folder, text=True,
                              capture_output=True, check=False, timeout=120)
        assert done.returncode == code, (args, done)
        return done.stdout + done.stderr


def files(t):
    graph = t.root / 'fixtures/graphs/kws_i8.json'
    t.call('plan', graph, '--stream-input', '-o', 'plan.json')
    plan = json.loads((t.folder / 'plan.json').read_text())
    stream = plan['streams'][0]
    at = next(i for i, x in enumerate(plan['tensors']) if x['index'] == stream['input'])
    assert plan['tensors'][at]['ring_bytes'] < plan['tensors'][at]['bytes']
    given = sum(loop['times'] * event[2] for loop in stream['loops']
                for event in loop['events'] if event[0] == -1)
    assert given == 49, given
    t.call('verify', graph, 'plan.json')
    assert t.call('run', graph, '--plan', 'plan.json') == t.call('run', graph)
    t.call('emit', graph, '--plan', 'plan.json', '-o', 'out')
    header = (t.folder / 'out/model.h').read_text()
    assert '_push_rows(' in header and '_run(' not in header, header

    def damaged(code, change):
        other = copy.deepcopy(plan)
        change(other, other['streams'][0], other['tensors'][at])
        (t.folder / 'other.json').write_text(json.dumps(other))
        t.call('verify', graph, 'other.json', code=code)
        for command in ('run', 'emit'):
            more = ['-o', 'damaged'] if command == 'emit' else []
            done = subprocess.run([t.tenure, command, graph, '--plan', 'other.json', *more],
                                  cwd=t.folder, capture_output=True, check=False)
            assert done.returncode in (1, 2), (command, done)

    first = stream['loops'][0]['events']
    damaged(1, lambda p, s, x: s.pop('input'))
    damaged(1, lambda p, s, x: s.update(input=stream['input'] + 1))
    damaged(1, lambda p, s, x: s.update(input=p['tensors'][-1]['index']))
    damaged(2, lambda p, s, x: s.update(input=len(p['tensors']) + 100))
    damaged(1, lambda p, s, x: s.update(order='descending'))
    damaged(1, lambda p, s, x: s['loops'][0]['events'].pop(0))
    damaged(1, lambda p, s, x: s['loops'][0].update(events=first + [[-1, 0, 1, 0]]))
    damaged(1, lambda p, s, x: s['loops'][0].update(events=first + [[-1, 2000000000, 1, 0]]))
    damaged(2, lambda p, s, x: s['loops'][0].update(events=first + [[-2, 0, 1, 0]]))
    damaged(1, lambda p, s, x: x.update(ring_bytes=x['ring_bytes'] - 10))
    damaged(1, lambda p, s, x: x.update(ring_bytes=x['ring_bytes'] + 1))


def together(t):
    graphs = t.root / 'fixtures/graphs'
    for graph, options, word in (
            ('ad_i8.json', [], 'command/stream-input'),
            ('kws_i8.json', ['--keep-inputs'], 'command/stream-input'),
            ('kws_i8.json', ['--region', 'sram:20000'], 'command/stream'),
            ('kws_i8.json', ['--plan', 'plan.json'], 'command/plan'),
            ('kws_i8.json', ['--write-csv', 'x.csv'], 'command/stream')):
        told = t.call('plan', graphs / graph, '--stream-input', *options, code=2)
        assert f'[{word}]' in told, (graph, options, told)


def camera(t, graph):
    folder = t.folder / 'camera'
    want = t.call('run', graph).split()[-1]
    t.call('emit', graph, '--stream-input', '--cpu', 'cortex-m4', '-o', folder)
    library = None

    def tool(*command):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              check=False, timeout=300)
        assert done.returncode == 0, (command, done)
        return done.stdout
    tool('make', '-s', 'CROSS=arm-none-eabi-')
    library = next((folder / 'build/cortex-m4').glob('lib*.a'))
    name = library.stem[3:]
    (folder / 'main.c').write_text(MAIN.format(id=name, up=name.upper()))
    (folder / 'board.ld').write_text(SCRIPT)
    tool('arm-none-eabi-gcc', '-mcpu=cortex-m4', '-mthumb', '-mfpu=fpv4-sp-d16',
         '-mfloat-abi=hard', '-O2', '-nostartfiles', '-T', 'board.ld', '-I.', 'main.c',
         str(t.root / 'src/validate/harness/startup.c'), str(library), '-o', 'camera.elf')
    said = tool('qemu-system-arm', '-machine', 'mps2-an386', '-display', 'none', '-monitor',
                'none', '-serial', 'none', '-chardev', 'stdio,id=sh', '-semihosting-config',
                'enable=on,target=native,chardev=sh', '-kernel', 'camera.elf')
    assert said.strip() == want, (said, want)
    shutil.rmtree(folder)


def main():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(sys.argv[2]).resolve()
        t = Test(sys.argv[1], root, pathlib.Path(name))
        files(t)
        together(t)
        if not (shutil.which('arm-none-eabi-gcc') and shutil.which('qemu-system-arm')):
            print('# skip: no arm-none-eabi-gcc or qemu-system-arm')
            return
        camera(t, root / 'fixtures/graphs/vww_i8.json')
        shared = pathlib.Path(os.environ.get('TENURE_SHARED', root.parent / 'shared'))
        real = shared / 'models/vww_96_int8.tflite'
        if real.is_file():
            camera(t, real)


main()

#!/usr/bin/env python3
"""Inputs that come row by row: usage: stream_input.py TENURE ROOT

The plan's file, and files that are damaged; what does not go together; every order of six
calls, against a model of what they promise; and a person detection net on an emulated
Cortex-M4 with 32 KB of RAM for everything, arena and stack, whose camera gives one row at a
time: outputs as on this machine. That part needs arm-none-eabi-gcc and qemu-system-arm;
TENURE_SHARED or ../shared may have the real net.
"""
import copy
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

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


ROWS, CALLS = 6, 6
# Every order of CALLS calls, with checks of memory; `begun` and `rows` are what is promised.
ORDERS = """#include <stdio.h>
#include <string.h>
#include "model.h"

static const uint8_t other[] = {{ {other} }}, rows[] = {{ {rows} }}, want[] = {{ {want} }};
static uint8_t arena[{up}_ARENA_BYTES] __attribute__((aligned({up}_ARENA_ALIGN)));

/* The code that is expected: calls are two begins, four pushes, and an end. */
static int promised(unsigned call, uint32_t n, int *begun, uint32_t *done)
{{
	if (call < 2) {{
		*begun = call == 0;
		*done = 0;
		return (int)call;
	}}
	if (!*begun || (call < 6 ? n > {n} - *done : *done != {n}))
		return 3;
	*done += n;
	*begun = call < 6;
	return 0;
}}

int main(void)
{{
	static const uint32_t pushed[] = {{ 0, 0, 0, 1, 3, {n}, 0 }};
	unsigned last = 1, ended = 0;

	for (int i = 0; i < {calls}; i++)
		last *= 7;
	for (unsigned order = 0; order < last; order++) {{
		struct {id}_stream s = {{ 0 }};
		int begun = 0;
		uint32_t done = 0;
		unsigned left = order;

		{id}_init(arena);
		for (int i = 0; i < {calls}; i++, left /= 7) {{
			const unsigned call = left % 7;
			const uint32_t n = pushed[call], at = done < {n} ? done : 0;
			int code;

			if (call == 0)
				memcpy({id}_input(arena, 1), other, sizeof(other));
			code = call < 2 ? {id}_begin(&s, call ? NULL : arena)
			       : call < 6 ? {id}_push_rows(&s, rows + at * {up}_INPUT0_ROW_BYTES, n)
					  : {id}_end(&s);
			if (code != promised(call, n, &begun, &done)) {{
				printf("order %u, call %d: %d\\n", order, i, code);
				return 1;
			}}
			if (call < 6 || code)
				continue;
			ended++;
			if (memcmp({id}_output(arena, 0), want, sizeof(want)) != 0) {{
				printf("order %u, call %d: other outputs\\n", order, i);
				return 1;
			}}
		}}
	}}
	printf("%u\\n", ended);
	return 0;
}}
"""


class Test:
    def __init__(self, tenure, root, folder):
        self.tenure, self.root, self.folder = os.path.abspath(tenure), root, folder

    def call(self, *args, code=0):
        done = served.run([self.tenure, *map(str, args)], cwd=self.folder, text=True,
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
            done = served.run([t.tenure, command, graph, '--plan', 'other.json', *more],
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
    for change, why in ((lambda net: net['tensors'][0].update(clobber=False), 'kept to the end'),
                        (lambda net: net['ops'][1].update(type='STRANGE'), 'nobody else needs'),
                        (lambda net: [x['shape'].__setitem__(0, 2) for x in net['tensors']
                                      if x['name'] in 'xcdyzmo'], 'one image')):
        net = small_net()
        change(net)
        (t.folder / 'refused.json').write_text(json.dumps(net))
        told = t.call('plan', 'refused.json', '--stream-input', '--rewrite', 'none', code=2)
        assert why in told, told


def small_net():
    """An op on the other input before the chain, and two behind it."""
    scale = {'scale': 0.05, 'zero_point': 3}

    def tensor(name, shape, role='act', dtype='i8', quantization=None, **more):
        return {'name': name, 'dtype': dtype, 'shape': shape, 'role': role,
                'quantization': quantization or scale, **more}
    weights = {'scale': 0.02, 'zero_point': 0}
    return {
        'format': 'tenure.graph/1', 'name': 'small',
        'tensors': [
            tensor('x', [1, ROWS, 5, 2], 'input', clobber=True),
            tensor('y', [1, 4], 'input', clobber=True),
            tensor('f', [4, 3, 3, 2], 'const', quantization=weights, data={'seed': 1}),
            tensor('b', [4], 'const', 'i32', {'scale': 0.001, 'zero_point': 0},
                   data={'seed': 2}),
            {'name': 'axes', 'dtype': 'i32', 'shape': [2], 'data': {'values': [1, 2]}},
            tensor('z', [1, 4]), tensor('c', [1, ROWS, 5, 4]), tensor('d', [1, ROWS, 5, 4]),
            tensor('m', [1, 4]), tensor('o', [1, 4], 'output')],
        'ops': [
            {'name': 'op0', 'type': 'RELU', 'inputs': ['y'], 'outputs': ['z']},
            {'name': 'op1', 'type': 'CONV_2D', 'inputs': ['x', 'f', 'b'], 'outputs': ['c'],
             'attrs': {'pad': 'SAME', 'stride': [1, 1], 'dilation': [1, 1]}},
            {'name': 'op2', 'type': 'RELU6', 'inputs': ['c'], 'outputs': ['d']},
            {'name': 'op3', 'type': 'MEAN', 'inputs': ['d', 'axes'], 'outputs': ['m'],
             'attrs': {'axes': [1, 2], 'keep_dims': 0}},
            {'name': 'op4', 'type': 'ADD', 'inputs': ['m', 'z'], 'outputs': ['o']}]}


def orders(t):
    data = random.Random(7)
    rows, other = data.randbytes(ROWS * 5 * 2), data.randbytes(4)
    folder = t.folder / 'orders'
    (t.folder / 'small.json').write_text(json.dumps(small_net()))
    (t.folder / 'rows.bin').write_bytes(rows)
    (t.folder / 'other.bin').write_bytes(other)
    t.call('run', 'small.json', '--rewrite', 'none', '--input', 'rows.bin', '--input',
           'other.bin', '--output-tensor', 'want.bin')
    t.call('emit', 'small.json', '--rewrite', 'none', '--stream-input', '-o', folder)
    name = re.search(r'^int (\w+)_begin', (folder / 'model.h').read_text(), re.M).group(1)

    def text(b):
        return ', '.join(map(str, b))
    (folder / 'main.c').write_text(ORDERS.format(
        id=name, up=name.upper(), n=ROWS, calls=CALLS, rows=text(rows), other=text(other),
        want=text((t.folder / 'want.bin').read_bytes())))
    strict = ['-Wall', '-Wextra', '-Werror', '-Wconversion', '-Wsign-conversion']
    for compiler in filter(shutil.which, ('gcc', 'clang')):
        program = folder / compiler
        subprocess.run([compiler, '-std=c99', *strict, '-pedantic', '-O1', '-I.', '-Ikernels',
                        '-fsyntax-only', 'model.c', 'main.c'], cwd=folder, check=True)
        subprocess.run([compiler, '-std=c99', '-O1', '-g', '-ffp-contract=off', '-I.', '-Ikernels',
                        '-fsanitize=address,undefined', '-fno-sanitize-recover=all',
                        *folder.glob('*.c'), *folder.glob('kernels/**/*.c'), '-lm', '-o', program],
                       cwd=folder, check=True)
        done = served.run([program], capture_output=True, text=True, check=False,
                          timeout=100)
        assert done.returncode == 0, (compiler, done)
        assert int(done.stdout) > 500, (compiler, done)


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
        orders(t)
        if not (shutil.which('arm-none-eabi-gcc') and shutil.which('qemu-system-arm')):
            print('# skip: no arm-none-eabi-gcc or qemu-system-arm')
            return
        camera(t, root / 'fixtures/graphs/vww_i8.json')
        shared = pathlib.Path(os.environ.get('TENURE_SHARED', root.parent / 'shared'))
        real = shared / 'models/vww_96_int8.tflite'
        if real.is_file():
            camera(t, real)


main()

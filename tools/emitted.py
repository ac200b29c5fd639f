"""What `tenure emit` wrote, built and run on QEMU: for benchmarks and tests."""
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent


class Board:
    def __init__(self, machine, code, data, *flags):
        self.machine, self.code, self.data = machine, code, data
        self.flags = ['-mthumb', *flags]


LOW = (0x00000000, '4M'), (0x20000000, '4M')
BOARDS = {
    # QEMU has no Cortex-M0+ of this size: a Cortex-M3 runs its code
    'cortex-m0plus': Board('mps2-an385', *LOW, '-mcpu=cortex-m0plus', '-mfloat-abi=soft'),
    'cortex-m3': Board('mps2-an385', *LOW, '-mcpu=cortex-m3', '-mfloat-abi=soft'),
    'cortex-m4': Board('mps2-an386', *LOW, '-mcpu=cortex-m4', '-mfpu=fpv4-sp-d16',
                       '-mfloat-abi=hard'),
    'cortex-m7': Board('mps2-an500', *LOW, '-mcpu=cortex-m7', '-mfpu=fpv5-d16',
                       '-mfloat-abi=hard'),
    'cortex-m33': Board('mps2-an505', (0x10000000, '4M'), (0x38000000, '2M'),
                        '-mcpu=cortex-m33', '-mfpu=fpv5-sp-d16', '-mfloat-abi=hard'),
    'cortex-m55': Board('mps3-an547', (0x10000000, '512K'), (0x30000000, '512K'),
                        '-mcpu=cortex-m55', '-mfloat-abi=hard'),
}
SCRIPT = '''ENTRY(reset)
MEMORY {{
	CODE (rx) : ORIGIN = {code[0]:#x}, LENGTH = {code[1]}
	DATA (rw) : ORIGIN = {data[0]:#x}, LENGTH = {data[1]}
}}
SECTIONS {{
	.vectors : {{ KEEP(*(.vectors)) }} > CODE
	.text : {{ *(.text .text.*) *(.rodata .rodata.*) . = ALIGN(8); }} > CODE
	.ARM.exidx : {{ *(.ARM.exidx*) }} > CODE
	data_load = LOADADDR(.data);
	.data : {{ . = ALIGN(8); data_start = .; *(.data .data.*) . = ALIGN(8); data_end = .; }} > DATA AT > CODE
	.bss (NOLOAD) : {{ . = ALIGN(8); bss_start = .; *(.bss .bss.* COMMON) . = ALIGN(8); bss_end = .; }} > DATA
	stack_top = ORIGIN(DATA) + LENGTH(DATA);
}}
'''
TOOLS = ['arm-none-eabi-gcc', 'arm-none-eabi-size', 'qemu-system-arm']


def clang_library():
    """The folder of the C library's headers, for a clang that knows the processors; None: there
    is no such clang, or no library."""
    if not shutil.which('clang') or 'arm ' not in run(['clang', '-print-targets']):
        return None
    places = map(pathlib.Path, ('/usr/lib/arm-none-eabi/include', '/usr/include/newlib'))
    return next((place for place in places if (place / 'string.h').exists()), None)


def run(command, cwd='.'):
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: status {done.returncode}\n'
                 f'{done.stdout}{done.stderr}')
    return done.stdout


class Sections:
    """Bytes of objects: what is weights and tables, other code and read-only data, and what
    can be written."""

    def __init__(self, objects):
        self.constants = self.code = self.writable = 0
        for path in objects:
            text, data, bss = map(int, run(['arm-none-eabi-size', path]).splitlines()[1]
                                  .split()[:3])
            self.writable += data + bss
            if path.name.endswith('weights.o'):
                self.constants += text
            else:
                self.code += text


def stack_usage(objects):
    """The .su files beside objects that were compiled with -fstack-usage and have functions."""
    return [path.with_suffix('.su') for path in objects if path.with_suffix('.su').exists()]


class Project:
    """One model, emitted for a processor."""

    def __init__(self, tenure, graph, cpu, folder, *options):
        self.cpu, self.board, self.folder = cpu, BOARDS[cpu], pathlib.Path(folder).resolve()
        run([tenure, 'emit', graph, '--cpu', cpu, '-o', self.folder, *options])
        self.header = (self.folder / 'model.h').read_text()
        self.ident = re.search(r'void (\w+)_init\(', self.header).group(1)
        self.arena = int(self.macro('ARENA_BYTES'))

    def macro(self, name):
        return re.search(rf'#define {self.ident.upper()}_{name} (\S+)', self.header).group(1)

    def calls(self):
        """How many ops are called."""
        return (self.folder / 'model.c').read_text().count('void *const out[]')

    def objects(self, *flags):
        """What its own Makefile builds; with -fstack-usage the .su files are beside them."""
        run(['make', '-s', f'CPU={self.cpu}', 'CROSS=arm-none-eabi-', f'CFLAGS={" ".join(flags)}'],
            self.folder)
        return sorted((self.folder / 'build' / self.cpu).rglob('*.o'))

    def program(self, main, *flags, objects=None, compiler='arm-none-eabi-gcc', level='-O2'):
        """An image of the model, `main` and the start of validate's harness. The model is
        compiled with the flags, unless there are objects of it."""
        folder = self.folder / 'program'
        folder.mkdir(exist_ok=True)
        upper, all_flags = self.ident.upper(), [
            '-std=gnu99', *self.board.flags, level, '-ffp-contract=off', '-ffunction-sections',
            '-fdata-sections', f'-I{self.folder}', f'-I{self.folder}/kernels', *flags]
        defines = ['-DHEADER="model.h"', f'-DMODEL={self.ident}', f'-DBYTES={upper}_ARENA_BYTES',
                   f'-DINPUT_BYTES={upper}_INPUT0_BYTES']
        made = []
        for source in [*([] if objects else sorted(self.folder.rglob('*.c'))), main,
                       root / 'src/validate/harness/startup.c']:
            made.append(folder / f'{len(made)}.o')
            run([compiler, *all_flags, *defines, '-MMD', '-c', source, '-o', made[-1]])
        script = self.folder / 'board.ld'
        script.write_text(SCRIPT.format(code=self.board.code, data=self.board.data))
        elf = self.folder / 'program.elf'
        run([compiler, *all_flags, '-Wl,--gc-sections', '-nostartfiles', '-T', script, '-o', elf,
             *(objects or []), *made])
        return elf


def qemu(cpu, elf, *options):
    """What the program printed; it must end with 0."""
    command = ['qemu-system-arm', '-machine', BOARDS[cpu].machine, '-display', 'none', '-monitor',
               'none', '-serial', 'none', '-semihosting-config',
               'enable=on,target=native,chardev=lines', '-chardev', 'stdio,id=lines', '-kernel',
               elf, *options]
    return run(command)

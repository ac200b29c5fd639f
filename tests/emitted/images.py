#!/usr/bin/env python3
"""Programs of int8 models for processors without a floating point unit have neither its
instructions nor calls of what stands for them. Looked for in the image.
Usage: images.py TENURE SOURCE_ROOT"""
import pathlib
import re
import shutil
import sys
import tempfile

tenure, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(root / 'tools'))
import emitted

if any(not shutil.which(tool) for tool in emitted.TOOLS):
    sys.exit(77)  # skipped

# What libgcc calls of floats are called: __aeabi_fmul, __aeabi_d2iz, __addsf3, __fixdfsi ...
SOFT_FLOAT = re.compile(r'__aeabi_(?:c?[fd]|u?[il]2[fd]|h2f)\w*|__\w+[sd]f(?:[sdt]i|[23sd]f?2?)?|'
                        r'__(?:fix|float)\w+')
INSTRUCTION = re.compile(r'\t(v[a-z0-9.]+|f(?:ld|st|add|sub|mul|div|cmp)\w*)\t')
MODELS = ['graphs/kws_i8.json', 'graphs/branches_i8.json', 'models/svdf.tflite']


def floats(elf):
    """Names of functions and instructions that compute with floats."""
    listed = emitted.run(['arm-none-eabi-nm', elf])
    code = emitted.run(['arm-none-eabi-objdump', '-d', '--no-show-raw-insn', elf])
    return sorted({name for name in re.findall(r' [tTwW] (\S+)$', listed, re.M)
                   if SOFT_FLOAT.fullmatch(name)} | set(INSTRUCTION.findall(code)))


def image(graph, cpu, folder):
    project = emitted.Project(tenure, root / 'fixtures' / graph, cpu, folder)
    return project.program(root / 'tools/painted.c', objects=project.objects())


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    for k, (graph, cpu) in enumerate((graph, cpu) for graph in MODELS
                                     for cpu in ('cortex-m0plus', 'cortex-m3')):
        found = floats(image(graph, cpu, top / str(k)))
        assert not found, (graph, cpu, found)
    # and they would be found
    for cpu, sign in (('cortex-m3', '__aeabi_fmul'), ('cortex-m4', 'vmul.f32')):
        found = floats(image('graphs/kws_f32.json', cpu, top / cpu))
        assert sign in found, (cpu, found)

#!/usr/bin/env python3
"""Every name by which the claims' kernels and the graph itself are told something of an op is one of
tn_declaring_attrs, or one that the op's own format gives a meaning: those below. Names that an
importer lets through would say of a stranger's op how its kernel works. Usage: declaring.py ROOT"""
import pathlib
import re
import sys

READS = re.compile(r'\b(?:flag|named_operand|tn_op_(?:attr|int|string))\((?:m, )?\w+, "(\w+)"')
FILES = ['claims/kernel.c', 'claims/model.c', 'claims/training.c', 'claims/judge.c', 'claims/foreign.c',
         'ir/graph.c']
OF_FORMATS = {'activation'}  # of ops that are known


def main(root):
    text = (root / 'src/ir/graph.c').read_text()
    listed = set(re.findall(r'"(\w+)"', re.search(r'tn_declaring_attrs\[\] = \{(.*?)\}', text, re.S)[1]))
    read = {name for file in FILES for name in READS.findall((root / 'src' / file).read_text())}
    assert len(read & listed) > 15, (read, listed)
    bad = sorted(read - listed - OF_FORMATS)
    assert not bad, f'not in tn_declaring_attrs: {bad}'
    said = (root / 'docs/HAZARDS.md').read_text()
    missing = sorted(name for name in listed if f'`{name}' not in said)
    assert not missing, f'not in docs/HAZARDS.md: {missing}'


main(pathlib.Path(sys.argv[1]))

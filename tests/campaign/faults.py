#!/usr/bin/env python3
"""Does the campaign notice a broken verifier? Each fault below is put into a copy of the
verifier, which is linked with the campaign instead of the right one; then the campaign must
find a plan that is accepted and runs differently.

usage: faults.py BUILD_DIR [--count SEEDS] [NAME...]"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# name: file under src/verify, then pairs of a pattern (must match exactly once) and what
# stands there instead
FAULTS = {
    'given contents may meet':
        ('verify.c', r'if \(c->ref\.given\[i\]\)\n', 'if (false)\n'),
    'outputs need not last':
        ('verify.c', r'else if \(t->role == ROLE_OUTPUT\)', 'else if (false)',
         r'i < g->n_outputs', 'i < 0'),
    'preserved inputs need not last':
        ('verify.c', r'else if \(r->c->ref\.given\[i\] && !t->clobber\)',
         'else if (t->role == ROLE_INPUT)\n;\nelse if (false)'),
    'variables need not last':
        ('verify.c', r'if \(t->role == ROLE_VARIABLE\)\n',
         'if (t->role == ROLE_VARIABLE)\n;\nelse if (false)\n'),
    'observed tensors need not last':
        ('verify.c', r't->observed \|\|', 'false ||'),
    'reads of steps are not checked':
        ('verify.c', r'\(void\)holds\(\s*r, t, &t->before, a->begin, a->end, true, NULL\)',
         '(void)0'),
    'overlap inside an op is not seen':
        ('verify.c', r'if \(intact\(r, true, false\)\)', 'if (r->deed)'),
    'what was lost before is not seen':
        ('verify.c', r'r->clean = intact\(r, false, false\);', 'r->clean = true;'),
    'scratch holds nothing':
        ('verify.c', r'if \(!p->scratch_bytes\)', 'if (true)'),
    'scratch may be written over':
        ('verify.c', r'if \(!scratch\(r, p, true\)\)', 'if (false)'),
    'the order of the steps is ignored':
        ('verify.c', r'\{ p->descending != 0, \(enum tn_hold\)p->hold \};',
         '{ false, (enum tn_hold)p->hold };'),
    'every step gathers a pixel':
        ('verify.c', r'tn_contract_walk\(r->c->g, \(tn_op_id\)\{ r->op \}, variant,',
         'tn_contract_walk(r->c->g, (tn_op_id){ r->op }, '
         '(struct tn_variant){ variant.descending, HOLD_PIXEL },'),
    'bytes of a value are all alike':
        ('memory.c', r'c\.value != w\.value \|\| c\.at != w\.at', 'c.value != w.value'),
    'the left rest of a range is not cut':
        ('memory.c', r'list\[n - 1\]\.end = begin;', ';'),
    'any op of equal sizes copies':
        ('reference.c', r'tn_op_info\(op->kind\)->access != ACCESS_VIEW\)', 'false)'),
    'elided ops are believed':
        ('verify.c', r'\tif \(p->elided\) \{\n\t\tcheck_elided\(r\);',
         '\tif (p->elided) {\n\t\twrite_all(r);'),
    'a region may be left':
        ('layout.c', r'\|\| end > r->used\)', ')'),
    'scratch may be too small':
        ('verify.c', r'p->scratch_bytes < need', 'false'),
}
UNIT = ['layout.c', 'memory.c', 'reference.c', 'verify.c']


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit('%s\n%s' % (' '.join(command), done.stderr))


def commands(build, target):
    text = subprocess.run(['ninja', '-t', 'commands', target], cwd=build, check=True,
                          capture_output=True, text=True).stdout
    return [shlex.split(line) for line in text.splitlines()]


def link_line(build):
    line = commands(build, 'tests/campaign/campaign')[-1]
    if '&&' in line:
        line = line[:line.index('&&')]
    return line


def compile_line(build, name):
    target = 'src/libtenure.a.p/verify_%s.o' % name
    return commands(build, target)[-1]


def build_with(build, fault, out):
    file, edits = fault[0], fault[1:]
    objects = []
    for name in UNIT:
        source = open(os.path.join(ROOT, 'src/verify', name)).read()
        for pattern, text in zip(edits[::2], edits[1::2]) if name == file else ():
            source, hits = re.subn(pattern, lambda m: text, source)
            if hits != 1:
                sys.exit('%s: the pattern matches %d times: %s' % (name, hits, pattern))
        copy, obj = os.path.join(out, name), os.path.join(out, name + '.o')
        with open(copy, 'w') as f:
            f.write(source)
        line = compile_line(build, name)
        line[line.index('-o') + 1] = obj
        line[line.index('-c') + 1] = copy
        run(line + ['-w'], build)
        objects.append(obj)
    line = link_line(build)
    line[line.index('-o') + 1] = os.path.join(out, 'campaign')
    first = next(i for i, word in enumerate(line) if word.endswith('.o'))
    run(line[:first] + objects + line[first:], build)
    return os.path.join(out, 'campaign')


def different(program, count):
    done = subprocess.run([program, '--quiet', '--count', str(count)],
                          capture_output=True, text=True)
    found = re.search(r'accepted and different\s+(\d+)', done.stdout)
    if not found:
        return 'ended with status %d' % done.returncode
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--count', type=int, default=1500)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    missed = []
    for name, fault in FAULTS.items():
        if args.names and name not in args.names:
            continue
        with tempfile.TemporaryDirectory() as out:
            found = different(build_with(args.build, fault, out), args.count)
        print('%-45s %s' % (name, found), flush=True)
        if found == 0:
            missed.append(name)
    if missed:
        sys.exit('not caught: ' + ', '.join(missed))


if __name__ == '__main__':
    main()

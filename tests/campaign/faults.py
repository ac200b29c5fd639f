#!/usr/bin/env python3
"""Does the campaign notice a broken verifier? Each fault below is put into a copy of the
verifier, which is linked with the campaign instead of the right one; then the campaign must
find a plan that is accepted and runs differently.

usage: faults.py BUILD_DIR [--pairs N] [NAME...]"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

VERIFY, REPLAY, COPIES = 'verify.c', 'replay.c', 'copies.c'
MEMORY, REFERENCE, LAYOUT, STREAM = 'memory.c', 'reference.c', 'layout.c', 'stream.c'

# name: edits of files under src/verify: a pattern, which must match once, and what stands
# there instead
FAULTS = {
    'off by one half-step: reads end before writes begin': [
        (VERIFY, r'if \(intact\(c, true, false\)\)', 'if (c->deed)')],
    'view offset ignored': [
        (REFERENCE, r'out->start \+= t->view_offset \* tn_dtype_bits\(t->dtype\) / 8;',
         '(void)t;'),
        (LAYOUT, r'&&\s+place == p->offset', '&& (place || true)')],
    'last read ignored': [
        (VERIFY, r'if \(\(after \|\| t->reads\)',
         'if ((after ? t->writes : t->reads && k + 1 != c->g->ops[c->op].n_inputs)'),
        (REPLAY, r'if \(write\)\n',
         'if (!write && p.t == &c->deed->touches[c->g->ops[c->op].n_inputs - 1])\n;\n'
         'else if (write)\n')],
    'scratch overlap ignored': [
        (VERIFY, r'if \(!bytes \|\|', 'if (true ||')],
    'direction ignored': [
        (VERIFY, r'\{ p->descending != 0, \(enum tn_hold\)p->hold \};',
         '{ false, (enum tn_hold)p->hold };')],
    'elided offset ignored': [
        (VERIFY, r'\(void\)tn_check_holds\(\s+c, out, &out->made,',
         'if (false)\n\t\t\t(void)tn_check_holds(c, out, &out->made,')],
    'second invocation skipped': [
        (VERIFY, r'if \(t->role == ROLE_VARIABLE\)\n',
         'if (t->role == ROLE_VARIABLE)\n;\nelse if (false)\n')],
    'output check skipped': [
        (VERIFY, r'else if \(t->role == ROLE_OUTPUT\)', 'else if (false)'),
        (VERIFY, r'i < g->n_outputs; i\+\+\)\s+if \(g->outputs\[i\]\.i != TN_NONE\)\s+check_tensor', 'i < 0; i++)\n\t\t\tcheck_tensor')],
    'capacity ignored': [
        (LAYOUT, r'&&\s+end <= r->used', '&& (end || true)')],
    'alignment ignored': [
        (LAYOUT, r'tn_need\(c, offset % align == 0,', 'tn_need(c, true,')],
    'mutation ignored': [
        (REFERENCE, r't\[k\]\.made = t\[0\]\.before;[^\n]*\n',
         't[k].made = t[0].before;\n'
         '\t\telse if (t[k].writes && ref->g->tensors[t[k].tensor].mutated)\n'
         '\t\t\tt[k].made = t[k].before;\n')],
    'given contents may meet': [
        (VERIFY, r'if \(c->ref\.given\[i\]\)\n\s+check_tensor', 'if (false)\n\t\t\tcheck_tensor')],
    'results in inputs need not last': [
        (VERIFY, r'check_result\(c, i\);', ';')],
    'a chain need not make all rows': [
        (STREAM, r'h->done\[i\] == h->rows\[i\]\.n, &at', 'true, &at')],
    'sums of a chain need not last': [
        (STREAM, r'held && scratch_held\(h, i, true\), &at',
         '(held && scratch_held(h, i, true)) || true, &at')],
    'what comes round in a ring is not looked at': [
        (VERIFY, r'if \(n == len\)\s+continue;', 'if (n == len)\n\t\t\treturn true;')],
    'preserved inputs need not last': [
        (VERIFY, r'else if \(c->ref\.given\[i\] && !t->clobber\)',
         'else if (t->role == ROLE_INPUT)\n;\nelse if (false)')],
    'observed tensors need not last': [
        (VERIFY, r't->observed \|\|', 'false ||')],
    'reads of steps are not checked': [
        (REPLAY, r'ok = tn_check_holds\(', 'ok = true || tn_check_holds(')],
    'every run is looked at as a whole': [
        (REPLAY, r'apart = !feeds\(', 'apart = true || !feeds(')],
    'a run is judged by its first two steps': [
        (REPLAY, r'd = \(-r_len - ahead\) / by \+ 1;', ';')],
    'a run whose accesses move alike never feeds itself': [
        (REPLAY, r'if \(w\.by != r\.by \|\| w_len != r_len\) \{', 'if (w.by == r.by)\n\t\treturn false;\n\t{')],
    'a run whose accesses move apart never feeds itself': [
        (REPLAY, r'if \(w\.by != r\.by \|\| w_len != r_len\) \{', 'if (w.by != r.by) {\n\t\treturn false;')],
    'a run with gaps is looked at where it begins': [
        (REPLAY, r'ok && j < count;', 'ok && j < (write ? count : 1);')],
    'falling runs rise': [
        (REPLAY, r'if \(by < 0\)', 'if (false)')],
    'a run ends with its last step but one': [
        (REPLAY, r'ok && j < count;', 'ok && j < count - (count > 1);'),
        (REPLAY, r'const int64_t far = \(count - 1\) \* p\.by;',
         'const int64_t far = (count - (count > 1 ? 2 : 1)) * p.by;')],
    'what was lost before is not seen': [
        (VERIFY, r'c->clean = intact\(c, false, false\);', 'c->clean = true;')],
    'scratch may be written over': [
        (VERIFY, r'tn_need\(c, scratch\(c, p, true\),', 'tn_need(c, true,')],
    'scratch may be too small': [
        (VERIFY, r'tn_need\(c, p->scratch_bytes >= need,', 'tn_need(c, true,')],
    'every step gathers a pixel': [
        (REPLAY, r'tn_contract_runs\(c->g, \(tn_op_id\)\{ c->op \}, variant,',
         'tn_contract_runs(c->g, (tn_op_id){ c->op },\n'
         '\t\t(struct tn_variant){ variant.descending, HOLD_PIXEL },')],
    'opaque ops are not looked at after they ran': [
        (VERIFY, r'\(void\)intact\(c, true, true\)', '(void)0')],
    'bytes of a value are all alike': [
        (MEMORY, r'c\.value != w\.value \|\| c\.at != w\.at', 'c.value != w.value')],
    'the left rest of a range is not cut': [
        (MEMORY, r'list\[n - 1\]\.end = begin;', ';')],
    'any op of equal sizes copies': [
        (REFERENCE, r'tn_op_info\(op->kind\)->access != ACCESS_VIEW\)', 'false)')],
    'any op of one type copies': [
        (COPIES, r'\(tn_op_info\(op->kind\)->access != ACCESS_MAP && !cast\)', 'false')],
    'copies go on where they began': [
        (COPIES, r'r->begin \+ j \* s->read_by', 'r->begin')],
    'elided ops are believed': [
        (VERIFY, r'\tif \(p->elided\) \{\n\t\tcheck_elided\(c\);',
         '\tif (p->elided) {\n\t\twrite_all(c);')],
}
UNIT = [VERIFY, REPLAY, COPIES, MEMORY, REFERENCE, LAYOUT, STREAM]


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
    objects = []
    for name in UNIT:
        source = open(os.path.join(ROOT, 'src/verify', name)).read()
        for file, pattern, text in fault:
            if file != name:
                continue
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


def caught(program, pairs):
    """After how many pairs an unsound one is found; 0: never."""
    done = subprocess.run([program, '--until-unsound', '--pairs', str(pairs)],
                          capture_output=True, text=True)
    found = re.search(r'unsound at seed \d+, after (\d+) pairs', done.stdout)
    if not found and done.returncode not in (0, 1):
        sys.exit('the campaign ended with status %d: %s' % (done.returncode, done.stderr))
    return int(found.group(1)) if found else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--pairs', type=int, default=100000)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    missed = []
    for name, fault in FAULTS.items():
        if args.names and name not in args.names:
            continue
        with tempfile.TemporaryDirectory() as out:
            found = caught(build_with(args.build, fault, out), args.pairs)
        print('%-52s %s' % (name, 'after %d pairs' % found if found else 'NEVER'),
              flush=True)
        if found == 0:
            missed.append(name)
    if missed:
        sys.exit('not caught: ' + ', '.join(missed))


if __name__ == '__main__':
    main()

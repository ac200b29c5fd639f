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

STORAGE, OPERAND = 'ir/storage.c', 'contract/operand.c'
PLACES, TURNS, VARIANT = 'layout/places.c', 'layout/turns.c', 'layout/variant.c'
REFERENCE, COPIES, MEMORY = 'verify/reference.c', 'verify/copies.c', 'verify/memory.c'
ACCESS, OP, REPLAY = 'verify/access.c', 'verify/op.c', 'verify/replay.c'
STREAM, ENDS = 'verify/stream.c', 'verify/ends.c'

# name: edits of files under src: a pattern, which must match once, and what stands there
# instead
FAULTS = {
    'off by one half-step: reads end before writes begin': [
        (OP, r'if \(intact\(c, true, false\)\)', 'if (c->deed)')],
    'view offset ignored': [
        (STORAGE, r'views->bits\[id\] / 8', '0 * views->bits[id]'),
        (PLACES, r'&&\s+place == p->offset', '&& (place || true)')],
    'last read ignored': [
        (OP, r'if \(\(after \|\| t->o->reads\)',
         'if ((after ? t->o->writes : t->o->reads && k + 1 != c->g->ops[c->op].n_inputs)'),
        (REPLAY, r'if \(write\)\n',
         'if (!write && p.t == &c->deed->touches[c->g->ops[c->op].n_inputs - 1])\n;\n'
         'else if (write)\n')],
    'scratch overlap ignored': [
        (OP, r'if \(!bytes \|\|', 'if (true ||')],
    'direction ignored': [
        (REPLAY, r'= tn_layout_variant_of\(&c->plan->ops\[c->op\]\);',
         '= { false, tn_layout_variant_of(&c->plan->ops[c->op]).hold };')],
    'elided offset ignored': [
        (OP, r'\(void\)tn_check_holds\(c, out->o,',
         'if (false)\n\t\t\t(void)tn_check_holds(c, out->o,')],
    'second invocation skipped': [
        (ENDS, r'if \(t->role == ROLE_VARIABLE\)\n',
         'if (t->role == ROLE_VARIABLE)\n;\nelse if (false)\n')],
    'output check skipped': [
        (ENDS, r'else if \(t->role == ROLE_OUTPUT\)', 'else if (false)'),
        (ENDS, r'i < g->n_outputs; i\+\+\)\s+if \(g->outputs\[i\]\.i != TN_NONE\)\s+check_tensor',
         'i < 0; i++)\n\t\t\tcheck_tensor')],
    'capacity ignored': [
        (PLACES, r'tn_add_i64\(offset, bytes, &end\) &&\s+end <= r->used',
         'tn_add_i64(offset, bytes, &end) && (end || true)')],
    'scratch that attributes name is ignored': [
        (OPERAND, r'o->scratch = o->tensor != TN_NONE;', ';')],
    'tails are not written': [
        (OP, r'if \(o->tail\)', 'if (false)')],
    'tails may leave the memory': [
        (PLACES, r'tn_add_i64\(end, o->tail, &end\) && end <= r->used', '(end || true)')],
    'alignment ignored': [
        (PLACES, r'tn_need\(l->refusals, offset % align == 0,', 'tn_need(l->refusals, true,')],
    'mutation ignored': [
        (REFERENCE, r't\[k\]\.made = t\[0\]\.before;[^\n]*\n',
         't[k].made = t[0].before;\n'
         '\t\telse if (t[k].o->writes && g->tensors[t[k].o->tensor].mutated)\n'
         '\t\t\tt[k].made = t[k].before;\n')],
    'given contents may meet': [
        (ENDS, r'if \(s->given\[i\] && !tn_plan_is_fed\(c->plan, i\)\)\n\s+check_tensor',
         'if (false)\n\t\t\tcheck_tensor')],
    'results in inputs need not last': [
        (ENDS, r'check_result\(c, i\);', ';'),
        (ENDS, r'updated\[i\] && !t->has_strides', 'updated[i] && false')],
    'a chain need not make all rows': [
        (TURNS, r't->done\[i\] == t->rows\[i\]\.n, &at', 'true, &at')],
    'sums of a chain need not last': [
        (STREAM, r'held && tn_check_scratch\(c, true\), &at',
         '(held && tn_check_scratch(c, true)) || true, &at')],
    'what comes round in a ring is not looked at': [
        (ACCESS, r'if \(n == len\)\s+continue;', 'if (n == len)\n\t\t\treturn true;')],
    'rows that replace each other in a ring rise': [
        (REPLAY, r'apart = !comes_round\(', 'apart = true || !comes_round(')],
    'rows that come are there from the beginning': [
        (ENDS, r'!s->constant\[i\] && !tn_plan_is_fed\(c->plan, i\)', '!s->constant[i]'),
        (STREAM, r'tn_check_put_value\(c, &o, [^;]*;', '(void)o;')],
    'preserved inputs need not last': [
        (ENDS, r'else if \(given\[i\] && !t->clobber\)',
         'else if (t->role == ROLE_INPUT)\n;\nelse if (false)')],
    'observed tensors need not last': [
        (ENDS, r't->observed \|\|', 'false ||')],
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
        (OP, r'c->clean = intact\(c, false, false\);', 'c->clean = true;')],
    'scratch may be written over': [
        (OP, r'tn_need\(&c->refusals, tn_check_scratch\(c, true\),', 'tn_need(&c->refusals, true,')],
    'scratch may be too small': [
        (VARIANT, r'tn_need\(l->refusals, p->scratch_bytes >= need,', 'tn_need(l->refusals, true,')],
    'every step gathers a pixel': [
        (REPLAY, r'tn_contract_runs\(c->g, op, v,',
         'tn_contract_runs(c->g, op,\n'
         '\t\t(struct tn_variant){ v.descending, HOLD_PIXEL },')],
    'opaque ops are not looked at after they ran': [
        (OP, r'\(void\)intact\(c, true, true\)', '(void)0')],
    'bytes of a value are all alike': [
        (MEMORY, r'c\.value != w\.value \|\| c\.at != w\.at', 'c.value != w.value')],
    'the left rest of a range is not cut': [
        (MEMORY, r'list\[n - 1\]\.end = begin;', ';')],
    'any op of equal sizes copies': [
        (OPERAND, r'tn_op_info\(op->kind\)->access != ACCESS_VIEW \|\|', 'false ||')],
    'any op of one type copies': [
        (OPERAND, r'\(tn_op_info\(op->kind\)->access != ACCESS_MAP && !cast\)', 'false')],
    'copies go on where they began': [
        (COPIES, r'r->begin \+ j \* s->read_by', 'r->begin')],
    'elided ops are believed': [
        (OP, r'\tif \(p->elided\) \{\n\t\trun_elided\(c\);',
         '\tif (p->elided) {\n\t\ttn_check_write_all(c);')],
}
# those that show in graphs with chains alone
CHAINS = {
    'a chain need not make all rows',
    'sums of a chain need not last',
    'what comes round in a ring is not looked at',
    'rows that replace each other in a ring rise',
    'rows that come are there from the beginning',
}


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
    target = 'src/libtenure.a.p/%s.o' % name.replace('/', '_')
    return commands(build, target)[-1]


def build_with(build, fault, out):
    sources, objects = {}, []
    for name, pattern, text in fault:
        if name not in sources:
            with open(os.path.join(ROOT, 'src', name)) as f:
                sources[name] = f.read()
        sources[name], hits = re.subn(pattern, lambda m: text, sources[name])
        if hits != 1:
            sys.exit('%s: the pattern matches %d times: %s' % (name, hits, pattern))
    for name, source in sources.items():
        copy = os.path.join(out, name.replace('/', '_'))
        obj = copy + '.o'
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


def caught(program, pairs, *options):
    """After how many pairs an unsound one is found; 0: never."""
    done = subprocess.run([program, '--until-unsound', '--pairs', str(pairs), *options],
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
    args = parser.parse_intermixed_args()
    missed = []
    for name, fault in FAULTS.items():
        if args.names and name not in args.names:
            continue
        with tempfile.TemporaryDirectory() as out:
            found = caught(build_with(args.build, fault, out), args.pairs,
                           *(['--chains'] if name in CHAINS else []))
        print('%-52s %s' % (name, 'after %d pairs' % found if found else 'NEVER'),
              flush=True)
        if found == 0:
            missed.append(name)
    if missed:
        sys.exit('not caught: ' + ', '.join(missed))


if __name__ == '__main__':
    main()

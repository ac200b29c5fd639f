#!/usr/bin/env python3
"""docs/VERIFIER.md says how long each file is that a verdict rests on; here it is counted: all
lines, and those that are neither blank nor comment. What decides that reads find their values
(src/verify) must stay small enough to be read. Usage: trusted.py ROOT"""
import pathlib
import re
import sys

CODE_MAX = 850  # lines of src/verify/*.c
TRUSTED = ['verify/*.[ch]', 'layout/*.[ch]', 'verdict/*.[ch]', 'ir/storage.[ch]', 'ir/views.[ch]',
           'contract/operand.[ch]']


def lines(path):
    text = path.read_text()
    bare = re.sub(r'/\*.*?\*/', lambda m: '\n' * m.group().count('\n'), text, flags=re.S)
    return len(text.splitlines()), sum(1 for line in bare.splitlines() if line.strip())


def main(root):
    rows = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(
        r'^\| `(\w+/\w+\.[ch])` \| (\d+) \| (\d+) \|', (root / 'docs/VERIFIER.md').read_text(),
        re.M)}
    src = root / 'src'
    files = {p.relative_to(src).as_posix(): lines(p) for pattern in TRUSTED
             for p in src.glob(pattern)}
    bad = ['%s: %s lines, docs/VERIFIER.md says %s' % (name, files.get(name), rows.get(name))
           for name in sorted(files.keys() | rows.keys()) if files.get(name) != rows.get(name)]
    code = sum(n for name, (_, n) in files.items() if re.match(r'verify/\w+\.c$', name))
    if code > CODE_MAX:
        bad.append('src/verify has %d lines of code, more than %d' % (code, CODE_MAX))
    print('\n'.join(bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else '.')))

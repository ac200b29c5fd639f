#!/usr/bin/env python3
"""docs/VERIFIER.md says how long each file of the verifier is; here it is counted: all lines,
and those that are neither blank nor comment. Usage: trusted.py ROOT"""
import pathlib
import re
import sys


def lines(path):
    text = path.read_text()
    bare = re.sub(r'/\*.*?\*/', lambda m: '\n' * m.group().count('\n'), text, flags=re.S)
    return len(text.splitlines()), sum(1 for line in bare.splitlines() if line.strip())


def main(root):
    rows = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(
        r'^\| `(\w+\.[ch])` \| (\d+) \| (\d+) \|', (root / 'docs/VERIFIER.md').read_text(), re.M)}
    files = {p.name: lines(p) for p in (root / 'src/verify').glob('*.[ch]')}
    bad = ['%s: %s lines, docs/VERIFIER.md says %s' % (name, files.get(name), rows.get(name))
           for name in sorted(files.keys() | rows.keys()) if files.get(name) != rows.get(name)]
    print('\n'.join(bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else '.')))

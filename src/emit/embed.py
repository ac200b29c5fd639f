#!/usr/bin/env python3
"""Writes a C file that holds source files as strings, so that the tool needs no data
files at run time.

usage: embed.py OUT.c DEPFILE TABLE ROOT[,ROOT...] FILE...

Each FILE and all that it includes by "name" (found beside the including file or under a
ROOT) becomes one entry of `const struct tn_embedded TABLE[]`, named by its path under the
first ROOT that holds it. The last entry is empty.
"""
import os
import re
import sys

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def name_of(path, roots):
    for root in roots:
        if path.startswith(root + os.sep):
            return os.path.relpath(path, root).replace(os.sep, "/")
    sys.exit("%s: under none of %s" % (path, ", ".join(roots)))


def find(name, here, roots):
    for folder in [os.path.dirname(here)] + roots:
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(path):
            return path
    sys.exit("%s: includes %s, which is nowhere" % (here, name))


def literal(line):
    out = []
    for byte in line:
        char = chr(byte)
        if char in '"\\?':
            out.append("\\" + char)
        elif char == "\t":
            out.append("\\t")
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append("\\%03o" % byte)
    return '\t"' + "".join(out) + '\\n"\n'


def main():
    out, depfile, table, roots = sys.argv[1:5]
    roots = [os.path.abspath(root) for root in roots.split(",")]
    todo = [os.path.abspath(path) for path in sys.argv[5:]]
    seen = {}
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        with open(path, "rb") as f:
            text = f.read()
        seen[path] = text
        for name in INCLUDE.findall(text):
            todo.append(find(name.decode(), path, roots))
    entries = sorted((name_of(path, roots), path) for path in seen)
    with open(out, "w") as f:
        f.write("/* Made by embed.py. */\n#include \"emit/embedded.h\"\n\n")
        f.write("const struct tn_embedded %s[] = {\n" % table)
        for name, path in entries:
            text = seen[path]
            f.write('{ "%s", %d,\n' % (name, len(text) + (not text.endswith(b"\n"))))
            for line in text.splitlines():
                f.write(literal(line))
            f.write("},\n")
        f.write("{ 0, 0, 0 }\n};\n")
    with open(depfile, "w") as f:
        f.write("%s: %s\n" % (out, " ".join(path.replace(" ", "\\ ") for _, path in entries)))


main()

#!/usr/bin/env python3
"""No source calls a function that src/base/banned.h bans: where the header is included the compiler
sees to it, here every file is looked at. usage: banned.py ROOT"""
import pathlib
import re
import sys


def main(root):
    names = re.findall(r"^#undef (\w+)", (root / "src/base/banned.h").read_text(), re.M)
    assert len(names) >= 10, names
    call = re.compile(rf"(?<![\w.>])({'|'.join(names)})\s*\(")
    bad = []
    for folder in ("src", "tests", "bench", "examples", "include"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            if path.name == "banned.h":
                continue
            text = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', lambda m: re.sub(r"[^\n]", " ", m.group()),
                          path.read_text(), flags=re.S)
            bad += [f"{path.relative_to(root)}:{text.count(chr(10), 0, m.start()) + 1}: {m.group(1)}"
                    for m in call.finditer(text)]
    print(f"{len(names)} functions", *bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

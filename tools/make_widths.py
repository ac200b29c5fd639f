#!/usr/bin/env python3
"""Writes src/report/width.def from the Unicode data of Python.

--check is skipped with other Unicode data than the file's (exit status 77).
"""
import argparse
import sys
import unicodedata
from pathlib import Path

FILE = Path(__file__).parent.parent / "src" / "report" / "width.def"
# Vowels and final consonants of Hangul, which join the syllable before them.
JAMO = {*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC)}


# Where what is not assigned yet is wide: ideographs to come (EastAsianWidth.txt says so).
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD),
              (0x30000, 0x3FFFD))


def kind(point):
    """What it is, "" for an ordinary one, or None where it does not matter: it is no character."""
    char = chr(point)
    category = unicodedata.category(char)
    if point in JAMO or category in ("Mn", "Me"):
        return "NONE"
    if category in ("Cn", "Cs", "Co"):
        return "WIDE" if any(lo <= point <= hi for lo, hi in IDEOGRAPHS) else None
    if category == "Mc":
        return "SPACING"
    return "WIDE" if unicodedata.east_asian_width(char) in "WF" else ""


def ranges():
    """As few as possible: what is no character yet may be in any of them."""
    now, first, last = "", 0, 0
    for point in range(0x110000):
        this = kind(point)
        if this is None:
            continue
        if this != now:
            if now:
                yield now, first, last
            now, first = this, point
        last = point
    if now:
        yield now, first, last


def text():
    out = [f"/* Unicode {unicodedata.unidata_version}: tools/make_widths.py writes this file. */"]
    for name, first, last in ranges():
        out.append(f"RANGE(0x{first:04x}, 0x{last:04x}, {name})")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail when the file is not what this makes")
    parser.add_argument("file", metavar="FILE", nargs="?", default=FILE, type=Path,
                        help="instead of %(default)s")
    args = parser.parse_args()
    if not args.check:
        args.file.write_text(text())
        return 0
    have = args.file.read_text()
    if f"Unicode {unicodedata.unidata_version}:" not in have:
        print(f"# skip: Python knows Unicode {unicodedata.unidata_version}")
        return 77
    if have != text():
        print(f"{args.file} is not what tools/make_widths.py writes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

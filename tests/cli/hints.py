#!/usr/bin/env python3
"""A command line that a message proposes can be pasted into a shell, whatever a file is called.
usage: hints.py TENURE ROOT"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STEMS = ["plain", "my model", "it's", 'a"b', "$HOME", "a;b", "a`b", "~", "a\\b", "a&b*", "#", "\u00e4"]


def words_of(line, folder):
    """The words that a shell gives the command at the end or within '...' of the line."""
    done = subprocess.run(["sh", "-c", f'tenure() {{ printf "%s\\n" "$@"; }}; {line}'], cwd=folder,
                          capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    small, large = (root / f"fixtures/graphs/{n}_f32.json" for n in ("residual", "branches"))

    def run(folder, *words, status=None):
        done = subprocess.run([tenure, *words], cwd=folder, capture_output=True, text=True, check=False)
        assert status is None or done.returncode == status, (words, done)
        return done.stdout + done.stderr

    def proposed(folder, pattern, expected, *words):
        text = run(folder, *words)
        found = re.search(pattern, text)
        assert found, (words, pattern, text)
        got = words_of(found[1], folder)
        assert got == expected, (words, found[1], got)

    for stem in STEMS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file, plan, table = (stem + e for e in (".json", ".plan.json", ".csv"))
            shutil.copy(small, folder / file)
            (folder / stem).mkdir()
            proposed(folder, "comes behind one: (.*)", ["plan", file], file)
            proposed(folder, "is explained: '(.*) TENSOR'", ["explain", file], "explain", file)
            proposed(folder, "TENSOR'; '(.*)' lists", ["plan", file], "explain", file)
            proposed(folder, "name one graph; '(.*)' judges", ["lint", stem], "plan", stem)
            run(folder, "plan", file, "--write-csv", table, status=0)
            proposed(folder, "may allow that: '(.*)' judges", ["verify", "GRAPH", table],
                     "verify", table)
            run(folder, "plan", file, "-o", plan, "--overlap", "none", status=0)
            text = (folder / plan).read_text(encoding="utf-8")
            assert '"none"' in text, text[:400]
            (folder / plan).write_text(text.replace('"none"', '"full"', 1), encoding="utf-8")
            proposed(folder, "(tenure plan .*)", ["plan", file, "-o", plan], "check", plan)
            shutil.copy(large, folder / file)
            proposed(folder, "now needs .*: (tenure plan .*)", ["plan", file, "-o", plan], "check",
                     plan)
            shutil.copy(small, folder / ("-" + file))
            proposed(folder, "TENSOR'; '(.*)' lists", ["plan", f"./-{file}"], "explain", "--",
                     "-" + file)


main()

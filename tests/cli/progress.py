#!/usr/bin/env python3
"""What takes long tells a terminal how far it is, on standard error, in one line that is gone at
the end; anything else than a terminal sees nothing of it. usage: progress.py TENURE ROOT"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

import terminal


def with_terminal(args, cwd):
    """status, standard output, and what a terminal got as standard error"""
    ours, its = pty.openpty()
    with subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=its,
                          cwd=cwd) as child:
        os.close(its)
        out, got = child.stdout.read(), terminal.read(ours)
    return child.returncode, out.decode(), got


def screen(text):
    """The lines that are left when all is written, without what is blank at their ends."""
    lines, column = [""], 0
    for letter in text:
        if letter == "\r":
            column = 0
        elif letter == "\n":
            lines.append("")
            column = 0
        else:
            line = lines[-1].ljust(column)
            lines[-1] = line[:column] + letter + line[column + 1:]
            column += 1
    return [line.rstrip() for line in lines]


def steps(said):
    return [part.rstrip() for part in said.split("\r") if part.strip().startswith("validating")]


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    graph = root / "fixtures/graphs/op_add_i8.json"
    told = ["executor unshared", *(f"host {o} {s}" for o in ("-O0", "-O2", "-Os")
                                   for s in ("unshared", "shared"))]
    told = [f"validating, {i} of {len(told)}: {what}" for i, what in enumerate(told, 1)]
    with tempfile.TemporaryDirectory() as folder:
        # a compiler that is quick, and wrong: the steps are the same
        compiler = pathlib.Path(folder, "bin/gcc")
        compiler.parent.mkdir()
        compiler.write_text("#!/bin/sh\nexit 1\n")
        compiler.chmod(0o755)
        os.environ["PATH"] = f"{compiler.parent}:{os.environ['PATH']}"
        for words, out in ((["validate"], ["not the same"]),
                           (["report", "--validate", "-o", "page.html"], [])):
            args = [tenure, *words, graph]
            piped = subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False)
            status, shown, said = with_terminal(args, folder)
            assert (piped.returncode, piped.stderr) == (1, ""), piped
            assert (status, shown) == (1, piped.stdout), (status, shown, said)
            assert shown.splitlines()[-1:] == out, shown
            assert steps(said) == told, said
            assert screen(said) == [""] and said.endswith("\r"), said
        # what is told beside stands on a line of its own
        status, shown, said = with_terminal(
            [tenure, "validate", root / "fixtures/models/features.tflite"], folder)
        assert status == 2 and not shown and screen(said)[-1] == "", (status, shown, said)
        assert not any("validating" in line for line in screen(said)), said
        # nothing else is said that a terminal would not be told otherwise
        for words in (["plan", graph], ["lint", graph], ["run", graph]):
            status, shown, said = with_terminal([tenure, *words], folder)
            assert status == 0 and not said, (words, said)
    print(f"{len(told)} steps")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Files that a command line names: usage: outputs.py TENURE ROOT

What is read is never overwritten, two outputs are never one file, and what has no effect
is refused: exit status 2, both names in the message, every file as it was.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

import terminal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

REPORTS = ("-o", "--csv", "--svg", "--dot", "--trace", "--graph-svg", "--explorer", "--overlay",
           "--overlay-verdicts")
PLANS = ("-o", "--write-csv", "--write-header", "--write-offline")
SINGLE = [("report", REPORTS), ("plan", PLANS), ("convert", ("-o",)), ("run", (
    "-o", "--output-tensor")), ("lint", ("-o", "--write-baseline"))]
COMMANDS = ("lint", "plan", "verify", "run", "emit", "validate", "report", "check", "diff",
            "explain", "convert", "offsets")
TEXT = "g.json"  # how the comparison begins as text
# spellings of g.json, which is read
SAME = ("g.json", "./g.json", "sub/../g.json", "{folder}/g.json", "link.json", "hard.json")


def contents(folder):
    return {p.relative_to(folder): p.read_bytes()
            for p in sorted(folder.rglob("*")) if p.is_file()}


def overwriting():
    for command, options in SINGLE:
        for option in options:
            for name in SAME:
                yield [command, "g.json", option, name], ("g.json", name)
    for name in SAME:
        yield ["diff", "g.json", "h.json", "-o", name], ("g.json", name)
        yield ["diff", "h.json", "g.json", "-o", name], ("g.json", name)
        yield ["offsets", "p.csv", "-o", "p.csv"], ("p.csv",)
    yield ["lint", "h.json", "g.json", "-o", "g.json"], ("g.json",)
    yield ["lint", "sub", "-o", "sub/deep.json", "--format", "json"], ("sub/deep.json",)
    yield ["lint", "*.json", "-o", "g.json", "--format", "json"], ("g.json",)
    yield ["lint", "sub", "--write-baseline", "sub/deep.json"], ("sub/deep.json",)
    for option in ("--rules", "--contracts", "--boards", "--config", "--baseline"):
        yield ["lint", "g.json", option, "x.xml", "-o", "./x.xml"], (option, "x.xml", "./x.xml")
    yield ["report", "g.json", "--plan", "p.json", "--csv", "p.json"], ("--plan", "p.json")
    yield ["run", "g.json", "--input", "h.json", "-o", "h.json"], ("--input", "h.json")
    yield ["report", "missing.json", "-o", "missing.json"], ("missing.json",)


def twice():
    for first in REPORTS:
        for second in REPORTS:
            if first < second:
                yield ["report", "g.json", first, "new", second, "./new"], ("new", "./new")
                yield ["report", "g.json", first, "h.json", second, "link-h.json"], (
                    "h.json", "link-h.json")
                yield ["report", "g.json", first, "-", second, "-"], ("standard output",)
    for option in REPORTS[1:]:
        yield ["report", "g.json", "--ascii", option, "-"], ("--ascii", option)
    yield ["report", "g.json", "--ascii", "--csv", "new", "-o", "-"], ("--ascii", "--output")
    yield ["plan", "g.json", "--write-csv", "-", "--write-header", "-"], ("standard output",)
    for option in PLANS:
        yield ["plan", "g.json", "--json", option, "-"], ("standard output", "--json")
    yield ["run", "g.json", "--dump-layers", "--output-tensor", "-"], ("standard output",)
    yield ["lint", "g.json", "--write-baseline", "-"], ("standard output", "-o")
    yield ["run", "g.json", "--output-tensor", "new", "--output-tensor", "sub/../new"], ("new",)


def nameless():
    for command, options in SINGLE:
        for option in options:
            yield [command, "g.json", option, ""], ("''",)
    yield ["emit", "g.json", "-o", ""], ("''",)
    yield ["emit", "g.json", "-o", "-"], ("folder", "standard output")
    yield ["diff", "g.json", "h.json", "-o", ""], ("''",)


def idle():
    yield ["report", "g.json", "--dot", "new", "--radius", "1"], ("--radius", "--focus")
    yield ["report", "g.json", "--focus", "0"], ("--focus", "--dot", "--graph-svg")
    yield ["report", "g.json", "--focus", "0", "--csv", "new"], ("--focus", "--dot")
    yield ["report", "g.json", "--on", "host"], ("--on", "--validate")
    yield ["report", "g.json", "--synthetic"], ("--synthetic", "--validate")
    for option, last in (("--input", "h.json"), ("--output-tensor", "new.npy")):
        many = [f"new{i}.npy" for i in range(9)] + [last]
        yield ["run", "g.json", *(w for name in many for w in (option, name))], (option, "10 files")


CASES = [overwriting, twice, nameless, idle]

# command lines that are right: what they write
RIGHT = [
    (["report", "g.json", "-o", "new.html", "--csv", "new.csv"], ("new.html", "new.csv")),
    (["report", "g.json", "-o", "/dev/null", "--csv", "/dev/null"], ()),
    (["report", "g.json", "-o", "new.html", "--csv", "-"], ("new.html",)),
    (["report", "g.json", "-o", "sub/g.json"], ("sub/g.json",)),
    (["report", "g.json", "--dot", "new", "--focus", "0", "--radius", "1"], ("new",)),
    (["emit", "g.json", "-o", "sub"], ("sub",)),
]


def fill(folder, root):
    graph = root / "fixtures/graphs/residual_f32.json"
    (folder / "sub").mkdir()
    for name in ("g.json", "h.json", "sub/deep.json"):
        shutil.copy(graph, folder / name)
    (folder / "x.xml").write_text("<rules/>")
    (folder / "p.json").write_text("{}")
    (folder / "p.csv").write_text("id,lower,upper,size\na,0,1,4\n")
    os.symlink("g.json", folder / "link.json")
    os.symlink("h.json", folder / "link-h.json")
    os.link(folder / "g.json", folder / "hard.json")


def call(tenure, folder, args, **more):
    args = [a.replace("{folder}", str(folder)) for a in args]
    return served.run([tenure, *args], cwd=folder, capture_output=True, text=True,
                      check=False, **more)


def check_refused(tenure, root):
    n = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, root)
        before = contents(folder)
        for cases in CASES:
            for args, words in cases():
                done = call(tenure, folder, args)
                assert done.returncode == 2, (args, done)
                assert not done.stdout, (args, done)
                for word in words:
                    assert word.replace("{folder}", name) in done.stderr, (args, word, done)
                assert contents(folder) == before, args
                n += 1
        with open(folder / "g.json", encoding="utf-8") as stdin:
            done = call(tenure, folder, ["report", "-", "-o", "g.json"], stdin=stdin)
        assert done.returncode == 2 and contents(folder) == before, done
    print(f"ok - {n + 1} command lines refused")


def check_right(tenure, root):
    for args, files in RIGHT:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fill(folder, root)
            done = call(tenure, folder, args)
            assert done.returncode == 0, (args, done)
            for file in files:
                assert (folder / file).exists(), (args, file)
    print(f"ok - {len(RIGHT)} command lines right")


# values that their options take
VALUES = {"FILE": "new", "DIR": "new", "PLAN": "p.json", "N": "1", "S": "1", "BYTES": "64",
          "LIMIT": "1K", "FORMAT": "native", "NAME": "x", "LEVEL": "note", "FAMILIES": "memory",
          "STAGES": "graph", "LIST": "none", "MODE": "none", "SET": "ref", "WHAT": "arena",
          "WHEN": "owner", "TARGETS": "host", "OP": "0", "BOARD": "rp2040", "TARGET": "rp2040"}
WORDS = {"profile": "training", "execution": "parallel", "schedule": "given", "stream": "none",
         "overlap": "none", "cpu": "host"}


def options_of(tenure, command):
    """Long name, letter or None, name of the value or None, may it be repeated?"""
    lines = served.run([tenure, command, "--help"], capture_output=True, text=True,
                       check=True).stdout.splitlines()
    for at, line in enumerate(lines):
        found = re.match(r"  (?:-(.), )?--([a-z-]+)(?: (\S+))?", line)
        if found and found[2] != "help":
            text = line + "".join(lines[at + 1:at + 2])
            yield found[2], found[1], found[3], "(repeatable)" in text.split("  --", 2)[1]


def check_repeated(tenure, root):
    """Of two values one would be lost: an option that takes one may be given once."""
    n = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, root)
        before = contents(folder)
        for command in COMMANDS:
            for option, letter, value, many in options_of(tenure, command):
                if value is None or many:
                    continue
                first = WORDS.get(option, VALUES.get(value, "x"))
                for again in (f"--{option}", f"--{option}=", f"-{letter}", f"-{letter}="):
                    if "None" in again or again.startswith("-o=") or again[2:] == "=":
                        continue
                    second = [again + "again"] if again.endswith("=") else [again, "again"]
                    done = call(tenure, folder, [command, "g.json", f"--{option}", first, *second])
                    said = f"tenure: --{option} is given twice: '{first}' and 'again'\n"
                    assert (done.returncode, done.stdout, done.stderr) == (2, "", said), (
                        command, option, done)
                    assert contents(folder) == before, (command, option)
                    n += 1
    assert n > 150, n
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, root)
        for args in (["plan", "g.json", "--json", "--json"],
                     ["lint", "g.json", "--keep", "input", "--keep", "input"]):
            done = call(tenure, folder, args)
            assert done.returncode == 0, (args, done)
    print(f"ok - {n} options given twice")


def check_unwritable(tenure, root):
    """Every command says of every format which file it could not write, and why."""
    n = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, root)
        (folder / "sub/taken").mkdir()
        before = contents(folder)
        tries = [[c, "g.json", o] for c, options in SINGLE for o in options
                 if o != "--write-offline"]
        tries += [["lint", "g.json", "--format", f, "-o"] for f in (
            "text", "json", "sarif", "junit", "github", "markdown")]
        tries += [["diff", "g.json", "h.json", "--format", f, "-o"] for f in (
            "text", "json", "markdown", "html")]
        tries += [["offsets", "p.csv", "-o"]]
        for args in tries:
            for file, why in (("missing/new", "No such file or directory"),
                              ("g.json/new", "Not a directory"), ("sub/taken", "Is a directory")):
                done = call(tenure, folder, [*args, file])
                assert done.returncode == 3, (args, file, done)
                told = re.search(f"^error: cannot (write|replace) '{file}': {why}", done.stderr,
                                 re.M)
                assert told and done.stderr.count("error: ") == 1, (args, file, done)
                assert contents(folder) == before, args
                n += 1
    print(f"ok - {n} files that cannot be written")


def chain(n):
    """A net of n buffers: every op pools one into a smaller one."""
    tensors = [{"name": f"t{i}", "dtype": "f32", "shape": [1, n + 1 - i, 1, 1]} for i in range(n)]
    tensors[0]["role"], tensors[-1]["role"] = "input", "output"
    ops = [{"name": f"op{i}", "type": "MAX_POOL_2D", "inputs": [f"t{i}"], "outputs": [f"t{i + 1}"],
            "attrs": {"pad": "VALID", "kernel": [2, 1], "stride": [1, 1]}}
           for i in range(n - 1)]
    return {"format": "tenure.graph/1", "name": "chain", "tensors": tensors, "ops": ops}


def check_ascii(tenure, root):
    """-o is the page, but for --ascii alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, root)
        picture = call(tenure, folder, ["report", "g.json", "--ascii"]).stdout
        assert "half-steps" in picture, picture
        assert call(tenure, folder, ["report", "g.json", "--ascii", "-o", "-"]).stdout == picture
        done = call(tenure, folder, ["report", "g.json", "--ascii", "-o", "new.txt"])
        assert done.returncode == 0 and not done.stdout, done
        assert (folder / "new.txt").read_text(encoding="utf-8") == picture
        done = call(tenure, folder, ["report", "g.json", "--ascii", "-o", "new.html",
                                     "--csv", "new.csv"])
        assert done.stdout == picture, done
        assert (folder / "new.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert "one letter may stand for several" not in picture, picture
        for n, shared in ((20, False), (62, False), (63, True), (70, True)):
            (folder / "chain.json").write_text(json.dumps(chain(n)), encoding="utf-8")
            text = call(tenure, folder, ["report", "chain.json", "--ascii"]).stdout
            letters = [line[2] for line in text.splitlines()
                       if line[:2] == "  " and line[3:5] == "  " and line[2] != " "]
            assert len(letters) == n, (n, text)
            assert (len(set(letters)) < n) == shared, (n, letters)
            assert ("one letter may stand for several" in text) == shared, (n, text)
    print("ok - --ascii")


def on_terminal(args, columns, env):
    """What a program writes to a terminal of so many columns."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=other, env=env)
    os.close(other)
    text = terminal.read(main)
    assert process.wait(60) == 0, args
    return text.replace("\r\n", "\n")


def check_width(tenure, root):
    """The picture is as wide as the terminal, or as COLUMNS says; 80 columns into anything else."""
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    with tempfile.TemporaryDirectory() as name:
        graph, file = pathlib.Path(name) / "chain.json", pathlib.Path(name) / "picture"
        graph.write_text(json.dumps(chain(210)), encoding="utf-8")
        args = [tenure, "report", graph, "--ascii"]

        def ruler(text):
            return max(line.count("-") + line.index("+") + 1 for line in text.splitlines()
                       if line.lstrip(" ").startswith("+-"))

        def piped(columns=None):
            more = {} if columns is None else {"COLUMNS": columns}
            done = subprocess.run(args, env={**env, **more}, check=True, capture_output=True)
            return done.stdout.decode()

        usual = piped()
        widths = {n: ruler(piped(str(n))) for n in (60, 80, 120, 132, 200)}
        assert all(w == n for n, w in widths.items()), widths
        assert piped("80") == usual
        for nothing in ("", "0", "-100", "+100", "100x", " 100", "9" * 30):
            assert piped(nothing) == usual, nothing
        for n in widths:
            shown = on_terminal(args, n, env)
            assert shown == piped(str(n)), (n, shown)
            assert on_terminal(args, n, {**env, "COLUMNS": "132"}) == piped("132"), n
            assert max(map(len, shown.splitlines())) <= n, (n, shown)
        assert on_terminal(args, 0, env) == usual
        subprocess.run([*args, "-o", file], env={**env, "COLUMNS": "132"}, check=True)
        assert file.read_text(encoding="utf-8") == usual
    print("ok - --ascii is as wide as the terminal")


# what goes to standard output by "-", and how it begins and ends
STANDARD = [
    (["plan", "g.json", "-o"], "{", "}\n"), (["plan", "g.json", "--write-csv"], "id,lower,", "\n"),
    (["plan", "g.json", "--write-header"], "/*", "#endif\n"),
    (["offsets", "p.csv", "-o"], "id,lower,upper,size,offset\na,0,1,4,0\n", "\n"),
    (["convert", "g.json", "-o"], "{", "}\n"), (["report", "g.json", "--csv"], "kind,name,", "\n"),
    (["lint", "g.json", "-o", "new", "--write-baseline"], "<?xml ", "</baseline>\n"),
]


def check_standard(tenure, root):
    """A result that goes to standard output is alone there: the same bytes as in a file."""
    for args, start, end in STANDARD:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fill(folder, root)
            done = call(tenure, folder, [*args, "-"])
            again = call(tenure, folder, [*args, "file"])
            assert done.returncode == again.returncode == 0, (args, done, again)
            assert done.stdout.startswith(start) and done.stdout.endswith(end), (args, done)
            assert done.stdout == (folder / "file").read_text(encoding="utf-8"), (args, done)
            assert not again.stdout or again.stdout == done.stderr, (args, done, again)
    print(f"ok - {len(STANDARD)} results on standard output")


DIFFS = [
    (["-o", "d.html"], "<!DOCTYPE html>"), (["-o", "d.HTML"], "<!DOCTYPE html>"),
    (["-o", "d.md"], "#"), (["-o", "d.Md"], "#"), (["-o", "d.json"], "{"), (["-o", "d.JSON"], "{"),
    (["-o", "d.txt"], TEXT), (["-o", "html"], TEXT), (["-o", ".html"], TEXT), (["-o", "-"], TEXT),
    ([], TEXT), (["-o", "d.html", "--format", "text"], TEXT),
    (["-o", "d.md", "--format", "json"], "{"),
    (["-o", "d.json", "--format", "html"], "<!DOCTYPE html>"),
]


def check_diff(tenure, root):
    """The format of a comparison is that of the name, unless --format says otherwise."""
    for options, start in DIFFS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fill(folder, root)
            done = call(tenure, folder, ["diff", "g.json", "h.json", *options])
            text = done.stdout
            if options and options[1] != "-":
                text = (folder / options[1]).read_text(encoding="utf-8")
            assert done.returncode == 0 and text.startswith(start), (options, text[:80], done)
    print(f"ok - {len(DIFFS)} formats of a comparison")


def check_emitted(tenure, root):
    """The files of an emitted folder have names of their own, which a model may have, too."""
    for name in ("README.md", "Makefile", "model.c", "kernels/tenure/kernels.h"):
        for plan in (False, True):
            with tempfile.TemporaryDirectory() as where:
                folder = pathlib.Path(where)
                fill(folder, root)
                read = folder / "out" / name
                read.parent.mkdir(parents=True)
                if plan:
                    assert call(tenure, folder, ["plan", "g.json", "-o", str(read)]).returncode == 0
                else:
                    shutil.copy(folder / "g.json", read)
                before = read.read_bytes()
                done = call(tenure, folder, ["emit", "-o", "out", *(
                    ["g.json", "--plan", f"out/{name}"] if plan else [f"out/{name}"])])
                assert done.returncode == 2 and "emit/input" in done.stderr, (name, plan, done)
                assert read.read_bytes() == before, (name, plan)
    print("ok - emit writes over nothing that it reads")


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    check_refused(tenure, root)
    check_right(tenure, root)
    check_standard(tenure, root)
    check_ascii(tenure, root)
    check_width(tenure, root)
    check_diff(tenure, root)
    check_repeated(tenure, root)
    check_emitted(tenure, root)
    check_unwritable(tenure, root)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Documentation that can be run: the `console` blocks of docs/TUTORIAL.md and docs/howto are
executed, those of a page in one folder and in order, and print what stands there ('...': any
lines; figures that hang on measured kernels: near), with status 0 unless `echo $?` follows. Every
other command line of the documentation is run, too, those of a page in a folder with files of the
names that they use.
usage: commands.py TENURE SOURCE"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

tenure, source = map(os.path.abspath, sys.argv[1:3])
environment = {**os.environ, "COLUMNS": "80", "TENURE_SOURCE": source, "NO_COLOR": "1",
               "PATH": os.path.dirname(tenure) + ":" + os.environ["PATH"]}


def blocks(text):
    """(command, expected lines) of each '$ ' line; '> ' lines continue a command"""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        command, expected = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, expected
                command, expected = line[2:], []
            elif command and not expected and re.match(r">( |$)", line):
                command += "\n" + line[2:]
            else:
                expected.append(line)
        if command:
            yield command, expected


# what changes whenever a kernel is measured anew: the stack, and the sums that it is in
MEASURED = re.compile(r"(?<=\bstack )\d+(?= B\b)|(?<=\bneeds )\d+(?= B of RAM\b)|"
                      r"\d+(?= B more than the \d+ B of --ram\b)")
NEAR = 256  # bytes by which such a figure may differ from the page's


def same(expected, line):
    """Equal, but for measured figures, which are near the page's."""
    if MEASURED.sub("#", expected.rstrip()) != MEASURED.sub("#", line.rstrip()):
        return False
    return all(abs(int(a) - int(b)) <= NEAR
               for a, b in zip(MEASURED.findall(expected), MEASURED.findall(line)))


def matches(expected, lines):
    if not expected:
        return not lines
    if expected[0] == "...":
        return any(matches(expected[1:], lines[skip:]) for skip in range(len(lines) + 1))
    return bool(lines) and same(expected[0], lines[0]) and matches(expected[1:], lines[1:])


def run_page(page):
    """One shell for the whole page, so that $? and files last from command to command."""
    with open(page, encoding="utf-8") as file:
        commands = list(blocks(file.read()))
    assert commands, f"{page} has no commands"
    mark = "---- next ----"
    script = "".join(f"{command}\nstatus=$?\necho '{mark}' $status\n(exit $status)\n" for command, _ in commands)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=folder,
                              env=environment, timeout=240)
    parts = re.split(mark + r" (\d+)\n", done.stdout)
    assert len(parts) == 2 * len(commands) + 1, (done.stdout, done.stderr)
    asked = [command == "echo $?" for command, _ in commands[1:]] + [False]
    bad = [(command, expected, part, status)
           for (command, expected), part, status, told in zip(commands, parts[::2], parts[1::2], asked)
           if (status != "0" and not told) or not matches(expected, part.splitlines())]
    for command, expected, part, status in bad:
        print(f"{page}: $ {command}\nexpected:", *expected, f"got, with status {status}:", part, sep="\n")
    print(done.stderr, end="")
    assert not bad, f"{len(bad)} of {len(commands)} commands print something else"


# the model that the pages speak of, and what it calls its input and a tensor
MODEL = "fixtures/models/small_cnn.tflite"
NAMES = {"TENSOR": "conv", "input=camera": "image=camera"}
SIZED = """{"irVersion": 8, "graph": {"name": "g", "node": [{"opType": "Relu", "input": ["x"], "output": ["y"]}],
"input": [{"name": "x", "type": {"tensorType": {"elemType": 1, "shape": {"dim": [{"dimParam": "batch"}, {"dimParam": "W"}]}}}}],
"output": [{"name": "y", "type": {"tensorType": {"elemType": 1, "shape": {"dim": [{"dimParam": "batch"}, {"dimParam": "W"}]}}}}]},
"opsetImport": [{"version": 13}]}"""


def prepare(folder):
    os.mkdir(os.path.join(folder, "models"))
    for name in ("model.tflite", "old.tflite", "new.tflite", "models/a.tflite"):
        shutil.copy(os.path.join(source, MODEL), os.path.join(folder, name))
    shutil.copy(os.path.join(source, "fixtures/foreign/executorch.json"), os.path.join(folder, "program.json"))
    with open(os.path.join(folder, "model.onnx"), "w", encoding="utf-8") as file:
        file.write(SIZED)
    subprocess.run([tenure, "plan", "model.tflite", "-o", "model.plan.json"], cwd=folder,
                   env=environment, check=True, stdout=subprocess.DEVNULL)


def run_line(page, folder, line):
    """Up to the text behind two blanks."""
    words = [NAMES.get(w, w) for w in shlex.split(re.split(r" {2,}(?!-)|\s+#", line)[0])]
    done = subprocess.run([tenure, *words[1:]], capture_output=True, text=True, cwd=folder,
                          env=environment, timeout=240)
    assert done.returncode == 0, f"{page}: {line}\nstatus {done.returncode}\n{done.stdout}{done.stderr}"


PAGE = "needs 37220 B of RAM, 4452 B more than the 32768 B of --ram", "arena 36880 B, stack 340 B"
assert all(same(line, line) for line in PAGE)
assert same(PAGE[0], PAGE[0].replace("37220", "37300").replace("4452", "4532")) and same(PAGE[1], PAGE[1].replace("340", "420"))
assert not any(same(line, line.replace(old, new)) for line, old, new in (
    (PAGE[0], "37220", "37999"), (PAGE[0], "32768", "32769"), (PAGE[1], "36880", "36881"), (PAGE[1], "340", "840"),
    (PAGE[1], "340", ""), (PAGE[0], "needs", "need")))
how_to = sorted(glob.glob(os.path.join(source, "docs/howto/*.md")))
assert how_to, "docs/howto is empty"
for page in [os.path.join(source, "docs/TUTORIAL.md"), *how_to]:
    run_page(page)
seen = 0
for page in [os.path.join(source, "README.md"), *sorted(glob.glob(os.path.join(source, "docs/*.md"))), *how_to]:
    with open(page, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    lines = re.findall(r"^(?:    |\t)?(tenure [a-z]+ .*)$", text, re.M)
    with tempfile.TemporaryDirectory() as folder:
        if lines:
            prepare(folder)
        for line in lines:
            run_line(page, folder, line)
            seen += 1
assert seen >= 15, f"only {seen} command lines were found"
print(f"{seen} command lines")

#!/usr/bin/env python3
"""Commands and options that there are not, and which ones were meant; help of each command; what
a newcomer tries first and what it leads to.
usage: words.py TENURE"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

import terminal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

tenure = os.path.abspath(sys.argv[1])


def run(*words, cwd=None):
    return served.run([tenure, *words], capture_output=True, text=True, timeout=60, cwd=cwd,
                      check=False)


def refused(*words, said, cwd=None):
    done = run(*words, cwd=cwd)
    assert done.returncode == 2 and not done.stdout, (words, done)
    assert done.stderr.startswith("tenure: ") and done.stderr.count("\n") == 1, (words, done.stderr)
    assert done.stderr.rstrip().endswith(said), (words, done.stderr, said)


listed = run("--help").stdout.split("commands:\n")[1].split("\n\n")[0].splitlines()
commands = [line.split()[0] for line in listed]
assert len(commands) > 10
# the summaries stand in a column
assert all(line[2] != " " and line[32:34].strip() == line[33] for line in listed), listed

for command in commands:
    own = run(command, "--help")
    assert own.returncode == 0 and own.stdout.startswith(f"usage: tenure {command} "), own
    assert "exit status: 0 " in own.stdout, own.stdout
    assert run("help", command).stdout == own.stdout
    refused(command[:-1] + "_", said=f"did you mean '{command}'?")
    # every option with two letters swapped, and with one dash too few
    options = [word for line in own.stdout.splitlines() if line.startswith("  -")
               for word in line[:26].replace(",", " ").split() if word.startswith("--")]
    assert "--help" in options and len(options) > 3, options
    for option in options:
        if len(option) < 6:
            continue
        swapped = option[:3] + option[4] + option[3] + option[5:]
        if swapped != option:
            refused(command, swapped, "x", said=f"did you mean {option}?")
            refused(command, swapped + "=x", said=f"did you mean {option}?")
assert run("-V").stdout == run("--version").stdout != ""
assert run("help").stdout == run("-h").stdout == run("--help").stdout
for words in (["help", "help"], ["help", "--help"], ["help", "-h"], ["help", "completion"],
              ["completion", "--help"], ["completion", "-h"]):
    done = run(*words)
    assert not done.returncode and done.stdout.startswith("usage: tenure ") and not done.stderr, done

refused("nothing-like-it", said="see tenure --help")
refused("hlep", said="did you mean 'help'?")
refused("help", "lnit", said="did you mean 'lint'?")
refused("help", "plan", "lint", said="usage: tenure help [COMMAND]")
refused("plan", "x", "--nothing-like-it", said="see tenure plan --help")
refused("plan", "x", "-format", said="lint and diff have it")
refused("plan", "x", "-strema", "auto", said="did you mean --stream?")
refused("lint", "x", "-format", "xml", said="did you mean --format?")
refused("plan", "x", "-y", said="see tenure plan --help")
refused("plan", "x", "-j", "4", said="lint has it")
refused("plan", "x", "--format", "json", said="lint and diff have it")
refused("plan", "x", "--on=host", said="validate and report have it")
refused("plan", "x", "--seed", "4", said="run, emit, validate and report have it")
for seconds in ("0x10", "0", "-1", "inf", "nan", "1e9", "1s", ".5", ""):
    refused("plan", "x", f"--time-limit={seconds}", said=f"must be a number of seconds, not '{seconds}'")
refused("plan", "x", "--" + "o" * 500, said="see tenure plan --help")
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "model.tflite").write_bytes(b"")
    refused("model.tflite", said="a file comes behind one: tenure plan model.tflite", cwd=folder)
    refused("model.onnx", said="see tenure --help", cwd=folder)

# no page on a terminal, unless it is asked for
graph = '{"format": "tenure.graph/1", "tensors": [{"name": "x", "dtype": "f32", "shape": [4], ' \
    '"role": "input"}, {"name": "y", "dtype": "f32", "shape": [4], "role": "output"}], ' \
    '"ops": [{"name": "a", "type": "RELU", "inputs": ["x"], "outputs": ["y"]}]}'


def on_terminal(*words, cwd):
    """status, what the terminal got, what standard error got"""
    ours, its = pty.openpty()
    with subprocess.Popen([tenure, *words], stdout=its, stderr=subprocess.PIPE, cwd=cwd) as child:
        os.close(its)
        got = terminal.read(ours)
        said = child.stderr.read().decode()
    return child.returncode, got, said


with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "g.json").write_text(graph, encoding="utf-8")
    code, shown, said = on_terminal("report", "g.json", cwd=folder)
    assert code == 2 and not shown and "-o report.html" in said, (code, shown, said)
    code, shown, said = on_terminal("report", "g.json", "-o", "-", cwd=folder)
    assert code == 0 and "<html" in shown, (code, said)
    code, shown, said = on_terminal("report", "g.json", "--ascii", cwd=folder)
    assert code == 0 and "g.json, verified" in shown, (code, shown, said)
    code, shown, said = on_terminal("report", "g.json", "--svg", "g.svg", cwd=folder)
    assert code == 0 and pathlib.Path(folder, "g.svg").exists(), (code, shown, said)
    done = run("report", "g.json", cwd=folder)
    assert done.returncode == 0 and "<html" in done.stdout, done.stderr
    # names of a graph's, a pack's and a table's
    for words, said in ((["explain", "memory/over-budgt"], "did you mean 'memory/over-budget'?"),
                        (["explain", "none/none"], "'tenure explain \"*\"' lists all"),
                        (["explain", "g.json"], "'tenure explain g.json TENSOR'"),
                        (["explain", "g.json", "none"], "an index will do as well"),
                        (["explain", "m.json", "inptu"], "did you mean 'input'?"),
                        (["plan", "g.json", "--target", "nrf58240"], "did you mean 'nrf52840'?"),
                        (["plan", "g.json", "--target", "stm32l4"], "did you mean 'stm32l432'?")):
        pathlib.Path(folder, "m.json").write_text(graph.replace('"x"', '"input"'), encoding="utf-8")
        done = run(*words, cwd=folder)
        assert done.returncode == 2 and said in done.stderr, (words, done)
    assert "mean" not in run("plan", "g.json", "--target", "zzz", cwd=folder).stderr
    # a file that is no plan where one belongs
    for content in ("", "<html>", "TFL3", graph):
        pathlib.Path(folder, "p.json").write_text(content, encoding="utf-8")
        for words in (["verify", "g.json", "p.json"], ["run", "g.json", "--plan", "p.json"]):
            done = run(*words, cwd=folder)
            assert done.returncode == 2 and "p.json" in done.stderr and \
                "expected a plan, as 'tenure plan -o' writes it" in done.stderr, (words, done)
    # a folder where one graph belongs
    models = {"some": ["a.tflite"], "tf": ["saved_model.pb", "variables/x"],
              "a.mlpackage": ["Manifest.json", "Data/com.apple.CoreML/model.mlmodel"]}
    for name, files in models.items():
        for file in files:
            pathlib.Path(folder, name, file).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(folder, name, file).write_bytes(b"")
    advice = {"some": "name one graph; 'tenure lint some' judges all", "tf": "TFLiteConverter",
              "a.mlpackage": "it is a Core ML model: read the .tflite"}
    for name, said in advice.items():
        for words in (["plan"], ["verify"], ["convert"], ["report", "-o", "new"], ["run"],
                      ["diff", "g.json"], ["plan", "--from", "onnx"]):
            done = run(*words, name, cwd=folder)
            assert done.returncode == 2 and said in done.stderr, (words, done)
            assert done.stderr.count("\n") == 2, (words, done)
    # an op without a kernel keeps nobody from a plan, and the refusal says so
    fancy = pathlib.Path(folder, "fancy.json")
    fancy.write_text(graph.replace("RELU", "Fancy"), encoding="utf-8")
    for command in (["run"], ["emit", "-o", "firmware"], ["validate"]):
        done = run(*command, "fancy.json", cwd=folder)
        assert done.returncode == 2 and "plan, verify and report need none" in done.stderr, done
    assert run("plan", "fancy.json", cwd=folder).returncode == 0
print(f"{len(commands)} commands")

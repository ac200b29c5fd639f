#!/usr/bin/env python3
"""The main commands under valgrind: no access that is wrong, no value that was never set, nothing
lost. Skips without valgrind. usage: memcheck.py TENURE ROOT"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

GRAPH, MODEL, BROKEN = "g.json", "m.tflite", "b.json"
# command and the status that it ends with
CASES = [
    (["lint", GRAPH, "--format", "sarif", "-o", "out.sarif"], 0),
    (["lint", BROKEN, "--format", "json"], 2),
    (["plan", GRAPH, "--schedule", "search", "-o", "out.json", "--write-csv", "out.csv", "--write-header", "out.h"], 0),
    (["plan", "k.json", "--stream", "auto", "--json"], 0),
    (["plan", GRAPH, "--region", "a:1K", "--region", "b:64K"], 0),
    (["plan", MODEL, "--write-offline", "out.tflite"], 0),
    (["verify", GRAPH, "p.json"], 0),
    (["verify", GRAPH, "k.json"], 2),
    (["run", GRAPH, "--plan", "p.json", "--dump-layers"], 0),
    (["emit", GRAPH, "-o", "out", "--debug"], 0),
    (["report", GRAPH, "-o", "out.html", "--svg", "out.svg", "--trace", "out.trace", "--csv", "-"], 0),
    (["check", GRAPH], 0),
    (["diff", GRAPH, MODEL], 0),
    (["explain", GRAPH, "0"], 0),
    (["convert", "l.onnx"], 0),
    (["convert", "v.xml"], 0),
    (["convert", "e.json"], 0),
    (["offsets", "o.csv"], 0),
]
FILES = {GRAPH: "graphs/residual_i8.json", MODEL: "models/small_cnn.tflite", "k.json": "graphs/kws_i8.json",
         BROKEN: "invalid/graph-cycle/input.json", "l.onnx": "foreign/onnx_function.onnx",
         "v.xml": "foreign/openvino.xml", "e.json": "foreign/executorch.json", "o.csv": "problems/above-load.csv"}
VALGRIND = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite"]


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not shutil.which("valgrind"):
        print("valgrind is not installed: skipped")
        return 77

    def one(case):
        command, status = case
        with tempfile.TemporaryDirectory() as folder:
            for name, fixture in FILES.items():
                shutil.copy(root / "fixtures" / fixture, pathlib.Path(folder) / name)
            for plan in ("p.json", "g.plan.json"):
                subprocess.run([tenure, "plan", GRAPH, "-o", plan], cwd=folder, check=True,
                               stdout=subprocess.DEVNULL)
            done = subprocess.run([*VALGRIND, tenure, *command], cwd=folder, capture_output=True,
                                  text=True, errors="replace", timeout=900)
        wrong = [line for line in done.stderr.splitlines() if line.startswith("==")]
        if done.returncode == status and not wrong:
            return True
        print(f"{command}: status {done.returncode}, wanted {status}", *wrong[:25], sep="\n")
        return False

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        right = sum(pool.map(one, CASES))
    print(f"{len(CASES)} commands, {right} clean")
    return 0 if right == len(CASES) else 1


if __name__ == "__main__":
    sys.exit(main())

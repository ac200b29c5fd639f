#!/usr/bin/env python3
"""What commands print for people has no control characters, whatever names a graph has and however
its files are called; data formats keep names. usage: names.py TENURE"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EVIL = "\x1b[2J\x1b]0;x\x07\r\x7f\u202e"
DUMPS = "graph,order,alias,live,hazards,inplace,problem,plan,claims"


def graph(kind):
    tensors = [{"name": n + EVIL, "dtype": "f32", "shape": [1, 8]} for n in "xay"]
    tensors[0]["role"], tensors[2]["role"] = "input", "output"
    ops = [{"name": f"op{i}{EVIL}", "type": t, "inputs": ["xay"[i] + EVIL],
            "outputs": ["xay"[i + 1] + EVIL]} for i, t in enumerate(("RELU", kind))]
    claim = {"id": "c" + EVIL, "kind": "inplace", "op": ops[1]["name"], "in": "a" + EVIL,
             "out": "y" + EVIL}
    return json.dumps({"format": "tenure.graph/1", "name": "n" + EVIL, "tensors": tensors,
                       "ops": ops, "claims": [claim]})


def bad(text):
    """Control characters, but line breaks and tabs; what turns the direction."""
    return [c for c in text if (c < " " and c not in "\n\t") or c in "\x7f\u202e"]


def main():
    tenure = os.path.abspath(sys.argv[1])
    known, fancy = f"known{EVIL}.json", f"fancy{EVIL}.json"
    plan = known.replace(".json", ".plan.json")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / known).write_text(graph("TANH"), encoding="utf-8")
        (folder / fancy).write_text(graph("Fancy" + EVIL), encoding="utf-8")
        (folder / "bin").mkdir()
        (folder / "bin/gcc").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (folder / "bin/gcc").chmod(0o755)
        env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        commands = [["plan", known, "-o", plan], ["check", "."], ["verify", known, plan],
                    ["diff", known, fancy], ["run", known],
                    ["report", known, "--ascii"], ["emit", known, "-o", "out"],
                    ["validate", known], ["plan", known, "--ram", "4"],
                    ["plan", known, "--keep", EVIL], ["plan", known, "--pin", EVIL],
                    ["report", known, "--dot", "-"], ["plan", "none" + EVIL]]
        for file in (known, fancy):
            commands += [["lint", file], ["lint", ".", "--dump", DUMPS], ["plan", file, "--repair"],
                         ["plan", file, "--dump", DUMPS], ["verify", file], ["explain", file, "1"],
                         *(["lint", file, "--format", f] for f in ("markdown", "github", "junit")),
                         ["convert", file, "-o", "copy", "--dump", "graph"]]
        told = 0
        for words in commands:
            done = subprocess.run([tenure, *words], cwd=folder, env=env, capture_output=True,
                                  encoding="utf-8", check=False)
            assert done.returncode in (0, 1, 2), (words, done)
            told += bool(done.stdout + done.stderr)
            assert not bad(done.stdout + done.stderr), (words, done)
        assert told > 25, told
        copy = json.loads((folder / "copy").read_text(encoding="utf-8"))
        assert copy["name"] == "n" + EVIL, copy
    print(f"{len(commands)} commands")


if __name__ == "__main__":
    main()

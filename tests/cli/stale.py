#!/usr/bin/env python3
"""Plans that no longer fit: usage: stale.py TENURE ROOT

A plan carries digests of the graph, its constants, the set of kernels and their contracts.
Every command that takes a plan refuses it by the name of the one that differs, and writes
nothing.
"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served


def another_graph(graph, _):
    graph["ops"][0]["attrs"]["activation"] = "RELU6"


def another_constant(graph, _):
    graph["tensors"][1]["data"]["seed"] += 1


def another(name):
    def change(_, plan):
        old = plan["digests"][name]
        plan["digests"][name] = old[:-1] + ("0" if old[-1] != "0" else "1")
    return change


CHANGES = [
    ("graph", another_graph, "another graph"),
    ("graph", another("graph"), "another graph"),
    ("constants", another_constant, "another set of constants"),
    ("constants", another("constants"), "another set of constants"),
    ("kernels", another("kernels"), "another kernel set"),
    ("contracts", another("contracts"), "another set of kernel contracts"),
]
COMMANDS = [
    ["verify", "g.json", "g.plan.json"],
    ["run", "g.json", "--plan", "g.plan.json", "-o", "new"],
    ["emit", "g.json", "--plan", "g.plan.json", "-o", "new"],
    ["validate", "g.json", "--plan", "g.plan.json", "--on", "host"],
    ["report", "g.json", "--plan", "g.plan.json", "-o", "new"],
    ["check", "g.json"],
]


def call(tenure, folder, args):
    return served.run([tenure, *args], cwd=folder, capture_output=True, text=True,
                      check=False)


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    fresh = json.loads((root / "fixtures/graphs/residual_f32.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "g.json").write_text(json.dumps(fresh), encoding="utf-8")
        assert call(tenure, folder, ["plan", "g.json", "-o", "g.plan.json"]).returncode == 0
        made = (folder / "g.plan.json").read_text(encoding="utf-8")
        assert call(tenure, folder, COMMANDS[0]).returncode == 0
        for digest, change, says in CHANGES:
            graph, plan = json.loads(json.dumps(fresh)), json.loads(made)
            change(graph, plan)
            (folder / "g.json").write_text(json.dumps(graph), encoding="utf-8")
            (folder / "g.plan.json").write_text(json.dumps(plan), encoding="utf-8")
            for args in COMMANDS:
                done = call(tenure, folder, args)
                text = done.stdout + done.stderr
                assert done.returncode == 1, (digest, args, done)
                assert f"the plan was made for {says}: " in text, (digest, args, done)
                assert "[plan/stale]" in text and text.count("made for") == 1, (args, done)
                assert not (folder / "new").exists(), (digest, args)
    print(f"ok - {len(CHANGES) * len(COMMANDS)} stale plans refused")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Names in the CSV of a plan: usage: csv_names.py TENURE ROOT

Every name comes back as it was, and none begins as a formula does. The plan as MiniMalloc's CSV is
read by tenure itself: there, names are what they are.
"""
import csv
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

NAMES = ["=x", "'=x", "''=x", "'x", "x", "'", "=", "+1", "-1", "@x", "x'", "\\=x", "\\", "\\\\",
         "a\nb", "a\\nb", "a\\x0a", "a\\\\x0a", "a\x0a", "\t=x", "a\"b", "a\"\"b", "a,b",
         "\u0085", "\\x85", "\\u{0085}", "\u00ad", "\u202e", "\\u{202e}", "\ufffd", "\u5c64 e\u0301"]
PLAN_NAMES = [" x", "x ", "\t", "a\rb", "\r\n", ",", "\"", "\"x\"", "x#0", "#", "", "\n"]
ESCAPE = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u\{([0-9a-f]+)\})")


def undo(cell):
    if cell.startswith("'"):
        cell = cell[1:]
    return ESCAPE.sub(lambda m: m[1] or chr(int(m[2] or m[3], 16)), cell)


def renamed(node, names):
    """The tree with other names of tensors."""
    if isinstance(node, dict):
        return {k: renamed(v, names) for k, v in node.items()}
    if isinstance(node, list):
        return [renamed(v, names) for v in node]
    return names.get(node, node) if isinstance(node, str) else node


def check_name(tenure, folder, graph, name):
    path, out = folder / "graph.json", folder / "plan.csv"
    path.write_text(json.dumps(renamed(graph, {"conv0": name})), encoding="utf-8")
    served.run([tenure, "report", path, "--csv", out], check=True)
    with open(out, newline="", encoding="utf-8") as f:
        cells = [row["name"] for row in csv.DictReader(f) if row["kind"] != "scratch"]
    assert name in map(undo, cells), (name, cells)
    assert not any(c[:1] in tuple("=+-@\t\r") for c in cells), cells
    return next(c for c in cells if undo(c) == name)


def check_plan(tenure, folder, graph, names):
    """What plan --write-csv writes is a plan of the graph."""
    path, out = folder / "graph.json", folder / "offsets.csv"
    path.write_text(json.dumps(renamed(graph, names)), encoding="utf-8")
    served.run([tenure, "plan", path, "--overlap", "none", "--write-csv", out, "-o",
                folder / "plan.json"], check=True, capture_output=True)
    with open(out, newline="", encoding="utf-8") as f:
        ids = [row["id"] for row in csv.DictReader(f)]
    for name in names.values():
        assert any(re.fullmatch(re.escape(name) + r"#\d+", i, re.S) for i in ids), (name, ids)
    done = served.run([tenure, "verify", path, out], capture_output=True, text=True)
    assert done.returncode == 0 and "proved" in done.stdout, (names, done.stdout, done.stderr)
    again = served.run([tenure, "offsets", out], capture_output=True, check=True).stdout
    (folder / "again.csv").write_bytes(again)
    served.run([tenure, "verify", folder / "again.csv"], check=True, capture_output=True)
    with open(folder / "again.csv", newline="", encoding="utf-8") as f:
        assert ids == [row["id"] for row in csv.DictReader(f)], ids


def main():
    tenure, root = sys.argv[1], pathlib.Path(sys.argv[2])
    graph = json.loads((root / "fixtures/graphs/residual_f32.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES + PLAN_NAMES:
            check_plan(tenure, pathlib.Path(folder), graph, {"conv0": name})
        check_plan(tenure, pathlib.Path(folder), graph, {"conv0": "a#6", "conv1": "a"})
        cells = {name: check_name(tenure, pathlib.Path(folder), graph, name) for name in NAMES}
    assert len(set(cells.values())) == len(cells), cells
    assert cells["=x"] == "'=x" and cells["'=x"] == "''=x", cells
    assert cells["a\n" + "b"] == "a\\x0ab" and cells["a\\x0a"] == "a\\\\x0a", cells
    print(f"ok - {len(cells) + len(PLAN_NAMES)} names come back")


if __name__ == "__main__":
    main()

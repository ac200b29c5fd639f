#!/usr/bin/env python3
"""Numbers in the tables for a terminal are those of the JSON, however long they are, and no
two of them touch: usage: wide_numbers.py TENURE
"""
import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
import served

GROUPED = re.compile(r"\d{1,3}(,\d{3})*$")


def same(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {got!r}, want {want!r}")


def graph(path, size):
    path.write_text(json.dumps({"format": "tenure.graph/1", "tensors": [
        {"name": "x", "dtype": "i8", "shape": [size], "role": "input"},
        {"name": "m", "dtype": "i8", "shape": [size]},
        {"name": "y", "dtype": "i8", "shape": [size // 3 + 1], "role": "output"}],
        "ops": [{"name": "f", "type": "RELU", "inputs": ["x"], "outputs": ["m"]},
                {"name": "g", "type": "F", "inputs": ["m"], "outputs": ["y"]}]}))
    return path


def number(cell):
    assert GROUPED.match(cell), f"'{cell}' is no number"
    return int(cell.replace(",", ""))


class Program:
    def __init__(self, path):
        self.path = path

    def text(self, *args):
        done = served.run([self.path, *args], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), (args, done.stderr)
        return done.stdout

    def json(self, *args):
        return json.loads(self.text(*args))


def rows(text, title, end=""):
    """The rows under the line that starts with this title, as cells."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == [title]) + 1
    for line in lines[at:]:
        if line.strip() == end or not line.startswith("  "):
            return
        yield line


def check_plan(run, path, options, what):
    plan = run.json("plan", path, "--json", *options)
    got = {}
    text = run.text("plan", path, *options)
    for line in rows(text, "op"):
        cells = line.replace("(before the run)", "-").split()
        got[cells[1]] = (number(cells[2]), number(cells[3]), int(cells[4]), int(cells[5]))
    same(f"{what}: plan", got, {t["name"]: (t["bytes"], t["offset"], t["first"], t["last"])
                                for t in plan["tensors"]})
    totals = {}
    for line in text.split("\n"):
        found = re.match(r"  (no reuse|disjoint bound|plan|bound|arena) +(\S+) B\b", line)
        if found:
            totals[found[1]] = number(found[2])
    same(f"{what}: totals", totals, {
        "no reuse": plan["no_reuse_bytes"], "disjoint bound": plan["disjoint_bound_bytes"],
        "plan": plan["activation_bytes"], "bound": plan["bound_bytes"],
        "arena": plan["arena_bytes"]})
    for region in plan["regions"] if len(plan["regions"]) > 1 else []:
        found = re.search(rf"  region {region['name']} +(\S+) of (\S+) B\n", text)
        assert found, (what, region, text)
        same(f"{what}: region", (number(found[1]), number(found[2])),
             (region["used"], region["capacity"]))
    return plan


def check_ascii(run, path, plan, what):
    text = run.text("report", path, "--ascii")
    got = {}
    for line in rows(text, "buffer"):
        _, name, _, size, offset, *_ = line.split()
        got[name] = (int(size), int(offset))
    same(f"{what}: --ascii", got,
         {t["name"]: (t["bytes"], t["offset"]) for t in plan["tensors"]})
    assert max(map(len, text.split("\n"))) <= 80, text


def check_diff(run, old, new, what):
    figures = run.json("diff", old, new, "--format", "json")["figures"]
    lines = list(rows(run.text("diff", old, new), "old", "peak"))
    got = [tuple(None if c == "-" else number(c) for c in line[26:].split()[:2])
           for line in lines]
    want = [(f["before"], f["after"]) for f in figures.values()]
    same(f"{what}: diff", got, want)


def main():
    run = Program(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        last = None
        for digits in range(1, 19):
            size = int("987654321987654321"[:digits]) if digits < 18 else 456789123456789123
            path = graph(Path(folder) / f"n{digits}.json", size)
            plan = check_plan(run, path, (), f"{digits} digits")
            check_ascii(run, path, plan, f"{digits} digits")
            if last:
                check_diff(run, last, path, f"{digits - 1} to {digits} digits")
            last = path
        for name in ("a", "a_region_of_16_", "a_region_of_16_c", "a_region_of_17_ch"):
            check_plan(run, graph(Path(folder) / "regions.json", 1000),
                       ("--region", f"{name}:8K", "--region", "b:64K"), f"region {name}")
    print("ok - each number stands alone and is the JSON's")


if __name__ == "__main__":
    main()

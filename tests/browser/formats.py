#!/usr/bin/env python3
"""Reads the reports of the sample with other programs than ours.

usage: formats.py WRITE_SAMPLES LINT_SCHEMA [SARIF_SCHEMA]

A program or schema that is not here skips its check, and the output says so.
"""
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PREFIXES = ("usual", "hostile")


def check_json(folder, schema):
    try:
        import jsonschema
        validator = jsonschema.Draft7Validator(json.loads(Path(schema).read_text()))
    except ImportError:
        print("# skip: no python3-jsonschema")
        validator = None
    for prefix in PREFIXES:
        lint = json.loads((folder / f"{prefix}.lint.json").read_text())
        errors = [e.message for e in validator.iter_errors(lint)] if validator else []
        assert not errors, errors
        assert lint["format"] == "tenure.lint/1"
        assert len(lint["findings"]) == 3, lint["findings"]
        for c in lint["candidates"]:
            rejected = c["verdict"] == "rejected"
            assert rejected == (c["witness"] is not None), c["id"]
            assert rejected == (c["obligation"] is not None), c["id"]
    print("ok - lint JSON")


def check_sarif(folder, schema):
    try:
        import jsonschema
    except ImportError:
        print("# skip: no python3-jsonschema")
        return
    if not schema or not Path(schema).exists():
        print("# skip: no SARIF schema")
        return
    validator = jsonschema.Draft7Validator(
        json.loads(Path(schema).read_text()),
        format_checker=jsonschema.FormatChecker())
    for prefix in PREFIXES:
        document = json.loads((folder / f"{prefix}.sarif.json").read_text())
        errors = [e.message for e in validator.iter_errors(document)]
        assert not errors, errors
        run = document["runs"][0]
        rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
        prints = set()
        for result in run["results"]:
            assert rules[result["ruleIndex"]] == result["ruleId"]
            prints.add(result["partialFingerprints"]["primaryLocationLineHash"])
        assert len(prints) == len(run["results"])
    print("ok - SARIF matches its schema")


def check_junit(folder):
    if not shutil.which("xmllint"):
        print("# skip: no xmllint")
        return
    import xml.etree.ElementTree as tree
    for prefix in PREFIXES:
        path = folder / f"{prefix}.junit.xml"
        subprocess.run(["xmllint", "--noout", str(path)], check=True)
        root = tree.parse(path).getroot()
        cases = root.findall("testsuite/testcase")
        assert int(root.get("tests")) == len(cases)
        assert int(root.get("failures")) == len(root.findall(".//failure"))
        for suite in root.findall("testsuite"):
            assert int(suite.get("tests")) == len(suite.findall("testcase"))
            assert int(suite.get("failures")) == len(suite.findall(".//failure"))
    print("ok - JUnit")


def check_dot(folder):
    if not shutil.which("dot"):
        print("# skip: no dot")
        return
    import xml.etree.ElementTree as tree
    for prefix in PREFIXES:
        done = subprocess.run(
            ["dot", "-Tsvg", str(folder / f"{prefix}.graph.dot")],
            check=True, capture_output=True, text=True)
        assert not done.stderr, done.stderr
        svg = tree.fromstring(done.stdout)
        nodes = [g for g in svg.iter("{http://www.w3.org/2000/svg}g")
                 if g.get("class") == "node"]
        assert len(nodes) == 8 + 3, len(nodes)
        assert "script" not in {e.tag.split("}")[1] for e in svg.iter()}
    print("ok - DOT")


def check_csv(folder):
    for prefix in PREFIXES:
        with open(folder / f"{prefix}.plan.csv", newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        assert len(rows) == 10 + 2, len(rows)
        for row in rows:
            assert int(row["offset"]) + int(row["bytes"]) <= 1536
            assert int(row["first"]) <= int(row["last"])
    print("ok - CSV")


def check_trace(folder):
    for prefix in PREFIXES:
        events = json.loads((folder / f"{prefix}.trace.json").read_text())["traceEvents"]
        ops = [e for e in events if e["ph"] == "X"]
        assert [e["ts"] for e in ops] == [2000 * i for i in range(8)]
        begins = {e["id"]: e for e in events if e["ph"] == "b"}
        ends = {e["id"]: e for e in events if e["ph"] == "e"}
        assert begins.keys() == ends.keys() and len(begins) == 11
        for key, begin in begins.items():
            assert begin["ts"] < ends[key]["ts"]
            assert begin["name"] == ends[key]["name"]
    print("ok - trace")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        check_json(folder, sys.argv[2])
        check_sarif(folder, sys.argv[3] if len(sys.argv) > 3 else None)
        check_junit(folder)
        check_dot(folder)
        check_csv(folder)
        check_trace(folder)


if __name__ == "__main__":
    main()

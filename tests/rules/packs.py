#!/usr/bin/env python3
"""The shipped rule packs against the program and the source: usage: packs.py TENURE ROOT

- every rule that the source reports is in a pack, and every built-in rule is reported;
- the example of each rule fires with the severity that the pack gives it, its near miss
  does not fire;
- each rule says why it is there and what to do.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

NOT_RULES = {"tenure/v1", "body/x"}
GROUNDED = 40
PER_PACK = "rules/packs/*.xml"


def read_packs(root):
    rules = []
    for path in sorted(root.glob(PER_PACK)):
        for node in ET.parse(path).getroot():
            rules.append((path.name, node))
    return rules


def reported(root):
    """Rule ids are string literals; includes and formats are not."""
    found = {}
    for path in sorted((root / "src").rglob("*.[chd]*")):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        for line in path.read_text().splitlines():
            if re.match(r"\s*#\s*include", line):
                continue
            for rule in re.findall(r'"([a-z][a-z0-9-]*/[a-z][a-z0-9-]*)"', line):
                if rule not in NOT_RULES:
                    found.setdefault(rule, path.relative_to(root))
    return found


def findings(tenure, root, sample):
    """Findings of a sample, as {rule: severity}."""
    command = sample.get("command", "lint")
    options = shlex.split(sample.get("options", ""))
    text = sample.text or ""
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder) / "graph.json"
        if sample.get("file"):
            graph = root / sample.get("file")
        else:
            graph.write_text(text.strip())
        if command == "verify-file":
            return verdicts(tenure, root, [graph])
        if command == "verify":
            return refusals(tenure, root, folder, graph, sample.get("edit"), options)
        run = served.run([tenure, "lint", "--config", "none", "--format", "json",
                          *options, str(graph)],
                         cwd=root, capture_output=True, text=True)
        if run.returncode not in (0, 1, 2):
            return {"exit": str(run.returncode) + run.stderr}
        try:
            report = json.loads(run.stdout)
        except json.JSONDecodeError:
            return {"exit": run.stderr}
    return {f["rule"]: f["severity"] for f in report["findings"]}


def refusals(tenure, root, folder, graph, edit, options):
    """What verify says of our own plan, after the edits "/pointer=value" ("-":
    behind the last, "none": away with it)."""
    plan = pathlib.Path(folder) / "plan.json"
    made = served.run([tenure, "plan", str(graph), "-o", str(plan), *options], cwd=root,
                      capture_output=True, text=True)
    if made.returncode:
        return {"exit": made.stderr}
    document = json.loads(plan.read_text())
    for change in (edit or "").split():
        pointer, value = change.split("=", 1)
        *keys, last = pointer.strip("/").split("/")
        at = document
        for key in keys:
            at = at[int(key)] if isinstance(at, list) else at[key]
        if value == "none":
            del at[int(last)]
        elif last == "-":
            at.append(json.loads(value))
        else:
            at[int(last) if isinstance(at, list) else last] = json.loads(value)
    plan.write_text(json.dumps(document))
    return verdicts(tenure, root, [graph, plan])


def verdicts(tenure, root, files):
    run = served.run([tenure, "verify", *map(str, files)], cwd=root,
                     capture_output=True, text=True)
    return {rule: severity for severity, rule in
            re.findall(r"(error|warning|note): .*\[([a-z-]+/[a-z0-9-]+)\]", run.stderr)}


def check_samples(tenure, root, node):
    bad = []
    rule = node.get("id")
    example, near = node.find("example"), node.find("near-miss")
    if example is None or near is None:
        return [f"{rule}: no example or no near miss"]
    if example is not None and example.get("command") == "test":  # no file can show it: a unit test does
        text = (root / example.get("file")).read_text()
        return [] if f'"{rule}"' in text else [f"{rule}: {example.get('file')} has no test"]
    fired, missed = (findings(tenure, root, s) for s in (example, near))
    if fired.get(rule) != node.get("severity"):
        bad.append(f"{rule}: the example gives {fired}")
    if rule in missed or "exit" in missed:
        bad.append(f"{rule}: the near miss gives {missed}")
    return bad


def main(tenure, root):
    root = pathlib.Path(root)
    tenure = os.path.abspath(tenure)
    bad = []
    packs = read_packs(root)
    ids = [node.get("id") for _, node in packs]
    bad += [f"{i}: twice in the packs" for i in sorted({i for i in ids if ids.count(i) > 1})]
    source = reported(root)
    bad += [f"{rule}: reported by {path}, and in no pack"
            for rule, path in source.items() if rule not in ids]
    bad += [f"{node.get('id')}: in {pack}, and nothing reports it" for pack, node in packs
            if node.find("check") is None and node.get("id") not in source]
    rules = [node for _, node in packs if node.tag == "rule"]
    for node in rules:
        for what in ("title", "fix", "ground"):
            if node.find(what) is None:
                bad.append(f"{node.get('id')}: no {what}")
    if len(rules) < GROUNDED:
        bad.append(f"only {len(rules)} rules")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines in pool.map(lambda node: check_samples(tenure, root, node), rules):
            bad += lines
    print(f"{len(rules)} rules, {len(packs) - len(rules)} diagnostics")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

#!/usr/bin/env python3
"""Every diagnostic that the source can report is met in a test: its id stands in tests/ or
fixtures/, or it is a rule whose example in rules/packs a test runs. usage: reached.py ROOT"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

RULE = r"\b[a-z][a-z0-9-]*/[a-z0-9][a-z0-9-]*"
# no input leads there, or none that a test can have: why
UNREACHABLE = {
    "plan/internal": "our own plan or answer is wrong",
    "plan/replaced": "a plan that a thousand changes do not mend",
    "command/no-layout": "a Graphviz without the layout 'dot'",
    "openvino/type": "what libxml2 gives is text, which other rules judge",
    "graph/not-canonical": "a rewrite that is not told of",
}


def literals(root):
    found = {}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for line in text.splitlines():
            if not re.match(r"\s*#\s*include", line):
                for rule in re.findall(f'"({RULE})"', line):
                    found.setdefault(rule, path.relative_to(root))
    return found


def main(root):
    met = set()
    for folder in ("tests", "fixtures"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".py", ".txt") and path.name != "reached.py":
                met |= set(re.findall(RULE, path.read_text()))
    with_example = {rule.get("id") for path in sorted((root / "rules/packs").glob("*.xml"))
                    for rule in ET.parse(path).getroot() if rule.find("example") is not None}
    found = literals(root)
    bad = [f"{rule}: reported by {path}, and in no test" for rule, path in found.items()
           if rule not in with_example and rule not in UNREACHABLE and rule not in met]
    bad += [f"{rule}: a test has it now, or nothing reports it" for rule in UNREACHABLE
            if rule in met or rule not in found]
    print(f"{len(found)} ids, {len(with_example)} with an example, {len(UNREACHABLE)} out of reach")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

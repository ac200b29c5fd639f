#!/usr/bin/env python3
"""Reads the reports of the sample with other programs than ours.

usage: formats.py WRITE_SAMPLES TENURE FIXTURES LINT_SCHEMA [SARIF_SCHEMA]

A program or schema that is not here skips its check, and the output says so.
"""
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
import served

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


# Chrome's trace event format, as far as it is used here.
NUMBER = {"type": "number", "minimum": 0}
EVENT = {"type": "object", "required": ["name", "ph", "pid", "tid", "args"],
         "properties": {"name": {"type": "string"}, "cat": {"type": "string"},
                        "ph": {"enum": ["X", "C", "M", "b", "e"]}, "pid": {"type": "integer"},
                        "tid": {"type": "integer"}, "ts": NUMBER, "dur": NUMBER,
                        "id": {"type": "string", "pattern": "^0x[0-9a-f]+$"},
                        "args": {"type": "object"}},
         "additionalProperties": False,
         "allOf": [
             {"if": {"properties": {"ph": {"const": "X"}}},
              "then": {"required": ["ts", "dur", "cat"]}},
             {"if": {"properties": {"ph": {"enum": ["b", "e"]}}},
              "then": {"required": ["ts", "id", "cat"]}},
             {"if": {"properties": {"ph": {"const": "C"}}},
              "then": {"required": ["ts"], "properties": {"args": {
                  "additionalProperties": {"type": "number"}, "minProperties": 1}}}},
             {"if": {"properties": {"ph": {"const": "M"}}},
              "then": {"properties": {"name": {"enum": ["process_name", "thread_name"]},
                                      "args": {"required": ["name"]}}}}]}
TRACE = {"type": "object", "required": ["traceEvents"],
         "properties": {"displayTimeUnit": {"enum": ["ms", "ns"]},
                        "traceEvents": {"type": "array", "items": EVENT}}}


def validator_of(schema):
    try:
        import jsonschema
        return jsonschema.Draft7Validator(schema)
    except ImportError:
        print("# skip: no python3-jsonschema")
        return None


def check_trace(folder):
    validator = validator_of(TRACE)
    for prefix in PREFIXES:
        trace = json.loads((folder / f"{prefix}.trace.json").read_text())
        errors = [e.message for e in validator.iter_errors(trace)] if validator else []
        assert not errors, errors
        events = trace["traceEvents"]
        ops = [e for e in events if e["ph"] == "X"]
        assert [e["ts"] for e in ops] == [2000 * i for i in range(8)]
        begins = {e["id"]: e for e in events if e["ph"] == "b"}
        ends = {e["id"]: e for e in events if e["ph"] == "e"}
        assert begins.keys() == ends.keys() and len(begins) == 11
        for key, begin in begins.items():
            assert begin["ts"] < ends[key]["ts"]
            assert begin["name"] == ends[key]["name"]
    print("ok - trace")


def plan_of(tenure, graph, *options):
    done = served.run([tenure, "plan", graph, "--json", *options], check=True,
                      capture_output=True, text=True)
    return json.loads(done.stdout)


def check_explorer(folder, tenure, fixtures):
    """The graph reads back as what it was, and the overlays name its nodes."""
    for name in ("kws_i8", "vww_i8", "resnet8_i8", "residual_f32"):
        graph = fixtures / "graphs" / f"{name}.json"
        paths = [folder / f"{name}.{k}.json" for k in ("graph", "live", "verdicts")]
        served.run([tenure, "report", graph, "--explorer", paths[0], "--overlay",
                    paths[1], "--overlay-verdicts", paths[2]], check=True)
        nodes = json.loads(paths[0].read_text())["graphs"][0]["nodes"]
        outputs = {a["value"] for n in nodes for o in n["outputsMetadata"]
                   for a in o["attrs"] if a["key"] == "tensor_name"}
        ids = {n["id"] for n in nodes}
        assert len(ids) == len(nodes)
        for edge in (e for n in nodes for e in n["incomingEdges"]):
            assert edge["sourceNodeId"] in ids, edge
        plan = plan_of(tenure, graph)
        live = json.loads(paths[1].read_text())["results"]
        assert set(live) <= outputs | ids
        assert sorted(v["value"] for v in live.values()) == sorted(
            o["live_bytes"] for o in plan["ops"]), name
        verdicts = json.loads(paths[2].read_text())["results"]
        assert set(verdicts) == set(live)
        again = plan_of(tenure, paths[0])
        for key in ("activation_bytes", "bound_bytes", "disjoint_bound_bytes"):
            assert again[key] == plan[key], (name, key, again[key], plan[key])
    print("ok - Model Explorer")


def decisions_of_chains(graph, plan, text):
    """A decision is that of the op alone, and says so where a chain runs the op."""
    chains = {}
    for k, s in enumerate(plan["streams"]):
        words = (f"ops {s['first']} to {s['first'] + s['ops'] - 1} run row by row: the displacement "
                 "of the whole chain holds, not the op's")
        for p in range(s["first"], s["first"] + s["ops"]):
            chains[plan["ops"][p]["name"]] = (k, words)
    inside = [d for d in plan["decisions"] if d["op"] in chains]
    assert inside and len(inside) < len(plan["decisions"]), graph
    for d in plan["decisions"]:
        k, words = chains.get(d["op"], (None, None))
        assert d.get("stream") == k, (graph, d)
        if d["displacement"]:
            said = [w for w in d["assumptions"] if "row by row: " in w]
            assert said == ([words] if words else []), (graph, d)
    assert text.count("            in a chain: ops ") == len(inside), (graph, text)


def check_streams(folder, tenure, fixtures):
    """Chains: nothing is shown larger or shorter-lived than it is, and who is in one is said."""
    for name in ("vww_i8", "kws_i8", "resnet8_i8"):
        graph = fixtures / "graphs" / f"{name}.json"
        plan = plan_of(tenure, graph, "--stream", "auto")
        used, rings = plan["regions"][0]["used"], {
            t["name"]: (t["ring_bytes"], t["bytes"]) for t in plan["tensors"] if "ring_bytes" in t}
        assert plan["streams"] and rings, name
        assert max(o["live_bytes"] for o in plan["ops"]) <= used, name
        paths = [folder / f"{name}.{k}" for k in ("plan", "html", "csv", "trace", "dot", "svg")]
        paths[0].write_text(json.dumps(plan))
        done = served.run([tenure, "report", graph, "--plan", paths[0], "-o", paths[1],
                           "--csv", paths[2], "--trace", paths[3], "--dot", paths[4], "--svg",
                           paths[5]], check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        with open(paths[2], newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        assert {r["name"]: (int(r["ring_bytes"]), int(r["bytes"])) for r in rows
                if r["ring_bytes"]} == rings, name
        taken = [e["args"] for e in json.loads(paths[3].read_text())["traceEvents"]
                 if e["ph"] == "b"]
        assert sorted((a["bytes"], a["ring_of"]) for a in taken if "ring_of" in a) == sorted(
            rings.values()), name
        assert all(a["offset"] + a["bytes"] <= used for a in taken), name
        dot = paths[4].read_text()
        for i, s in enumerate(plan["streams"]):
            assert f"cluster_chain{i} " in dot, (name, i)
            assert f"ops {s['first']} to {s['first'] + s['ops'] - 1}" in dot, (name, s)
        assert dot.count("in a ring of") >= len(rings), name
        if shutil.which("dot"):
            drawn = subprocess.run(["dot", "-Tsvg", str(paths[4])], check=True,
                                   capture_output=True, text=True)
            assert not drawn.stderr, drawn.stderr
        assert paths[5].read_text().count("a ring for") == len(rings), name
        text = served.run([tenure, "plan", graph, "--stream", "auto"], check=True,
                          capture_output=True, text=True).stdout
        decisions_of_chains(graph, plan, text)
        for ring, value in rings.values():
            assert f"in a ring of {ring:,} B, {value:,} B in all" in text, (name, text)
        text = served.run([tenure, "report", graph, "--plan", paths[0], "--ascii"], check=True,
                          capture_output=True, text=True).stdout
        assert f"arena: {used:,} B used" in text and text.count(" ring ") == len(rings), text
        apart(data_of(paths[1]), name)
    print("ok - chains and rings")


def numbers(text, n):
    """A column of the page (src/report/columns.h)."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    out, last, value, shift = [], 0, 0, 0
    for digit in map(letters.index, text[1:]):
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            value = -(value >> 1) - 1 if value & 1 else value >> 1
            last = last + value if text[0] == "+" else value
            out.append(last)
            value = shift = 0
    return out * n if text[0] == "*" else out


def apart(data, name):
    """Buffers that are there together share no byte, but where the plan says so."""
    plan = data["plans"][0]
    n = plan["boxes"]["n"]
    box = {k: numbers(v, n) for k, v in plan["boxes"].items() if k != "n"}
    over = {k: numbers(v, plan["overlaps"]["n"]) for k, v in plan["overlaps"].items() if k != "n"}
    said = {(a, b): (f, t) for a, b, f, t in zip(over["under"], over["over"], over["from"],
                                                over["to"])}
    for a in range(n):
        for b in range(a + 1, n):
            begin, end = max(box["begin"][a], box["begin"][b]), min(box["end"][a], box["end"][b])
            low = max(box["offset"][a], box["offset"][b])
            high = min(box["offset"][a] + box["bytes"][a], box["offset"][b] + box["bytes"][b])
            if begin < end and low < high:
                assert said.get((a, b)) == (begin, end), (name, a, b, said.get((a, b)))


def csv_is_plan(name, path, plan):
    """From the CSV one gets the plan's tensors and scratch back."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    got = sorted((r["name"], r["region"], *(int(r[k]) for k in ("bytes", "offset", "first", "last")))
                 for r in rows if r["kind"] != "scratch")
    want = sorted((t["name"], t["region"], t["bytes"], t["offset"], t["first"], t["last"])
                  for t in plan["tensors"])
    assert got == want, (name, got, want)
    got = sorted((r["op"], int(r["bytes"]), int(r["offset"])) for r in rows
                 if r["kind"] == "scratch")
    want = sorted((o["name"], o["scratch"]["bytes"], o["scratch"]["offset"])
                  for o in plan["ops"] if o["scratch"])
    assert got == want, (name, got, want)


EMPTY = {"format": "tenure.graph/1", "tensors": [
    {"name": "x", "dtype": "f32", "shape": [1, 4], "role": "input"},
    {"name": "none", "dtype": "f32", "shape": [0, 4], "role": "input"},
    {"name": "kept", "dtype": "f32", "shape": [0, 4]},
    {"name": "seen", "dtype": "f32", "shape": [4, 0]},
    {"name": "a", "dtype": "f32", "shape": [1, 4]},
    {"name": "y", "dtype": "f32", "shape": [1, 4], "role": "output"},
    {"name": "z", "dtype": "f32", "shape": [4, 0], "role": "output"}],
    "ops": [{"name": "relu0", "type": "RELU", "inputs": ["none"], "outputs": ["kept"]},
            {"name": "view", "type": "RESHAPE", "inputs": ["kept"], "outputs": ["seen"]},
            {"name": "relu1", "type": "RELU", "inputs": ["x"], "outputs": ["a"]},
            {"name": "join", "type": "CONCATENATION", "inputs": ["kept", "a"], "outputs": ["y"],
             "attrs": {"axis": 0}},
            {"name": "relu2", "type": "RELU", "inputs": ["seen"], "outputs": ["z"]}]}


def check_empty(folder, tenure):
    """A tensor of 0 bytes lives as others do: it has its line in both CSVs, and the offsets verify."""
    graph, table, offsets = (folder / n for n in ("empty.json", "empty.csv", "offsets.csv"))
    graph.write_text(json.dumps(EMPTY))
    for options in ([], ["--overlap", "none"], ["--overlap", "inplace"]):
        plan = plan_of(tenure, graph, *options)
        assert len(plan["tensors"]) == 7, plan["tensors"]
        file = folder / "empty.plan"
        file.write_text(json.dumps(plan))
        served.run([tenure, "report", graph, "--plan", file, "--csv", table], check=True)
        csv_is_plan(graph, table, plan)
        with open(table, newline="", encoding="utf-8") as f:
            writers = {r["name"]: r["op"] for r in csv.DictReader(f)}
        assert writers == {"x": "", "none": "", "kept": "relu0", "seen": "view", "a": "relu1",
                           "y": "join", "z": "relu2"}, writers
        served.run([tenure, "plan", graph, *options, "--write-csv", offsets, "-o",
                    folder / "again.plan"], check=True, capture_output=True)
        done = served.run([tenure, "verify", graph, offsets], capture_output=True, text=True)
        assert done.returncode == 0 and "proved" in done.stdout, (options, done)
        with open(offsets, newline="", encoding="utf-8") as f:
            assert len(list(csv.DictReader(f))) == 7, options
    print("ok - tensors of 0 bytes")


def data_of(page):
    """The data that the page's script reads."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                text, re.DOTALL).group(1))


def check_board(folder, tenure, fixtures):
    """The board of --target has the plan's regions; one of the configuration is a budget."""
    graph, page = fixtures / "graphs" / "kws_i8.json", folder / "board.html"

    def report(*options, status=0):
        done = served.run([tenure, "report", *options, "-o", page], capture_output=True,
                          text=True)
        assert done.returncode == status, (options, done.returncode, done.stderr)
        return data_of(page) if status == 0 else done.stderr

    def budgets(data):
        return [(m[0], int(m[3])) for m in data["plans"][0]["marks"] if m[1] == "budget"]

    none = report(graph)
    assert none["board"] == [] and budgets(none) == [], none["board"]
    two = report(graph, "--target", "stm32f746", "--reserve", "dtcm:4K")
    assert two["board"][1:] == ["cortex-m7", 216], two["board"]
    assert [(r[0], int(r[2])) for r in two["regions"]] == [("dtcm", 1), ("sram", 2)]
    assert budgets(two) == [(0, 60 << 10), (1, 256 << 10)], budgets(two)
    place = folder / "models"
    place.mkdir()
    mine = place / "kws.json"
    mine.write_bytes(graph.read_bytes())
    config = place / ".tenure.xml"
    config.write_text('<tenure format="tenure.config/1" target="nrf52840"/>')
    one = report(mine)
    assert one["board"][1:] == ["cortex-m4", 64], one["board"]
    assert [r[0] for r in one["regions"]] == ["arena"]
    assert budgets(one) == [(0, 256 << 10)], budgets(one)
    assert budgets(report(mine, "--ram", "20K")) == [(0, 20 << 10)]
    assert report(mine, "--config", "none")["board"] == []
    assert report(mine, "--target", "rp2040")["board"][1] == "cortex-m0plus"
    assert report(graph, "--config", config)["board"] == one["board"]
    config.write_text('<tenure format="tenure.config/1" target="all">'
                      '<budget models="kws*" ram="30K"/></tenure>')
    both = report(mine)
    assert both["board"] == [] and budgets(both) == [(0, 30 << 10)], both["board"]
    page.unlink()
    config.write_text('<tenure format="tenure.config/1" target="nowhere"/>')
    assert "nowhere" in report(mine, status=2)
    config.write_text("<tenure>")
    assert ".tenure.xml" in report(mine, status=2)
    assert not page.exists()
    print("ok - boards and budgets")


def known_types(fixtures):
    """The types of the op table."""
    table = (fixtures.parent / "src/ir/op.def").read_text(encoding="utf-8")
    return set(re.findall(r'^OP\(OP_\w+, "(\w+)"', table, re.MULTILINE)) - {"UNKNOWN"}


def counted(graph, plan, types):
    """What an op that runs other ops moves is not known, nor what one of an unknown type
    multiplies; all else is."""
    ops = 0
    for op in plan["ops"]:
        bodies = op["type"] in ("IF", "WHILE", "CALL_ONCE") and not op["elided"]
        unknown = op["type"] not in types and not op["elided"]
        ops += bodies or unknown
        for key, want in (("macs", bodies or unknown), ("bytes_read", bodies),
                          ("bytes_written", bodies)):
            assert (op[key] is None) == want, (graph, op)
    return ops


def loop(*more, tensors=()):
    """A loop over a product of matrices, as one op; and others behind it."""
    def tensor(name, shape, role, dtype="f32", **more):
        return {"name": name, "dtype": dtype, "shape": shape, "role": role, **more}

    body = {"name": "body", "inputs": ["trip", "go", "v"], "outputs": ["go", "o"],
            "tensors": [tensor("trip", [], "input", dtype="i64"),
                        tensor("go", [], "input", dtype="bool"),
                        tensor("v", [1, 8], "input"), tensor("o", [1, 8], "output"),
                        tensor("w", [8, 8], "const", data={"seed": 1})],
            "ops": [{"type": "FULLY_CONNECTED", "inputs": ["v", "w"], "outputs": ["o"]}]}
    return {"format": "tenure.graph/1", "name": "loop", "subgraphs": [body],
            "inputs": ["x"], "outputs": ["y"],
            "tensors": [tensor("n", [], "const", dtype="i64", data={"base64": "AwAAAAAAAAA="}),
                        tensor("x", [1, 8], "input"), tensor("y", [1, 8], "output"), *tensors],
            "ops": [{"type": "WHILE", "inputs": ["n", None, "x"],
                     "outputs": ["v" if more else "y"], "attrs": {"body_subgraph": 1}}, *more]}


def half_known():
    """A loop, an op of an unknown type, a product of matrices, and one that moves only."""
    def tensor(name, **more):
        return {"name": name, "dtype": "f32", "shape": [1, 8], **more}

    return loop({"type": "my.op", "inputs": ["v"], "outputs": ["m"]},
                {"type": "FULLY_CONNECTED", "inputs": ["m", "w"], "outputs": ["f"]},
                {"type": "SOFTMAX", "inputs": ["f"], "outputs": ["y"]},
                tensors=[tensor("v"), tensor("m"), tensor("f"),
                         {**tensor("w", role="const", data={"seed": 2}), "shape": [8, 8]}])


def check_bodies(folder, tenure, types):
    graph, page = folder / "loop.json", folder / "loop.html"
    graph.write_text(json.dumps(loop()))
    assert counted(graph, plan_of(tenure, graph), types) == 1
    served.run([tenure, "report", graph, "-o", page], check=True)
    assert "What a run moves is not counted" in page.read_text(encoding="utf-8")
    ops = data_of(page)["ops"]
    for key in ("macs", "read", "written", "constants"):
        assert numbers(ops[key], 1) == [-1], (key, ops[key])
    graph.write_text(json.dumps(half_known()))
    assert counted(graph, plan_of(tenure, graph), types) == 2
    served.run([tenure, "report", graph, "-o", page], check=True)
    ops = data_of(page)["ops"]
    for key, want in (("macs", [-1, -1, 64, 0]), ("read", [-1, 32, 288, 32]),
                      ("written", [-1, 32, 32, 32]), ("constants", [-1, 0, 256, 0])):
        assert numbers(ops[key], 4) == want, (key, ops[key])
    text = " ".join(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")).split())
    assert "A run, without 1 op that is not counted (loops" in text, text
    assert "reads 352 B, 256 B of them constants, writes 96 B and multiplies and adds 64 " \
        "times, without what 1 op multiplies, which is not counted. Each" in text, text
    print("ok - bodies and unknown types are not counted")


def check_removed(folder, tenure, fixtures):
    """What no op uses is no activation: the page and `explain` name the rewrite that did it."""
    page, found = folder / "removed.html", set()
    for graph in [*sorted((fixtures / "rewrites").glob("*.json")), fixtures / "foreign/onnx_conv.json"]:
        page.unlink(missing_ok=True)
        served.run([tenure, "report", graph, "-o", page], capture_output=True)
        if not page.exists():
            continue
        plan, data = plan_of(tenure, graph), data_of(page)
        texts, tensors = data["texts"], data["tensors"]
        roles, said, first, last, ids = (numbers(tensors[k], tensors["n"]) for k in (
            "kind", "sentence", "first", "last", "region"))
        used = {t for side, n in (("inputs", "ins"), ("outputs", "outs")) for t in numbers(
            data["ops"][side][0], sum(numbers(data["ops"][n], data["ops"]["n"])))}
        source = json.loads(graph.read_text())
        in_use = {t for op in source.get("ops", []) for k in ("inputs", "outputs") for t in op[k]}
        by = {r["tensor"]: r for r in plan["rewrites"] if r.get("tensor")}
        for i, name in enumerate(tensors["name"]):
            role, words = texts[roles[i]], texts[said[i]]
            assert (role in ("removed", "unused")) <= (i not in used and ids[i] < 0), (graph, name)
            assert (role == "activation") <= (i in used), (graph, name, role)
            if role == "unused":
                assert name not in by and words == "no op reads or writes it", (graph, name, words)
                assert name not in in_use, (graph, name)  # so that a rewrite took it away
            if role != "removed":
                continue
            found.add(by[name]["pass"])
            assert words.startswith(f"removed by the rewrite {by[name]['pass']} ("), (name, words)
            for key, after in (("gone", "is no more"), ("op", "stays")):
                other = by[name].get(key)
                same = by[name].get("gone") == by[name].get("op")
                if other and len(other) < 40 and not (key == "gone" and same):
                    assert f"'{other}' {after}" in words, (graph, name, words)
            text = served.run([tenure, "explain", graph, name], capture_output=True, text=True)
            assert f"removed '{name}'" in text.stdout and words in text.stdout, (graph, name, text)
    assert len(found) > 8 and {"nhwc", "transpose"} <= found, found
    print("ok - tensors removed by", ", ".join(sorted(found)))


def check_every_graph(folder, tenure, fixtures):
    """Of every fixture: `dot` reads the graph, whole and in part; the trace is one; the CSV
    is the plan."""
    validator, types = validator_of(TRACE), known_types(fixtures)
    paths, plans = [], 0
    for graph in sorted(p for f in ("graphs", "claims", "rewrites", "models", "training")
                        for p in (fixtures / f).rglob("*") if p.is_file()):
        out, whole = (folder / f"every{len(paths)}.{kind}dot" for kind in ("", "whole."))
        trace, table = folder / "every.trace.json", folder / "every.csv"
        for old in (trace, table):
            old.unlink(missing_ok=True)
        done = served.run([tenure, "report", graph, "--dot", out, "--focus", "0",
                           "--radius", str(3 * (len(paths) % 4 // 2) + 1)],
                          capture_output=True)
        if done.returncode not in (0, 1) or not out.exists():
            continue
        served.run([tenure, "report", graph, "--dot", whole, "--trace", trace, "--csv",
                    table], capture_output=True)
        paths += [out, whole]
        done = served.run([tenure, "plan", graph, "--json"], capture_output=True, text=True)
        if not trace.exists() or done.returncode not in (0, 1):
            continue
        plans += 1
        events = json.loads(trace.read_text(encoding="utf-8"))
        errors = [e.message for e in validator.iter_errors(events)] if validator else []
        assert not errors, (graph, errors)
        ids = [sorted(e["id"] for e in events["traceEvents"] if e["ph"] == ph) for ph in "be"]
        assert ids[0] == ids[1] and len(set(ids[0])) == len(ids[0]), graph
        csv_is_plan(graph, table, json.loads(done.stdout))
        counted(graph, json.loads(done.stdout), types)
    assert len(paths) > 100 and plans > 50, (len(paths), plans)
    print(f"ok - trace and CSV of {plans} plans")
    if not shutil.which("dot"):
        print("# skip: no dot")
        return
    done = subprocess.run(["dot", "-Tsvg", "-O", *paths], check=True, capture_output=True,
                          text=True)
    assert not done.stderr, done.stderr
    for path in paths:
        svg = ElementTree.parse(f"{path}.svg").getroot()
        assert svg.tag == "{http://www.w3.org/2000/svg}svg", path
    print(f"ok - DOT of {len(paths)} graphs")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        tenure, fixtures = sys.argv[2], Path(sys.argv[3])
        check_json(folder, sys.argv[4])
        check_sarif(folder, sys.argv[5] if len(sys.argv) > 5 else None)
        check_junit(folder)
        check_dot(folder)
        check_csv(folder)
        check_trace(folder)
        check_explorer(folder, tenure, fixtures)
        check_board(folder, tenure, fixtures)
        check_streams(folder, tenure, fixtures)
        check_bodies(folder, tenure, known_types(fixtures))
        check_empty(folder, tenure)
        check_removed(folder, tenure, fixtures)
        check_every_graph(folder, tenure, fixtures)


if __name__ == "__main__":
    main()

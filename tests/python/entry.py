#!/usr/bin/env python3
"""The Python entry (python/tenure) against the built program. usage: entry.py TENURE SOURCE"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

program, source = map(os.path.abspath, sys.argv[1:3])
os.environ["TENURE"] = program
sys.path.insert(0, os.path.join(source, "python"))
import tenure  # noqa: E402 (the path comes first)

model = os.path.join(source, "fixtures/models/small_cnn.tflite")
graph = os.path.join(source, "fixtures/diff/base.json")

plan = tenure.plan(model)
assert plan["activation_bytes"] == 192, plan["activation_bytes"]
assert tenure.plan(model, "--overlap", "none")["activation_bytes"] > 192
assert tenure.plan(model, "--ram", "64") == plan, "a budget that is missed is a finding"
assert tenure.verify(model, plan)
moved = json.loads(json.dumps(plan))
for tensor in moved["tensors"]:
    if tensor.get("offset"):
        tensor["offset"] = 0
assert not tenure.verify(model, moved), "every tensor at 0 was accepted"
verdicts = [c["verdict"] for c in tenure.lint(model)["candidates"]]
assert verdicts.count("proved") == 5 and verdicts.count("rejected") == 1, verdicts
figures = tenure.diff(graph, graph.replace("base", "wider"))["figures"]
assert figures["arena_bytes"] == {"before": 2048, "after": 4096}, figures

for words, status in ((["plan", "missing.tflite"], 2), (["nonsense"], 2)):
    try:
        tenure.command(*words)
    except tenure.Error as error:
        assert error.status == status and str(error), words
    else:
        raise AssertionError(f"{words} did not fail")

environment = {**os.environ, "PYTHONPATH": os.path.join(source, "python")}
same = [subprocess.run(command + ["lint", model, "--format", "json"], env=environment,
                       capture_output=True, check=True).stdout
        for command in ([program], [sys.executable, "-m", "tenure"])]
assert same[0] == same[1]
lost = subprocess.run([sys.executable, "-m", "tenure"], capture_output=True, text=True,
                      env={**environment, "TENURE": "no-such-program"}, check=False)
assert lost.returncode == 3 and "no-such-program" in lost.stderr, lost

try:
    import numpy
except ImportError:
    print("skipped: running needs python3-numpy")
    sys.exit(0)
image = (numpy.arange(8 * 8 * 3) % 251 - 125).astype(numpy.int8).reshape(1, 8, 8, 3)
with tempfile.TemporaryDirectory() as folder:
    raw, out = pathlib.Path(folder, "in.bin"), pathlib.Path(folder, "out.bin")
    raw.write_bytes(image.tobytes())
    subprocess.run([program, "run", model, "--input", raw, "--output-tensor", out], check=True)
    got = tenure.run(model, [image])
    assert [a.tobytes() for a in got] == [out.read_bytes()]
    assert got[0].shape == (1, 5) and got[0].dtype == numpy.int8
    assert got[0].tobytes() != tenure.run(model)[0].tobytes(), "inputs are not used"
    refused = pathlib.Path(folder, "moved.json")
    refused.write_text(json.dumps(moved), encoding="utf-8")
    try:
        outputs = tenure.run(model, [image], "--plan", refused)
    except tenure.Error as error:
        assert error.status == 1 and "[plan/" in str(error), error
    else:
        raise AssertionError(f"a refused plan gave {outputs}")

#!/usr/bin/env python3
"""Writes the table of samples in docs/INPUT.md from real runs.

usage: tools/format_table.py TENURE SAMPLES [docs/INPUT.md]

A sample that is refused is in the table with what tenure says about it. Sizes that a sample
leaves open are given here.
"""
import json
import pathlib
import re
import subprocess
import sys

OPEN = {
    "onnx/if_loop": ["--dim", "N=1"], "onnx/qdq_conv": ["--dim", "batch=1"],
    "onnx/real_tfl": ["--dim", "N=1"], "torch_export/pnnx": ["--dim", "s0=2"],
    "mxnet/": ["--shape", "data=1x3x224x224"], "tvm/lenet": ["--shape", "data=1x1x28x28"],
}
FOLDERS = ["tflite", "onnx", "executorch", "torch_export", "tvm", "mxnet", "xla", "tensorrt", "st_cubeai",
           "openvino", "model_explorer"]
BEGIN, END = "<!-- samples: tools/format_table.py -->", "<!-- end of samples -->"


def options(name):
    return [o for start, given in OPEN.items() if name.startswith(start) for o in given]


def row(tenure, samples, path):
    name = path.relative_to(samples).as_posix()
    given = options(name)
    done = subprocess.run([tenure, "plan", "--json", *given, str(path)], capture_output=True, text=True)
    label = f"`{path.name}`" + (f" {' '.join(given)}" if given else "")
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if ": error: " in line]
        said = errors[0].split(": error: ")[1] if errors else "refused"
        said = re.sub(r" \[[a-z/-]+\]$", "", said).replace("|", "\\|")
        return f"| {path.parent.name} | {label} | refused: {said} | | | | | |"
    plan = json.loads(done.stdout)
    unknown = done.stderr.count("[graph/unknown-op]")
    numbers = [len(plan["ops"]), len(plan["tensors"]), unknown, plan["no_reuse_bytes"],
               plan["disjoint_bound_bytes"], plan["arena_bytes"]]
    return f"| {path.parent.name} | {label} | " + " | ".join(f"{n:,}" for n in numbers) + " |"


def main(tenure, samples, doc=None):
    samples = pathlib.Path(samples)
    rows = ["| format | sample | ops | tensors | unknown ops | no reuse, B | disjoint bound, B | arena, B |",
            "|---|---|---:|---:|---:|---:|---:|---:|"]
    for folder in FOLDERS:
        for path in sorted((samples / folder).iterdir()):
            if "profile" in path.name and folder == "tensorrt" or path.suffix == ".mlir" or "overlay" in path.name:
                continue
            rows.append(row(tenure, samples, path))
    text = "\n".join(rows)
    if not doc:
        print(text)
        return
    doc = pathlib.Path(doc)
    whole = doc.read_text()
    begin, end = whole.index(BEGIN) + len(BEGIN), whole.index(END)
    doc.write_text(whole[:begin] + "\n" + text + "\n" + whole[end:])


if __name__ == "__main__":
    main(*sys.argv[1:])

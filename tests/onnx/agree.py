#!/usr/bin/env python3
"""`tenure run` against ONNX Runtime on random nets: floats within 1e-5, integers equal or
one step apart. Skips (exit status 77) without python3-onnx, or when ONNX Runtime cannot be
installed with npm.

agree.py TENURE FOLDER [--seeds N] [--only FAMILY] [--first SEED]
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys

try:
    import numpy as np
    import nets
    from onnx import TensorProto as T
except ImportError as why:
    print(f"skipped: {why}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {T.FLOAT: "float32", T.INT8: "int8", T.UINT8: "uint8", T.INT32: "int32", T.INT64: "int64"}
RUNTIME = "onnxruntime-web@1.30.0"


def install(folder):
    """Where the runtime is, or None."""
    modules = folder / "node_modules"
    if not (modules / "onnxruntime-web").exists():
        if not shutil.which("npm") or not shutil.which("node"):
            return None
        (folder / "package.json").write_text('{"private": true}')
        done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
                               "--silent", RUNTIME], cwd=folder, check=False)
        if done.returncode:
            return None
    return folder


def values(rng, info):
    shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
    kind = info.type.tensor_type.elem_type
    if kind == T.FLOAT:
        return rng.standard_normal(shape).astype(np.float32)
    low, high = (-128, 128) if kind == T.INT8 else (0, 256)
    return rng.integers(low, high, shape).astype(TYPES[kind])


def prepare(folder, name, net, seed):
    model = net.model()
    job = {"model": f"{name}.onnx", "inputs": [], "outputs": []}
    (folder / job["model"]).write_bytes(model.SerializeToString())
    rng = np.random.default_rng(seed + 1000)
    for i, info in enumerate(model.graph.input):
        data = values(rng, info)
        entry = {"name": info.name, "type": TYPES[info.type.tensor_type.elem_type],
                 "shape": list(data.shape), "file": f"{name}.in{i}"}
        (folder / entry["file"]).write_bytes(data.tobytes())
        job["inputs"].append(entry)
    for i, info in enumerate(model.graph.output):
        job["outputs"].append({"name": info.name, "file": f"{name}.want{i}",
                               "type": TYPES[info.type.tensor_type.elem_type]})
    return job


def run(tenure, folder, job, more):
    """What tenure gives, as files; its words when it does not."""
    command = [tenure, "run", folder / job["model"]] + more
    for entry in job["inputs"]:
        command += ["--input", folder / entry["file"]]
    for entry in job["outputs"]:
        command += ["--output-tensor", folder / entry["file"].replace(".want", ".got")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = [line for line in done.stderr.splitlines() if ": warning: " not in line]
    return None if done.returncode == 0 else " ".join(words) or "no words"


class Tally:
    def __init__(self, steps=1):
        self.steps = steps
        self.nets = self.values = self.apart = self.wrong = self.refused = 0
        self.most = 0.0

    def add(self, want, got):
        self.values += want.size
        if want.dtype == np.float32:
            gap = np.abs(want - got) / np.maximum(1, np.abs(want))
            gap[np.isnan(want) & np.isnan(got)] = 0
            most = float(gap.max(initial=0))
            self.most = max(self.most, most)
            return most <= 1e-5
        steps = np.abs(want.astype(np.int64) - got.astype(np.int64))
        self.apart += int((steps == 1).sum())
        self.most = max(self.most, float(steps.max(initial=0)))
        return steps.max(initial=0) <= self.steps


def compare(folder, job, tally):
    good = True
    for entry in job["outputs"]:
        want = np.frombuffer((folder / entry["file"]).read_bytes(), entry["type"])
        got = np.frombuffer((folder / entry["file"].replace(".want", ".got")).read_bytes(),
                            entry["type"])
        if want.size != got.size or not tally.add(want, got):
            good = False
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenure")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    modules = install(args.folder)
    if not modules:
        print("skipped: npm cannot install ONNX Runtime")
        sys.exit(77)
    jobs = []
    for family, make in nets.FAMILIES.items():
        for seed in range(args.first, args.first + args.seeds):
            if not args.only or args.only == family:
                net = make(seed)
                jobs.append((family, f"{family}{seed}",
                             prepare(args.folder, f"{family}{seed}", net, seed)))
    (args.folder / "list.json").write_text(json.dumps([job for _, _, job in jobs]))
    subprocess.run(["node", HERE / "ort.mjs", modules, args.folder], check=True)
    refused = json.loads((args.folder / "refused.json").read_text())
    tallies, failed = collections.defaultdict(Tally), False
    for family, name, job in jobs:
        tally = tallies[family]
        if job["model"] in refused:  # our net is wrong
            print(f"{name}: ONNX Runtime: {refused[job['model']]}")
            failed = True
            continue
        tally.nets += 1
        ways = [(tally, [])]
        if family.startswith("qdq"):  # in floats; on integers a mean is rounded twice, and the
            # layer behind it may make two steps of that
            integers = tallies.setdefault("qdq, integers", Tally(2))
            ways.append((integers, ["--allow-inexact", "integer-ops"]))
            ways[1][0].nets += 1
        for tally, more in ways:
            words = run(args.tenure, args.folder, job, more)
            if words:
                tally.refused += 1
                print(f"{name}: refused: {words}")
            elif not compare(args.folder, job, tally):
                tally.wrong += 1
                print(f"{name}: differs by {tally.most}")
            failed = failed or bool(words)
    print(f"{'nets':14} {'number':>6} {'refused':>7} {'wrong':>5} {'values':>8} "
          f"{'one step':>8} {'most':>10}")
    for family, t in tallies.items():
        print(f"{family:14} {t.nets:6} {t.refused:7} {t.wrong:5} {t.values:8} {t.apart:8} "
              f"{t.most:10.2e}")
        failed = failed or t.wrong
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

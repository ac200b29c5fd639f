#!/usr/bin/env python3
"""Nets of fixtures/onnx give what ONNX Runtime gave: floats within 1e-5, integers within one
step, of which few are not equal. Needs nothing but Python.

goldens.py FIXTURES TENURE
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

CODES = {"float32": "f", "int8": "b", "uint8": "B", "int32": "i", "int64": "q"}


def read(path, kind):
    data = path.read_bytes()
    code = CODES[kind]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def compare(want, got, kind):
    """The largest difference and how many steps there are; None when sizes differ."""
    if len(want) != len(got) or not want:
        return None
    if kind == "float32":
        gaps = [abs(w - g) / max(1, abs(w)) for w, g in zip(want, got)]
        return max(gaps), 0
    gaps = [abs(w - g) for w, g in zip(want, got)]
    return max(gaps), sum(gap > 0 for gap in gaps)


def main():
    folder, tenure = pathlib.Path(sys.argv[1]), sys.argv[2]
    failed = checked = 0
    for job in json.loads((folder / "list.json").read_text()):
        ways = [[]]
        if job["model"].startswith("qdq"):
            ways.append(["--allow-inexact", "integer-ops"])
        for more in ways:
            with tempfile.TemporaryDirectory() as place:
                results = [pathlib.Path(place) / f"out{i}" for i in range(len(job["outputs"]))]
                command = [tenure, "run", folder / job["model"]] + more
                for entry in job["inputs"]:
                    command += ["--input", folder / entry["file"]]
                for result in results:
                    command += ["--output-tensor", result]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{job['model']}: {done.stderr.strip().splitlines()[-1]}")
                    failed += 1
                    continue
                for entry, result in zip(job["outputs"], results):
                    kind = entry["type"]
                    gap = compare(read(folder / entry["file"], kind), read(result, kind), kind)
                    checked += 1
                    good = gap and gap[0] <= (1e-5 if kind == "float32" else 1)
                    failed += not good
                    print(f"{job['model']} {' '.join(more)}: {entry['name']}: "
                          f"{'' if good else 'WRONG '}{gap}")
    for name in ("shuffle1.onnx", "shuffle2.onnx"):  # its one transpose, and the input's
        done = served.run([tenure, "plan", folder / name, "--json"], capture_output=True,
                          text=True, check=True)
        moves = [o["name"] for o in json.loads(done.stdout)["ops"] if o["type"] == "TRANSPOSE"]
        if len(moves) != 2 or "graph/geometry" in done.stderr:
            print(f"{name}: WRONG transposes {moves} {done.stderr}")
            failed += 1
    print(f"{checked} results, {failed} wrong")
    sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()

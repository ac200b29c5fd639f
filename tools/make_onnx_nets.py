#!/usr/bin/env python3
"""Small nets of each family, inputs, and what ONNX Runtime makes of them: fixtures/onnx, for
the test that has neither python3-onnx nor ONNX Runtime. FOLDER is where npm may install the
runtime.
"""
import json
import pathlib
import subprocess
import sys

import arguments

ARGS = arguments.read(__doc__, check=False)
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/onnx"))

import agree  # noqa: E402
import nets  # noqa: E402

EACH = 2
BYTES = 6000  # of a model


def main():
    modules = agree.install(pathlib.Path(ARGS.folder))
    out = ROOT / "fixtures/onnx"
    out.mkdir(exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    jobs = []
    for family, make in nets.FAMILIES.items():
        seed = found = 0
        while found < EACH:
            seed += 1
            net = make(seed, small=True)
            if len(net.model().SerializeToString()) > BYTES:
                continue
            found += 1
            jobs.append(agree.prepare(out, f"{family}{seed}", net, seed))
    (out / "list.json").write_text(json.dumps(jobs, indent=1) + "\n")
    subprocess.run(["node", ROOT / "tests/onnx/ort.mjs", modules, out], check=True)
    refused = out / "refused.json"
    assert refused.read_text() == "{}", refused.read_text()
    refused.unlink()


if __name__ == "__main__":
    main()

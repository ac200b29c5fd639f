#!/usr/bin/env python3
"""Writes a native graph of about N buffers: usage: large.py N [SEED]

Blocks with skip connections of many lengths, branches, poolings and paddings, so that many
sizes are alive at many times.
"""
import json
import random
import sys


def graph(n, seed=1):
    rng = random.Random(seed)
    tensors, ops = [], []

    def tensor(side, channels, **more):
        tensors.append({"name": f"t{len(tensors)}", "dtype": "i8",
                        "shape": [1, side, side, channels], **more})
        return tensors[-1]["name"], side, channels

    def op(kind, inputs, out, **attrs):
        ops.append({"name": f"{kind.lower()}_{len(ops)}", "type": kind,
                    "inputs": [i[0] for i in inputs], "outputs": [out[0]],
                    **({"attrs": attrs} if attrs else {})})
        return out

    now = tensor(32, 16, role="input", clobber=True)
    while len(tensors) < n:
        skip, (_, side, channels) = now, now
        for _ in range(rng.randint(1, 6)):
            now = op(rng.choice(["RELU", "RELU6", "LOGISTIC"]), [now], tensor(side, channels))
        if rng.random() < 0.5:
            other = op("RELU", [skip], tensor(side, channels))
            other = op("TANH", [other], tensor(side, channels))
            now = op("MUL", [now, other], tensor(side, channels))
        now = op("ADD", [now, skip], tensor(side, channels))
        if side > 8 and side * side * channels > 4000 and rng.random() < 0.25:
            now = op("MAX_POOL_2D", [now], tensor(side // 2, channels), kernel=[2, 2],
                     stride=[2, 2], pad="VALID")
        elif side * side * channels < 40000 and rng.random() < 0.35:
            other = op("RELU", [now], tensor(side, channels))
            now = op("CONCATENATION", [now, other], tensor(side, 2 * channels), axis=3)
        elif channels > 32 and rng.random() < 0.3:
            parts = [tensor(side, channels // 2) for _ in range(2)]
            ops.append({"name": f"split_{len(ops)}", "type": "SPLIT", "inputs": [now[0]],
                        "outputs": [p[0] for p in parts], "attrs": {"axis": 3}})
            now = op("ADD", parts, tensor(side, channels // 2))
    last = tensor(now[1], now[2], role="output")
    op("RELU", [now], last)
    return {"format": "tenure.graph/1", "tensors": tensors, "ops": ops}


if __name__ == "__main__":
    json.dump(graph(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1),
              sys.stdout, separators=(",", ":"))

#!/usr/bin/env python3
"""The node tests that python3-onnx carries, one op each, read without their results' shapes.

Operands that shapes can depend on (small integers, single numbers) are constants. Whatever
tenure makes of a node, it makes of no result another shape than it has; what it cannot
infer it refuses (exit status 2). Skips (exit status 77) without python3-onnx.
"""
import json
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

try:
    import numpy as np
    for name, kind in {"float": float, "int": int, "bool": bool, "object": object,
                       "str": str}.items():  # names that NumPy has dropped
        if name not in np.__dict__:
            setattr(np, name, kind)
    import onnx
    from onnx import numpy_helper
    from onnx.backend.test.case.node import collect_testcases
except ImportError as why:
    print(f"skipped: {why}")
    sys.exit(77)


def cases():
    warnings.filterwarnings("ignore")
    try:
        return collect_testcases()
    except TypeError:  # newer: of one op, or of all
        return collect_testcases(None)


def is_small(array):
    return isinstance(array, np.ndarray) and array.dtype.kind in "if" and (
        array.ndim == 0 or (array.ndim == 1 and array.size <= 64 and
                            (array.dtype == np.int64 or array.size == 1)))


def bare(model, inputs):
    """The model without its results' shapes, its small operands as constants."""
    m = onnx.ModelProto()
    m.CopyFrom(model)
    for output in m.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    for info, array in zip(model.graph.input, inputs):
        if is_small(array) or (info.name in ("scales", "roi") and array.size):
            m.graph.initializer.append(numpy_helper.from_array(array, info.name))
            kept = [i for i in m.graph.input if i.name != info.name]
            del m.graph.input[:]
            m.graph.input.extend(kept)
    return m


def main(tenure):
    read = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "node.onnx"
        for case in cases():
            if case.model is None:
                continue
            inputs, outputs = case.data_sets[0]
            onnx.save(bare(case.model, inputs), str(path))
            ran = served.run([tenure, "convert", path, "-o", "-"], capture_output=True)
            if ran.returncode == 2 and b"error: " in ran.stderr:
                refused += 1
                continue
            if ran.returncode:
                raise SystemExit(f"{case.name}: exit status {ran.returncode}\n{ran.stderr}")
            tensors = json.loads(ran.stdout)["tensors"]
            shapes = {t.get("label", t["name"]): t["shape"] for t in tensors}
            for info, array in zip(case.model.graph.output, outputs):
                if isinstance(array, np.ndarray) and shapes[info.name] != list(array.shape):
                    raise SystemExit(f"{case.name}: '{info.name}' has shape "
                                     f"{list(array.shape)}, not {shapes[info.name]}")
            read += 1
    print(f"{read} nodes have the shapes that ONNX says, {refused} are refused")
    if read < 4 * refused or read < 300:
        raise SystemExit("too few are read")


if __name__ == "__main__":
    main(sys.argv[1])

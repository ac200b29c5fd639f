#!/usr/bin/env python3
"""Graphs that PyTorch traced (fixtures/torch): each value lies in the storage and at the place
where PyTorch had it, the hazards of in-place ops are those that PyTorch's autograd met, what
runs gives PyTorch's results, and plans are verified. Needs no PyTorch.

graphs.py FIXTURES TENURE
"""
import json
import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

folder, tenure = pathlib.Path(sys.argv[1]), sys.argv[2]
place = pathlib.Path(tempfile.mkdtemp())
wrong = 0

# graph, options, the hazard that lint finds (None: none); beside what PyTorch says of training
HAZARDS = [
    ("relu_chain", ["--profile", "training"], None),
    ("saved_result", ["--profile", "training"], "SAVED_FOR_BACKWARD_WAR: 'mul_' writes over "
     "bytes [0, 32) of 'sigmoid', which the backward pass of 'sigmoid'"),
    ("saved_detached", ["--profile", "training"], "SAVED_FOR_BACKWARD_WAR: 'relu_' writes "
     "'relu_' over bytes [0, 32) of 'exp', which the backward pass of 'exp'"),
    ("saved_operand", ["--profile", "training"], "SAVED_FOR_BACKWARD_WAR: 'add_' writes 'add_' "
     "over bytes [8, 20) of 'add', which the backward pass of 'mul'"),
    ("saved_operand", [], None),
    ("saved_nothing", ["--profile", "training"], None),
    ("through_transpose", ["--profile", "training"], "SAVED_FOR_BACKWARD_WAR: 'add_' writes "
     "'add_' over bytes [0, 24) of 'relu_', which the backward pass of 'relu_'"),
    ("through_transpose", [], None),
    ("self_overlap", [], "SELF_OVERLAP_WAW: 'add_' writes bytes [4, 20) of 'as_strided'"),
    ("view_add", [], None),
    ("stale", [], None),
    ("buffers", [], None),
    ("functional", ["--profile", "training"], None),
    ("norm_training", ["--profile", "training"], None),
    ("each_of_list", ["--profile", "training"], None),
    ("cleared", ["--profile", "training"], None),
]
# what only the verdict about training cannot be compared with: another hazard is in the way
OTHERS = {"self_overlap"}


def tell(*words):
    global wrong
    wrong += 1
    print(*words)


def run(*words):
    return served.run([tenure, *map(str, words)], capture_output=True, text=True)


def storages(graph):
    """By name: the tensor that owns the bytes, where it starts there in bytes, its strides."""
    tensors = {t["name"]: t for t in graph["tensors"]}
    found = {}
    for name, t in tensors.items():
        offset, at, width = 0, t, {"f": 4, "c": 8, "u": 1}[t["dtype"][0]]
        while "view_of" in at:
            size = {"f": 4, "c": 8, "u": 1}[at["dtype"][0]]
            offset += at.get("offset", 0) * size
            at = tensors[at["view_of"]]
        strides, step = [], 1
        for dim in reversed(t["shape"]):
            strides.insert(0, step)
            step *= max(dim, 1)
        found[name] = (at["name"], offset, t.get("strides", strides), t["shape"], width)
    return found


def check_storage(name, truth):
    """Two values share storage, with one distance, exactly where PyTorch's do. A name that is
    not there is another one of a tensor that was written in place, or is read by nobody."""
    done = run("convert", folder / f"{name}.json", "-o", place / "native.json")
    if done.returncode:
        return tell(name, "convert", done.returncode, done.stderr[:400])
    ours = storages(json.loads((place / "native.json").read_text()))
    groups, compared = {}, 0
    for value, (root, start, strides) in truth.items():
        if value not in ours:
            continue
        owner, offset, have, shape, width = ours[value]
        groups.setdefault(root, {}).setdefault(owner, set()).add(offset - start * width)
        compared += 1
        if [s for s, d in zip(strides, shape) if d > 1] != [s for s, d in zip(have, shape) if d > 1]:
            tell(name, value, "strides", have, "for", strides)
    for root, owners in groups.items():
        if len(owners) > 1 or any(len(o) > 1 for o in owners.values()):
            tell(name, f"what shares the storage of '{root}':", owners)
    seen = [o for owners in groups.values() for o in owners]
    if len(seen) != len(set(seen)):
        tell(name, "two storages are one:", sorted(seen))
    if compared < 2:
        tell(name, "was not compared")
    return compared


def check_hazard(name, options, want, truth):
    done = run("lint", folder / f"{name}.json", *options)
    found = [line for line in (done.stdout + done.stderr).splitlines() if "[hazard/" in line]
    if (want is None) != (not found) or (want and want not in found[0]) or \
            done.returncode != bool(want):
        tell(name, options, "exit", done.returncode, found, "for", want)
    if "training" in options and truth is not None and name not in OTHERS and \
            truth != (want is None):
        tell(name, "PyTorch's autograd says", truth)


def check_run(name, truth):
    """Executed with our kernels; not all ops have one."""
    words = ["run", folder / f"{name}.json"]
    for i, values in enumerate(truth["inputs"]):
        (place / f"in{i}").write_bytes(struct.pack(f"<{len(values)}f", *values))
        words += ["--input", place / f"in{i}"]
    for i in range(len(truth["outputs"])):
        words += ["--output-tensor", place / f"out{i}"]
    done = run(*words)
    if done.returncode:
        if "no-kernel" not in done.stderr and "has no kernel" not in done.stderr:
            tell(name, "run", done.returncode, done.stderr[:400])
        return False
    for i, want in enumerate(truth["outputs"]):
        data = (place / f"out{i}").read_bytes()
        got = struct.unpack(f"<{len(data) // 4}f", data)
        if len(got) != len(want) or any(abs(a - b) > 1e-5 * max(1, abs(a)) for a, b in zip(want, got)):
            tell(name, "output", i, got, "for", want)
    return True


truths = json.loads((folder / "list.json").read_text())
compared = executed = 0
for name, truth in truths.items():
    compared += check_storage(name, truth["storage"]) or 0
    if "inputs" in truth:
        executed += check_run(name, truth)
    done = run("plan", folder / f"{name}.json", "-o", place / "plan.json")
    if done.returncode:
        tell(name, "plan", done.returncode, done.stderr[:400])
for row in HAZARDS:
    check_hazard(*row, truths[row[0]]["autograd"])
print(f"{len(truths)} graphs, {compared} places compared, {executed} executed, {wrong} wrong")
sys.exit(1 if wrong or compared < 150 or executed < 1 else 0)

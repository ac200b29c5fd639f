#!/usr/bin/env python3
"""Plans that overlap, as MiniMalloc's CSV and back: usage: csv_plans.py TENURE ROOT

What plan --write-csv writes, verify accepts for the same graph, rewritten or not; with other
kernels than the plan's, or without saying which, what needs them is refused. Alone, a plan without
overlaps is verified, views included; one with overlaps says that the graph is needed.
"""
import csv
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

# graph, and does its plan need kernels that do not run upwards?
GRAPHS = [("graphs/kws_i8.json", True), ("graphs/kws_f32.json", True), ("graphs/branches_i8.json", None),
          ("models/small_cnn.tflite", None), ("foreign/onnx_conv.json", None), ("foreign/onnx_qdq.json", None),
          ("graphs/op_fully_connected_i8.json", None)]
COLUMNS = "id,lower,upper,size,offset".split(",")


def run(tenure, *args):
    return served.run([tenure, *map(str, args)], capture_output=True, text=True, timeout=120)


def rewrite(path, out, change):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    rows = [change(r) for r in rows]
    with open(out, "w", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def want(done, status, *words):
    text = done.stdout + done.stderr
    if done.returncode != status or not all(w in text for w in words):
        raise SystemExit(f"{done.args}: exit status {done.returncode}, not {status}, or not {words}:\n{text}")


def check(tenure, folder, path, needs_order):
    out, other = folder / "plan.csv", folder / "other.csv"
    for passes in "all", "none":
        want(run(tenure, "plan", path, "--rewrite", passes, "--write-csv", out), 0)
        want(run(tenure, "verify", path, out), 0, ": verified", "built-in set")
        rewrite(out, other, lambda r: {**r, "offset": ""})  # the problem without its answer
        want(run(tenure, "offsets", other), 0)
    rewrite(out, other, lambda r: {k: v for k, v in r.items() if k != "variant"})
    want(run(tenure, "verify", path, other), 1 if needs_order else
         run(tenure, "verify", path, other).returncode)
    rewrite(out, other, lambda r: {**r, "variant": r["variant"] and "ascending"})
    if needs_order:
        want(run(tenure, "verify", path, other), 1, "not verified")
    rewrite(out, other, lambda r: {**r, "variant": r["variant"] and "sideways"})
    want(run(tenure, "verify", path, other), 2, "other.csv:", "'sideways' is no variant")
    if needs_order:
        want(run(tenure, "verify", out), 1, "column 'variant'", "verify GRAPH")
    want(run(tenure, "plan", path, "--overlap", "none", "--write-csv", out), 0)
    columns = out.read_text().splitlines()[0].split(",")
    if columns not in (COLUMNS, [*COLUMNS, "root"]):
        raise SystemExit(f"{path}: a plan without overlaps names kernels")
    want(run(tenure, "verify", path, out), 0, ": verified", "proved")
    want(run(tenure, "verify", out), 0, ": verified")
    return columns[-1] == "root"


def views(tenure, folder):
    """What shares bytes because the file says so, and what may not."""
    def judge(status, *lines):
        path = folder / "views.csv"
        path.write_text("id,lower,upper,size,offset,root\n" + "\n".join(lines) + "\n")
        return lambda *words: want(run(tenure, "verify", path), status, *words)
    judge(0, "all,0,4,16,0,", "half,2,6,8,8,all", "later,6,8,16,0,")("3 buffers, height 16", "assumed")
    judge(0, "half,2,6,8,8,all", "all,0,4,16,0,")("2 buffers", "assumed")  # in any order
    judge(0, '"a,b",0,4,16,0,', 'half,2,6,8,8,"a,b"')("2 buffers", "assumed")
    judge(1, "all,0,4,16,0,", "half,2,6,8,8,")("'all' and 'half'", "bytes 8..16")
    judge(1, "all,0,4,16,0,", "half,2,6,8,8,all", "third,4,6,8,8,")("'half' and 'third'")
    judge(1, "all,0,4,16,0,", "half,2,6,8,8,all", "b,0,4,8,24,", "third,4,6,8,8,b")("'half' and 'third'")
    judge(2, "all,0,4,16,0,", "half,2,6,8,8,al")("views.csv:3:", "the root 'al' is no id")


def main(tenure, root):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not any([check(tenure, folder, root / "fixtures" / path, needs) for path, needs in GRAPHS]):
            raise SystemExit("no plan has a view")
        views(tenure, folder)
        out = folder / "two.csv"
        done = run(tenure, "plan", root / "fixtures/graphs/kws_i8.json", "--pin", "input=b", "--region", "a:16K",
                   "--region", "b:9K", "--write-csv", out, "-o", folder / "plan.json")
        want(done, 2, "a CSV knows one memory")
        if out.exists() or (folder / "plan.json").exists():
            raise SystemExit("a plan of two memories was written")


main(sys.argv[1], pathlib.Path(sys.argv[2]))

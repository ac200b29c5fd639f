#!/usr/bin/env python3
"""Outputs under bad conditions: usage: disturbed.py TENURE ROOT [DISTURB.so]

The disk is full, the folder read-only, standard output closed, the run interrupted. Every
file is the whole old one or the whole new one, no temporary file stays, and what could not
be written is an error with status 3 that names the file. Without DISTURB.so (sanitizers do
not go with it) the cases that it makes are left out.
"""
import errno
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

GRAPH, OFFLINE, PROGRAM = "g.json", "m.tflite", "e.json"
# what writes, its file as the last word
WRITERS = [
    ["lint", GRAPH, "--format", "sarif", "-o"],
    ["lint", GRAPH, "-o"],
    ["lint", GRAPH, "--write-baseline"],
    ["plan", GRAPH, "-o"],
    ["plan", GRAPH, "--json", "-o"],
    ["plan", GRAPH, "--write-csv"],
    ["plan", GRAPH, "--write-header"],
    ["plan", OFFLINE, "--write-offline"],
    ["plan", PROGRAM, "--write-offsets"],
    ["run", GRAPH, "-o"],
    ["run", GRAPH, "--output-tensor"],
    ["report", GRAPH, "-o"],
    *(["report", GRAPH, option] for option in (
        "--csv", "--svg", "--dot", "--trace", "--graph-svg", "--explorer", "--overlay",
        "--overlay-verdicts")),
    ["report", GRAPH, "--ascii", "-o"],
    ["diff", GRAPH, "h.json", "--format", "html", "-o"],
    ["convert", GRAPH, "-o"],
    ["offsets", "p.csv", "-o"],
]
# what prints
PRINTERS = [
    ["lint", GRAPH, "--format", "sarif"], ["plan", GRAPH], ["plan", GRAPH, "--json"],
    ["verify", GRAPH, "p.json"], ["run", GRAPH], ["emit", GRAPH, "-o", "sub"],
    ["validate", GRAPH, "--on", "host"], ["report", GRAPH, "--ascii"],
    ["report", GRAPH, "-o", "-"], ["report", GRAPH, "--csv", "-"], ["check", GRAPH],
    ["diff", GRAPH, "h.json"], ["explain", GRAPH, "0"], ["explain", "plan/overlap"],
    ["convert", GRAPH, "-o", "-"], ["offsets", "p.csv"], ["--help"], ["--version"],
    ["completion", "bash"],
]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def fill(folder, tenure, root):
    graphs = root / "fixtures/graphs"
    shutil.copy(graphs / "residual_f32.json", folder / GRAPH)
    shutil.copy(graphs / "op_add_i8.json", folder / "h.json")
    shutil.copy(root / "fixtures/models/small_cnn.tflite", folder / OFFLINE)
    shutil.copy(root / "fixtures/foreign/executorch.json", folder / PROGRAM)
    (folder / "p.csv").write_text("id,lower,upper,size\na,0,1,4\n")
    (folder / "sub").mkdir()
    compiler(folder, "exit 1")
    done = call(tenure, folder, ["plan", GRAPH, "-o", "p.json"])
    assert done.returncode == 0, done
    shutil.copy(folder / "p.json", folder / "g.plan.json")


def compiler(folder, text):
    """In place of the one that `validate` starts."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin/gcc").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "bin/gcc").chmod(0o755)


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*"))
            if p.is_file() and not p.name.endswith((".gcda", ".profraw"))}


def call(tenure, folder, args, disturb=None, **more):
    env = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}")
    if disturb:
        env.update(LD_PRELOAD=disturb[0], DISTURB=disturb[1])
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
    return subprocess.run([tenure, *args], cwd=folder, env=env, check=False, **more)


class Folder:
    """A folder of inputs, with an old file where the new one will be."""

    def __init__(self, tenure, root):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        self.tenure = tenure
        fill(self.path, tenure, root)
        (self.path / "new").write_text("old")
        self.before = contents(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def refused(self, args, file, why, **more):
        done = call(self.tenure, self.path, [*args, file], **more)
        assert done.returncode == 3, (args, file, done)
        assert done.stderr.count("error: ") == 1, (args, done)
        assert f" '{file}': {why}" in done.stderr, (args, file, why, done)
        assert contents(self.path) == self.before, (args, file)


def check_errors(tenure, root, library):
    """A write, the rename or the rights fail: the old file stays."""
    n = 0
    cases = [("write 1", errno.ENOSPC), ("write 1", errno.EIO), ("fchmod 1", errno.EIO),
             ("rename 1", errno.EACCES)]
    with Folder(tenure, root) as f:
        for args in WRITERS:
            for at, error in cases:
                f.refused(args, "new", os.strerror(error),
                          disturb=(library, f"{at} {int(error)}"))
                n += 1
        # of the many files of a project, too
        done = call(tenure, f.path, ["emit", GRAPH, "-o", "sub"],
                    (library, f"write 3 {int(errno.ENOSPC)}"))
        assert done.returncode == 3 and done.stderr.count("error: ") == 1, done
        names = [p.name for p in (f.path / "sub").rglob("*") if p.is_file()]
        assert len(names) == 2 and all(p.endswith((".c", ".h")) for p in names), names
    print(f"ok - {n + 1} errors of the system")


def check_signals(tenure, root, library):
    """A signal in the midst of writing comes when the file is whole."""
    n = 0
    with Folder(tenure, root) as f:
        for args in WRITERS:
            assert call(tenure, f.path, [*args, "new"]).returncode in (0, 1), args
            after = contents(f.path)
            for at in ("write 1", "fchmod 1", "rename 1"):
                sent = SIGNALS[n % len(SIGNALS)]
                (f.path / "new").write_text("old")
                done = call(tenure, f.path, [*args, "new"], (library, f"{at} {-sent}"))
                assert done.returncode == -sent, (args, at, done)
                assert contents(f.path) == after, (args, at, sent)
                n += 1
            (f.path / "new").write_text("old")
        # one that is ignored (nohup) changes nothing
        done = call(tenure, f.path, ["plan", GRAPH, "-o", "new"],
                    (library, f"write 1 {-signal.SIGHUP}"),
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        assert done.returncode == 0, done
        # all files of a project are of one run
        args = ["emit", GRAPH, "-o", "sub"]
        assert call(tenure, f.path, args).returncode == 0
        after = contents(f.path / "sub")
        assert len(after) > 6, after
        for at in ("write 1", "rename 4"):
            shutil.rmtree(f.path / "sub")
            done = call(tenure, f.path, args, (library, f"{at} {-signal.SIGTERM}"))
            assert done.returncode == -signal.SIGTERM, done
            assert contents(f.path / "sub") == after, at
    print(f"ok - {n + 3} signals")


def check_devices(tenure, root):
    """What has no room: a device, a file beyond the limit of its size."""
    full = os.strerror(errno.ENOSPC)
    # a program that counts its coverage writes files, too
    os.environ["GCOV_PREFIX"] = "/proc/0"
    with Folder(tenure, root) as f:
        for args in WRITERS:
            f.refused(args, "/dev/full", full)
            f.refused(args, "new", os.strerror(errno.EFBIG), preexec_fn=lambda:
                      resource.setrlimit(resource.RLIMIT_FSIZE, (2, 2)))
    del os.environ["GCOV_PREFIX"]
    print(f"ok - {len(WRITERS)} outputs without room")


def check_read_only(tenure, root):
    more = {}
    with Folder(tenure, root) as f:
        program = tenure
        if os.geteuid() == 0:  # root may write everywhere
            program = shutil.copy(tenure, f.path / "tenure")
            os.chmod(f.path, 0o755)
            more = {"user": 65534, "group": 65534, "extra_groups": []}
            f.tenure, f.before = str(program), contents(f.path)
        os.chmod(f.path, 0o555)
        try:
            for args in WRITERS:
                f.refused(args, "new", os.strerror(errno.EACCES), **more)
                f.refused(args, "other", os.strerror(errno.EACCES), **more)
            os.chmod(f.path / "sub", 0o555)
            done = call(f.tenure, f.path, ["emit", GRAPH, "-o", "sub"], **more)
            assert done.returncode == 3 and done.stderr.count("error: ") == 1, done
            assert contents(f.path) == f.before
        finally:
            os.chmod(f.path, 0o755)
            os.chmod(f.path / "sub", 0o755)
    print(f"ok - {len(WRITERS)} outputs in a read-only folder")


def close(*streams):
    def closing():
        for fd in streams:
            os.close(fd)
    return closing


def check_standard_output(tenure, root):
    """Closed, or without room: an error, and nothing goes astray into a file."""
    with Folder(tenure, root) as f:
        for args in PRINTERS:
            for streams in ((1,), (0, 1), None):
                with open("/dev/full", "w", encoding="utf-8") as full:
                    done = call(tenure, f.path, args, stdout=full if streams is None else None,
                                preexec_fn=close(*streams) if streams else None)
                assert done.returncode == 3, (args, streams, done)
                assert "cannot write standard output" in done.stderr or (
                    "cannot write 'standard output'" in done.stderr), (args, streams, done)
        for args in WRITERS:
            (f.path / "new").write_text("old")
            assert call(tenure, f.path, [*args, "new"]).returncode in (0, 1), args
            after = contents(f.path)
            for streams in ((1,), (0, 1, 2), (2,)):
                (f.path / "new").write_text("old")
                before = contents(f.path)
                done = call(tenure, f.path, [*args, "new"], preexec_fn=close(*streams))
                assert done.returncode in (0, 1, 3), (args, done)
                now = contents(f.path)
                assert now == after or (now == before and done.returncode == 3), (args, streams)
        with open("/dev/null", encoding="utf-8") as null:
            done = call(tenure, f.path, ["lint", "-"], stdin=null, preexec_fn=close(0))
        assert done.returncode == 2 and "cannot read '-'" in done.stdout, done
    print(f"ok - {len(PRINTERS)} that print, {len(WRITERS)} that write, streams closed")


def tangle(n):
    """Every op reads two of the twelve tensors before it: the search has much to do."""
    tensors = [{"name": f"t{i}", "dtype": "i8", "shape": [1, 10 + i * 7919 % 997]}
               for i in range(n)]
    tensors[0]["role"], tensors[-1]["role"] = "input", "output"
    ops = [{"name": f"op{i}", "type": "CUSTOM_TANGLE", "outputs": [f"t{i}"], "inputs": [
        f"t{i - 1 - i * k % min(i, 12)}" for k in (5, 11)]} for i in range(1, n)]
    return {"format": "tenure.graph/1", "name": "tangle", "tensors": tensors, "ops": ops}


def check_search(tenure, root):
    """Signals at any time of a long search: no file, or the whole one."""
    with Folder(tenure, root) as f:
        (f.path / "long.json").write_text(json.dumps(tangle(4000)), encoding="utf-8")
        before = contents(f.path)
        for i in range(9):
            command = [tenure, "plan", "long.json", "--schedule", "search", "-o", "new",
                       "--write-csv", "new2"]
            with subprocess.Popen(command, cwd=f.path, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                time.sleep(0.01 * 2 ** (i % 5))
                process.send_signal(SIGNALS[i % len(SIGNALS)])
                out, _ = process.communicate()
            assert process.returncode == -SIGNALS[i % len(SIGNALS)] and not out, (i, process)
            assert contents(f.path) == before, i
    print("ok - 9 searches interrupted")


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat_file:
            return stat_file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def check_validate(tenure, root):
    """Interrupted while a compiler runs: it ends, too, and the temporary folder goes."""
    with Folder(tenure, root) as f:
        (f.path / "tmp").mkdir()
        compiler(f.path, f"echo $$ >'{f.path}/pid'\nexec sleep 100")
        env = dict(os.environ, TMPDIR=str(f.path / "tmp"),
                   PATH=f"{f.path / 'bin'}:{os.environ['PATH']}")
        for sent in SIGNALS:
            with subprocess.Popen([tenure, "validate", GRAPH, "--on", "host"], cwd=f.path,
                                  env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                while not (f.path / "pid").exists() or not (f.path / "pid").read_text().strip():
                    assert process.poll() is None, process.communicate()
                    time.sleep(0.05)
                assert os.listdir(f.path / "tmp"), "a folder while it runs"
                process.send_signal(sent)
                process.communicate(timeout=60)
            assert process.returncode == -sent, process.returncode
            assert not os.listdir(f.path / "tmp"), sent
            assert not is_alive((f.path / "pid").read_text().strip()), sent
            (f.path / "pid").unlink()
    print(f"ok - {len(SIGNALS)} validations interrupted")


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    library = sys.argv[3] if len(sys.argv) > 3 else None
    for sent in SIGNALS:  # nohup leaves one ignored, which programs then keep
        signal.signal(sent, signal.default_int_handler if sent == signal.SIGINT
                      else signal.SIG_DFL)
    if library:
        check_errors(tenure, root, os.path.abspath(library))
        check_signals(tenure, root, os.path.abspath(library))
    else:
        print("skip - with sanitizers: errors of the system, signals in the midst of writing")
    check_devices(tenure, root)
    check_read_only(tenure, root)
    check_standard_output(tenure, root)
    check_search(tenure, root)
    check_validate(tenure, root)


if __name__ == "__main__":
    main()

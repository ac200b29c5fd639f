"""tenure from Python: runs the program and reads the JSON and .npy files that it writes.

    import tenure
    plan = tenure.plan("model.tflite")
    print(plan["arena_bytes"])
    outputs = tenure.run("model.tflite", [image])   # numpy arrays

The program is the one that the variable TENURE names, or `tenure` on the path. An exit status
above 1 raises Error with what the program said; status 1 (findings, a refused plan) is an
answer.
"""
import json
import os
import pathlib
import subprocess
import tempfile

__all__ = ["Error", "command", "diff", "lint", "plan", "run", "verify"]


class Error(Exception):
    """The program could not do what was asked. `status`: 1 there is no result, 2 the command or
    the input is wrong, 3 resources or an internal error."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def program():
    return os.environ.get("TENURE", "tenure")


def command(*words):
    """Runs `tenure WORDS`: a subprocess.CompletedProcess with text, of status 0 or 1."""
    try:
        done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True,
                              check=False)
    except FileNotFoundError:
        raise Error(3, f"there is no program '{program()}': install tenure, or name it in "
                       "the variable TENURE") from None
    if done.returncode not in (0, 1):
        raise Error(done.returncode, (done.stderr or done.stdout).strip()
                    or f"tenure ended with status {done.returncode}")
    return done


def plan(graph, *options):
    """A verified plan, as the dictionary that docs/REPORTS.md describes. Options are those of
    the command: plan("m.tflite", "--schedule", "search"). It is given also when it misses a
    budget of theirs."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "plan.json")
        done = command("plan", graph, *options, "-o", path)
        if not path.exists():
            raise Error(done.returncode, done.stderr.strip())
        return json.loads(path.read_text(encoding="utf-8"))


def lint(*words):
    """Findings and verdicts of a graph, or of several, as `--format json` gives them."""
    return json.loads(command("lint", *words, "--format", "json").stdout)


def diff(old, new, *options):
    """What became of the memory between two versions of a model."""
    return json.loads(command("diff", old, new, *options, "--format", "json").stdout)


def verify(graph, plan_file, *options):
    """Whether a plan (a file, or a dictionary from plan()) is right for the graph."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(plan_file, dict):
            path = pathlib.Path(folder, "plan.json")
            path.write_text(json.dumps(plan_file), encoding="utf-8")
            plan_file = path
        return command("verify", graph, plan_file, *options).returncode == 0


def run(graph, inputs=(), *options):
    """The graph's outputs, a list of numpy arrays in the graph's order. `inputs`: arrays or
    names of files, in the graph's order; none: seeded ones."""
    import numpy

    with tempfile.TemporaryDirectory() as folder:
        words = []
        for i, value in enumerate(inputs):
            if not isinstance(value, (str, os.PathLike)):
                path = pathlib.Path(folder, f"input{i}.npy")
                numpy.save(path, numpy.ascontiguousarray(value))
                value = path
            words += ["--input", value]
        done = command("run", graph, *words, *options)
        digests = done.stdout.splitlines()
        if done.returncode and not digests:
            raise Error(done.returncode, done.stderr.strip())
        files = [pathlib.Path(folder, f"output{i}.npy") for i in range(len(digests))]
        for file in files:
            words += ["--output-tensor", file]
        command("run", graph, *words, *options)
        return [numpy.load(file) for file in files]

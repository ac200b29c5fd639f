#!/usr/bin/env python3
"""What an input may be: usage: inputs.py TENURE ROOT

Files are; a folder, a socket, a device is not, however it is named. A pipe is read by the
commands of one graph, as is what the shell has opened; lint and check never wait for one, nor
does a command for packs, configurations, baselines, boards and contracts: exit status 2, its name
and what it is.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

PATIENCE = 60  # seconds
ODD = {"pipe.json": "a pipe", "socket.json": "a socket", "/dev/zero": "a device",
       "/dev/null": "a device", "link.json": "a pipe"}
MANY = (["lint"], ["lint", "--hook"], ["lint", "g.json"], ["check"], ["check", "--hook"])
BESIDES = (["lint", "g.json", "--config"], ["lint", "g.json", "--baseline"],
           ["lint", "g.json", "--rules"], ["lint", "g.json", "--contracts"],
           ["lint", "g.json", "--target", "all", "--boards"], ["report", "g.json", "--config"],
           ["plan", "g.json", "--repair", "--contracts"],
           ["plan", "g.json", "--target", "rp2040", "--boards"], ["explain", "*", "--rules"])
SINGLE = (["plan"], ["report", "-o", "-"], ["verify"], ["run"], ["convert"], ["lint"],
          ["explain"], ["diff", "g.json"])


class Test:
    def __init__(self, tenure, folder, root):
        self.tenure, self.folder, self.n = tenure, folder, 0
        (folder / "empty").mkdir()
        (folder / "full/deep").mkdir(parents=True)
        for name in ("g.json", "full/deep/g.json"):
            shutil.copy(root / "fixtures/graphs/residual_f32.json", folder / name)
        for name in ("pipe.json", "full/pipe.json"):
            os.mkfifo(folder / name)
        os.symlink("pipe.json", folder / "link.json")
        self.socket = socket.socket(socket.AF_UNIX)
        here = os.open(".", os.O_RDONLY)
        os.chdir(folder)  # the name of a socket is short
        self.socket.bind("socket.json")
        os.fchdir(here)
        os.close(here)

    def call(self, args, **more):
        self.n += 1
        return served.run([self.tenure, *args], cwd=self.folder, capture_output=True,
                          text=True, check=False, timeout=PATIENCE, **more)

    def refused(self, args, *words):
        done = self.call(args, stdin=subprocess.DEVNULL)
        told = done.stderr + done.stdout
        assert done.returncode == 2, (args, done)
        for word in words:
            assert word in told, (args, word, done)

    def right(self, args, **more):
        done = self.call(args, **more)
        assert done.returncode == 0, (args, done)
        return done


def refused(t):
    for args in (*MANY, *BESIDES):
        for name, what in ODD.items():
            t.refused([*args, name], f"'{name}'", f"it is {what}")
    for args in BESIDES:
        t.refused([*args, "empty"], "'empty'", "it is a folder")
    for args in SINGLE:
        if args != ["lint"]:
            name = [*args, "empty"] + ["x"] * (args == ["explain"])
            t.refused(name, "'empty'", "it is a folder")
        for device in ("/dev/zero", "/dev/null", "-"):
            name = [*args, device] + ["x"] * (args == ["explain"])
            t.refused(name, f"'{device}'", "it is a device")
    for start in ("/dev/fd", "/proc/self/fd"):  # begins as the name of a descriptor does
        name = f"{start}/../../..{t.folder.resolve()}/pipe.json"
        if os.path.exists(name):
            t.refused(["lint", name], f"'{name}'", "it is a pipe")
    t.refused(["lint", "empty"], "'empty'", "no graph")
    t.refused(["lint", "g.json", "empty"], "'empty'", "no graph")
    t.refused(["check", "empty"], "'empty'", "no graph")
    t.refused(["lint", "no*.json"], "'no*.json'", "no file matches")


def passed_over(t):
    """In folders and behind patterns there is more than graphs."""
    for args in (["full"], ["*.json"], ["."], ["full/*"]):
        done = t.right(["lint", *args])
        assert "0 errors" in done.stdout and "pipe" not in done.stdout + done.stderr, done


def streams(t):
    """What the shell opens is read to its end."""
    text = (t.folder / "g.json").read_text(encoding="utf-8")
    for args in SINGLE:
        more = ["input"] if args == ["explain"] else []
        for name in ("-", "/dev/stdin", "/dev/fd/0"):
            if args != ["verify"]:  # has no plan to verify
                t.right([*args, name, *more], input=text)
        feed = "cat g.json > pipe.json & exec \"$@\""
        if args not in (["lint"], ["verify"]):
            done = subprocess.run(["sh", "-c", feed, "sh", t.tenure, *args, "pipe.json", *more],
                                  cwd=t.folder, capture_output=True, timeout=PATIENCE,
                                  check=False)
            assert done.returncode == 0, (args, done)
            t.n += 1
    # plans of both kinds, each read once
    for option, plan in (("-o", "p.json"), ("--write-csv", "p.csv")):
        t.right(["plan", "g.json", "--rewrite", "none", option, plan])
        text = (t.folder / plan).read_text(encoding="utf-8")
        for name in ("-", "/dev/stdin", "/dev/fd/0"):
            done = t.right(["verify", "g.json", name], input=text)
            assert "verified" in done.stdout, done
        feed = f"cat {plan} > pipe.json & exec \"$@\""
        done = subprocess.run(["sh", "-c", feed, "sh", t.tenure, "verify", "g.json", "pipe.json"],
                              cwd=t.folder, capture_output=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0 and b"verified" in done.stdout, (plan, done)
        t.n += 1
    rules = ('<rules format="tenure.rules/1"><rule id="t/x" severity="error"><title>x</title>'
             '<check context="//op" assert="true()"/></rule></rules>')
    for name in ("-", "/dev/stdin"):
        t.right(["lint", "g.json", "--rules", name], input=rules)


def main():
    tenure, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        t = Test(tenure, pathlib.Path(name), root)
        for part in (refused, passed_over, streams):
            before = t.n
            part(t)
            print(f"ok - {part.__name__}: {t.n - before} command lines")
        t.socket.close()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The completions of bash and fish offer what --help lists; those of zsh parse.
usage: completion.py TENURE"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

tenure = os.path.abspath(sys.argv[1])


def output(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **more)
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    return done.stdout


def commands():
    listed = output(tenure, "--help").split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def options(command):
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", output(tenure, command, "--help"), re.M))


def check_bash(script):
    def offered(*words):
        line = f"source {script}; COMP_WORDS=({' '.join(map(repr, words))}); " \
            "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tenure; printf '%s\\n' \"${COMPREPLY[@]}\""
        return set(output("bash", "-c", line).split())

    assert offered("tenure", "")  >= set(commands()), offered("tenure", "")
    assert offered("tenure", "ver") == {"verify"}
    assert offered("tenure", "help", "") == set(commands())
    for command in commands():
        assert offered("tenure", command, "--") == options(command), command
    assert offered("tenure", "plan", "m.json", "--overlap", "") == {"none", "inplace", "full"}
    assert offered("tenure", "lint", "--profile", "t") == {"training"}
    assert offered("tenure", "lint", "--fail-on", "") == {"note", "warning", "error"}
    assert offered("tenure", "plan", "mod") == set(), "operands are files: bash's own"


def check_fish(script, home):
    def offered(line):
        found = output("fish", "--no-config", "-c",
                       f"source {script}; complete -C '{line}'", env={**os.environ, "HOME": home})
        return {one.split("\t")[0] for one in found.splitlines()}

    assert offered("tenure ver") == {"verify"}, offered("tenure ver")
    assert offered("tenure help ver") == {"verify"}, offered("tenure help ver")
    for command in commands():
        missing = options(command) - offered(f"tenure {command} --")
        assert missing <= {"--help"}, (command, missing)
    assert offered("tenure plan --overlap ") == {"none", "inplace", "full"}


with tempfile.TemporaryDirectory() as folder:
    for shell in ("bash", "zsh", "fish"):
        script = os.path.join(folder, shell)
        with open(script, "w", encoding="utf-8") as file:
            file.write(output(tenure, "completion", shell))
        if not shutil.which(shell):
            print(f"skipped: there is no {shell} here")
            continue
        output(shell, "-n", script)
        if shell == "bash":
            check_bash(script)
        elif shell == "fish":
            check_fish(script, folder)
    for words in (["completion"], ["completion", "tcsh"], ["completion", "bash", "zsh"]):
        done = subprocess.run([tenure, *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and not done.stdout and "bash|zsh|fish" in done.stderr
    for words in (["--help"], ["--version"], ["plan", "--help"], ["completion", "fish"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([tenure, *words], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60)
        assert done.returncode == 3 and "standard output" in done.stderr, (words, done)

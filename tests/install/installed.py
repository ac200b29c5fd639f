#!/usr/bin/env python3
"""`meson install` into a scratch folder: what others find there works without the source
tree. The header compiles alone in C11 and C++, the example links through pkg-config, the
library exports what the header declares, the program runs, also from Python, the page of the manual and the
completions are where their readers look.
usage: installed.py BUILD SOURCE"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

build, source = map(os.path.abspath, sys.argv[1:3])


def run(*command, status=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def declared(header):
    with open(header, encoding="utf-8") as file:
        return set(re.findall(r"^(?:int|void|const char \*)\s*(tenure_\w+)\(", file.read(), re.M))


def undocumented(header):
    """Functions and types without a comment for Doxygen in front of them."""
    with open(header, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = [(lines[i - 1], line) for i, line in enumerate(lines)
             if re.match(r"(?:int|void|const char \*) ?\*?\w+\(|(?:typedef )?(?:enum|struct) \w+ \{", line)]
    assert len(found) > 20, found
    return [line for before, line in found if not before.endswith("*/")]


with tempfile.TemporaryDirectory() as root:
    run("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
    prefix = root + json.loads(run("meson", "introspect", build, "--buildoptions"))[
        [o["name"] for o in json.loads(run("meson", "introspect", build, "--buildoptions"))]
        .index("prefix")]["value"]
    header = os.path.join(prefix, "include/tenure/tenure.h")
    library = glob.glob(os.path.join(prefix, "lib/**/libtenure.so"), recursive=True)[0]
    folder = os.path.dirname(library)
    environment = {**os.environ, "PKG_CONFIG_SYSROOT_DIR": root, "LD_LIBRARY_PATH": folder,
                   "PKG_CONFIG_PATH": os.path.join(folder, "pkgconfig")}

    symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
    assert symbols == declared(header), symbols ^ declared(header)

    assert not undocumented(header), undocumented(header)
    for language, standard in (("c", "c11"), ("c++", "c++11"), ("c++", "c++20")):
        run("cc", "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic",
            "-fsyntax-only", header)

    flags = run("pkg-config", "--cflags", "--libs", "tenure", env=environment).split()
    example = os.path.join(root, "budget")
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror",
        os.path.join(source, "examples/library/budget.c"), *flags, "-o", example)
    model = shutil.copy(os.path.join(source, "fixtures/graphs/kws_i8.json"), root)
    assert "it fits" in run(example, model, "65536", env=environment, cwd=root)
    assert "it does not fit" in run(example, model, "2048", status=1, env=environment, cwd=root)

    program = os.path.join(prefix, "bin/tenure")
    assert run(program, "--version").startswith("tenure ")
    run(program, "emit", model, "-o", "firmware", cwd=root)
    assert "graph/cycle" in run(program, "explain", "graph/cycle", cwd=root)
    run(program, "report", model, "-o", "page.html", cwd=root)

    module, = glob.glob(os.path.join(root, "**/tenure/__main__.py"), recursive=True)
    environment = {**os.environ, "TENURE": program,
                   "PYTHONPATH": os.path.dirname(os.path.dirname(module))}
    assert run(sys.executable, "-m", "tenure", "--version", cwd=root, env=environment) == \
        run(program, "--version")

    share = os.path.join(prefix, "share")
    for place in ("bash-completion/completions/tenure.bash", "zsh/site-functions/_tenure",
                  "fish/vendor_completions.d/tenure.fish", "tenure/schema/tenure.graph-1.schema.json"):
        assert os.path.getsize(os.path.join(share, place)) > 1000, place
    with open(os.path.join(share, "man/man1/tenure.1"), encoding="utf-8") as file:
        page = file.read().replace("\\-", "-")
    for command in re.findall(r"^  (\w+) ", run(program, "--help"), re.M):
        assert f".B {command}" in page, f"the manual lacks {command}"
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", run(program, command, "--help"), re.M):
            assert option == "--help" or option in page, f"the manual lacks {option}"

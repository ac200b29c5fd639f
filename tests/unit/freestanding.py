#!/usr/bin/env python3
"""The portable kernels as a microcontroller sees them: strict C99, no library.

Compiles each file for Cortex-M and checks that the object needs nothing but memcpy,
memset and the compiler's own arithmetic. Exit status 77: no such compiler here.
"""
import os
import shutil
import subprocess
import sys
import tempfile

CPU = "cortex-m4"
FLAGS = ["-mthumb", "-std=c99", "-ffreestanding", "-O1", "-Wall", "-Wextra", "-Werror",
         "-pedantic", "-ffp-contract=off"]


def allowed(symbol):
    return symbol in ("memcpy", "memset") or symbol.startswith("__aeabi_")


def main():
    root = os.environ["TENURE_SOURCE_ROOT"]
    ref = os.path.join(root, "src", "kernels", "ref")
    if not shutil.which("arm-none-eabi-gcc"):
        return 77
    files = sorted(f for f in os.listdir(ref) if f.endswith(".c"))
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        done = subprocess.run(
            ["arm-none-eabi-gcc", "-mcpu=" + CPU, *FLAGS,
             "-I" + os.path.join(root, "include"), "-c",
             *(os.path.join(ref, name) for name in files)], cwd=tmp)
        if done.returncode:
            return 1
        listed = subprocess.run(["arm-none-eabi-nm", "-A", *sorted(os.listdir(tmp))],
                                cwd=tmp, check=True, capture_output=True,
                                text=True).stdout
        for line in listed.splitlines():
            name = line.split(":")[0]
            kind, symbol = line.split()[-2:]
            if kind == "U" and not allowed(symbol):
                print(f"{name} needs {symbol}")
                failed += 1
            if kind in "dDbBC":
                print(f"{name} has writable data: {symbol}")
                failed += 1
    print(f"{len(files)} kernels for {CPU}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""All portable kernels, linked into one object for a microcontroller, must need nothing
but memcpy, memset and the compiler's own arithmetic, and have no writable data.

usage: freestanding.py NM OBJECT
"""
import subprocess
import sys


def allowed(symbol):
    return symbol in ("memcpy", "memset") or symbol.startswith("__aeabi_")


def main(nm, obj):
    listed = subprocess.run([nm, obj], check=True, capture_output=True, text=True).stdout
    failed = kernels = 0
    for line in listed.splitlines():
        kind, symbol = line.split()[-2:]
        if kind == "U" and not allowed(symbol):
            print(f"a kernel needs {symbol}")
            failed += 1
        if kind in "dDbBC":
            print(f"a kernel has writable data: {symbol}")
            failed += 1
        kernels += kind == "T"
    print(f"{kernels} kernels")
    return 1 if failed or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

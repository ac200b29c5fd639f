#!/usr/bin/env python3
"""Turns files into a C source: usage: assets.py OUT.c FILE...

page.css becomes tn_asset_page_css. The files must be ASCII: then they mean the same in
every encoding, and a content security policy's hash is that of the bytes in the page.
"""
import base64
import hashlib
import pathlib
import re
import sys


def main():
    out = ['#include "report/assets.h"\n']
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        data = path.read_bytes()
        data.decode("ascii")
        ident = re.sub(r"\W", "_", path.name)
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        rows = [", ".join(str(b) for b in data[i:i + 20])
                for i in range(0, len(data), 20)]
        out.append(f"static const char {ident}[] = {{\n" + ",\n".join(rows) + ", 0\n};\n"
                   f"const struct tn_asset tn_asset_{ident} = {{\n"
                   f"\t{ident}, sizeof({ident}) - 1, \"{digest}\"\n}};\n")
    pathlib.Path(sys.argv[1]).write_text("\n".join(out), encoding="ascii")


if __name__ == "__main__":
    main()

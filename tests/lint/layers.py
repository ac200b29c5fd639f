#!/usr/bin/env python3
"""Compares every #include with the layers that docs/ARCHITECTURE.md draws, and these with the
table of that page: each word of its third column is in the row here, and nothing else is but
what follows from it.

A module may include itself and the modules in its row. Third-party headers stop at the
border: only the files named below may see them.
"""
import pathlib
import re
import sys

LAYERS = {
    "base": [],
    "ir": ["base"],
    "plan": ["base"],
    "contract": ["base", "ir"],
    "import": ["base", "ir", "plan"],
    "export": ["base", "ir", "plan"],
    "analysis": ["base", "ir", "contract"],
    "inplace": ["base", "ir", "contract", "analysis"],
    "claims": ["base", "ir", "contract", "analysis", "emit/embedded.h"],
    "stream": ["base", "ir", "contract", "analysis", "plan/plan.h"],
    "lower": ["base", "ir", "contract", "analysis", "inplace", "plan", "stream"],
    "verdict": ["base", "ir"],
    "layout": ["base", "ir", "contract", "verdict", "plan/plan.h"],
    "verify": ["base", "ir", "contract", "verdict", "layout", "plan/plan.h"],
    "kernels": [],
    "bind": ["base", "ir", "contract", "kernels", "plan/plan.h"],
    "exec": ["base", "ir", "contract", "bind", "plan/plan.h"],
    "emit": ["base", "ir", "contract", "bind", "plan/plan.h"],
    "validate": ["base", "ir", "contract", "bind", "exec", "emit", "plan/plan.h"],
    "rewrite": ["base", "ir", "contract", "bind", "exec", "plan/plan.h"],
    "rules": ["base", "ir", "contract", "analysis", "inplace", "plan/plan.h",
              "emit/embedded.h"],
    "report": ["base", "ir", "contract", "analysis", "inplace", "claims",
               "rewrite", "plan/plan.h", "board", "rules/fingerprint.h"],
    "driver": ["base", "ir", "plan", "contract", "import", "export", "analysis", "inplace",
               "claims", "stream", "lower", "verify", "bind", "exec", "rewrite", "emit", "validate",
               "report", "rules", "board"],
    "board": ["base", "emit/embedded.h"],
    "cli": ["base/nearest.h", "base/shell.h", "base/size.h"],
}
PUBLIC = {  # who may include which header of include/tenure
    "tenure/tenure.h": {"cli", "driver"},
    "tenure/kernels.h": {"kernels", "bind", "exec", "emit", "validate"},
}
BORDER = {
    "jansson.h": re.compile(r"^(import|export)/|^report/(\w*json\w*|sarif|trace)\.[ch]$"),
    "libxml/": re.compile(r"^base/xml\.[ch]$|^rules/\w+\.[ch]$|^import/openvino\.c$|^report/(html\w*|junit|svg)\.[ch]$"),
    "protobuf-c/": re.compile(r"^import/onnx_bytes\.c$"),
    "graphviz/": re.compile(r"^report/(dot\w*|graph_svg)\.[ch]$"),
}


def closure(module, rows, seen=()):
    """What it may include, and what those may."""
    out = set()
    for word in rows.get(module, []):
        out.add(word)
        if word not in seen:
            out |= closure(word, rows, (*seen, word))
    return out


def compare_page(root):
    bad, rows = [], {}
    text = (root / "docs/ARCHITECTURE.md").read_text()
    for names, may in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| .* \| (.*) \|$", text, re.M):
        for name in re.findall(r"`(\w+)`", names):
            every = list(LAYERS) if may == "all of the above" else re.findall(r"[\w./]+", may)
            rows[name] = [w for w in every if w in LAYERS or ("/" in w and w.split("/")[0] in LAYERS)]
    bad += [f"docs/ARCHITECTURE.md: no row for '{m}'" for m in LAYERS if m not in rows]
    bad += [f"docs/ARCHITECTURE.md: there is no module '{m}'" for m in rows if m not in LAYERS]
    for module in LAYERS.keys() & rows.keys() - {"driver"}:  # which may include all
        allowed = closure(module, rows)
        bad += [f"docs/ARCHITECTURE.md: '{module}' may include {w}, too" for w in LAYERS[module]
                if w not in allowed and w.split("/")[0] not in allowed]
        bad += [f"docs/ARCHITECTURE.md: '{module}' may not include {w}" for w in rows[module]
                if w not in LAYERS[module]]
    return bad


def main(root):
    src = root / "src"
    bad = compare_page(root)
    for path in sorted(src.rglob("*.[ch]")) + sorted(src.rglob("*.def")):
        name = path.relative_to(src).as_posix()
        module = name.split("/")[0]
        if module not in LAYERS:
            bad.append(f"{name}: the module '{module}' has no row in {__file__}")
            continue
        text = path.read_text()
        for what in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            target = what.split("/")[0]
            if what in PUBLIC:
                if module not in PUBLIC[what]:
                    bad.append(f"{name}: may not include {what}")
            elif "/" not in what or target == module:
                continue
            elif module == "kernels":
                continue  # its own folder is the include root
            elif target not in LAYERS[module] and what not in LAYERS[module]:
                bad.append(f"{name}: '{module}' may not include {what}")
        for what in re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, re.M):
            for prefix, allowed in BORDER.items():
                if what.startswith(prefix) and not allowed.search(name):
                    bad.append(f"{name}: <{what}> stops at the border")
            if module == "kernels" and what not in ("stdint.h", "stddef.h", "string.h",
                                                    "arm_mve.h", "arm_acle.h"):
                bad.append(f"{name}: kernels are freestanding, not <{what}>")
    lines = [f"{p.relative_to(root)}: {n} lines" for p in src.rglob("*.[ch]")
             if (n := len(p.read_text().splitlines())) > 800]
    bad += [f"{line}, more than 800" for line in lines]
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))

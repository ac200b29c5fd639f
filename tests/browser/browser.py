#!/usr/bin/env python3
"""Opens the HTML report in a browser and uses it: usage: browser.py WRITE_SAMPLES

Without a browser the test skips (exit status 77).
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cdp  # noqa: E402

CLICK = ("document.querySelector({!r}).dispatchEvent("
         "new MouseEvent('click', {{bubbles: true, cancelable: true}}))")
SHOWN = """[...document.querySelectorAll('.card')]
    .filter(c => getComputedStyle(c).display !== 'none')
    .map(c => c.querySelector('h3').firstChild.textContent.trim())"""
VERDICT = "document.querySelector('#verdict').className"


def same(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {got!r}, want {want!r}")


def quiet(b, path, what):
    """It loads, complains about nothing, and asks nobody for anything."""
    b.open(path)
    same(f"{what}: complaints", b.complaints(), [])
    same(f"{what}: requests", b.requests(), [f"file://{path}"])
    same(f"{what}: script ran", b.run("window.tenureReady"), True)


def step_to(b, step):
    b.run(f"""(() => {{ const s = document.getElementById('step'); s.value = {step};
        s.dispatchEvent(new Event('input')); }})()""")


def held(b):
    return b.run("[...document.querySelectorAll('#held a')].map(a => a.textContent)")


def check_usual(b, folder):
    page = folder / "usual.report.html"
    quiet(b, page, "usual")
    same("no card is open", b.run(SHOWN), ["No buffer chosen"])
    same("verdict", b.run(VERDICT), "verdict verdict-good")
    same("boxes", b.run("document.querySelectorAll('.tl-box[data-box]').length"), 11)
    same("to scale", b.run("""(() => {
        const height = n => Number(document.querySelector(
            `.tl-box[data-bytes="${n}"] .tl-body`).getAttribute('height')) + 0.5;
        return Math.round(100 * height(512) / height(256)); })()"""), 200)
    same("it is seen", b.run(
        "document.querySelector('.tl-plot-svg').getBoundingClientRect().height > 300"), True)
    same("in sight", b.run("""[...document.querySelectorAll('.tl-box[data-box] .tl-body')]
        .filter(r => { const p = r.getBoundingClientRect(), s =
            document.querySelector('.scroller').getBoundingClientRect();
            return p.top >= s.top && p.bottom <= s.bottom && p.height > 0; }).length"""), 11)
    same("overlaps", b.run("document.querySelectorAll('.tl-overlap[data-step]').length"), 6)
    same("views", b.run("document.querySelectorAll('.tl-views rect').length"), 1)

    box = b.run("""[...document.querySelectorAll('.tl-box[data-box]')]
        .find(a => a.querySelector('title').textContent.startsWith('relu1/out'))
        .getAttribute('data-box')""")
    b.run(CLICK.format(f"[data-box='{box}']"))
    same("card", b.run(SHOWN), ["relu1/out"])
    facts = b.run(f"document.getElementById('b{box}').textContent")
    for fact in ("relu1 (op 1)", "dw2 (op 2), add3 (op 3)",
                 "read for the last time by 'add3' (op 3)", "0 to 512, 512 B",
                 "512 B, written over conv1/out at relu1 (op 1)"):
        assert fact in facts, (fact, facts)

    step_to(b, 5)  # dw2 writes: the skip connection's value, its own, the caller's
    same("held", held(b), ["gain", "dw2/out", "relu1/out"])
    same("bytes", b.run("document.getElementById('step-now').textContent"),
         "half-step 5: op 2, dw2, writes; 3 buffers, 1,536 B")
    step_to(b, 13)  # the overlap counts its bytes once
    same("shared bytes once", b.run("document.getElementById('step-now').textContent"),
         "half-step 13: op 6, fc6, writes; 4 buffers, 1,034 B")
    step_to(b, 16)
    same("the end", held(b), ["gain", "y"])

    b.run(CLICK.format("[data-filter=rejected]"))
    same("filter", b.run("""[...document.querySelectorAll('#decisions tbody tr')]
        .filter(r => !r.hidden).map(r => r.dataset.verdict)"""), ["rejected", "rejected"])
    before = b.run("document.querySelector('.tl-plot-svg').getAttribute('width')")
    b.run(CLICK.format("#fit"))
    same("fits", b.run("""(() => { const s = document.querySelector('.scroller');
        return s.scrollWidth <= s.clientWidth; })()"""), True)
    b.run(CLICK.format("#fit"))
    same("and back", b.run("document.querySelector('.tl-plot-svg').getAttribute('width')"),
         before)
    same("complaints after use", b.complaints(), [])


def check_hostile(b, folder):
    quiet(b, folder / "hostile.report.html", "hostile")
    same("elements of ours only", b.run("""[...new Set([...document.querySelectorAll('*')]
        .map(e => e.localName))].filter(n => ['img', 'b', 'iframe', 'object'].includes(n))"""),
         [])
    same("scripts", b.run("document.scripts.length"), 1)
    same("style sheets", b.run("document.styleSheets.length"), 2)
    same("handlers", b.run("""[...document.querySelectorAll('*')].filter(e =>
        [...e.attributes].some(a => a.name.startsWith('on') || a.name === 'style')).length"""), 0)
    same("verdict", b.run(VERDICT), "verdict verdict-bad")
    same("nothing is green", b.run("document.body.classList.contains('verified')"), False)
    name = b.run("document.getElementById('name').textContent")
    assert "<img src=x onerror=alert(1)>" in name, name
    assert "\\x1b[31m" in name and "\\u{202e}" in name, name
    step_to(b, 5)
    same("names stay text", b.run("document.querySelectorAll('#held img').length"), 0)
    assert held(b)[0].startswith("</script>"), held(b)
    same("complaints after use", b.complaints(), [])


def check_shapes(b, folder):
    for prefix in ("usual", "hostile", "regions"):
        for width in (320, 390, 800, 1280):
            b.size(width, 900)
            b.open(folder / f"{prefix}.report.html")
            wide = b.run("document.documentElement.scrollWidth")
            assert wide <= width, f"{prefix} at {width}: {wide} wide"
    b.size(1280, 900)


def check_regions(b, folder):
    quiet(b, folder / "regions.report.html", "regions")
    same("plots", b.run("document.querySelectorAll('.tl-plot-svg').length"), 2)
    same("verdict", b.run(VERDICT), "verdict verdict-open")
    step_to(b, 5)
    same("regions apart", b.run("document.getElementById('step-now').textContent"),
         "half-step 5: op 2, dw2, writes; 3 buffers, 1,536 B")


def check_dark(b, folder):
    colors = set()
    for scheme in ("light", "dark"):
        b.scheme(scheme)
        b.open(folder / "usual.report.html")
        colors.add(b.run("getComputedStyle(document.body).backgroundColor"))
    b.scheme("light")
    same("two backgrounds", len(colors), 2)


def check_without_script(b, folder):
    b.open(folder / "regions.report.html")  # elsewhere, so that the next one loads
    b.script(False)
    b.open(str(folder / "usual.report.html") + "#b3")
    same("card of the address", b.run(SHOWN), ["conv1/out"])
    same("no dead controls", b.run("""[...document.querySelectorAll('.needs-js')]
        .filter(e => getComputedStyle(e).display !== 'none').length"""), 0)
    same("tables", b.run("document.querySelectorAll('#tensors tbody tr').length"), 13)
    b.script(True)


def check_svg(b, folder):
    for prefix in ("usual", "hostile", "regions"):
        path = folder / f"{prefix}.timeline.svg"
        b.open(path)
        same(f"{path}: complaints", b.complaints(), [])
        same(f"{path}: root", b.run("document.documentElement.localName"), "svg")
        same(f"{path}: boxes", b.run("document.querySelectorAll('.tl-box').length"), 11)
        same(f"{path}: scripts", b.run("document.querySelectorAll('script, image').length"), 0)


def main():
    program = cdp.find_browser()
    if not program:
        print("# skip: no browser")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        subprocess.run([sys.argv[1], name], check=True)
        b = cdp.Browser(program)
        try:
            b.size(1280, 900)
            for check in (check_usual, check_hostile, check_regions, check_shapes,
                          check_dark, check_without_script, check_svg):
                check(b, folder)
                print("ok -", check.__name__)
        finally:
            b.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

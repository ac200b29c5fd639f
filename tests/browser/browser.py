#!/usr/bin/env python3
"""Opens the HTML report in a browser and uses it: usage: browser.py WRITE_SAMPLES TENURE FIXTURES [FOLDER]

Without a browser the test skips (exit status 77). axe-core, which judges accessibility, is
installed into FOLDER by npm, once; without npm or its registry all but that check is done, and
the test still counts as skipped, not as passed.
"""
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
import cdp  # noqa: E402
import odd  # noqa: E402
from page import (CLICK, SHOWN, VERDICT, same, quiet, plan_of, step_to, held,  # noqa: E402
                  key, rows, box_of)
import served  # noqa: E402


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
    same("overlaps", b.run("tenure.plans[0].overlaps.length"), 6)
    same("drawn", b.run("""document.querySelector('.tl-overlaps .tl-overlap')
        .getAttribute('d').split('M').length - 1"""), 6)
    same("views", b.run("document.querySelectorAll('.tl-views path').length"), 1)

    b.run(CLICK.format(f"[data-box='{box_of(b, 'relu1/out')}']"))
    same("card", b.run(SHOWN), ["relu1/out"])
    facts = b.run("document.querySelector('.card').textContent")
    for fact in ("relu1 (op 1)", "dw2 (op 2), add3 (op 3)", "Last readadd3 (op 3)",
                 "read for the last time by add3 (op 3)", "0 to 512, 512 B",
                 "512 B, written over conv1/out at relu1 (op 1)",
                 "O1: ", "writer dw2 (op 2); victim relu1/out, bytes [0, 512); reader add3"):
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
    same("complaints after use", b.complaints(), [])


def check_tables(b, folder):
    b.open(folder / "usual.report.html")
    for section, n in (("decisions", 10), ("ops", 8), ("tensors", 13)):
        same(section, rows(b, section), n)
    same("peak", b.run("document.querySelectorAll('#ops tr.peak-row').length"), 1)
    b.run(CLICK.format("[data-filter=rejected]"))
    same("filter", b.run("""[...document.querySelectorAll('#decisions tbody tr')]
        .map(r => r.dataset.verdict)"""), ["rejected", "rejected"])
    b.run("""(() => { const s = document.querySelector('#tensors input'); s.value = 'RELU';
        s.dispatchEvent(new Event('input')); })()""")
    same("search", b.run("document.querySelector('#tensors tbody').textContent.includes('relu1/out')"),
         True)
    same("found", rows(b, "tensors"), 1)
    b.run("""(() => { const s = document.querySelector('#tensors input'); s.value = '';
        s.dispatchEvent(new Event('input')); })()""")
    column = """[...document.querySelectorAll('#tensors tbody tr')]
        .map(r => Number(r.children[5].textContent.replaceAll(',', '')))"""
    for order in (True, False):
        b.run(CLICK.format("#tensors th:nth-child(6) button"))
        got = b.run(column)
        same("sorted", got, sorted(got, reverse=order))
        same("said", b.run("document.querySelector('#tensors th:nth-child(6)').ariaSort"),
             "descending" if order else "ascending")
    b.run(CLICK.format("#tensors th:nth-child(6) button"))
    b.run(CLICK.format("#ops tr[data-op='2']"))
    same("an op's row moves the step", b.run("document.getElementById('step').value"), "5")
    before = b.run("document.querySelector('#roofline p').textContent")
    b.run("""(() => { const s = document.getElementById('core'); s.selectedIndex = 5;
        s.dispatchEvent(new Event('change')); })()""")
    assert before != b.run("document.querySelector('#roofline p').textContent")
    same("dots", b.run("document.querySelectorAll('.roof-dot').length"), 3)
    same("complaints", b.complaints(), [])


def check_keys(b, folder):
    b.open(folder / "usual.report.html")
    key(b, "ArrowRight")
    seen = [b.run(SHOWN)[0]]
    for _ in range(3):
        key(b, "ArrowRight")
        seen.append(b.run(SHOWN)[0])
    same("each once", len(set(seen)), 4)
    key(b, "ArrowLeft")
    same("and back", b.run(SHOWN)[0], seen[2])
    same("it is said", b.run("document.getElementById('said').textContent").split(", ")[0],
         seen[2])
    width = "document.querySelector('.tl-space').getBoundingClientRect().width"
    fits = b.run(width)
    for _ in range(4):
        key(b, "+")
    assert b.run(width) > 1.4 * fits
    key(b, "0")
    same("fits again", b.run(width), fits)
    b.run(CLICK.format("#taller"))
    assert b.run("document.querySelector('.scroller').scrollHeight") > 800
    b.run(CLICK.format("#fit"))
    b.run("""document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))""")
    same("let go", b.run(SHOWN), ["No buffer chosen"])
    same("nothing is said", b.run("document.getElementById('said').textContent"), "")


def check_compare(b, folder, tenure, fixtures):
    graph = fixtures / "graphs" / "vww_i8.json"
    page = folder / "vww.html"
    served.run([tenure, "report", graph, "-o", page], check=True)
    plan = plan_of(tenure, graph)
    none = plan_of(tenure, graph, "--overlap", "none")
    quiet(b, page, "vww")
    same("plans", b.run("tenure.plans.map(p => p.id)"), ["planned", "disjoint", "none"])
    same("their bytes", b.run("tenure.plans.map(p => p.bytes)"),
         [plan["activation_bytes"], none["activation_bytes"], plan["no_reuse_bytes"]])
    heights = []
    for k in ("disjoint", "none", "planned"):
        b.run(CLICK.format(f"[data-plan={k}]"))
        same(k, b.run("tenure.timeline.view.plan.id"), k)
        heights.append(b.run("""Math.min(...[...document.querySelectorAll('.tl-boxes .tl-body')]
            .map(r => r.getBBox().y))"""))
        same("no overlap is drawn", b.run(
            "document.querySelectorAll('.tl-overlaps path').length > 0"), k == "planned")
    same("complaints", b.complaints(), [])


def check_numbers(b, folder, tenure, fixtures):
    """What stands on the page is what stands in the plan."""
    for name in ("kws_i8", "residual_i8", "resnet8_i8"):
        graph = fixtures / "graphs" / f"{name}.json"
        page = folder / f"{name}.html"
        served.run([tenure, "report", graph, "-o", page], check=True)
        plan = plan_of(tenure, graph)
        b.open(page)
        got = b.run("""[...document.querySelectorAll('#tensors tbody tr')].map(r =>
            [...r.children].map(c => c.textContent.replaceAll(',', '')))""")
        cells = {int(r[0]): r for r in got}
        for t in plan["tensors"]:
            same(f"{name}: {t['name']}", [int(c) for c in cells[t["index"]][5:9]],
                 [t["bytes"], t["offset"], t["first"], t["last"]])
        got = b.run("""[...document.querySelectorAll('#ops tbody tr')].map(r =>
            [...r.children].map(c => c.textContent.replaceAll(',', '')))""")
        same(f"{name}: ops", [[r[1], *(int(c) for c in r[3:7])] for r in got],
             [[o["name"], o["live_bytes"], o["macs"], o["bytes_read"], o["bytes_written"]]
              for o in plan["ops"]])
        figures = b.run("""[...document.querySelectorAll('.figure-value')].map(
            v => Number(v.firstChild.textContent.replaceAll(',', '')))""")
        same(f"{name}: figures", figures, [plan[k] for k in (
            "activation_bytes", "bound_bytes", "disjoint_bound_bytes", "no_reuse_bytes")])
        got = b.run("""[...document.querySelectorAll('#decisions tbody tr')].map(r =>
            [r.dataset.verdict === 'proved', Number(r.children[3].textContent.replaceAll(',', '')),
             r.children[5].firstChild.textContent.replace(/^fails O\\d: /, '')])""")
        same(f"{name}: decisions", got, [
            [d["verdict"] == "proved", d["saves_bytes"], d["reason"]]
            for d in plan["decisions"]])
        again = folder / "again.html"
        subprocess.run([tenure, "report", graph, "-o", again], check=True)
        same("same bytes", again.read_bytes() == page.read_bytes(), True)
        assert page.stat().st_size < 1 << 20


def check_budget(b, folder, tenure, fixtures):
    graph = fixtures / "graphs" / "kws_i8.json"
    page = folder / "budget.html"
    served.run([tenure, "report", graph, "-o", page, "--ram", "20K", "--validate"],
               check=False)
    quiet(b, page, "budget")
    same("line", b.run("document.querySelectorAll('.tl-budget').length"), 1)
    text = b.run("document.querySelector('#runs').textContent")
    assert "executor" in text and "same" in text, text
    same("digests", b.run("document.querySelectorAll('#runs details tbody tr').length > 3"), True)


def check_refused(b, folder, tenure, fixtures):
    """The head of a page whose plan is refused says what the verifier found, not only its rule."""
    graph, page, bad = fixtures / "graphs" / "kws_i8.json", folder / "refused.html", folder / "refused.json"
    plan = plan_of(tenure, graph)
    next(t for t in plan["tensors"] if t["bytes"] >= 8000 and t["offset"] > 0)["offset"] -= 16
    bad.write_text(json.dumps(plan))
    done = served.run([tenure, "report", graph, "--plan", bad, "-o", page],
                      capture_output=True, text=True)
    quiet(b, page, "refused")
    said = re.search(r"error: (.*) \[(plan/\S+)\]", done.stderr)
    text = b.run("document.querySelector('#verdict span').textContent")
    assert said[1] in text and f"[{said[2]}]" in text, (text, done.stderr)
    same("verdict", b.run(VERDICT), "verdict verdict-bad")
    same("nothing is green", b.run("document.body.classList.contains('verified')"), False)


def check_board(b, folder, tenure, fixtures):
    """The roofline is that of the board's core, and a slow memory counts."""
    graph, page = fixtures / "graphs" / "kws_i8.json", folder / "board.html"

    def look(*options):
        served.run([tenure, "report", graph, "-o", page, *options], check=True)
        quiet(b, page, "board")
        return (b.run("document.getElementById('core').value"),
                b.run("document.querySelectorAll('.tl-beyond').length"),
                b.run("document.querySelectorAll('.roof-line').length"),
                b.run("""[...document.querySelectorAll('#ops tbody tr')].map(r =>
                    Number(r.children[r.children.length - 3].textContent.replaceAll(',', '')))"""))

    core, beyond, lines, fast = look("--region", "ram:64K")
    same("usual", (core, beyond, lines), ("cortex-m4", 1, 1))
    core, beyond, lines, slow = look("--region", "ram:64K:16:4")
    same("slow memory", (core, lines), ("cortex-m4", 2))
    assert all(s >= f for s, f in zip(slow, fast)) and sum(slow) > sum(fast), (fast, slow)
    same("the pool waits four times as long", slow[9], 4 * fast[9])
    core, beyond, lines, _ = look("--target", "stm32f746")
    same("board", (core, beyond, lines), ("cortex-m7", 1, 2))
    text = b.run("document.querySelector('#roofline p').textContent")
    assert "Estimate" in text and "at 216 MHz" in text, text
    same("the op at which nothing runs moves nothing", b.run("""[...document.querySelectorAll(
        '#ops tbody tr')][10].children[8].textContent"""), "0")
    core, _, _, _ = look("--target", "esp32s3")
    assert "no figures" in b.run("document.querySelector('#roofline p').textContent")
    same("figures", b.run("document.querySelectorAll('.figure-budget').length"), 1)
    served.run([tenure, "report", graph, "-o", page, "--ram", "8K"], check=False)
    b.open(page)
    same("too much", b.run("document.querySelectorAll('.figure-over').length"), 1)
    same("over", b.run(VERDICT), "verdict verdict-open")
    text = b.run("document.querySelector('#verdict').textContent")
    assert text.startswith("Verified, but over the budget") and text.endswith(" 192 B do not fit."), text
    text = b.run("document.querySelector('.figure-over .figure-note').textContent")
    same("figure", text, "192 B more than the budget of 8,192 B")
    for room, words in ("8K", " B used of 8,192 B: 192 B DO NOT FIT\n"), ("9K", " B used of 9,216 B\n"):
        text = served.run([tenure, "report", graph, "--ascii", "--ram", room],
                          capture_output=True, text=True).stdout
        assert words in text, text
    served.run([tenure, "report", graph, "-o", page, "--region", "a:8K", "--region", "b:1M"], check=False)
    if page.exists():
        b.open(page)
        same("it fits", b.run(VERDICT), "verdict verdict-good")


def check_diff(b, folder, tenure, fixtures):
    """Two versions: what the page says is what the JSON says, and names stay text."""
    old, new = fixtures / "graphs" / "vww_i8.json", folder / "wider.json"
    graph = json.loads(old.read_text())
    for op in graph["ops"]:
        op["name"] = op.get("name", op["type"]) + "<img src=x onerror=alert(1)>"
    new.write_text(json.dumps(graph))
    page = folder / "diff.html"
    for before, after in ((old, new), (old, fixtures / "graphs" / "kws_i8.json")):
        said = served.run([tenure, "diff", before, after, "--format", "json"],
                          capture_output=True, text=True, check=True)
        figures = json.loads(said.stdout)["figures"]
        served.run([tenure, "diff", before, after, "-o", page], check=True)
        b.open(page)
        same("diff: complaints", b.complaints(), [])
        same("diff: requests", b.requests(), [f"file://{page}"])
        same("diff: no images", b.run("document.images.length"), 0)
        same("diff: arena", b.run("""[...document.querySelectorAll('#figures tr:first-child .num')]
            .slice(-3, -1).map(c => Number(c.textContent.replaceAll(',', '')))"""),
             [figures["arena_bytes"]["before"], figures["arena_bytes"]["after"]])
        same("diff: two pictures", b.run("document.querySelectorAll('.sides .tl-boxes').length"), 2)
        same("diff: one scale", b.run("""new Set([...document.querySelectorAll('.tl-axis-svg')]
            .map(s => s.textContent)).size"""), 1)
        for width in (390, 1280):
            b.resize(width, 900)
            assert b.run("document.documentElement.scrollWidth") <= width, width
            assert b.run("""(w => w.scrollWidth <= w.clientWidth)(
                document.querySelector('#figures .table-wrap'))"""), f"figures, {width} wide"
        b.size(1280, 900)
    same("diff: lost", b.run("document.querySelectorAll('.tag-removed').length > 0"), True)


def axe_source(folder):
    """axe-core's text, or None; npm's own client fetches it, once. Where there is no network
    it tries once more and gives up: it would wait for a minute and a half."""
    path = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(["npm", "install", "--no-save", "--no-audit", "--no-fund",
                            "--ignore-scripts", "--fetch-retries=1",
                            "--fetch-retry-mintimeout=2000", "--prefix", str(folder),
                            "axe-core@4.14.1"], capture_output=True, timeout=120)
    return path.read_text(encoding="utf-8") if path.exists() else None


# Content of A4 and Letter with our margins, upright, and across.
PAPERS = ((703, 1032), (725, 965), (1032, 703))


def headings_at_the_end(pdf):
    """Pages that end with a heading; nothing without a program that reads them."""
    if not shutil.which("pdftotext"):
        return []
    text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, check=True,
                          capture_output=True).stdout.decode()
    last = [page.strip().split("\n")[-1].strip() for page in text.split("\f") if page.strip()]
    return [line for line in last if line in (
        "Arena over time", "Findings", "In-place decisions", "Work and bytes moved",
        "Ops, in execution order", "Tensors", "Assumptions")]


def check_print(b, folder):
    """On paper all of the timeline is there, as wide as a page, and so are the tables."""
    for name, pages in (("kws_i8", 20), ("vww", 30), ("large", 80)):
        b.open(folder / f"{name}.html")
        before = b.run("tenure.timeline.view.kx")
        b.call("Emulation.setEmulatedMedia", media="print")
        large = name == "large"  # minutes of printing: upright one way, across the other
        for paper in PAPERS[::2] if large else PAPERS:
            b.size(*paper)
            b.run("window.dispatchEvent(new Event('beforeprint'))")
            used, there, height, wide = b.run("""(() => {
                const f = document.querySelector('.tl-frame').getBoundingClientRect(),
                    s = [...document.querySelectorAll('.tl-axis-svg, .tl-plot-svg')].slice(0, 2)
                        .map(e => e.getBoundingClientRect());
                return [s[0].width + s[1].width, f.width, s[1].height,
                    document.documentElement.clientWidth]; })()""")
            assert abs(used - there) < 4, (name, paper, used, there)
            assert there > (0.7 if paper[0] > paper[1] else 0.99) * wide, (paper, there)
            assert 0 < height < paper[1] - 100, (name, paper, height)
            same("all of it", b.run("tenure.timeline.view.kx * tenure.steps <= 631"), True)
            if not large:
                assert b.run("document.documentElement.scrollWidth") <= paper[0], (name, paper)
            b.run("window.dispatchEvent(new Event('afterprint'))")
        same("no tools", b.run("""[...document.querySelectorAll('.tools, .stepper, .table-bar')]
            .filter(e => getComputedStyle(e).display !== 'none').length"""), 0)
        same("tables", b.run("""[...document.querySelectorAll('.table-wrap')].filter(e =>
            getComputedStyle(e).contentVisibility !== 'visible').length"""), 0)
        same("headings stay with what follows", b.run("""[...document.querySelectorAll('h2, h3, h4')]
            .filter(e => getComputedStyle(e).breakAfter !== 'avoid').length"""), 0)
        b.call("Emulation.setEmulatedMedia", media="")
        b.size(1280, 900)
        same("as before", b.run("tenure.timeline.view.kx"), before)
        for landscape in [True] if large else (False, True):
            printed = base64.b64decode(b.call("Page.printToPDF", printBackground=False,
                                              landscape=landscape)["data"])
            n = len(re.findall(rb"/Type\s*/Page\b", printed))
            assert printed.startswith(b"%PDF") and 1 < n < pages, (name, n)
            same(f"{name}: headings alone", headings_at_the_end(printed), [])
    same("complaints", b.complaints(), [])


def check_accessibility(b, folder, axe):
    for page in ("usual.report.html", "hostile.report.html", "regions.report.html",
                 "vww.html", "half.html", "diff.html"):
        # colours do not depend on the width, nor what is where on the colours
        for scheme, width in (("light", 1280), ("dark", 390)):
            b.resize(width, 900)
            b.scheme(scheme)
            b.open(folder / page)
            if "diff" not in page:
                b.run("tenure.timeline.choose(1)")
            b.run(axe + ";0")
            found = b.wait("""axe.run(document, {resultTypes: ['violations']}).then(r =>
                r.violations.filter(v => ['serious', 'critical'].includes(v.impact))
                .map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')))""")
            same(f"{page}, {scheme}, {width}", found, [])
    b.scheme("light")
    b.size(1280, 900)


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
    b.open(str(folder / "usual.report.html"))
    same("picture", b.run("document.querySelectorAll('#static .tl-boxes > g').length"), 11)
    same("no dead controls", b.run("""[...document.querySelectorAll('.needs-js')]
        .filter(e => getComputedStyle(e).display !== 'none').length"""), 0)
    same("a word", b.run("getComputedStyle(document.querySelector('.no-script')).display"),
         "block")
    b.script(True)


def check_svg(b, folder):
    for prefix in ("usual", "hostile", "regions"):
        path = folder / f"{prefix}.timeline.svg"
        b.open(path)
        same(f"{path}: complaints", b.complaints(), [])
        same(f"{path}: root", b.run("document.documentElement.localName"), "svg")
        same(f"{path}: boxes", b.run("document.querySelectorAll('.tl-boxes > g').length"), 11)
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
            for check in (check_usual, check_tables, check_keys, odd.check_hostile,
                          odd.check_regions, odd.check_shapes, check_dark, check_without_script,
                          check_svg):
                check(b, folder)
                print("ok -", check.__name__)
            for check in (check_compare, check_numbers, check_budget, check_refused,
                          check_board, check_diff, odd.check_streams, odd.check_removed,
                          odd.check_labels):
                check(b, folder, sys.argv[2], Path(sys.argv[3]))
                print("ok -", check.__name__)
            for check in (odd.check_large, odd.check_nothing_runs, odd.check_brief,
                          odd.check_empty, odd.check_not_counted, odd.check_sizes,
                          odd.check_letters):
                check(b, folder, sys.argv[2])
                print("ok -", check.__name__)
            check_print(b, folder)
            print("ok - check_print")
            axe = axe_source(Path(sys.argv[4])) if len(sys.argv) > 4 else None
            if axe:
                check_accessibility(b, folder, axe)
                print("ok - check_accessibility")
            else:
                print("# skip: no axe-core: nobody has looked at accessibility")
                return 77
        finally:
            b.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

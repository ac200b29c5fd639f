#!/usr/bin/env python3
"""Opens the HTML report in a browser and uses it: usage: browser.py WRITE_SAMPLES TENURE FIXTURES [FOLDER]

Without a browser the test skips (exit status 77). axe-core, which judges accessibility, is
installed into FOLDER by npm, once; without npm or its registry all but that check is done, and
the test still counts as skipped, not as passed.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cdp  # noqa: E402
import formats  # noqa: E402

CLICK = ("document.querySelector({!r}).dispatchEvent("
         "new MouseEvent('click', {{bubbles: true, cancelable: true}}))")
SHOWN = "[...document.querySelectorAll('.card h3')].map(h => h.firstChild.textContent.trim())"
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


def plan_of(tenure, graph, *options):
    done = subprocess.run([tenure, "plan", graph, "--json", *options], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def step_to(b, step):
    b.run(f"""(() => {{ const s = document.getElementById('step'); s.value = {step};
        s.dispatchEvent(new Event('input')); }})()""")


def held(b):
    return b.run("[...document.querySelectorAll('#held a')].map(a => a.textContent)")


def key(b, name):
    b.run(f"""document.querySelector('.scroller').dispatchEvent(
        new KeyboardEvent('keydown', {{key: {name!r}, bubbles: true, cancelable: true}}))""")


def rows(b, section):
    return b.run(f"document.querySelectorAll('#{section} tbody tr').length")


def box_of(b, name):
    return b.run(f"""[...document.querySelectorAll('.tl-box[data-box]')]
        .find(a => a.querySelector('title').textContent.startsWith({name!r})).dataset.box""")


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
    subprocess.run([tenure, "report", graph, "-o", page], check=True)
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
        subprocess.run([tenure, "report", graph, "-o", page], check=True)
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
    subprocess.run([tenure, "report", graph, "-o", page, "--ram", "20K", "--validate"],
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
    done = subprocess.run([tenure, "report", graph, "--plan", bad, "-o", page],
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
        subprocess.run([tenure, "report", graph, "-o", page, *options], check=True)
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
    subprocess.run([tenure, "report", graph, "-o", page, "--ram", "8K"], check=False)
    b.open(page)
    same("too much", b.run("document.querySelectorAll('.figure-over').length"), 1)
    same("over", b.run(VERDICT), "verdict verdict-open")
    text = b.run("document.querySelector('#verdict').textContent")
    assert text.startswith("Verified, but over the budget") and text.endswith(" 192 B do not fit."), text
    text = b.run("document.querySelector('.figure-over .figure-note').textContent")
    same("figure", text, "192 B more than the budget of 8,192 B")
    for room, words in ("8K", " B used of 8,192 B: 192 B DO NOT FIT\n"), ("9K", " B used of 9,216 B\n"):
        text = subprocess.run([tenure, "report", graph, "--ascii", "--ram", room],
                              capture_output=True, text=True).stdout
        assert words in text, text
    subprocess.run([tenure, "report", graph, "-o", page, "--region", "a:8K", "--region", "b:1M"], check=False)
    if page.exists():
        b.open(page)
        same("it fits", b.run(VERDICT), "verdict verdict-good")


# What a frame makes: elements, and letters of their paths. How long that takes is for
# bench/browser.py to say.
WORK = """(() => { const svg = document.querySelector('.tl-plot-svg');
    return [svg.querySelectorAll('*').length, [...svg.querySelectorAll('path')].reduce(
        (n, p) => n + (p.getAttribute('d') || '').length, 0)]; })()"""
ELEMENTS, LETTERS = 2000, 1500000


def check_large(b, folder, tenure):
    """Thousands of buffers: the work per frame is small, and all of it is there."""
    sys.path.insert(0, str(Path(__file__).parent))
    import large
    graph, page = folder / "large.json", folder / "large.html"
    graph.write_text(json.dumps(large.graph(5000)))
    subprocess.run([tenure, "report", graph, "-o", page], check=True)
    quiet(b, page, "large")
    same("buffers", b.run("tenure.plans[0].boxes.n > 4500"), True)
    same("few rows at once", rows(b, "tensors"), 200)
    b.run(CLICK.format("#tensors .more"))
    same("more", rows(b, "tensors"), 1200)

    def bounded(what):
        elements, letters = b.run(WORK)
        assert elements < ELEMENTS and letters < LETTERS, (what, elements, letters)

    for zoom in (0.25, 1, 4, 40):
        b.run(f"tenure.timeline.fit(); tenure.timeline.zoom({zoom}, 0)"
              if zoom != 1 else "tenure.timeline.goTo(0)")
        for place in (0, 0.3, 0.9):
            b.run(f"tenure.timeline.goTo({place} * tenure.steps)")
            bounded((zoom, place))
    drawn = b.wait("""new Promise(done => {
        const s = document.querySelector('.scroller'), left = s.scrollLeft; let n = 0, draws = 0;
        tenure.timeline.goTo(0);
        new MutationObserver(() => draws++).observe(document.querySelector('.tl-plot-svg'),
            {childList: true, subtree: true});
        requestAnimationFrame(function pan() {
            s.scrollLeft += 4;
            if (++n < 60) requestAnimationFrame(pan); else done(draws); }); })""")
    assert drawn < 10, f"{drawn} of 60 frames were drawn anew to pan by a quarter of the width"
    b.run("tenure.timeline.fit()")
    same("all of it at once", b.run("""document.querySelector('.scroller').scrollWidth <=
        document.querySelector('.scroller').clientWidth + 1"""), True)
    bounded("all of it")
    same("complaints", b.complaints(), [])


def check_diff(b, folder, tenure, fixtures):
    """Two versions: what the page says is what the JSON says, and names stay text."""
    old, new = fixtures / "graphs" / "vww_i8.json", folder / "wider.json"
    graph = json.loads(old.read_text())
    for op in graph["ops"]:
        op["name"] = op.get("name", op["type"]) + "<img src=x onerror=alert(1)>"
    new.write_text(json.dumps(graph))
    page = folder / "diff.html"
    for before, after in ((old, new), (old, fixtures / "graphs" / "kws_i8.json")):
        said = subprocess.run([tenure, "diff", before, after, "--format", "json"],
                              capture_output=True, text=True, check=True)
        figures = json.loads(said.stdout)["figures"]
        subprocess.run([tenure, "diff", before, after, "-o", page], check=True)
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
            b.size(width, 900)
            assert b.run("document.documentElement.scrollWidth") <= width, width
            assert b.run("""(w => w.scrollWidth <= w.clientWidth)(
                document.querySelector('#figures .table-wrap'))"""), f"figures, {width} wide"
        b.size(1280, 900)
    same("diff: lost", b.run("document.querySelectorAll('.tag-removed').length > 0"), True)


def axe_source(folder):
    """axe-core's text, or None; npm's own client fetches it, once."""
    path = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-save", "--no-audit", "--no-fund",
                        "--ignore-scripts", "--prefix", str(folder), "axe-core@4.14.1"],
                       capture_output=True, timeout=120)
    return path.read_text(encoding="utf-8") if path.exists() else None


def check_nothing_runs(b, folder, tenure):
    """No op, no peak: keys and buttons find what there is, and nothing breaks."""
    graph, page = folder / "still.json", folder / "still.html"
    for tensors in ([], [{"name": "x", "dtype": "i8", "shape": [4], "role": "input"}],
                    [{"name": "c", "dtype": "i8", "shape": [2], "data": {"seed": 1}}]):
        graph.write_text(json.dumps({"format": "tenure.graph/1", "tensors": tensors, "ops": []}))
        subprocess.run([tenure, "report", graph, "-o", page], check=True)
        quiet(b, page, "nothing runs")
        for name in ("ArrowRight", "ArrowUp", "p", "+", "-", "0", "End"):
            if b.run("!!document.querySelector('.scroller')"):
                key(b, name)
        buffers = b.run("tenure.plans[0].boxes.n")
        same("buffers", buffers, len([t for t in tensors if t.get("role") == "input"]))
        if buffers:
            same("the first key chooses one", b.run(SHOWN), ["x"])
        for k in ("none", "planned"):
            b.run(CLICK.format(f"[data-plan={k}]"))
        same("tensors", rows(b, "tensors"), len(tensors))
        same("complaints", b.complaints(), [])


def check_empty(b, folder, tenure):
    """A tensor of 0 bytes has no buffer, and a life all the same."""
    graph, page = folder / "empty.json", folder / "empty.html"
    graph.write_text(json.dumps(formats.EMPTY))
    subprocess.run([tenure, "report", graph, "-o", page], check=True)
    quiet(b, page, "empty")
    plan = {t["name"]: t for t in plan_of(tenure, graph)["tensors"]}
    got = {r[1]: r for r in b.run("""[...document.querySelectorAll('#tensors tbody tr')].map(r =>
        [...r.children].map(c => c.textContent))""")}
    same("tensors", sorted(got), sorted(plan))
    for name, t in plan.items():
        same(name, [int(c) for c in got[name][5:9]],
             [t["bytes"], t["offset"], t["first"], t["last"]])
        assert ("no bytes; " in got[name][9]) == (t["bytes"] == 0), got[name]
    assert "read for the last time by join (op 3)" in got["kept"][9], got["kept"]
    same("complaints", b.complaints(), [])


def check_brief(b, folder, tenure):
    """Of names that a converter has joined, labels and links take the first; all of it is in the
    heading of the card, and in titles."""
    first, rest = "model/activation_{}/Relu", ";model/batch_norm/Fused;model/ReadVariableOp/resource1"
    names = [first.format(k) + rest for k in range(4)]
    graph, page, picture = (folder / f"brief.{kind}" for kind in ("json", "html", "svg"))
    graph.write_text(json.dumps({"format": "tenure.graph/1", "tensors": [
        {"name": n, "dtype": "i8", "shape": [4096], **({"role": r} if r else {})}
        for n, r in zip(names, ("input", None, None, "output"))], "ops": [
            {"type": "RELU", "inputs": [a], "outputs": [b]} for a, b in zip(names, names[1:])]}))
    subprocess.run([tenure, "report", graph, "--rewrite", "none", "-o", page, "--svg", picture],
                   check=True)
    quiet(b, page, "brief")
    b.run(f"tenure.timeline.choose({box_of(b, names[1])})")
    label = "[...document.querySelectorAll('.tl-name')].map(n => n.textContent)"
    assert b.run(label) and all(text.endswith("Relu") for text in b.run(label)), b.run(label)
    same("heading", b.run(SHOWN), [names[1]])
    links = b.run("[...document.querySelectorAll('#cards a, #cards dd span, #held a')].map(a => [a.textContent, a.title])")
    assert links and all(text + rest == title for text, title in links), links
    links = b.run("[...document.querySelectorAll('#tensors td a, #decisions td a')].map(a => [a.textContent, a.title])")
    assert len(links) > 8 and all(title.endswith(rest) and rest not in text for text, title in links), links
    why = b.run("[...document.querySelectorAll('#decisions td:last-child')].map(a => a.textContent)")
    assert len(why) == 3 and all("/Relu..'" in text and "resource1" not in text for text in why), why
    b.open(picture)
    assert b.run(label) and all(text.endswith("Relu") for text in b.run(label)), b.run(label)
    same("complaints", b.complaints(), [])


def check_removed(b, folder, tenure, fixtures):
    """Tensors that rewrites have removed have a filter, and say so; no place."""
    graph, page = fixtures / "rewrites" / "qdq_net_i8.json", folder / "removed.html"
    subprocess.run([tenure, "report", graph, "-o", page], check=True)
    quiet(b, page, "removed")
    by = {r["tensor"]: r["pass"] for r in plan_of(tenure, graph)["rewrites"] if "tensor" in r}
    b.run(CLICK.format("#tensors [data-filter=removed]"))
    got = b.run("""[...document.querySelectorAll('#tensors tbody tr')].map(r =>
        [...r.children].map(c => c.textContent))""")
    assert len(got) > 3, got
    for row in got:
        same(row[1], row[2], "removed")
        same(f"{row[1]}: place", row[6:9], ["", "", ""])
        assert row[9].startswith(f"removed by the rewrite {by[row[1]]} ("), row
    b.run(CLICK.format("#tensors [data-filter=activation]"))
    same("placed, or in its own place", b.run("""[...document.querySelectorAll('#tensors tbody tr')]
        .filter(r => !r.children[6].textContent).length"""), 0)
    same("complaints", b.complaints(), [])


def cell(n):
    return "not counted" if n is None else str(n)


def check_not_counted(b, folder, tenure):
    """What nobody knows is in no cell, no sum, no picture and no filter a number."""
    graph, page = folder / "half.json", folder / "half.html"
    graph.write_text(json.dumps(formats.half_known()))
    heads = "[...document.querySelectorAll('#ops th')].map(c => c.textContent)"
    table = """[...document.querySelectorAll('#ops tbody tr')].map(r =>
        [...r.children].map(c => c.textContent.replaceAll(',', '')))"""
    for options in ([], ["--region", "fast:40", "--region", "slow:64K:16:4"]):
        subprocess.run([tenure, "report", graph, "-o", page, *options], check=True)
        plan = plan_of(tenure, graph, *options)
        quiet(b, page, "half known")
        columns, got = b.run(heads), b.run(table)
        at = [columns.index(c) for c in ("MACs", "read, B", "written, B")]
        same("cells", [[r[k] for k in at] for r in got], [
            [cell(o[k]) for k in ("macs", "bytes_read", "bytes_written")] for o in plan["ops"]])
        same("unknown", [[c for c, v in zip(columns, r) if v == "not counted"] for r in got[2:]],
             [[], []])
        for name in ("MACs/B", "bound by", "cycles, at least"):
            same(name, [r[columns.index(name)] == "not counted" for r in got],
                 [True, True, False, False])
        for name in ("in fast, B", "in slow, B") if options else ():
            k = columns.index(name)
            same(name, [r[k] == "not counted" for r in got], [True, False, False, False])
        if options:
            sums = [sum(int(r[columns.index(f"in {n}, B")]) for n in ("fast", "slow"))
                    for r in got[1:]]
            same("regions", sums, [64, 64, 64])
        same("why", b.run("document.querySelector('#ops tbody td:nth-child(5)').title"),
             "it runs other ops, or its type or a size is not known")
        for k in range(1, len(columns) + 1):  # by every column, up and down
            for _ in range(2):
                b.run(CLICK.format(f"#ops th:nth-child({k}) button"))
                same(f"rows sorted by {columns[k - 1]}", sorted(b.run(table)), sorted(got))
        for name in ("memory-bound", "compute-bound"):
            b.run(CLICK.format(f"#ops [data-filter={name}]"))
            same(name, [r for r in b.run(table) if "not counted" in r], [])
        b.run(CLICK.format("#ops [data-filter='']"))
        same("dots", b.run("document.querySelectorAll('.roof-dot').length"), 1)
        for core in range(b.run("document.getElementById('core').options.length")):
            b.run(f"""(() => {{ const s = document.getElementById('core'); s.selectedIndex = {core};
                s.dispatchEvent(new Event('change')); }})()""")
            text = b.run("document.querySelector('#roofline p').textContent")
            assert "of 2 ops that run, without 2 ops that are not counted. By" in text, text
        text = b.run("document.body.innerText + document.querySelector('#roofline').innerHTML")
        same("no number that is none", re.findall("NaN|undefined|Infinity|null", text), [])
        for width in (390, 1280):
            b.size(width, 900)
            assert b.run("document.documentElement.scrollWidth") <= width, width
    same("complaints", b.complaints(), [])


def check_streams(b, folder, tenure, fixtures):
    """A ring is as high as the memory it takes; a click shows the chain's events."""
    graph, file, page = fixtures / "graphs" / "vww_i8.json", folder / "s.json", folder / "s.html"
    plan = plan_of(tenure, graph, "--stream", "auto")
    file.write_text(json.dumps(plan))
    subprocess.run([tenure, "report", graph, "--plan", file, "-o", page], check=True)
    quiet(b, page, "chains")
    ring = next(t for t in plan["tensors"] if "ring_bytes" in t)
    chain = plan["streams"][0]
    same("strips", b.run("document.querySelectorAll('.tl-layers .tl-stream, .tl-world .tl-stream').length"),
         len(plan["streams"]))
    same("rings", b.run("[...document.querySelectorAll('.tl-plot-svg .tl-ring')].map(r => Number(r.dataset.bytes))"),
         [t["ring_bytes"] for t in plan["tensors"] if "ring_bytes" in t])
    inside = [d for d in plan["decisions"] if "stream" in d]
    same("decisions of a chain", b.run("""[...document.querySelectorAll('#decisions tbody tr')].map(r =>
        r.querySelectorAll('.note.chain').length)"""), [int("stream" in d) for d in plan["decisions"]])
    b.run(f"tenure.timeline.choose({box_of(b, ring['name'])})")
    text = b.run("document.querySelector('.card').textContent")
    assert text.count("In a chainops") == sum(ring["name"] in (d["in"], d["out"]) for d in inside), text
    assert f"Ring{ring['ring_bytes']:,} B, in which the rows of the value, {ring['bytes']:,} B" in text, text
    got = b.run("""[...document.querySelectorAll('.stream > ol > li')].map(loop =>
        [loop.firstChild.textContent, loop.querySelectorAll('li').length])""")
    same("loops", got, [["once" if loop["times"] == 1 else f"{loop['times']:,} times", len(loop["events"])]
                        for loop in chain["loops"]])
    event = chain["loops"][0]["events"][0]
    first = b.run("document.querySelector('.stream ol ol li').textContent")
    assert first.startswith(plan["ops"][event[0]]["name"]) and f"{event[1]}" in first, first
    assert "row by row" in b.run("document.getElementById('run-order').textContent")
    same("complaints", b.complaints(), [])


WIDE = {"format": "tenure.graph/1", "tensors": [
    {"name": "x", "dtype": "i8", "role": "input"}, {"name": "m", "dtype": "i8"},
    {"name": "n", "dtype": "i8"}, {"name": "y", "dtype": "i8", "role": "output"}],
    "ops": [{"name": "f", "type": "F", "inputs": ["x"], "outputs": ["m"]},
            {"name": "r", "type": "RELU", "inputs": ["m"], "outputs": ["n"]},
            {"name": "g", "type": "F", "inputs": ["n"], "outputs": ["y"]}]}
# Numbers of these texts, thousands apart, in order.
NUMBERS = """[...document.querySelectorAll({!r})].map(n =>
    (n.textContent.match(/[0-9][0-9,]*/g) || []).map(t => t.replaceAll(',', '')))"""


def check_sizes(b, folder, tenure):
    """Sizes of any length are those of the plan to the last byte, and find their room."""
    graph, page = folder / "wide.json", folder / "wide.html"
    for size in (1 << 40, (1 << 53) - 1, (1 << 53) + 1, (1 << 56) + 12345, 456789123456789123):
        for t, n in zip(WIDE["tensors"], (size, size - 1, size - 1, size // 3)):
            t["shape"] = [n]
        graph.write_text(json.dumps(WIDE))
        done = subprocess.run([tenure, "report", graph, "-o", page, "--ram", f"{size * 3 - 7}"],
                              check=False, capture_output=True)
        assert done.returncode in (0, 1), done.stderr
        plan = plan_of(tenure, graph)
        quiet(b, page, f"{size}")
        cells = b.run("""[...document.querySelectorAll('#tensors tbody tr')].map(r =>
            [...r.children].slice(5, 7).map(c => c.textContent.replaceAll(',', '')))""")
        same(f"{size}: tensors", cells, [[str(t["bytes"]), str(t["offset"])]
                                         for t in plan["tensors"]])
        figures = [n[0] for n in b.run(NUMBERS.format(".figure-value"))][:4]
        same(f"{size}: figures", figures, [str(plan[k]) for k in (
            "activation_bytes", "bound_bytes", "disjoint_bound_bytes", "no_reuse_bytes")])
        cells = b.run("""[...document.querySelectorAll('#ops tbody tr')].map(r =>
            [...r.children].slice(3, 7).map(c => c.textContent.replaceAll(',', '')))""")
        same(f"{size}: ops", cells, [[cell(o[k]) for k in (
            "live_bytes", "macs", "bytes_read", "bytes_written")] for o in plan["ops"]])
        saves = b.run(NUMBERS.format("#decisions td:nth-child(4)"))
        same(f"{size}: decisions", [s[0] for s in saves],
             [str(d["saves_bytes"]) for d in plan["decisions"]])
        marks = {n for line in b.run(NUMBERS.format(".tl-mark-name")) for n in line}
        for k in ("activation_bytes", "bound_bytes", "disjoint_bound_bytes"):
            assert str(plan[k]) in marks, (size, k, marks)
        for t in plan["tensors"]:
            b.run(f"tenure.timeline.choose({box_of(b, t['name'])})")
            place = b.run("[...document.querySelectorAll('.card dt')].find(d => d.textContent"
                          " === 'Place').nextSibling.textContent")
            same(f"{size}: place", [int(n.replace(",", "")) for n in
                                    re.findall(r"[0-9][0-9,]*", place)],
                 [t["offset"], t["offset"] + t["bytes"], t["bytes"]])
        step_to(b, 5)  # g writes; what it reads is still there
        live = [t["bytes"] for t in plan["tensors"] if t["first"] <= 5 <= t["last"] + 1]
        said = b.run("document.getElementById('step-now').textContent")
        same(f"{size}: live", int(re.search(r"([0-9,]+) B$", said)[1].replace(",", "")), sum(live))
        text = b.run("document.body.textContent")
        same(f"{size}: nothing is nearly so", re.findall(r"about [0-9.]+e\+[0-9]+\b(?! cycles)", text),
             [])
        for width in (390, 800, 1280):
            b.size(width, 900)
            assert b.run("document.documentElement.scrollWidth") <= width, (size, width)
            same(f"{size} at {width}: figures find room", b.run("""[...document.querySelectorAll(
                '.figure')].filter(f => f.scrollWidth > f.clientWidth + 1).length"""), 0)
            same(f"{size} at {width}: so do the axis's numbers", b.run("""(() => {
                const a = document.querySelector('.tl-axis-svg'), r = a.getBoundingClientRect();
                return [...a.querySelectorAll('text')].filter(t =>
                    t.getBoundingClientRect().left < r.left).length; })()"""), 0)
            same(f"{size} at {width}: and the lines' labels", b.run("""(() => {
                const r = document.querySelector('.scroller').getBoundingClientRect();
                return [...document.querySelectorAll('.tl-mark-name')].filter(t =>
                    t.getBoundingClientRect().right > r.right + 1).length; })()"""), 0)
        b.size(1280, 900)


def check_letters(b, folder, tenure):
    """Names are cut between letters, as the program cuts them."""
    letters = {"accent": "e\u0301", "flag": "\U0001f1e8\U0001f1f3", "wide": "\u5c64",
               "wide with accent": "\u5c64\u0301", "Devanagari": "\u0928\u094d\u0926",
               "plane": "\U00020000"}
    b.open(folder / "usual.report.html")
    for what, letter in letters.items():
        for columns in range(4, 60):
            short = b.run(f"tenure.shorten({(letter * 70)!r}, {columns})")
            rest = short.replace(letter, "")
            same(f"{what} in {columns}", rest, "..")
            assert b.run(f"tenure.width({short!r})") <= columns, (what, columns, short)
    name = "layer/" + letters["accent"] * 30 + letters["wide"] * 30
    graph, page = folder / "letters.json", folder / "letters.html"
    graph.write_text(json.dumps({"format": "tenure.graph/1", "tensors": [
        {"name": name + "a", "dtype": "i8", "shape": [64], "role": "input", "clobber": True},
        {"name": name + "b", "dtype": "i8", "shape": [64]},
        {"name": name + "c", "dtype": "i8", "shape": [64], "role": "output"}],
        "ops": [{"name": name + "1", "type": "RELU", "inputs": [name + "a"],
                 "outputs": [name + "b"]},
                {"name": name + "2", "type": "ADD", "inputs": [name + "a", name + "b"],
                 "outputs": [name + "c"]}]}))
    subprocess.run([tenure, "report", graph, "-o", page], check=True)
    quiet(b, page, "letters")
    got = b.run("""[...document.querySelectorAll('#decisions tbody tr')].map(r =>
        r.children[5].firstChild.textContent.replace(/^fails O\\d: /, ''))""")
    same("reasons", got, [d["reason"] for d in plan_of(tenure, graph)["decisions"]])


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
        for paper in PAPERS:
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
            if name != "large":
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
        for landscape in (False, True):
            printed = base64.b64decode(b.call("Page.printToPDF", printBackground=False,
                                              landscape=landscape)["data"])
            n = len(re.findall(rb"/Type\s*/Page\b", printed))
            assert printed.startswith(b"%PDF") and 1 < n < pages, (name, n)
            same(f"{name}: headings alone", headings_at_the_end(printed), [])
    same("complaints", b.complaints(), [])


def check_accessibility(b, folder, axe):
    for page in ("usual.report.html", "hostile.report.html", "regions.report.html",
                 "vww.html", "half.html", "diff.html"):
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                b.size(width, 900)
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


def check_hostile(b, folder):
    quiet(b, folder / "hostile.report.html", "hostile")
    same("elements of ours only", b.run("""[...new Set([...document.querySelectorAll('*')]
        .map(e => e.localName))].filter(n => ['img', 'b', 'iframe', 'object'].includes(n))"""),
         [])
    same("scripts", b.run("[...document.scripts].map(s => s.type)"), [""] * 0 + [
        "application/json", "", "", "", "", ""])
    same("style sheets", b.run("document.styleSheets.length"), 2)
    same("handlers", b.run("""[...document.querySelectorAll('*')].filter(e =>
        [...e.attributes].some(a => a.name.startsWith('on'))).length"""), 0)
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


# Texts that end beyond the picture, or begin before it.
CUT = """(() => { const v = document.documentElement.viewBox.baseVal;
    return [...document.querySelectorAll('text')].filter(t => {
        const b = t.getBBox(), m = document.documentElement.getScreenCTM().inverse().multiply(t.getScreenCTM());
        const p = [[b.x, b.y], [b.x + b.width, b.y], [b.x, b.y + b.height], [b.x + b.width, b.y + b.height]]
            .map(c => new DOMPoint(...c).matrixTransform(m));
        return p.some(c => c.x < 0 || c.x > v.width || c.y < 0 || c.y > v.height);
    }).map(t => t.textContent); })()"""


def check_labels(b, folder, tenure, fixtures):
    """Pictures of one op or two are wide enough for their names and labels."""
    picture, seen = folder / "labels.svg", 0
    for k, graph in enumerate(sorted((fixtures / "graphs").glob("op_*.json"))[::6]):
        long = folder / f"{'a_model_of_one_op_' * (1 + k % 4)}.json"
        long.write_bytes(graph.read_bytes())
        for options in ([], ["--ram", "1000000000000"], ["--overlap", "none", "--ram", "2000"],
                        ["--region", "a_region_with_a_name:64K", "--region", "slow:64K:16:4"]):
            for file in (graph, long):
                subprocess.run([tenure, "report", file, "--svg", picture, *options],
                               capture_output=True)
                b.open(picture)
                same(f"{file.name} {options}: cut", b.run(CUT), [])
                seen += b.run("document.querySelectorAll('text').length")
    for hostile in ("usual", "hostile", "regions"):
        b.open(folder / f"{hostile}.timeline.svg")
        same(f"{hostile}: cut", b.run(CUT), [])
    assert seen > 100, seen
    page = folder / "short.html"
    for graph in ("op_add_i8", "kws_i8", "resnet8_i8"):
        subprocess.run([tenure, "report", fixtures / "graphs" / f"{graph}.json", "-o", page], check=True)
        b.open(page)
        wide = "(s => [Math.round(tenure.timeline.view.kx * tenure.steps), s.clientWidth])(document.querySelector('.scroller'))"
        for way in ("true", "tenure.timeline.fit()", "tenure.timeline.zoom(0.8, false)"):
            b.run(way)
            drawn, room = b.run(wide)
            assert abs(drawn - room) < 2, (graph, way, drawn, room)


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
            for check in (check_usual, check_tables, check_keys, check_hostile,
                          check_regions, check_shapes, check_dark, check_without_script,
                          check_svg):
                check(b, folder)
                print("ok -", check.__name__)
            for check in (check_compare, check_numbers, check_budget, check_refused, check_board, check_streams,
                          check_removed, check_labels, check_diff):
                check(b, folder, sys.argv[2], Path(sys.argv[3]))
                print("ok -", check.__name__)
            for check in (check_large, check_nothing_runs, check_brief, check_empty, check_not_counted,
                          check_sizes,
                          check_letters):
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

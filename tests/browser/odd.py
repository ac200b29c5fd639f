"""Pages of odd graphs and plans, which browser.py opens."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import formats
import large
from page import (CLICK, SHOWN, VERDICT, same, quiet, plan_of, step_to, held, key, rows,
                  box_of)
import served

# What a frame makes: elements, and letters of their paths. How long that takes is for
# bench/browser.py to say.
WORK = """(() => { const svg = document.querySelector('.tl-plot-svg');
    return [svg.querySelectorAll('*').length, [...svg.querySelectorAll('path')].reduce(
        (n, p) => n + (p.getAttribute('d') || '').length, 0)]; })()"""

ELEMENTS, LETTERS = 2000, 1500000


def check_large(b, folder, tenure):
    """Thousands of buffers: the work per frame is small, and all of it is there."""
    graph, page = folder / "large.json", folder / "large.html"
    graph.write_text(json.dumps(large.graph(5000)))
    served.run([tenure, "report", graph, "-o", page], check=True)
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


def check_nothing_runs(b, folder, tenure):
    """No op, no peak: keys and buttons find what there is, and nothing breaks."""
    graph, page = folder / "still.json", folder / "still.html"
    for tensors in ([], [{"name": "x", "dtype": "i8", "shape": [4], "role": "input"}],
                    [{"name": "c", "dtype": "i8", "shape": [2], "data": {"seed": 1}}]):
        graph.write_text(json.dumps({"format": "tenure.graph/1", "tensors": tensors, "ops": []}))
        served.run([tenure, "report", graph, "-o", page], check=True)
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
    served.run([tenure, "report", graph, "-o", page], check=True)
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
    served.run([tenure, "report", graph, "--rewrite", "none", "-o", page, "--svg", picture],
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
    served.run([tenure, "report", graph, "-o", page], check=True)
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
        served.run([tenure, "report", graph, "-o", page, *options], check=True)
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
            b.resize(width, 900)
            assert b.run("document.documentElement.scrollWidth") <= width, width
    same("complaints", b.complaints(), [])


def check_streams(b, folder, tenure, fixtures):
    """A ring is as high as the memory it takes; a click shows the chain's events."""
    graph, file, page = fixtures / "graphs" / "vww_i8.json", folder / "s.json", folder / "s.html"
    plan = plan_of(tenure, graph, "--stream", "auto")
    file.write_text(json.dumps(plan))
    served.run([tenure, "report", graph, "--plan", file, "-o", page], check=True)
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
        done = served.run([tenure, "report", graph, "-o", page, "--ram", f"{size * 3 - 7}"],
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
            b.resize(width, 900)
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
    served.run([tenure, "report", graph, "-o", page], check=True)
    quiet(b, page, "letters")
    got = b.run("""[...document.querySelectorAll('#decisions tbody tr')].map(r =>
        r.children[5].firstChild.textContent.replace(/^fails O\\d: /, ''))""")
    same("reasons", got, [d["reason"] for d in plan_of(tenure, graph)["decisions"]])


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
            b.resize(width, 900)
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
    for k, graph in enumerate(sorted((fixtures / "graphs").glob("op_*.json"))[::10]):
        long = folder / f"{'a_model_of_one_op_' * (1 + k % 4)}.json"
        long.write_bytes(graph.read_bytes())
        for options in ([], ["--ram", "1000000000000"], ["--overlap", "none", "--ram", "2000"],
                        ["--region", "a_region_with_a_name:64K", "--region", "slow:64K:16:4"]):
            for file in (graph, long):
                served.run([tenure, "report", file, "--svg", picture, *options],
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
        served.run([tenure, "report", fixtures / "graphs" / f"{graph}.json", "-o", page], check=True)
        b.open(page)
        wide = "(s => [Math.round(tenure.timeline.view.kx * tenure.steps), s.clientWidth])(document.querySelector('.scroller'))"
        for way in ("true", "tenure.timeline.fit()", "tenure.timeline.zoom(0.8, false)"):
            b.run(way)
            drawn, room = b.run(wide)
            assert abs(drawn - room) < 2, (graph, way, drawn, room)

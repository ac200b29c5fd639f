#!/usr/bin/env python3
"""Configuration, suppression, baseline and bad packs: usage: govern.py TENURE ROOT"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

BAD = {  # file: option, line, a part of the reason
    "bad-syntax": ("--rules", 3, "tag mismatch"),
    "bad-field": ("--rules", 2, "colour"),
    "bad-element": ("--rules", 3, "wat"),
    "bad-severity": ("--rules", 2, 'severity="bad"'),
    "bad-id": ("--rules", 2, 'id="A"'),
    "bad-nocheck": ("--rules", 2, "has no check"),
    "bad-noassert": ("--rules", 2, "'check'"),
    "bad-taken": ("--rules", 2, "already"),
    "bad-order": ("--rules", 2, "check"),
    "bad-root": ("--rules", 1, "config"),
    "bad-bomb": ("--rules", 1, "document type"),
    "bad-external": ("--rules", 2, "document type"),
    "bad-undefined": ("--rules", 2, "foo"),
    "bad-xpath": ("--rules", 3, "in '//tensor['"),
    "bad-function": ("--rules", 3, "no such function, in 'document("),
    "bad-context": ("--rules", 3, "no set of nodes"),
    "bad-message": ("--rules", 2, "is not closed"),
    "bad-message-xpath": ("--rules", 3, "in 'nosuch('"),
    "bad-message-function": ("--rules", 3, "no such function, in 'nosuch("),
    "bad-behind-message": ("--rules", 4, "no such function, in 'nosuch("),
    "bad-empty": ("--rules", 1, "'rules' is empty"),
    "bad-blank": ("--rules", 2, "'rule' lacks an element"),
    "bad-variable": ("--rules", 3, "no variables"),
    "bad-prefix": ("--rules", 3, "in 're:match("),
    "bad-steps": ("--rules", 3, "too many steps"),
    "bad-config-severity": ("--config", 3, 'severity="fatal"'),
    "bad-config-key": ("--config", 2, "rom"),
    "bad-config-rule": ("--config", 3, "live/ded-op"),
    "bad-config-reason": ("--config", 2, "needs a reason"),
    "bad-baseline": ("--baseline", 2, "0123"),
}

GRAPH = """{{"format": "tenure.graph/1",
 "tensors": [
  {{"name": "x", "dtype": "f32", "shape": [8], "role": "input"}},
  {tensors}
  {{"name": "y", "dtype": "f32", "shape": [8], "role": "output"}}],
 "ops": [
  {ops}
  {{"type": "NEG", "inputs": ["{last}"], "outputs": ["y"]}}]}}
"""


def tensor(name):
    return f'{{"name": "{name}", "dtype": "f32", "shape": [8]}},'


def op(kind, source, target):
    return f'{{"type": "{kind}", "inputs": ["{source}"], "outputs": ["{target}"]}},'


def graph(dead, before=0):
    """Ops without names: `before` of them that live, then dead ones."""
    names = ["x"] + [f"live{i}" for i in range(before)]
    tensors = [tensor(n) for n in names[1:] + dead]
    ops = [op("ABS", a, b) for a, b in zip(names, names[1:])]
    ops += [op("EXP", "x", d) for d in dead]
    return GRAPH.format(tensors=" ".join(tensors), ops=" ".join(ops), last=names[-1])


class Test:
    def __init__(self, tenure, folder):
        self.tenure, self.folder, self.bad = os.path.abspath(tenure), folder, []

    def lint(self, *args, cwd=None):
        run = served.run([self.tenure, "lint", "--format", "json", *args],
                         cwd=cwd or self.folder, capture_output=True, text=True)
        rules = {}
        if run.stdout:
            for f in json.loads(run.stdout)["findings"]:
                rules.setdefault(f["rule"], []).append(f["severity"])
        return run.returncode, rules, run.stderr

    def expect(self, what, got, want):
        if got != want:
            self.bad.append(f"{what}: {got}, not {want}")


def bad_files(t, root):
    sample = root / "fixtures/graphs/op_add_i8.json"
    for name, (option, line, reason) in BAD.items():
        file = f"fixtures/packs/{name}.xml"
        status, _, err = t.lint(option, file, str(sample), cwd=root)
        t.expect(f"{name}: exit status", status, 2)
        if not err.startswith(f"{file}:{line}:") or reason not in err:
            t.bad.append(f"{name}: says {err!r}")


def blank_texts(t, root):
    """What a pack has somebody read must say something, however nothing is written."""
    sample = str(root / "fixtures/graphs/op_add_i8.json")
    rest = {"title": "<title>x</title>", "message": "", "why": "", "fix": "", "ground": ""}

    def pack(where, text):
        kind = ' kind="bytes"' if where == "ground" else ""
        parts = {**rest, where: f"<{where}{kind}>{text}</{where}>"}
        check = '<check context="//op" assert="true()"/>'
        (t.folder / "blank.xml").write_text(
            '<rules format="tenure.rules/1">\n<rule id="team/x" severity="note">\n'
            + parts["title"] + parts["message"] + parts["why"] + parts["fix"] + check
            + parts["ground"] + "</rule></rules>")
        return t.lint("--rules", "blank.xml", sample)

    for where in rest:
        for text in ("", " ", "\t \n", "<!-- x -->", "<![CDATA[]]>", "<![CDATA[ ]]>", "&#x20;"):
            status, _, err = pack(where, text)
            t.expect(f"{where} '{text}'", (status, err.startswith("blank.xml:3:"),
                                           f"the text of '{where}'" in err), (2, True, True))
        for text in ("w", " <!-- x -->w", "<![CDATA[w]]>", "&lt;"):
            t.expect(f"{where} '{text}'", pack(where, text)[0], 0)


TEAM = """<rules format="tenure.rules/1">
  <rule id="team/small" severity="error">
    <title>no large tensor behind op 1</title>
    <message>'{@name}' of {@bytes} B ({@shape}) by '{op(@producer)/@name}', {{max 16}</message>
    <check context="//tensor[@role='act']"
      assert="@bytes &lt;= 16 or op(@producer)/@position &lt; 2"/>
  </rule>
  <rule id="team/names" severity="warning">
    <title>inputs are called in-something</title>
    <check context="//tensor[@is-input]" assert="matches(@name, 'in*')"/>
  </rule>
</rules>
"""


def own_rules(t):
    f = t.folder
    (f / "rules").mkdir()
    (f / "rules/team.xml").write_text(TEAM)
    (f / "c.json").write_text(graph([], before=3))
    run = served.run([t.tenure, "lint", "--rules", "rules/team.xml", "c.json"], cwd=f,
                     capture_output=True, text=True)
    found = [line for line in run.stdout.splitlines() if "team/" in line]
    t.expect("own rules", found, [
        "c.json:3:3: warning: inputs are called in-something [team/names]",
        "c.json:4:101: error: 'live2' of 32 B (8) by 'ABS#2', {max 16} [team/small]"])
    t.expect("own rules: exit status", run.returncode, 1)
    # by the configuration, where they can be switched off
    config = f / ".tenure.xml"
    config.write_text('<tenure format="tenure.config/1"><pack file="rules/team.xml"/>'
                      '<rule id="team/names" severity="off"/></tenure>')
    t.expect("pack of the configuration", t.lint("../c.json", cwd=f / "rules")[:2],
             (1, {"team/small": ["error"]}))
    # rewriting for a budget does not change what rules look at
    t.expect("with a budget", t.lint("--ram", "1K", "c.json")[:2],
             (1, {"team/small": ["error"]}))
    config.unlink()
    page = served.run([t.tenure, "explain", "--rules", "rules/team.xml", "team/names"],
                      cwd=f, capture_output=True, text=True).stdout
    t.expect("explain", "matches(@name, 'in*')" in page, True)


def configuration(t):
    f = t.folder
    (f / "models/deep").mkdir(parents=True)
    (f / "models/a.json").write_text(graph(["d"]))
    (f / "models/deep/b.json").write_text(graph(["d"]))
    dead = {"live/dead-op": ["note"]}
    t.expect("no configuration", t.lint("models/a.json")[:2], (0, dead))
    config = f / ".tenure.xml"

    def write(body, attributes=""):
        config.write_text(f'<tenure format="tenure.config/1" {attributes}>{body}</tenure>')

    write('<rule id="live/*" severity="note"/><rule id="live/dead-op" severity="error"/>')
    t.expect("severity", t.lint("models/deep/b.json")[:2], (1, {"live/dead-op": ["error"]}))
    t.expect("found from below", t.lint("b.json", cwd=f / "models/deep")[0], 1)
    t.expect("--config none", t.lint("--config", "none", "models/a.json")[:2], (0, dead))
    write('<rule id="live/dead-op" severity="off"/>')
    t.expect("off", t.lint("models/a.json")[:2], (0, {}))
    write("", 'fail-on="note"')
    t.expect("fail-on", t.lint("models/a.json")[0], 1)
    junit = served.run([t.tenure, "lint", "--format", "junit", "models/a.json"], cwd=f,
                       capture_output=True, text=True).stdout
    t.expect("fail-on: junit", "<failure" in junit, True)
    write('<budget models="models/deep/*" ram="16"/>')
    t.expect("budget elsewhere", t.lint("models/a.json")[0], 0)
    t.expect("budget", t.lint("models/deep/b.json")[:2],
             (1, {"memory/over-budget": ["error"], "live/dead-op": ["note"]}))
    t.expect("--ram goes before", t.lint("--ram", "1K", "models/deep/b.json")[0], 0)
    write("", 'target="no-such-board"')
    t.expect("target", t.lint("models/a.json")[0], 2)
    t.expect("--target goes before", t.lint("--target", "rp2040", "models/a.json")[0], 0)
    write('<ignore models="b.json"/>')
    t.expect("ignored", t.lint("models/a.json", "models/deep/b.json")[:2], (0, dead))
    write('<suppress rule="live/*" name="EXP#0" models="models/a.json">it is kept</suppress>')
    t.expect("suppressed", t.lint("models/a.json")[:2], (0, {}))
    t.expect("elsewhere not", t.lint("models/deep/b.json")[:2], (0, dead))
    (f / "models/a.json").write_text(graph([]))
    t.expect("unused", t.lint("models/a.json")[:2], (0, {"config/unused-suppression": ["note"]}))
    # what makes a file unreadable cannot be silenced
    (f / "models/a.json").write_text('{"format": "tenure.graph/1",')
    write('<rule id="*/*" severity="off"/>')
    t.expect("unreadable", t.lint("models/a.json")[:2], (2, {"json/syntax": ["error"]}))
    config.unlink()


def wrong_values(t):
    """What a configuration asks for and cannot have is told where it asks, not of an option."""
    f = t.folder / "values"
    (f / "folder").mkdir(parents=True)
    (f / "o.json").write_text(graph([]))
    os.mkfifo(f / "pipe.xml")
    config = f / ".tenure.xml"
    values = [(f'{key}="{value}">', "<!-- -->", value) for key in (
        "target", "profile", "execution", "fail-on") for value in ("nosuch", "Inference", "")]
    values += [(">", body, word) for body, word in (
        ('<pack file="nosuch.xml"/>', "nosuch.xml"), ('<pack file="folder"/>', "folder"),
        ('<pack file="pipe.xml"/>', "pipe.xml"), ('<pack file=""/>', "pack"),
        ('<rule id="nosuch/rule" severity="off"/>', "nosuch/rule"),
        ('<rule id="live/dead-op" severity="loud"/>', "loud"), ('<budget ram="much"/>', "much"),
        ('<budget flash="99999999999999999999"/>', "9999"), ('<ignore models=""/>', "ignore"),
        ('<suppress rule="nosuch/rule">why</suppress>', "nosuch/rule"),
        ('<suppress rule="live/dead-op"> </suppress>', "reason"))]
    for start, body, word in values:
        config.write_text(f'\n<tenure format="tenure.config/1" {start}\n{body}</tenure>')
        line = 3 if start == ">" else 2
        for command in ("lint", "report"):
            run = served.run([t.tenure, command, "o.json"], cwd=f, capture_output=True,
                             text=True, timeout=60, check=False)
            first = run.stderr.split("\n")[0]
            t.expect(f"{command}: {start}{body}", (run.returncode, first.startswith(
                f".tenure.xml:{line}:"), word in first, "--" in first), (2, True, True, False))


def kept_suppressions(t):
    """A copy in the native format suppresses what the file did, of any spelling."""
    f = t.folder
    entries = [{"rule": "live/*", "name": "EXP#*", "reason": 'kept "as is" \\ \u00e4\n'},
               {"rule": "live/dead-op", "reason": "any"}, {"rule": "graph/*", "name": "x"}]
    given = {**json.loads(graph(["d"])), "suppress": entries}
    (f / "with.json").write_text(json.dumps(given))
    (f / "without.json").write_text(graph(["d"]))
    for name in ("with", "without"):
        for source, copy in ((name, "copy"), ("copy", "again")):
            served.run([t.tenure, "convert", f"{source}.json", "-o", f"{copy}.json"], cwd=f,
                       check=True, capture_output=True)
        t.expect(f"{name}: twice", (f / "copy.json").read_text(), (f / "again.json").read_text())
        made = json.loads((f / "copy.json").read_text())
        t.expect(f"{name}: kept", made.get("suppress"), entries if name == "with" else None)
        t.expect(f"{name}: linted", t.lint("copy.json")[:2], t.lint(f"{name}.json")[:2])


def in_source(t):
    """Findings that the graph's own file suppresses, or the configuration."""
    f, file = t.folder, t.folder / "s.json"
    given, reason = json.loads(graph(["d"])), "kept <for> a probe"
    dead = {"live/dead-op": ["note"]}

    def write(*entries):
        file.write_text(json.dumps({**given, "suppress": list(entries)}))

    def told(form):
        return served.run([t.tenure, "lint", "--format", form, "s.json"], cwd=f,
                          capture_output=True, text=True).stdout

    def all_formats(what, kind):
        t.expect(what, t.lint("--fail-on", "note", "s.json")[:2], (0, {}))
        accepted = json.loads(told("json"))["suppressed"]
        t.expect(f"{what}: json", [(s["finding"]["rule"], s["reason"], s["in_source"])
                                   for s in accepted],
                 [("live/dead-op", reason, kind == "inSource")])
        run = json.loads(told("sarif"))["runs"][0]
        t.expect(f"{what}: sarif", [(r["ruleId"], r["suppressions"]) for r in run["results"]],
                 [("live/dead-op", [{"kind": kind, "justification": reason}])])
        t.expect(f"{what}: sarif rule", run["tool"]["driver"]["rules"][0]["id"],
                 "live/dead-op")
        text = told("text")
        cases = ElementTree.fromstring(told("junit").encode()).iter("testcase")
        t.expect(f"{what}: junit", [(c.get("name"), c[0].tag, reason in c[0].text)
                                    for c in cases if len(c)], [("live/dead-op", "skipped", True)])
        table = told("markdown")
        t.expect(f"{what}: markdown", ("1 suppressed</summary>" in table,
                                       f"because: `{reason}`" in table), (True, True))
        t.expect(f"{what}: text", (": suppressed note: 'EXP#0'" in text,
                                   f"because: {reason}" in text, ", 1 suppressed" in text),
                 (True, True, True))
        t.expect(f"{what}: github", told("github"), "")

    write({"rule": "live/*", "name": "EXP#*", "reason": reason})
    all_formats("in the file", "inSource")
    write({"rule": "live/dead-op", "name": "EXP#0", "reason": " "})
    t.expect("without a reason", t.lint("s.json")[1],
             {**dead, "config/suppression-reason": ["warning"]})
    write({"rule": "live/dead-op", "name": "other", "reason": reason})
    t.expect("for nothing", t.lint("s.json")[1],
             {**dead, "config/unused-suppression": ["note"]})
    t.expect("a part of the findings", t.lint("--only", "memory", "s.json")[1], {})
    write({"name": "EXP#0", "reason": reason})
    t.expect("without a rule", t.lint("s.json")[0], 2)
    file.write_text(json.dumps({**given, "suppress": "live/*"}))
    t.expect("no list", t.lint("s.json")[0], 2)
    write()
    config = f / ".tenure.xml"
    config.write_text('<tenure format="tenure.config/1"><suppress rule="live/*">'
                      'kept &lt;for&gt; a probe</suppress></tenure>')
    all_formats("in the configuration", "external")
    config.unlink()


def baseline(t):
    f = t.folder
    base = ("--fail-on", "note")
    (f / "a.json").write_text(graph(["d", "e"]))
    t.expect("before", t.lint(*base, "a.json")[0], 1)
    t.expect("written", t.lint(*base, "--write-baseline", "base.xml", "a.json")[:2], (0, {}))
    known = (*base, "--baseline", "base.xml", "a.json")
    t.expect("known", t.lint(*known)[:2], (0, {}))
    (f / "sub").mkdir()
    t.expect("from elsewhere", t.lint(*base, "--baseline", "../base.xml", "../a.json",
                                      cwd=f / "sub")[:2], (0, {}))
    (f / "a.json").write_text(graph(["d", "e"], before=3))
    t.expect("renumbered", t.lint(*known)[:2], (0, {}))
    (f / "a.json").write_text(graph(["d", "e", "new"], before=3))
    t.expect("a new one", t.lint(*known)[:2], (1, {"live/dead-op": ["note"]}))
    (f / "a.json").write_text(graph(["d", "new"]))
    t.expect("one for another", t.lint(*known)[:2], (1, {"live/dead-op": ["note"]}))
    (f / "b.json").write_text(graph(["d"]))
    t.expect("another file", t.lint(*base, "--baseline", "base.xml", "b.json")[0], 1)
    text = (f / "base.xml").read_text()
    (f / "a.json").write_text(graph(["d", "e"]))
    subprocess.run([t.tenure, "lint", "--write-baseline", "again.xml", "a.json"], cwd=f, check=True,
                   capture_output=True)  # at other addresses
    t.expect("the same twice", (f / "again.xml").read_text(), text)


def no_graphs(t):
    """What is no graph is skipped, but not what is called a model."""
    f = t.folder / "mixed"
    f.mkdir()
    unreadable = {"empty": b"", "pointer": b"version https://git-lfs.github.com/spec/v1\n",
                  "garbage": b"\xff\0" * 40}
    for ending in ("tflite", "onnx", "pte"):
        for name, content in unreadable.items():
            file = f / f"{name}.{ending}"
            file.write_bytes(content)
            for args in (["lint", "--hook", file.name], ["check", "--hook", file.name],
                         ["lint", "."]):
                run = served.run([t.tenure, *args], cwd=f, capture_output=True)
                t.expect(f"{args} with {file.name}", run.returncode, 2)
            file.unlink()
    strangers = {"z.json": '{"a": 1}', "z.plan.json": "{}", "l.json": '{"Layers": []}',
                 "alone.plan.json": "[]", "p.xml": "<a/>", "e.json": ""}
    for name, text in strangers.items():
        (f / name).write_text(text)
    for args in (["lint", "--hook", *strangers], ["check", "--hook", *strangers],
                 *([c, "--hook", s] for c in ("lint", "check") for s in strangers)):
        run = served.run([t.tenure, *args], cwd=f, capture_output=True, text=True)
        t.expect(f"{args}", (run.returncode, run.stdout, run.stderr), (0, "", ""))
    (f / "plan.plan.json").write_text('{"format": "tenure.plan/1"}')
    run = served.run([t.tenure, "check", "--hook", "plan.plan.json"], cwd=f)
    t.expect("a plan without its model", run.returncode, 2)


def families(t):
    f = t.folder
    (f / "o.json").write_text(graph(["d"]))
    for only in ("memroy", "", "live,", ",live", "live/", "live/dead", "liv", "team"):
        status, _, err = t.lint("--only", only, "o.json")
        t.expect(f"--only '{only}'", (status, "there is no family" in err,
                                      "families: " in err and "live" in err), (2, True, True))
    for only, found in (("live", 1), ("live/dead-op", 1), ("memory,live", 1), ("memory", 0)):
        t.expect(f"--only {only}", (t.lint("--only", only, "o.json")[0],
                                    len(t.lint("--only", only, "o.json")[1])), (0, found))
    (f / "team.xml").write_text(TEAM)
    t.expect("--only of a loaded pack",
             t.lint("--rules", "team.xml", "--only", "team", "o.json")[0], 0)


def sizes(t):
    f, top = t.folder, str(2 ** 63 - 1)
    (f / "o.json").write_text(graph([]))
    for jobs, status in (("0", 2), ("-1", 2), ("", 2), ("1", 0), ("3", 0)):
        t.expect(f"--jobs '{jobs}'", t.lint("--jobs", jobs, "o.json")[0], status)
    config = f / ".tenure.xml"
    for size in ("+1K", " 1K", "-1", "K", "", "1KK", "1 K", "999999999999999M", "1e3"):
        t.expect(f"--ram '{size}'", t.lint("--ram", size, "o.json")[0], 2)
        for kind in ("ram", "flash") if size != " 1K" else ():  # XML drops the blank
            config.write_text(f'<tenure format="tenure.config/1">\n<budget {kind}="{size}"/>'
                              '</tenure>')
            status, _, err = t.lint("o.json")
            t.expect(f"{kind}='{size}'", (status, err.startswith(".tenure.xml:2:")), (2, True))
    for limit in ("+5%", " 5%", "+1K", " 1K"):
        run = served.run([t.tenure, "diff", "--fail-on-growth", limit, "o.json", "o.json"],
                         cwd=f, capture_output=True)
        t.expect(f"--fail-on-growth '{limit}'", run.returncode, 2)
    config.write_text('<tenure format="tenure.config/1">\n<budget ram="16"/></tenure>')
    run = served.run([t.tenure, "lint", "o.json"], cwd=f, capture_output=True, text=True)
    t.expect("a budget names its place", ("of .tenure.xml:2 [" in run.stdout,
                                          "--ram" in run.stdout), (True, False))
    config.unlink()
    for reserve in (top, str(2 ** 63 - 2), str(2 ** 62)):
        t.expect(f"--reserve {reserve} of the most", t.lint(
            "--ram", top, "--reserve", reserve, "o.json")[0], int(reserve != str(2 ** 62)))


def said(t):
    """An option goes before the configuration also when it names the default."""
    f = t.folder
    (f / "o.json").write_text(graph(["d"]))
    (f / ".tenure.xml").write_text('<tenure format="tenure.config/1" fail-on="note"/>')
    t.expect("not said", t.lint("o.json")[0], 1)
    t.expect("--fail-on error", t.lint("--fail-on", "error", "o.json")[0], 0)
    t.expect("--fail-on ''", t.lint("--fail-on", "", "o.json")[0], 2)
    (f / ".tenure.xml").write_text('<tenure format="tenure.config/1" profile="training"/>')
    (f / "o.json").write_text(graph([], before=2))

    def claims(*args):
        run = served.run([t.tenure, "lint", "--dump", "claims", *args, "o.json"], cwd=f,
                         capture_output=True, text=True)
        return run.stdout, run.stderr
    t.expect("--profile inference", claims("--profile", "inference"),
             claims("--config", "none"))
    t.expect("profile by the configuration", claims(),
             claims("--config", "none", "--profile", "training"))
    (f / ".tenure.xml").unlink()


EVERYTHING = ("//tensor[@name or @bytes or @shape]/@*", "//op/attr", "//node()")


def facts(t, root):
    """What a rule finds does not depend on the rules beside it; names that are none."""
    f, sample = t.folder, root / "fixtures/graphs/residual_i8.json"

    def pack(*contexts, asserts="false()"):
        rules = [f'<rule id="mine/r{i}" severity="note">\n<title>t</title>\n'
                 f'<check context="{c}" assert="{asserts}"/></rule>'
                 for i, c in enumerate(contexts)]
        (f / "r.xml").write_text('<rules format="tenure.rules/1">\n' + "\n".join(rules) +
                                 "</rules>")
        return t.lint("--rules", "r.xml", "--only", "mine", str(sample))

    for context in ("//@bytes", "// @bytes", "//@name", "//.", "//./@bytes", "//self::tensor",
                    "//attribute::bytes", "//*", "//node()", "//op//@name", "//tensor/@bytes",
                    "/model//@dtype", "//input/..", "(//op/descendant::*)[1]",
                    "//tensor[1]/following-sibling::op", "//attr/@value", "//candidate/@saves"):
        alone, among = pack(context), pack(context, *EVERYTHING)
        t.expect(f"{context} alone", (alone[0], alone[1].get("mine/r0")),
                 (among[0], among[1].get("mine/r0")))
    t.expect("//@bytes finds some", len(pack("//@bytes")[1]["mine/r0"]) > 8, True)
    for context, name in (("//operator", "operator"), ("//op/@nosuch", "nosuch"),
                          ("//op[child::foo]", "foo"), ("//op[@and]", "and"),
                          ("//op[@type='a' and tensr]", "tensr")):
        status, _, err = pack(context)
        t.expect(context, (status, f"there is no fact '{name}'" in err,
                           err.startswith("r.xml:4:")), (2, True, True))
    for context in ("//op[@type='nosuch']", "//op[@position div 2 = 1 and true()]",
                    "//op[ancestor::model]", "//op[@position mod 2 = 0 or not(attr)]"):
        t.expect(context, pack(context)[2], "")


def any_names(t):
    """A baseline knows files of any name again; what failed to read is not in it."""
    f = t.folder / "names"
    f.mkdir()
    for name in (b"a\nb.json", b"a\tb.json", b"\xff\xfe.json", b"a\\x0ab.json", b"a\\\\.json",
                 b"a&<\"'.json", b" a .json", b"\xc3\xa4\x7f\xef\xbf\xbe.json",
                 b"\xef\xbf\xa5.json"):
        file = os.fsencode(f) + b"/" + name
        with open(file, "w") as out:
            out.write(graph(["d"]).replace('"type": "EXP"', '"name": "e]]>", "type": "EXP"'))
        for option, status in (("--write-baseline", 0), ("--baseline", 0), (None, 1)):
            args = [t.tenure, "lint", "--fail-on", "note", file]
            run = subprocess.run(args + ([option, "base.xml"] if option else []), cwd=f,
                                 capture_output=True)
            t.expect(f"{name} {option}", run.returncode, status)
        os.unlink(file)
    (f / "broken.json").write_text('{"format": "tenure.graph/1",')
    t.expect("unreadable", t.lint("--write-baseline", "base.xml", "broken.json", cwd=f)[0], 2)
    t.expect("not in the baseline", "<finding" in (f / "base.xml").read_text(), False)


def odd_configurations(t):
    """What is called .tenure.xml and cannot be read is not passed over."""
    f = t.folder / "odd"
    (f / "deep").mkdir(parents=True)
    (f / "deep/o.json").write_text(graph([]))
    config = f / ".tenure.xml"
    for what, make, remove in (("link", lambda: config.symlink_to("nowhere"), config.unlink),
                               ("pipe", lambda: os.mkfifo(config), config.unlink),
                               ("folder", config.mkdir, config.rmdir)):
        make()
        status, _, err = t.lint("deep/o.json", cwd=f)
        t.expect(f"a {what}", (status, "'.tenure.xml'" in err), (2, True))
        t.expect(f"a {what}, --config none",
                 t.lint("--config", "none", "deep/o.json", cwd=f)[0], 0)
        remove()
    (f / "real.xml").write_text('<tenure format="tenure.config/1" fail-on="note"/>')
    config.symlink_to("real.xml")
    t.expect("a link to a file", t.lint("deep/o.json", cwd=f)[0], 0)


def silence(t):
    f = t.folder
    (f / "o.json").write_text(graph([]))
    (f / "d.json").write_text(graph(["d"]))
    served.run([t.tenure, "plan", "o.json", "-o", "o.plan.json"], cwd=f, check=True,
               capture_output=True)
    for args, says in ((["lint", "--hook", "o.json"], False),
                       (["lint", "--hook", "--ram", "1M", "o.json"], False),
                       (["check", "--hook", "o.json"], False), (["check", "o.json"], True),
                       (["lint", "o.json"], True), (["lint", "--hook", "d.json"], True)):
        run = served.run([t.tenure, *args], cwd=f, capture_output=True, text=True)
        t.expect(f"{args} speaks", (run.returncode, bool(run.stdout + run.stderr)), (0, says))


def main(tenure, root):
    with tempfile.TemporaryDirectory() as folder:
        t = Test(tenure, pathlib.Path(folder))
        bad_files(t, pathlib.Path(root))
        blank_texts(t, pathlib.Path(root))
        wrong_values(t)
        kept_suppressions(t)
        configuration(t)
        in_source(t)
        baseline(t)
        own_rules(t)
        no_graphs(t)
        any_names(t)
        odd_configurations(t)
        silence(t)
        families(t)
        sizes(t)
        said(t)
        facts(t, pathlib.Path(root))
    print("\n".join(t.bad))
    return 1 if t.bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

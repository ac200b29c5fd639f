#!/usr/bin/env python3
"""Configurations as files of a run, and what a run of many files is: usage: configs.py TENURE"""
import json
import os
import pathlib
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

SHAPE = '"dtype": "f32", "shape": [8]'


def graph(dead):
    """An op that nobody needs, or none."""
    more = ['{"name": "d", %s}' % SHAPE] if dead else []
    ops = ['{"type": "EXP", "inputs": ["x"], "outputs": ["d"]}'] if dead else []
    tensors = ['{"name": "x", %s, "role": "input"}' % SHAPE, *more,
               '{"name": "y", %s, "role": "output"}' % SHAPE]
    ops += ['{"type": "NEG", "inputs": ["x"], "outputs": ["y"]}']
    return ('{"format": "tenure.graph/1",\n "tensors": [%s],\n "ops": [%s]}\n'
            % (",\n  ".join(tensors), ",\n  ".join(ops)))


class Test:
    def __init__(self, tenure, folder):
        self.tenure, self.top, self.bad = os.path.abspath(tenure), folder, []
        self.folder = folder

    def start(self, name):
        self.folder = self.top / name
        self.folder.mkdir()
        return self.folder

    def config(self, body, attributes="", where="."):
        (self.folder / where / ".tenure.xml").write_text(
            f'<tenure format="tenure.config/1" {attributes}>\n{body}\n</tenure>')

    def run(self, *args, cwd="."):
        return served.run([self.tenure, *args], cwd=self.folder / cwd, text=True,
                          capture_output=True, timeout=60, check=False)

    def lint(self, *args, cwd="."):
        """Exit status and (file, line, rule, severity) of each finding."""
        done = self.run("lint", "--format", "json", *args, cwd=cwd)
        found = json.loads(done.stdout)["findings"] if done.stdout else []
        return done.returncode, [(f["file"], f.get("line"), f["rule"], f["severity"])
                                 for f in found]

    def expect(self, what, got, want):
        if got != want:
            self.bad.append(f"{what}: {got}, not {want}")


def idle_lines(t):
    """What is idle in a configuration is a finding of its file like any other."""
    f = t.start("idle")
    (f / "a.json").write_text(graph(False))
    rule = "config/unused-suppression"
    line = '<suppress rule="live/*" models="a.json">gone</suppress>'
    note = [(".tenure.xml", 2, rule, "note")]
    t.config(line)
    t.expect("a note", t.lint("a.json"), (0, note))
    t.expect("--fail-on", t.lint("--fail-on", "note", "a.json"), (1, note))
    t.expect("--only another", t.lint("--only", "live", "a.json"), (0, []))
    for form in ("text", "sarif", "junit", "github", "markdown"):
        done = t.run("lint", "--format", form, "a.json")
        t.expect(f"{form}", (done.stdout.count("nothing is suppressed here") > 0, done.stderr),
                 (True, ""))
    t.expect("counted", "1 note in 2 files" in t.run("lint", "a.json").stdout, True)
    t.expect("written", t.lint("--write-baseline", "b.xml", "a.json"), (0, []))
    t.expect("known", t.lint("--baseline", "b.xml", "--fail-on", "note", "a.json"), (0, []))
    for severity, status in (("error", 1), ("warning", 0)):
        t.config(f'{line}\n<rule id="config/*" severity="{severity}"/>')
        t.expect(severity, t.lint("a.json"), (status, [(".tenure.xml", 2, rule, severity)]))
    t.config(f'{line}\n<rule id="{rule}" severity="off"/>')
    t.expect("off", t.lint("a.json"), (0, []))
    t.config(line, 'fail-on="note"')
    t.expect("its own fail-on", t.lint("a.json"), (1, note))
    (f / "a.json").write_text('{"format": "tenure.graph/1",')
    t.expect("a file that was not judged", [x[2] for x in t.lint("a.json")[1]], ["json/syntax"])


def idle_patterns(t):
    f = t.start("patterns")
    (f / "m").mkdir()
    (f / "m/a.json").write_text(graph(True))
    lines = {"budget": '<budget models="{}" ram="1M"/>', "ignore": '<ignore models="{}"/>',
             "suppress": '<suppress rule="live/*" models="{}">why</suppress>'}
    for kind, line in lines.items():
        for pattern, met in (("m/*", True), ("a.json", True), ("n/*", False), ("b.json", False),
                             (" a.json ", False)):
            t.config(line.format(pattern))
            for args, whole in ((["."], True), (["m"], False), (["m/a.json"], False)):
                found = [(x[0], x[1]) for x in t.lint(*args)[1]
                         if x[2] == "config/unused-pattern"]
                t.expect(f"{kind} {pattern} {args}", found,
                         [] if met or not whole else [(".tenure.xml", 2)])
    t.config('<ignore models="m/*"/>', where="m")
    t.expect("of a folder below", [x for x in t.lint(".")[1] if "config/" in x[2]],
             [("m/.tenure.xml", 2, "config/unused-pattern", "note")])


def levels(t):
    """Each file fails by the level of its own configuration."""
    f = t.start("levels")
    for name, level in (("strict", "note"), ("mild", "error")):
        (f / name).mkdir()
        (f / name / "a.json").write_text(graph(True))
        t.config("", f'fail-on="{level}"', name)
    done = t.run("lint", "--format", "junit", "strict", "mild")
    suites = ElementTree.fromstring(done.stdout).iter("testsuite")
    t.expect("junit", (done.returncode, {s.get("name"): s.get("failures") for s in suites}),
             (1, {"strict/a.json": "1", "mild/a.json": "0"}))
    done = t.run("lint", "--format", "junit", "--fail-on", "error", "strict", "mild")
    t.expect("junit: --fail-on", (done.returncode, "<failure" in done.stdout), (0, False))


def outputs(t):
    """No output takes the place of a configuration or a pack that was read."""
    f = t.start("outputs")
    (f / "deep").mkdir()
    (f / "deep/a.json").write_text(graph(True))
    (f / "team.xml").write_text(
        '<rules format="tenure.rules/1"><rule id="team/x" severity="note"><title>t</title>'
        '<check context="//op" assert="true()"/></rule></rules>')
    (f / "link.xml").symlink_to("team.xml")
    t.config('<pack file="link.xml"/>')
    kept = {n: (f / n).read_text() for n in (".tenure.xml", "team.xml")}
    runs = [("lint", "-o"), ("lint", "--write-baseline")]
    runs += [("report", o) for o in ("-o", "--svg", "--dot", "--graph-svg", "--trace",
                                     "--explorer", "--overlay", "--csv")]
    for command, option in runs:
        for output in (".tenure.xml", "team.xml", "./deep/../team.xml", "link.xml"):
            done = t.run(command, "deep/a.json", option, output)
            name = "link.xml" if output != ".tenure.xml" else output
            t.expect(f"{command} {option} {output}",
                     (done.returncode, f"'{output}' would overwrite" in done.stderr,
                      f" '{name}'\n" in done.stderr), (2, True, True))
    t.expect("kept", {n: (f / n).read_text() for n in kept}, kept)
    for command, option in (("lint", "-o"), ("report", "--svg")):
        done = t.run(command, "deep/a.json", option, "new.xml")
        t.expect(f"{command} {option} new", (done.returncode, done.stderr), (0, ""))
    done = t.run("lint", "deep/a.json", "--config", "none", "-o", "team.xml")
    t.expect("not read", done.returncode, 0)


def reserves(t):
    """A reserve is of the budget that the file has, if it has any."""
    f = t.start("reserves")
    for name in ("a", "b"):
        (f / f"{name}.json").write_text(graph(False))
    reserve = ("--reserve", "4K")
    t.expect("no budget at all", t.lint(*reserve, "a.json")[0], 2)
    t.config('<budget models="b.json" ram="1K"/>')
    t.expect("of another file", t.lint(*reserve, "a.json"), (0, []))
    over = ("b.json", 1, "memory/over-budget", "error")
    t.expect("larger than the budget", t.lint(*reserve, "a.json", "b.json"), (1, [over]))
    text = t.run("lint", *reserve, "b.json")
    t.expect("says whose", (".tenure.xml:2" in text.stdout, "--ram" in text.stdout + text.stderr),
             (True, False))
    t.expect("of the option", t.lint(*reserve, "--ram", "1K", "a.json"),
             (1, [("a.json", *over[1:])]))
    t.config('<budget models="b.json" ram="8K"/>')
    t.expect("fits", t.lint(*reserve, "a.json", "b.json"), (0, []))


def spellings(t):
    """A file is judged once, however its name is spelled."""
    f = t.start("spellings")
    (f / "deep/er").mkdir(parents=True)
    (f / "other").mkdir()
    for name in ("a.json", "deep/a.json"):
        (f / name).write_text(graph(True))
    (f / "link").symlink_to("deep/er")
    names = ["a.json", "./a.json", ".//a.json", "deep/../a.json", "deep/er/../../a.json",
             str(f / "a.json"), str(f) + "//./a.json", "a.jso[n]", "./*.json"]
    for first in names:
        for second in names:
            status, found = t.lint(first, second)
            t.expect(f"{first} {second}", (status, len(found)), (0, 1))
    t.expect("the first spelling", t.lint("./a.json", "a.json")[1][0][0], "./a.json")
    t.expect("a folder and a file", len(t.lint(".", "a.json", "deep")[1]), 2)
    # through a link to a folder, ".." is elsewhere: another file
    t.expect("behind a link", len(t.lint("a.json", "link/../a.json")[1]), 2)
    t.lint("--write-baseline", "b.xml", "./a.json", "a.json")
    text = (f / "b.xml").read_text()
    t.expect("baseline", (text.count("<finding"), 'file="a.json"' in text, "count=" in text),
             (1, True, False))


def main(tenure):
    with tempfile.TemporaryDirectory() as folder:
        t = Test(tenure, pathlib.Path(folder).resolve())
        for case in (idle_lines, idle_patterns, levels, outputs, reserves, spellings):
            case(t)
    print("\n".join(t.bad))
    return 1 if t.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""A report in a browser: what the checks of it share."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

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
    done = served.run([tenure, "plan", graph, "--json", *options], check=True,
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

#!/usr/bin/env python3
"""Prints how fast a browser shows pages of many buffers: usage: browser.py TENURE [N...]

Headless Chromium without a GPU. Opening: from the call until the page's script has run and
a frame was shown. Panning and zooming: the time between frames while each moves the picture;
late is what takes longer than 50 ms. Busy is the CPU time of the page's thread alone, which
says something on a loaded machine, too; the others need one that has nothing else to do.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / 'tests' / 'browser'))
import cdp  # noqa: E402
import large  # noqa: E402

FRAMES = """new Promise(done => {
    const s = document.querySelector('.scroller'), times = []; let last = null, n = 0;
    const width = s.scrollWidth - s.clientWidth;
    requestAnimationFrame(function frame(now) {
        if (last !== null) times.push(now - last);
        last = now;
        %s
        if (++n <= 300) requestAnimationFrame(frame); else done(times); }); })"""
PAN = 's.scrollLeft = n * 40 % Math.max(width, 1);'
ZOOM = 'tenure.timeline.zoom(n % 100 < 50 ? 1.06 : 1 / 1.06, 0);'
SHOWN = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
    () => done(performance.now()))))"""


def busy(browser):
    """Seconds of the page's thread so far."""
    metrics = browser.call('Performance.getMetrics')['metrics']
    return next(m['value'] for m in metrics if m['name'] == 'TaskDuration')


def measure(browser, page):
    browser.size(1280, 900)
    browser.call('Performance.enable', timeDomain='threadTicks')
    browser.open(page)
    opened = browser.wait(SHOWN)
    rows = [f'open {opened / 1000:.2f} s, {busy(browser):.2f} s of them busy']
    for what, step in (('pan', PAN), ('zoom', ZOOM)):
        browser.run('tenure.timeline.goTo(0)')
        before = busy(browser)
        times = sorted(browser.wait(FRAMES % step))
        each = (busy(browser) - before) / len(times) * 1000
        late = sum(t > 50 for t in times)
        rows.append(f'{what}: median {times[len(times) // 2]:.0f} ms, 95 % within '
                    f'{times[len(times) * 95 // 100]:.0f} ms, {late} of {len(times)} late; '
                    f'busy for {each:.0f} ms a frame')
    return rows


def main():
    program, tenure = cdp.find_browser(), sys.argv[1]
    sizes = [int(n) for n in sys.argv[2:]] or [5000, 50000]
    print(f'load of the machine: {os.getloadavg()[0]:.1f} for {os.cpu_count()} cores')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(os.path.realpath(name))
        for n in sizes:
            graph, page = folder / f'{n}.json', folder / f'{n}.html'
            graph.write_text(json.dumps(large.graph(n)))
            child = subprocess.Popen([tenure, 'report', graph, '-o', page])
            _, _, use = os.wait4(child.pid, 0)
            print(f'{n} buffers: report {use.ru_utime + use.ru_stime:.1f} s of CPU, '
                  f'{use.ru_maxrss / 1024:.0f} MB; page {page.stat().st_size / 1e6:.1f} MB')
            if not program:
                continue
            browser = cdp.Browser(program)
            try:
                for row in measure(browser, page):
                    print('  ' + row)
            finally:
                browser.close()
            time.sleep(1)
    if not program:
        print('no browser: nothing opened')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Prints what tenure needs for models and offset problems, beside its peers' figures.
Usage: bench.py TENURE GENERATE [PART...], parts: models offsets scale lint (default: all).
The program `parse` is looked for beside GENERATE.
Uses the models and problems in TENURE_SHARED or ../shared where there are any, and the
project's own fixtures otherwise. Times are user CPU of one thread."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from tables import model_path, number, root, rows, shared, table

tenure, generate = sys.argv[1:3]


def run(arguments, out=subprocess.DEVNULL):
    """Exit status, seconds, peak KB and the standard error of one run."""
    with tempfile.TemporaryFile('w+') as err:
        child = subprocess.Popen([tenure, *map(str, arguments)], stdout=out, stderr=err)
        _, status, use = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return child.returncode, use.ru_utime + use.ru_stime, use.ru_maxrss, err.read()


def plan_of(path, overlap, folder):
    out = pathlib.Path(folder) / 'plan.json'
    status, seconds, _, err = run(['plan', path, '--rewrite', 'none', '--overlap', overlap,
                                   '-o', out])
    if status:
        sys.exit(f'{path}: exit status {status}\n{err}')
    return json.loads(out.read_text()), seconds


def saved(part, whole):
    return f'{100 * (whole - part) / whole:.1f} %'


def model_line(model, path, peers, folder):
    plans = {mode: plan_of(path, mode, folder) for mode in ('none', 'inplace', 'full')}
    full, seconds = plans['full']
    bytes_ = {mode: plan['activation_bytes'] for mode, (plan, _) in plans.items()}
    best = min((int(p['bytes']), p['peer']) for p in peers) if peers else None
    return [model, number(full['no_reuse_bytes']), number(bytes_['none']),
            number(bytes_['inplace']), number(bytes_['full']),
            'optimal' if full['optimal'] else number(full['bound_bytes']),
            saved(bytes_['full'], full['no_reuse_bytes']),
            saved(bytes_['full'], bytes_['none']), f'{seconds:.2f}',
            f'{number(best[0])} ({best[1]})' if best else '',
            saved(bytes_['full'], best[0]) if best else '']


def models():
    peers, lines = rows('peers.csv'), []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows('models.csv'):
            path = model_path(row)
            if path:
                mine = [p for p in peers if p['model'] == row['model']]
                lines.append(model_line(row['model'], path, mine, folder))
    print('Activation bytes, alignment 16, inputs overwritten where the file allows it.')
    print('"below" is what overlap saves against the best disjoint plan, and against the')
    print("best peer whose figure is known (bench/peers.csv has all, with sources).\n")
    table(['model', 'no reuse', 'disjoint', 'in place', 'overlap', 'bound', 'saved',
           'below', 'seconds', 'best peer', 'below'], lines)


def height_of(err):
    """Height and bound from the line that `tenure offsets -o` prints."""
    words = err.replace(',', '').split()
    return (int(words[words.index('height') + 1]), int(words[words.index('bound') + 1]))


def solve(path, *more):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'out.csv'
        with tempfile.TemporaryFile('w+') as text:
            status, seconds, kilobytes, err = run(
                ['offsets', path, *more, '-o', out], text)
            text.seek(0)
            said = text.read()
    if status > 1:
        sys.exit(f'{path}: exit status {status}\n{err}')
    height, bound = height_of(said.rsplit(': ', 1)[-1])
    return height, bound, seconds, kilobytes


def problems(folder):
    """Name, path and capacity of every problem."""
    planner = shared / 'planner'
    for letter in 'ABCDEFGHIJK':
        yield letter, planner / f'{letter}.1048576.csv', 1048576
    for name in ('resnet50', 'pangu_2.6B', 'Y_1'):
        yield name, planner / f'{name}.csv', None
    for seed, n in ((1, 200), (2, 400), (3, 800)):
        path = pathlib.Path(folder) / f'cuts-{seed}-{n}.csv'
        with open(path, 'w') as file:
            subprocess.run([generate, 'cuts', str(seed), str(n), '1048576', '1024'],
                           stdout=file, check=True)
        yield path.stem, path, 1048576


def peer_cells(peers, name):
    timed = [(float(p['seconds']), p['peer']) for p in peers
             if p['problem'] == name and p['seconds']]
    heights = [(int(p['height']), p['peer']) for p in peers
               if p['problem'] == name and not p['seconds']]
    timed.sort()
    heights.sort()
    return [', '.join(f'{s:.2f} {who}' for s, who in timed),
            ', '.join(f'{number(h)} {who}' for h, who in heights)]


def offsets():
    peers, lines, total = rows('offsets.csv'), [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path, capacity in problems(folder):
            if not path.is_file():
                continue
            fit = solve(path, '--capacity', capacity) if capacity else None
            height, bound, seconds, kilobytes = solve(path, '--minimize')
            total += fit[2] if fit and len(name) == 1 else 0
            lines.append([name, f'{fit[2]:.2f}' if fit else '', number(height),
                          'optimal' if height == bound else number(bound),
                          f'{seconds:.2f}', f'{kilobytes // 1024}',
                          *peer_cells(peers, name)])
    print('Offsets alone. "fit s" is the time to fit the capacity of 1,048,576 bytes;')
    print('the other columns are of --minimize with the default effort.\n')
    table(['problem', 'fit s', 'height', 'bound', 's', 'MB', 'peers: s to fit',
           'peers: height'], lines)
    if total:
        print(f'A to K fit in {total:.2f} s together\n')


def best_of(times, command):
    """User and system seconds, and peak MB, of the fastest run."""
    best = None
    for _ in range(times):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, use = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode > 1:
            sys.exit(f'{command}: exit status {child.returncode}')
        this = use.ru_utime + use.ru_stime, use.ru_maxrss // 1024
        best = min(best or this, this)
    return best


def scale():
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for n in (1000, 10000, 100000):
            path = pathlib.Path(folder) / f'chain-{n}.json'
            with open(path, 'w') as file:
                subprocess.run([generate, 'chain', str(n)], stdout=file, check=True)
            _, seconds, kilobytes, _ = run(['plan', path])
            lines.append([f'plan a chain of {number(n)} ops', f'{seconds:.2f}',
                          f'{kilobytes // 1024}'])
            plan = path.with_suffix('.plan.json')
            run(['plan', path, '-o', plan])
            seconds, megabytes = best_of(3, [tenure, 'verify', str(path), str(plan)])
            lines.append([f'verify the plan of a chain of {number(n)} ops',
                          f'{seconds:.2f}', str(megabytes)])
        for n in (10000, 100000, 1000000):
            path = pathlib.Path(folder) / f'random-{n}.csv'
            with open(path, 'w') as file:
                subprocess.run([generate, 'random', '1', str(n), str(n // 10), '1000'],
                               stdout=file, check=True)
            height, bound, seconds, kilobytes = solve(path)
            lines.append([f'offsets of {number(n)} buffers, gap '
                          f'{100 * (height - bound) / bound:.1f} %',
                          f'{seconds:.2f}', f'{kilobytes // 1024}'])
    print('Size.\n')
    table(['what', 's', 'MB'], lines)


def lint():
    parse = pathlib.Path(generate).resolve().parent / 'parse'
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for what, kind, n in (('a chain of {} ops', 'chain', 1000),
                              ('a chain of {} ops', 'chain', 10000),
                              ('a chain of {} ops', 'chain', 100000),
                              ('a quantised chain of {} ops', 'quantised', 100000),
                              ('{} readers of one tensor', 'fan', 10000),
                              ('{} readers of one tensor', 'fan', 100000),
                              ('an op with {} weights', 'weights', 2000000),
                              ('flatc\'s JSON with {} weights', 'flatc', 4000000)):
            path = pathlib.Path(folder) / f'{kind}-{n}.json'
            with open(path, 'w') as file:
                subprocess.run([generate, kind, str(n)], stdout=file, check=True)
            seconds, megabytes = best_of(3, [tenure, 'lint', str(path)])
            alone, _ = best_of(3, [str(parse), str(path)])
            lines.append([what.format(number(n)), f'{path.stat().st_size / 1e6:.1f}',
                          f'{seconds:.3f}', f'{alone:.3f}', f'{seconds / alone:.2f}',
                          str(megabytes)])
    print('Lint: user and system seconds, the best of three runs, beside the time that jansson')
    print('alone takes to parse the file and drop it.\n')
    table(['what', 'MB of JSON', 's', 's jansson', 'times', 'MB'], lines)


for part in sys.argv[3:] or ['models', 'offsets', 'scale', 'lint']:
    {'models': models, 'offsets': offsets, 'scale': scale, 'lint': lint}[part]()

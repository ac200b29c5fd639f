#!/usr/bin/env python3
"""tools/fuzz adds up seconds and executions of runs, goes on to a total, and tells what fails.
Usage: totals.py SOURCE_ROOT"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FUZZ = pathlib.Path(sys.argv[1]) / 'tools/fuzz'
# Uses a second of CPU, or as the folder says ends with a finding.
TARGET = '''#!/usr/bin/env python3
import pathlib, sys, time
corpus = pathlib.Path(sys.argv[1])
while time.process_time() < 1.01:
    pass
print("stat::number_of_executed_units: 7")
sys.exit((corpus / "bad").exists())
'''


def run(build, *words, **variables):
    return subprocess.run([FUZZ, build, *words], text=True, capture_output=True,
                          env={**os.environ, 'FUZZ_TOTAL': '', **variables})


with tempfile.TemporaryDirectory() as folder:
    build = pathlib.Path(folder)
    targets = build / 'tests/fuzz'
    targets.mkdir(parents=True)
    for name in 'one', 'two':
        (targets / f'fuzz_{name}').write_text(TARGET)
        (targets / f'fuzz_{name}').chmod(0o755)
    totals = build / 'fuzz/totals.json'
    done = run(build, '1')
    assert done.returncode == 0, done
    found = json.loads(totals.read_text())
    assert set(found) == {'one', 'two'}, found
    assert all(t['executions'] == 7 and 1 <= t['seconds'] <= 3 for t in found.values()), found
    before = found['one']['seconds']
    done = run(build, '1', 'one', FUZZ_TOTAL=str(before + 2))
    found = json.loads(totals.read_text())
    assert done.returncode == 0 and found['one']['seconds'] >= before + 2, (done, found)
    assert found['one']['executions'] in (14, 21) and found['two']['executions'] == 7, found
    assert run(build, '1', 'one', FUZZ_TOTAL='1').stdout == ''  # it has them
    (build / 'fuzz/two/bad').touch()
    done = run(build, '1')
    assert done.returncode == 1 and 'two: FAILED, see ' in done.stdout, done
    assert 'one ' in done.stdout, done
    assert run(build).returncode == 1  # usage

"""What the benchmarks share: their data files, where models are, and tables of text."""
import csv
import os
import pathlib

here = pathlib.Path(__file__).resolve().parent
root = here.parent
shared = pathlib.Path(os.environ.get('TENURE_SHARED', root.parent / 'shared'))


def rows(name):
    with open(here / name, newline='') as file:
        return list(csv.DictReader(file))


def model_path(row):
    """The file of a row of models.csv: the model itself, the fixture, or None."""
    paths = [shared / row['shared']] if row['shared'] else []
    paths += [root / 'fixtures' / row['fixture']] if row['fixture'] else []
    return next((p for p in paths if p.is_file()), None)


def table(head, lines):
    """Numbers to the right, words to the left."""
    lines = [[str(cell) for cell in line] for line in lines]
    width = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, ['-' * w for w in width], *lines]:
        cells = [cell.rjust(w) if i and line is not head and cell[:1].isdigit()
                 else cell.ljust(w) for i, (cell, w) in enumerate(zip(line, width))]
        print('  '.join(cells).rstrip())
    print()


def number(value):
    return f'{int(value):,}'

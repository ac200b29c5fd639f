"""The command line of the scripts that make fixtures: a folder, and whether to compare only."""
import argparse


def read(doc, default=None, check=True):
    """--check, and the folder: this one unless it is named; without one it has to be."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if check:
        parser.add_argument('--check', action='store_true',
                            help='write nothing; fail when a file is not what this makes')
    parser.add_argument('folder', metavar='FOLDER', nargs=None if default is None else '?',
                        default=default, help=default and 'instead of %(default)s')
    return parser.parse_args()

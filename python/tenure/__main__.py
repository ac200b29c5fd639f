"""`python3 -m tenure` is `tenure`."""
import os
import sys

from . import program

try:
    os.execvp(program(), ["tenure", *sys.argv[1:]])
except OSError as error:
    print(f"tenure: {program()}: {error.strerror}: install tenure, or name the program in the "
          "variable TENURE", file=sys.stderr)
    sys.exit(3)

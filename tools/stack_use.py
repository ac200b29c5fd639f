#!/usr/bin/env python3
"""The deepest stack of a function in an image for Cortex-M: frames from gcc's -fstack-usage, the
call graph from the image itself.

    stack_use.py ELF FOLDER FUNCTION...

FOLDER holds the .su files of what was compiled with -fstack-usage. Of functions without one (the
C library's, libgcc's, those written in assembly) the frame is all that their code pushes and
subtracts from sp. A branch to another function counts as a call. What cannot be bounded is an
error: calls through pointers, recursion, frames whose size is computed."""
import collections
import pathlib
import re
import subprocess
import sys

CALL = re.compile(r'\t(?:bl?x?|b[a-z]{2}|cbn?z)(?:\.[nw])?\t(?:\w+, )?([0-9a-f]+) <[^>+]+>')
THROUGH_POINTER = re.compile(r'\tblx\t\w+')
TAIL_CALL = re.compile(r'\tbx\t(?!lr)\w+')  # in assembly, a jump within the function
PUSH = re.compile(r'\t(v?push|v?stmdb)(?:\.w)?\t(?:sp!, )?\{([^}]*)\}')
SUB = re.compile(r'\tsub(?:\.w|w|s)?\tsp, (?:sp, )?#(\d+)')
STORE = re.compile(r'\tv?str[dbh]?(?:\.w)?\t.*\[sp, #-(\d+)\]!')


def registers(text):
    """How many words "r4, r5-r7, d8" push."""
    words = 0
    for part in text.replace(' ', '').split(','):
        first, _, last = part.partition('-')
        n = int(last[1:]) - int(first[1:]) + 1 if last else 1
        words += n * (2 if part[0] == 'd' else 1)
    return words


def frames(paths):
    """Bytes by function; of functions of one name the largest."""
    sizes = collections.defaultdict(int)
    for path in paths:
        for line in path.read_text().splitlines():
            place, size, kind = line.split('\t')
            name = place.rsplit(':', 1)[1]
            if kind != 'static':
                sys.exit(f'{name}: its frame is {kind}')
            sizes[name] = max(sizes[name], int(size))
    return sizes


class Image:
    """Functions are keyed by address: static ones of two files may share a name."""

    def __init__(self, elf, su_files):
        self.name, self.frame, self.calls = {}, {}, collections.defaultdict(set)
        self.pointers, self.tails = set(), set()
        known, at = frames(su_files), None
        text = subprocess.run(['arm-none-eabi-objdump', '-d', '--no-show-raw-insn', elf],
                              check=True, text=True, capture_output=True).stdout
        for line in text.splitlines():
            start = re.match(r'([0-9a-f]+) <([^>]+)>:$', line)
            if start:
                at = int(start.group(1), 16)
                self.name[at], self.frame[at] = start.group(2), 0
            elif at is not None:
                self.read(at, line)
        for at, name in self.name.items():
            # a frame of nothing is what it says of functions that are written in assembly
            if known.get(name):
                self.frame[at] = known[name]
                self.pointers |= self.tails & {at}
        self.done = {}

    def read(self, at, line):
        call, push = CALL.search(line), PUSH.search(line)
        if call and int(call.group(1), 16) != at:
            self.calls[at].add(int(call.group(1), 16))
        if THROUGH_POINTER.search(line):
            self.pointers.add(at)
        if TAIL_CALL.search(line):
            self.tails.add(at)
        if push and (push.group(1).endswith('push') or 'sp!' in line):
            self.frame[at] += 4 * registers(push.group(2))
        for pattern in (SUB, STORE):
            found = pattern.search(line)
            if found:
                self.frame[at] += int(found.group(1))

    def below(self, at, above):
        if at in self.done:
            return self.done[at]
        if at in above:
            sys.exit(f'{self.name[at]} calls itself')
        if at in self.pointers:
            sys.exit(f'{self.name[at]}: a call through a pointer')
        rest = max((self.below(c, above | {at}) for c in sorted(self.calls[at])),
                   default=(0, []))
        self.done[at] = self.frame[at] + rest[0], [at, *rest[1]]
        return self.done[at]

    def deepest(self, name):
        """Bytes, and the chain of functions that needs them."""
        found = [at for at, its in self.name.items() if its == name]
        if not found:
            sys.exit(f'{name}: no such function')
        size, chain = max(self.below(at, frozenset()) for at in found)
        return size, ' '.join(f'{self.name[at]} {self.frame[at]}' for at in chain)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    image = Image(sys.argv[1], pathlib.Path(sys.argv[2]).rglob('*.su'))
    for function in sys.argv[3:]:
        size, chain = image.deepest(function)
        print(f'{function}: {size} B: {chain}')

"""What a program writes to a terminal, for the tests of commands."""
import os


def read(ours):
    """All of it, from our end, which is closed then; its own end must be closed here before."""
    got = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        got += part
    os.close(ours)
    return got.decode()

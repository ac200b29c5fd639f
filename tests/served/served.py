"""`run` is subprocess.run for tests that start tenure hundreds of times: the program is loaded once
and then forked for each command (served.c), which takes half of the time on a small graph. Its main,
process, streams and folder are those of any other run; its addresses are the same in all of them, so
what looks for bytes that depend on addresses uses subprocess.

TENURE_SERVED is the library that does it. Without it (sanitizers do not go with it, and a test that
is started by hand has none), and with options that are not here, it is subprocess.run that runs."""
import array
import atexit
import os
import selectors
import socket
import subprocess
import threading
import time

LIBRARY = os.environ.get('TENURE_SERVED', '')
KNOWN = {'capture_output', 'check', 'cwd', 'encoding', 'errors', 'input', 'stderr', 'stdout', 'text',
         'timeout'}
MOST = 1 << 15  # bytes of a command, and of its input: as much as a pipe takes at once
WAYS = (None, subprocess.PIPE, subprocess.DEVNULL)
here = threading.local()  # each thread has a server of its own


class Server:
    def __init__(self, program):
        self.program = program
        self.socket, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen(
                [program], pass_fds=[other.fileno()], stdin=subprocess.DEVNULL,
                env=dict(os.environ, LD_PRELOAD=LIBRARY, LD_BIND_NOW='1',
                         SERVED_SOCKET=str(other.fileno())))
        atexit.register(self.close)

    def close(self):
        self.socket.close()
        self.process.wait()

    def start(self, words, folder, streams):
        text = b''.join(os.fsencode(word) + b'\0' for word in [folder, *words])
        self.socket.sendmsg([len(text).to_bytes(4, 'little')],
                            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', streams))])
        self.socket.sendall(text)

    def status(self):
        answer = self.socket.recv(4, socket.MSG_WAITALL)
        assert len(answer) == 4, 'the server ended'
        return os.waitstatus_to_exitcode(int.from_bytes(answer, 'little'))


def server_of(program):
    if getattr(here, 'server', None) is None or here.server.program != program:
        here.server = Server(program)
    return here.server


def can_serve(command, more):
    if not os.path.exists(LIBRARY) or not isinstance(command, (list, tuple)) or set(more) - KNOWN:
        return False
    return (os.path.basename(command[0]) == 'tenure' and os.access(command[0], os.X_OK) and
            more.get('stdout') in WAYS and more.get('stderr') in WAYS and
            len(more.get('input') or '') < MOST // 4 and
            sum(len(os.fsencode(word)) + 1 for word in command) < MOST)


class Streams:
    """Of one command: its ends, and ours of its output and of what it has to say."""

    def __init__(self, more):
        self.ours, self.its, opened = [None, None], [0, 1, 2], []
        if more.get('input') is not None:
            self.its[0], end = os.pipe()
            opened.append(self.its[0])
            text = more['input']
            os.write(end, text.encode() if isinstance(text, str) else text)
            os.close(end)
        for i, key in enumerate(('stdout', 'stderr')):
            way = subprocess.PIPE if more.get('capture_output') else more.get(key)
            if way is not None:
                self.ours[i], end = os.pipe() if way == subprocess.PIPE else (
                    None, os.open(os.devnull, os.O_WRONLY))
                opened.append(end)
                self.its[i + 1] = end
        self.opened = opened

    def close(self):
        for fd in self.opened:
            os.close(fd)

    def read(self, until):
        """What comes out of ours until they are closed; None when it is not until then."""
        parts = {fd: [] for fd in self.ours if fd is not None}
        with selectors.PollSelector() as ready:
            for fd in parts:
                ready.register(fd, selectors.EVENT_READ)
            while ready.get_map():
                left = None if until is None else until - time.monotonic()
                found = ready.select(left) if left is None or left > 0 else []
                if not found:
                    return None
                for key, _ in found:
                    data = os.read(key.fd, 1 << 16)
                    if data:
                        parts[key.fd].append(data)
                    else:
                        ready.unregister(key.fd)
                        os.close(key.fd)
        return [None if fd is None else b''.join(parts[fd]) for fd in self.ours]


def in_words(data, more):
    if data is None or not any(more.get(key) for key in ('text', 'errors', 'encoding')):
        return data
    text = data.decode(more.get('encoding') or 'utf-8', more.get('errors') or 'strict')
    return text.replace('\r\n', '\n').replace('\r', '\n')


def run(command, **more):
    if not can_serve(command, more):
        return subprocess.run(command, **more)
    limit = more.get('timeout')
    server, streams = server_of(os.path.abspath(command[0])), Streams(more)
    server.start(command, os.path.abspath(more.get('cwd') or ''), streams.its)
    streams.close()
    said = streams.read(None if limit is None else time.monotonic() + limit)
    if said is None:
        server.process.kill()  # and with it what it runs
        here.server = None
        raise subprocess.TimeoutExpired(command, limit)
    done = subprocess.CompletedProcess(command, server.status(),
                                       *(in_words(data, more) for data in said))
    if more.get('check'):
        done.check_returncode()
    return done

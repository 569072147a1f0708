"""A program in a terminal of its own, with the keys and the screen of a user."""

import os
import pty
import re
import select
import signal
import termios
import time

from zinc_program import DEADLINE


class Terminal:
    def __init__(self, words, rows=24, columns=100, has_input=True, environment=None):
        self.text = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            if not has_input:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.execvpe(words[0], words, {**os.environ, "TERM": "xterm", **(environment or {})})
        termios.tcsetwinsize(self.terminal, (rows, columns))

    def wait_for(self, pattern, *, drop=True):
        end = time.monotonic() + DEADLINE
        while not (found := re.search(pattern, self.text, re.S)):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"no {pattern!r} in {self.text[-3000:]!r}"
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                data = b""
            assert data, f"ended without {pattern!r}: {self.text[-3000:]!r}"
            self.text += data.decode("latin-1")
        if drop:
            self.text = self.text[found.end():]
        return found

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def end(self):
        """The rest of the output, and the exit code."""
        while True:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                break
            if not data:
                break
            self.text += data.decode("latin-1")
        _, status = os.waitpid(self.process, 0)
        self.process = None
        return self.text, os.waitstatus_to_exitcode(status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)

#!/usr/bin/python3
"""Subcommands that print, while the reader of their output takes nothing."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from zinc_program import DEADLINE, ZINC, started  # noqa: E402: behind the line above


def full_pipe():
    """Both ends of a pipe that takes no more bytes."""
    output, full = os.pipe()
    os.set_blocking(full, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(full, bytes(4096))
    os.set_blocking(full, True)
    return output, full


def waits_for_reader(process):
    """Whether it is in a system call whose first argument is standard output."""
    with open(f"/proc/{process.pid}/syscall", encoding="ascii") as file:
        return file.read().split()[1:2] == ["0x1"]


class FullOutputTest(unittest.TestCase):
    """A signal ends them at once, without an error."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.front, self.back = (f"ipc://{folder.name}/{name}" for name in ("front", "back"))

    @contextlib.contextmanager
    def blocked(self, *words):
        """Runs the body, which makes it print."""
        output, full = full_pipe()
        with os.fdopen(output, "rb"):
            process = subprocess.Popen([ZINC, *words], stdout=full, stderr=subprocess.PIPE, text=True)
            os.close(full)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            with process.stderr:
                yield process
                try:
                    end = time.monotonic() + DEADLINE
                    while not waits_for_reader(process):
                        self.assertLess(time.monotonic(), end)
                        os.sched_yield()
                except PermissionError as e:
                    self.skipTest(f"this machine hides the system calls of processes: {e}")
                process.terminate()
                errors = [line for line in process.communicate(timeout=DEADLINE)[1].splitlines()
                          if not line.startswith("bound ")]
                self.assertEqual((process.returncode, errors), (0, []))

    def send(self, endpoint):
        """Leaves the sender running, which may wait for the blocked program."""
        text = self.enterContext(tempfile.TemporaryFile("w+"))
        text.write("text\n")
        text.seek(0)
        self.enterContext(started("cat", "push", endpoint, stdin=text))

    def test_cat(self):
        with self.blocked("cat", "pull", self.front, "--bind"):
            self.send(self.front)

    def test_dump(self):
        with started("cat", "pull", self.back, "--bind"), \
                self.blocked("dump", "--listen", self.front, "--connect", self.back):
            self.send(self.front)

    def test_top(self):
        with started("broker", "--bind", self.front):
            for more in ([], ["--json"]):
                with self.subTest(more), self.blocked("top", "--connect", self.front, *more):
                    pass


if __name__ == "__main__":
    unittest.main(verbosity=2)

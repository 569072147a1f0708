"""Processes that run at the same time, and are killed and started again: their output, and their end."""

import os
import selectors
import signal
import time

from comparison.child import Child
from comparison.figures import Failed
from comparison.workload import Process

TIMEOUT = 60  # seconds, for what a quiet machine does at once


class Processes:
    """Must be closed: that kills all processes that still run, by their ids. A process that ends by itself is an
    error."""

    def __init__(self):
        self._children = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self._children:
            child.close()
        self._selector.close()

    def start(self, command):
        try:
            child = Child(Process(role="", program=str(command[0]), arguments=tuple(command[1:])), command)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        self._children.append(child)
        for descriptor in (*child.pipes, child.end):
            self._selector.register(descriptor, selectors.EVENT_READ, child)
        return child

    def sleep(self, seconds):
        """Reads what the processes print meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._read(left)

    def wait_for(self, done, what):
        end = time.monotonic() + TIMEOUT
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                raise Failed(f"{what} did not come within {TIMEOUT} s")
            self._read(left)

    def kill(self, child):
        os.kill(child.pid, signal.SIGKILL)
        self._take_end(child, -signal.SIGKILL)

    def stop(self, child):
        child.end_by(signal.SIGTERM)
        self._take_end(child, 0)

    def _read(self, seconds):
        for key, _ in self._selector.select(seconds):
            child = key.data
            if not child.running:
                continue
            if key.fd == child.end:
                self._take_end(child, None)
            elif child.read(key.fd) == b"":
                self._selector.unregister(key.fd)

    def _take_end(self, child, expected):
        """Waits for the end of a process. `expected` is its exit code, or None if the process must not end."""
        ended = select_one(child.end, TIMEOUT)
        for descriptor in (*child.pipes, child.end):
            if descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)
        if not ended:
            raise Failed(f"{child.process.program} did not end within {TIMEOUT} s")
        child.take_end()
        if child.exit_code != expected:
            raise Failed(f"{child.process.program} ended with {child.exit_code}: {child.errors.strip()[-2000:]}")


def select_one(descriptor, seconds):
    with selectors.DefaultSelector() as one:
        one.register(descriptor, selectors.EVENT_READ)
        return bool(one.select(seconds))

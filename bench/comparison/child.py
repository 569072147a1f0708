"""One process of a run: its output as it comes, its end, the CPU time it took, and its greatest memory."""

import contextlib
import os
import re
import signal
import subprocess

from comparison.memory import peak_of
from comparison.on_host import CLOSE_INPUT

_ENDED = re.compile(r"^zinc-run ended (-?\d+) (\d+\.\d+) (\d+)$", re.MULTILINE)


class Child:
    """Must be closed: that kills what still runs, by its id."""

    def __init__(self, process, command, cores=None):
        """`cores` are those that it may run on, or None for those of this process."""
        self.process = process
        self.output = ""
        self.errors = ""
        self.exit_code = None
        self.cpu_seconds = 0.0
        self.peak_bytes = 0
        environment = dict(os.environ, **dict(process.environment))
        self._popen = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, bufsize=0,
                                       preexec_fn=cores and (lambda: os.sched_setaffinity(0, cores)))
        self.pid = self._popen.pid
        # Tells of the end without taking the exit code, which wait4 does with the CPU time.
        self.end = os.pidfd_open(self.pid)
        for pipe in (self._popen.stdout, self._popen.stderr):
            os.set_blocking(pipe.fileno(), False)
        self.note_peak()

    @property
    def running(self):
        return self.exit_code is None

    @property
    def pipes(self):
        return self._popen.stdout.fileno(), self._popen.stderr.fileno()

    def read(self, pipe):
        """Returns the bytes read: empty at the end of the pipe, None if nothing is pending."""
        try:
            data = os.read(pipe, 65536)
        except BlockingIOError:
            return None
        text = data.decode(errors="replace")
        if pipe == self._popen.stdout.fileno():
            self.output += text
        else:
            # A program that complains without end must not fill the memory; the last lines matter.
            self.errors = (self.errors + text)[-4000:]
        return data

    def note_peak(self):
        """Reads the greatest resident memory so far."""
        self.peak_bytes = max(self.peak_bytes, peak_of(self.pid))

    def take_end(self):
        _, status, usage = os.wait4(self.pid, 0)
        self._popen.returncode = self.exit_code = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        for pipe in self.pipes:
            while self.read(pipe):
                pass

    def close_input(self):
        self._popen.stdin.close()

    def end_by(self, number):
        os.kill(self.pid, number)

    def close(self):
        if self.running:
            os.kill(self.pid, signal.SIGKILL)
            self.take_end()
        os.close(self.end)
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            pipe.close()


class RemoteChild(Child):
    """A process on another host. The process here is the connection to on_host.py there, which kills it if that is
    lost."""

    def __init__(self, process, command, host_name):
        self._host_name = host_name
        super().__init__(process, command)

    def note_peak(self):
        """Does nothing: on_host.py reads the memory."""

    def take_end(self):
        super().take_end()
        if ended := _ENDED.search(self.errors):
            self.exit_code, self.cpu_seconds, self.peak_bytes = int(ended[1]), float(ended[2]), int(ended[3])
            self.errors = self.errors[:ended.start()]
        else:
            self.exit_code = self.exit_code or 255
            self.errors += f"\nthe connection to {self._host_name} was lost\n"

    def close_input(self):
        self.end_by(CLOSE_INPUT)

    def end_by(self, number):
        # A lost connection is seen by its end.
        with contextlib.suppress(BrokenPipeError):
            self._popen.stdin.write(bytes([number]))

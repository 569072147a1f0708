"""One process of a run: its output as it comes, its end, the CPU time it took, and its greatest memory."""

import os
import re
import signal
import subprocess

_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


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
        """Reads the greatest resident memory so far. The one of wait4 would be at least that of this program, of which
        the process was a copy before it became another."""
        try:
            with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as status:
                found = _PEAK.search(status.read())
        except OSError:
            return
        if found:  # a process that has ended has no memory
            self.peak_bytes = 1024 * int(found[1])

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

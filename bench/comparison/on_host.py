"""Runs one program for a comparison on another host: python3 -m comparison.on_host SECONDS PROGRAM ARGUMENT…

Each byte of the standard input is the number of a signal for the program; 0 closes the input of the program. The end of
the input says that the connection is lost: then, and after SECONDS, the program is killed. The last line on stderr is
`zinc-run ended CODE CPU_SECONDS PEAK_BYTES`. With --describe instead, prints what is here, as JSON."""

import ctypes
import hashlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from comparison import machine
from comparison.memory import PEAK_SECONDS, peak_of

CLOSE_INPUT = 0
NOT_STARTED = 127
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def hashes(folder):
    """Returns the SHA-256 of each file below the folder."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def _describe():
    folder = Path.cwd()
    print(json.dumps({
        "folder": str(folder),
        "files": hashes(folder),
        # The address of the other end, as this host sees it.
        "address": os.environ.get("SSH_CONNECTION", "").partition(" ")[0],
        "machine": machine.system(machine.load_average()),
    }))


def _say_end(code, cpu_seconds, peak):
    print(f"\nzinc-run ended {code} {cpu_seconds:.6f} {peak}", file=sys.stderr, flush=True)


def _end_with_parent():
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _run(seconds, command):
    deadline = time.monotonic() + seconds
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        program = subprocess.Popen(command, stdin=subprocess.PIPE, preexec_fn=_end_with_parent)
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        _say_end(NOT_STARTED, 0, 0)
        return
    end = os.pidfd_open(program.pid)
    peak = peak_of(program.pid)
    while True:
        ready, _, _ = select.select([0, end], [], [], PEAK_SECONDS)
        if end in ready:
            break
        peak = max(peak, peak_of(program.pid))
        numbers = os.read(0, 64) if 0 in ready else None
        if numbers == b"" or time.monotonic() >= deadline:
            os.kill(program.pid, signal.SIGKILL)
            break
        for number in numbers or b"":
            if number == CLOSE_INPUT:
                program.stdin.close()
            else:
                os.kill(program.pid, number)
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    _say_end(program.returncode, usage.ru_utime + usage.ru_stime, peak)


if __name__ == "__main__":
    if sys.argv[1] == "--describe":
        _describe()
    else:
        _run(float(sys.argv[1]), sys.argv[2:])

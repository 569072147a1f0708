#!/usr/bin/python3
"""Pyzmq workers that can be killed at any moment, and a ledger of their work.

As a program: ledger_workers.py ENDPOINT SERVICE LEDGER MILLISECONDS. For each line of input, a version of MDP,
the program starts one more worker, a process of its own, and prints the worker's number. A worker enters the
first part of each request in the ledger as a line, works for MILLISECONDS, and echoes the request. All workers
end with the input.
"""

import ctypes
import os
import signal
import sys
import time

sys.dont_write_bytecode = True
from guide_peers import Worker  # noqa: E402: behind the line above
import zmq  # noqa: E402

HEARTBEAT = 2.5  # seconds; the broker's default
PR_SET_PDEATHSIG = 1


def work(endpoint, service, ledger, seconds, version):
    context = zmq.Context()
    while True:
        worker = Worker(context, endpoint, service, version)
        told = time.monotonic()
        while True:
            command = worker.receive(HEARTBEAT / 2)
            if command is not None and command.name == "disconnect":
                break
            if command is not None and command.name == "request":
                # One write at the end of the file: no line is torn.
                os.write(ledger, command.body[0] + b"\n")
                time.sleep(seconds)
                worker.reply(command.address, *command.body)
            if time.monotonic() - told > HEARTBEAT:
                told = time.monotonic()
                worker.command("heartbeat")
        worker.close()


def main(endpoint, service, path, milliseconds):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for the children
    ledger = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    mother = os.getpid()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == mother:
                work(endpoint, service.encode(), ledger, int(milliseconds) / 1000, line.strip())
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/python3
"""The worker of Majordomo: echoes."""

from guide_program import run
from guide_peers import EchoWorker


def main(context):
    EchoWorker(context, "tcp://127.0.0.1:5555", b"echo", "0.1").join()


run(main)

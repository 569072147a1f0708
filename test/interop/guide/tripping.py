#!/usr/bin/python3
"""Round trips through a broker: one after the other, and many at once."""

import threading
import time

from guide_program import count, opened, run, say
import zmq


def broker(context):
    frontend = opened(context, zmq.DEALER, bind=["tcp://*:5555"])
    backend = opened(context, zmq.DEALER, bind=["tcp://*:5556"])
    zmq.proxy(frontend, backend)


def worker(context):
    echo = opened(context, zmq.DEALER, ["tcp://localhost:5556"])
    while True:
        echo.send_multipart(echo.recv_multipart())


def main(context):
    for one in (broker, worker):
        threading.Thread(target=one, args=(context,), daemon=True).start()
    client = opened(context, zmq.DEALER, ["tcp://localhost:5555"])
    client.send(b"hello")
    client.recv()
    say("Setting up test...")
    say("Synchronous round-trip test...")
    start = time.monotonic()
    calls = count(10000)
    for _ in range(calls):
        client.send(b"hello")
        client.recv()
    say(f" {calls / (time.monotonic() - start):.0f} calls/second")
    say("Asynchronous round-trip test...")
    start = time.monotonic()
    calls = count(100000)
    for _ in range(calls):
        client.send(b"hello")
    for _ in range(calls):
        client.recv()
    say(f" {calls / (time.monotonic() - start):.0f} calls/second")


run(main)

#!/usr/bin/python3
"""A publisher of a thousand messages a second, and a subscriber that is slower and ends when it is a second late."""

import random
import sys
import threading
import time

from guide_program import opened, run, say
import zmq


def publish(context, over):
    publisher = opened(context, zmq.PUB, bind=["tcp://*:5556"])
    while not over.is_set():
        publisher.send(b"%d" % (time.time() * 1000))
        time.sleep(0.001)


def main(context):
    over = threading.Event()
    threading.Thread(target=publish, args=(context, over), daemon=True).start()
    subscriber = opened(context, zmq.SUB, ["tcp://localhost:5556"])
    subscriber.subscribe(b"")
    while True:
        stamp = subscriber.recv()
        say(stamp.decode())
        if time.time() * 1000 - int(stamp) > 1000:
            print("E: subscriber cannot keep up, aborting", file=sys.stderr, flush=True)
            over.set()
            time.sleep(0.1)
            return
        time.sleep(random.choice((0.001, 0.002)))


run(main)

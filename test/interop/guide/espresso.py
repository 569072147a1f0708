#!/usr/bin/python3
"""A publisher, a subscriber, a proxy between them, and a listener that prints the messages of the proxy."""

import random
import threading
import time

from guide_program import opened, run, say
import zmq


def publish(context):
    publisher = opened(context, zmq.PUB, bind=["tcp://*:6000"])
    while True:
        publisher.send(b"%c-%05d" % (random.choice(b"ABCDEFGHIJ"), random.randrange(100000)))
        time.sleep(0.1)


def subscribe(context):
    subscriber = opened(context, zmq.SUB, ["tcp://localhost:6001"])
    subscriber.subscribe(b"A")
    subscriber.subscribe(b"B")
    for _ in range(5):
        subscriber.recv()
    subscriber.close()


def listen(pipe):
    while True:
        for frame in pipe.recv_multipart():
            text = frame.hex().upper() if frame[0] < 2 else frame.decode()
            say(f"[{len(frame):03}] {text}")


def main(context):
    capture, pipe = (context.socket(zmq.PAIR) for _ in range(2))
    capture.bind("inproc://espresso")
    pipe.connect("inproc://espresso")
    for work, argument in ((publish, context), (subscribe, context), (listen, pipe)):
        threading.Thread(target=work, args=(argument,), daemon=True).start()
    upstream = opened(context, zmq.XSUB, ["tcp://localhost:6000"])
    zmq.proxy(upstream, opened(context, zmq.XPUB, bind=["tcp://*:6001"]), capture)


run(main)

#!/usr/bin/python3
"""A subscriber of one topic of a thousand."""

import random
import sys

from guide_program import opened, run, say
import zmq


def main(context):
    subscriber = opened(context, zmq.SUB, sys.argv[1:] or ["tcp://localhost:5556"])
    subscription = b"%03d" % random.randrange(1000)
    subscriber.subscribe(subscription)
    while True:
        topic, data = subscriber.recv_multipart()
        assert topic == subscription, topic
        say(data.decode())


run(main)

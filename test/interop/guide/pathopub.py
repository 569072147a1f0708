#!/usr/bin/python3
"""A publisher of a thousand topics at once, and then of one each second."""

import random
import sys
import time

from guide_program import opened, run
import zmq


def main(context):
    publisher = opened(context, zmq.PUB, bind=sys.argv[1:] or ["tcp://*:5556"])
    time.sleep(1)
    for topic in range(1000):
        publisher.send_multipart([b"%03d" % topic, b"Save Roger"])
    while True:
        time.sleep(1)
        publisher.send_multipart([b"%03d" % random.randrange(1000), b"Off with his head!"])


run(main)

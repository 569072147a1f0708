#!/usr/bin/python3
"""The client of Majordomo that sends all its requests before it reads."""

from guide_program import count, run, say
from guide_peers import Client
from majordomo_client import ENDPOINT, TIMEOUT


def main(context):
    client = Client(context, ENDPOINT, "0.1")
    for _ in range(count(100000)):
        client.send(b"echo", b"Hello world")
    done = 0
    while done < count(100000) and client.receive(TIMEOUT) is not None:
        done += 1
    say(f"{done} replies received")


run(main)

#!/usr/bin/python3
"""The client of Majordomo: one request after the other."""

from guide_program import count, run, say
from majordomo_client import MajordomoClient


def main(context):
    client = MajordomoClient(context)
    done = 0
    for _ in range(count(100000)):
        if client.request(b"echo", b"Hello world") is None:
            break
        done += 1
    say(f"{done} requests/replies processed")


run(main)

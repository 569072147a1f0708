#!/usr/bin/python3
"""The client of Titanic."""

import time

from guide_program import run, say
from majordomo_client import MajordomoClient


def call(client, service, *body):
    """Returns the frames after the status 200, or None for 300. Other statuses end the program."""
    reply = client.request(service, *body)
    if reply is None:
        return None
    if reply[0] == b"200":
        return reply[1:]
    if reply[0] in (b"400", b"500"):
        raise SystemExit("E: server fatal error, aborting")
    return None


def main(context):
    client = MajordomoClient(context)
    found = call(client, b"titanic.request", b"echo", b"Hello world")
    if found is None:
        raise SystemExit("E: no answer from Titanic")
    say(f"I: request UUID [032] {found[0].decode()}")
    while True:
        time.sleep(0.1)
        reply = call(client, b"titanic.reply", found[0])
        if reply is not None:
            say(f"Reply: {reply[0].decode()}")
            call(client, b"titanic.close", found[0])
            return
        say("I: no reply yet, trying again...")
        time.sleep(5)


run(main)

#!/usr/bin/python3
"""Asks the broker of Majordomo whether there is a service."""

from guide_program import run, say
from majordomo_client import MajordomoClient


def main(context):
    reply = MajordomoClient(context).request(b"mmi.service", b"echo")
    if reply is None:
        say("E: no response from broker, make sure it's running")
    else:
        say(f"Lookup echo service: {reply[-1].decode()}")


run(main)

#!/usr/bin/python3
"""The client of Binary Star."""

import time

from guide_program import run, say
from bstar_peers import GuideClient


class Client(GuideClient):
    def connect(self):
        say(f"I: connecting to server at {self.servers[self.current].replace('127.0.0.1', 'localhost')}...")
        super().connect()

    def close(self):
        say("W: no response from server, failing over")
        super().close()


def main(context):
    client = Client(context, ["tcp://127.0.0.1:5001", "tcp://127.0.0.1:5002"], timeout=1, settle=2)
    while True:
        client.request()
        say(f"I: server replied OK ({client.sequence})")
        time.sleep(1)


run(main)

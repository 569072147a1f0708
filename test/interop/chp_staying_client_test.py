#!/usr/bin/python3
"""Clients as the Guide's, which stay at a server of a pair while its peer is active for a short time. They are told
what they have missed."""

import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from chp_clients import Client, PATIENCE, Timeout  # noqa: E402: behind the line above
from chp_pair import Pair  # noqa: E402
from zinc_programs import zinc_path  # noqa: E402
import zmq  # noqa: E402

HEARTBEAT = 100  # milliseconds
TURNS = 4


class StayingClientTest(unittest.TestCase):
    def setUp(self):
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, linger=0)
        self.pair = Pair(self, HEARTBEAT)

    def client(self, index):
        return Client(self, self.context, self.pair.ports[index], letter=False)

    def serve(self, client):
        """Asks until it is answered: each question is a vote."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            client.ask()
            if client.requester.poll(HEARTBEAT):
                *entries, end_of_all = client.answer()
                client.map = {entry[0]: entry[-1] for entry in entries}
                client.sequence = int.from_bytes(end_of_all[1], "big")
                return
        raise Timeout("no server answered")

    def wait_until_in_sync(self):
        servers = (word for at in self.pair.addresses for word in ("--connect", f"tcp://{at}"))
        subprocess.run([zinc_path(), "chp", "set", "--require", "both", *servers, "in sync", "yes"], check=True,
                       timeout=PATIENCE, stdout=subprocess.DEVNULL)

    def test_each_gets_the_updates_of_the_other_server_in_order(self):
        active = self.pair.wait_for_one_active()
        self.wait_until_in_sync()
        staying = [self.client(index) for index in range(2)]
        self.serve(staying[active])
        # The one at the passive server comes later, with a snapshot of that server.
        for turn in range(TURNS):
            writer = self.client(active)
            self.serve(writer)
            writer.join(lambda: writer.set(b"joined", b"%d" % turn))
            for n in range(20):
                writer.set(b"of every turn", b"%d %d" % (turn, n))
            writer.set(b"of turn %d" % turn, b"x")
            writer.set(b"of turn %d" % (turn - 1), b"")
            writer.set(b"last", b"%d" % turn)
            while writer.expect(b"last")[-1] != b"%d" % turn:
                pass
            while staying[active].map != writer.map:
                staying[active].next()
            self.assertEqual(staying[active].sequence, writer.sequence)

            passive = 1 - active
            self.pair.nodes[active].skip_lines()
            self.pair.suspend(active)
            vote = self.client(passive)
            self.serve(vote)
            self.pair.resume(active)
            self.pair.wait_until_passive(active)
            self.wait_until_in_sync()
            if turn == 0:
                self.serve(staying[passive])
            active = passive


if __name__ == "__main__":
    unittest.main()

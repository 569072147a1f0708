#!/usr/bin/python3
"""One of our servers and one that behaves as the Guide's clonesrv6, as a pair (protocols C1-2, C1-17 to C1-21)."""

import sys
import time
import unittest
import uuid

sys.dont_write_bytecode = True
from chp_clients import Client, Host, PATIENCE, Timeout  # noqa: E402: behind the line above
from guide_clone_server import ACTIVE, PASSIVE, GuideServer  # noqa: E402
from zinc_programs import reserve_ports  # noqa: E402
import zmq  # noqa: E402


class PairTest(unittest.TestCase):
    def setUp(self):
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, linger=0)
        first = reserve_ports(self, 8)
        self.primary, self.backup = first, first + 4
        self.primary_state, self.backup_state = first + 3, first + 7

    def arguments(self, role):
        if role == "primary":
            return role, self.primary, self.primary_state, self.backup_state, self.backup
        return role, self.backup, self.backup_state, self.primary_state, self.primary

    def ours(self, role):
        return Host(self, *self.arguments(role))

    def theirs(self, role):
        server = GuideServer(*self.arguments(role))
        self.addCleanup(server.stop)
        return server

    def client(self, port, setter=zmq.PUB):
        return Client(self, self.context, port, setter=setter, letter=False)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.005)  # there is no event to wait for: another thread does the work

    def serve(self, client):
        """Asks until it is answered: each question is a vote."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            client.ask()
            if client.requester.poll(100):
                *entries, _ = client.answer()
                client.map = {entry[0]: entry[-1] for entry in entries}
                return
        raise Timeout("no server answered")

    def test_ours_takes_over_with_replicated_and_pending_updates(self):
        theirs = self.theirs("primary")
        ours = self.ours("backup")
        ours.expect_event("synchronized")
        self.until(lambda: theirs.told_active > 5, "ours receives that theirs is active")
        client = self.client(self.primary)
        # A passive server publishes no message that shows its subscription.
        other = self.client(self.backup, setter=zmq.XPUB)
        other.await_collector()
        client.join(lambda: client.set(b"/join", b"x"))
        identity = uuid.uuid4().bytes
        for n in range(100):
            client.set(b"/%d" % n, b"value %d" % n)
        client.set(b"/both", b"x", identity=identity)
        client.expect(b"/both")
        highest = client.sequence
        theirs.stop()
        # The first is known there already.
        other.set(b"/both", b"x", identity=identity)
        other.set(b"/pending", b"y")
        self.serve(other)
        ours.expect_event("active")
        self.until(lambda: self.replayed(other), "the pending updates are in the map")
        self.assertEqual(other.map, {b"/join": b"x", b"/both": b"x", b"/pending": b"y",
                                     **{b"/%d" % n: b"value %d" % n for n in range(100)}})
        other.sequence = highest
        message = other.join(lambda: other.set(b"/later", b"z"))
        self.assertGreater(int.from_bytes(message[1], "big"), highest)

    def replayed(self, client):
        self.serve(client)
        return b"/pending" in client.map

    def test_theirs_takes_over_from_ours_with_what_it_had(self):
        ours = self.ours("primary")
        theirs = self.theirs("backup")
        ours.expect_event("active")
        client = self.client(self.primary)
        other = self.client(self.backup)
        client.join(lambda: client.set(b"/join", b"x"))
        self.until(lambda: theirs.state == PASSIVE, "theirs receives from ours")
        client.join(lambda: client.set(b"/first", b"x"))
        self.until(lambda: theirs.has_snapshot, "theirs has a snapshot of ours")
        for n in range(100):
            client.set(b"/%d" % n, b"value %d" % n)
        client.expect(b"/99")
        self.until(lambda: b"/99" in theirs.map, "theirs has what ours published")
        highest = client.sequence
        ours.kill()
        self.serve(other)
        self.assertEqual(theirs.state, ACTIVE)
        for n in range(100):
            self.assertEqual(other.map[b"/%d" % n], b"value %d" % n)
        other.sequence = highest
        other.join(lambda: other.set(b"/later", b"z"))
        self.assertGreater(other.sequence, highest, "the Guide's servers go on from the highest")

    def test_theirs_comes_back_and_follows_ours(self):
        theirs = self.theirs("primary")
        ours = self.ours("backup")
        ours.expect_event("synchronized")
        self.until(lambda: theirs.told_active > 5, "ours receives that theirs is active")
        theirs.stop()
        client = self.client(self.backup)
        self.serve(client)
        client.join(lambda: client.set(b"/a", b"x"))
        again = self.theirs("primary")
        self.until(lambda: again.state == PASSIVE, "theirs receives from ours, which is active")
        client.join(lambda: client.set(b"/b", b"y"))
        self.until(lambda: {b"/a", b"/b"} <= set(again.map), "theirs follows")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""jszmq in Node.js and in Chromium against zinc, in every pattern that it has."""

import json
import select
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from interop_case import long_run  # noqa: E402: behind the line above
from jszmq_peers import NodePeer, PagePeer, chromium_path, jszmq_page, npm_folder  # noqa: E402
from zinc_programs import PATIENCE, Broker, Program, Server, start_worker, zinc_path  # noqa: E402

ANYWHERE = "ws://127.0.0.1:*/zws"
# Parts of all sizes that WebSocket writes in another form, and with the flags byte just above.
SIZES = (0, 1, 124, 125, 126, 65_534, 65_535, 65_536, 300_000)
MESSAGES = [[b"x" * size] for size in SIZES] + [[b"a", b"", b"\0\xff" * 100], [b""] * 20]


def from_json(line):
    return [bytes.fromhex(part["hex"]) if isinstance(part, dict) else part.encode() for part in json.loads(line)]


class Cat:
    """A zinc cat that speaks JSON."""

    def __init__(self, test, socket_type, endpoint, *words):
        binds = endpoint == ANYWHERE
        self._program = Program(
            test, [zinc_path(), "cat", socket_type, endpoint, "--input", "json", "--format", "json",
                   *(["--bind", "--websocket-origin", "*"] if binds else []), *words],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE if binds else None)
        test.addCleanup(self._program.process.stdin.close)
        self.endpoint = endpoint
        if binds:
            errors = self._program.process.stderr
            test.addCleanup(errors.close)
            if not select.select([errors], [], [], PATIENCE)[0]:
                raise AssertionError("it is not bound in time")
            bound, self.endpoint = errors.readline().decode().split()
            test.assertEqual(bound, "bound")

    def send(self, *parts):
        self._program.process.stdin.write(json.dumps([{"hex": part.hex()} for part in parts]).encode() + b"\n")

    def receive(self):
        return from_json(self._program.read_line())


class Patterns:
    """`pairs` gives a zinc cat and a connected socket of jszmq, in each way that the runtime allows."""

    def test_push_to_pull(self):
        for cat, peer in self.pairs("pull", "push"):
            for message in MESSAGES:
                peer.send(*message)
                self.assertEqual(cat.receive(), message)

    def test_pull_from_push(self):
        for cat, peer in self.pairs("push", "pull"):
            for message in MESSAGES:
                cat.send(*message)
                self.assertEqual(peer.receive(), message)

    def test_req_to_rep(self):
        for cat, peer in self.pairs("rep", "req", words=["--echo"]):
            for message in MESSAGES:
                peer.send(*message)
                # First, because zinc replies when its output has the request.
                self.assertEqual(cat.receive(), message)
                self.assertEqual(peer.receive(), message)

    def test_rep_from_req(self):
        for cat, peer in self.pairs("req", "rep"):
            for message in MESSAGES:
                cat.send(*message)
                self.assertEqual(peer.receive(), message)
                peer.send(*message)
                self.assertEqual(cat.receive(), message)

    def test_dealer_to_router(self):
        for cat, peer in self.pairs("router", "dealer"):
            for message in MESSAGES:
                peer.send(*message)
                sender, *parts = cat.receive()
                self.assertEqual(parts, message)
                cat.send(sender, *message)
                self.assertEqual(peer.receive(), message)

    def test_router_from_dealer(self):
        for cat, peer in self.pairs("dealer", "router"):
            for message in MESSAGES:
                cat.send(*message)
                sender, *parts = peer.receive()
                self.assertEqual(parts, message)
                peer.send(sender, *message)
                self.assertEqual(cat.receive(), message)

    def test_sub_from_pub(self):
        for cat, peer in self.pairs("pub", "sub", prefixes=[b"weather", b"\xff"]):
            # The first subscription may come alone.
            cat.send(b"weather", b"is fine")
            self.assertEqual(peer.receive(), [b"weather", b"is fine"])
            cat.send(b"other")
            cat.send(b"weather2")
            self.assertEqual(peer.receive(), [b"weather2"])

    def test_pub_to_sub(self):
        for cat, peer in self.pairs("sub", "pub", words=["--subscribe", "weather"]):
            self.join(peer, cat)
            peer.send(b"other")
            peer.send(b"weather", b"is fine")
            while (message := cat.receive()) == [b"weather again"]:
                pass
            self.assertEqual(message, [b"weather", b"is fine"])

    def join(self, peer, cat):
        """Publishes until one message has come: a PUB does not report a subscription."""
        for _ in range(1000):
            peer.send(b"weather again")
            if select.select([cat._program.process.stdout], [], [], 0.05)[0]:
                return
        raise AssertionError("no subscription came in time")

    def test_xpub_to_sub(self):
        for cat, peer in self.pairs("sub", "xpub", words=["--subscribe", "weather"]):
            self.assertEqual(peer.receive(), [b"\1weather"])
            peer.send(b"other")
            peer.send(b"weather", b"is fine")
            self.assertEqual(cat.receive(), [b"weather", b"is fine"])

    def test_xsub_from_xpub(self):
        for cat, peer in self.pairs("xpub", "xsub"):
            peer.send(b"\1weather")
            self.assertEqual(cat.receive(), [b"\1weather"])
            cat.send(b"other")
            cat.send(b"weather", b"is fine")
            self.assertEqual(peer.receive(), [b"weather", b"is fine"])
            peer.send(b"\0weather")
            self.assertEqual(cat.receive(), [b"\0weather"])

    def test_a_client_of_a_broker(self):
        broker = Broker(self, "--bind", "tcp://127.0.0.1:*", "--websocket-origin", "*", at=ANYWHERE)
        start_worker(self, broker.read_line().split()[1], "echo", "0.2")
        client = self.peer("dealer", broker.endpoint)
        for number in range(100):
            client.send(b"MDPC02", b"\1", b"echo", b"%d" % number)
        for number in range(100):
            self.assertEqual(client.receive(), [b"MDPC02", b"\3", b"echo", b"%d" % number])
        self.assertEqual(broker.stop(), 0)

    def test_a_follower_of_a_map(self):
        server = Server(self, [zinc_path(), "chp", "server", "--bind", "tcp://127.0.0.1:*", "--bind",
                               "ws://127.0.0.1:*/map", "--websocket-origin", "*", "--heartbeat", "200ms"])
        snapshots = server.read_line().split()[1]
        port = int(snapshots.rpartition(":")[2].partition("/")[0])
        updates = self.peer("sub", snapshots.replace(f":{port}/", f":{port + 1}/"), prefixes=[b"/lamp/", b"HUGZ"])
        # HUGZ shows that both subscriptions hold.
        self.assertEqual(updates.receive(), [b"HUGZ", bytes(8), b"", b"", b""])

        self.set_key(server, "/lamp/kitchen", "on")
        self.set_key(server, "/other", "x")
        dealer = self.peer("dealer", snapshots)
        dealer.send(b"ICANHAZ?", b"/lamp/")
        key, first, *_, value = dealer.receive()
        self.assertEqual((key, value), (b"/lamp/kitchen", b"on"))
        end, last, *_, subtree = dealer.receive()
        self.assertEqual((end, subtree), (b"KTHXBAI", b"/lamp/"))
        self.assertLessEqual(first, last)

        self.set_key(server, "/lamp/hall", "off")
        key, sequence, value = self.update(updates)
        self.assertEqual((key, value), (b"/lamp/kitchen", b"on"))
        self.assertLessEqual(sequence, last)
        key, sequence, value = self.update(updates)
        self.assertEqual((key, value), (b"/lamp/hall", b"off"))
        self.assertGreater(sequence, last)

    def set_key(self, server, key, value):
        subprocess.run([zinc_path(), "chp", "set", key, value, "--connect", server.endpoint], timeout=PATIENCE,
                       check=True)

    def update(self, peer):
        """Key, number and value of the next update, after any HUGZ."""
        while (message := peer.receive())[0] == b"HUGZ":
            pass
        return message[0], message[1], message[-1]


@unittest.skipUnless(long_run(), "takes minutes: tools/test --long")
@unittest.skipUnless(npm_folder(), "needs Node.js and jszmq: tools/setup --for long")
class InNode(Patterns, unittest.TestCase):
    def peer(self, socket_type, endpoint, prefixes=()):
        return NodePeer(self, socket_type, endpoint, prefixes)

    def pairs(self, ours, theirs, words=(), prefixes=()):
        cat = Cat(self, ours, ANYWHERE, *words)
        yield cat, self.peer(theirs, cat.endpoint, prefixes)
        peer = NodePeer(self, theirs, prefixes=prefixes)
        yield Cat(self, ours, peer.endpoint, *words), peer


@unittest.skipUnless(long_run(), "takes minutes: tools/test --long")
@unittest.skipUnless(npm_folder(), "needs Node.js and jszmq: tools/setup --for long")
@unittest.skipUnless(chromium_path(), "needs Debian's package chromium")
class InChromium(Patterns, unittest.TestCase):
    """A page cannot listen."""

    def setUp(self):
        self.page = jszmq_page(self)

    def peer(self, socket_type, endpoint, prefixes=()):
        return PagePeer(self.page, socket_type, endpoint, prefixes)

    def pairs(self, ours, theirs, words=(), prefixes=()):
        cat = Cat(self, ours, ANYWHERE, *words)
        yield cat, self.peer(theirs, cat.endpoint, prefixes)
        self.assertEqual(self.page.faults, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""zinc bstar beside nodes and clients that behave as the Guide's, in both roles, and the drills of
protocols' table: nodes that are killed, restarted and stopped, and a link that breaks."""

import contextlib
import errno
import functools
import signal
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from bstar_peers import ACTIVE, PASSIVE, GuideClient  # noqa: E402: behind the line above
from guide_peers import PATIENCE  # noqa: E402
from interop_case import InteropCase  # noqa: E402
from loop_disk import LoopDisk  # noqa: E402
from zinc_programs import Program, Server, reserve_endpoint, zinc_path  # noqa: E402
import zmq  # noqa: E402

# Heartbeat of both nodes. A busy machine does not exceed it, so no node is declared dead by mistake.
HEARTBEAT = 0.5
NODE = str(Path(__file__).resolve().parent / "bstar_peers.py")
ROLES = ("primary", "backup")


class GuideNode(Program):
    def __init__(self, test, model, role, voter, state, peer, *more):
        super().__init__(test, [sys.executable, NODE, model, role, voter, state, peer,
                                str(int(HEARTBEAT * 1000)), *more])

    def await_line(self, line):
        while self.read_line() != line:
            pass

    def await_active(self):
        self.await_line(f"state {ACTIVE}")

    def await_passive(self):
        self.await_line(f"state {PASSIVE}")


class OurNode(Server):
    def __init__(self, test, role, voter, state, peer, *more):
        super().__init__(test, [zinc_path(), "bstar", f"--{role}", "--bind", state, "--connect", peer,
                                "--voter", voter, "--heartbeat", f"{int(HEARTBEAT * 1000)}ms", *more])
        self.test = test
        test.assertEqual(self.read_line(), f"voter {voter}")

    def await_active(self):
        """Returns the epoch of the node."""
        while not (line := self.read_line()).startswith("active "):
            pass
        return int(line.split()[1])

    def await_passive(self):
        """Why."""
        while not (line := self.read_line()).startswith("passive "):
            pass
        return line.split()[1]


class Relay(threading.Thread):
    """Between a publisher of state and its subscriber: a link that can break."""

    def __init__(self, test, context, publisher):
        super().__init__(daemon=True)
        self.subscriber = context.socket(zmq.SUB)
        self.subscriber.subscribe(b"")
        self.subscriber.reconnect_ivl = 10
        self.subscriber.connect(publisher)
        self.publisher = context.socket(zmq.PUB)
        self.endpoint = f"tcp://127.0.0.1:{self.publisher.bind_to_random_port('tcp://127.0.0.1')}"
        self.whole = True
        self.over = False
        self.start()
        test.addCleanup(self.stop)

    def run(self):
        while not self.over:
            if self.subscriber.poll(50):
                message = self.subscriber.recv_multipart()
                if self.whole:
                    self.publisher.send_multipart(message)
        self.subscriber.close(0)
        self.publisher.close(0)

    def stop(self):
        self.over = True
        self.join()


# The role of the Guide's node, and of the node that is not from Zinc.
PAIRS = {f"our {ours} beside the Guide's {model}": {role: None if role == ours else model for role in ROLES}
         for model in ("poc", "reactor") for ours in ROLES}
PAIRS["both ours"] = {role: None for role in ROLES}


def for_each_pair(test):
    @functools.wraps(test)
    def run(self):
        for name, models in PAIRS.items():
            with self.subTest(name):
                try:
                    test(self, models)
                finally:
                    self.stop_all()
    return run


class PairCase(InteropCase):
    """A pair, one node of which is of the Guide's kind."""

    def setUp(self):
        super().setUp()
        self.voters = {role: reserve_endpoint(self) for role in ROLES}
        self.states = {role: reserve_endpoint(self) for role in ROLES}
        self.nodes = {}
        self.peers = {"primary": self.states["backup"], "backup": self.states["primary"]}

    def start(self, role, model, *more):
        """Starts a node of Zinc if there is no model."""
        endpoints = (self.voters[role], self.states[role], self.peers[role])
        node = (GuideNode(self, model, role, *endpoints, *more) if model
                else OurNode(self, role, *endpoints, *more))
        self.nodes[role] = node
        return node

    def start_both(self, models):
        for role in ROLES:
            self.start(role, models[role])
        self.nodes["primary"].await_active()
        self.nodes["backup"].await_passive()

    def bstar_client(self, *roles):
        client = GuideClient(self.context, [self.voters[role] for role in roles or ROLES], HEARTBEAT,
                             2 * HEARTBEAT)
        self.addCleanup(client.close)
        return client

    def stop_all(self):
        for node in self.nodes.values():
            if isinstance(node, OurNode) and node.running():
                self.assertEqual(node.stop(), 0)
            node.kill()
        self.nodes = {}


class DrillTest(PairCase):
    @for_each_pair
    # BS-4, BS-11, BS-12
    def test_the_active_is_killed_and_comes_back_passive(self, models):
        self.start_both(models)
        client = self.bstar_client()
        self.assertEqual(client.request(), 0)
        self.nodes["primary"].kill()
        self.assertEqual(client.request(), 1)
        self.nodes["backup"].await_active()
        self.start("primary", models["primary"]).await_passive()
        self.assertEqual(client.request(), 1)
        # And the other way round.
        self.nodes["backup"].kill()
        self.assertEqual(client.request(), 0)
        self.nodes["primary"].await_active()
        self.start("backup", models["backup"]).await_passive()
        self.assertEqual(client.request(), 0)

    @for_each_pair
    def test_the_passive_is_killed_and_comes_back_passive(self, models):
        self.start_both(models)
        client = self.bstar_client()
        self.nodes["backup"].kill()
        self.assertEqual(client.request(), 0)
        self.start("backup", models["backup"]).await_passive()
        self.assertEqual(client.request(), 0)

    @for_each_pair
    def test_a_restart_of_the_active_makes_the_passive_active(self, models):
        self.start_both(models)
        client = self.bstar_client()
        self.nodes["primary"].kill()
        self.start("primary", models["primary"])
        self.nodes["backup"].await_active()
        self.nodes["primary"].await_passive()
        self.assertEqual(client.request(), 1)

    # BS-5, BS-6
    def test_a_primary_alone_serves_and_a_backup_alone_does_not(self):
        self.start("primary", None)
        self.assertEqual(self.bstar_client("primary").request(), 0)
        self.assertEqual(self.nodes["primary"].await_active(), 1)
        self.stop_all()
        self.start("backup", None)
        client = self.bstar_client("backup")
        client.connect()
        client.socket.send(b"1")
        self.assertEqual(client.socket.poll(int(4 * HEARTBEAT * 1000)), 0)


class FullDiskTest(PairCase):
    def fill(self, folder):
        """Leaves no room for another byte."""
        with open(folder / "ballast", "wb", buffering=0) as ballast:
            for size in (1 << 20, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while True:
                        ballast.write(bytes(size))
        with self.assertRaises(OSError) as fault, open(folder / "more", "wb", buffering=0) as more:
            more.write(b"1")
        self.assertEqual(fault.exception.errno, errno.ENOSPC)

    def test_each_node_takes_over(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        disk = LoopDisk(self, folder.name, 8)
        files = {role: ("--epoch-file", str(disk.folder / role)) for role in ROLES}
        for role in ROLES:
            self.start(role, None, *files[role])
        self.assertEqual(self.nodes["primary"].await_active(), 1)
        self.nodes["backup"].await_passive()
        self.fill(disk.folder)
        client = self.bstar_client()
        self.nodes["primary"].kill()
        self.assertEqual(client.request(), 1)
        self.assertEqual(self.nodes["backup"].await_active(), 2)
        self.start("primary", None, *files["primary"]).await_passive()
        self.nodes["backup"].kill()
        self.assertEqual(client.request(), 0)
        self.assertEqual(self.nodes["primary"].await_active(), 3)
        self.stop_all()


class PauseTest(PairCase):
    @for_each_pair
    def test_a_paused_active_node_yields_to_the_new_active_node(self, models):
        if models["primary"]:
            return  # a node of the Guide's does not notice
        self.start_both(models)
        client = self.bstar_client()
        self.assertEqual(client.request(), 0)
        self.nodes["primary"].signal(signal.SIGSTOP)
        self.assertEqual(client.request(), 1)
        self.nodes["backup"].await_active()
        self.nodes["primary"].signal(signal.SIGCONT)
        self.nodes["primary"].await_passive()
        # The Guide's is alive: it was not told of another active.
        self.assertEqual(client.request(), 1)
        self.assertTrue(self.nodes["backup"].running())


class BrokenLinkTest(PairCase):
    def start_linked(self, ours, *more):
        """The two nodes are connected through relays."""
        self.relays = [Relay(self, self.context, self.states[role]) for role in ROLES]
        self.peers = {"primary": self.relays[1].endpoint, "backup": self.relays[0].endpoint}
        for role in ROLES:
            self.start(role, None if role == ours else "reactor", *(() if role == ours else more))
        self.nodes["primary"].await_active()
        self.nodes["backup"].await_passive()

    def set_link(self, whole):
        for relay in self.relays:
            relay.whole = whole

    def make_both_active(self):
        self.set_link(False)
        self.assertEqual(self.bstar_client("backup").request(), 0)
        self.nodes["backup"].await_active()
        self.assertEqual(self.bstar_client("primary").request(), 0)

    # BS-8
    def test_our_primary_survives_two_actives(self):
        self.start_linked("primary")
        self.make_both_active()
        self.set_link(True)
        self.nodes["backup"].await_line("fatal dual actives")
        self.assertEqual(self.bstar_client().request(), 0)
        self.assertEqual(self.nodes["primary"].stop(), 0)

    # BS-8
    def test_our_backup_yields_to_a_guide_primary_that_it_detects_first(self):
        self.start_linked("backup")
        self.make_both_active()
        self.relays[0].whole = True
        self.assertEqual(self.nodes["backup"].await_passive(), "yielded")
        self.set_link(True)
        self.assertEqual(self.bstar_client().request(), 0)
        self.nodes["primary"].kill()
        self.assertEqual(self.bstar_client("backup").request(), 0)
        self.assertEqual(self.nodes["backup"].await_active(), 4)

    # BS-8
    def test_our_backup_stays_when_the_guides_dies_of_it_first(self):
        self.start_linked("backup")
        self.make_both_active()
        self.relays[1].whole = True
        self.nodes["primary"].await_line("fatal dual actives")
        self.assertEqual(self.nodes["primary"].wait(), 0)
        self.set_link(True)
        self.assertEqual(self.bstar_client("backup").request(), 0)

    def test_our_backup_stays_passive_beside_a_guides_that_only_logs(self):
        self.start_linked("backup", "log")
        self.make_both_active()
        self.set_link(True)
        self.assertEqual(self.nodes["backup"].await_passive(), "yielded")
        client = self.bstar_client()
        self.assertEqual(client.request(), 0)
        self.assertEqual(client.request(), 0)


class WireTest(PairCase):
    # BS-1
    def test_a_peer_that_announces_nothing_hears_one_digit(self):
        self.start("primary", None)
        subscriber = self.context.socket(zmq.SUB)
        self.addCleanup(subscriber.close, 0)
        subscriber.subscribe(b"")
        subscriber.connect(self.states["primary"])
        for _ in range(3):
            self.assertTrue(subscriber.poll(int(PATIENCE * 1000)))
            self.assertEqual(subscriber.recv_multipart(), [b"1"])

    # BS-3
    def test_malformed_states_are_ignored(self):
        node = self.start("primary", None)
        publisher = self.context.socket(zmq.XPUB)
        self.addCleanup(publisher.close, 0)
        publisher.bind(self.states["backup"])
        self.assertEqual(publisher.recv(), b"\x01")
        for frames in ([b"\0\0\0\x02"], [b""], [b"5"], [b"2", b"2"], [b"2 x"], [b"x" * 100_000]):
            publisher.send_multipart(frames)
        publisher.send(b"3")
        self.assertEqual(node.await_passive(), "peer-active")
        self.assertEqual(node.stop(), 0)


if __name__ == "__main__":
    unittest.main()

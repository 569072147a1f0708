#!/usr/bin/python3
"""Every client with every worker, ours and pyzmq's, of both versions of MDP, through our broker."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from zinc_programs import run_request  # noqa: E402
import zmq  # noqa: E402

ECHOES = 200
SERVICE = "echo"
VERSIONS = ("0.1", "0.2")
BODIES = [
    [b"Hello world"],
    [b""],
    [b"", b"", b""],
    [b"head", b"", b"tail"],
    [b"MDPC01"],
    [b"\x00\xff" * 5],
    [bytes(255)],
    [bytes(256)],
    [bytes(range(256)) * 300],
    [b"frame %d" % i for i in range(100)],
]


def ours(version):
    """Our client, which sends many requests and then one whose reply it prints."""
    def ask(test, endpoint):
        code, lines, errors = run_request(endpoint, SERVICE, version, "--count", str(ECHOES),
                                          "--in-flight", "8", "--size", "20B", "--json")
        test.assertEqual((code, errors), (0, ""))
        test.assertEqual(len(lines), 1)
        summary = json.loads(lines[0])
        test.assertEqual((summary["requests"], summary["answered"], summary["failed"]),
                         (ECHOES, ECHOES, 0))
        code, lines, errors = run_request(endpoint, SERVICE, version, "--json", "Hello", "", "world")
        test.assertEqual((code, errors), (0, ""))
        test.assertEqual([json.loads(line) for line in lines], [{"reply": ["Hello", "", "world"]}])
    return ask


def theirs(version, socket_type):
    def ask(test, endpoint):
        client = test.client(endpoint, version, socket_type)
        for i in range(ECHOES):
            body = BODIES[i % len(BODIES)] + [b"%d" % i]
            test.assertEqual(client.request(SERVICE.encode(), *body), body)
    return ask


CLIENTS = {
    "our_0_1_client": ours("0.1"),
    "our_0_2_client": ours("0.2"),
    "their_0_1_req": theirs("0.1", zmq.REQ),
    "their_0_1_dealer": theirs("0.1", zmq.DEALER),
    "their_0_2_dealer": theirs("0.2", zmq.DEALER),
    # 18/MDP asks for a DEALER. The available REQ adds an empty frame to each message.
    "their_0_2_req": theirs("0.2", zmq.REQ),
}


def our_worker(version):
    def start(test, endpoint):
        test.start_worker(endpoint, SERVICE, version)
    return start


def their_worker(version):
    def start(test, endpoint):
        test.echo_worker(endpoint, SERVICE.encode(), version)
    return start


WORKERS = {
    "our_0_1_worker": our_worker("0.1"),
    "our_0_2_worker": our_worker("0.2"),
    "their_0_1_worker": their_worker("0.1"),
    "their_0_2_worker": their_worker("0.2"),
}


class PairingsTest(InteropCase):
    pass


def add_pairing(client, worker):
    def test(self):
        broker = self.start_broker()
        WORKERS[worker](self, broker.endpoint)
        CLIENTS[client](self, broker.endpoint)
    setattr(PairingsTest, f"test_{client}_and_{worker}", test)


for one in CLIENTS:
    for other in WORKERS:
        add_pairing(one, other)


class MixedWorkersTest(InteropCase):
    def test_workers_of_both_versions_share_a_service(self):  # MDP-24
        broker = self.start_broker()
        for version in VERSIONS:
            our_worker(version)(self, broker.endpoint)
        pyzmq_workers = [self.echo_worker(broker.endpoint, SERVICE.encode(), version)
                         for version in VERSIONS]
        clients = [self.client(broker.endpoint, version) for version in VERSIONS]
        # The pyzmq workers are slower to register; the load goes on until each has had its share.
        sent = 0
        while sent < ECHOES or not all(worker.served for worker in pyzmq_workers):
            self.assertLess(sent, 100 * ECHOES, "a worker gets no requests")
            for client in clients:
                for i in range(8):
                    client.send(SERVICE.encode(), b"%d" % (sent + i))
            for client in clients:
                got = sorted(client.receive_reply().body for _ in range(8))
                self.assertEqual(got, sorted([b"%d" % (sent + i)] for i in range(8)))
            sent += 8
        for client in ("our_0_1_client", "our_0_2_client"):
            CLIENTS[client](self, broker.endpoint)


if __name__ == "__main__":
    unittest.main()

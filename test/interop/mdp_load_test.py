#!/usr/bin/python3
"""Many requests: in flight on one connection, all of them before the first reply is read, and one after
the other."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase, long_run  # noqa: E402: behind the line above
from zinc_programs import run_request  # noqa: E402
import zmq  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = "echo"
ALL_AT_ONCE = 100_000
ONE_BY_ONE = 100_000 if long_run() else 10_000


class LoadTest(InteropCase):
    def setUp(self):
        super().setUp()
        self.broker = self.start_broker()

    def expect_each_once(self, client, count):
        """Replies come in the order in which several workers give them."""
        seen = bytearray(count)
        for _ in range(count):
            body, = client.receive_reply().body
            seen[int(body)] += 1
        self.assertEqual(seen, b"\x01" * count)
        # The next one is of the next request: there is no reply too many.
        self.assertEqual(client.request(b"mmi.x", b"x"), [b"501"])

    def test_a_thousand_in_flight_on_one_dealer(self):
        for version in VERSIONS:
            for worker_version in VERSIONS:
                with self.subTest(client=version, worker=worker_version):
                    service = f"{version} {worker_version}"
                    client = self.client(self.broker.endpoint, version)
                    # All of them are with the broker before there is a worker.
                    for i in range(1_000):
                        client.send(service.encode(), b"%d" % i)
                    for _ in range(4):
                        self.start_worker(self.broker.endpoint, service, worker_version)
                    self.expect_each_once(client, 1_000)

    def test_all_sent_before_the_first_reply_is_read(self):
        """As the Guide's asynchronous client does it, with libzmq's own marks."""
        for version in VERSIONS:
            for _ in range(2):
                self.start_worker(self.broker.endpoint, SERVICE, version)
        for version in VERSIONS:
            with self.subTest(version=version):
                client = self.client(self.broker.endpoint, version)
                self.assertEqual(client.socket.sndhwm, 1_000)
                for i in range(ALL_AT_ONCE):
                    client.send(SERVICE.encode(), b"%d" % i)
                self.expect_each_once(client, ALL_AT_ONCE)

    def test_all_sent_by_several_at_once_before_the_first_reply_is_read(self):
        each = ALL_AT_ONCE // 10
        for version in VERSIONS:
            self.start_worker(self.broker.endpoint, SERVICE, version)
        clients = [self.client(self.broker.endpoint, VERSIONS[i % 2]) for i in range(4)]
        for i in range(each):
            for client in clients:
                client.send(SERVICE.encode(), b"%d" % i)
        for client in clients:
            self.expect_each_once(client, each)

    def test_one_after_the_other(self):
        self.start_worker(self.broker.endpoint, SERVICE, "0.1")
        self.start_worker(self.broker.endpoint, SERVICE, "0.2")
        for version, socket_type in (("0.1", zmq.REQ), ("0.2", zmq.DEALER)):
            with self.subTest(version=version):
                client = self.client(self.broker.endpoint, version, socket_type)
                for i in range(ONE_BY_ONE):
                    body = b"%d" % i
                    self.assertEqual(client.request(SERVICE.encode(), body), [body])

    def test_one_after_the_other_by_our_client(self):
        self.echo_worker(self.broker.endpoint, b"theirs", "0.1")
        self.start_worker(self.broker.endpoint, SERVICE, "0.2")
        for version in VERSIONS:
            for service in (SERVICE, "theirs"):
                with self.subTest(version=version, service=service):
                    code, lines, errors = run_request(self.broker.endpoint, service, version,
                                                      "--count", str(ONE_BY_ONE), "--json",
                                                      patience=300)
                    self.assertEqual((code, errors), (0, ""))
                    self.assertEqual(json.loads(lines[0])["answered"], ONE_BY_ONE)

    def test_many_in_flight_by_our_client(self):
        for version in VERSIONS:
            self.start_worker(self.broker.endpoint, SERVICE, version)
        for version in VERSIONS:
            with self.subTest(version=version):
                code, lines, errors = run_request(self.broker.endpoint, SERVICE, version, "--count",
                                                  "20000", "--in-flight", "500", "--size", "100B",
                                                  "--json", patience=60)
                self.assertEqual((code, errors), (0, ""))
                self.assertEqual(json.loads(lines[0])["answered"], 20_000)


if __name__ == "__main__":
    unittest.main()

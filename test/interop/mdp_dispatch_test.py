#!/usr/bin/python3
"""Tests of the messages between our broker and pyzmq peers: whole and partial replies, the order of requests
and workers, addresses, service names, and requests for a service without workers."""

import sys
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from zinc_programs import run_request, start_request  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = b"echo"


class PartialRepliesTest(InteropCase):
    def setUp(self):
        super().setUp()
        self.broker = self.start_broker()
        self.served_by = self.worker(self.broker.endpoint, SERVICE, "0.2")

    def answer(self, partials):
        """Returns the reply of this number of PARTIALs, with FINAL at the end."""
        request = self.served_by.receive_request()
        for i in range(partials):
            self.served_by.partial(request.address, b"part", b"%d" % i)
        self.served_by.reply(request.address, b"end", *request.body)

    def test_come_one_by_one_to_a_0_2_client(self):  # MDP-6, MDP-7, MDP-9
        client = self.client(self.broker.endpoint, "0.2")
        for count in (0, 1, 2, 1000):
            with self.subTest(partials=count):
                client.send(SERVICE, b"body")
                self.answer(count)
                for i in range(count):
                    self.assertEqual(client.receive_reply(), (False, SERVICE, [b"part", b"%d" % i]))
                self.assertEqual(client.receive_reply(), (True, SERVICE, [b"end", b"body"]))

    def test_come_as_one_reply_to_a_0_1_client(self):
        client = self.client(self.broker.endpoint, "0.1")
        # One reply has no more than 1,024 parts.
        for count in (0, 1, 2, 500):
            with self.subTest(partials=count):
                client.send(SERVICE, b"body")
                self.answer(count)
                parts = [part for i in range(count) for part in (b"part", b"%d" % i)]
                self.assertEqual(client.receive_reply(), (True, SERVICE, [*parts, b"end", b"body"]))

    def test_a_thousand_partials_reach_a_0_1_client_as_one_reply(self):
        client = self.client(self.broker.endpoint, "0.1")
        client.send(SERVICE, b"body")
        request = self.served_by.receive_request()
        for i in range(1000):
            self.served_by.partial(request.address, b"%d" % i)
        self.served_by.reply(request.address, b"end")
        self.assertEqual(client.receive_reply().body, [b"%d" % i for i in range(1000)] + [b"end"])

    def test_are_taken_by_our_client(self):
        for version in VERSIONS:
            for count in (0, 1, 1000):
                with self.subTest(version=version, partials=count):
                    asking = start_request(self, self.broker.endpoint, SERVICE.decode(), version,
                                           "body")
                    request = self.served_by.receive_request()
                    for i in range(count):
                        self.served_by.partial(request.address, b"%d" % i)
                    self.served_by.reply(request.address, b"end")
                    output = asking.process.stdout.read().decode()
                    self.assertEqual(asking.wait(), 0)
                    self.assertTrue(output.endswith("end\n"), output)

    def test_partial_replies_of_two_requests_are_not_mixed(self):
        other = self.worker(self.broker.endpoint, SERVICE, "0.2")
        clients = [self.client(self.broker.endpoint, "0.2") for _ in range(2)]
        for i, client in enumerate(clients):
            client.send(SERVICE, b"%d" % i)
        requests = [(worker, worker.receive_request()) for worker in (self.served_by, other)]
        for i in range(10):
            for worker, request in requests:
                worker.partial(request.address, *request.body, b"%d" % i)
        for worker, request in requests:
            worker.reply(request.address, *request.body)
        for i, client in enumerate(clients):
            for j in range(10):
                self.assertEqual(client.receive_reply().body, [b"%d" % i, b"%d" % j])
            self.assertEqual(client.receive_reply(), (True, SERVICE, [b"%d" % i]))

    def test_behind_the_end_are_not_forwarded(self):  # MDP-10
        for late in ("partial", "final"):
            with self.subTest(late=late):
                worker = self.worker(self.broker.endpoint, late.encode(), "0.2")
                client = self.client(self.broker.endpoint, "0.2")
                client.send(late.encode(), b"body")
                request = worker.receive_request()
                worker.reply(request.address, b"end")
                worker.command(late, request.address, b"", b"late")
                self.assertEqual(client.receive_reply().body, [b"end"])
                # The address did not belong to a request: the broker disconnects the worker and drops its
                # message.
                worker.receive_disconnect()
                client.send(b"mmi.service", b"x")
                self.assertEqual(client.receive_reply().body, [b"404"])


class OrderTest(InteropCase):
    def test_a_request_goes_to_the_worker_that_has_rested_longest(self):  # MDP-3
        broker = self.start_broker()
        client = self.client(broker.endpoint, "0.2")
        workers = [self.worker(broker.endpoint, SERVICE, version)
                   for version in ("0.1", "0.2", "0.1", "0.2")]
        for worker in workers:
            client.send(SERVICE, b"for whom it may concern")
        # Each worker has one request in flight, so the broker knows all of them. They become idle in the order
        # of their replies.
        requests = {worker: worker.receive_request() for worker in workers}
        resting = [workers[i] for i in (2, 0, 3, 1)]
        for worker in resting:
            worker.reply(requests[worker].address, b"done")
            client.receive_reply()
        for i in range(3 * len(workers)):
            client.send(SERVICE, b"%d" % i)
            worker = resting.pop(0)
            request = worker.receive_request()
            self.assertEqual(request.body, (b"%d" % i,))
            worker.reply(request.address, *request.body)
            self.assertEqual(client.receive_reply().body, [b"%d" % i])
            resting.append(worker)

    def test_requests_of_one_client_are_given_out_in_their_order(self):
        broker = self.start_broker()
        client = self.client(broker.endpoint, "0.1")
        for i in range(500):
            client.send(SERVICE, b"%d" % i)
        worker = self.worker(broker.endpoint, SERVICE, "0.2")
        for i in range(500):
            request = worker.receive_request()
            self.assertEqual(request.body, (b"%d" % i,))
            worker.reply(request.address, *request.body)
            self.assertEqual(client.receive_reply().body, [b"%d" % i])

    def test_a_client_with_many_requests_does_not_keep_others_waiting(self):  # MDP-2
        broker = self.start_broker()
        greedy, modest = (self.client(broker.endpoint, version) for version in VERSIONS)
        for i in range(500):
            greedy.send(SERVICE, b"greedy")
        worker = self.worker(broker.endpoint, SERVICE, "0.2")
        first = worker.receive_request()
        modest.send(SERVICE, b"modest")
        # The broker knows the client when it has answered the second request.
        modest.send(b"mmi.service", SERVICE)
        self.assertEqual(modest.receive_reply().body, [b"200"])
        worker.reply(first.address, b"done")
        before = 0
        while (request := worker.receive_request()).body != (b"modest",):
            before += 1
            worker.reply(request.address, b"done")
        self.assertLess(before, 10)
        worker.reply(request.address, b"done")
        self.assertEqual(modest.receive_reply().body, [b"done"])


class AddressTest(InteropCase):
    """The address that a worker gets with a request is a token of this one request."""

    def setUp(self):
        super().setUp()
        self.broker = self.start_broker()

    def test_is_new_for_each_request_and_echoed_whatever_its_bytes(self):  # MDP-16, MDP-35
        for version in VERSIONS:
            with self.subTest(version=version):
                service = version.encode()
                client = self.client(self.broker.endpoint, version)
                worker = self.worker(self.broker.endpoint, service, version)
                seen = set()
                for i in range(100):
                    client.send(service, b"%d" % i)
                    request = worker.receive_request()
                    seen.add(request.address)
                    worker.reply(request.address, *request.body)
                    self.assertEqual(client.receive_reply().body, [b"%d" % i])
                self.assertEqual(len(seen), 100)

    def test_the_address_of_another_request_is_rejected(self):
        """A worker cannot reply with a guessed, old or stolen address."""
        for version in VERSIONS:
            for fault in ("of a request already answered", "altered", "of another worker's request",
                          "of the client"):
                with self.subTest(version=version, address=fault):
                    service = f"{version} {fault}".encode()
                    client = self.client(self.broker.endpoint, version)
                    worker = self.worker(self.broker.endpoint, service, version)
                    other = self.worker(self.broker.endpoint, service, version)
                    for body in (b"first", b"second"):
                        client.send(service, body)
                    first, second = worker.receive_request(), other.receive_request()
                    address = {
                        "of a request already answered": first.address,
                        "altered": first.address[:-1] + bytes([first.address[-1] ^ 1]),
                        "of another worker's request": second.address,
                        "of the client": b"\x00\x6b\x8b\x45\x67",
                    }[fault]
                    if fault == "of a request already answered":
                        worker.reply(first.address, b"true")
                    worker.reply(address, b"false")
                    worker.receive_disconnect()
                    other.reply(second.address, b"true")
                    if fault != "of a request already answered":
                        # The request of the disconnected worker goes to another worker.
                        request = other.receive_request()
                        self.assertEqual(request.body, first.body)
                        other.reply(request.address, b"true")
                    for _ in range(2):
                        self.assertEqual(client.receive_reply().body, [b"true"])
                    # And nothing more.
                    self.assertEqual(client.request(b"mmi.x", b"x"), [b"501"])


class ServiceTest(InteropCase):
    def test_names_are_bytes_and_compared_exactly(self):  # MDP-12
        broker = self.start_broker()
        names = [b"echo", b"Echo", b"echo ", b"ech", b"echoo", b"echo\x00", b"\x00", b"\xff\xfe",
                 "Füße".encode(), b"mmi", b"MMI.service", b"x.mmi.", b"a" * 255, b"a" * 254]
        workers = {name: self.worker(broker.endpoint, name, VERSIONS[i % 2])
                   for i, name in enumerate(names)}
        for version in VERSIONS:
            client = self.client(broker.endpoint, version)
            for name, worker in workers.items():
                with self.subTest(version=version, name=name):
                    client.send(name, b"to", name)
                    request = worker.receive_request()
                    self.assertEqual(request.body, (b"to", name))
                    worker.reply(request.address, b"of", name)
                    self.assertEqual(client.receive_reply(), (True, name, [b"of", name]))

    def test_requests_wait_for_the_first_worker(self):  # MDP-13
        broker = self.start_broker()
        clients = [self.client(broker.endpoint, version) for version in VERSIONS]
        for client in clients:
            for i in range(100):
                client.send(b"later", b"%d" % i)
            client.send(b"mmi.service", b"later")
            self.assertEqual(client.receive_reply().body, [b"404"])
        self.echo_worker(broker.endpoint, b"later", "0.1")
        for client in clients:
            for i in range(100):
                self.assertEqual(client.receive_reply(), (True, b"later", [b"%d" % i]))

    def test_requests_that_wait_too_long_are_dropped(self):  # MDP-14
        expiry = 0.3
        broker = self.start_broker("--unserved-timeout", f"{int(expiry * 1000)}ms", "--heartbeat", "50ms",
                                   "--liveness", "100")
        client = self.client(broker.endpoint, "0.2")
        client.send(b"nobody", b"stale")
        self.assertIsNone(client.receive(2 * expiry))
        worker = self.worker(broker.endpoint, b"nobody", "0.2")
        # The worker is alive and gets heartbeats, but no expired request.
        for _ in range(3):
            self.assertEqual(worker.receive().name, "heartbeat")
        client.send(b"nobody", b"fresh")
        request = worker.receive_request()
        self.assertEqual(request.body, (b"fresh",))
        worker.reply(request.address, b"done")
        self.assertEqual(client.receive_reply().body, [b"done"])

    def test_requests_that_wait_for_a_busy_worker_are_not_dropped(self):
        expiry = 0.3
        broker = self.start_broker("--unserved-timeout", f"{int(expiry * 1000)}ms")
        client = self.client(broker.endpoint, "0.2")
        worker = self.worker(broker.endpoint, SERVICE, "0.2")
        for i in range(2):
            client.send(SERVICE, b"%d" % i)
        first = worker.receive_request()
        self.assertIsNone(client.receive(2 * expiry))
        worker.reply(first.address, b"done")
        self.assertEqual(worker.receive_request().body, (b"1",))

    def test_our_client_gives_up_in_the_time_that_it_was_given(self):
        broker = self.start_broker()
        for version in VERSIONS:
            with self.subTest(version=version):
                code, lines, errors = run_request(broker.endpoint, "nobody", version, "--timeout",
                                                  "100ms", "--attempts", "2", "body")
                self.assertEqual((code, lines), (4, []))
                self.assertIn("zinc request: ", errors)


if __name__ == "__main__":
    unittest.main()

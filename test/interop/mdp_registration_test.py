#!/usr/bin/python3
"""Registration of workers: the answers of our broker about services (8/MMI), the workers that it disconnects,
and the heartbeats between it and pyzmq workers."""

import re
import sys
import time
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from guide_peers import Timeout  # noqa: E402
import zmq  # noqa: E402
from zmtp_wire import Connection, greeting, metadata, named, ready_as  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = b"echo"
# Heartbeat of the brokers here, in seconds. A busy machine may delay this process without an expiry.
INTERVAL = 0.1
LIVENESS = 10
SILENCE = 3 * INTERVAL


class RegistrationCase(InteropCase):
    def setUp(self):
        super().setUp()
        self.broker = self.start_broker("--heartbeat", f"{int(INTERVAL * 1000)}ms", "--liveness",
                                        str(LIVENESS))
        self.endpoint = self.broker.endpoint
        self.requester = self.client(self.endpoint, "0.2")

    def mmi(self, service):
        return self.requester.request(b"mmi.service", service)

    def wait_for_mmi(self, service, code, patience=15.0):
        """The broker detects workers with a delay. Asks until the broker reports them."""
        end = time.monotonic() + patience
        while self.mmi(service) != [code]:
            if time.monotonic() > end:
                raise Timeout(f"mmi.service does not become {code}")

    def expect_served(self, worker, service=SERVICE):
        self.requester.send(service, b"body")
        request = worker.receive_request()
        worker.reply(request.address, *request.body)
        self.assertEqual(self.requester.receive_reply(), (True, service, [b"body"]))


class MmiTest(RegistrationCase):
    def test_says_whether_a_service_has_workers(self):  # MMI-1, MMI-3, MMI-6
        for version in VERSIONS:
            with self.subTest(version=version):
                self.assertEqual(self.mmi(SERVICE), [b"404"])
                worker = self.worker(self.endpoint, SERVICE, version)
                self.wait_for_mmi(SERVICE, b"200")
                # Also while it works.
                self.requester.send(SERVICE, b"body")
                request = worker.receive_request()
                self.assertEqual(self.client(self.endpoint, "0.1").request(b"mmi.service", SERVICE),
                                 [b"200"])
                worker.reply(request.address, b"done")
                self.assertEqual(self.requester.receive_reply().body, [b"done"])
                worker.close()
                self.wait_for_mmi(SERVICE, b"404")

    def test_knows_that_a_worker_has_said_disconnect(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                worker = self.worker(self.endpoint, SERVICE, version)
                self.wait_for_mmi(SERVICE, b"200")
                worker.command("disconnect")
                self.wait_for_mmi(SERVICE, b"404")

    def test_knows_that_one_of_two_workers_is_left(self):
        first, second = (self.worker(self.endpoint, SERVICE, version) for version in VERSIONS)
        for _ in range(2):
            self.requester.send(SERVICE, b"body")
        # Both have one before the first replies, or it might get the other's too.
        requests = [(worker, worker.receive_request()) for worker in (first, second)]
        for worker, request in requests:
            worker.reply(request.address, b"done")
            self.requester.receive_reply()
        first.command("disconnect")
        self.expect_served(second)
        self.assertEqual(self.mmi(SERVICE), [b"200"])
        second.close()
        self.wait_for_mmi(SERVICE, b"404")

    def test_answers_in_the_form_of_the_question(self):  # MMI-4, MMI-5
        self.worker(self.endpoint, SERVICE, "0.1")
        self.wait_for_mmi(SERVICE, b"200")
        for version, socket_type in (("0.1", zmq.REQ), ("0.1", zmq.DEALER), ("0.2", zmq.DEALER),
                                     ("0.2", zmq.REQ)):
            with self.subTest(version=version, socket_type=socket_type):
                client = self.client(self.endpoint, version, socket_type)
                for body, code in (([SERVICE], b"200"), ([b"nobody"], b"404"), ([b""], b"404"),
                                   # Brokers of the Guide look at the last frame.
                                   ([b"nobody", SERVICE], b"200"), ([SERVICE, b"nobody"], b"404"),
                                   ([b"mmi.service"], b"404")):
                    client.send(b"mmi.service", *body)
                    self.assertEqual(client.receive_reply(), (True, b"mmi.service", [code]))
                for service in (b"mmi.", b"mmi.x", b"mmi.error", b"mmi.service\x00"):
                    client.send(service, SERVICE)
                    self.assertEqual(client.receive_reply(), (True, service, [b"501"]))

    def test_lists_services_beside_what_the_rfc_has(self):  # MMI-1, MMI-5
        for version, socket_type in (("0.1", zmq.REQ), ("0.2", zmq.DEALER)):
            with self.subTest(version=version):
                client = self.client(self.endpoint, version, socket_type)
                name = b"listed\xff" + version.encode()
                worker = self.worker(self.endpoint, name, version)
                self.wait_for_mmi(name, b"200")
                self.requester.send(name, b"body")
                request = worker.receive_request()
                code, listed, report = client.request(b"mmi.services", b"listed")
                self.assertEqual((code, listed), (b"200", name))
                self.assertTrue(report.startswith(
                    b"workers=1 busy=1 waiting=0 working=1 bytes=262 requests=1 replies=0 "), report)
                worker.reply(request.address, b"done")
                self.assertEqual(self.requester.receive_reply().body, [b"done"])
                self.assertEqual(client.request(b"mmi.services", name), [b"200"])
                code, report = client.request(b"mmi.broker", b"")
                self.assertIn(b" workers=1 services=1 ", report)
                worker.close()
                self.wait_for_mmi(name, b"404")

    def test_questions_make_no_services(self):
        for i in range(5_000):
            self.assertEqual(self.mmi(b"nobody %d" % i), [b"404"])


class HandshakeTest(RegistrationCase):
    def test_is_that_of_a_router(self):  # MDP-4, MDP-1
        connection = Connection.to(int(self.endpoint.rsplit(":", 1)[1]))
        self.addCleanup(connection.close)
        connection.send(greeting() + ready_as(b"DEALER"))
        self.assertEqual(connection.read(64), greeting())
        _, body = connection.read_frame()
        extensions = re.search(rb"nack,idempotency=[0-9a-f]{1,16},principal$", body)
        self.assertIsNotNone(extensions, body)
        self.assertEqual(body, named(b"READY", metadata((b"Socket-Type", b"ROUTER"), (b"Identity", b""),
                                                        (b"X-Zinc", extensions.group()))))


class SentAwayTest(RegistrationCase):
    """The broker sends DISCONNECT once and nothing after it, and ignores later messages."""

    def expect_silence(self, worker):
        self.assertIsNone(worker.receive(SILENCE))

    def expect_sent_away(self, worker):
        worker.receive_disconnect()
        # Neither a heartbeat nor a request comes, whatever the worker sends.
        worker.command("heartbeat")
        worker.command("ready", SERVICE)
        self.assertEqual(self.mmi(SERVICE), [b"404"])
        self.requester.send(SERVICE, b"for another worker")
        self.expect_silence(worker)
        other = self.worker(self.endpoint, SERVICE, worker.version)
        request = other.receive_request()
        self.assertEqual(request.body, (b"for another worker",))
        other.reply(request.address, b"done")
        self.assertEqual(self.requester.receive_reply().body, [b"done"])
        other.close()
        self.wait_for_mmi(SERVICE, b"404")

    def test_is_who_says_ready_twice(self):  # MDP-25, MDP-30
        for version in VERSIONS:
            with self.subTest(version=version):
                worker = self.worker(self.endpoint, SERVICE, version)
                self.expect_served(worker)
                worker.command("ready", SERVICE)
                self.expect_sent_away(worker)

    def test_is_who_says_ready_while_working_and_the_request_goes_on(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                worker = self.worker(self.endpoint, SERVICE, version)
                self.requester.send(SERVICE, b"body")
                worker.receive_request()
                worker.command("ready", SERVICE)
                worker.receive_disconnect()
                other = self.worker(self.endpoint, SERVICE, version)
                request = other.receive_request()
                self.assertEqual(request.body, (b"body",))
                other.reply(request.address, b"done")
                self.assertEqual(self.requester.receive_reply().body, [b"done"])
                other.close()
                self.wait_for_mmi(SERVICE, b"404")

    def test_is_who_offers_a_service_of_the_broker(self):  # MMI-2
        for version in VERSIONS:
            for name in (b"mmi.service", b"mmi.echo", b"mmi."):
                with self.subTest(version=version, name=name):
                    worker = self.worker(self.endpoint, name, version)
                    worker.receive_disconnect()
                    self.expect_silence(worker)
                    code = b"404" if name == b"mmi.service" else b"501"
                    self.assertEqual(self.requester.request(name, b"x"), [code])

    def test_is_who_speaks_before_ready(self):  # MDP-30
        for version in VERSIONS:
            for command in ("heartbeat", "final") + (("partial",) if version == "0.2" else ()):
                with self.subTest(version=version, command=command):
                    worker = self.worker(self.endpoint, SERVICE, version, ready=False)
                    frames = [] if command == "heartbeat" else [b"address", b"", b"body"]
                    worker.command(command, *frames)
                    self.expect_sent_away(worker)

    def test_is_who_replies_without_a_request(self):  # MDP-30, MD1-5
        for version in VERSIONS:
            for command in ("final",) + (("partial",) if version == "0.2" else ()):
                with self.subTest(version=version, command=command):
                    worker = self.worker(self.endpoint, SERVICE, version)
                    self.expect_served(worker)
                    worker.command(command, b"address", b"", b"body")
                    self.expect_sent_away(worker)

    def test_comes_back_on_a_new_connection(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                worker = self.echo_worker(self.endpoint, SERVICE, version, INTERVAL)
                self.wait_for_mmi(SERVICE, b"200")
                # One of the same service that makes mistakes changes nothing for it.
                for _ in range(3):
                    clumsy = self.worker(self.endpoint, SERVICE, version)
                    clumsy.command("ready", SERVICE)
                    clumsy.receive_disconnect()
                self.assertEqual(self.requester.request(SERVICE, b"body"), [b"body"])
                worker.stop()
                self.wait_for_mmi(SERVICE, b"404")

    def test_the_broker_sends_nothing_after_a_disconnect_of_the_worker(self):  # MDP-27, MDP-28
        for version in VERSIONS:
            for when in ("as the first word", "after ready", "while working"):
                with self.subTest(version=version, when=when):
                    worker = self.worker(self.endpoint, SERVICE, version,
                                         ready=when != "as the first word")
                    if when == "after ready":
                        self.expect_served(worker)
                    if when == "while working":
                        self.requester.send(SERVICE, b"for another worker")
                        worker.receive_request()
                    worker.command("disconnect")
                    self.wait_for_mmi(SERVICE, b"404")
                    # A heartbeat may have been on its way.
                    while (said := worker.receive(SILENCE)) is not None:
                        self.assertEqual(said.name, "heartbeat")
                    if when != "while working":
                        self.requester.send(SERVICE, b"for another worker")
                        self.expect_silence(worker)
                    other = self.worker(self.endpoint, SERVICE, version)
                    other.reply(other.receive_request().address, b"done")
                    self.assertEqual(self.requester.receive_reply().body, [b"done"])
                    other.close()
                    self.wait_for_mmi(SERVICE, b"404")

    def test_the_broker_sends_nothing_to_a_silent_peer(self):  # MDP-26, MDP-29
        mute = self.worker(self.endpoint, SERVICE, "0.2", ready=False)
        self.expect_silence(mute)
        mute.command("ready", SERVICE)
        self.expect_served(mute)


class HeartbeatTest(RegistrationCase):
    def test_goes_to_idle_and_to_busy_workers(self):  # MDP-40
        for version in VERSIONS:
            for busy in (False, True):
                with self.subTest(version=version, busy=busy):
                    begin = time.monotonic()
                    worker = self.worker(self.endpoint, SERVICE, version)
                    if busy:
                        self.requester.send(SERVICE, b"body")
                        request = worker.receive_request()
                    end = time.monotonic() + 10 * INTERVAL
                    count = 0
                    while time.monotonic() < end:
                        if (said := worker.receive(INTERVAL / 4)) is not None:
                            self.assertEqual(said.name, "heartbeat")
                            count += 1
                            worker.command("heartbeat")
                    # One heartbeat per interval, less the delay of a busy machine.
                    intervals = (time.monotonic() - begin) / INTERVAL
                    self.assertTrue(5 <= count <= intervals + 1, f"{count} heartbeats in {intervals} intervals")
                    if busy:
                        worker.reply(request.address, b"done")
                        self.assertEqual(self.requester.receive_reply().body, [b"done"])
                    worker.close()
                    self.wait_for_mmi(SERVICE, b"404")

    def test_is_left_out_where_another_command_was_sent(self):  # MDP-39
        for version in VERSIONS:
            with self.subTest(version=version):
                worker = self.worker(self.endpoint, SERVICE, version)
                heartbeats = due = 0
                requests = 0
                told = time.monotonic()
                end = told + 10 * INTERVAL
                while told < end:
                    self.requester.send(SERVICE, b"body")
                    while (said := worker.receive()).name == "heartbeat":
                        heartbeats += 1
                    requests += 1
                    worker.reply(said.address, b"done")
                    self.requester.receive_reply()
                    before, told = told, time.monotonic()
                    # Where a busy machine has kept the two from talking.
                    due += int(2 * (told - before) / INTERVAL)
                self.assertGreater(requests, 10)
                self.assertLessEqual(heartbeats, 2 + due)
                worker.close()
                self.wait_for_mmi(SERVICE, b"404")

    def test_missing_ones_make_an_idle_worker_dead(self):  # MDP-41
        for version in VERSIONS:
            with self.subTest(version=version):
                begin = time.monotonic()
                worker = self.worker(self.endpoint, SERVICE, version)
                self.wait_for_mmi(SERVICE, b"200")
                self.wait_for_mmi(SERVICE, b"404")
                lasted = time.monotonic() - begin
                self.assertGreater(lasted, (LIVENESS - 1) * INTERVAL)
                # The worker receives the disconnect when it sends again.
                worker.command("heartbeat")
                worker.receive_disconnect()

    def test_missing_ones_of_a_working_worker_mean_nothing(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                worker = self.worker(self.endpoint, SERVICE, version)
                self.requester.send(SERVICE, b"body")
                request = worker.receive_request()
                self.assertIsNone(self.requester.receive((LIVENESS + 2) * INTERVAL))
                self.assertEqual(self.client(self.endpoint, "0.1").request(b"mmi.service", SERVICE),
                                 [b"200"])
                worker.reply(request.address, b"done at last")
                self.assertEqual(self.requester.receive_reply().body, [b"done at last"])
                worker.close()
                self.wait_for_mmi(SERVICE, b"404")

    def test_partial_replies_do_as_well(self):  # MDP-38
        worker = self.worker(self.endpoint, SERVICE, "0.2")
        self.requester.send(SERVICE, b"body")
        request = worker.receive_request()
        for i in range(LIVENESS + 5):
            self.assertIsNone(self.requester.receive(INTERVAL))
            worker.partial(request.address, b"%d" % i)
            self.assertEqual(self.requester.receive_reply(), (False, SERVICE, [b"%d" % i]))
        worker.reply(request.address, b"done")
        self.assertEqual(self.requester.receive_reply().body, [b"done"])


if __name__ == "__main__":
    unittest.main()

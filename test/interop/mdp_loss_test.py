#!/usr/bin/python3
"""Processes that die or stop at the wrong moment: workers with a request in flight, clients, the broker. Every
request is answered once."""

import signal
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from guide_peers import Timeout  # noqa: E402
from zinc_programs import Broker, Program, reserve_endpoint  # noqa: E402
from zinc_programs import start_request, start_worker  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = "echo"
HELD = 10_000  # working time of a worker of Zinc in milliseconds, longer than any wait of a test


class LossCase(InteropCase):
    def wait_for_mmi(self, client, code, service=SERVICE, patience=15.0):
        end = time.monotonic() + patience
        while client.request(b"mmi.service", service.encode()) != [code]:
            if time.monotonic() > end:
                raise Timeout(f"mmi.service does not become {code}")

    def their_holder(self, endpoint, version):
        """A pyzmq worker in a process of its own, which takes a request and keeps it."""
        peers = str(Path(__file__).resolve().parent / "guide_peers.py")
        return Program(self, [sys.executable, peers, endpoint, SERVICE, version, "hold"])


class WorkerKilledTest(LossCase):
    def test_while_working_leaves_its_request_to_another(self):  # MDP-44
        for version in VERSIONS:
            for client_version in VERSIONS:
                with self.subTest(worker=version, client=client_version):
                    broker = self.start_broker()
                    client = self.client(broker.endpoint, client_version)
                    body = [b"body", b"", bytes(range(256))]
                    client.send(SERVICE.encode(), *body)
                    holder = self.their_holder(broker.endpoint, version)
                    self.assertEqual(holder.read_line(), "holding")
                    other = self.worker(broker.endpoint, SERVICE.encode(), version)
                    self.wait_for_mmi(self.client(broker.endpoint, "0.2"), b"200")
                    holder.kill()
                    request = other.receive_request()
                    self.assertEqual(list(request.body), body)
                    other.reply(request.address, *request.body)
                    self.assertEqual(client.receive_reply().body, body)
                    self.assertEqual(client.request(b"mmi.x", b"x"), [b"501"])

    def test_loss_of_our_worker_redelivers_its_request(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                broker = self.start_broker()
                client = self.client(broker.endpoint, "0.2")
                holder = start_worker(self, broker.endpoint, SERVICE, version, "--delay", f"{HELD}ms")
                self.wait_for_mmi(client, b"200")
                asking = start_request(self, broker.endpoint, SERVICE, version, "body")
                self.start_worker(broker.endpoint, SERVICE, version)
                # The holder has one of two requests, whichever came first.
                second = start_request(self, broker.endpoint, SERVICE, version, "body")
                holder.kill()
                for one in (asking, second):
                    self.assertEqual(one.read_line(), "body")
                    self.assertEqual(one.wait(), 0)

    def test_between_partial_replies_does_not_mix_them_with_anothers(self):
        broker = self.start_broker()
        client = self.client(broker.endpoint, "0.2")
        client.send(SERVICE.encode(), b"body")
        worker = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
        request = worker.receive_request()
        for i in range(2):
            worker.partial(request.address, b"%d" % i)
            self.assertEqual(client.receive_reply().body, [b"%d" % i])
        worker.close()
        other = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
        # The other worker gets the next request, and its reply is the next reply.
        client.send(SERVICE.encode(), b"next")
        request = other.receive_request()
        self.assertEqual(request.body, (b"next",))
        other.reply(request.address, b"of the next")
        self.assertEqual(client.receive_reply(), (True, SERVICE.encode(), [b"of the next"]))

    def test_loss_between_unseen_partial_replies_redelivers_the_request(self):
        broker = self.start_broker()
        client = self.client(broker.endpoint, "0.1")
        client.send(SERVICE.encode(), b"body")
        worker = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
        request = worker.receive_request()
        worker.partial(request.address, b"of the first")
        worker.close()
        other = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
        request = other.receive_request()
        other.partial(request.address, b"of the second")
        other.reply(request.address, b"end")
        self.assertEqual(client.receive_reply().body, [b"of the second", b"end"])

    def test_by_a_request_that_kills_every_worker_is_the_third_at_most(self):
        broker = self.start_broker()
        client = self.client(broker.endpoint, "0.2")
        client.send(SERVICE.encode(), b"poison")
        for _ in range(3):
            worker = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
            self.assertEqual(worker.receive_request().body, (b"poison",))
            worker.close()
        worker = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
        client.send(SERVICE.encode(), b"food")
        self.assertEqual(worker.receive_request().body, (b"food",))

    def test_again_and_again_while_clients_ask_leaves_no_request_unanswered(self):
        kills = 20
        broker = self.start_broker()
        for _ in range(2):
            self.start_worker(broker.endpoint, SERVICE, "0.2", "--delay", "1ms")
        clients = [self.client(broker.endpoint, version) for version in VERSIONS]
        for round_ in range(kills):
            victim = start_worker(self, broker.endpoint, SERVICE, VERSIONS[round_ % 2],
                                  "--delay", f"{HELD}ms")
            sent = {client: {b"%d/%d" % (round_, i) for i in range(20)} for client in clients}
            # Some before and some after it has registered.
            for client, bodies in sent.items():
                for body in bodies:
                    client.send(SERVICE.encode(), body)
            answered = {client: set() for client in clients}
            end = time.monotonic() + 0.1
            while time.monotonic() < end:
                for client in clients:
                    if (reply := client.receive(0.01)) is not None:
                        answered[client].add(reply.body[0])
            victim.kill()
            for client, bodies in sent.items():
                while answered[client] != bodies:
                    body, = client.receive_reply().body
                    self.assertNotIn(body, answered[client])
                    answered[client].add(body)
                # The next one is of the next request: there is no reply too many.
                self.assertEqual(client.request(b"mmi.x", b"x"), [b"501"])


class WorkerStoppedTest(LossCase):
    def test_while_idle_is_dropped_and_comes_back_when_it_goes_on(self):  # MDP-41, MDP-43
        for version in VERSIONS:
            with self.subTest(version=version):
                broker = self.start_broker("--heartbeat", "100ms", "--liveness", "10")
                client = self.client(broker.endpoint, "0.2")
                worker = self.start_worker(broker.endpoint, SERVICE, version, "--heartbeat", "100ms",
                                           "--liveness", "10")
                self.wait_for_mmi(client, b"200")
                worker.signal(signal.SIGSTOP)
                self.wait_for_mmi(client, b"404")
                worker.signal(signal.SIGCONT)
                self.wait_for_mmi(client, b"200")
                self.assertEqual(client.request(SERVICE.encode(), b"body"), [b"body"])


class ClientGoneTest(LossCase):
    def test_takes_its_waiting_requests_with_it(self):
        broker = self.start_broker()
        for version in VERSIONS:
            with self.subTest(version=version):
                service = version.encode()
                leaving = self.client(broker.endpoint, version)
                staying = self.client(broker.endpoint, version)
                for i in range(10):
                    leaving.send(service, b"of who has gone")
                self.assertEqual(leaving.request(b"mmi.service", service), [b"404"])
                leaving.close()
                # The connection of a worker ends before that of the next begins, and the broker sees this
                # order.
                time_out = time.monotonic() + 15
                while True:
                    worker = self.worker(broker.endpoint, service, "0.2")
                    staying.send(service, b"of who stays")
                    request = worker.receive_request()
                    if request.body == (b"of who stays",):
                        break
                    self.assertLess(time.monotonic(), time_out)
                    worker.close()
                worker.reply(request.address, b"done")
                self.assertEqual(staying.receive_reply().body, [b"done"])

    def test_does_not_hold_up_the_worker_that_works_for_it(self):
        broker = self.start_broker()
        leaving = self.client(broker.endpoint, "0.2")
        staying = self.client(broker.endpoint, "0.2")
        worker = self.worker(broker.endpoint, SERVICE.encode(), "0.2")
        leaving.send(SERVICE.encode(), b"of who goes")
        first = worker.receive_request()
        leaving.close()
        staying.send(SERVICE.encode(), b"of who stays")
        self.assertEqual(staying.request(b"mmi.service", SERVICE.encode()), [b"200"])
        worker.reply(first.address, b"to nobody")
        second = worker.receive_request()
        self.assertEqual(second.body, (b"of who stays",))
        worker.reply(second.address, b"done")
        self.assertEqual(staying.receive_reply().body, [b"done"])


class BrokerKilledTest(LossCase):
    """Nothing is kept in a broker: clients ask again, workers register again."""

    def test_and_started_again_finds_its_workers_and_clients(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                at = reserve_endpoint(self)
                broker = Broker(self, at=at)
                self.start_worker(at, SERVICE, version)
                echo = self.echo_worker(at, b"theirs", version, 0.3)
                client = self.client(at, version)
                for service in (SERVICE.encode(), b"theirs"):
                    self.assertEqual(client.request(service, b"before"), [b"before"])
                broker.kill()
                # The client sends its request while there is no broker.
                asking = start_request(self, at, SERVICE, version, "after")
                self.start_broker(at=at)
                self.assertEqual(asking.read_line(), "after")
                self.assertEqual(asking.wait(), 0)
                self.wait_for_mmi(client, b"200", "theirs")
                for service in (SERVICE.encode(), b"theirs"):
                    self.assertEqual(client.request(service, b"after"), [b"after"])
                self.assertGreater(echo.conversations, 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""mdbroker, mdworker, mdclient, mdclient2, mmiecho, titanic, ticlient, tripping, bstarsrv, bstarsrv2 and
bstarcli beside peers that behave as the Guide's, in both roles, and with each other."""

import re
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from bstar_peers import GuideClient  # noqa: E402: behind the line above
from guide_case import STAMP, GuideCase  # noqa: E402
from stand_in_broker import StandInBroker  # noqa: E402
from zinc_programs import Program, reserve_endpoint  # noqa: E402
import zmq  # noqa: E402

NODE = str(Path(__file__).resolve().parent / "bstar_peers.py")
# Heartbeat of both nodes. A busy machine does not exceed it, so no node is declared dead by mistake.
HEARTBEAT = 500


class Majordomo(GuideCase):
    def start_mdbroker(self):
        at = reserve_endpoint(self)
        broker = self.start("mdbroker", "--bind", at)
        self.assertRegex(broker.read_line(), f"^{STAMP}I: MDP broker/0.2.0 is active at {at}$")
        return at

    def stand_in(self):
        broker = StandInBroker(self.context, "0.1")
        self.addCleanup(broker.stop)
        return broker.endpoint

    # Programs of Zinc and of the Guide as broker, worker and client, in every combination with one of Zinc.
    def test_clients_get_answers_through_every_broker_and_worker(self):
        for broker in (self.start_mdbroker, self.stand_in):
            for worker in ("ours", "theirs"):
                with self.subTest(broker=broker.__name__, worker=worker):
                    at = broker()
                    if worker == "ours":
                        self.start("mdworker", "--connect", at)
                    else:
                        self.echo_worker(at, b"echo", "0.1")
                    client = self.client(at, "0.1")
                    self.assertEqual(client.request(b"echo", b"Hello world"), [b"Hello world"])
                    self.assertEqual(self.run_program("mdclient", "--connect", at, "--count", "50")[:2],
                                     (0, "50 requests/replies processed\n"))
                    self.assertEqual(
                        self.run_program("mdclient2", "--connect", at, "--count", "50",
                                         "--in-flight", "10")[:2], (0, "50 replies received\n"))

    def test_a_client_says_how_many_were_answered(self):
        at = reserve_endpoint(self)
        for name, said in (("mdclient", "requests/replies processed"), ("mdclient2", "replies received")):
            with self.subTest(name):
                code, out, _ = self.run_program(name, "--connect", at, "--count", "3", "--timeout", "50")
                self.assertEqual((code, out.splitlines()[-1]), (1, f"0 {said}"))

    def test_mmi(self):
        at = self.start_mdbroker()
        self.assertEqual(self.run_program("mmiecho", "--connect", at)[:2],
                         (0, "Lookup echo service: 404\n"))
        self.echo_worker(at, b"echo", "0.1")
        self.client(at, "0.1").request(b"echo", b"x")
        self.assertEqual(self.run_program("mmiecho", "--connect", at)[:2],
                         (0, "Lookup echo service: 200\n"))

    def test_mmi_without_a_broker(self):
        self.assertEqual(
            self.run_program("mmiecho", "--connect", reserve_endpoint(self), "--timeout", "50")[:2],
            (1, "E: no response from broker, make sure it's running\n"))

    def expect_logged(self, program, text, *frames):
        """The output of the Guide's -v: a line, and below it the frames."""
        self.assertRegex(program.read_line(), f"^{STAMP}{text}$")
        self.assertEqual(program.read_line(), "-" * 38)
        for frame in frames:
            self.assertRegex(program.read_line(), f"^{frame}$")

    # No heartbeat comes during the test.
    RARE = ("--heartbeat", "600000")
    EMPTY = r"\[000\] "
    ID = r"\[005\] 00[0-9A-F]{8}"
    TO_CLIENT = (r"\[006\] MDPC01", r"\[004\] echo", r"\[011\] Hello world")
    READY = (EMPTY, r"\[006\] MDPW01", r"\[001\] 01", r"\[004\] echo")

    def to_worker(self, byte):
        return (self.EMPTY, r"\[006\] MDPW01", rf"\[001\] {byte}", r"\[\d{3}\] [0-9A-F]+", self.EMPTY,
                r"\[011\] Hello world")

    def expect_worked(self, worker):
        self.expect_logged(worker, "I: received message from broker:", *self.to_worker("02"))
        self.expect_logged(worker, "I: sending REPLY to broker", *self.to_worker("03"))

    def test_v_logs_messages_frame_by_frame(self):
        at = reserve_endpoint(self)
        broker = self.start("mdbroker", "--bind", at, "-v", *self.RARE)
        broker.read_line()
        worker = self.start("mdworker", "--connect", at, "-v", *self.RARE)
        self.assertRegex(worker.read_line(), f"^{STAMP}I: connecting to broker at {at}...$")
        self.expect_logged(worker, "I: sending READY to broker", *self.READY)
        self.expect_logged(broker, "I: received message:", self.ID, *self.READY)
        self.assertRegex(broker.read_line(), f"^{STAMP}I: registering new worker: 00[0-9A-F]{{8}}$")
        self.assertRegex(broker.read_line(), f"^{STAMP}I: added service: echo$")

        client = self.start("mdclient", "--connect", at, "--count", "1", "-v")
        self.assertRegex(client.read_line(), f"^{STAMP}I: connecting to broker at {at}...$")
        self.expect_logged(client, "I: send request to 'echo' service:", *self.TO_CLIENT)
        self.expect_logged(client, "I: received reply:", *self.TO_CLIENT)
        self.assertEqual(client.read_line(), "1 requests/replies processed")
        self.assertEqual(client.wait(), 0)
        self.expect_logged(broker, "I: received message:", self.ID, self.EMPTY, *self.TO_CLIENT)
        self.expect_logged(broker, "I: sending REQUEST to worker", self.ID, *self.to_worker("02"))
        self.expect_worked(worker)
        self.expect_logged(broker, "I: received message:", self.ID, *self.to_worker("03"))

        # A DEALER sees the empty frame.
        client = self.start("mdclient2", "--connect", at, "--count", "1", "-v")
        client.read_line()
        self.expect_logged(client, "I: send request to 'echo' service:", self.EMPTY, *self.TO_CLIENT)
        self.expect_logged(client, "I: received reply:", self.EMPTY, *self.TO_CLIENT)
        self.expect_worked(worker)
        look_up = self.start("mmiecho", "--connect", at, "-v")
        look_up.read_line()
        self.expect_logged(look_up, "I: send request to 'mmi.service' service:", r"\[006\] MDPC01",
                           r"\[011\] mmi.service", r"\[004\] echo")
        self.expect_logged(look_up, "I: received reply:", r"\[006\] MDPC01", r"\[011\] mmi.service",
                           r"\[003\] 200")
        self.assertEqual(look_up.read_line(), "Lookup echo service: 200")

        broker.signal(signal.SIGINT)
        while (line := broker.read_line()) != "W: interrupt received, shutting down...":
            self.assertFalse(line.startswith("W:"), line)
        self.assertEqual(broker.wait(), 0)
        self.assertRegex(worker.read_line(), f"^{STAMP}W: disconnected from broker - retrying...$")
        self.assertRegex(worker.read_line(), f"^{STAMP}I: connecting to broker at {at}...$")
        worker.signal(signal.SIGINT)
        self.assertEqual(worker.read_line(), "W: interrupt received, killing worker...")
        self.assertEqual(worker.wait(), 0)

    def test_clients_say_that_they_were_interrupted(self):
        at = self.start_mdbroker()
        for name, last in (("mdclient", "0 requests/replies processed"), ("mdclient2", "0 replies received"),
                           ("mmiecho", "E: no response from broker, make sure it's running")):
            with self.subTest(name):
                # The service has no worker, or there is no broker.
                there = reserve_endpoint(self) if name == "mmiecho" else at
                client = self.start(name, "--connect", there, "--timeout", "60000", "-v")
                client.read_line()
                client.signal(signal.SIGINT)
                while not (line := client.read_line()).startswith("W:"):
                    pass
                self.assertEqual(line, "W: interrupt received, killing client...")
                self.assertEqual(client.read_line(), last)
                self.assertEqual(client.wait(), 1)

    def test_v_logs_what_is_not_answered(self):
        at = reserve_endpoint(self)
        for name, last in (("mdclient", "permanent error, abandoning\n0 requests/replies processed"),
                           ("mdclient2", "permanent error, abandoning request\n0 replies received"),
                           ("mmiecho", "permanent error, abandoning\nE: no response from broker, make "
                                       "sure it's running")):
            with self.subTest(name):
                more = ("--in-flight", "1") if name == "mdclient2" else ()
                code, out, _ = self.run_program(name, "--connect", at, "--timeout", "50", "-v", *more)
                again = [f"I: connecting to broker at {at}...", "W: no reply, reconnecting..."]
                expected = "\n".join([*again * 2, again[0], f"W: {last}", ""])
                self.assertEqual((code, re.sub(f"(?m)^{STAMP}", "", out)), (1, expected))

    def test_v_logs_unresponsive_workers_and_malformed_messages(self):
        at = reserve_endpoint(self)
        broker = self.start("mdbroker", "--bind", at, "-v", "--heartbeat", "50")
        broker.read_line()
        silent = self.connected(zmq.DEALER, at)
        silent.send_multipart([b"", b"MDPW01", b"\x01", b"echo"])
        self.expect_logged(broker, "I: received message:", self.ID, *self.READY)
        worker = re.search(": ([0-9A-F]{10})$", broker.read_line())[1]
        broker.read_line()
        id_frame = rf"\[005\] {worker}"
        self.expect_logged(broker, "I: sending HEARTBEAT to worker", id_frame, self.EMPTY, r"\[006\] MDPW01",
                           r"\[001\] 04")
        while not (line := broker.read_line()).endswith(f"I: deleting expired worker: {worker}"):
            self.assertRegex(line, f"^{STAMP}I: sending HEARTBEAT to worker$|^-+$|" rf"^\[\d+\] ")
        # The log shows the beginning of a long frame.
        self.connected(zmq.DEALER, at).send_multipart([b"", 100 * b"x", 100 * b"\n"])
        self.expect_logged(broker, "I: received message:", self.ID, self.EMPTY, r"\[100\] x{70}\.\.\.",
                           r"\[100\] (0A){35}\.\.\.")
        self.assertRegex(broker.read_line(), f"^{STAMP}E: invalid message: .+$")


class Titanic(GuideCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = f"{folder.name}/.titanic/store"
        self.at = reserve_endpoint(self)
        self.start("mdbroker", "--bind", self.at).read_line()

    def start_titanic(self, *words):
        return self.start("titanic", "--connect", self.at, "--store", self.store, *words)

    def test_a_request_is_left_and_its_reply_is_fetched(self):
        titanic = self.start_titanic("-v")
        self.echo_worker(self.at, b"echo", "0.1")
        code, out, errors = self.run_program("ticlient", "--connect", self.at, "--again", "20",
                                             patience=60)
        self.assertEqual((code, out.splitlines()[-1]), (0, "Reply: Hello world"))
        uuid = re.fullmatch(r"I: request UUID \[032\] ([0-9A-F]{32})\n", errors)[1]
        self.assertEqual(titanic.read_line(), f"I: processing request {uuid}")
        self.stop(titanic)

    def test_v_logs_the_requests_of_the_client(self):
        self.start_titanic()
        self.echo_worker(self.at, b"echo", "0.1")
        code, out, _ = self.run_program("ticlient", "--connect", self.at, "--again", "20", "-v",
                                        patience=60)
        self.assertEqual(code, 0)
        lines = re.sub(f"(?m)^{STAMP}", "", out).splitlines()
        self.assertEqual(lines[:7], [f"I: connecting to broker at {self.at}...",
                                     "I: send request to 'titanic.request' service:", "-" * 38,
                                     "[006] MDPC01", "[015] titanic.request", "[004] echo",
                                     "[011] Hello world"])
        self.assertIn("[013] titanic.reply", lines)

    def test_a_store_that_cannot_be_is_named(self):
        code, _, errors = self.run_program("titanic", "--connect", self.at, "--store", "/proc/no/store")
        self.assertEqual(code, 1)
        self.assertIn("/proc/no", errors)
        with tempfile.NamedTemporaryFile() as other:
            other.write(b"no store" * 1000)
            other.flush()
            code, _, errors = self.run_program("titanic", "--connect", self.at, "--store", other.name)
            self.assertEqual(code, 1)
            self.assertIn(other.name, errors)

    # Drill: the request is closed before it is executed.
    def test_a_request_that_is_closed_is_not_carried_out(self):
        self.start_titanic()
        client = self.client(self.at, "0.1")
        closed, kept = (client.request(b"titanic.request", b"echo", text) for text in (b"closed", b"kept"))
        self.assertEqual((closed[0], kept[0]), (b"200", b"200"))
        self.assertEqual(client.request(b"titanic.close", closed[1]), [b"200"])
        carried_out = []

        def note(body):
            carried_out.append(body)
            return body

        self.echo_worker(self.at, b"echo", "0.1", 2.5, 3, note)
        while (reply := client.request(b"titanic.reply", kept[1])) == [b"300"]:
            time.sleep(0.01)  # it is for the client to ask
        self.assertEqual(reply, [b"200", b"kept"])
        self.assertEqual(carried_out, [(b"kept",)])
        self.assertEqual(client.request(b"titanic.reply", closed[1]), [b"400"])

    # Drill: titanic is killed between 200 and execution.
    def test_a_request_outlives_a_kill(self):
        titanic = self.start_titanic()
        client = self.start("ticlient", "--connect", self.at, "--again", "20")
        self.assertEqual(client.read_line(), "I: no reply yet, trying again...")
        titanic.kill()
        self.start_titanic()
        self.echo_worker(self.at, b"echo", "0.1")
        while (line := client.read_line(60)) != "Reply: Hello world":
            self.assertEqual(line, "I: no reply yet, trying again...")
        self.assertEqual(client.wait(), 0)


class Tripping(GuideCase):
    def test_both_ways(self):
        front, back = reserve_endpoint(self), reserve_endpoint(self)
        code, out, _ = self.run_program(
            "tripping", "--frontend", front, "--client", front, "--backend", back, "--worker", back,
            "--synchronous", "100", "--asynchronous", "20000", patience=60)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^Setting up test...\nSynchronous round-trip test...\n \d+ calls/second\n"
                              r"Asynchronous round-trip test...\n \d+ calls/second\n$")


class BinaryStar(GuideCase):
    def setUp(self):
        super().setUp()
        self.voters = {role: reserve_endpoint(self) for role in ("primary", "backup")}
        self.states = {role: reserve_endpoint(self) for role in ("primary", "backup")}

    def start_node(self, name, role, model=None):
        """Starts a node of Zinc if there is no model."""
        other = "backup" if role == "primary" else "primary"
        if model:
            return Program(self, [sys.executable, NODE, model, role, self.voters[role],
                                  self.states[role], self.states[other], str(HEARTBEAT)])
        node = self.start(name, "-p" if role == "primary" else "-b", "--voter", self.voters[role],
                          "--state", self.states[role], "--peer", self.states[other], "--heartbeat",
                          str(HEARTBEAT))
        self.assertEqual(node.read_line(),
                         "I: Primary active, waiting for backup (passive)" if role == "primary"
                         else "I: Backup passive, waiting for primary (active)")
        return node

    def read_ready(self, node, name, text):
        line = node.read_line()
        if name == "bstarsrv2":
            self.assertRegex(line, f"^{STAMP}")
            line = re.sub(f"^{STAMP}", "", line)
        self.assertEqual(line, f"I: {text}".replace("ready", "ready as") if name == "bstarsrv2"
                         else f"I: {text}")

    def await_reply(self, client):
        """On a busy machine it may ask each of them again before the active one has looked."""
        while not (line := client.read_line()).startswith("I: server replied OK"):
            self.assertRegex(line, "^(W: no response from server, failing over|I: connecting to server at .*)$")
        return line

    def bstar_client(self):
        client = GuideClient(self.context, [self.voters[role] for role in ("primary", "backup")],
                             HEARTBEAT / 1000, 2 * HEARTBEAT / 1000)
        self.addCleanup(client.close)
        return client

    # Drills: the active node is killed; the old primary restarts.
    def test_the_backup_takes_over_and_the_primary_comes_back_passive(self):
        for name in ("bstarsrv", "bstarsrv2"):
            with self.subTest(name):
                primary = self.start_node(name, "primary")
                backup = self.start_node(name, "backup")
                self.read_ready(primary, name, "connected to backup (passive), ready active")
                self.read_ready(backup, name, "connected to primary (active), ready passive")
                client = self.start("bstarcli", "--primary", self.voters["primary"], "--backup",
                                    self.voters["backup"], "--interval", "10", "--timeout",
                                    str(HEARTBEAT), "--settle", str(2 * HEARTBEAT))
                self.assertEqual(client.read_line(),
                                 f"I: connecting to server at {self.voters['primary']}...")
                self.assertEqual(self.await_reply(client), "I: server replied OK (1)")
                primary.kill()
                while (line := client.read_line()).startswith("I: server replied OK"):
                    pass
                self.assertEqual(line, "W: no response from server, failing over")
                self.assertEqual(client.read_line(),
                                 f"I: connecting to server at {self.voters['backup']}...")
                self.await_reply(client)
                self.read_ready(backup, name, "failover successful, ready active")
                primary = self.start_node(name, "primary")
                self.read_ready(primary, name, "connected to backup (active), ready passive")
                self.stop(primary)
                self.stop(client)
                self.stop(backup)

    def test_beside_a_node_and_a_client_of_the_guides(self):
        for name, model in (("bstarsrv", "poc"), ("bstarsrv2", "reactor")):
            with self.subTest(name):
                primary = self.start_node(name, "primary")
                backup = self.start_node(name, "backup", model)
                self.read_ready(primary, name, "connected to backup (passive), ready active")
                client = self.bstar_client()
                self.assertEqual(client.request(), 0)
                primary.kill()
                self.assertEqual(client.request(), 1)
                backup.kill()

    def test_a_primary_alone(self):
        for name in ("bstarsrv", "bstarsrv2"):
            with self.subTest(name):
                primary = self.start_node(name, "primary")
                self.assertEqual(self.bstar_client().request(), 0)
                self.read_ready(primary, name, "request from client, ready active")
                self.stop(primary)

    def test_usage(self):
        for name, said in (("bstarsrv", "bstarsrv"), ("bstarsrv2", "bstarsrvs")):
            for words in ((), ("-p", "-b")):
                with self.subTest(name, words=words):
                    self.assertEqual(self.run_program(name, *words)[:2],
                                     (0, f"Usage: {said} {{ -p | -b }}\n"))


class Help(GuideCase):
    def test_each_says_what_it_is_and_its_endpoints(self):
        self.expect_help(("mdbroker", "mdworker", "mdclient", "mdclient2", "mmiecho", "titanic",
                          "ticlient", "tripping", "bstarsrv", "bstarsrv2", "bstarcli"))


if __name__ == "__main__":
    unittest.main()

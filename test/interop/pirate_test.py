#!/usr/bin/python3
"""The pirates and Freelancers of tools/guide with those of the Guide, in every pairing that has one of Zinc,
and the drills of protocols' table: programs that are killed, restarted and frozen."""

import functools
import itertools
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from interop_case import InteropCase  # noqa: E402
from zinc_programs import Program, built, reserve_endpoint  # noqa: E402
import zmq  # noqa: E402

# Heartbeat of all peers. A busy machine does not exceed it, so no peer is declared dead by mistake.
HEARTBEAT = 250
PEERS = str(Path(__file__).resolve().parent / "pirate_peers.py")
OURS, THEIRS = "ours", "the Guide's"

# The options of Zinc's programs, which the Guide's programs get as KEY=VALUE.
FLAGS = {"bind": "--bind", "workers": "--bind-workers", "connect": "--connect", "timeout": "--timeout",
         "retries": "--retries", "count": "--count", "work": "--work", "heartbeat": "--heartbeat",
         "reconnect": "--reconnect", "expiry": "--expiry"}
CALM = {"lpserver", "spworker", "ppworker"}
# Programs whose endpoints have no flag.
POSITIONAL = {"flserver1", "flserver2", "flclient1", "flclient2"}


class GuideProgram(Program):
    def __init__(self, test, whose, called, **settings):
        made = self._ours if whose == OURS else self._theirs
        super().__init__(test, made(called, settings))
        self.whose = whose
        self.serves = "client" not in called

    @staticmethod
    def _ours(called, settings):
        arguments = [built(f"tools/guide/{called}")]
        if called in CALM:
            arguments.append("--calm")
            settings.setdefault("work", 0)
        for key, value in settings.items():
            if key in ("name", "form"):
                continue
            values = str(value).split(",")
            if key in ("bind", "connect") and called in POSITIONAL:
                arguments += values
            else:
                arguments += [FLAGS[key], *values]
        return arguments

    @staticmethod
    def _theirs(called, settings):
        return [sys.executable, PEERS, called, *(f"{key}={value}" for key, value in settings.items())]

    def await_line(self, *expected):
        """The first that begins with one of these."""
        while not (line := self.read_line()).startswith(expected):
            pass
        return line


def pairings(*roles):
    """Every assignment of roles to Zinc and the Guide, except all roles to the Guide."""
    def decorate(test):
        @functools.wraps(test)
        def run(self):
            for sides in itertools.product((OURS, THEIRS), repeat=len(roles)):
                if set(sides) == {THEIRS}:
                    continue
                with self.subTest(", ".join(f"{whose} {role}" for role, whose in zip(roles, sides))):
                    try:
                        test(self, *sides)
                    finally:
                        self.stop_all()
        return run
    return decorate


class GuideCase(InteropCase):
    def setUp(self):
        super().setUp()
        self.programs = []

    def start(self, whose, called, **settings):
        program = GuideProgram(self, whose, called, **settings)
        self.programs.append(program)
        return program

    def stop_all(self):
        """Servers of Zinc must exit with 0 when they are asked to."""
        for program in reversed(self.programs):
            if program.whose == OURS and program.serves and program.running():
                self.assertEqual(program.stop(), 0, f"{program.process.args} did not end well")
            program.kill()
        self.programs = []

    def expect_replies(self, client, first, last):
        for number in range(first, last + 1):
            self.assertEqual(client.await_line("I: server replied", "E:"),
                             f"I: server replied OK ({number})")


class LazyPirateTest(GuideCase):
    @pairings("server", "client")
    def test_numbers_are_echoed(self, server, client):
        at = reserve_endpoint(self)
        serving = self.start(server, "lpserver", bind=at)
        # The client does not retry, however long the server takes to start.
        asking = self.start(client, "lpclient", connect=at, count=3, timeout=int(PATIENCE * 1000))
        self.assertEqual(asking.read_line(), "I: connecting to server...")
        for number in range(1, 4):
            self.assertEqual(serving.read_line(), f"I: normal request ({number})")
            self.assertEqual(asking.read_line(), f"I: server replied OK ({number})")
        self.assertEqual(asking.wait(), 0)

    def test_a_client_gives_up_where_there_is_no_server(self):
        client = self.start(OURS, "lpclient", connect=reserve_endpoint(self), timeout=50)
        for line in ("I: connecting to server...",
                     *2 * ("W: no response from server, retrying...", "I: reconnecting to server..."),
                     "E: server seems to be offline, abandoning"):
            self.assertEqual(client.read_line(), line)
        self.assertEqual(client.wait(), 1)

    @pairings("server", "client")
    def test_the_same_number_is_asked_again_when_the_server_was_restarted(self, server, client):
        at = reserve_endpoint(self)
        first = self.start(server, "lpserver", bind=at, work=50)
        asking = self.start(client, "lpclient", connect=at, timeout=500, retries=50)
        self.expect_replies(asking, 1, 2)
        first.kill()
        reached = 2
        while (line := asking.read_line()) != "W: no response from server, retrying...":
            reached = int(line.split("(")[1].rstrip(")"))
        self.start(server, "lpserver", bind=at, work=50)
        self.expect_replies(asking, reached + 1, reached + 3)

    def test_signals_end_the_programs(self):
        at = reserve_endpoint(self)
        for name, settings in (("lpserver", {"bind": at}), ("lpclient", {"connect": at})):
            for number in (signal.SIGINT, signal.SIGTERM):
                program = self.start(OURS, name, **settings)
                if name == "lpclient":
                    program.read_line()
                else:
                    probe = self.client_of(at)
                    probe.send(b"1")
                    self.assertTrue(probe.poll(int(PATIENCE * 1000)))
                program.signal(number)
                self.assertEqual(program.wait(), 0)

    def client_of(self, at):
        client = self.context.socket(zmq.REQ)
        self.addCleanup(client.close, 0)
        client.connect(at)
        return client


class QueueCase(GuideCase):
    QUEUE = WORKER = ""

    def setUp(self):
        super().setUp()
        self.clients, self.workers = reserve_endpoint(self), reserve_endpoint(self)

    def start_queue(self, whose):
        """Starts a queue that listens. The tests do not cover a worker before that."""
        queue = self.start(whose, self.QUEUE, bind=self.clients, workers=self.workers, **self.timing(False))
        probe = self.context.socket(zmq.DEALER)
        # The probe can send as soon as it is connected, and not before.
        probe.immediate = True
        probe.connect(self.workers)
        listening = probe.poll(int(PATIENCE * 1000), zmq.POLLOUT)
        probe.close(0)
        self.assertTrue(listening, "the queue does not listen")
        return queue

    def start_worker(self, whose, name="A", **settings):
        if whose == THEIRS and self.WORKER == "spworker":
            settings["name"] = name
        worker = self.start(whose, self.WORKER, connect=self.workers, **self.timing(True), **settings)
        # A worker of Zinc reports this when there is a queue, which it may have missed before.
        while not worker.read_line().endswith("worker ready"):
            pass
        return worker

    def timing(self, worker):
        if self.WORKER == "spworker":
            return {}
        return {"heartbeat": HEARTBEAT, **({"reconnect": 100} if worker else {})}

    def ask(self, whose, count, **settings):
        return self.start(whose, "lpclient", connect=self.clients, count=count,
                          **{"timeout": 500, "retries": 50, **settings})


class SimplePirateTest(QueueCase):
    QUEUE, WORKER = "spqueue", "spworker"

    @pairings("queue", "worker", "client")
    def test_requests_go_round(self, queue, worker, client):
        self.start_queue(queue)
        # So long that those of the Guide, which are ready before they are connected, come in time.
        workers = [self.start_worker(worker, name, work=10) for name in "AB"]
        self.expect_replies(self.ask(client, 50), 1, 50)
        for one in workers:
            self.assertTrue(one.read_line().endswith("normal reply"))

    @pairings("queue", "worker")
    def test_a_worker_that_is_killed_costs_a_retry_at_most(self, queue, worker):
        self.start_queue(queue)
        idle = self.start_worker(worker, "A")
        self.start_worker(worker, "B")
        self.expect_replies(self.ask(OURS, 4), 1, 4)
        idle.kill()
        self.expect_replies(self.ask(OURS, 4), 1, 4)

    def test_our_queue_gives_nothing_to_a_worker_that_is_gone(self):
        self.start_queue(OURS)
        idle = self.start_worker(THEIRS, "A")
        other = self.start_worker(THEIRS, "B")
        self.expect_replies(self.ask(OURS, 2), 1, 2)
        idle.kill()
        asking = self.ask(OURS, 6, timeout=int(PATIENCE * 1000), retries=1)
        self.expect_replies(asking, 1, 6)
        self.assertTrue(other.running())

    def test_our_worker_comes_back_to_a_queue_that_was_restarted(self):
        for queue in (OURS, THEIRS):
            with self.subTest(f"{queue} queue"):
                first = self.start_queue(queue)
                self.start_worker(OURS)
                first.kill()
                self.start_queue(queue)
                self.expect_replies(self.ask(OURS, 3), 1, 3)
                self.stop_all()

    def test_the_guides_worker_does_not(self):
        first = self.start_queue(OURS)
        self.start_worker(THEIRS)
        self.expect_replies(self.ask(OURS, 1), 1, 1)
        first.kill()
        self.start_queue(OURS)
        asking = self.ask(OURS, 1, timeout=300, retries=4)
        self.assertEqual(asking.await_line("I: server replied", "E:"),
                         "E: server seems to be offline, abandoning")

    def test_ready_is_exactly_one_byte(self):
        self.start_queue(OURS)
        client = self.context.socket(zmq.REQ)
        worker = self.context.socket(zmq.DEALER)
        for socket, at in ((client, self.clients), (worker, self.workers)):
            self.addCleanup(socket.close, 0)
            socket.connect(at)
        worker.send_multipart([b"", b"\x01\x01"])
        worker.send_multipart([b"\x01"])
        client.send_multipart([b"a", b"b"])
        self.assertFalse(worker.poll(300), "it was taken for ready")
        worker.send_multipart([b"", b"\x01"])
        self.assertTrue(worker.poll(int(PATIENCE * 1000)))
        request = worker.recv_multipart()
        self.assertEqual((request[0], request[2:]), (b"", [b"", b"a", b"b"]))
        worker.send_multipart(request)
        self.assertTrue(client.poll(int(PATIENCE * 1000)))
        self.assertEqual(client.recv_multipart(), [b"a", b"b"])


class ParanoidPirateTest(QueueCase):
    QUEUE, WORKER = "ppqueue", "ppworker"

    @pairings("queue", "worker", "client")
    def test_requests_go_round(self, queue, worker, client):
        self.start_queue(queue)
        workers = [self.start_worker(worker, name, work=10) for name in "AB"]
        self.expect_replies(self.ask(client, 50), 1, 50)
        for one in workers:
            one.await_line("I: normal reply")

    # PPP-7
    @pairings("queue", "worker")
    def test_workers_come_back_to_a_queue_that_was_restarted(self, queue, worker):
        first = self.start_queue(queue)
        working = self.start_worker(worker)
        first.kill()
        # Long enough that it is missed: a worker of the Guide does not see a connection go.
        self.assertEqual(working.await_line("W: heartbeat failure"),
                         "W: heartbeat failure, can't reach queue")
        self.assertEqual(working.read_line(), "W: reconnecting in 100 msec...")
        self.start_queue(queue)
        working.await_line("I: worker ready")
        self.expect_replies(self.ask(OURS, 3), 1, 3)

    @pairings("queue", "worker")
    def test_an_outage_of_the_queue_that_is_short_costs_no_worker(self, queue, worker):
        first = self.start_queue(queue)
        self.start_worker(worker)
        self.expect_replies(self.ask(OURS, 1), 1, 1)
        first.kill()
        # A worker of the Guide sends only a heartbeat on its next connection.
        self.start_queue(queue)
        self.expect_replies(self.ask(OURS, 3), 1, 3)

    # PPP-6, PPP-8
    @pairings("queue", "worker")
    def test_a_worker_that_is_frozen_is_dropped_and_comes_back(self, queue, worker):
        self.start_queue(queue)
        frozen = self.start_worker(worker, "A")
        other = self.start_worker(worker, "B")
        frozen.signal(signal.SIGSTOP)
        # Clients retry requests that were assigned to the worker before the queue declared it dead.
        self.expect_replies(self.ask(OURS, 10), 1, 10)
        for _ in range(10):
            other.await_line("I: normal reply")
        frozen.signal(signal.SIGCONT)
        other.kill()
        self.expect_replies(self.ask(OURS, 3), 1, 3)

    @pairings("queue", "worker")
    def test_a_busy_worker_gets_no_second_request(self, queue, worker):
        if worker == THEIRS:
            return  # it sends a heartbeat, and answers first
        self.start_queue(queue)
        self.start_worker(worker, work=6 * HEARTBEAT)
        asking = [self.ask(OURS, 1, timeout=int(PATIENCE * 1000), retries=1) for _ in range(2)]
        for one in asking:
            self.expect_replies(one, 1, 1)


class ParanoidWireTest(QueueCase):
    """Our queue and worker, frame by frame."""

    QUEUE, WORKER = "ppqueue", "ppworker"

    def socket(self, socket_type, bind=None, connect=None):
        made = self.context.socket(socket_type)
        self.addCleanup(made.close, 0)
        if bind:
            made.bind(bind)
        if connect:
            made.connect(connect)
        return made

    def receive(self, socket):
        self.assertTrue(socket.poll(int(PATIENCE * 1000)), "nothing came")
        return socket.recv_multipart()

    # PPP-1, PPP-2, PPP-3, PPP-4, PPP-5
    def test_a_worker_sends_ready_and_heartbeats_but_none_while_working(self):
        queue = self.socket(zmq.ROUTER, bind=self.workers)
        self.start_worker(OURS, work=4 * HEARTBEAT)
        worker, *ready = self.receive(queue)
        self.assertEqual(ready, [b"\x01"])
        for _ in range(3):
            queue.send_multipart([worker, b"\x02"])
            self.assertEqual(self.receive(queue), [worker, b"\x02"])
        queue.send_multipart([worker, b"client", b"", b"body"])
        while (said := self.receive(queue)) == [worker, b"\x02"]:
            pass  # on its way before the request
        self.assertEqual(said, [worker, b"client", b"", b"body"])
        self.assertEqual(self.receive(queue), [worker, b"\x02"])

    # PPP-6, PPP-7
    def test_a_worker_leaves_an_unresponsive_queue_and_registers_again(self):
        queue = self.socket(zmq.ROUTER, bind=self.workers)
        worker = self.start_worker(OURS)
        first, *ready = self.receive(queue)
        self.assertEqual(ready, [b"\x01"])
        pauses = []
        seen = {first}
        while len(pauses) < 4:
            who, *said = self.receive(queue)
            if who not in seen:
                seen.add(who)
                self.assertEqual(said, [b"\x01"], "the first on each connection")
                pauses.append(int(worker.await_line("W: reconnecting in").split()[3]))
        self.assertEqual(pauses, [100, 200, 400, 800])

    # PPP-5, PPP-8
    def test_a_queue_sends_heartbeats_only_to_free_live_workers(self):
        self.start_queue(OURS)
        worker = self.socket(zmq.DEALER, connect=self.workers)
        worker.send(b"\x01")
        heartbeats = 0
        # The worker sends nothing, so the queue declares it dead.
        while worker.poll(8 * HEARTBEAT):
            self.assertEqual(worker.recv_multipart(), [b"\x02"])
            heartbeats += 1
        self.assertGreaterEqual(heartbeats, 2)
        client = self.socket(zmq.REQ, connect=self.clients)
        client.send(b"for the living")
        self.assertFalse(worker.poll(2 * HEARTBEAT))
        # A sign of life makes it one again.
        worker.send(b"\x02")
        request = self.receive(worker)
        self.assertEqual(request[1:], [b"", b"for the living"])

    # PPP-3, PPP-4
    def test_a_heartbeat_of_a_busy_worker_brings_no_second_request(self):
        self.start_queue(OURS)
        worker = self.socket(zmq.DEALER, connect=self.workers)
        worker.send(b"\x01")
        clients = [self.socket(zmq.REQ, connect=self.clients) for _ in range(2)]
        for client in clients:
            client.send(b"request")
        while (request := self.receive(worker)) == [b"\x02"]:
            pass
        self.assertEqual(len(request), 3)
        worker.send(b"\x02")
        self.assertFalse(worker.poll(2 * HEARTBEAT))
        for last in (False, True):
            worker.send_multipart(request)
            # The queue drops a second reply.
            worker.send_multipart(request)
            if not last:
                request = self.receive(worker)
                self.assertEqual(len(request), 3)
        for client in clients:
            self.assertEqual(self.receive(client), [b"request"])

    def test_a_multipart_request_waits_for_a_worker_that_accepts_it(self):
        self.start_queue(OURS)
        worker = self.socket(zmq.DEALER, connect=self.workers)
        worker.send(b"\x01")
        many = self.socket(zmq.REQ, connect=self.clients)
        many.send_multipart([b"1", b"2"])
        one = self.socket(zmq.REQ, connect=self.clients)
        one.send(b"one")
        while (request := self.receive(worker)) == [b"\x02"]:
            pass
        self.assertEqual(request[1:], [b"", b"one"])
        # A worker of Zinc accepts them.
        self.start_worker(OURS)
        self.assertEqual(self.receive(many), [b"1", b"2"])

    def test_a_queue_full_of_what_no_worker_takes_serves_others(self):
        self.start_queue(OURS)
        worker = self.socket(zmq.DEALER, connect=self.workers)
        worker.send(b"\x01")
        flood = self.socket(zmq.DEALER)
        flood.sndhwm = 0
        flood.connect(self.clients)
        for _ in range(1500):
            flood.send_multipart([b"", b"two", b"parts"])
        for gone in (False, True):
            if gone:
                flood.close()
            client = self.socket(zmq.REQ, connect=self.clients)
            for _ in range(3):
                client.send(b"one part")
                while (request := self.receive(worker)) == [b"\x02"]:
                    pass
                worker.send_multipart(request)
                self.assertEqual(self.receive(client), [b"one part"])

    def test_a_queue_says_why_requests_expire(self):
        queue = self.start(OURS, "ppqueue", bind=self.clients, workers=self.workers, expiry=100,
                           heartbeat=10_000)
        client = self.socket(zmq.DEALER, connect=self.clients)
        client.send_multipart([b"", b"one"])
        self.assertEqual(queue.await_line("W: requests expired"),
                         "W: requests expired: 1; no worker is there: start one")
        worker = self.socket(zmq.DEALER, connect=self.workers)
        worker.send(b"\x01")
        client.send_multipart([b"", b"one"])
        worker.send_multipart(self.receive(worker))
        self.assertEqual(self.receive(client), [b"", b"one"])
        client.send_multipart([b"", b"two", b"parts"])
        self.assertIn("no worker takes bodies of several parts", queue.await_line("W: requests expired"))


class FreelanceTest(GuideCase):
    @pairings("server", "client")
    def test_model_one_turns_to_the_second_when_the_first_is_dead(self, server, client):
        dead, at = reserve_endpoint(self), reserve_endpoint(self)
        serving = self.start(server, "flserver1", bind=at)
        self.assertEqual(serving.read_line(), f"I: echo service is ready at {at}")
        asking = self.start(client, "flclient1", connect=f"{dead},{at}", timeout=2000)
        for line in (f"I: trying echo service at {dead}...", f"W: no response from {dead}",
                     f"I: trying echo service at {at}...", "Service is running OK"):
            self.assertEqual(asking.read_line(), line)
        self.assertEqual(asking.wait(), 0)

    def test_model_one_tries_a_single_server_three_times(self):
        at = reserve_endpoint(self)
        client = self.start(OURS, "flclient1", connect=at, timeout=50)
        for _ in range(3):
            self.assertEqual(client.read_line(), f"I: trying echo service at {at}...")
            self.assertEqual(client.read_line(), f"W: no response from {at}, retrying...")
        self.assertEqual(client.wait(), 1)

    @pairings("server", "client")
    def test_model_two_is_not_delayed_by_a_dead_server(self, server, client):
        ends = [reserve_endpoint(self) for _ in range(3)]
        for at in ends[1:]:
            serving = self.start(server, "flserver2", bind=at)
            self.assertEqual(serving.read_line(), f"I: service is ready at {at}")
        # A client of the Guide spreads its requests over all queues, including that of the dead server.
        connect = ",".join(ends if client == OURS else ends[1:])
        asking = self.start(client, "flclient2", connect=connect, count=200)
        self.assertRegex(asking.read_line(), r"^Average round trip cost: \d+ usec$")
        self.assertEqual(asking.wait(), 0)

    def test_models_two_and_three_report_that_no_server_answers(self):
        for name in ("flclient2", "flclient3"):
            at = reserve_endpoint(self)
            client = self.start(OURS, name, connect=at, timeout=100)
            if name == "flclient3":
                self.assertEqual(client.read_line(), f"I: connecting to {at}...")
            self.assertEqual(client.read_line(), "E: name service not available, aborting")
            self.assertRegex(client.read_line(), r"^Average round trip cost: \d+ usec$")
            self.assertEqual(client.wait(), 1)

    @pairings("server", "client")
    def test_model_three(self, server, client):
        ends = [reserve_endpoint(self) for _ in range(3)]
        for at in ends:
            serving = self.start(server, "flserver3", bind=at)
            self.assertEqual(serving.read_line(), f"I: service is ready at {at}")
        for form in ("c", "py") if client == THEIRS else ("c",):
            asking = self.start(client, "flclient3", connect=",".join(ends), count=50, form=form)
            for at in ends:
                self.assertEqual(asking.read_line(), f"I: connecting to {at}...")
            self.assertRegex(asking.read_line(), r"^Average round trip cost: \d+ usec$")
            self.assertEqual(asking.wait(), 0)

    # FLP-5
    def test_model_three_turns_to_the_next_server_when_one_is_frozen(self):
        for server in (OURS, THEIRS):
            with self.subTest(f"{server} server"):
                ends = [reserve_endpoint(self) for _ in range(2)]
                serving = [self.start(server, "flserver3", bind=at) for at in ends]
                for one in serving:
                    one.read_line()
                serving[0].signal(signal.SIGSTOP)
                asking = self.start(OURS, "flclient3", connect=",".join(ends), count=100)
                asking.await_line("Average round trip cost")
                self.assertEqual(asking.wait(), 0)
                serving[0].signal(signal.SIGCONT)
                self.stop_all()

    # FLP-1, FLP-2, FLP-3, FLP-4
    def test_our_server_frame_by_frame(self):
        at = reserve_endpoint(self)
        server = self.start(OURS, "flserver3", bind=at)
        server.read_line()
        client = self.context.socket(zmq.ROUTER)
        self.addCleanup(client.close, 0)
        client.router_mandatory = True
        client.connect(at)
        name = at.encode()
        while True:
            try:
                client.send_multipart([name, b"PING"])
                break
            except zmq.ZMQError as fault:
                self.assertEqual(fault.errno, zmq.EHOSTUNREACH, "not connected yet")
                client.poll(10)
        self.assertTrue(client.poll(int(PATIENCE * 1000)))
        self.assertEqual(client.recv_multipart(), [name, b"PONG"])
        for control in (b"1", b"\x00\xff\x01 binary", b""):
            for empty in ([], [b""]):
                client.send_multipart([name, control, *empty, b"random name"])
                self.assertTrue(client.poll(int(PATIENCE * 1000)))
                self.assertEqual(client.recv_multipart(), [name, control, b"OK"])

    def test_v_shows_what_our_server_hears_and_says(self):
        at = reserve_endpoint(self)
        server = Program(self, [built("tools/guide/flserver3"), "--bind", at, "-v"])
        server.read_line()
        client = self.context.socket(zmq.DEALER)
        self.addCleanup(client.close, 0)
        client.connect(at)
        for frames in ([b"PING"], [b"1", b"random name"]):
            client.send_multipart(frames)
        for frames in (["[004] PING"], ["[004] PONG"], ["[001] 1", "[011] random name"], ["[001] 1", "[002] OK"]):
            self.assertEqual(server.read_line(), "-" * 38)
            self.assertRegex(server.read_line(), r"^\[005\] 00[0-9A-F]{8}$")
            self.assertEqual([server.read_line() for _ in frames], frames)

    # FLP-2, FLP-4
    def test_our_client_frame_by_frame(self):
        server = self.context.socket(zmq.ROUTER)
        self.addCleanup(server.close, 0)
        at = f"tcp://127.0.0.1:{server.bind_to_random_port('tcp://127.0.0.1')}"
        asking = self.start(OURS, "flclient3", connect=at, count=2)
        controls = []
        while len(controls) < 2:
            self.assertTrue(server.poll(int(PATIENCE * 1000)))
            client, *said = server.recv_multipart()
            self.assertEqual(client[:1], b"\x00", "it has named itself")
            if said == [b"PING"]:
                server.send_multipart([client, b"PONG"])
                continue
            control, body = said
            self.assertEqual(body, b"random name")
            controls.append(control)
            # The client ignores an answer to a call that was answered.
            for answered in (*controls, *controls):
                server.send_multipart([client, answered, b"OK"])
        self.assertEqual([len(control) for control in controls], [16, 16])
        self.assertEqual(controls[0][:8], controls[1][:8])
        self.assertNotEqual(controls[0], controls[1])
        asking.await_line("Average round trip cost")
        self.assertEqual(asking.wait(), 0)

    def test_a_program_without_arguments_prints_its_syntax(self):
        for name, argument in (("flserver1", "<endpoint>"), ("flserver2", "<endpoint>"),
                               ("flclient1", "<endpoint> ..."), ("flclient2", "<endpoint> ...")):
            program = self.start(OURS, name)
            self.assertRegex(program.read_line(), f"^I: syntax: .*{name} {argument}$")
            self.assertEqual(program.wait(), 0)

    def test_each_program_says_how_it_is_used(self):
        for name in ("lpserver", "lpclient", "spqueue", "spworker", "ppqueue", "ppworker", "flserver1", "flclient1",
                     "flserver2", "flclient2", "flserver3", "flclient3"):
            done = subprocess.run([built(f"tools/guide/{name}"), "--help"], text=True, capture_output=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertIn("ENDPOINT", done.stdout)

    def test_a_malformed_endpoint_is_rejected(self):
        for name in ("flserver1", "flserver3", "lpserver", "lpclient", "spqueue", "ppworker", "flclient3"):
            program = self.start(OURS, name, **{
                "connect" if "client" in name or "worker" in name else "bind": "nowhere"})
            self.assertEqual(program.wait(), 2)

    def test_servers_say_when_they_are_interrupted(self):
        for name in ("flserver1", "flserver2", "flserver3"):
            server = self.start(OURS, name, bind=reserve_endpoint(self))
            server.read_line()
            server.signal(signal.SIGINT)
            self.assertEqual(server.read_line(), "W: interrupted")
            self.assertEqual(server.wait(), 0)


if __name__ == "__main__":
    unittest.main()

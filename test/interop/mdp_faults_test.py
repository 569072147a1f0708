#!/usr/bin/python3
"""Tests 22 to 26 of the reliability plan: workers, brokers and clients fail all the time.

The short form takes seconds. A part of the long form takes about ten minutes. Five parts are a full test.
"""

import collections
import os
import random
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from interop_case import InteropCase, long_run, numbers, seed  # noqa: E402: behind the line above
from guide_peers import CLIENT, CLIENT_COMMANDS, PATIENCE, Client, Timeout  # noqa: E402
from zinc_programs import Broker, Program, reserve_endpoint, start_request  # noqa: E402
from zmtp_wire import Connection, greeting, message, ready  # noqa: E402
import zmq  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = b"echo"
LONG = long_run()


class FaultCase(InteropCase):
    def setUp(self):
        super().setUp()
        self.requesters = {}

    def mmi(self, endpoint, service, *body):
        if endpoint not in self.requesters:
            self.requesters[endpoint] = self.client(endpoint, "0.2")
        return self.requesters[endpoint].request(service, *body)

    def state_of_broker(self, endpoint):
        code, report = self.mmi(endpoint, b"mmi.broker", b"")
        self.assertEqual(code, b"200")
        return numbers(report)

    def state_of_service(self, endpoint, service):
        # Names in their order, from the first behind this one without its last byte.
        listed = self.mmi(endpoint, b"mmi.services", service[:-1])
        self.assertEqual(listed[0], b"200")
        return numbers(dict(zip(listed[1::2], listed[2::2]))[service])


class Ledger:
    """Workers in processes of their own, one of which is killed and replaced again and again."""

    def __init__(self, test, endpoint, milliseconds, count):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "ledger"
        self.program = Program(
            test, [sys.executable, str(Path(__file__).resolve().parent / "ledger_workers.py"), endpoint,
                   SERVICE.decode(), str(self.path), str(milliseconds)], stdin=-1)
        test.addCleanup(self.program.process.stdin.close)
        self.workers = []
        self.kills = 0
        self.random = random.Random(seed(22))
        for _ in range(count):
            self.start()

    def start(self):
        self.program.process.stdin.write(VERSIONS[self.random.randrange(2)].encode() + b"\n")
        self.workers.append(int(self.program.read_line()))

    def kill_one(self):
        os.kill(self.workers.pop(self.random.randrange(len(self.workers))), signal.SIGKILL)
        self.kills += 1
        self.start()

    def executions(self):
        """How often each request was executed, or begun."""
        return collections.Counter(self.path.read_bytes().splitlines())


class WorkersKilledTest(FaultCase):
    SECONDS = 120 if LONG else 3
    KILL_EVERY = 0.1
    WORKERS = 8
    MILLISECONDS = 10  # for one request

    def test_an_idempotent_service_answers_every_request_once(self):  # D1, D2, D3
        """Test 22."""
        broker = self.start_broker("--service", f"{SERVICE.decode()}:attempts=100")
        ledger = Ledger(self, broker.endpoint, self.MILLISECONDS, self.WORKERS)
        clients = [self.client(broker.endpoint, VERSIONS[i % 2]) for i in range(50)]
        poller = zmq.Poller()
        asked = {}
        answered = 0

        def ask(i):
            asked[i] = b"%d/%d" % (i, answered)
            clients[i].send(SERVICE, asked[i])

        by_socket = {}
        for i, client in enumerate(clients):
            poller.register(client.socket, zmq.POLLIN)
            by_socket[client.socket] = i
            ask(i)
        begin = next_kill = time.monotonic()
        resident = None
        while True:
            now = time.monotonic()
            over = now > begin + self.SECONDS
            if not over and now > next_kill:
                next_kill += self.KILL_EVERY
                ledger.kill_one()
            if resident is None and now > begin + self.SECONDS / 3:
                resident = broker.resident_bytes()
            ready_ones = poller.poll(PATIENCE * 1000 if over else 10)
            if over and not ready_ones:
                raise Timeout(f"not answered: {sorted(asked.values())}")
            for socket, _ in ready_ones:
                i = by_socket[socket]
                self.assertEqual(clients[i].receive_reply(), (True, SERVICE, [asked.pop(i)]))
                answered += 1
                if not over:
                    ask(i)
            if not asked:
                break
        # Nothing comes behind the last reply.
        for client in clients:
            self.assertEqual(client.request(b"mmi.x", b"x"), [b"501"])
        executions = ledger.executions()
        self.assertEqual(len(executions), answered)
        self.assertLessEqual(sum(executions.values()), answered + ledger.kills)
        # A busy machine starts fewer workers in the seconds of the short form.
        self.assertGreater(ledger.kills, self.SECONDS / self.KILL_EVERY / 4 if LONG else 0)
        self.assertGreater(sum(executions.values()), len(executions), "no request was lost")
        self.assertLess(broker.resident_bytes() - resident, 8 * 1024 * 1024)
        state = self.state_of_broker(broker.endpoint)
        self.assertEqual((state["exhausted"], state["waiting"], state["working"]), (0, 0, 0))
        print(f"{answered} requests, {sum(executions.values())} executions, {ledger.kills} kills")

    def test_a_service_that_is_not_carries_none_out_twice(self):  # D1, D2, D3
        """Test 23. The clients understand errors, so that each request ends in one way or the other."""
        broker = self.start_broker("--service", f"{SERVICE.decode()}:idempotent=false")
        ledger = Ledger(self, broker.endpoint, self.MILLISECONDS, self.WORKERS)
        ended = threading.Event()
        outcomes = {}
        faults = []

        def ask_again_and_again(i):
            try:
                client = ClientOfErrors(broker)
                count = 0
                while not ended.is_set():
                    body = b"%d/%d" % (i, count)
                    outcomes[body] = client.request(SERVICE, body)
                    count += 1
                client.connection.close()
            except Exception as fault:  # the test's thread reports it
                faults.append(fault)

        threads = [threading.Thread(target=ask_again_and_again, args=(i,)) for i in range(20)]
        for thread in threads:
            thread.start()
        try:
            end = time.monotonic() + self.SECONDS
            while time.monotonic() < end and not faults:
                time.sleep(self.KILL_EVERY)  # the rate of the kills: nothing is waited for
                ledger.kill_one()
        finally:
            ended.set()
            for thread in threads:
                thread.join(2 * PATIENCE)
        self.assertEqual(faults, [])
        executions = ledger.executions()
        self.assertEqual([body for body, count in executions.items() if count > 1], [])
        unknown = 0
        for body, outcome in outcomes.items():
            if outcome == ("mmi.error", [b"502", b"unknown", SERVICE]):
                unknown += 1
            else:
                self.assertEqual(outcome, (SERVICE.decode(), [body]))
                self.assertEqual(executions[body], 1)
        self.assertGreater(unknown, 0)
        self.assertLessEqual(unknown, ledger.kills)
        state = self.state_of_service(broker.endpoint, SERVICE)
        self.assertEqual((state["requests"], state["exhausted"], state["errors"], state["requeued"]),
                         (len(outcomes), unknown, unknown, 0))
        print(f"{len(outcomes)} requests, {unknown} unknown, {ledger.kills} kills")


class ClientOfErrors:
    """A 0.2 client, byte by byte, that announces that it understands errors."""

    def __init__(self, broker):
        self.connection = Connection.to(broker.port)
        self.connection.send(greeting() + ready((b"Socket-Type", b"DEALER"), (b"Identity", b""),
                                                (b"X-Zinc", b"mdp-errors")))
        self.connection.read(64)
        self.connection.read_frame()

    def request(self, service, *body):
        """The service that the reply is of, and its body."""
        self.connection.send(message(CLIENT["0.2"], CLIENT_COMMANDS["request"], service, *body))
        header, command, name, *reply = self.connection.read_message()
        assert (header, command) == (CLIENT["0.2"], CLIENT_COMMANDS["final"]), (header, command)
        return name.decode(), reply


class ErrorsTest(FaultCase):
    def test_are_sent_to_a_client_that_announces_errors(self):  # M6
        broker = self.start_broker("--unserved-timeout", "100ms")
        client = ClientOfErrors(broker)
        self.addCleanup(client.connection.close)
        self.assertEqual(client.request(b"nobody", b"x"),
                         ("mmi.error", [b"404", b"refused", b"nobody"]))

    def test_are_not_sent_to_other_clients(self):
        broker = self.start_broker("--unserved-timeout", "100ms")
        for version in VERSIONS:
            client = self.client(broker.endpoint, version)
            client.send(b"nobody", b"x")
            end = time.monotonic() + PATIENCE
            while self.state_of_broker(broker.endpoint)["expired"] == VERSIONS.index(version):
                self.assertLess(time.monotonic(), end)
            self.assertEqual(client.request(b"mmi.x", b"x"), [b"501"])


class RawAddressTest(FaultCase):
    def test_is_that_of_the_client_as_with_the_guides_broker(self):
        broker = self.start_broker("--service", "raw:raw_client_address=true")
        client = self.client(broker.endpoint, "0.1", routing_id=b"a client")
        worker = self.worker(broker.endpoint, b"raw", "0.1")
        for _ in range(3):
            client.send(b"raw", b"x")
            request = worker.receive_request()
            self.assertEqual(request.address, b"a client")
            worker.reply(request.address, b"y")
            self.assertEqual(client.receive_reply().body, [b"y"])


class Crowd(threading.Thread):
    """Many workers in one thread, which send heartbeats and hold their requests until the test lets them
    answer."""

    def __init__(self, test, endpoint, services, interval):
        super().__init__(daemon=True)
        self.interval = interval
        self.workers = [test.worker(endpoint, service, VERSIONS[i % 2])
                        for i, service in enumerate(services)]
        self.sent_away = 0
        self.holding = 0
        self.answering = threading.Event()
        self.stopped = threading.Event()
        self.start()
        test.addCleanup(self.stop)

    def run(self):
        poller = zmq.Poller()
        by_socket = {worker.socket: worker for worker in self.workers}
        for socket in by_socket:
            poller.register(socket, zmq.POLLIN)
        held = []
        told = time.monotonic()
        while not self.stopped.is_set():
            for socket, _ in poller.poll(20):
                command = by_socket[socket].receive()
                if command.name == "disconnect":
                    self.sent_away += 1
                elif command.name == "request":
                    held.append((by_socket[socket], command))
                    self.holding = len(held)
            if self.answering.is_set():
                for worker, command in held:
                    worker.reply(command.address, *command.body)
                held.clear()
            if time.monotonic() - told > self.interval:
                told = time.monotonic()
                for worker in self.workers:
                    worker.command("heartbeat")

    def stop(self):
        self.stopped.set()
        self.join(PATIENCE)


class BrokerStoppedTest(FaultCase):
    def test_loses_no_worker_and_answers_what_has_gathered(self):  # M4
        """Test 24."""
        half, interval, liveness, stop = (250, 2.5, 3, 10) if LONG else (30, 0.3, 10, 4)
        broker = self.start_broker("--heartbeat", f"{int(interval * 1000)}ms", "--liveness",
                                   str(liveness))
        crowd = Crowd(self, broker.endpoint, [b"busy", b"idle"] * half, interval)
        clients = [self.client(broker.endpoint, VERSIONS[i % 2]) for i in range(half)]
        for client in clients:
            client.send(b"busy", b"before")
        end = time.monotonic() + 2 * PATIENCE
        while crowd.holding < half or self.state_of_broker(broker.endpoint)["workers"] < 2 * half:
            self.assertLess(time.monotonic(), end)
        broker.signal(signal.SIGSTOP)
        self.addCleanup(broker.signal, signal.SIGCONT)
        gathering = time.monotonic()
        for client in clients:
            client.send(b"busy", b"meanwhile")
        while time.monotonic() < gathering + stop:
            self.assertIsNone(clients[0].receive(0.1))
        broker.signal(signal.SIGCONT)
        goes_on = time.monotonic()
        crowd.answering.set()
        for body in (b"before", b"meanwhile"):
            for client in clients:
                self.assertEqual(client.receive_reply().body, [body])
        cleared = time.monotonic() - goes_on
        print(f"backlog cleared in {cleared:.2f} s")
        if LONG:
            self.assertLessEqual(cleared, 2)
        # The broker checks the workers, and keeps them.
        while time.monotonic() < goes_on + (liveness + 1) * interval:
            self.assertIsNone(clients[0].receive(0.1))
        state = self.state_of_broker(broker.endpoint)
        self.assertEqual((state["workers"], state["workers_expired"], state["requeued"]),
                         (2 * half, 0, 0))
        self.assertEqual(state["workers_registered"], 2 * half)
        self.assertEqual(crowd.sent_away, 0)


class IsolationTest(FaultCase):
    """Test 25."""

    def latencies(self, client, count):
        taken = []
        for i in range(count):
            begin = time.monotonic()
            self.assertEqual(client.request(SERVICE, b"%d" % i), [b"%d" % i])
            taken.append(time.monotonic() - begin)
        return sorted(taken)

    def test_a_stuck_service_and_a_flooding_client_leave_room_for_others(self):  # M5, D4
        stuck, count = (100, 5_000) if LONG else (10, 300)
        broker = self.start_broker()
        for version in VERSIONS:
            self.start_worker(broker.endpoint, SERVICE.decode(), version)
        modest = self.client(broker.endpoint, "0.1")
        quiet = self.latencies(modest, count)
        holder = self.worker(broker.endpoint, b"stuck", "0.2")
        for _ in range(stuck):
            client = self.client(broker.endpoint, "0.2")
            for i in range(1_000):
                client.send(b"stuck", b"%d" % i)
        holder.receive_request()
        end = time.monotonic() + 2 * PATIENCE
        while self.state_of_service(broker.endpoint, b"stuck")["waiting"] < stuck * 1_000 - 1:
            self.assertLess(time.monotonic(), end)
        beside_stuck = self.latencies(modest, count)
        # All limits hold. Clients of other services do not wait.
        state = self.state_of_broker(broker.endpoint)
        self.assertEqual(state["paused_clients"], stuck)
        self.assertEqual(state["waiting"] + state["working"], stuck * 1_000)

        # One client floods the service, beside ten that send one request after the other.
        flooding = threading.Event()
        flood = threading.Thread(target=self.flood, args=(broker.endpoint, flooding))
        flood.start()
        try:
            end = time.monotonic() + PATIENCE
            while self.state_of_service(broker.endpoint, SERVICE)["waiting"] < 500:
                self.assertLess(time.monotonic(), end)
            beside_flood = self.latencies(modest, count)
            # The quota of 1,000, and the requests that the broker had read by then.
            self.assertLess(self.state_of_service(broker.endpoint, SERVICE)["waiting"], 3_000)
        finally:
            flooding.set()
            flood.join(PATIENCE)
        at = int(count * 0.99) - 1
        print(f"p99: {quiet[at] * 1e6:.0f} µs, beside a stuck service {beside_stuck[at] * 1e6:.0f} µs, "
              f"beside a client that floods the same service {beside_flood[at] * 1e6:.0f} µs")
        if LONG:
            self.assertLess(beside_stuck[at], 1.5 * quiet[at])

    @staticmethod
    def flood(endpoint, stopped):
        client = Client(zmq.Context.instance(), endpoint, "0.2")
        client.socket.sndtimeo = 100
        while not stopped.is_set():
            try:
                for _ in range(100):
                    client.send(SERVICE, b"flood")
            except zmq.Again:
                pass
            while client.receive(0) is not None:
                pass
        client.close()


class BrokerKilledAgainTest(FaultCase):
    KILLS, EVERY = (4, 30) if LONG else (3, 1.5)

    def test_workers_come_back_and_all_calls_end(self):
        """Test 26."""
        kills, every = self.KILLS, self.EVERY
        at = reserve_endpoint(self)
        broker = Broker(self, at=at)
        for i, version in enumerate(VERSIONS):
            self.start_worker(at, f"ours{i}", version, "--heartbeat", "200ms", "--liveness", "5")
            self.echo_worker(at, b"theirs%d" % i, version, 0.2, 5)
        services = ["ours0", "ours1", "theirs0", "theirs1"]
        stopped = threading.Event()
        ends = collections.Counter()
        faults = []

        def ask_like_the_guide(i):
            """Lazy Pirate: a new socket after each failed attempt."""
            try:
                client = Client(self.context, at, VERSIONS[i % 2])
                while not stopped.is_set():
                    service = services[i % 4].encode()
                    for _ in range(20):
                        client.send(service, b"x")
                        reply = client.receive(0.5)
                        if reply is not None:
                            assert reply == (True, service, [b"x"]), reply
                            ends["answered"] += 1
                            break
                        client.close()
                        client = Client(self.context, at, VERSIONS[i % 2])
                    else:
                        ends["given up"] += 1
                client.close()
            except Exception as fault:  # the test's thread reports it
                faults.append(fault)

        threads = [threading.Thread(target=ask_like_the_guide, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        slowest = 0
        try:
            for _ in range(kills):
                calls = [start_request(self, at, service, VERSIONS[i % 2], "--count", "100000",
                                       "--in-flight", "4", "--timeout", "500ms", "--attempts", "20",
                                       "--idempotent")
                         for i, service in enumerate(services)]
                # Asked until the broker is killed, and beyond.
                end = time.monotonic() + every
                while time.monotonic() < end:
                    self.assertEqual(self.client(at, "0.2").request(b"mmi.x", b"x"), [b"501"])
                    time.sleep(every / 10)  # the rate of the kills: nothing is waited for
                broker.kill()
                broker = Broker(self, at=at)
                back = time.monotonic()
                requester = self.client(at, "0.2")
                for service in services:
                    while requester.request(b"mmi.service", service.encode()) != [b"200"]:
                        self.assertLess(time.monotonic(), back + PATIENCE, f"{service} is not back")
                slowest = max(slowest, time.monotonic() - back)
                for call in calls:
                    call.signal(signal.SIGINT)
                    self.assertIn(call.wait(), (0, 1))
        finally:
            stopped.set()
            for thread in threads:
                thread.join(2 * PATIENCE)
        self.assertEqual(faults, [])
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(ends["given up"], 0)
        self.assertGreater(ends["answered"], kills)
        if LONG:
            self.assertLessEqual(slowest, 3)
        print(f"{ends['answered']} calls, workers back in {slowest:.2f} s at most")
        self.assertEqual(broker.stop(), 0)


if __name__ == "__main__":
    unittest.main()

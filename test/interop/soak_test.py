#!/usr/bin/python3
"""Test 32 of the reliability plan: Majordomo, Titanic, the clustered hashmap and a proxy run for long while connections
are reset, links stall, and processes are killed, paused and started again.

The short form has ten faults. A part of the long form takes 15 minutes. 32 parts, which are 8 hours, are a full test.
"""

import collections
import itertools
import json
import random
import subprocess
import sys
import threading
import time
import unittest
import uuid

sys.dont_write_bytecode = True
from chp_pair import Pair  # noqa: E402: behind the line above
from guide_peers import Client, EchoWorker  # noqa: E402
from interop_case import long_run, numbers, seed  # noqa: E402
from tcp_relay import Relay  # noqa: E402
from titanic_case import TitanicCase  # noqa: E402
from zinc_programs import Program, request_arguments, reserve_endpoint, zinc_path  # noqa: E402
import zmq  # noqa: E402

LONG = long_run()
FAULTS, EVERY, STALL = (90, 10.0, 3.0) if LONG else (10, 1.0, 0.3)  # seconds
HEARTBEAT = 200  # milliseconds
LIVENESS = 5
PATIENCE = 60.0  # for everything that has to come once the faults are over
ATTEMPT = 2.0  # how long a client waits for a reply before it asks again
PAUSE = 0.2 if LONG else 0.05  # seconds between the requests of one client: a rate, nothing is waited for
MIB = 1024 * 1024
WORK = PAUSE  # seconds of each request, so that faults strike requests in progress
PROGRAM_PAUSE = 0.5 if LONG else 0.2  # the same for programs: each has connections of its own
VERSIONS = ("0.1", "0.2")


class Traffic(threading.Thread):
    """Calls `step(number)` with 0, 1, … until stop() was called and a last step has begun after that. An
    exception ends the thread, and the test's thread reports it."""

    def __init__(self, step, pause=PAUSE):
        super().__init__(daemon=True)
        self.step, self.pause = step, pause
        self.fault = None
        self.steps = 0
        self.latencies = []
        self.stopped = threading.Event()
        self.start()

    def run(self):
        last = False
        try:
            while not last:
                last = self.stopped.is_set()
                begin = time.monotonic()
                self.step(self.steps)
                self.latencies.append(time.monotonic() - begin)
                self.steps += 1
                self.stopped.wait(self.pause)
        except BaseException as fault:
            self.fault = fault

    def p99(self, quarter):
        """In milliseconds, of one of the four quarters of the steps."""
        size = max(1, len(self.latencies) // 4)
        part = sorted(self.latencies[quarter * size:(quarter + 1) * size])
        return part[int(len(part) * 0.99) - 1] * 1e3 if part else 0.0


class Requester:
    """Asks one request after the other. A client without a reply in time is replaced by another one, so that no reply
    comes late. The connections are kept: each one that is closed takes a port for a minute."""

    def __init__(self, test, version):
        self.test, self.version = test, version
        self.client = None

    def ask_once(self, service, *body):
        """The body of the reply, or None."""
        if self.client is None:
            self.client = Client(self.test.context, self.test.clients_at, self.version)
        self.client.send(service, *body)
        reply = self.client.receive(ATTEMPT)
        if reply is None:
            self.client.close()
            self.client = None
            return None
        assert reply.final and reply.service == service, reply
        return reply.body

    def ask(self, service, *body):
        """The body of the reply. It asks until there is one."""
        end = None
        while (reply := self.ask_once(service, *body)) is None:
            self.test.count("asked again")
            if self.test.faults_over.is_set():
                end = end or time.monotonic() + PATIENCE
                assert time.monotonic() < end, f"no reply from {service} to {body}"
        return reply


class SoakTest(TitanicCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(seed(32))
        self.faults_over = threading.Event()
        self.relays = {}  # by name
        self.programs = {}  # name -> (stop and start again, the current process)
        self.traffic = {}
        self.done = collections.Counter()
        self.counting = threading.Lock()

    def relay(self, name, port, count=1):
        """A relay to this port, that faults are drawn for."""
        self.relays[name] = Relay(self, port, count)
        return self.relays[name].port

    def keep(self, name, start):
        """A process that faults are drawn for: `start` starts it each time."""
        def again():
            self.programs[name] = start(), again
        again()

    def count(self, what):
        with self.counting:
            self.done[what] += 1

    # One step of each kind of traffic.

    def start_majordomo(self):
        self.broker = self.start_broker("--heartbeat", f"{HEARTBEAT}ms", "--liveness", str(LIVENESS),
                                        "--service", "echo:attempts=100",
                                        "--service", "once:idempotent=false")
        self.clients_at = f"tcp://127.0.0.1:{self.relay('clients', self.broker.port)}"
        workers_at = f"tcp://127.0.0.1:{self.relay('workers', self.broker.port)}"
        for version in VERSIONS:
            self.keep(f"worker {version}", lambda version=version: Program(self, [
                zinc_path(), "worker", "--connect", workers_at, "--service", "echo", "--mdp", version,
                "--heartbeat", f"{HEARTBEAT}ms", "--liveness", str(LIVENESS), "--delay", f"{int(WORK * 1000)}ms"]))
        self.executed = []
        worker = EchoWorker(self.context, workers_at, b"once", "0.2", HEARTBEAT / 1e3, LIVENESS, self.execute)
        self.addCleanup(worker.stop)
        for i in range(3):
            requester = Requester(self, VERSIONS[i % 2])
            self.traffic[f"request {i}"] = Traffic(lambda n, i=i, by=requester: self.request_step(by, i, n))
        self.outcomes = {}
        for service in ("echo", "once"):
            self.traffic[f"zinc request {service}"] = Traffic(
                lambda n, service=service: self.program_step(service, n), PROGRAM_PAUSE)

    def execute(self, body):
        self.executed.append(body[0])
        time.sleep(WORK)  # the work: nothing is waited for
        return body

    def request_step(self, requester, i, n):
        body = b"request %d/%d" % (i, n)
        self.assertEqual(requester.ask(b"echo", body), [body])
        self.count("requests answered")

    def program_step(self, service, n):
        """Makes one request of the program. The program ends with its own reply, or prints an error."""
        body = f"{service} {n}"
        repeat = ["--idempotent"] if service == "echo" else []
        done = subprocess.run(
            request_arguments(self.clients_at, service, "0.2", "--timeout", f"{int(ATTEMPT * 1000)}ms", "--attempts",
                              "20", *repeat, body),
            text=True, capture_output=True, timeout=20 * ATTEMPT + PATIENCE, check=False)
        if done.returncode == 0:
            self.assertEqual(done.stdout.splitlines(), [body])
        else:
            # Not sent, no answer, or unknown.
            self.assertIn(done.returncode, (1, 4, 5), done.stderr)
            self.assertEqual(done.stdout, "", done.stderr)
            self.assertTrue(done.stderr, "the error is not printed")
        self.outcomes[body] = done.returncode
        self.count(f"zinc request {service}: " + ("failed" if done.returncode else "answered"))

    def start_durable(self):
        at = f"tcp://127.0.0.1:{self.relay('titanic', self.broker.port)}"
        self.keep("titanic", lambda: self.start_titanic(at, "--heartbeat", f"{HEARTBEAT}ms", "--attempts", "1000000",
                                                        "--timeout", "1s")[0])
        self.acknowledged = {}  # id -> body
        self.maybe_stored = 0
        for i in range(2):
            requester = Requester(self, VERSIONS[i])
            self.traffic[f"durable {i}"] = Traffic(lambda n, i=i, by=requester: self.durable_step(by, i, n))

    def durable_step(self, requester, i, n):
        """The first one lets Titanic choose the id, and cannot ask again: that would be another request."""
        body = b"durable %d/%d" % (i, n)
        if i == 0:
            reply = requester.ask_once(b"titanic.request", b"echo", body)
            if reply in (None, [b"500"]):
                self.maybe_stored += 1
                return
            self.assertEqual(reply[0], b"200")
            name = reply[1]
        else:
            name = uuid.uuid4().hex.upper().encode()
            while (reply := requester.ask(b"titanic.submit", name, b"echo", body)) == [b"500"]:
                self.count("titanic 500")
            self.assertEqual(reply, [b"200", name])
        self.assertNotIn(name, self.acknowledged)
        self.acknowledged[name] = body
        self.expect_answered(requester, name)
        self.count("durable requests answered")

    def expect_answered(self, requester, name):
        end = None
        while (reply := requester.ask(b"titanic.reply", name)) == [b"300"]:
            if self.faults_over.is_set():
                end = end or time.monotonic() + PATIENCE
                self.assertLess(time.monotonic(), end, f"{name} is not answered")
            time.sleep(0.01)
        self.assertEqual(reply, [b"200", self.acknowledged[name]])

    def start_map(self):
        self.pair = Pair(self, HEARTBEAT, relayed=True, stored=True)
        for index in range(2):
            self.relays[f"link {index}"] = self.pair.links[index]
            self.keep(f"chp {index}", lambda index=index: self.start_chp(index))
        self.servers = [word for index in range(2) for word in
                        ("--connect", f"tcp://127.0.0.1:{self.relay(f'map {index}', self.pair.ports[index], 3)}")]
        self.committed = {}
        self.watching = Program(self, [zinc_path(), "chp", "watch", "--json", "--heartbeat", f"{HEARTBEAT}ms",
                                       *self.servers])
        self.watched = {}
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()
        self.traffic["map"] = Traffic(self.map_step, PROGRAM_PAUSE)

    def start_chp(self, index):
        if not self.pair.nodes[index].running():
            self.pair.start(index)
        return self.pair.nodes[index]

    def chp(self, *words):
        return subprocess.run([zinc_path(), "chp", *words, "--json", "--heartbeat", f"{HEARTBEAT}ms"], text=True,
                              capture_output=True, timeout=2 * PATIENCE, check=False)

    def update(self, key, value):
        """Returns what zinc reports of the update once it is committed, or None if that is unknown."""
        done = self.chp("set", key, value, *self.servers, "--timeout", "30s")
        if done.returncode:
            self.assertIn(done.returncode, (1, 4, 5), done.stderr)
            self.assertTrue(done.stderr, "the error is not printed")
            return None
        return json.loads(done.stdout)

    def map_step(self, n):
        key, value = f"/key/{n}", f"value {n}"
        if self.update(key, value) is not None:
            self.committed[key] = value
            self.count("updates committed")
        else:
            self.count("updates without a known outcome")

    def watch(self):
        for line in self.watching.process.stdout:
            change = json.loads(line)
            self.watched[change["key"]] = change.get("value")

    def dump(self, *servers):
        done = self.chp("dump", "/key/", *servers, "--timeout", f"{int(PATIENCE * 1000)}ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        entries = [json.loads(line) for line in done.stdout.splitlines()]
        return {entry["key"]: entry["value"] for entry in entries}

    def start_proxy(self):
        ends = [reserve_endpoint(self) for _ in range(2)]
        front, back = (f"tcp://127.0.0.1:{self.relay(name, int(end.rsplit(':', 1)[1]))}"
                       for name, end in zip(("proxy's front", "proxy's back"), ends))

        def start():
            proxy = Program(self, [zinc_path(), "proxy", "forwarder", "--frontend", ends[0], "--backend", ends[1]])
            proxy.read_line()
            return proxy
        self.keep("proxy", start)
        self.publisher, self.subscriber = self.context.socket(zmq.PUB), self.context.socket(zmq.SUB)
        for one in (self.publisher, self.subscriber):
            one.reconnect_ivl = 20
            one.reconnect_ivl_max = 500
            one.linger = 0
        self.subscriber.subscribe(b"")
        self.publisher.connect(front)
        self.subscriber.connect(back)
        self.heard = -1
        self.traffic["proxy"] = Traffic(self.publish_step, 0.01)

    def publish_step(self, n):
        """Messages arrive in order and at most once; resets lose some. The last one must arrive: the step sends
        until one is received."""
        self.publisher.send(b"%d" % n)
        while self.subscriber.poll(0):
            number = int(self.subscriber.recv())
            self.assertGreater(number, self.heard)
            self.heard = number
            self.count("messages through the proxy")

    # The faults.

    def stall(self, name):
        relay = self.relays[name]
        to_target, to_peer = self.random.choice(((True, True), (True, False), (False, True)))
        relay.cut(to_target, to_peer)
        self.stand_still()
        relay.heal()

    def stand_still(self):
        time.sleep(self.random.uniform(0, STALL))  # how long the fault lasts: nothing is waited for

    def kill(self, name):
        program, again = self.programs[name]
        program.kill()
        self.stand_still()
        again()

    def suspend(self, name):
        program = self.broker if name == "broker" else self.programs[name][0]
        program.suspend()
        self.stand_still()
        program.resume()

    def draw(self):
        """Yields faults without end, and their targets. Each fault comes once before any comes again."""
        all_of_them = [*itertools.product(("reset", "stall"), self.relays),
                       *itertools.product(("kill", "suspend"), self.programs), ("suspend", "broker")]
        while True:
            yield from self.random.sample(all_of_them, len(all_of_them))

    def cause_faults(self):
        """Returns the resources of the broker after each fault: bytes and descriptors."""
        used = []
        next_fault = time.monotonic()
        for kind, name in itertools.islice(self.draw(), FAULTS):
            next_fault += EVERY
            while (left := next_fault - time.monotonic()) > 0:
                time.sleep(min(left, EVERY))  # the rate of the faults: nothing is waited for
            print(f"{kind} {name}", flush=True)
            self.count(kind)
            if kind == "reset":
                self.relays[name].reset()
            else:
                getattr(self, kind)(name)
            self.expect_no_fault()
            used.append((self.broker.resident_bytes(), self.broker.open_files()))
        self.faults_over.set()
        return used

    def expect_no_fault(self):
        for name, one in self.traffic.items():
            if one.fault:
                raise AssertionError(name) from one.fault
        self.assertTrue(self.broker.running())

    # Checks at the end that everything is served again, and that the ledger agrees.

    def expect_all_served(self):
        for one in self.traffic.values():
            one.stopped.set()
        for name, one in self.traffic.items():
            one.join(4 * PATIENCE)
            self.expect_no_fault()
            self.assertFalse(one.is_alive(), f"{name} does not end")
        code, lines, _ = self.run_program("echo", "at last")
        self.assertEqual((code, lines), (0, ["at last"]))
        code, lines, _ = self.run_program("once", "the last")
        self.assertEqual((code, lines), (0, ["the last"]))
        self.executed.remove(b"the last")

    def run_program(self, service, body):
        done = subprocess.run(
            request_arguments(self.clients_at, service, "0.2", "--timeout", f"{int(PATIENCE * 1000)}ms", body),
            text=True, capture_output=True, timeout=2 * PATIENCE, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def expect_requests(self):
        executions = collections.Counter(self.executed)
        self.assertEqual({body: count for body, count in executions.items() if count > 1}, {})
        for body, code in self.outcomes.items():
            if body.startswith("once") and code == 0:
                self.assertEqual(executions[body.encode()], 1, body)
        for service in ("echo", "once"):
            self.assertGreater(self.done[f"zinc request {service}: answered"], 0)

    def expect_durable(self):
        client = self.client(self.clients_at, "0.2")
        end = time.monotonic() + PATIENCE
        while True:
            code, report = client.request(b"mmi.broker", b"")
            state = numbers(report)
            if (code, state["waiting"], state["working"]) == (b"200", 0, 0):
                break
            self.assertLess(time.monotonic(), end, state)
            time.sleep(0.01)
        for name, body in self.acknowledged.items():
            self.assertEqual(client.request(b"titanic.reply", name), [b"200", body])
            self.assertEqual(client.request(b"titanic.close", name), [b"200"])
            self.assertEqual(client.request(b"titanic.reply", name), [b"400"])
        code, report, *_ = client.request(b"mmi.titanic", b"")
        self.assertEqual(code, b"200")
        self.assertLessEqual(numbers(report)["requests"], self.maybe_stored)
        self.assertEqual(self.done["durable requests answered"], len(self.acknowledged))

    def expect_maps(self):
        """The active server has each committed update, and so has its peer when the peer is alone."""
        self.commit_by_both()
        first = self.dump(*self.servers)
        self.assertEqual({key: first.get(key) for key in self.committed}, self.committed)
        for _ in range(2):
            active = self.pair.wait_for_one_active(PATIENCE)
            self.pair.kill(active)
            self.assertEqual(self.dump(*self.servers), first)
            self.pair.start(active)
            self.commit_by_both()
        end = time.monotonic() + PATIENCE
        while {key: self.watched.get(key) for key in first} != first:
            self.assertLess(time.monotonic(), end, "the watcher has another map")
            time.sleep(0.01)  # the thread that reads has no event

    def commit_by_both(self):
        end = time.monotonic() + PATIENCE
        while True:
            known = self.update("/probe", "value")
            if known is not None and known["degraded"] is False:
                return
            self.assertLess(time.monotonic(), end, "the backup does not follow")

    def expect_proxy(self):
        end = time.monotonic() + PATIENCE
        number, before = self.traffic["proxy"].steps, self.heard
        while self.heard == before:
            self.assertLess(time.monotonic(), end, "nothing comes through the proxy")
            self.publish_step(number)
            number += 1
            self.subscriber.poll(10)

    def expect_no_growth(self, used):
        """The least of the last quarter is that of the second: the first warms up."""
        quarter = len(used) // 4
        second, last = used[quarter:2 * quarter], used[3 * quarter:]
        least = [[min(one[i] for one in part) for part in (second, last)] for i in range(2)]
        print(f"broker: {least[0][0] / MIB:.2f} MiB, at the end {least[0][1] / MIB:.2f} MiB; "
              f"{least[1][0]} descriptors, at the end {least[1][1]}")
        if LONG:
            self.assertLessEqual(least[0][1] - least[0][0], 4 * MIB)
            self.assertLessEqual(least[1][1] - least[1][0], 4)

    def test_every_pattern_keeps_its_promises_while_faults_go_on(self):
        self.start_majordomo()
        self.start_durable()
        self.start_map()
        self.start_proxy()
        used = self.cause_faults()
        self.expect_all_served()
        self.expect_requests()
        self.expect_durable()
        self.expect_maps()
        self.expect_proxy()
        self.expect_no_growth(used)
        requests = [one for name, one in self.traffic.items() if name.startswith("request ")]
        print(", ".join(f"{key}: {count}" for key, count in sorted(self.done.items())),
              f"connections reset: {sum(relay.resets for relay in self.relays.values())}",
              "p99 of requests: first quarter %.1f ms, last quarter %.1f ms" % tuple(
                  max(one.p99(quarter) for one in requests) for quarter in (0, 3)), sep="\n")


if __name__ == "__main__":
    unittest.main()

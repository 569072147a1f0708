#!/usr/bin/python3
"""Titanic and its disk: one that loses its power, one that is full, and what it touches of the one it is on.
Tests 28 and 29 of the reliability plan. The short form takes seconds. A part of the long form takes minutes, and five
parts are a full test."""

import os
import random
import re
import shutil
import sys
import threading
import time
import unittest
import uuid
from pathlib import Path

sys.dont_write_bytecode = True
from guide_peers import PATIENCE, Client, Worker  # noqa: E402: behind the line above
from interop_case import long_run, numbers, seed  # noqa: E402
from loop_disk import LoopDisk  # noqa: E402
from titanic_case import SERVICE, TitanicCase  # noqa: E402
from zinc_programs import Program  # noqa: E402
import zmq  # noqa: E402

LONG = long_run()


class DiskCase(TitanicCase):
    def use_disk(self, mebibytes):
        disk = LoopDisk(self, self.folder, mebibytes)
        self.store = str(disk.folder / "store")
        return disk


class Replier(threading.Thread):
    """A worker that answers with its request behind a few words, until it is stopped."""

    def __init__(self, test, endpoint):
        super().__init__(daemon=True)
        self.worker = Worker(test.context, endpoint, SERVICE, "0.1")
        self.stopped = threading.Event()
        self.executed = {}
        self.start()
        test.addCleanup(self.join)
        test.addCleanup(self.stopped.set)

    def run(self):
        told = time.monotonic()
        while not self.stopped.is_set():
            command = self.worker.receive(0.02)
            if command is not None and command.name == "request":
                body = command.body[0]
                self.executed[body] = self.executed.get(body, 0) + 1
                self.worker.reply(command.address, b"reply to", body)
            if time.monotonic() - told > 1:
                told = time.monotonic()
                self.worker.command("heartbeat")
        self.worker.close()


class Requesters:
    """Clients with one request for Titanic each, and the answers: accepted and closed requests."""

    def __init__(self, test, endpoint, count):
        self.test = test
        self.clients = [Client(test.context, endpoint, "0.1") for _ in range(count)]
        self.poller = zmq.Poller()
        self.idle = list(self.clients)
        self.asking = {}
        for client in self.clients:
            self.poller.register(client.socket, zmq.POLLIN)

    def ask(self, service, identity, *more):
        """Needs an idle one."""
        client = self.idle.pop()
        client.send(service, identity, *more)
        self.asking[client.socket] = (client, service, identity)

    def take(self, patience):
        """Returns (service, id, answer) of answered clients."""
        for socket, _ in self.poller.poll(patience * 1000):
            client, service, identity = self.asking.pop(socket)
            self.idle.append(client)
            yield service, identity, client.receive_reply().body

    def close(self):
        for client in self.clients:
            client.close()


class PowerLossTest(DiskCase):
    ROUNDS = 40 if LONG else 4
    EACH = 300
    CONCURRENCY = 4

    def setUp(self):
        super().setUp()
        self.disk = self.use_disk(48)
        self.broker = self.start_broker()
        self.open = {}     # id of what was accepted and not closed: its reply, once it was seen
        self.closed = set()
        self.unknown = []  # asked for, and not answered when the power went
        self.random = random.Random(seed(28))

    def accept_until_the_power_goes(self, *options):
        """Submits, answers and closes requests until the power fails."""
        titanic, counts = self.start_titanic(self.broker.endpoint, "--service-in-flight", str(self.CONCURRENCY),
                                             *options)
        self.assertGreaterEqual(counts[0], len(self.open))
        requesters = Requesters(self, self.broker.endpoint, 20)
        again, self.unknown = self.unknown, []
        left = self.random.randrange(self.EACH // 3, self.EACH)
        closing = set()
        while left > 0:
            while requesters.idle and left > 0:
                left -= 1
                asked = {one for _, _, one in requesters.asking.values()}
                answered = [one for one, reply in self.open.items() if reply and one not in asked | closing]
                kind = self.random.random()
                if kind < 0.2 and answered:
                    one = self.random.choice(answered)
                    closing.add(one)
                    requesters.ask(b"titanic.close", one)
                elif kind < 0.5 and self.open:
                    one = self.random.choice(list(self.open))
                    if one not in closing:
                        requesters.ask(b"titanic.reply", one)
                else:
                    one = again.pop() if again else uuid.UUID(int=self.random.getrandbits(128)).hex.encode()
                    requesters.ask(b"titanic.submit", one, SERVICE, b"body of " + one)
            for answer in requesters.take(PATIENCE):
                self.on_answer(*answer)
        # The kernel may report a flush that is in progress as done, although nothing of it is on the disk. On a machine
        # without power no process hears of it. A living Titanic would give the service more requests, to be executed
        # again after the restart.
        titanic.process.kill()
        self.disk.lose_power()
        titanic.kill()
        for _, service, one in requesters.asking.values():
            if service == b"titanic.submit":
                self.unknown.append(one)
        for one in closing - self.closed:
            self.open.pop(one, None)  # it may be closed or not
        self.unknown += again
        requesters.close()
        self.disk.unmount()
        self.disk.mount()

    def on_answer(self, service, one, answer):
        if service == b"titanic.submit":
            if answer[0] == b"200":
                self.assertEqual(answer, [b"200", one.upper()])
                self.open.setdefault(one, None)
            else:
                self.assertEqual(answer, [b"500"])
                self.unknown.append(one)
        elif service == b"titanic.close":
            self.assertIn(answer, ([b"200"], [b"500"]))
            if answer == [b"200"]:
                self.open.pop(one, None)
                self.closed.add(one)
        elif answer[0] == b"200":
            self.assertEqual(answer, [b"200", b"reply to", b"body of " + one])
            if one in self.open:
                self.open[one] = answer
        elif one in self.open:
            # A reply that the client has seen stays available, unless the disk is gone.
            self.assertIn(answer, ([b"300"], [b"500"]) if self.open[one] is None else ([b"500"],))

    def check_all(self):
        """Returns the numbers of lost accepted requests and of closed requests that came back."""
        client = self.client(self.broker.endpoint, "0.1")
        lost = sum(client.request(b"titanic.reply", one) == [b"400"] for one in self.open)
        back = sum(client.request(b"titanic.reply", one) != [b"400"] for one in self.closed)
        return lost, back

    def test_nothing_that_was_accepted_is_lost(self):  # TSP-2
        """Test 28."""
        replier = Replier(self, self.broker.endpoint)
        for _ in range(self.ROUNDS):
            self.accept_until_the_power_goes()
        titanic, _ = self.start_titanic(self.broker.endpoint)
        self.assertEqual(self.check_all(), (0, 0))
        client = self.client(self.broker.endpoint, "0.1")
        for one in self.open:
            self.assertEqual(self.reply(client, one), [b"200", b"reply to", b"body of " + one])
        self.assertEqual(titanic.stop(), 0)
        again = sum(count - 1 for count in replier.executed.values())
        self.assertLessEqual(again, self.ROUNDS * self.CONCURRENCY)
        self.assertGreater(len(self.open) + len(self.closed), self.ROUNDS * 10)
        print(f"{self.ROUNDS} losses of power, {len(self.open) + len(self.closed)} requests accepted, "
              f"{again} executions more than needed")

    def test_without_sync_it_is(self):
        """Shows that the test detects a loss of power."""
        self.accept_until_the_power_goes("--unsafe-nosync")
        self.assertGreater(len(self.open), 0)
        titanic = Program(self, self.arguments("--connect", self.broker.endpoint))
        try:
            titanic.read_line()
        except AssertionError:
            return  # the file is not a store any more
        self.assertGreater(self.check_all()[0], 0)


class FullDiskTest(DiskCase):
    RESERVE = "16MiB"  # the default

    def test_refuses_requests_and_lets_go(self):  # TSP-4, TSP-14
        self.use_disk(64)
        broker = self.start_broker()
        titanic, _ = self.start_titanic(broker.endpoint)
        client = self.client(broker.endpoint, "0.1")
        accepted = []
        while True:
            answer = client.request(b"titanic.request", SERVICE, b"%d" % len(accepted), bytes(100_000))
            if answer == [b"500"]:
                break
            self.assertEqual(answer[0], b"200")
            accepted.append(answer[1])
            self.assertLess(len(accepted), 2_000, "a disk of 64 MiB is never full")
        self.assertGreater(len(accepted), 100)
        for one in accepted:
            self.assertEqual(client.request(b"titanic.reply", one), [b"300"])
        # Replies and closing have the reserve.
        replier = Replier(self, broker.endpoint)
        for i, one in enumerate(accepted):
            self.assertEqual(self.reply(client, one), [b"200", b"reply to", b"%d" % i])
        self.assertEqual(replier.executed, {b"%d" % i: 1 for i in range(len(accepted))})
        for one in accepted:
            self.assertEqual(client.request(b"titanic.close", one), [b"200"])
        self.assertEqual(client.request(b"titanic.reply", accepted[0]), [b"400"])
        # Closed requests have made room for others.
        end = time.monotonic() + PATIENCE
        while client.request(b"titanic.request", SERVICE, b"x", bytes(100_000))[0] != b"200":
            self.assertLess(time.monotonic(), end)
        self.assertEqual(titanic.stop(), 0)
        _, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts[0], 1)


class TouchedFilesTest(TitanicCase):
    """Test 29: whatever is asked for, no file outside its folder is."""

    TRAPS = [b"..", b"../bystander", b"../../../../etc/passwd", b"/etc/passwd", b"/etc/passwd\0" + b"0" * 20,
             b"/etc/passwd".rjust(32, b"/"), b"A" * 300, b"%n%s" * 8, b"~root", b"store", b"store-wal", b"",
             b"0" * 31 + b"/", b"\xff" * 32, b"file:///etc/passwd?mode=rwc", b":memory:", b"'; DROP TABLE requests"]

    def test_none_outside_its_folder(self):
        if not shutil.which("strace"):
            self.skipTest("there is no strace")
        folder = self.folder / "own"
        folder.mkdir()
        self.store = str(folder / "store")
        bystander = self.folder / "bystander"
        bystander.write_bytes(b"secret")
        log = self.folder / "log"
        broker = self.start_broker()
        titanic = Program(self, ["strace", "-f", "-s", "4096", "-e", "trace=%file", "-o", str(log),
                                 *self.arguments("--connect", broker.endpoint)])
        try:
            self.assertEqual(titanic.read_line(), "open 0 0")
        except AssertionError:
            self.skipTest("strace may not trace here")
        client = self.client(broker.endpoint, "0.1")
        worker = self.echo_worker(broker.endpoint, SERVICE, "0.1", 0.1)
        first = self.request(client, [b"body"])
        self.assertEqual(self.reply(client, first)[0], b"200")
        begin = log.stat().st_size
        traps = self.TRAPS + [os.urandom(random.randrange(64)) for _ in range(400 if LONG else 200)]
        for trap in traps:
            self.assertEqual(client.request(b"titanic.reply", trap), [b"400"])
            self.assertEqual(client.request(b"titanic.close", trap), [b"200"])
            self.assertEqual(client.request(b"titanic.submit", trap, SERVICE, b"x"), [b"400"])
            self.assertEqual(client.request(b"titanic.status", trap)[0], b"200")
            # The path is valid as the name of a service and as a body.
            answer = client.request(b"titanic.request", SERVICE, trap)
            self.assertEqual(answer[0], b"200")
            self.assertEqual(self.reply(client, answer[1]), [b"200", trap])
            self.assertEqual(client.request(b"titanic.close", answer[1]), [b"200"])
            answer = client.request(b"titanic.request", trap, b"x")
            self.assertEqual(answer[0], b"400" if trap == b"" or len(trap) > 255 else b"200")
        self.assertEqual(worker.served, 1 + len(traps))
        self.assertEqual(numbers(client.request(b"mmi.titanic", b"")[1])["accepting"], 1)
        # strace passes the signal on, and ends with the traced program.
        os.kill(self.traced(log), 15)
        self.assertEqual(titanic.wait(), 0)
        touched = self.paths(log.read_text(errors="replace")[begin:])
        self.assertIn(str(folder / "store-wal"), touched, "nothing was traced")
        self.assertEqual({path for path in touched if not path.startswith(f"{folder}/")}, set())
        self.assertEqual(bystander.read_bytes(), b"secret")

    @staticmethod
    def traced(log):
        """Returns the process id of the first traced call: the process calls before its threads."""
        return int(log.read_text(errors="replace").split(None, 1)[0])

    @staticmethod
    def paths(calls):
        found = set()
        for call in calls.splitlines():
            found |= {text for text in re.findall(r'"((?:[^"\\]|\\.)*)"', call) if text}
        return found


if __name__ == "__main__":
    unittest.main(verbosity=2)  # so that skipped tests are named

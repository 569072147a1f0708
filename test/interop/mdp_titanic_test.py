#!/usr/bin/python3
"""Titanic with third-party peers: clients and workers on pyzmq, a broker and a Titanic that stand in for the
Guide's, and a folder that the Guide's Titanic has written. Titanic is killed at random, and gets a damaged
store."""

import json
import os
import pickle
import random
import signal
import struct
import sys
import threading
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from guide_peers import PATIENCE, Worker  # noqa: E402: behind the line above
from interop_case import long_run, numbers, seed  # noqa: E402
from stand_in_broker import StandInBroker  # noqa: E402
from titanic_case import SERVICE, TitanicCase  # noqa: E402
from zinc_programs import Program, run_request, start_request  # noqa: E402
import zmq  # noqa: E402

BODIES = [[b"Hello world"], [b""], [b"", b"", b"tail"], [bytes(range(256)) * 300], [b"part"] * 50]


class GuidePeersTest(TitanicCase):
    def each_broker(self):
        """Our broker, and one that stands in for the Guide's."""
        with self.subTest(broker="ours"):
            yield self.start_broker().endpoint, []
        with self.subTest(broker="theirs"):
            broker = StandInBroker(self.context, "0.1", interval=0.1, liveness=10)
            self.addCleanup(broker.stop)
            yield broker.endpoint, ["--third-party-broker", "--in-flight", "4", "--heartbeat", "100ms"]

    def test_a_client_and_a_worker_of_the_guide(self):  # TSP-1, TSP-3, TSP-5, TSP-6, TSP-7, TSP-8
        for endpoint, options in self.each_broker():
            os.path.exists(self.store) and os.unlink(self.store)
            titanic, counts = self.start_titanic(endpoint, *options)
            self.assertEqual(counts, [0, 0])
            for socket_type in (zmq.REQ, zmq.DEALER):
                client = self.client(endpoint, "0.1", socket_type)
                for name in (b"titanic.request", b"titanic.reply", b"titanic.close"):
                    end = time.monotonic() + PATIENCE
                    while client.request(b"mmi.service", name) != [b"200"]:
                        self.assertLess(time.monotonic(), end)
                uuids = [self.request(client, body) for body in BODIES]
                self.assertEqual(len(set(uuids)), len(BODIES))
                self.assertEqual(client.request(b"titanic.reply", uuids[0]), [b"300"])  # TSP-12
                worker = self.echo_worker(endpoint, SERVICE, "0.1", 0.1)
                for body, uuid in zip(BODIES, uuids):
                    self.assertEqual(self.reply(client, uuid), [b"200", *body])
                    self.assertEqual(self.reply(client, uuid.lower()), [b"200", *body])
                    self.assertEqual(client.request(b"titanic.close", uuid), [b"200"])
                    self.assertEqual(client.request(b"titanic.reply", uuid), [b"400"])
                self.assertEqual(worker.served, len(BODIES))
                worker.stop()
                # The broker sends nothing to a disconnected worker.
                end = time.monotonic() + PATIENCE
                while client.request(b"mmi.service", SERVICE) != [b"404"]:
                    self.assertLess(time.monotonic(), end)
            self.assertEqual(titanic.stop(), 0)

    def test_hostile_requests(self):  # TSP-4, TSP-9, TSP-11
        broker = self.start_broker()
        self.start_titanic(broker.endpoint)
        client = self.client(broker.endpoint, "0.1")
        bystander = self.folder / "bystander.rep"
        bystander.write_bytes(struct.pack("<Q", 6) + b"secret")
        before = sorted(self.folder.iterdir())
        uuid = self.request(client, [b"body"])
        for wrong in ([b""], [b"../bystander"], [str(bystander)[:-4].encode()], [b"/" * 300],
                      [b"../" * 10 + b"etc"], [uuid + b"\0"], [uuid[:-1] + b"/"], [bytes(32)],
                      [uuid, b"surplus"], [b"%s" * 16], [b"0" * 32]):
            self.assertEqual(client.request(b"titanic.reply", *wrong), [b"400"])
            self.assertEqual(client.request(b"titanic.close", *wrong), [b"200"])
        for wrong in ([b""], [SERVICE], [b"", b"body"], [b"s" * 256, b"body"]):
            self.assertEqual(client.request(b"titanic.request", *wrong), [b"400"])
            self.assertEqual(client.request(b"titanic.submit", uuid, *wrong), [b"400"])
            self.assertEqual(client.request(b"titanic.submit", b"../" * 10 + b"ab", SERVICE, b"body"), [b"400"])
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assertEqual({path.stat().st_mode & 0o077 for path in before if path != bystander}, {0})
        self.assertEqual(client.request(b"titanic.reply", uuid), [b"300"])

    def test_our_client_with_a_titanic_that_says_more_than_its_code(self):  # TSP-10
        broker = self.start_broker()
        uuid = b"0123456789abcdef0123456789abcdef"  # in lower case, as the Guide's in Python writes it
        seen = []

        def serve(name, *answers):
            worker = self.worker(broker.endpoint, name, "0.1")

            def run():
                for answer in answers:
                    request = worker.receive_request()
                    seen.append((name, request.body))
                    worker.reply(request.address, *answer)
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            self.addCleanup(thread.join)
        serve(b"titanic.request", [b"500 later"], [b"200 OK", uuid])
        serve(b"titanic.reply", [b"300 Pending"], [b"300"], [b"200 OK", b"Hello", b"world"])
        serve(b"titanic.close", [b"200 OK"])
        code, lines, _ = run_request(broker.endpoint, "echo", "0.1", "--durable", "body")
        self.assertEqual((code, lines), (0, ["Hello world"]))
        asked = (b"titanic.request", (b"echo", b"body"))
        again = (b"titanic.reply", (uuid,))
        self.assertEqual(seen, [asked, asked, again, again, again, (b"titanic.close", (uuid,))])

    def test_our_client_many_times(self):
        broker = self.start_broker()
        self.start_titanic(broker.endpoint)
        self.echo_worker(broker.endpoint, SERVICE, "0.1")
        code, lines, errors = run_request(broker.endpoint, "echo", "0.1", "--durable", "--count",
                                          "500", "--in-flight", "32", "--size", "100B")
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(lines, ["500 requests, 500 answered, 0 failed"])
        for arguments, expected in ((["--count", "3"], {"requests": 3, "answered": 3, "failed": 0}),
                                    (["a", ""], {"reply": ["a", ""]})):
            code, lines, _ = run_request(broker.endpoint, "echo", "0.1", "--durable", "--json",
                                         *arguments)
            self.assertEqual((code, [json.loads(line) for line in lines]), (0, [expected]))

    def test_our_client_is_stopped_and_asks_again_under_its_id(self):
        broker = self.start_broker()
        titanic, _ = self.start_titanic(broker.endpoint)
        uuid = b"0123456789ABCDEF0123456789ABCDEF"
        again = ("--durable", "--id", uuid.decode().lower(), "body")
        first = start_request(self, broker.endpoint, "echo", "0.1", *again)
        client = self.client(broker.endpoint, "0.1")
        end = time.monotonic() + PATIENCE
        while client.request(b"titanic.reply", uuid) != [b"300"]:
            self.assertLess(time.monotonic(), end)
        first.signal(signal.SIGINT)
        self.assertEqual(first.wait(), 1)
        for _ in range(2):
            self.assertEqual(client.request(b"titanic.submit", uuid, SERVICE, b"another"), [b"200", uuid])
        titanic.kill()
        _, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [1, 1])
        worker = self.echo_worker(broker.endpoint, SERVICE, "0.1", 0.1)
        code, lines, _ = run_request(broker.endpoint, "echo", "0.1", *again)
        self.assertEqual((code, lines, worker.served), (0, ["body"], 1))
        self.assertEqual(client.request(b"titanic.reply", uuid), [b"400"])
        code, lines, _ = run_request(broker.endpoint, "echo", "0.1", "--durable", "--id", "new",
                                     "--count", "20", "--in-flight", "4")
        self.assertEqual((code, lines), (0, ["20 requests, 20 answered, 0 failed"]))

    def test_status_is_logged_when_asked_for(self):
        broker = self.start_broker()
        titanic = Program(self, ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh",
                                 *self.arguments("--connect", broker.endpoint)])
        self.assertEqual(titanic.read_line(), "open 0 0")
        self.request(self.client(broker.endpoint, "0.1"), [b"body"], b"nobody")
        titanic.read_line()
        titanic.signal(signal.SIGUSR1)
        self.assertRegex(titanic.read_line(), "state: accepting=1 requests=1 pending=1 in_flight=0 services=1 ")
        self.assertRegex(titanic.read_line(), "service=nobody pending=1 in_flight=0$")

    def test_status_answers_a_request(self):
        broker = self.start_broker()
        client = self.client(broker.endpoint, "0.1")
        self.assertEqual(client.request(b"mmi.titanic", b""), [b"404"])
        titanic, _ = self.start_titanic(broker.endpoint)
        for name in (b"nobody", b"somebody", b"no\xffbody"):
            self.request(client, [b"body"], name)
        uuid = b"0" * 32
        for _ in range(2):
            client.request(b"titanic.submit", uuid, b"nobody", b"body")
        self.assertEqual(client.request(b"titanic.request", b"nobody"), [b"400"])
        # By the broker's name for it, and from Titanic itself.
        for service in (b"mmi.titanic", b"titanic.status"):
            code, state, *services = client.request(service, b"")
            self.assertEqual(code, b"200")
            state = numbers(state)
            self.assertEqual([state[key] for key in ("accepting", "requests", "pending", "in_flight",
                                                     "accepted", "repeated", "refused", "dispatched")],
                             [1, 4, 4, 0, 4, 1, 1, 0])
            self.assertEqual(services, [b"nobody", b"pending=2 in_flight=0", b"no\xffbody",
                                        b"pending=1 in_flight=0", b"somebody", b"pending=1 in_flight=0"])
            self.assertEqual(client.request(service, b"no\xffbody")[2:], services[4:])
        code, lines, _ = run_request(broker.endpoint, "mmi.titanic", "0.2", "somebody")
        self.assertEqual(code, 0)
        self.assertRegex(lines[0], "^200 accepting=1 requests=4 ")
        self.assertEqual(titanic.stop(), 0)
        end = time.monotonic() + PATIENCE
        while client.request(b"mmi.service", b"titanic.status") != [b"404"]:
            self.assertLess(time.monotonic(), end)
        self.assertEqual(client.request(b"mmi.titanic", b""), [b"404"])


class KilledTest(TitanicCase):
    def test_nothing_that_was_accepted_is_lost(self):  # TSP-2, TSP-15
        rounds, each = (40, 500) if long_run() else (8, 150)
        broker = self.start_broker()
        executed = {}
        worker = Worker(self.context, broker.endpoint, SERVICE, "0.1")
        stopped = threading.Event()

        def serve():
            told = time.monotonic()
            while not stopped.is_set():
                command = worker.receive(0.02)
                if command is not None and command.name == "request":
                    executed[command.body[0]] = executed.get(command.body[0], 0) + 1
                    worker.reply(command.address, b"reply to", *command.body)
                if time.monotonic() - told > 1:
                    told = time.monotonic()
                    worker.command("heartbeat")
            worker.close()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(stopped.set)
        accepted, sent = {}, 0
        sizes = random.Random(seed(27))
        for round_ in range(rounds):
            titanic, (stored, _) = self.start_titanic(broker.endpoint, "--service-in-flight", "4")
            self.assertGreaterEqual(stored, len(accepted))
            client = self.client(broker.endpoint, "0.1")
            # Requests are in flight when Titanic is killed, whatever Titanic is doing at that time.
            waiting, last = 0, sizes.randrange(each // 2, each)
            for i in range(last + 20):
                client.send(b"titanic.request", SERVICE, b"%d" % sent)
                sent += 1
                waiting += 1
                while waiting >= 20 or i >= last and waiting and client.socket.poll(0):
                    reply = client.receive_reply()
                    waiting -= 1
                    self.assertEqual(reply.body[0], b"200")
                    accepted[reply.body[1]] = True
            titanic.kill()
            while client.socket.poll(0):
                accepted[client.receive_reply().body[1]] = True
            client.close()
        titanic, (stored, _) = self.start_titanic(broker.endpoint)
        self.assertGreaterEqual(stored, len(accepted))
        self.assertGreater(len(accepted), rounds * each // 3)
        client = self.client(broker.endpoint, "0.1")
        bodies = set()
        for uuid in accepted:
            parts = self.reply(client, uuid)
            self.assertEqual(parts[:2], [b"200", b"reply to"])
            self.assertNotIn(parts[2], bodies, "two requests have one reply")
            bodies.add(parts[2])
            self.assertEqual(client.request(b"titanic.close", uuid), [b"200"])
        self.assertLessEqual(bodies, set(executed))
        again = sum(count - 1 for count in executed.values())
        # Each time: requests in flight, or whose reply was not yet stored.
        self.assertLessEqual(again, rounds * 4)
        print(f"{rounds} kills, {len(accepted)} requests accepted, {again} executions more than needed")
        self.assertEqual(titanic.stop(), 0)


class StoredOnceTest(TitanicCase):
    """The answers to clients agree with the content of the store. Each request names a service of its own that has no
    worker, so that the test finds it in the store."""

    ASKERS = 20

    def setUp(self):
        super().setUp()
        self.broker = self.start_broker()
        self.sent, self.acknowledged, self.unanswered = 0, set(), set()
        self.ids = {}

    def ask(self, client):
        name = b"service%d" % self.sent
        self.sent += 1
        client.send(b"titanic.request", name, b"body")
        self.asking[client.socket] = client, name

    def take(self, patience):
        """Receives answers and returns their clients."""
        answered = []
        for socket, _ in self.poller.poll(patience * 1000):
            client, name = self.asking.pop(socket)
            status, uuid = client.receive_reply().body
            self.assertEqual(status, b"200")
            self.assertNotIn(uuid, self.ids)
            self.ids[uuid] = name
            self.acknowledged.add(name)
            answered.append(client)
        return answered

    def ask_until_the_end(self, end):
        """Each client has one request at a time until `end` stops Titanic at a random moment."""
        self.poller, self.asking = zmq.Poller(), {}
        clients = [self.client(self.broker.endpoint, "0.1") for _ in range(self.ASKERS)]
        for client in clients:
            self.poller.register(client.socket, zmq.POLLIN)
            self.ask(client)
        left = random.randrange(100)
        while left > 0:
            answered = self.take(PATIENCE)
            self.assertTrue(answered, "no answer in time")
            for client in answered:
                left -= 1
                self.ask(client)
        end()
        return clients

    def pass_the_broker(self):
        """The broker has read all requests before, and all its answers from before are received."""
        requesters = dict(self.asking)
        waiting = set(requesters)
        for client, _ in requesters.values():
            client.send(b"mmi.service", b"titanic.request")
        while waiting:
            ready = self.poller.poll(PATIENCE * 1000)
            self.assertTrue(ready, "no answer in time")
            for socket, _ in ready:
                client, name = requesters[socket]
                status, *uuid = client.receive_reply().body
                if uuid:
                    self.assertEqual(status, b"200")
                    self.ids[uuid[0]] = name
                    self.acknowledged.add(name)
                    del self.asking[socket]
                else:
                    waiting.remove(socket)

    def rest(self, clients):
        """Waits for the answers that the next Titanic gives, and notes the requests without an answer."""
        self.pass_the_broker()
        requester = self.client(self.broker.endpoint, "0.1")
        deadline = time.monotonic() + PATIENCE
        while True:
            _, *named = requester.request(b"mmi.services", b"titanic.req")
            state = numbers(dict(zip(named[::2], named[1::2])).get(b"titanic.request", b"workers=0"))
            if state["workers"] == 1 and state["waiting"] + state["working"] == 0:
                break
            self.assertLess(time.monotonic(), deadline, state)
        self.pass_the_broker()
        self.unanswered |= {name for _, name in self.asking.values()}
        for client in clients:
            client.close()

    def stored(self):
        """The services of all requests in the store of a stopped Titanic."""
        code, output, errors = self.run_titanic("list", "--json")
        self.assertEqual((code, errors), (0, ""))
        requests = [json.loads(line) for line in output.splitlines()]
        for one in requests:
            self.assertEqual((one["state"], one["attempts"]), ("pending", 0))
        return [one["service"].encode() for one in requests]

    def check(self):
        stored = self.stored()
        self.assertEqual(len(stored), len(set(stored)), "a request is stored twice")
        self.assertEqual(self.sent, len(self.acknowledged) + len(self.unanswered))
        stored_unanswered = self.unanswered & set(stored)
        self.assertEqual(len(stored), len(self.acknowledged) + len(stored_unanswered))
        self.assertEqual(set(stored), self.acknowledged | stored_unanswered)
        return stored_unanswered

    def test_a_request_is_stored_once_whenever_titanic_is_killed(self):  # TSP-2
        rounds = 40 if long_run() else 8
        titanic, _ = self.start_titanic(self.broker.endpoint)
        for _ in range(rounds):
            clients = self.ask_until_the_end(titanic.kill)
            titanic, _ = self.start_titanic(self.broker.endpoint)
            self.rest(clients)
        self.assertEqual(titanic.stop(), 0)
        stored_unanswered = self.check()
        self.assertGreater(len(self.unanswered), 0, "each kill came between two requests")
        print(f"{rounds} kills, {self.sent} requests, {len(self.acknowledged)} acknowledged, "
              f"{len(self.unanswered)} not answered, of them {len(stored_unanswered)} stored")

    def test_a_request_is_stored_once_and_acknowledged_whenever_titanic_is_stopped(self):  # TSP-2
        rounds = 20 if long_run() else 8
        titanic, _ = self.start_titanic(self.broker.endpoint)
        for _ in range(rounds):
            clients = self.ask_until_the_end(lambda: self.assertEqual(titanic.stop(), 0))
            titanic, _ = self.start_titanic(self.broker.endpoint)
            self.rest(clients)
        self.assertEqual(titanic.stop(), 0)
        self.assertEqual(self.unanswered, set(), "a stop leaves requests without an answer")
        self.assertEqual(self.check(), set())
        print(f"{rounds} stops, {self.sent} requests, all answered")

    def test_each_submitted_request_is_answered(self):
        rounds = 20 if long_run() else 5
        requests = 40 * rounds
        asking = start_request(self, self.broker.endpoint, "echo", "0.2", "--durable", "--id", "new", "--count",
                               str(requests), "--in-flight", "8", "--timeout", "1m", "--attempts", "1000")
        worker = None
        for round_ in range(rounds):
            titanic, _ = self.start_titanic(self.broker.endpoint)
            worker = worker or self.echo_worker(self.broker.endpoint, SERVICE, "0.2")
            requester = self.client(self.broker.endpoint, "0.1")
            seen = 0
            end = time.monotonic() + PATIENCE
            while seen < 10 and round_ < rounds - 1 and asking.running():
                seen = numbers(requester.request(b"titanic.status", b"")[1])["closed"]
                self.assertLess(time.monotonic(), end)
            if round_ < rounds - 1:
                (titanic.stop if round_ % 2 else titanic.kill)()
        self.assertEqual(asking.read_line(), f"{requests} requests, {requests} answered, 0 failed")
        self.assertEqual(asking.wait(), 0)
        self.assertEqual(titanic.stop(), 0)
        self.assertEqual(self.stored(), [])
        self.assertGreaterEqual(worker.served, requests)


class EndTest(TitanicCase):
    def start_at_work(self, broker, *options):
        """A Titanic with a request at a worker that does not reply."""
        titanic, _ = self.start_titanic(broker.endpoint, *options)
        client = self.client(broker.endpoint, "0.1")
        worker = self.worker(broker.endpoint, SERVICE, "0.1")
        uuid = self.request(client, [b"body"])
        return titanic, client, worker, worker.receive_request(), uuid

    def test_a_signal_waits_for_the_reply(self):
        broker = self.start_broker()
        titanic, client, worker, request, uuid = self.start_at_work(broker)
        titanic.signal(signal.SIGTERM)
        # Titanic takes no more requests.
        end = time.monotonic() + PATIENCE
        while client.request(b"mmi.service", b"titanic.request") != [b"404"]:
            self.assertLess(time.monotonic(), end)
        self.assertTrue(titanic.running())
        worker.reply(request.address, b"reply")
        self.assertEqual(titanic.wait(), 0)
        _, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [1, 0])
        self.assertEqual(client.request(b"titanic.reply", uuid), [b"200", b"reply"])

    def test_a_signal_waits_no_longer_than_drain(self):
        broker = self.start_broker()
        titanic, _, _, _, _ = self.start_at_work(broker, "--drain", "50ms")
        titanic.signal(signal.SIGTERM)
        self.assertEqual(titanic.wait(), 0)
        _, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [1, 1])

    def test_a_second_signal_ends_it_at_once(self):
        broker = self.start_broker()
        titanic, client, _, _, _ = self.start_at_work(broker)
        titanic.signal(signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while client.request(b"mmi.service", b"titanic.request") != [b"404"]:
            self.assertLess(time.monotonic(), end)
        titanic.signal(signal.SIGTERM)
        self.assertEqual(titanic.wait(), -signal.SIGTERM)


class StoreTest(TitanicCase):
    """The commands for the store of a stopped Titanic, and retention."""

    def fill(self):
        """Stores two requests with a reply and one that waits."""
        broker = self.start_broker()
        titanic, _ = self.start_titanic(broker.endpoint)
        client = self.client(broker.endpoint, "0.1")
        self.echo_worker(broker.endpoint, SERVICE, "0.1", 0.1)
        first = self.request(client, [b"Hello", b"world"])
        second = self.request(client, [b"\xff\n", b""])
        for uuid in (first, second):
            self.assertEqual(self.reply(client, uuid)[0], b"200")
        return broker, titanic, client, first, second, self.request(client, [b"later"], b"no\nbody")

    def test_list_and_show(self):
        _, titanic, _, first, second, third = self.fill()
        self.assertEqual(titanic.stop(), 0)
        first, second, third = (uuid.decode() for uuid in (first, second, third))
        code, output, _ = self.run_titanic("list")
        self.assertEqual(code, 0)
        lines = output.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], rf"^{first} answered 0 [0-9ms]+ echo$")
        self.assertRegex(lines[2], rf"^{third} pending 0 [0-9ms]+ no\S*body$")
        code, output, _ = self.run_titanic("list", "--json")
        listed = [json.loads(line) for line in output.splitlines()]
        self.assertEqual([(one["id"], one["state"], one["service"]) for one in listed],
                         [(first, "answered", "echo"), (second, "answered", "echo"), (third, "pending", "no\nbody")])
        self.assertTrue(all(0 <= one["age_seconds"] < 3600 for one in listed))
        code, output, _ = self.run_titanic("show", first.lower())
        self.assertEqual(code, 0)
        self.assertIn(f"id {first}\nstate answered\nservice echo\n", output)
        self.assertIn("\nrequest Hello world\nreply Hello world\n", output)
        code, output, _ = self.run_titanic("show", second, "--json")
        shown = json.loads(output)
        self.assertEqual((shown["request"], shown["reply"]), ([{"hex": "ff0a"}, ""],) * 2)
        shown = json.loads(self.run_titanic("show", third, "--json")[1])
        self.assertEqual((shown["request"], "reply" in shown), (["later"], False))

    def test_close_and_purge(self):
        broker, titanic, client, first, second, third = self.fill()
        self.assertEqual(titanic.stop(), 0)
        self.assertEqual(self.run_titanic("purge", "--older", "1d")[:2], (0, "closed 0\n"))
        self.assertEqual(self.run_titanic("close", third.decode(), first.decode(), "--json")[:2],
                         (0, '{"closed":2}\n'))
        code, output, errors = self.run_titanic("close", first.decode())
        self.assertEqual((code, output), (1, ""))
        self.assertIn(first.decode(), errors)
        self.start_titanic(broker.endpoint)[0].stop()
        self.assertEqual(self.run_titanic("purge")[:2], (0, "closed 1\n"))
        _, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [0, 0])
        for uuid in (first, second, third):
            self.assertEqual(client.request(b"titanic.reply", uuid), [b"400"])

    def test_requests_that_wait_are_not_purged(self):
        broker, titanic, _, _, _, third = self.fill()
        self.assertEqual(titanic.stop(), 0)
        self.assertEqual(self.run_titanic("purge")[:2], (0, "closed 2\n"))
        self.assertEqual(json.loads(self.run_titanic("list", "--json")[1])["id"], third.decode())
        _, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [1, 1])

    def test_the_store_of_a_running_titanic_is_refused_with_a_remedy(self):
        _, titanic, client, first, _, _ = self.fill()
        for words in (["list"], ["show", first.decode()], ["close", first.decode()], ["purge"]):
            code, output, errors = self.run_titanic(*words)
            self.assertEqual((code, output), (1, ""))
            self.assertIn("titanic.close", errors)
        self.assertEqual(client.request(b"titanic.reply", first), [b"200", b"Hello", b"world"])
        self.assertEqual(titanic.stop(), 0)

    def test_a_missing_store_is_not_made(self):
        for words in (["list"], ["show", "0" * 32], ["close", "0" * 32], ["purge"]):
            code, output, errors = self.run_titanic(*words)
            self.assertEqual((code, output), (1, ""))
            self.assertIn(self.store, errors)
            self.assertEqual(list(self.folder.iterdir()), [])
        for words, fault in ((["show"], "ID"), (["show", "7"], "hexadecimal"),
                             (["purge", "--older", "soon"], "not a duration"),
                             (["purge", "--older", "12"], "needs a unit"),
                             (["--keep", "soon"], "forever"), (["list", "show"], "")):
            code, output, errors = self.run_titanic(*words)
            self.assertEqual(code, 2, words)
            self.assertIn(fault, output + errors)

    def test_answered_requests_are_removed_after_keep(self):
        broker = self.start_broker()
        titanic, _ = self.start_titanic(broker.endpoint, "--keep", "1s")
        client = self.client(broker.endpoint, "0.1")
        worker = self.echo_worker(broker.endpoint, SERVICE, "0.1", 0.1)
        uuid = self.request(client, [b"body"])
        waiting = self.request(client, [b"body"], b"nobody")
        # The reply is not asked for: on a busy machine it can be gone before the question is there.
        end = time.monotonic() + PATIENCE
        while (state := numbers(client.request(b"titanic.status", b"")[1]))["expired"] == 0:
            self.assertLess(time.monotonic(), end)
        self.assertEqual(worker.served, 1)
        self.assertEqual(client.request(b"titanic.reply", uuid), [b"400"])
        self.assertEqual([state[key] for key in ("requests", "pending", "answered", "expired", "closed")],
                         [1, 1, 1, 1, 0])
        self.assertEqual(client.request(b"titanic.reply", waiting), [b"300"])
        self.assertEqual(titanic.stop(), 0)
        # The next start removes an outcome of the run before.
        other = self.echo_worker(broker.endpoint, b"nobody", "0.1", 0.1)
        titanic, counts = self.start_titanic(broker.endpoint, "--keep", "forever")
        self.assertEqual(counts, [1, 1])
        self.assertEqual(self.reply(client, waiting), [b"200", b"body"])
        other.stop()
        self.assertEqual(titanic.stop(), 0)
        self.start_titanic(broker.endpoint, "--keep", "1s")
        end = time.monotonic() + PATIENCE
        while client.request(b"titanic.reply", waiting) != [b"400"]:
            self.assertLess(time.monotonic(), end)


class ImportTest(TitanicCase):
    """The folder .titanic, as the Guide's programs write it."""

    def guide_folder(self, encode, digits):
        folder = self.folder / ".titanic"
        folder.mkdir()
        uuids = [f"{number:032x}" for number in range(0xabc0, 0xabc5)]
        if digits == "upper":
            uuids = [uuid.upper() for uuid in uuids]
        pending, answered, closed, torn, done_without_reply = uuids
        queue = ""
        for uuid, mark in zip(uuids, "-+---"):
            queue += f"{mark}{uuid}\n"
            if uuid != closed:
                (folder / f"{uuid}.req").write_bytes(encode([SERVICE, b"of " + uuid.encode(), b"x" * 300]))
        (folder / f"{answered}.rep").write_bytes(encode([b"a reply", b"y" * 400]))
        whole = (folder / f"{torn}.req").read_bytes()
        (folder / f"{torn}.req").write_bytes(whole[:len(whole) - 7])
        (folder / "queue").write_text(queue + "garbage\n-../../etc/passwd\n")
        return folder, pending, answered, closed, torn, done_without_reply

    def check(self, encode, digits):
        folder, pending, answered, closed, torn, last = self.guide_folder(encode, digits)
        for expected in ("pending 2, answered 1, known 0, unreadable 1\n",
                         "pending 0, answered 0, known 3, unreadable 1\n"):
            code, output, _ = self.run_titanic("--import", str(folder))
            self.assertEqual((code, output), (0, expected))
        broker = self.start_broker()
        titanic, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [3, 2])
        client = self.client(broker.endpoint, "0.1")
        self.assertEqual(client.request(b"titanic.reply", answered.encode()),
                         [b"200", b"a reply", b"y" * 400])
        for uuid in (closed, torn):
            self.assertEqual(client.request(b"titanic.reply", uuid.encode()), [b"400"])
        self.echo_worker(broker.endpoint, SERVICE, "0.1")
        for uuid in (pending, last):
            self.assertEqual(self.reply(client, uuid.encode()),
                             [b"200", b"of " + uuid.encode(), b"x" * 300])
        self.assertEqual(titanic.stop(), 0)

    def test_imports_the_folder_of_the_guide_in_c(self):
        self.check(lambda parts: b"".join(struct.pack("<Q", len(part)) + part for part in parts), "upper")

    def test_imports_the_folder_of_the_guide_in_python(self):
        self.check(pickle.dumps, "lower")

    def test_pickles_of_every_protocol(self):
        for protocol in (3, 4, 5):
            with self.subTest(protocol=protocol):
                folder = self.folder / f"protocol{protocol}"
                folder.mkdir()
                same = b"twice"
                parts = [SERVICE, b"", same, b"", same, b"z" * 70_000, bytes(range(256))]
                uuid = f"{protocol:032X}"
                (folder / f"{uuid}.req").write_bytes(pickle.dumps(parts, protocol=protocol))
                (folder / f"{uuid}.rep").write_bytes(pickle.dumps(parts[1:], protocol=protocol))
                code, output, _ = self.run_titanic("--import", str(folder))
                self.assertEqual((code, output), (0, "pending 0, answered 1, known 0, unreadable 0\n"))
        broker = self.start_broker()
        self.start_titanic(broker.endpoint)
        client = self.client(broker.endpoint, "0.1")
        self.assertEqual(client.request(b"titanic.reply", b"%032X" % 4), [b"200", *parts[1:]])

    def test_a_missing_folder_is_an_error(self):
        code, output, errors = self.run_titanic("--import", str(self.folder / "nowhere"))
        self.assertEqual((code, output), (1, ""))
        self.assertIn("cannot import", errors)


class DamagedTest(TitanicCase):
    def test_is_seen_and_what_remains_is_salvaged(self):
        broker = self.start_broker()
        titanic, _ = self.start_titanic(broker.endpoint)
        client = self.client(broker.endpoint, "0.1")
        uuids = [self.request(client, [b"body %d" % i, os.urandom(2000)]) for i in range(200)]
        self.assertEqual(titanic.stop(), 0)
        data = bytearray(Path(self.store).read_bytes())
        # In the midst of some body.
        at = data.index(b"body 100") + 1000
        data[at] ^= 0x10
        Path(self.store).write_bytes(data)
        code, output, errors = self.run_titanic("--connect", broker.endpoint)
        self.assertEqual((code, output), (1, ""))
        self.assertIn("--salvage", errors)
        code, output, _ = self.run_titanic("--salvage")
        self.assertEqual((code, output), (0, "kept 199, reopened 0, lost 1\n"))
        self.assertEqual((self.folder / "store.damaged").read_bytes(), data)
        self.assertEqual(self.run_titanic("--salvage")[0], 1)
        titanic, counts = self.start_titanic(broker.endpoint)
        self.assertEqual(counts, [199, 199])
        states = [client.request(b"titanic.reply", uuid)[0] for uuid in uuids]
        self.assertEqual(states, [b"400" if i == 100 else b"300" for i in range(200)])
        self.assertEqual(titanic.stop(), 0)

    def test_the_store_of_another_is_left_to_it(self):
        broker = self.start_broker()
        self.start_titanic(broker.endpoint)
        code, _, errors = self.run_titanic("--connect", broker.endpoint)
        self.assertEqual(code, 1)
        self.assertIn("another process", errors)


if __name__ == "__main__":
    unittest.main()

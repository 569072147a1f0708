#!/usr/bin/python3
"""zinc proxy between pyzmq sockets: its named forms, other types, capture, control and last values."""

import signal
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from shell_case import ShellCase  # noqa: E402
from zinc_programs import Program, zinc_path  # noqa: E402
import zmq  # noqa: E402

ANY = "tcp://127.0.0.1:*"


class ProxyCase(ShellCase):
    def start_proxy(self, *words):
        return Program(self, [zinc_path(), "proxy", *words])

    def bound_at(self, process, word="bound"):
        said, endpoint = process.read_line().split()
        self.assertEqual(said, word)
        return endpoint

    def stop(self, process):
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)

    def run_proxy(self, *words):
        done = subprocess.run([zinc_path(), "proxy", *words], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        return done.returncode, done.stdout + done.stderr


class Forms(ProxyCase):
    def test_a_queue(self):
        proxy = self.start_proxy("queue", "--frontend", ANY, "--backend", ANY)
        req = self.connected(zmq.REQ, self.bound_at(proxy))
        rep = self.connected(zmq.REP, self.bound_at(proxy))
        req.send(b"question")
        self.assertEqual(rep.recv(), b"question")
        rep.send(b"answer")
        self.assertEqual(req.recv(), b"answer")
        self.stop(proxy)

    def test_a_streamer(self):
        proxy = self.start_proxy("streamer", "--frontend", ANY, ANY, "--backend", ANY)
        first, second = (self.connected(zmq.PUSH, self.bound_at(proxy)) for _ in range(2))
        pull = self.connected(zmq.PULL, self.bound_at(proxy))
        for push, text in ((first, b"one"), (second, b"two")):
            push.send_multipart([text, b""])
            self.assertEqual(pull.recv_multipart(), [text, b""])
        self.stop(proxy)

    def test_a_forwarder_passes_subscriptions_upstream(self):
        pub, endpoint = self.bound(zmq.XPUB)
        proxy = self.start_proxy("forwarder", "--frontend", endpoint, "--connect-frontend",
                                 "--backend", ANY)
        sub = self.connected(zmq.SUB, self.bound_at(proxy))
        sub.subscribe(b"A")
        self.assertEqual(pub.recv(), b"\x01A")
        pub.send(b"B")
        pub.send(b"A1")
        self.assertEqual(sub.recv(), b"A1")
        sub.unsubscribe(b"A")
        self.assertEqual(pub.recv(), b"\x00A")
        self.stop(proxy)

    def test_types_by_name(self):
        proxy = self.start_proxy("--frontend", "sub", ANY, "--backend", "PUSH", ANY)
        pub = self.connected(zmq.XPUB, self.bound_at(proxy))
        pull = self.connected(zmq.PULL, self.bound_at(proxy))
        self.assertEqual(pub.recv(), b"\x01")
        pub.send(b"anything")
        self.assertEqual(pull.recv(), b"anything")
        self.stop(proxy)

    def test_the_backend_may_connect_too(self):
        pull, endpoint = self.bound(zmq.PULL)
        proxy = self.start_proxy("streamer", "--frontend", ANY, "--backend", endpoint,
                                 "--connect-backend")
        self.connected(zmq.PUSH, self.bound_at(proxy)).send(b"x")
        self.assertEqual(pull.recv(), b"x")


class Watching(ProxyCase):
    def test_a_capture_sees_both_ways(self):
        for kind, peer_type in (("push", zmq.PULL), ("pub", zmq.SUB)):
            with self.subTest(kind):
                proxy = self.start_proxy("queue", "--frontend", ANY, "--backend", ANY, "--capture",
                                         kind, ANY)
                req = self.connected(zmq.DEALER, self.bound_at(proxy), routing_id=b"me")
                rep = self.connected(zmq.DEALER, self.bound_at(proxy))
                seen = self.connected(peer_type, self.bound_at(proxy, "capture"))
                if peer_type == zmq.SUB:
                    seen.subscribe(b"")
                    # Sends until the subscription has arrived.
                    while not seen.poll(20):
                        req.send(b"hello")
                        rep.recv_multipart()
                req.send(b"question")
                request = rep.recv_multipart()
                self.assertEqual(request, [b"me", b"question"])
                rep.send_multipart([b"me", b"answer"])
                self.assertEqual(req.recv(), b"answer")
                while (first := seen.recv_multipart()) == [b"me", b"hello"]:
                    pass
                self.assertEqual(first, [b"me", b"question"])
                self.assertEqual(seen.recv_multipart(), [b"me", b"answer"])
                self.stop(proxy)

    def test_it_is_steered_as_libzmqs_are(self):
        proxy = self.start_proxy("streamer", "--frontend", ANY, "--backend", ANY, "--control", ANY)
        push = self.connected(zmq.PUSH, self.bound_at(proxy))
        pull = self.connected(zmq.PULL, self.bound_at(proxy))
        control = self.connected(zmq.REQ, self.bound_at(proxy, "control"))
        push.send(b"12345")
        self.assertEqual(pull.recv(), b"12345")
        control.send(b"PAUSE")
        control.recv()
        push.send(b"later")
        self.assertEqual(pull.poll(100), 0)
        control.send(b"RESUME")
        control.recv()
        self.assertEqual(pull.recv(), b"later")
        control.send(b"STATISTICS")
        numbers = [struct.unpack("Q", part)[0] for part in control.recv_multipart()]
        self.assertEqual(numbers, [2, 10, 0, 0, 0, 0, 2, 10])
        control.send(b"TERMINATE")
        control.recv()
        self.assertEqual(proxy.wait(), 0)

    def test_sigusr1_logs_what_was_forwarded(self):
        process = subprocess.Popen(
            [zinc_path(), "proxy", "streamer", "--frontend", ANY, "--backend", ANY],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        endpoints = [process.stdout.readline().split()[1] for _ in range(2)]
        self.connected(zmq.PUSH, endpoints[0]).send(b"12345")
        self.assertEqual(self.connected(zmq.PULL, endpoints[1]).recv(), b"12345")
        process.send_signal(signal.SIGUSR1)
        self.assertIn("frontend_received=1 frontend_received_bytes=5 ", process.stderr.readline())


class LastValues(ProxyCase):
    def test_a_late_subscriber_gets_the_last_value(self):
        proxy = self.start_proxy("--last-value", "--last-value-topics", "2", "--frontend", ANY,
                                 "--backend", ANY)
        pub = self.connected(zmq.XPUB, self.bound_at(proxy))
        endpoint = self.bound_at(proxy)
        self.assertEqual(pub.recv(), b"\x01")
        early = self.connected(zmq.SUB, endpoint)
        early.subscribe(b"")
        for topic, value in ((b"A", b"1"), (b"B", b"2"), (b"A", b"3"), (b"C", b"4")):
            pub.send_multipart([topic, value])
        # A message that was published before the subscription may come from the cache.
        while early.recv_multipart() != [b"C", b"4"]:
            pass
        for expected in ([b"A", b"3"], [b"C", b"4"]):
            for _ in range(2):
                late = self.connected(zmq.SUB, endpoint)
                late.subscribe(expected[0])
                self.assertEqual(late.recv_multipart(), expected)
        late = self.connected(zmq.SUB, endpoint)
        late.subscribe(b"B")
        pub.send_multipart([b"B", b"5"])
        self.assertEqual(late.recv_multipart(), [b"B", b"5"])
        self.stop(proxy)


class Misuse(ProxyCase):
    def test_faults_are_named(self):
        for words, fault in (
            ((), "--frontend"),
            (("--frontend", ANY, "--backend", ANY), "FORM"),
            (("queue", "--frontend", "router", ANY, "--backend", "dealer", ANY), "or FORM"),
            (("--frontend", "pull", ANY, "--backend", ANY), "a type each"),
            (("--frontend", "pull", "--backend", "push", ANY), "endpoint"),
            (("--frontend", "pipe", ANY, "--backend", "push", ANY), "pipe"),
            (("--frontend", "push", ANY, "--backend", "push", ANY), "receive"),
            (("queue", "--last-value", "--frontend", ANY, "--backend", ANY), "forwarder"),
            (("queue", "--frontend", ANY, "--backend", ANY, "--capture", "pull", ANY), "push"),
            (("queue", "--frontend", ANY, "--backend", ANY, "--connect-capture"), "--capture"),
            (("queue", "--frontend", ANY, "--backend", ANY, "--last-value-topics", "1"), "--last-value"),
            (("queue", "--frontend", ANY, "--backend", "tcp://localhost"), "tcp://localhost"),
            (("queue", "--frontend", "tcp://*:5557", "--connect-frontend", "--backend", ANY),
             "tcp://*:5557"),
        ):
            with self.subTest(words):
                code, said = self.run_proxy(*words)
                self.assertEqual(code, 2, said)
                self.assertIn(fault, said)

    def test_an_address_in_use_is_a_failure(self):
        _, endpoint = self.bound(zmq.PULL)
        code, said = self.run_proxy("queue", "--frontend", endpoint, "--backend", ANY)
        self.assertEqual(code, 1)
        self.assertIn(endpoint, said)


if __name__ == "__main__":
    unittest.main()

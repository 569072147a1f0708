#!/usr/bin/python3
"""zinc bench between two processes, and in one."""

import json
import signal
import socket
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from terminal import Terminal  # noqa: E402: behind the line above
from zinc_program import ZINC, started  # noqa: E402: behind the line above
from zmtp_bytes import frame, greeting, ready  # noqa: E402

DEADLINE = 60
COUNT = 500
MEASURED = 1  # the kind of a stamp
PAIRS = (("push", "pull"), ("pub", "sub"), ("dealer", "router"), ("req", "rep"), ("dealer", "rep"))


def run(*words):
    return subprocess.run([ZINC, "bench", *words], capture_output=True, text=True, timeout=DEADLINE, check=False)


class RawPeer:
    """The bytes of a peer that zinc bench connects to."""

    def __init__(self, case, socket_type):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(DEADLINE)
        case.addCleanup(self.server.close)
        self.endpoint = f"tcp://127.0.0.1:{self.server.getsockname()[1]}"
        self.socket_type = socket_type

    def __enter__(self):
        self.stream, _ = self.server.accept()
        self.stream.settimeout(DEADLINE)
        self.stream.sendall(greeting() + ready(self.socket_type))
        self.file = self.stream.makefile("rb")
        self.file.read(64)
        self.body()
        return self

    def __exit__(self, *_):
        self.file.close()
        self.stream.close()

    def body(self):
        """The last part of the next message, or the next command."""
        flags = 1
        while flags & 1:
            flags, size = self.file.read(2)
            body = self.file.read(size)
        return body

    def reply(self, body):
        self.stream.sendall(frame(b"", 1) + frame(body))

    def stamps(self, kind):
        """Numbers and times of the next messages of this kind, up to one of another kind."""
        while (body := self.body())[4] == kind:
            yield struct.unpack(">QQ", body[5:21])


class BenchTest(unittest.TestCase):
    def start(self, *words):
        return self.enterContext(started("bench", *words, stderr=subprocess.PIPE))

    def bind(self, *words):
        process = self.start(*words, "--bind", "tcp://127.0.0.1:*", "--json")
        bound, endpoint = process.stderr.readline().split()
        self.assertEqual(bound, "bound")
        return process, endpoint

    def check(self, report, socket_type):
        self.assertEqual((report["type"], report["messages"], report["lost"], report["size"]),
                         (socket_type.upper(), COUNT, 0, 100))
        latency = report["latency_us"]
        self.assertEqual(list(latency), ["p50", "p90", "p99", "p99.9", "max"])
        self.assertEqual(sorted(latency.values()), list(latency.values()))

    def test_measures_in_one_process(self):
        for one, other in PAIRS[:4]:
            with self.subTest(one):
                result = run(one, "--count", str(COUNT), "--size", "100B", "--rate", "20000", "--json")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.check(json.loads(result.stdout), other if one in ("push", "pub") else one)

    def test_measures_between_two_processes(self):
        for sends, answers in PAIRS:
            with self.subTest(f"{sends} {answers}"):
                other, endpoint = self.bind(answers)
                result = run(sends, "--connect", endpoint, "--count", str(COUNT), "--size", "100B", "--rate", "20000",
                             "--json")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                if answers in ("router", "rep"):
                    self.check(json.loads(result.stdout), sends)
                    other.send_signal(signal.SIGTERM)
                report = json.loads(other.communicate(timeout=DEADLINE)[0])
                self.assertEqual(other.returncode, 0)
                if answers in ("router", "rep"):
                    self.assertEqual((report["messages"], report["size"]), (COUNT + 1, 100))  # and the probe
                else:
                    self.check(report, answers)

    def test_sends_as_fast_as_possible_without_a_rate(self):
        for words in (("push",), ("dealer", "--in-flight", "50"), ("req",)):
            with self.subTest(words):
                result = run(*words, "--count", "2000")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("messages: 2000 of 64 bytes, 0 lost\n", result.stdout)
                self.assertIn("latency p99.9: ", result.stdout)

    def test_shows_the_progress_of_a_count_in_a_terminal(self):
        for words in (("push",), ("dealer",)):
            with self.subTest(words), Terminal([ZINC, "bench", *words, "--count", "2000"]) as screen:
                text, code = screen.end()
                self.assertEqual(code, 0)
                self.assertRegex(text, r"\A\r\d+ of 2000 \(\d+ %\), 0 failed, \d+/s\x1b\[K")
                self.assertRegex(text, r"\r\x1b\[K[^\r\n]*messages: 2000 ")

    def test_ends_after_the_duration(self):
        result = run("dealer", "--duration", "200ms", "--rate", "1000", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["messages"], 200)

    def test_stamps_messages_with_the_time_when_they_are_due(self):
        # However late they are sent.
        rate = 30_000
        expected = [n * 10**9 // rate for n in range(COUNT)]
        peer = RawPeer(self, b"PULL")
        sender = self.start("push", "--connect", peer.endpoint, "--rate", str(rate), "--count", str(COUNT))
        with peer:
            peer.body()  # the probe
            stamps = list(peer.stamps(MEASURED))
        self.assertEqual(sender.wait(DEADLINE), 0)
        self.assertEqual([number for number, _ in stamps], list(range(COUNT)))
        self.assertEqual([due - stamps[0][1] for _, due in stamps], expected)

    def test_a_reply_that_comes_twice_is_a_failure(self):
        peer = RawPeer(self, b"ROUTER")
        requester = self.start("dealer", "--connect", peer.endpoint, "--in-flight", "1", "--count", "1000", "--json")
        with peer:
            peer.reply(peer.body())  # the probe
            request = peer.body()
            peer.reply(request)
            peer.reply(request)
            output, errors = requester.communicate(timeout=DEADLINE)
        self.assertEqual(requester.returncode, 1)
        self.assertIn("a reply came twice", errors)
        self.assertEqual(json.loads(output)["messages"], 1)

    def test_a_peer_that_is_away_is_a_failure(self):
        for socket_type in ("push", "pub", "dealer", "req", "pull", "sub"):
            with self.subTest(socket_type):
                result = run(socket_type, "--bind", "tcp://127.0.0.1:*", "--timeout", "100ms")
                self.assertEqual((result.returncode, result.stdout), (4, ""))
                self.assertRegex(result.stderr, "zinc bench: .*check that")

    def test_a_peer_that_never_replies_is_a_failure(self):
        silent = subprocess.Popen([ZINC, "cat", "router", "tcp://127.0.0.1:*", "--bind"], stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            endpoint = silent.stderr.readline().split()[1]
            result = run("dealer", "--connect", endpoint, "--timeout", "200ms", "--count", "1")
            self.assertEqual((result.returncode, result.stdout), (4, ""))
            self.assertIn("no peer in time", result.stderr)
        finally:
            silent.kill()
            silent.wait()
            silent.stdin.close()
            silent.stderr.close()

    def test_misuse(self):
        for words in (("xpub",), (), ("dealer", "--bind", "tcp://*:1", "--connect", "tcp://a:1"),
                      ("push", "--size", "8B"), ("push", "--connect", "nowhere"),
                      ("push", "--count", "1", "--duration", "1s"), ("req", "--in-flight", "2"),
                      ("dealer", "--in-flight", "2", "--rate", "1"),
                      ("pull", "--bind", "tcp://127.0.0.1:*", "--count", "1"),
                      ("router", "--bind", "tcp://127.0.0.1:*", "--size", "100B"),
                      ("dealer", "--count", "1", "--plain-user", "alice")):
            with self.subTest(words):
                self.assertEqual(run(*words).returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""zinc bench between two processes, and in one."""

import json
import os
import signal
import subprocess
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 60
COUNT = 500
PAIRS = (("push", "pull"), ("pub", "sub"), ("dealer", "router"), ("req", "rep"), ("dealer", "rep"))


def run(*words):
    return subprocess.run([ZINC, "bench", *words], capture_output=True, text=True, timeout=DEADLINE, check=False)


class BenchTest(unittest.TestCase):
    def start(self, *words):
        process = subprocess.Popen([ZINC, "bench", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
        self.addCleanup(end)
        return process

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

    def test_ends_after_the_duration(self):
        result = run("dealer", "--duration", "200ms", "--rate", "1000", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["messages"], 200)

    def test_a_peer_that_is_away_is_a_failure(self):
        for socket_type in ("push", "pub", "dealer", "req", "pull", "sub"):
            with self.subTest(socket_type):
                result = run(socket_type, "--bind", "tcp://127.0.0.1:*", "--timeout", "100ms", "--count", "1")
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertRegex(result.stderr, "zinc bench: .*check that")

    def test_a_peer_that_never_replies_is_a_failure(self):
        silent = subprocess.Popen([ZINC, "cat", "router", "tcp://127.0.0.1:*", "--bind"], stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            endpoint = silent.stderr.readline().split()[1]
            result = run("dealer", "--connect", endpoint, "--timeout", "200ms", "--count", "1")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("no peer in time", result.stderr)
        finally:
            silent.kill()
            silent.wait()
            silent.stdin.close()
            silent.stderr.close()

    def test_misuse(self):
        for words in (("xpub",), (), ("dealer", "--bind", "tcp://*:1", "--connect", "tcp://a:1"),
                      ("push", "--size", "8B"), ("push", "--connect", "nowhere")):
            with self.subTest(words):
                self.assertEqual(run(*words).returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)

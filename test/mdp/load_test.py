#!/usr/bin/python3
"""bench/mdp_load counts answered requests, and fails if a request is not answered."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PATIENCE = 30  # seconds; nothing comes near it unless something is wrong


def program(name):
    """As Bazel built it: among the runfiles of a test, or for a run by hand in bazel-bin."""
    root = Path(__file__).resolve().parents[2]
    for path in (Path(name), root / "bazel-bin" / name):
        if path.is_file():
            return str(path.resolve())
    sys.exit(f"{name} is not built: bazel build //{Path(name).parent}:{Path(name).name}")


class LoadTest(unittest.TestCase):
    def setUp(self):
        self.broker = subprocess.Popen(
            [program("tools/zinc/zinc"), "broker", "--bind", "tcp://127.0.0.1:*"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.stop_broker)
        self.endpoint = self.broker.stdout.readline().split()[1]

    def stop_broker(self):
        self.broker.kill()
        self.broker.wait()
        self.broker.stdout.close()

    def load(self, *options):
        return subprocess.run([program("bench/mdp_load"), self.endpoint, *options], text=True,
                              capture_output=True, timeout=PATIENCE, check=False)

    def test_all_requests_are_answered_and_reported(self):
        for version in ("0.1", "0.2"):
            for clients, workers, in_flight, capacity, size in (
                    (1, 1, 1, 1, 8), (3, 2, 10, 1, 11), (5, 4, 20, 8, 5000)):
                with self.subTest(version=version, capacity=capacity):
                    done = self.load("--mdp", version, "--clients", str(clients), "--workers",
                                     str(workers), "--in-flight", str(in_flight), "--capacity",
                                     str(capacity), "--size", str(size), "--requests", "1000",
                                     "--broker-process", str(self.broker.pid))
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    lines = done.stdout.splitlines()
                    self.assertEqual(lines[0], "requests: 1000")
                    self.assertRegex(lines[1], r"^mean rate: \d+ \[request/s\]$")
                    self.assertGreater(int(re.search(r"\d+", lines[1]).group()), 0)
                    self.assertRegex(lines[2], r"^latency p50: [\d.]+ \[us\]$")
                    self.assertRegex(lines[3], r"^latency p99: [\d.]+ \[us\]$")
                    self.assertRegex(lines[5], r"^CPU of the broker: [\d.]+ \[us/request\]$")

    def test_missing_replies_are_a_failure(self):
        done = self.load("--workers", "0", "--patience", "1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("not all replies came in time", done.stderr)

    def test_a_rate_is_kept(self):
        done = self.load("--rate", "2000", "--requests", "1000", "--clients", "20", "--workers", "5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Nothing is sent before it is due.
        self.assertLess(int(re.search(r"mean rate: (\d+)", done.stdout).group(1)), 2010)

    def test_titanic_has_to_accept(self):
        with tempfile.TemporaryDirectory() as folder:
            titanic = subprocess.Popen(
                [program("tools/zinc/zinc"), "titanic", "--connect", self.endpoint, "--store",
                 os.path.join(folder, "store"), "--max-requests", "500"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                self.assertEqual(titanic.stdout.readline(), "open 0 0\n")
                options = ("--titanic", "--workers", "0", "--service", "nobody", "--clients", "8")
                done = self.load(*options, "--requests", "400")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.splitlines()[0], "requests: 400")
                done = self.load(*options, "--requests", "400")
                self.assertEqual(done.returncode, 1)
                self.assertIn("not accepted", done.stderr)
            finally:
                titanic.kill()
                titanic.wait()
                titanic.stdout.close()

    def test_misuse_has_an_exit_code_of_its_own(self):
        for words in (("--size", "7"), ("--titanic", "--workers", "1"),
                      ("--titanic", "--workers", "0", "--in-flight", "2")):
            self.assertEqual(self.load(*words).returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""Runs bench/bad_neighbours and bench/knocking in their short forms to their ends, and checks that the reports are
complete. The test does not check times."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

PATIENCE = 60  # seconds; nothing comes near it unless something is wrong
INTERRUPTIONS = ("unknown commands in a message", "PONG in a message", "all commands in a message")
CHURNS = ("PING", "SUBSCRIBE and CANCEL", "CANCEL", *INTERRUPTIONS)


def program(name):
    """As Bazel built it: among the runfiles of a test, or for a run by hand in bazel-bin."""
    root = Path(__file__).resolve().parents[2]
    for path in (Path(name), root / "bazel-bin" / name):
        if path.is_file():
            return str(path.resolve())
    sys.exit(f"{name} is not built: bazel build //{Path(name).parent}:{Path(name).name}")


def run(name, *options):
    return subprocess.run([program(name), *options], text=True, capture_output=True,
                          timeout=PATIENCE, check=False)


class BadNeighboursTest(unittest.TestCase):
    def test_all_is_reported(self):
        done = run("bench/bad_neighbours", "--seconds", "0.1", "--connects", "100", "--descriptors", "40",
                   "--part", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        served = re.search(r"^connects: 100, of which (\d+) are served with a limit of 40 "
                           r"descriptors$", done.stdout, re.MULTILINE)
        self.assertTrue(0 < int(served.group(1)) < 40)
        for line in (r"CPU with descriptors: [\d.]+ \[%\]", r"CPU without: [\d.]+ \[%\]",
                     r"round trip without: p50 [\d.]+, p99 [\d.]+, longest \d+ \[us\]",
                     r"next accepted after descriptors are free: \d+ \[ms\]"):
            self.assertRegex(done.stdout, f"(?m)^{line}$")
        for churn in CHURNS:
            found = re.search(rf"^{churn}: p99 ratio [\d.]+, ([\d.]+) MB/s in, ([\d.]+) bytes out "
                              r"for each, (\d+) connections$", done.stdout, re.MULTILINE)
            self.assertGreater(float(found.group(1)), 0, churn)
            self.assertLessEqual(float(found.group(2)), 1, churn)
            found = re.search(rf"^{churn}: longest -?[\d.]+ ms more, (\d+) messages interrupted$",
                              done.stdout, re.MULTILINE)
            self.assertEqual(int(found.group(1)) > 0, churn in INTERRUPTIONS, churn)

    def test_misuse(self):
        done = run("bench/bad_neighbours", "--descriptors", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--descriptors", done.stderr)


class KnockingTest(unittest.TestCase):
    def test_all_is_reported(self):
        done = run("bench/knocking", "--connections", "50", "--seconds", "0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in (r"memory of a handshake, nothing said: \d+ \[B\]",
                     r"memory of a handshake, greeting: \d+ \[B\]",
                     r"memory of a handshake, HELLO: \d+ \[B\]",
                     r"round trip, quiet: p50 [\d.]+, p99 [\d.]+, longest \d+ \[us\]",
                     r"round trip, while others knock: p50 [\d.]+, p99 [\d.]+, longest \d+ \[us\]",
                     r"p99 ratio [\d.]+"):
            self.assertRegex(done.stdout, f"(?m)^{line}$")


if __name__ == "__main__":
    unittest.main()

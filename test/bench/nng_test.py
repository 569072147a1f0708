#!/usr/bin/python3
"""The programs for nng: a short run of each pattern gives a figure, and no message is lost."""

import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.catalogue import WORKLOADS, with_nng
from comparison.contestants import NNG
from comparison.run import run

# Timeout for events that should come at once, on a busy machine.
PATIENCE = 60


class Programs(unittest.TestCase):
    def check(self, name, count):
        workload = with_nng(next(each for each in WORKLOADS if each.name == name))
        nng = next(each for each in workload.contestants if each.key == NNG)
        self.assertGreater(run(workload, nng, count, lambda program: program, PATIENCE).figure, 0)

    def test_a_stream(self):
        self.check("stream_64", 1000)

    def test_a_stream_of_messages_above_the_default_limit_of_nng(self):
        self.check(f"stream_{2 ** 24}", 4)

    def test_a_stream_over_ipc(self):
        self.check("stream_ipc_64", 1000)

    def test_round_trips(self):
        self.check("round_trip_64", 100)

    def test_more_is_published_than_nng_buffers(self):
        self.check("fan_out_1", 300_000)

    def test_a_fan_out_to_many(self):
        self.check("fan_out_100", 200)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The lines of libzmq's performance programs, and ours like them."""

import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.output_lines import LATENCY, MEMORY, RATE, THROUGHPUT, figure_in, says

STREAM = """message size: 16 [B]
message count: 2000000
mean throughput: 8212345 [msg/s]
mean throughput: 1051.180 [Mb/s]
"""


class OutputLines(unittest.TestCase):
    def test_the_figure_is_told_by_name_and_unit(self):
        self.assertEqual(figure_in(STREAM, THROUGHPUT), 8212345)

    def test_a_latency_has_decimals(self):
        self.assertEqual(figure_in("average latency: 13.617 [us]\n", LATENCY), 13.617)

    def test_rate_and_memory(self):
        self.assertEqual(figure_in("requests: 5\nmean rate: 46000 [request/s]\n", RATE), 46000)
        self.assertEqual(figure_in("memory per connection: 24012 [B]\n", MEMORY), 24012)

    def test_figures_may_have_an_exponent(self):
        self.assertEqual(figure_in("mean rate: 1.5e+06 [request/s]\n", RATE), 1.5e6)

    def test_an_incomplete_line_has_no_figure(self):
        for end in range(len(STREAM) - len("mean throughput: 1051.180 [Mb/s]\n")):
            self.assertIsNone(figure_in(STREAM[:end], THROUGHPUT))

    def test_other_figures_and_words_are_none(self):
        self.assertIsNone(figure_in("mean throughput: many [msg/s]\n", THROUGHPUT))
        self.assertIsNone(figure_in("mean throughput: 5 [Mb/s]\n", THROUGHPUT))
        self.assertIsNone(figure_in("", THROUGHPUT))

    def test_says_looks_at_the_beginnings_of_whole_lines(self):
        self.assertTrue(says("x\nconnections: 10\n", "connections"))
        self.assertFalse(says("connections: 10", "connections"))
        self.assertFalse(says("no connections: 10\n", "connections"))


if __name__ == "__main__":
    unittest.main()

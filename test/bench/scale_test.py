#!/usr/bin/python3
"""Axes: all values fit, and the ticks are round."""

import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.scale import LinearScale, LogScale


class Scales(unittest.TestCase):
    def test_values_lie_between_the_ends_of_the_scale(self):
        for low, high in ((1, 1), (1, 10), (2.9, 7.1), (41e3, 205e6), (0.013, 0.014), (9.99, 1e9)):
            scale = LogScale(low, high, 400, 100)
            for value in (low, high):
                self.assertLessEqual(scale(value), 400)
                self.assertGreaterEqual(scale(value), 100)
            self.assertLessEqual(len(scale.ticks), 13)

    def test_few_decades_have_ticks_between(self):
        self.assertEqual(LogScale(11, 450, 0, 1).ticks, [10, 20, 50, 100, 200, 500])

    def test_many_decades_have_one_tick_each(self):
        self.assertEqual(LogScale(41e3, 205e6, 0, 1).ticks, [1e4, 1e5, 1e6, 1e7, 1e8, 1e9])

    def test_equal_factors_are_equally_far_apart(self):
        scale = LogScale(11, 900, 0, 100)
        self.assertAlmostEqual(scale(40) - scale(20), scale(400) - scale(200))

    def test_a_linear_axis_begins_at_zero_and_leaves_room(self):
        for high in (0.4, 14.9, 15, 20, 99):
            scale = LinearScale(high, 400, 100)
            self.assertEqual(scale.ticks[0], 0)
            self.assertEqual(scale(0), 400)
            self.assertGreater(scale.ticks[-1], high)
            self.assertGreaterEqual(scale(high), 100)


if __name__ == "__main__":
    unittest.main()

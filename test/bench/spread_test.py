#!/usr/bin/python3
"""Median, least and greatest."""

import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.spread import Spread, ratios, spread


class SpreadTest(unittest.TestCase):
    def test_the_median_is_the_middle_one_whatever_the_order(self):
        self.assertEqual(spread([9, 1, 5]), Spread(5, 1, 9))

    def test_an_even_number_has_its_median_between_the_middle_two(self):
        self.assertEqual(spread([1, 2, 4, 100]), Spread(3, 1, 100))

    def test_an_empty_list_has_no_spread(self):
        self.assertIsNone(spread([]))

    def test_ratios_are_taken_within_the_round(self):
        self.assertEqual(ratios([10, 40], [5, 10]), [2, 4])

    def test_rounds_that_one_side_lacks_are_left_out(self):
        self.assertEqual(ratios([10, 40, 50], [5]), [2])

    def test_a_round_of_nothing_has_no_ratio(self):
        self.assertEqual(ratios([10, 40], [0, 10]), [4])


if __name__ == "__main__":
    unittest.main()

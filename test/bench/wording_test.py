#!/usr/bin/python3
"""Numbers for people."""

import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison import wording
from comparison.spread import Spread


class Wording(unittest.TestCase):
    def test_three_digits_and_a_letter(self):
        numbers = (0, 0.123, 5, 27.24, 812, 43_100, 999_499, 999_960, 7_100_000, 205e6, 1.4e9)
        self.assertEqual([wording.short(number) for number in numbers],
                         ["0", "0.12", "5.00", "27.2", "812", "43.1 k", "999 k", "1.00 M",
                          "7.10 M", "205 M", "1.40 G"])

    def test_ticks_have_no_needless_digits(self):
        self.assertEqual([wording.tick(number) for number in (0, 2.5, 20, 5_000, 1e6, 2e8, 1e9)],
                         ["0", "2.5", "20", "5 k", "1 M", "200 M", "1 G"])

    def test_figures_that_are_not_rates_have_a_unit(self):
        self.assertEqual(wording.figure(13.617, "us"), "13.6 µs")
        self.assertEqual(wording.figure(8192, "B"), "8.00 KiB")
        self.assertEqual(wording.figure(8_212_345, "msg/s"), "8.21 M")

    def test_a_common_unit_stands_once(self):
        self.assertEqual(wording.spread_of_figures(Spread(7.1e6, 2.9e6, 7.2e6), "msg/s"),
                         "7.10 M [2.90–7.20 M]")
        self.assertEqual(wording.spread_of_figures(Spread(1e6, 9e5, 2e6), "msg/s"),
                         "1.00 M [900 k–2.00 M]")

    def test_a_value_without_unit_is_a_ratio_and_nanoseconds_may_be_negative(self):
        value = Spread(-200.0, -1500.0, 1200.0)
        self.assertEqual(wording.spread_of_value(value, "ns"), "-200 [-1,500–1,200] ns")
        self.assertEqual(wording.spread_of_value(Spread(2.0, 1.0, 3.0), ""), "2.00 [1.00–3.00]")
        self.assertEqual(wording.spread_of_value(Spread(2048, 1024, 3072), "B"), "2.00 KiB [1.00–3.00 KiB]")


if __name__ == "__main__":
    unittest.main()

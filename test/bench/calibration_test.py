#!/usr/bin/python3
"""How many messages a run gets."""

import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.calibration import MOST_COUNT, MOST_GROWTH, calibrate, round_up, scaled


class Programs:
    """Programs that need `start` seconds to reach their full speed, and then 1 / `rate` seconds for each
    message."""

    def __init__(self, rate, start=0.0):
        self.rate, self.start, self.counts = rate, start, []

    def run(self, count):
        self.counts.append(count)
        return self.start + count / self.rate


class Calibration(unittest.TestCase):
    def test_counts_are_rounded_up_to_two_digits(self):
        self.assertEqual([round_up(count) for count in (1, 9, 10, 99, 101, 123456, 990001)],
                         [1, 9, 10, 99, 110, 130000, 1000000])

    def test_a_run_of_the_wanted_length_is_enough(self):
        programs = Programs(rate=1000)
        self.assertEqual(calibrate(programs.run, 1000, 1.0, 5), 1000)
        self.assertEqual(programs.counts, [1000])

    def test_counts_grow_until_the_run_lasts(self):
        for rate in (10, 5_000, 8_200_000, 205_000_000):
            programs = Programs(rate)
            count = calibrate(programs.run, 1000, 1.0, 5)
            self.assertGreaterEqual(count / rate, 0.9)
            self.assertLessEqual(count / rate, 1.5)

    def test_a_slow_start_does_not_leave_the_run_short(self):
        programs = Programs(rate=1_000_000, start=0.05)
        count = calibrate(programs.run, 1000, 1.0, 5)
        self.assertGreaterEqual(programs.run(count), 0.9)

    def test_a_first_run_that_took_too_long_makes_the_next_shorter(self):
        programs = Programs(rate=10)
        self.assertEqual(calibrate(programs.run, 1000, 1.0, 5), 11)
        self.assertEqual(programs.counts, [1000])

    def test_attempts_are_limited(self):
        programs = Programs(rate=1e12)
        self.assertEqual(calibrate(programs.run, 1000, 1.0, 2), 1000 * MOST_GROWTH ** 2)
        self.assertEqual(len(programs.counts), 2)

    def test_counts_stay_what_the_programs_can_read(self):
        self.assertEqual(scaled(MOST_COUNT, 0.1, 1.0), MOST_COUNT)

    def test_there_is_always_a_message(self):
        self.assertEqual(scaled(1, 100.0, 1.0), 1)


if __name__ == "__main__":
    unittest.main()

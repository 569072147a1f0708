#!/usr/bin/python3
"""The printed tables are complete: they include missed targets, omitted programs and failures."""

import unittest

from made_up import failed, measured
from comparison import tables
from comparison.judgement import falls
from comparison.results import failures


class Tables(unittest.TestCase):
    def test_columns_are_as_wide_as_their_widest_cell(self):
        self.assertEqual(tables.aligned([("a", "b"), ("long", "1"), ("c", "22")]),
                         "a      b\n----  --\nlong   1\nc     22")

    def test_the_summary_has_figures_ratio_target_and_cpu(self):
        text = tables.summary([measured("stream_16", ours=[45e6, 50e6, 55e6], theirs=[5e6] * 3,
                                        limit=[90e6] * 3)])
        self.assertRegex(text, r"stream_16 +msg/s +50\.0 M +5\.00 M +90\.0 M +10\.00 \[9\.00–11\.00\]"
                               r" +≥ 10 × libzmq +yes +2,000 +2,000")

    def test_a_second_target_has_a_line_of_its_own(self):
        text = tables.summary([measured("round_trip_1", ours=[7], theirs=[14], limit=[5])])
        self.assertRegex(text.splitlines()[-3], r"1\.40 \[1\.40–1\.40\] +≤ 1\.06 × limit +NO")
        self.assertRegex(text.splitlines()[-1], r"^ +0 \[0–0\] ns +server CPU ≤ limit \+ 1 µs +yes$")

    def test_a_workload_without_target_shows_its_ratio(self):
        text = tables.summary([measured("multipart_10", ours=[30], theirs=[10])])
        self.assertRegex(text, r"3\.00 \[3\.00–3\.00\] +– +–")

    def test_a_contestant_that_failed_is_said_to_have(self):
        measurements = [failed(measured("single_attempt_64", ours=[45], theirs=[]), "theirs", "no port")]
        self.assertIn("FAILED", tables.pairings(measurements))
        self.assertIn("not measured", tables.summary(measurements))
        self.assertEqual(tables.findings(measurements, [], failures(measurements)), [
            "target not measured: single_attempt_64: ≥ 3 × libzmq",
            "run FAILED: single_attempt_64: libzmq: no port"])

    def test_cpu_is_shown_for_all_processes_and_for_each(self):
        text = tables.pairings([measured("stream_64", ours=[45], theirs=[10])])
        self.assertRegex(text, r"ours +receiver 1,000, sender 1,000 +receiver 5\.00, sender 5\.00 .* 2,000 +msg")

    def test_missed_targets_and_falling_ratios_are_findings(self):
        measurements = [measured("fan_out_1", ours=[80], theirs=[10]),
                        measured("fan_out_10", ours=[30], theirs=[10], ours_to_theirs=[9])]
        self.assertEqual(tables.findings(measurements, falls(measurements), []), [
            "target MISSED: fan_out_10: 3.00 [3.00–3.00], target ≥ 5 × libzmq",
            "target MISSED: fan_out_10: 0.90 [0.90–0.90], target ≥ 0.95 × libzmq, ours to libzmq",
            "ratio FALLS: fan_out: 8.00 [8.00–8.00] at 1, 3.00 [3.00–3.00] at 10"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""bench/majordomo: what it makes of figures, and a short run of all of it."""

import io
import contextlib
import json
import os
import tempfile
import unittest
from pathlib import Path

import from_bench  # noqa: F401: makes comparison known
from comparison.figures import Failed
from comparison.majordomo import (Figures, arguments, figures_of, main, report_crowd,
                                  report_flood, report_titanic)

OUTPUT = """requests: 1000
mean rate: 5000 [request/s]
latency p50: 90.9 [us]
latency p99: 503.7 [us]
CPU of the load: 57.333 [us/request]
"""


def at(p99, rate=5000):
    return Figures(rate, 50, p99)


class Reports(unittest.TestCase):
    def test_figures_are_those_of_the_output(self):
        self.assertEqual(figures_of(OUTPUT), Figures(5000, 90.9, 503.7))
        with self.assertRaisesRegex(Failed, "no figures"):
            figures_of(OUTPUT[:-60])

    def test_a_crowd_is_judged_by_the_median_of_the_ratios(self):
        text, result = report_crowd([(at(100), at(290)), (at(200), at(300)), (at(100), at(900))], 10, 5000,
                                    5000)
        self.assertEqual((result["ratio"], result["met"]), (2.9, True))
        self.assertIn("2.90 x [1.50–9.00], target <= 3 x: met", text)
        text, result = report_crowd([(at(100), at(301))], 10, 5000, 5000)
        self.assertFalse(result["met"])
        self.assertIn("MISSED", text)

    def test_a_flood_is_judged_by_the_latency_and_by_the_share(self):
        for p99, rate, met in ((150, 900 * 10 / 11, True), (151, 899 * 10 / 11, False)):
            (text, other), (_, same) = report_flood([(at(100), at(p99))], [(at(100, 1000), at(9_000, rate))])
            self.assertEqual((other["met"], same["met"]), (met, met))
            self.assertIn("met" if met else "MISSED", text)

    def test_titanic_is_judged_by_both(self):
        for rate, p99, met in ((20_000, 10_000, True), (19_999, 10_000, False), (20_000, 10_001, False)):
            text, result = report_titanic("full sync", [at(p99, rate)] * 3, 20_000, 10_000)
            self.assertEqual(result["met"], met)
            self.assertIn("met" if met else "MISSED", text)
        self.assertNotIn("target", report_titanic("no sync", [at(1)])[0])

    def test_the_targets_are_measured_without_flags(self):
        settings = arguments([])
        self.assertEqual((settings.peers, settings.few, settings.only), (5_000, 10, None))


class Run(unittest.TestCase):
    """With the real programs, in seconds: that it runs them all, not what they reach."""

    SHORT = ("--rounds", "1", "--seconds", "0.5", "--rate", "500", "--peers", "100", "--requests", "1000",
             "--modest", "1000")

    def run_it(self, *words):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines, errors, file = [], io.StringIO(), Path(folder.name) / "figures.json"
        with contextlib.redirect_stderr(errors):
            code = main([*self.SHORT, *words, "--store", folder.name, "--json", str(file)],
                        say=lines.append)
        return code, lines, errors.getvalue(), json.loads(file.read_text()) if file.exists() else None

    def test_all_of_it(self):
        programs = Path(os.environ["TEST_SRCDIR"]) / os.environ["TEST_WORKSPACE"]
        code, lines, errors, figures = self.run_it("--programs", str(programs))
        self.assertEqual((code, errors), (0, ""))
        lines = [line for line in lines if "load average" not in line]
        for line, begin in zip(lines, ("100 workers and 100 clients at 500 request/s: p99 ",
                                       "10 clients beside a flood of another service: p99 ",
                                       "10 clients beside a flood of their service: ",
                                       "Titanic, 64 clients, full sync: ", "Titanic, 64 clients, no sync: ",
                                       "Titanic, 64 clients, flushes of 5 ms: ",
                                       "Titanic, full sync beside no sync: ")):
            self.assertTrue(line.startswith(begin), line)
        self.assertEqual(len(lines), 7)
        slow = figures["results"][5]
        # One request cannot be accepted faster than a flush takes, nor 64 at once.
        self.assertGreater(slow["rounds"][0]["p50"], 5_000)
        self.assertLess(slow["rate"], 64 / 0.005)
        self.assertIn("commit", figures["machine"])

    def test_a_program_that_is_not_there_is_a_failure(self):
        code, _, errors, figures = self.run_it("--programs", "/nowhere")
        self.assertEqual((code, figures), (1, None))
        self.assertIn("/nowhere", errors)


if __name__ == "__main__":
    unittest.main()

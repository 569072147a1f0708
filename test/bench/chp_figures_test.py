#!/usr/bin/python3
"""bench/chp_figures: the evaluation of figures, and a short run of the whole program."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path

import from_bench  # noqa: F401: makes comparison known
from comparison.clustered_hashmap import PIPELINE, SETS, SNAPSHOT, arguments, figures_of, main, report_rounds
from comparison.figures import Failed

OUTPUT = """keys: 1000
snapshot: 812.5 [ms]
longest handler: 2.10 [ms]
"""


class Reports(unittest.TestCase):
    def test_figures_are_those_of_the_output(self):
        self.assertEqual(figures_of(OUTPUT, SNAPSHOT), {"time": 812.5, "longest handler": 2.1})
        with self.assertRaisesRegex(Failed, "no figures"):
            figures_of(OUTPUT, SETS)

    def test_the_median_is_judged(self):
        for times, met in (([900, 1_000, 2_000], True), ([900, 1_001, 1_002], False)):
            (text, result), (_, handler) = report_rounds(
                "a snapshot", SNAPSHOT, [{"time": each, "longest handler": 5.1} for each in times])
            self.assertEqual((result["met"], handler["met"]), (met, False))
            self.assertIn("met" if met else "MISSED", text)

    def test_a_rate_has_a_least_value(self):
        for rate, met in ((300_000, True), (299_999, False)):
            ((text, result),) = report_rounds("updates", PIPELINE, [{"updates": rate}])
            self.assertEqual(result["met"], met)
            self.assertIn("target >= 300,000: " + ("met" if met else "MISSED"), text)

    def test_the_targets_are_measured_without_flags(self):
        settings = arguments([])
        self.assertEqual((settings.keys, settings.subscribers, settings.only), (1_000_000, 1_000, None))


class Run(unittest.TestCase):
    """Runs the real programs for seconds. The test checks that all of them run, not their figures."""

    SHORT = ("--rounds", "1", "--keys", "5000", "--sets", "50", "--subscribers", "20", "--updates", "500",
             "--stored", "5000", "--pipelined", "5000", "--rate", "1000")

    def run_it(self, programs):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines, errors, file = [], io.StringIO(), Path(folder.name) / "figures.json"
        with contextlib.redirect_stderr(errors):
            code = main([*self.SHORT, "--programs", str(programs), "--json", str(file)], say=lines.append)
        return code, lines, errors.getvalue(), json.loads(file.read_text()) if file.exists() else None

    def test_all_of_it(self):
        code, lines, errors, figures = self.run_it(
            Path(os.environ["TEST_SRCDIR"]) / os.environ["TEST_WORKSPACE"])
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(len([line for line in lines if "load average" not in line]), 21)
        self.assertEqual([each["figure"] for each in figures["results"]],
                         ["time", "longest handler", "p50", "p99", "updates", "updates", "longest pause",
                          "in sync after", "updates", "not from the log", "start", "p50", "p99", "updates",
                          "longest handler", "longest wait", "whole map written anew", "longest handler then",
                          "longest wait then", "deliveries", "updates"])
        for each in figures["results"]:
            # On a busy machine the pair may have failed over, so that the logs do not compare.
            if each["figure"] != "not from the log":
                self.assertGreaterEqual(each["median"], 0)
                self.assertTrue(each["median"] > 0 or "wait" in each["figure"], each)

    def test_a_program_that_is_not_there_is_a_failure(self):
        code, _, errors, figures = self.run_it("/nowhere")
        self.assertEqual((code, figures), (1, None))
        self.assertIn("/nowhere", errors)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""bench/open_loop: what it makes of figures, and a short run of all of it."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path

import from_bench  # noqa: F401: makes comparison known
from comparison.figures import Failed
from comparison.open_loop import Figures, arguments, describe, figures_of, main

OUTPUT = """message size: 64 [B]
message count: 1000
mean throughput: 5000 [msg/s]
latency p50: 20.5 [us]
latency p99: 90.9 [us]
latency p99.9: 503.7 [us]
"""


class Reports(unittest.TestCase):
    def test_figures_are_those_of_the_output(self):
        self.assertEqual(figures_of(OUTPUT), Figures(5000, 20.5, 90.9, 503.7))
        with self.assertRaisesRegex(Failed, "no figures"):
            figures_of(OUTPUT[:-60])

    def test_a_line_has_the_medians_of_the_rounds(self):
        rounds = [Figures(5000, p50, 100, 1000) for p50 in (10, 20, 60)]
        text, figures = describe("Zinc", "50 % of its peak", 5_000_000, rounds)
        self.assertEqual(text, "Zinc at 50 % of its peak, 5.00 M/s: p50 20 [10–60], p99 100 [100–100], "
                               "p99.9 1,000 [1,000–1,000] us")
        self.assertEqual([each["p50"] for each in figures["rounds"]], [10, 20, 60])

    def test_the_loads_are_measured_without_flags(self):
        self.assertEqual(arguments([]).percent, [10, 50, 90])


class Run(unittest.TestCase):
    """With the real programs, in seconds: that it runs them all, not what they reach."""

    def run_it(self, *words):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines, errors, file = [], io.StringIO(), Path(folder.name) / "figures.json"
        with contextlib.redirect_stderr(errors):
            code = main(["--rounds", "1", "--seconds", "0.1", "--percent", "20", *words, "--json", str(file)],
                        say=lines.append)
        return code, lines, errors.getvalue(), json.loads(file.read_text()) if file.exists() else None

    def test_all_of_it(self):
        programs = Path(os.environ["TEST_SRCDIR"]) / os.environ["TEST_WORKSPACE"]
        code, lines, errors, figures = self.run_it("--programs", str(programs))
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual([(each["library"], each["load"]) for each in figures["results"]],
                         [("Zinc", "20 % of its peak"), ("libzmq", "20 % of its peak"),
                          ("Zinc", "20 % of libzmq's peak")])
        self.assertIn("Zinc at 20 % of libzmq's peak", lines[-1])
        for each in figures["results"]:
            self.assertGreater(each["rounds"][0]["p50"], 0)

    def test_a_message_without_space_for_a_time_is_a_failure(self):
        programs = Path(os.environ["TEST_SRCDIR"]) / os.environ["TEST_WORKSPACE"]
        code, _, errors, _ = self.run_it("--programs", str(programs), "--size", "4")
        self.assertEqual(code, 1)
        self.assertIn("Zinc", errors)

    def test_a_program_that_is_not_there_is_a_failure(self):
        code, _, errors, figures = self.run_it("--programs", "/nowhere")
        self.assertEqual((code, figures), (1, None))
        self.assertIn("/nowhere", errors)


if __name__ == "__main__":
    unittest.main()

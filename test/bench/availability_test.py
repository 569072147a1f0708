#!/usr/bin/python3
"""bench/availability: the checks of its figures, and a short run of all rows."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import from_bench  # noqa: F401: makes comparison known
from comparison.availability import (MEASURED, Flapping, Recovery, SteadyClient, arguments, flapping_of, main,
                                     report_flapping, report_recovery)
from comparison.figures import Failed
from comparison.processes import Processes

OUTPUT = """ready: answered
calls: 200 [call]
answers: 200 [call]
latency p50: 90.9 [us]
latency p99: 503.5 [us]
longest call: 1000250.0 [us]
calls above a ping timeout: 3 [call]
servers passed over: 2 [time]
"""


class Checks(unittest.TestCase):
    def test_the_figures_are_those_of_the_output(self):
        self.assertEqual(flapping_of(OUTPUT), (Flapping(200, 3, 0.5035, 1000.25), 2))

    def test_a_call_without_an_answer_is_an_error(self):
        for output, error in ((OUTPUT.replace("answers: 200", "answers: 199"), "199 of 200 calls were answered"),
                              (OUTPUT.replace(": 200", ": 0"), "0 of 0 calls"),
                              (OUTPUT[:-40], "no figures")):
            with self.assertRaisesRegex(Failed, error):
                flapping_of(output)

    def test_answers_have_consecutive_numbers(self):
        child = SimpleNamespace(output="answer 1: 1500000 [us]\nanswer 2: 25")
        client = SteadyClient(child)
        self.assertEqual(client.answers(), [1.5])
        child.output += "00000 [us]\n"
        self.assertEqual(client.answers(), [1.5, 2.5])
        self.assertEqual((client.first_after(1.5), client.first_after(2.5)), (2.5, None))
        child.output += "answer 4: 3000000 [us]\n"
        with self.assertRaisesRegex(Failed, "expected answer 3"):
            client.answers()


class Ends(unittest.TestCase):
    def test_a_program_that_ends_early_is_an_error(self):
        with Processes() as processes, self.assertRaisesRegex(Failed, "sh ended with 3: broken"):
            processes.start(["/bin/sh", "-c", "echo broken >&2; exit 3"])
            processes.wait_for(lambda: False, "nothing")

    def test_a_program_that_fails_when_it_is_stopped_is_an_error(self):
        with Processes() as processes:
            child = processes.start(["/bin/sh", "-c", "trap 'exit 4' TERM; echo ready; while :; do sleep 0.01; done"])
            processes.wait_for(lambda: child.output == "ready\n", "its line")
            with self.assertRaisesRegex(Failed, "sh ended with 4"):
                processes.stop(child)

    def test_a_program_is_killed_without_an_error(self):
        with Processes() as processes:
            child = processes.start(["/bin/sleep", "60"])
            processes.kill(child)
            self.assertFalse(child.running)


class Reports(unittest.TestCase):
    def recovery(self, library, *back):
        settings = arguments(["--kills", str(len(back)), "--clients", "2"])
        return report_recovery(settings, library, 0.1, [Recovery([list(each) for each in back], 100)])

    def test_a_recovery_has_a_median_and_a_maximum(self):
        text, result = self.recovery("Zinc", (0.1, 0.2), (0.2, 2.0), (0.3, 0.4))
        self.assertIn("first answer after 200 ms, at most 300 ms; every client after 400 ms, at most 2,000 ms; 3 kills, "
                      "all 100 calls answered; target at most 3 s: met", text)
        self.assertEqual((result["first"], result["every"]),
                         ({"median": 0.2, "most": 0.3}, {"median": 0.4, "most": 2.0}))

    def test_zinc_has_a_target_and_libzmq_does_not(self):
        self.assertIn("MISSED", self.recovery("Zinc", (0.1, 3.1))[0])
        self.assertNotIn("target", self.recovery("libzmq", (0.1, 3.1))[0])

    def test_the_heartbeat_of_both_sides_is_in_the_row(self):
        for library in ("Zinc", "libzmq"):
            self.assertIn("heartbeat and client timeout 2.5 s", self.recovery(library, (1, 1))[0])

    def test_a_client_that_has_not_come_back_is_an_error(self):
        with self.assertRaisesRegex(Failed, "3 of 4 recoveries"):
            self.recovery("Zinc", (0.1, 0.2), (0.2,))

    def test_flapping_is_judged_by_its_longest_call(self):
        for longest, met in ((1050, True), (1051, False)):
            text, result = report_flapping(arguments([]), "directed", "paused",
                                           [Flapping(1000, 2, 0.5, longest), Flapping(1000, 3, 0.7, 400)])
            self.assertEqual((result["longest_ms"], result["met"]), (longest, met))
            self.assertIn("0.25% of the calls above a ping timeout", text)
            self.assertIn("12 times paused, all 2,000 calls answered", text)

    def test_the_help_lists_all_rows(self):
        with contextlib.redirect_stdout(io.StringIO()) as output, self.assertRaises(SystemExit):
            arguments(["--help"])
        for row in MEASURED:
            self.assertRegex(output.getvalue(), rf"\n  {row}  ")


class Run(unittest.TestCase):
    """Runs the real programs for seconds: shows that all rows run, not how fast."""

    SHORT = ("--quick", "--kills", "1", "--heartbeat", "300", "--workers", "2", "--clients", "2", "--flaps", "1")

    def run_it(self, *words):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines, errors, file = [], io.StringIO(), Path(folder.name) / "figures.json"
        with contextlib.redirect_stderr(errors):
            code = main([*self.SHORT, *words, "--json", str(file)], say=lines.append)
        return code, lines, errors.getvalue(), json.loads(file.read_text()) if file.exists() else None

    def test_all_rows(self):
        programs = Path(os.environ["TEST_SRCDIR"]) / os.environ["TEST_WORKSPACE"]
        code, lines, errors, figures = self.run_it("--programs", str(programs))
        self.assertEqual((code, errors), (0, ""))
        rows = [(each["name"], each.get("library") or (each["model"], each["fault"])) for each in figures["results"]]
        self.assertEqual(rows, [("recovery", "Zinc"), ("recovery", "libzmq"), ("flapping", ("shotgun", "killed")),
                                ("flapping", ("shotgun", "paused")), ("flapping", ("directed", "killed")),
                                ("flapping", ("directed", "paused"))])
        self.assertEqual(len([line for line in lines if "load average" not in line]), len(rows))
        # A call that a paused server holds waits for a PING and its timeout.
        self.assertGreaterEqual(figures["results"][-1]["longest_ms"], 2 * 50)

    def test_a_program_that_is_not_there_is_an_error(self):
        code, _, errors, figures = self.run_it("--programs", "/nowhere")
        self.assertEqual((code, figures), (1, None))
        self.assertIn("/nowhere", errors)


if __name__ == "__main__":
    unittest.main()

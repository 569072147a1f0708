#!/usr/bin/python3
"""The whole command with stand-ins for the programs: its output files, and its exit code."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from stand_ins import make_stand_ins
from comparison.command import main


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "figures"

    def compare(self, *arguments):
        """Exit code, output and complaints."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as end:
                code = end.code
        return code, output.getvalue(), errors.getvalue()

    def measure(self, *arguments, **faulty):
        return self.compare("--programs", make_stand_ins(self, **faulty), "--rounds", 1,
                            "--seconds", 0.01, "--out", self.out, *arguments)

    def results(self):
        return json.loads((self.out / "results.json").read_text(encoding="utf-8"))

    def test_it_measures_writes_and_names_what_is_missed(self):
        code, output, _ = self.measure("--only", "stream_64", "--only", "round_trip_64")
        self.assertEqual(code, 0)
        self.assertIn("target MISSED: stream_64: 4.00 [4.00–4.00], target ≥ 4.5 × libzmq", output)
        self.assertEqual([work["name"] for work in self.results()["workloads"]],
                         ["stream_64", "round_trip_64"])
        self.assertEqual({path.name for path in self.out.iterdir()},
                         {"results.json", "stream.svg", "round_trip.svg"})

    def test_the_machine_is_described(self):
        self.measure("--only", "stream_single_64")
        self.assertLessEqual({"cpu", "cores", "kernel", "compiler", "libzmq", "commit", "date",
                              "load_average"}, set(self.results()["machine"]))

    def test_everything_quick_runs(self):
        code, output, _ = self.measure("--quick")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.results()["failures"], [])
        self.assertTrue(self.results()["settings"]["quick"])

    def test_a_failed_run_is_reported_and_the_others_are_measured(self):
        code, output, _ = self.measure("--only", "stream_64", broken="bench/libzmq/remote_thr")
        self.assertEqual(code, 1)
        self.assertIn("run FAILED: stream_64: libzmq: bench/libzmq/remote_thr ended with 1", output)
        contestants = self.results()["workloads"][0]["contestants"]
        self.assertEqual(len(contestants["ours"]["rounds"]), 1)
        self.assertEqual(contestants["theirs"]["rounds"], [])

    def test_misuse(self):
        for arguments in (["--only", "no_such_thing"], ["--rounds", "0"], ["--seconds", "-1"],
                          ["--rounds", "many"], ["--nonsense"], ["--out", "/dev/null/x"],
                          ["--quick", "--only", "stream_256"]):
            code, _, errors = self.compare(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("error:", errors)

    def test_the_list_names_workloads_and_targets(self):
        code, output, _ = self.compare("--list", "--only", "fan_out_*")
        self.assertEqual(code, 0)
        self.assertEqual(len(output.splitlines()), 4)
        self.assertIn("≥ 4 × libzmq", output)


if __name__ == "__main__":
    unittest.main()

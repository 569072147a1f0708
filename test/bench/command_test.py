#!/usr/bin/python3
"""The whole command with stand-ins for the programs: its output files, and its exit code."""

import ctypes
import re
import unittest
from pathlib import Path
from unittest import mock

from command_case import CommandCase
from stand_ins import make_stand_ins
from comparison.catalogue import WORKLOADS


def folder_of_libzmq():
    ctypes.CDLL("libzmq.so.5")
    mapped = Path("/proc/self/maps").read_text(encoding="utf-8").split()
    return next(Path(word).parent for word in mapped if "/libzmq.so" in word)


NATS_SERVER = Path(__file__).resolve().parent / "nats_server.py"


class Command(CommandCase):
    def test_it_measures_writes_and_names_what_is_missed(self):
        code, output, _ = self.measure("--only", "stream_64", "--only", "round_trip_64")
        self.assertEqual(code, 0)
        self.assertIn("target MISSED: stream_64: 0.50 [0.50–0.50], target ≥ 0.7 × raw stream", output)
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

    def measure_at(self, *loads):
        """On a machine with these load averages, of which the last one stays. Returns how long it waited, too."""
        left = list(loads)
        with mock.patch("comparison.machine.os.getloadavg",
                        lambda: (left.pop(0) if len(left) > 1 else left[0], 0, 0)), \
             mock.patch("comparison.command.sleep") as sleep:
            code, output, errors = self.compare(
                "--programs", make_stand_ins(self), "--rounds", 1, "--seconds", 0.01, "--out", self.out,
                "--only", "stream_64")
        return code, output, errors, sleep.call_count

    def test_it_waits_for_a_quiet_machine(self):
        code, output, _, seconds = self.measure_at(2, 2, 1, 0.1)
        self.assertEqual((code, seconds), (0, 2))
        self.assertIn("waiting until the machine is quiet", output)

    def test_it_measures_a_quiet_machine_at_once(self):
        code, output, _, seconds = self.measure_at(0.1)
        self.assertEqual((code, seconds), (0, 0))
        self.assertNotIn("waiting", output)

    def test_it_refuses_a_busy_machine(self):
        code, _, errors, seconds = self.measure_at(2)
        self.assertEqual((code, seconds), (3, 300))
        self.assertIn("the load average is 2.00", errors)
        self.assertIn("--force", errors)
        self.assertFalse((self.out / "results.json").exists())

    def test_another_libzmq_is_measured_too(self):
        code, output, _ = self.measure("--only", "round_trip_64", "--libzmq", folder_of_libzmq(),
                                       other="bench/libzmq/remote_lat")
        # The program fails with the libzmq of the system.
        self.assertEqual(code, 1)
        contestants = self.results()["workloads"][0]["contestants"]
        self.assertIn("not the other library", contestants["theirs"]["failure"])
        self.assertEqual(len(contestants["other_libzmq"]["rounds"]), 1)
        self.assertRegex(contestants["other_libzmq"]["label"], r"libzmq \d+\.\d+\.\d+, given")
        self.assertIn(", given", output)

    def test_nng_is_measured_too(self):
        with mock.patch("comparison.machine.nng_version", lambda: "1.5.2"):
            code, output, _ = self.measure("--only", "stream_64", "--only", "multipart_10", "--nng")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"Zinc beside nng\n\nworkload .*\n-.*\n"
                                 r"stream_64 +msg/s +4\.00 M +2\.00 M +2\.00 \[2\.00–2\.00\]")
        stream, multipart = self.results()["workloads"]
        self.assertEqual(stream["contestants"]["ours"]["ratio_to_nng"]["median"], 2)
        self.assertIn("nng: push0 to pull0", stream["conditions"])
        self.assertNotIn("nng", multipart["contestants"])
        self.assertEqual(self.results()["machine"]["nng"], "1.5.2")

    def test_nng_is_not_measured_unless_it_is_asked_for(self):
        _, output, _ = self.measure("--only", "stream_64")
        self.assertNotIn("Zinc beside nng", output)
        self.assertNotIn("nng", self.results()["workloads"][0]["contestants"])

    def test_without_nng_it_cannot_be_asked_for(self):
        with mock.patch("comparison.machine.nng_version", lambda: "unknown"):
            code, _, errors = self.compare("--nng")
        self.assertEqual(code, 2)
        self.assertIn("libnng-dev", errors)

    def test_results_are_published(self):
        self.measure("--only", "stream_64")
        root = self.out.parent
        (root / "docs/performance").mkdir(parents=True)
        for page in ("README.md", "docs/performance.md"):
            (root / page).write_text("<!-- all figures -->\n\n<!-- end of all figures -->\n", encoding="utf-8")
        with mock.patch("comparison.command.ROOT", root):
            code, output, _ = self.compare("--publish", self.out)
        self.assertEqual(code, 0)
        self.assertIn("docs/performance/results.json", output)
        self.assertIn("| stream, 64 B (msg/s) | 4.00 M | 1.00 M |",
                      (root / "docs/performance.md").read_text(encoding="utf-8"))

    def test_nats_is_measured_too(self):
        code, output, _ = self.measure("--only", "stream_64", "--only", "multipart_10", "--nats", NATS_SERVER)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"Zinc beside NATS\n\nworkload .*\n-.*\n"
                                 r"stream_64 +msg/s +4\.00 M +500 k +8\.00 \[8\.00–8\.00\]")
        stream, multipart = self.results()["workloads"]
        self.assertEqual(stream["contestants"]["ours"]["ratio_to_nats"]["median"], 8)
        self.assertEqual(stream["contestants"]["nats"]["label"], "NATS 0.0.1, through its server")
        self.assertIn("NATS: one PUB a message", stream["conditions"])
        self.assertNotIn("nats", multipart["contestants"])

    def test_another_program_instead_of_a_nats_server_is_refused(self):
        for file in ("/bin/echo", self.out):
            code, _, errors = self.compare("--nats", file)
            self.assertEqual(code, 2)
            self.assertIn("nats-server", errors)

    def test_misuse(self):
        for arguments in (["--only", "no_such_thing"], ["--rounds", "0"], ["--seconds", "-1"],
                          ["--rounds", "many"], ["--nonsense"], ["--out", "/dev/null/x"],
                          ["--quick", "--only", "stream_256"], ["--libzmq", self.out],
                          ["--publish", self.out]):
            code, _, errors = self.compare(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("error:", errors)

    def test_names_in_the_list_do_not_touch_the_titles(self):
        _, output, _ = self.compare("--list")
        for line, workload in zip(output.splitlines(), WORKLOADS, strict=True):
            self.assertRegex(line, f"^{workload.name} +{re.escape(workload.title)}: ")

    def test_the_list_names_workloads_and_targets(self):
        code, output, _ = self.compare("--list", "--only", "fan_out_*")
        self.assertEqual(code, 0)
        self.assertEqual(len(output.splitlines()), 4)
        self.assertIn("fan-out to 1,000, 64 B: ≥ 8 × libzmq; ≥ 1.5 × libzmq, ours to libzmq; ", output)


if __name__ == "__main__":
    unittest.main()

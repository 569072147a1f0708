#!/usr/bin/python3
"""Tests which programs a comparison needs, and which of these Bazel has built."""

import tempfile
import unittest
from pathlib import Path

from made_up import workload
from comparison.measurement import Settings, chosen
from comparison.programs import NotBuilt, built_folder, built_labels, copy_programs, label_of, needed

# As Bazel 4.2 writes them, without the members that the code does not read.
EVENTS = """{"id":{"started":{}},"started":{"command":"build"}}
{"id":{"targetCompleted":{"label":"//bench:local_thr","configuration":{"id":"1"}}},\
"completed":{"success":true,"outputGroup":[]}}
{"id":{"targetCompleted":{"label":"//bench:remote_thr","configuration":{"id":"1"}}},\
"completed":{"failureDetail":{"message":"Target failed to build"}}}
{"id":{"targetCompleted":{"label":"//bench:gone","configuration":{"id":"1"}}},\
"aborted":{"reason":"ANALYSIS_FAILURE"}}
{"id":{"buildFinished":{}},"lastMessage":true}
"""


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def test_only_what_was_built_now_is_built(self):
        self.assertEqual(built_labels(EVENTS), {"//bench:local_thr"})

    def test_labels(self):
        self.assertEqual(label_of("bench/libzmq/local_thr"), "//bench/libzmq:local_thr")
        self.assertEqual(label_of("tools/zinc/zinc"), "//tools/zinc:zinc")

    def test_needed_are_those_of_the_contestants_that_run(self):
        quick = needed([workload("majordomo_synchronous")], Settings(1, 1.0, 1, quick=True), chosen)
        self.assertEqual(quick, ["bench/libzmq/md_broker", "bench/libzmq/md_sync_client",
                                 "bench/libzmq/md_worker", "bench/limits/relay",
                                 "bench/limits/relay_load", "bench/mdp_load", "tools/zinc/zinc"])

    def test_programs_are_copied_with_their_folders_and_those_missing_left_out(self):
        source, target = self.root / "source", self.root / "target"
        (source / "bench").mkdir(parents=True)
        (source / "bench/one").write_text("program", encoding="utf-8")
        copy_programs(["bench/one", "bench/two"], source, target)
        self.assertEqual([path.relative_to(target).as_posix() for path in target.rglob("*")
                          if path.is_file()], ["bench/one"])

    def test_optimised_programs_are_looked_for_where_only_they_are(self):
        (self.root / "bazel-out/k8-fastbuild/bin").mkdir(parents=True)
        with self.assertRaisesRegex(NotBuilt, "without --no-build"):
            built_folder(self.root)
        (self.root / "bazel-out/k8-opt/bin").mkdir(parents=True)
        self.assertEqual(built_folder(self.root), self.root / "bazel-out/k8-opt/bin")


if __name__ == "__main__":
    unittest.main()

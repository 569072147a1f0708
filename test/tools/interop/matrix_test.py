#!/usr/bin/python3
"""The programs of tools/guide with those on pyzmq in test/interop/guide, in the drills of `zinc interop`: all pass that
have their programs, and docs/guide.md says so. Drills between two programs on pyzmq are part of the long form only. The
arguments are groups of pairs."""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
RUNFILES = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
sys.path.insert(1, os.path.join(RUNFILES, "tools"))
import guide_matrix  # noqa: E402: behind the line above

GROUPS = sys.argv[1:]
LONG = os.environ.get("ZINC_LONG", "0") != "0"


def has_networks():
    """Whether each drill may have a network of its own."""
    return any(subprocess.run(["unshare", *flags, "true"], capture_output=True, check=False).returncode == 0
               for flags in (["--user", "--net"], ["--net"]))


class Matrix(unittest.TestCase):
    maxDiff = None

    def test_all_drills_pass_and_are_in_the_table(self):
        if not has_networks():
            self.skipTest("drills would come one after the other, at ports that other tests want at the same time")
        found, code = guide_matrix.play(os.path.join(RUNFILES, "tools/zinc/zinc"), "--ours",
                                        os.path.join(RUNFILES, "tools/guide"), "--pairs", ",".join(GROUPS),
                                        "--jobs", "5", *([] if LONG else ["--no-control"]))
        self.assertIsNotNone(found, code)
        self.assertEqual([one for one in found["results"] if one["result"] == "failed"], [])
        self.assertEqual(code, 0)
        # No program of the Guide is missing.
        self.assertEqual([one for one in found["results"]
                          if one["result"] == "skipped" and "theirs have" in one["reason"]], [])
        rows = guide_matrix.rows_of(found["results"])
        in_page = guide_matrix.rows_in(guide_matrix.page())
        played = {key: [mark for mark in marks if mark] for key, marks in rows.items()}
        self.assertEqual({key: [mark for mark, here in zip(in_page.get(key, ()), marks) if here]
                          for key, marks in rows.items()}, played,
                         "docs/guide.md is not of today; run tools/guide_matrix.py --write")

    def test_the_table_has_no_row_of_a_drill_that_is_no_more(self):
        # Where there are no programs none is played.
        found, _ = guide_matrix.play(os.path.join(RUNFILES, "tools/zinc/zinc"), "--pairs",
                                     ",".join(GROUPS), "--ours", "/", theirs="/")
        pairs = {one["pair"] for one in found["results"]}
        drills = {(one["pair"], one["drill"]) for one in found["results"]}
        self.assertEqual({row for row in guide_matrix.rows_in(guide_matrix.page()) if row[0] in pairs} - drills,
                         set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)  # so that skipped tests are named

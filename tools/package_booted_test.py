#!/usr/bin/env python3
"""The pure parts of the steps of tools/package --check in a booted system, and the report of all steps."""

import contextlib
import io
import re
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
import package_booted  # noqa: E402: found by the line above
import package_check  # noqa: E402: the same


class Report(unittest.TestCase):
    def report(self, *faults):
        """The exit code and the output, for steps that raise these."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = package_check.report([mock.Mock(__name__=f"step{number}", side_effect=fault)
                                         for number, fault in enumerate(faults)])
        return code, said.getvalue().splitlines()

    def test_counts_what_passed(self):
        self.assertEqual(self.report(None, None), (0, ["--- step0", "--- step1", "2 passed, 0 failed"]))

    def test_ends_at_a_fault(self):
        self.assertEqual(self.report(None, AssertionError("this"), None),
                         (1, ["--- step0", "--- step1", "FAILED: this", "1 passed, 1 failed"]))

    def test_never_passes_what_it_skips(self):
        code, lines = self.report(None, package_booted.Skipped("no systemd-nspawn"), None)
        self.assertEqual((code, lines[2:]), (0, [
            "SKIPPED //tools:package: step1 and 1 steps after it: no systemd-nspawn", "1 passed, 0 failed, 2 skipped"]))


class Booted(unittest.TestCase):
    def test_the_leader_is_in_one_of_the_messages(self):
        self.assertEqual(package_booted.leader_in("STATUS=Container running.\nX_NSPAWN_LEADER_PID=812"), "812")
        self.assertIsNone(package_booted.leader_in("READY=1"))

    def test_a_property_may_have_an_equals_sign(self):
        self.assertEqual(package_booted.properties_in("Type=notify\nEnvironment=A=b\nMainPID=0\n"),
                         {"Type": "notify", "Environment": "A=b", "MainPID": "0"})

    def test_starts_each_unit(self):
        rules = (TOOLS / "debian/rules").read_text(encoding="utf-8")
        self.assertEqual(set(package_booted.SERVERS), set(re.findall(r"call unit,(\w+),", rules)))

    def test_is_skipped_without_systemd_nspawn(self):
        with mock.patch.object(package_booted.shutil, "which", return_value=None), \
                package_booted.Booted(None, None, []) as booted, self.assertRaises(package_booted.Skipped):
            booted.bare_system_boots()


if __name__ == "__main__":
    unittest.main(verbosity=2)

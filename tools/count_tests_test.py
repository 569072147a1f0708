#!/usr/bin/env python3
"""Feeds the counting with events and reports as Bazel writes them."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import count_tests  # noqa: E402: found by the line above

# As GoogleTest writes it.
GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="1" disabled="1" errors="0" name="AllTests">
  <testsuite name="message" tests="5" failures="1" disabled="1" skipped="1" errors="0">
    <testcase name="empty" status="run" result="completed" classname="message" />
    <testcase name="sizes/0" value_param="1" status="run" result="completed" classname="message" />
    <testcase name="order" status="run" result="completed" classname="message">
      <failure message="x.cc:3&#x0A;Failed" type=""><![CDATA[x.cc:3]]></failure>
    </testcase>
    <testcase name="slow" status="run" result="skipped" classname="message">
      <skipped message="x.cc:4&#x0A;there is no IPv6"><![CDATA[x.cc:4]]></skipped>
    </testcase>
    <testcase name="DISABLED_later" status="notrun" result="suppressed" classname="message" />
  </testsuite>
</testsuites>
"""
SOUND = """<testsuites><testsuite name="frame">
<testcase name="a" status="run" classname="frame"/><testcase name="b" status="run" classname="frame"/>
</testsuite></testsuites>
"""


def bazels(log, error=""):
    """As Bazel writes it for a program that writes none."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="tools/x" tests="1" failures="0" errors="0">
    <testcase name="tools/x" status="run" duration="0" time="0">{error}</testcase>
      <system-out>
Generated test.log (if the file is not UTF-8, then this may be unreadable):
<![CDATA[exec ${{PAGER:-/usr/bin/less}} "$0" || exit 1
{log}]]>
      </system-out>
    </testsuite>
</testsuites>"""


ERROR = '<error message="exited with error code 1"></error>'


class Run:
    """A run of Bazel: what it tells, in its order."""

    def __init__(self, folder):
        self.folder, self.events = Path(folder), []

    def target(self, label, success=True, test=True, reason=None):
        configured = {"targetKind": "rule"} | ({"testSize": "SMALL"} if test else {})
        completed = {"completed": {"success": True} if success else {}}
        if reason:
            completed = {"aborted": {"reason": reason}}
        self.events += [{"id": {"targetConfigured": {"label": label}}, "configured": configured},
                        {"id": {"targetCompleted": {"label": label}}} | completed]
        return self

    def result(self, label, status, report=None, **identity):
        outputs = [{"name": "test.log", "uri": "file:///nowhere/test.log"}]
        if report is not None:
            path = self.folder / f"test {len(self.events)}.xml"
            path.write_text(report, encoding="utf-8")
            outputs.append({"name": "test.xml", "uri": path.as_uri()})
        self.events.append({"id": {"testResult": {"label": label} | identity},
                            "testResult": {"status": status, "testActionOutput": outputs}})
        return self

    def end(self, name="SUCCESS"):
        self.events.append({"id": {"buildFinished": {}}, "finished": {"exitCode": {"name": name}}})
        return self


class Counting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_ = Run(folder.name)

    def one_test(self, status, report=None):
        return self.run_.target("//t:x").result("//t:x", status, report)

    def expect(self, line, *failures):
        counts = count_tests.count(self.run_.events)
        self.assertEqual(str(counts), line)
        self.assertEqual(counts.failures, failures)

    def expect_skips(self, *skips):
        self.assertEqual(count_tests.count(self.run_.events).skips, skips)

    def test_cases_of_googletest(self):
        self.one_test("FAILED", GOOGLETEST).end("TESTS_FAILED")
        self.expect("2 passed, 1 failed, 2 skipped", "//t:x: message.order")

    def test_a_program_without_a_report_is_one_case(self):
        self.one_test("PASSED", bazels("all fine")).end()
        self.expect("1 passed, 0 failed")

    def test_a_program_that_fails_without_a_report(self):
        self.one_test("FAILED", bazels("Segmentation fault", ERROR)).end("TESTS_FAILED")
        self.expect("0 passed, 1 failed", "//t:x: exited with error code 1")

    def test_cases_of_unittest(self):
        self.one_test("PASSED", bazels("....\n" + "-" * 70 + "\nRan 4 tests in 0.001s\n\nOK")).end()
        self.expect("4 passed, 0 failed")

    def test_failures_of_unittest(self):
        log = ("=" * 70 + "\nFAIL: test_b (__main__.T.test_b)\n" + "-" * 70 + "\nTraceback\n" +
               "=" * 70 + "\nERROR: test_d (__main__.T.test_d)\n" + "-" * 70 + "\nTraceback\n" +
               "-" * 70 + "\nRan 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)")
        self.one_test("FAILED", bazels(log, ERROR)).end("TESTS_FAILED")
        self.expect("2 passed, 2 failed, 1 skipped", "//t:x: test_b (__main__.T.test_b)",
                    "//t:x: test_d (__main__.T.test_d)")

    def test_skipped_cases_of_unittest_are_named(self):
        log = ("test_a (__main__.T.test_a) ... ok\n"
               "test_b (__main__.T.test_b) ... skipped 'there is no strace'\n"
               "test_c (__main__.T.test_c)\nWhat it shows. ... words of its own\nskipped \"it's late\"\n"
               "test_d (__main__.T.test_d) ... ok\n" + "-" * 70 + "\nRan 4 tests in 0.001s\n\nOK (skipped=2)")
        self.one_test("PASSED", bazels(log)).end()
        self.expect("2 passed, 0 failed, 2 skipped")
        self.expect_skips("//t:x: test_b (__main__.T.test_b): there is no strace",
                          "//t:x: test_c (__main__.T.test_c): it's late")

    def test_skipped_cases_of_unittest_without_a_name_are_counted(self):
        self.one_test("PASSED", bazels("..ss\nRan 4 tests in 0.001s\n\nOK (skipped=2)")).end()
        self.expect_skips("//t:x: 2 not named; it needs unittest.main(verbosity=2)")

    def test_skipped_cases_of_googletest_are_named(self):
        self.one_test("FAILED", GOOGLETEST).end("TESTS_FAILED")
        self.expect_skips("//t:x: message.slow: there is no IPv6", "//t:x: message.DISABLED_later")

    def test_a_failure_outside_of_the_cases(self):
        self.one_test("FAILED", SOUND).end("TESTS_FAILED")
        self.expect("2 passed, 1 failed", "//t:x: failed outside of its cases")

    def test_a_report_that_cannot_be_read(self):
        self.one_test("FAILED", "<testsuites><testsu").end("TESTS_FAILED")
        self.expect("0 passed, 1 failed", "//t:x: failed outside of its cases")

    def test_a_report_that_is_absent(self):
        self.one_test("PASSED").end()
        self.expect("1 passed, 0 failed")

    def test_out_of_time_is_one_failure(self):
        self.one_test("TIMEOUT", SOUND).end("TESTS_FAILED")
        self.expect("0 passed, 1 failed", "//t:x: out of time")

    def test_a_target_that_is_not_built_is_one_failure(self):
        self.run_.target("//t:x", success=False).target("//t:lib", success=False, test=False)
        self.run_.target("//t:y").result("//t:y", "PASSED", SOUND).end("BUILD_FAILURE")
        self.expect("2 passed, 2 failed", "//t:lib: not built", "//t:x: not built")

    def test_a_target_that_cannot_be_analysed_is_one_failure(self):
        self.run_.target("//t:x", reason="ANALYSIS_FAILURE").end("PARSING_FAILURE")
        self.expect("0 passed, 1 failed", "//t:x: not built")

    def test_a_target_that_this_machine_cannot_build_is_none(self):
        self.run_.target("//t:x", reason="SKIPPED")
        self.run_.target("//t:y").result("//t:y", "PASSED", SOUND).end()
        self.expect("2 passed, 0 failed")

    def test_a_library_is_no_case(self):
        self.run_.target("//t:lib", test=False).end()
        self.expect("0 passed, 0 failed")

    def test_a_test_that_did_not_run_is_one_failure(self):
        self.run_.target("//t:x").end("INTERRUPTED")
        self.expect("0 passed, 1 failed", "//t:x: did not run")

    def test_every_shard_and_run_counts(self):
        self.run_.target("//t:x")
        for shard in (1, 2, 3):
            for run in (1, 2):
                self.run_.result("//t:x", "PASSED", SOUND, shard=shard, run=run, attempt=1)
        self.run_.end()
        self.expect("12 passed, 0 failed")

    def test_of_several_attempts_the_last_counts(self):
        self.run_.target("//t:x")
        self.run_.result("//t:x", "FAILED", bazels("", ERROR), attempt=1)
        self.run_.result("//t:x", "PASSED", SOUND, attempt=2).end()
        self.expect("2 passed, 0 failed")

    def test_a_run_that_fails_before_there_are_targets(self):
        self.run_.end("COMMAND_LINE_ERROR")
        self.expect("0 passed, 1 failed", "bazel: COMMAND_LINE_ERROR")

    def test_a_run_without_an_end(self):
        self.expect("0 passed, 1 failed", "bazel: did not come to an end")


class Program(unittest.TestCase):
    def main_with(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "events.json")
            if text is not None:
                path.write_text(text, encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = count_tests.main([str(path)])
        return code, out.getvalue().splitlines()

    def lines_of(self, fill):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder)
            fill(run)
            return self.main_with("".join(json.dumps(event) + "\n" for event in run.events))

    def test_success(self):
        code, lines = self.lines_of(
            lambda run: run.target("//t:x").result("//t:x", "PASSED", SOUND).end())
        self.assertEqual((code, lines), (0, ["2 passed, 0 failed"]))

    def test_failure(self):
        code, lines = self.lines_of(lambda run: run.target("//t:x").result(
            "//t:x", "FAILED", GOOGLETEST).end("TESTS_FAILED"))
        self.assertEqual(code, 1)
        self.assertEqual(lines, ["SKIPPED //t:x: message.slow: there is no IPv6",
                                 "SKIPPED //t:x: message.DISABLED_later",
                                 "FAILED //t:x: message.order", "2 passed, 1 failed, 2 skipped"])

    def test_nothing_that_ran_is_no_success(self):
        code, lines = self.lines_of(lambda run: run.end("NO_TESTS_FOUND"))
        self.assertEqual((code, lines[-1]), (1, "0 passed, 0 failed"))

    def test_no_events_is_a_failure(self):
        for text in (None, "", '{"id":{"targetConf'):
            with self.subTest(text):
                code, lines = self.main_with(text)
                self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()

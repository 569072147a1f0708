#!/usr/bin/env python3
"""Counts the test cases of one run of Bazel, from the events that it wrote.

Usage: count_tests.py EVENTS      (the file given to bazel test --build_event_json_file)

Names the failed cases and the skipped cases, with the reason. The last line is `N passed, N failed`, with
`, N skipped` where there are some.
Cases are GoogleTest's and unittest's; any other test program is one case. A target that was not
built, and a test that ran out of time, is one failed case. Exits 0 if some passed and none failed.
"""

import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree
from pathlib import Path
from typing import NamedTuple

# unittest's line for a skipped test at verbosity 2: the name, perhaps a line of the docstring, the reason.
SKIPPED = re.compile(r"^(test\w* \([\w.]+\))(?:\n.*)? \.\.\. (?:.*\n)*?.*?skipped (['\"])(.*)\2$", re.M)
# What unittest prints last.
UNITTEST = re.compile(r"^Ran (\d+) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", re.M)


class Counts(NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple = ()
    skips: tuple = ()

    def plus(self, other):
        return Counts(*(mine + theirs for mine, theirs in zip(self, other)))

    def __str__(self):
        line = f"{self.passed} passed, {self.failed} failed"
        return line + (f", {self.skipped} skipped" if self.skipped else "")


def one_failure(target, reason):
    return Counts(failed=1, failures=(f"{target}: {reason}",))


def skips_of_unittest(target, log, count):
    """A line for each of `count` skipped cases. Cases that the log does not name share one line."""
    skips = []
    for part in re.split(r"^(?=test\w* \([\w.]+\))", log, flags=re.M):
        found = SKIPPED.match(part)
        if found:
            skips.append(f"{target}: {found[1]}: {found[3]}")
    if len(skips) < count:
        skips.append(f"{target}: {count - len(skips)} not named; it needs unittest.main(verbosity=2)")
    return tuple(skips)


def cases_of_unittest(target, log):
    counts = Counts()
    for ran, details in UNITTEST.findall(log):
        found = {name: int(n) for name, n in re.findall(r"([a-z][a-z ]*)=(\d+)", details)}
        failed = sum(found.get(name, 0) for name in ("failures", "errors", "unexpected successes"))
        skipped = found.get("skipped", 0)
        names = re.findall(r"^(?:FAIL|ERROR): (.*)$", log, re.M) if failed else []
        counts = counts.plus(Counts(max(int(ran) - failed - skipped, 0), failed, skipped,
                                    tuple(f"{target}: {name}" for name in names)))
    return counts._replace(skips=skips_of_unittest(target, log, counts.skipped))


def cases_of_xml(target, text):
    """The cases that a test program reports, or None where it reports nothing that can be read."""
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError:
        return None
    cases = list(root.iter("testcase"))
    # Bazel writes one case, without a class, for a program that writes no report itself.
    if len(cases) == 1 and cases[0].get("classname") is None:
        log = "".join(out.text or "" for out in root.iter("system-out"))
        if UNITTEST.search(log):
            return cases_of_unittest(target, log)
        error = cases[0].find("error")
        return Counts(passed=1) if error is None else one_failure(target, error.get("message"))
    counts = Counts()
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            counts = counts.plus(one_failure(target, name))
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped = case.find("skipped")
            reason = [] if skipped is None else (skipped.get("message") or "").strip().splitlines()[-1:]
            counts = counts.plus(Counts(skipped=1, skips=(": ".join([f"{target}: {name}", *reason]),)))
        else:
            counts = counts.plus(Counts(passed=1))
    return counts


def cases_of_result(target, result):
    status = result.get("status", "NO_STATUS")
    if status not in ("PASSED", "FLAKY", "FAILED"):
        return one_failure(target, {"TIMEOUT": "out of time"}.get(status, status))
    counts = None
    for output in result.get("testActionOutput", []):
        if output.get("name") == "test.xml":
            path = Path(urllib.parse.unquote(urllib.parse.urlparse(output.get("uri", "")).path))
            if path.is_file():
                counts = cases_of_xml(target, path.read_bytes())
    if status == "FAILED" and (counts is None or counts.failed == 0):
        # It crashed, or what failed was outside of the cases: a leak, an exit code.
        return (counts or Counts()).plus(one_failure(target, "failed outside of its cases"))
    return counts or Counts(passed=1)


def count(events):
    built = {}    # target -> whether it was built
    tests = set()
    results = {}  # (target, run, shard) -> (attempt, result)
    end = None
    for event in events:
        for kind, identity in event.get("id", {}).items():
            target = identity.get("label")
            if kind == "targetConfigured" and "testSize" in event.get("configured", {}):
                tests.add(target)
            elif kind == "targetCompleted":
                skipped = event.get("aborted", {}).get("reason") == "SKIPPED"
                if not skipped:
                    built[target] = event.get("completed", {}).get("success", False)
            elif kind == "testResult" and "testResult" in event:
                key = (target, identity.get("run", 1), identity.get("shard", 1))
                attempt = identity.get("attempt", 1)
                if key not in results or results[key][0] < attempt:
                    results[key] = (attempt, event["testResult"])
            elif kind == "buildFinished":
                end = event.get("finished", {}).get("exitCode", {}).get("name", "SUCCESS")

    counts = Counts()
    for (target, _, _), (_, result) in sorted(results.items(), key=lambda item: item[0]):
        counts = counts.plus(cases_of_result(target, result))
    ran = {target for target, _, _ in results}
    for target, success in sorted(built.items()):
        if not success:
            counts = counts.plus(one_failure(target, "not built"))
        elif target in tests and target not in ran:
            counts = counts.plus(one_failure(target, "did not run"))
    if counts.failed == 0 and end not in ("SUCCESS", "NO_TESTS_FOUND"):
        counts = counts.plus(one_failure("bazel", end or "did not come to an end"))
    return counts


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = Path(arguments[0]).read_text(encoding="utf-8")
    except OSError:
        text = ""
    events = []
    for line in text.splitlines():
        try:
            events.append(json.loads(line))
        except json.JSONDecodeError:
            pass  # the last line of a run that was ended
    counts = count(events)
    for skip in counts.skips:
        print(f"SKIPPED {skip}")
    for failure in counts.failures:
        print(f"FAILED {failure}")
    if counts.passed == counts.failed == 0:
        print("No test ran: nothing matches the targets and the tags asked for.")
    print(counts)
    return 0 if counts.failed == 0 and counts.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

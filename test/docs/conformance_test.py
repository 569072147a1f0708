#!/usr/bin/python3
"""Each requirement in docs/conformance.md names tests that exist, and each that must be met names one."""

import os
import re
import unittest

RUNFILES = os.environ.get("TEST_SRCDIR", "") + "/" + os.environ.get("TEST_WORKSPACE", "zinc")
TABLE = RUNFILES + "/docs/conformance.md"
# The file is a link into the source tree, where the tests are that Bazel does not know to be needed.
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(TABLE)))

# | MDP-5 | client REQUEST … | M | `test/mdp/command_test.cc`: `suite.name`, `other.name` |
ROW = re.compile(r"^\| ([A-Z0-9]+-\d+) \|(.*)\| ([MSm/–-]+) \|(.*)\|$")
REFERENCE = re.compile(r"`(test/[\w/]+\.(?:cc|py))`: ((?:`[\w.]+`(?:, )?)+)")


def rows():
    with open(TABLE, encoding="utf-8") as table:
        for line in table:
            match = ROW.match(line.rstrip())
            if match:
                yield match.group(1), match.group(3), match.group(4)


def has_test(source, name):
    suite, _, test = name.partition(".")
    if source.endswith(".py"):
        return re.search(r"class %s\b.*?def %s\(" % (suite, test), open_text(source), re.S)
    return re.search(r"TEST(?:_F|_P)?\(\s*%s,\s*%s\)" % (suite, test), open_text(source))


def open_text(source):
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        return file.read()


class Conformance(unittest.TestCase):
    def test_table_is_there(self):
        ids = [row[0] for row in rows()]
        self.assertEqual(len(ids), len(set(ids)), "a requirement stands twice")
        for prefix, count in (("MDP", 44), ("MD1", 7), ("MMI", 6)):
            have = sum(1 for one in ids if one.startswith(prefix + "-"))
            self.assertEqual(have, count, prefix)

    def test_each_named_test_exists(self):
        for requirement, _, shown_by in rows():
            for source, names in REFERENCE.findall(shown_by):
                self.assertTrue(os.path.exists(os.path.join(ROOT, source)), source)
                for name in re.findall(r"`([\w.]+)`", names):
                    with self.subTest(requirement=requirement, test=name):
                        self.assertTrue(has_test(source, name), f"{source} has no {name}")

    def test_each_must_names_a_test(self):
        for requirement, level, shown_by in rows():
            if "M" in level:
                with self.subTest(requirement=requirement):
                    self.assertTrue(REFERENCE.search(shown_by))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The tables of README.md and of docs/performance.md are those of the results files. Runs in the root of the tree."""

import json
import re
import unittest
from pathlib import Path

import from_bench  # noqa: F401: comparison is found by it
from comparison.published import FOLDER, PAGES, read, rewritten
from comparison.published_tables import BLOCKS

ROOT = Path(".")


def texts():
    return [(ROOT / page).read_text(encoding="utf-8") for page in PAGES]


class Published(unittest.TestCase):
    def setUp(self):
        self.results = read(ROOT / FOLDER)

    def test_the_pages_have_the_tables_of_the_results(self):
        for page, text in zip(PAGES, texts()):
            self.assertEqual(text, rewritten(text, self.results), f"write {page}: bench/compare --publish {FOLDER}")

    def test_each_table_has_one_place(self):
        found = [name for text in texts() for name in re.findall(r"<!-- end of ([\w ]+) -->", text)]
        self.assertEqual(sorted(found), sorted(BLOCKS))

    def test_a_wrong_figure_is_found(self):
        for text in texts():
            row = next(line for line in text.splitlines() if re.match(r"\| stream.* \| \d", line))
            wrong = re.sub(r" \| \d", " | 0", row, count=1)
            self.assertNotEqual(wrong, row)
            self.assertEqual(rewritten(text.replace(row, wrong), self.results), text)

    def test_the_page_names_machine_and_commit_of_the_results(self):
        machine = self.results.machine
        for text in (machine["cpu"], f"{machine['cores']} cores", f"libzmq {machine['libzmq']}",
                     f"commit {machine['commit'][:7]}", f"Linux {machine['kernel'].partition('-')[0]}"):
            self.assertIn(text, texts()[0])

    def test_results_of_the_comparison_have_their_commit(self):
        documents = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / FOLDER).glob("*.json")]
        compared = [each for each in documents if "workloads" in each]
        self.assertTrue(compared)
        for each in compared:
            self.assertRegex(each["machine"]["commit"], "^[0-9a-f]{40}$")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The topics of zinc help: their texts are those of the tables in the documentation."""

import os
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from zinc_program import run  # noqa: E402: behind the line above

DOCS = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "docs")


def table(page, chapter):
    """The cells of each row, without the marks of Markdown."""
    with open(os.path.join(DOCS, page), encoding="utf-8") as file:
        text = file.read().partition(f"\n## {chapter}\n")[2].partition("\n## ")[0]
    for line in re.findall(r"^\| (.*)\|$", text, re.M)[1:]:
        yield [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).replace("`", "").strip()
               for cell in re.split(r" \|(?= |$)", line)]


class Topics(unittest.TestCase):
    def topic(self, name):
        result = run("help", name)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        return result.stdout

    def flat(self, name):
        return " ".join(self.topic(name).split())

    def test_exit_codes(self):
        text = self.flat("exit-codes")
        for code, meaning, effect in table("shell.md", "Exit codes"):
            self.assertIn(f"{code} {meaning}", text)
            self.assertTrue(effect in ("", "nothing") or f"; effect: {effect}" in text, effect)

    def test_endpoints(self):
        meanings = {row[0]: row[-1] for row in table("endpoints.md", "Forms")}
        rows = re.findall(r"^  (\w[\w+]*://\S+)\s+(.+)$", self.topic("endpoints"), re.M)
        self.assertGreater(len(rows), 8)
        for endpoint, meaning in rows:
            with self.subTest(endpoint):
                self.assertTrue(meanings[endpoint].startswith(meaning), meaning)

    def test_configuration(self):
        text = self.flat("configuration")
        for line, meaning in table("configuration.md", "The file"):
            self.assertIn(f"{line} {meaning}", text)
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(self.topic("configuration").partition("EXAMPLES\n")[2])
            file.flush()
            result = run("broker", "--config", file.name, "--check-config")
            self.assertEqual((result.returncode, result.stdout), (0, f"{file.name}: ok\n"), result.stderr)

    def test_the_help_and_completion_name_all_topics(self):
        names = set(re.findall(r"[a-z][a-z-]+", run("help", "--help").stdout.partition("SUBCOMMAND|")[2].split()[0]))
        self.assertEqual(names, {"configuration", "endpoints", "exit-codes"})
        offered, commands = ({line.split("\t")[0] for line in run("completion", "bash", "--", *words).stdout.splitlines()}
                             for words in (("help", ""), ("",)))
        self.assertIn("broker", commands)
        self.assertEqual(offered, names | commands)


if __name__ == "__main__":
    unittest.main()

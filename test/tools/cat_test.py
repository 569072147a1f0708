#!/usr/bin/python3
"""zinc cat in a terminal."""

import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from terminal import Terminal  # noqa: E402: behind the line above
from zinc_program import ZINC, started  # noqa: E402

PROGRESS = r"\d of 2 \(\d+ %\), 0 failed, \d+/s"


class Progress(unittest.TestCase):
    def send(self, *words):
        """Sends two messages to a PULL. Returns what the terminal of the sender has got."""
        with started("cat", "pull", "tcp://127.0.0.1:*", "--bind", "--count", "2", stderr=subprocess.PIPE) as receiver:
            endpoint = receiver.stderr.readline().split()[1]
            with Terminal([ZINC, "cat", "push", endpoint, "--count", "2", *words]) as screen:
                screen.type("a\nb\n")
                text, code = screen.end()
            self.assertEqual(code, 0)
            self.assertEqual(len(receiver.stdout.readlines()), 2)
        return text

    def test_files_have_a_line(self):
        with tempfile.NamedTemporaryFile() as file:
            text = self.send("--file", file.name, "--file", file.name)
        self.assertTrue(re.search(rf"\r{PROGRESS}\x1b\[K", text) and text.endswith("\r\x1b[K"), repr(text))

    def test_typed_lines_have_none(self):
        self.assertIsNone(re.search(PROGRESS, self.send()))


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Feeds tools/plain with text that it must find, and with text that it must leave alone."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLAIN = Path(__file__).resolve().parent / "plain"

# rule: (text with one finding, text without any)
SENTENCES = {
    "relative": ("It closes the connection for who waits.", "Peers that wait are disconnected."),
    "start": ("Of the messages, one is kept.", "The socket keeps one message."),
    "person": ("The broker tells nobody.", "The broker reports to no peer."),
    "modal": ("The socket is to be closed first.", "The socket must be closed first."),
    "negation": ("A peer is no socket.", "A peer is not a socket."),
    "archaic": ("The peer connects anew.", "The peer connects again."),
    "vague": ("The worker is silent for so long.", "The worker is silent for 5 s."),
    "private": ("The other server is the other one.", "The other server is passive."),
    "octets": ("The frame has 9 octets.", "The frame has 9 bytes."),
    "long sentence": ("The socket " + "and the socket " * 12 + "close.", "The sockets close."),
}


class PlainTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plain(self, name, text, *options):
        (self.folder / name).write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, str(PLAIN), *options, name], cwd=self.folder,
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_each_rule_finds_its_fault_in_markdown(self):
        for rule, (fault, _) in SENTENCES.items():
            with self.subTest(rule=rule):
                code, out = self.plain("page.md", f"# Title\n\n{fault}\n")
                self.assertEqual(code, 1, out)
                self.assertIn(f"page.md:3: {rule}", out)

    def test_plain_sentences_have_no_finding(self):
        for rule, (_, plain) in SENTENCES.items():
            with self.subTest(rule=rule):
                code, out = self.plain("page.md", f"# Title\n\n{plain}\n")
                self.assertEqual(code, 0, out)

    def test_code_fences_and_marked_quotations_are_not_checked(self):
        fault = SENTENCES["person"][0]
        code, out = self.plain("page.md", f"```\n{fault}\n```\n\n<!-- plain: off -->\n{fault}\n<!-- plain: on -->\n")
        self.assertEqual(code, 0, out)

    def test_comments_and_test_names_of_sources_are_checked(self):
        code, out = self.plain("a.cc", "// The broker tells nobody.\nint a;\n", "--max", "0")
        self.assertEqual(code, 1, out)
        self.assertIn("a.cc:1: person", out)
        code, out = self.plain("b.cc", "TEST(broker, tells_nobody_of_it) {}\n", "--max", "0")
        self.assertEqual(code, 1, out)
        code, out = self.plain("c.cc", "int nobody;\n", "--max", "0")
        self.assertEqual(code, 0, out)

    def test_texts_for_users_must_have_no_finding_by_default(self):
        code, out = self.plain("a.cc", 'auto text = "the broker tells nobody";\n')
        self.assertEqual(code, 1, out)
        self.assertIn("a.cc:1: person", out)
        code, out = self.plain("a.py", 'add_argument("--to", help="the broker tells nobody")\n')
        self.assertEqual(code, 1, out)
        code, out = self.plain("b.cc", "// The broker tells nobody.\nint a;\n")
        self.assertEqual(code, 0, out)

    def test_the_number_of_allowed_findings_counts(self):
        code, out = self.plain("a.cc", "// The broker tells nobody.\nint a;\n", "--max", "1")
        self.assertEqual(code, 0, out)


if __name__ == "__main__":
    unittest.main()

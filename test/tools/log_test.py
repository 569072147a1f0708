#!/usr/bin/python3
"""The log of subcommands that serve: --log-level, --log-format and --color."""

import contextlib
import json
import os
import pty
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from zinc_program import DEADLINE, ZINC, run  # noqa: E402: behind the line above


def log_of(*words, environment=None):
    """The log of a server from its start to its stop."""
    process = subprocess.Popen([ZINC, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **(environment or {})})
    try:
        assert process.stdout.readline()
        process.terminate()
        _, errors = process.communicate(timeout=DEADLINE)
        assert process.returncode == 0, errors
        return errors
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()


BROKER = ("broker", "--bind", "tcp://127.0.0.1:*")


class Log(unittest.TestCase):
    def test_each_server_writes_json(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, words in (
                ("broker", BROKER),
                ("chp", ("chp", "server", "--bind", "tcp://127.0.0.1:*")),
                ("titanic", ("titanic", "--store", os.path.join(folder, "store"))),
                ("proxy", ("proxy", "queue", "--frontend", "tcp://127.0.0.1:*", "--backend", "tcp://127.0.0.1:*")),
            ):
                with self.subTest(name):
                    lines = [json.loads(line) for line in log_of(*words, "--log-format", "json").splitlines()]
                    if name != "proxy":
                        self.assertTrue(lines)
                    for line in lines:
                        self.assertEqual(list(line), ["time", "level", "component", "message"])
                        self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                        self.assertEqual((line["level"], line["component"]), ("info", name))

    def test_lines_below_the_level_are_left_out(self):
        self.assertIn("broker started", log_of(*BROKER))
        for level in ("warning", "error", "off"):
            self.assertEqual(log_of(*BROKER, "--log-level", level), "")

    def test_colors_are_for_terminals_or_as_asked_for(self):
        self.assertNotIn("\x1b", log_of(*BROKER))
        self.assertNotIn("\x1b", log_of(*BROKER, "--color", "never"))
        self.assertIn("\x1b", log_of(*BROKER, "--color", "always"))
        self.assertIn("\x1b", log_of(*BROKER, "--color", "always", environment={"NO_COLOR": "1"}))
        self.assertNotIn("\x1b", log_of(*BROKER, "--color", "always", "--log-format", "json").replace("\\u001b", ""))

    def test_colors_are_on_a_terminal_unless_no_color_is_set(self):
        for no_color, expected in ((None, True), ("", True), ("1", False)):
            with self.subTest(no_color):
                process, terminal = pty.fork()
                if process == 0:
                    os.environ["TERM"] = "xterm"
                    os.environ.pop("NO_COLOR", None)
                    if no_color is not None:
                        os.environ["NO_COLOR"] = no_color
                    os.execv(ZINC, [ZINC, "titanic", "--store", "/no/folder/store"])
                text = b""
                with contextlib.suppress(OSError):
                    while data := os.read(terminal, 65536):
                        text += data
                os.close(terminal)
                os.waitpid(process, 0)
                self.assertIn(b"there is no folder", text)
                self.assertEqual(b"\x1b" in text, expected, text)

    def test_an_error_at_the_start_has_the_form_too(self):
        result = run("titanic", "--store", "/no/folder/store", "--log-format", "json")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stderr)["level"], "error")


if __name__ == "__main__":
    unittest.main()

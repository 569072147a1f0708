#!/usr/bin/python3
"""zinc request: stored requests that are fetched later, bodies from files, progress and exit codes."""

import contextlib
import json
import os
import pty
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from zinc_program import DEADLINE, ZINC, run, started  # noqa: E402: behind the line above

PATIENT = ("--timeout", f"{DEADLINE}s")


@contextlib.contextmanager
def broker(*words):
    with started("broker", "--bind", "tcp://127.0.0.1:*", *words) as process:
        yield process.stdout.readline().split()[1]


@contextlib.contextmanager
def titanic(endpoint, folder, *words):
    with started("titanic", "--connect", endpoint, "--store", os.path.join(folder, "store"), *words) as process:
        assert process.stdout.readline().startswith("open ")
        yield process


def in_terminal(*words):
    """Output and errors of a program whose terminal gets both, and its exit code."""
    process, terminal = pty.fork()
    if process == 0:
        os.execv(ZINC, [ZINC, *words])
    text = b""
    with contextlib.suppress(OSError):
        while data := os.read(terminal, 65536):
            text += data
    os.close(terminal)
    return text.decode("latin-1"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


class Stored(unittest.TestCase):
    def test_a_request_is_left_and_its_reply_is_fetched_later(self):
        with tempfile.TemporaryDirectory() as folder, broker() as endpoint, titanic(endpoint, folder):
            ask = ("request", "--connect", endpoint, *PATIENT)
            left = run(*ask, "--service", "echo", "--durable", "--leave", "hello", "world")
            self.assertEqual((left.returncode, left.stderr), (0, ""))
            identifier = left.stdout.strip()
            self.assertRegex(identifier, r"^[0-9A-F]{32}$")
            early = run(*ask, "--fetch", identifier)
            self.assertEqual((early.returncode, early.stdout), (4, ""))
            self.assertIn("zinc request: ", early.stderr)
            with started("worker", "--connect", endpoint, "--service", "echo"):
                fetched = run(*ask, "--fetch", identifier, "--wait")
            self.assertEqual((fetched.returncode, fetched.stdout, fetched.stderr), (0, "hello world\n", ""))
            closed = run(*ask, "--fetch", identifier)
            self.assertEqual((closed.returncode, closed.stdout), (3, ""))

    def test_many_are_left_and_json_has_the_id(self):
        with tempfile.TemporaryDirectory() as folder, broker() as endpoint, titanic(endpoint, folder):
            ask = ("request", "--connect", endpoint, *PATIENT, "--service", "echo", "--durable", "--leave")
            many = run(*ask, "--count", "3", "x")
            self.assertEqual((many.returncode, many.stderr), (0, ""))
            self.assertEqual(len(set(many.stdout.split())), 3)
            named = run(*ask, "--id", "ab" * 16, "--json", "x")
            self.assertEqual(json.loads(named.stdout), {"id": "AB" * 16})

    def test_a_request_that_titanic_has_given_up_is_unknown(self):
        with tempfile.TemporaryDirectory() as folder, broker() as endpoint, \
                titanic(endpoint, folder, "--attempts", "1"), \
                started("worker", "--connect", endpoint, "--service", "bad", "--exec", "exit 1"):
            ask = ("request", "--connect", endpoint, *PATIENT)
            left = run(*ask, "--service", "bad", "--durable", "--leave", "x")
            fetched = run(*ask, "--fetch", left.stdout.strip(), "--wait")
            self.assertEqual((fetched.returncode, fetched.stdout), (5, ""), fetched.stderr)

    def test_options_that_do_not_fit_are_misuse(self):
        for words in (("--service", "x", "--leave"), ("--service", "x", "--wait"), (),
                      ("--fetch", "A", "--service", "x"), ("--fetch", ""), ("--fetch", "A", "body"),
                      *(("--fetch", "A", *words) for words in (
                          ("--count", "2"), ("--in-flight", "2"), ("--size", "2B"), ("--file", "-"), ("--durable",),
                          ("--durable", "--leave"), ("--durable", "--id", "new"), ("--idempotent",)))):
            with self.subTest(words):
                result = run("request", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)


class Bodies(unittest.TestCase):
    def test_come_from_a_file_or_from_standard_input(self):
        with tempfile.TemporaryDirectory() as folder, broker() as endpoint, \
                started("worker", "--connect", endpoint, "--service", "echo"):
            ask = ("request", "--connect", endpoint, *PATIENT, "--service", "echo", "--json")
            path = os.path.join(folder, "body")
            with open(path, "w", encoding="utf-8") as file:
                file.write("line\nline\n")
            self.assertEqual(json.loads(run(*ask, "--file", path).stdout), {"reply": ["line\nline\n"]})
            self.assertEqual(json.loads(run(*ask, "first", "--file", "-", input="in\0put").stdout),
                             {"reply": ["first", "in\0put"]})
            self.assertEqual(json.loads(run(*ask, "--file", "-", input="").stdout), {"reply": [""]})
            with open(path, "wb") as file:
                file.truncate(64 * 1024 * 1024 - 1023)
            large = run(*ask, "--file", path)
            self.assertEqual((large.returncode, large.stdout), (2, ""), large.stderr)
            self.assertIn(path + " is larger than 65535KiB", large.stderr)
            missing = run(*ask, "--file", os.path.join(folder, "missing"))
            self.assertEqual((missing.returncode, missing.stdout), (1, ""))
            self.assertIn("cannot read " + os.path.join(folder, "missing"), missing.stderr)


class Terminal(unittest.TestCase):
    def test_replies_cannot_change_it(self):
        with broker() as endpoint, started("worker", "--connect", endpoint, "--service", "echo"):
            ask = ("request", "--connect", endpoint, *PATIENT, "--service", "echo")
            evil = "\x1b[2Jé\u009b\n\tend"
            text, code = in_terminal(*ask, evil)
            self.assertEqual(code, 0)
            self.assertEqual(text.encode("latin-1").decode("utf-8"), "\\x1b[2Jé\\xc2\\x9b\r\n\tend\r\n")
            text, _ = in_terminal(*ask, "--json", evil)
            self.assertTrue(text.strip().isascii() and text.strip().isprintable(), text)
            self.assertEqual(json.loads(text), {"reply": [evil]})
            # Another program gets the bytes as they are.
            self.assertEqual(run(*ask, evil).stdout, evil + "\n")

    def test_has_the_progress_of_many_requests(self):
        with broker() as endpoint, started("worker", "--connect", endpoint, "--service", "echo"):
            ask = ("request", "--connect", endpoint, *PATIENT, "--service", "echo", "--count", "50", "x")
            text, code = in_terminal(*ask)
            self.assertEqual(code, 0)
            self.assertRegex(text, r"\A\r\d+ of 50 \(\d+ %\), 0 failed, \d+/s\x1b\[K")
            self.assertRegex(text, r"\r\x1b\[K50 requests, 50 answered, 0 failed in [^\r\n]*\r\n\Z")
            quiet = run(*ask)
            self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))


class ExitCodes(unittest.TestCase):
    def test_tell_refused_from_unanswered_and_unknown(self):
        with broker("--unserved-timeout", "50ms") as endpoint, \
                started("worker", "--connect", endpoint, "--service", "fails", "--exec", "exit 1"), \
                started("worker", "--connect", endpoint, "--service", "hangs", "--delay", "1h"):
            ask = ("request", "--connect", endpoint)
            for service in ("fails", "hangs"):
                end = time.monotonic() + DEADLINE
                while run(*ask, *PATIENT, "--service", "mmi.service", service).stdout != "200\n":
                    self.assertLess(time.monotonic(), end)
            self.assertEqual(run(*ask, *PATIENT, "--service", "absent", "x").returncode, 3)
            self.assertEqual(run(*ask, *PATIENT, "--service", "absent", "--count", "3", "x").returncode, 3)
            # On a busy machine, a short time may end before the connection exists.
            codes = (run(*ask, "--timeout", time_out, "--service", "hangs", "x").returncode
                     for time_out in ("300ms", "3s", "20s"))
            self.assertEqual(next((code for code in codes if code != 1), 1), 4)
            self.assertEqual(run(*ask, *PATIENT, "--service", "fails", "x").returncode, 5)
        self.assertEqual(run(*ask, "--timeout", "100ms", "--service", "absent", "x").returncode, 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""zinc top, with real servers."""

import json
import os
import re
import signal
import sys
import termios
import unittest

sys.dont_write_bytecode = True
from status_servers import (  # noqa: E402: behind the line above
    EVIL_BYTES, EVIL_PRINTED, broker, line_of, map_server, titanic, worker)
from terminal import Terminal  # noqa: E402
from zinc_program import DEADLINE, ZINC, run, started  # noqa: E402


class Screen(Terminal):
    """zinc top in a terminal of its own."""

    def __init__(self, *words, **how):
        super().__init__([ZINC, "top", "--interval", "20ms", *words], **how)


LEAVE = "\x1b[?25h\x1b[?1049l"


class Top(unittest.TestCase):
    def test_redraws_until_q_and_restores_the_terminal(self):
        with broker() as (_, endpoint, url), worker(endpoint, "echo"):
            for address in (endpoint, url):
                with self.subTest(address), Screen("--connect", address) as screen:
                    screen.wait_for(r"\x1b\[\?1049h\x1b\[\?25l")
                    screen.wait_for(r"\x1b\[Hbroker[^\n]*: ready")
                    screen.wait_for(r"\x1b\[7mSERVICE +WORKERS[^\n]*REQUESTS/S")
                    screen.wait_for(r"\necho +1 .*q quit")
                    self.assertEqual(run("request", "--connect", endpoint, "--service", "echo", "x").returncode, 0)
                    # One frame has a rate, which may be 99.9 or 100.
                    screen.wait_for(r"requests [2-9] \((?!0/s|-/s)[\d.]+/s\)")
                    self.assertFalse(termios.tcgetattr(screen.terminal)[3] & (termios.ICANON | termios.ECHO))
                    screen.type("w")
                    screen.wait_for(r"\x1b\[7mWORKER +SERVICE")
                    if address == endpoint:
                        screen.type("c")
                        screen.wait_for(r"\x1b\[7mCLIENT +REQUESTS")
                    screen.type("q")
                    text, code = screen.end()
                    self.assertEqual(code, 0)
                    self.assertTrue(text.endswith(LEAVE), repr(text[-200:]))
                    self.assertEqual(termios.tcgetattr(screen.terminal)[3] & (termios.ICANON | termios.ECHO),
                                     termios.ICANON | termios.ECHO)

    def test_signals_restore_the_terminal(self):
        with broker() as (_, endpoint, _):
            for has_input in (True, False):
                for end in (lambda screen: screen.type("\x03"), lambda screen: os.kill(screen.process, signal.SIGTERM)):
                    with Screen("--connect", endpoint, has_input=has_input) as screen:
                        screen.wait_for("ready")
                        # Neither stops it, nor kills it.
                        screen.type("\x1a\x1c")
                        screen.wait_for("ready")
                        end(screen)
                        text, code = screen.end()
                        self.assertEqual(code, 0)
                        self.assertTrue(text.endswith(LEAVE), repr(text[-200:]))

    def test_names_do_not_reach_the_terminal_as_they_are(self):
        with broker() as (_, endpoint, url), worker(endpoint, EVIL_BYTES):
            for address in (endpoint, url):
                with self.subTest(address), Screen("--connect", address) as screen:
                    screen.wait_for(re.escape(EVIL_PRINTED))
                    screen.type("q")
                    text, _ = screen.end()
                    self.assertNotIn("evil\x1b", text)
                    self.assertNotIn("\x9b", text)

    def test_says_that_the_server_is_away_and_goes_on_when_it_returns(self):
        with broker() as (process, endpoint, _), Screen("--connect", endpoint, "--timeout", "200ms") as screen:
            screen.wait_for("ready")
            process.kill()
            process.wait()
            screen.wait_for("lost, trying again: ")
            with started("broker", "--bind", endpoint) as again:
                self.assertEqual(line_of(again, "bound"), endpoint)
                # A whole screen without the remark.
                screen.wait_for(r"\x1b\[Hbroker: ready\x1b\[K\r\npeers")
                screen.type("q")
                self.assertEqual(screen.end()[1], 0)

    def test_fits_a_small_terminal_and_follows_its_size(self):
        with broker() as (_, endpoint, _), worker(endpoint, "echo"), \
                Screen("--connect", endpoint, rows=4, columns=20) as screen:
            screen.wait_for("q quit|s services  w worker\x1b")
            termios.tcsetwinsize(screen.terminal, (5, 10))
            os.kill(screen.process, signal.SIGWINCH)
            screen.wait_for("s services\x1b")
            screen.text = ""
            frame = screen.wait_for(r"\x1b\[H(.*?)\x1b\[J")[1]
            plain = re.sub(r"\x1b\[\w+", "", frame).split("\r\n")
            self.assertEqual(len(plain), 5)
            self.assertLessEqual(max(map(len, plain)), 10)
            screen.type("q")
            screen.end()

    def test_without_a_terminal_prints_screens(self):
        with broker() as (_, endpoint, _), worker(endpoint, "echo"):
            result = run("top", "--connect", endpoint, "--count", "2", "--interval", "1ms")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertNotIn("\x1b", result.stdout)
            screens = result.stdout.split("\n\nbroker")
            self.assertEqual(len(screens), 2)
            self.assertIn("requests 1 (-/s)", screens[0])
            self.assertIn("requests 1 (0/s)", screens[1])
            result = run("top", "--connect", endpoint, "--count", "2", "--interval", "1ms", "--json")
            self.assertEqual([json.loads(line)["component"] for line in result.stdout.splitlines()], ["broker"] * 2)

    def test_shows_a_map_server_and_titanic(self):
        with map_server() as (endpoint, url):
            self.assertEqual(run("chp", "set", "key", "value", "--connect", endpoint).returncode, 0)
            result = run("top", "--connect", url, "--count", "1")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"(?s)\Achp [\w.-]+: ready\n.*\bkeys 1 .*\bupdates 1 \(-/s\)")
        with broker() as (_, endpoint, _), titanic(endpoint) as url:
            self.assertEqual(run("request", "--connect", endpoint, "--durable", "--leave", "--service", "later",
                                 "--timeout", f"{DEADLINE}s", "x").returncode, 0)
            result = run("top", "--connect", url, "--count", "1")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"(?s)\Atitanic [\w.-]+: ready\n.*\bpending 1 .*"
                                            r"\nSERVICE +PENDING +IN_FLIGHT\nlater +1 +0\n")

    def test_sorts_by_a_column_or_says_which_there_are(self):
        with broker() as (_, endpoint, _), worker(endpoint, "echo"):
            for column in ("waiting", "REQUESTS/S", "failed"):
                result = run("top", "--connect", endpoint, "--count", "1", "--sort", column)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
            result = run("top", "--connect", endpoint, "--count", "1", "--sort", "size")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--sort size: no such column; choose one of endpoint, service, workers, ", result.stderr)
            self.assertEqual(run("top", "--connect", endpoint, "--sort", "waiting", "--json").returncode, 2)

    def test_a_server_that_was_never_there_ends_it(self):
        result = run("top", "--connect", "http://127.0.0.1:1")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("zinc top: cannot read http://127.0.0.1:1", result.stderr)


if __name__ == "__main__":
    unittest.main()

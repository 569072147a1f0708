#!/usr/bin/python3
"""zinc chp server as an operator meets it, alone and as a pair, with the other commands of zinc chp."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from zinc_programs import PATIENCE, Program, Server, reserve_ports, zinc_path  # noqa: E402: behind it

ROLES = ("primary", "backup")


def chp(*words):
    return [zinc_path(), "chp", *words]


class ChpCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def serve(self, *options):
        return Server(self, chp("server", "--bind", "tcp://127.0.0.1:*", *options))

    @staticmethod
    def run_to_the_end(words):
        return subprocess.run(words, capture_output=True, text=True, timeout=2 * PATIENCE,
                              check=False)

    def run_client(self, words, *ports):
        command = chp(*words)
        for port in ports:
            command += ["--connect", f"tcp://127.0.0.1:{port}"]
        return self.run_to_the_end(command)

    def expect(self, lines, words, *ports):
        result = self.run_client(words, *ports)
        self.assertEqual((result.returncode, result.stderr, result.stdout.splitlines()),
                         (0, "", lines))


class ArgumentsTest(ChpCase):
    def test_faults_are_named_and_are_misuse(self):
        pair = ("--peer", "tcp://127.0.0.1:7000", "--bstar-bind", "ipc://@a", "--bstar-connect", "ipc://@b")
        for words, fault in (
            (("--bind", "tcp://*:65534"), "65534"),
            (("--port", "5556"), "--port"),
            (("--bind", "ipc://@a"), "ipc://@a"),
            (("--primary",), "--peer"),
            (("--primary", *pair[:-2]), "--bstar-connect"),
            (("--primary", "--backup", *pair), "--backup"),
            (pair, "--primary"),
            (("--degraded", "block"), "--primary"),
            (("--primary", *pair, "--degraded", "perhaps"), "--degraded"),
            (("--primary", *pair, "--frames", "kvsimple8"), "option"),
            (("--primary", *pair, "--heartbeat", "100ms", "--expiry", "100ms"), "expiry"),
            (("--primary", "--peer", "tcp://127.0.0.1:65534", *pair[2:]), "65534"),
            (("--heartbeat", "0s"), "--heartbeat"),
            (("--max-keys", "0"), "--max-keys"),
            (("--frames", "other"), "--frames"),
            (("--collector", "other"), "--collector"),
        ):
            with self.subTest(words):
                result = self.run_to_the_end(chp("server", *words))
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(fault, result.stderr + result.stdout)

    def test_a_system_error_is_a_failure(self):
        with open(self.path("damaged"), "w", encoding="ascii") as file:
            file.write("damaged\n")
        taken = self.serve()
        for words, fault in (
            (("--bind", "tcp://127.0.0.1:*", "--epoch-file", self.path("damaged")), "damaged"),
            (("--bind", "tcp://127.0.0.1:*", "--epoch-file", self.path("no/folder")), "no/folder"),
            (("--bind", f"tcp://*:{taken.port}"), str(taken.port)),
        ):
            with self.subTest(words):
                result = self.run_to_the_end(chp("server", *words))
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(fault, result.stderr)

    def test_help(self):
        result = self.run_to_the_end(chp("server", "--help"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("--bstar-bind", result.stdout)


class AloneTest(ChpCase):
    def test_keeps_what_is_set_and_tells_who_watches(self):
        server = self.serve("--heartbeat", "100ms")
        watching = Program(self, chp("watch", "/a/", "--count", "3", "--connect",
                                     f"tcp://127.0.0.1:{server.port}"))
        self.expect([], ["set", "/a/1", "one"], server.port)
        self.assertEqual(watching.read_line(), "/a/1 one")
        self.expect([], ["set", "/b/1", "elsewhere"], server.port)
        self.expect(["one"], ["get", "/a/1"], server.port)
        self.expect([], ["set", "/a/2", "two", "--ttl", "1s"], server.port)
        self.expect([], ["delete", "/a/1"], server.port)
        self.assertEqual(self.run_client(["get", "/a/1"], server.port).returncode, 1)
        self.assertEqual(watching.read_line(), "/a/2 two")
        # The first key is erased, and the second one expires.
        self.assertEqual(watching.wait(), 0)
        self.expect(["/b/1 elsewhere"], ["dump", "/b/"], server.port)
        self.assertEqual(server.stop(), 0)

    def test_ports_are_as_it_is_told(self):
        port = reserve_ports(self, 3)
        server = Server(self, chp("server", "--bind", f"tcp://*:{port}"))
        self.assertEqual(server.port, port)
        self.expect([], ["set", "key", "value"], port)
        server.signal(signal.SIGINT)
        self.assertEqual(server.wait(), 0)

    def test_each_start_takes_an_epoch_of_its_own(self):
        for epoch in ("1", "2"):
            server = self.serve("--epoch-file", self.path("epoch"))
            self.assertEqual(server.read_line(), f"active {epoch}")
            server.kill()
            with open(self.path("epoch"), encoding="ascii") as file:
                self.assertEqual(file.read(), epoch + "\n")

    def test_the_last_epoch_is_the_last(self):
        with open(self.path("epoch"), "w", encoding="ascii") as file:
            file.write(f"{2**19 - 1}\n")
        result = self.run_to_the_end(chp("server", "--bind", "tcp://127.0.0.1:*", "--epoch-file",
                                         self.path("epoch")))
        self.assertEqual(result.returncode, 1)
        self.assertIn(self.path("epoch"), result.stderr)

    def test_committed_updates_survive_a_kill_in_the_store(self):
        store = ("--store", self.path("map"))
        server = self.serve(*store)
        self.expect([], ["set", "/a/1", "one"], server.port)
        self.expect([], ["set", "/a/2", "two"], server.port)
        self.expect([], ["delete", "/a/1"], server.port)
        server.kill()
        self.assertEqual(os.stat(self.path("map")).st_mode & 0o777, 0o600)
        server = self.serve(*store)
        self.assertEqual(server.read_line(), "active 2")
        self.expect(["/a/2 two"], ["dump"], server.port)
        self.assertEqual(server.stop(), 0)

    def test_stores_that_cannot_be_used_are_named_with_a_remedy(self):
        with open(self.path("foreign"), "w", encoding="ascii") as file:
            file.write("something else\n" * 100)
        damaged = self.path("damaged")
        server = self.serve("--store", damaged)
        for n in range(3):
            self.expect([], ["set", f"key{n}", "value"], server.port)
        server.stop()
        with sqlite3.connect(damaged) as database:
            database.execute("UPDATE log SET records = records || x'00'")
        database.close()
        self.serve("--store", self.path("taken"))
        for name, fault in (
            ("foreign", "name another file or a new one"),
            ("damaged", "start with a new one"),
            ("taken", "stop that process or name another store"),
            ("no/folder", "create it first"),
        ):
            with self.subTest(name):
                result = self.run_to_the_end(chp("server", "--bind", "tcp://127.0.0.1:*", "--store",
                                                 self.path(name)))
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn(self.path(name), result.stderr)
                self.assertIn(fault, result.stderr)

    def test_limits_are_kept(self):
        server = self.serve("--max-keys", "1", "--max-value", "4B")
        self.expect([], ["set", "one", "1"], server.port)
        for words, fault in ((["two", "2"], "maximum number of keys"),
                             (["one", "12345"], "value above the limit")):
            result = self.run_client(["set", *words, "--json"], server.port)
            self.assertEqual(result.returncode, 3)
            self.assertIn(fault, result.stderr)
            self.assertIn('"outcome":"not made"', result.stdout)
        self.expect(["one 1"], ["dump"], server.port)

    def test_tells_its_status_when_it_is_asked(self):
        process = subprocess.Popen(chp("server", "--bind", "tcp://127.0.0.1:*"), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        port = process.stdout.readline().rsplit(":", 1)[1].strip()
        self.expect([], ["set", "key", "value"], port)
        process.send_signal(signal.SIGUSR1)
        line = process.stderr.readline()
        self.assertIn(" keys=1 ", line)
        self.assertIn(" updates=1 ", line)
        self.assertIn(" stored=nothing ", line)


class PairTest(ChpCase):
    def setUp(self):
        super().setUp()
        self.ports = [reserve_ports(self, 3) for _ in ROLES]

    def start(self, index, *more):
        state = [f"ipc://{self.path(role)}" for role in ROLES]
        return Server(self, chp(
            "server", "--bind", f"tcp://*:{self.ports[index]}", f"--{ROLES[index]}", "--peer",
            f"tcp://127.0.0.1:{self.ports[1 - index]}", "--bstar-bind", state[index],
            "--bstar-connect", state[1 - index], "--epoch-file", self.path(ROLES[index] + ".epoch"),
            # Long enough that a busy machine does not cause an expiry of the active server.
            "--heartbeat", "100ms", "--expiry", "1s", *more))

    def test_updates_survive_a_kill_of_the_active_server(self):
        primary, backup = self.start(0), self.start(1)
        self.assertEqual(primary.read_line(), "active 1")
        self.assertEqual(backup.read_line(), "passive peer-active")
        watching = Program(self, chp("watch", "/a/", "--heartbeat", "100ms", "--connect",
                                     f"tcp://127.0.0.1:{self.ports[0]}", "--connect",
                                     f"tcp://127.0.0.1:{self.ports[1]}"))
        self.expect([], ["set", "/a/1", "one"], *self.ports)
        self.assertEqual(watching.read_line(), "/a/1 one")
        self.wait_for_backup(["/a/1 one"], *self.ports)
        primary.kill()
        self.expect_degraded(["one"], ["get", "/a/1"], self.ports[1])
        self.assertEqual(backup.read_line(), "active 2")
        self.expect([], ["set", "/a/2", "two"], *self.ports)
        self.assertEqual(watching.read_line(), "/a/2 two")
        # A server that restarts follows, and can be left alone later.
        primary = self.start(0)
        self.assertEqual(primary.read_line(), "passive peer-active")
        self.wait_for_backup(["/a/1 one", "/a/2 two"], *reversed(self.ports))
        backup.kill()
        self.expect_degraded(["/a/1 one", "/a/2 two"], ["dump"], self.ports[0])
        self.assertEqual(primary.read_line(), "active 3")
        self.assertEqual(primary.stop(), 0)

    def expect_degraded(self, lines, words, active):
        result = self.run_client(words, *self.ports)
        self.assertEqual((result.returncode, result.stderr, result.stdout.splitlines()),
                         (0, f"zinc chp: degraded: the latest updates may be on tcp://127.0.0.1:{active} alone\n",
                          lines))

    def wait_for_backup(self, lines, *ports):
        """Until an update is committed by both; then the map is this."""
        end = time.monotonic() + PATIENCE
        while True:
            result = self.run_client(["set", "probe", "value", "--json"], *ports)
            self.assertEqual(result.returncode, 0, result.stderr)
            if '"degraded":false' in result.stdout:
                break
            self.assertLess(time.monotonic(), end, "the backup does not follow")
        self.expect([], ["delete", "probe"], *ports)
        # On a busy machine the pair can be degraded again, which goes to stderr.
        self.assertEqual(self.run_client(["dump"], *ports).stdout.splitlines(), lines)

    def test_degraded_block_commits_nothing_without_the_peer(self):
        primary = self.start(0, "--degraded", "block")
        self.assertEqual(self.run_client(["set", "key", "value", "--timeout", "3s"],
                                         self.ports[0]).returncode, 4)
        self.assertEqual(primary.read_line(), "active 1")
        backup = self.start(1, "--degraded", "block")
        self.assertEqual(backup.read_line(), "passive peer-active")
        self.expect([], ["set", "key", "value"], *self.ports)
        self.assertEqual(backup.stop(), 0)
        self.assertEqual(primary.stop(), 0)


if __name__ == "__main__":
    unittest.main()

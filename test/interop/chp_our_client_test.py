#!/usr/bin/python3
"""Zinc's client of the clustered hashmap with third-party servers: a server of 12/CHP without extensions, and
the Guide's clonesrv6."""

import json
import subprocess
import sys
import unittest
from types import SimpleNamespace

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from chp_servers import GuideServer, LetterServer, properties  # noqa: E402
from zinc_programs import PATIENCE, Program, built, reserve_ports, zinc_path  # noqa: E402

SERVERS = (LetterServer, GuideServer)
ENTRIES = {b"/a/1": b"one", b"/a/2": b"two", b"/b/1": b"three"}


class OurClientTest(InteropCase):
    def serve(self, kind, entries=None, passive=0):
        server = kind(self.context, entries, passive)
        self.addCleanup(server.stop)
        return server

    def each_server(self, entries=None):
        for kind in SERVERS:
            with self.subTest(server=kind.__name__):
                yield self.serve(kind, entries)

    def zinc(self, words, *servers):
        command = [zinc_path(), "chp", *words]
        for server in servers:
            command += ["--connect", f"tcp://{server.address}"]
        return command

    def run_zinc(self, words, *servers):
        return subprocess.run(self.zinc(words, *servers), capture_output=True, text=True,
                              timeout=2 * PATIENCE, check=False)

    def expect(self, lines, words, *servers):
        result = self.run_zinc(words, *servers)
        self.assertEqual((result.returncode, result.stderr, result.stdout.splitlines()),
                         (0, "", lines))

    def wait_until_asked(self, server, true, what):
        with server.was_asked:
            self.assertTrue(server.was_asked.wait_for(lambda: true(server), PATIENCE), what)

    def test_the_whole_map_comes_in_order(self):  # CHP-9, CHP-11, CHP-13, CHP-15
        for server in self.each_server(ENTRIES):
            self.expect(["/a/1 one", "/a/2 two", "/b/1 three"], ["dump"], server)
            self.assertEqual(set(server.asked), {b""})

    def test_a_subtree_comes_alone(self):  # CHP-8, CHP-10
        for server in self.each_server(ENTRIES):
            self.expect(["/a/1 one", "/a/2 two"], ["dump", "/a/"], server)
            self.assertEqual(set(server.asked), {b"/a/"})

    def test_an_empty_map_is_one(self):  # CHP-11
        for server in self.each_server():
            self.expect([], ["dump"], server)

    def test_get_finds_existing_keys_only(self):
        for server in self.each_server(ENTRIES):
            self.expect(["two"], ["get", "/a/2"], server)
            self.assertEqual(self.run_zinc(["get", "/a/3"], server).returncode, 1)

    def test_a_set_is_the_command_of_the_specification(self):  # CHP-28, CHP-29, CHP-30
        for server in self.each_server():
            self.expect([], ["set", "/a/1", "one"], server)
            self.expect([], ["set", "key", "value", "--ttl", "30s"], server)
            first, second = server.sets
            self.assertEqual([first[0], len(first[1]), len(first[2]), first[3], first[4]],
                             [b"/a/1", 8, 16, b"", b"one"])
            self.assertEqual([second[0], properties(second[3])], [b"key", {b"ttl": b"30"}])
            self.assertNotEqual(first[2], second[2])
            self.expect(["one"], ["get", "/a/1"], server)

    def test_delete_sends_an_empty_value(self):  # CHP-31
        for server in self.each_server(ENTRIES):
            self.expect([], ["delete", "/a/1"], server)
            self.assertEqual([server.sets[0][0], server.sets[0][4]], [b"/a/1", b""])
            self.expect(["/a/2 two"], ["dump", "/a/"], server)

    def test_watch_prints_existing_keys_and_changes(self):  # CHP-17, CHP-18, CHP-22, CHP-24, CHP-33
        for server in self.each_server(ENTRIES):
            watching = Program(self, self.zinc(["watch", "/a/", "--json", "--count", "6"], server))
            seen = lambda: json.loads(watching.read_line())  # noqa: E731
            self.assertEqual([seen(), seen()], [{"key": "/a/1", "value": "one"},
                                                {"key": "/a/2", "value": "two"}])
            self.expect([], ["set", "/a/3", "three", "--ttl", "1s"], server)
            self.assertEqual(seen(), {"key": "/a/3", "value": "three"})
            self.assertEqual(seen(), {"key": "/a/3", "value": None})
            self.expect([], ["set", "/b/1", "elsewhere"], server)
            self.expect([], ["delete", "/a/1"], server)
            self.assertEqual(seen(), {"key": "/a/1", "value": None})
            self.expect([], ["set", "/a/2", "changed"], server)
            self.assertEqual(seen(), {"key": "/a/2", "value": "changed"})
            self.assertEqual(watching.wait(), 0)

    def test_a_passive_server_is_asked_until_it_answers(self):  # C1-22
        for kind in SERVERS:
            with self.subTest(server=kind.__name__):
                server = self.serve(kind, ENTRIES, passive=3)
                self.expect(["one"], ["get", "/a/1"], server)

    def test_when_a_server_goes_the_next_is_followed(self):  # CHP-35, CHP-36
        for kind in SERVERS:
            with self.subTest(server=kind.__name__):
                first = self.serve(kind, ENTRIES)
                second = self.serve(kind, ENTRIES, passive=3)
                watching = Program(self, self.zinc(["watch", "/a/"], first, second))
                self.assertEqual([watching.read_line(), watching.read_line()],
                                 ["/a/1 one", "/a/2 two"])
                first.stop()
                self.wait_until_asked(second, lambda s: not s.passive, "the second was not asked")
                self.expect([], ["set", "/a/1", "after"], first, second)
                self.assertEqual(watching.read_line(), "/a/1 after")
                self.assertEqual(watching.stop(), 0)

    def test_the_examples_do_what_the_documentation_says(self):
        for server in self.each_server():
            at = "tcp://" + server.address
            watching = Program(self, [built("test/examples/map_watch"), at])
            self.wait_until_asked(server, lambda s: s.asked, "no client watches")
            done = subprocess.run([built("test/examples/map_set"), at], capture_output=True,
                                  text=True, timeout=PATIENCE, check=True)
            self.assertEqual(done.stdout, "on\n")
            self.assertEqual(watching.read_line(), "/lamp/kitchen is on")
            self.expect([], ["delete", "/lamp/kitchen"], server)
            self.assertEqual(watching.read_line(), "/lamp/kitchen is gone")

    def test_without_a_server_it_fails_in_time(self):
        nobody = SimpleNamespace(address=f"127.0.0.1:{reserve_ports(self, 3)}")
        # 1: an update was not sent. 4: there was no answer.
        for words, code in ((["get", "/a/1"], 4), (["dump"], 4), (["set", "/a/1", "1"], 1), (["delete", "/a/1"], 1)):
            with self.subTest(words=words):
                result = self.run_zinc([*words, "--timeout", "300ms"], nobody)
                self.assertEqual(result.returncode, code)
                self.assertIn("zinc chp", result.stderr)


if __name__ == "__main__":
    unittest.main()

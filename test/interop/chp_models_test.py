#!/usr/bin/python3
"""Our client of the clustered hashmap with servers that behave as the Guide's models 1 to 5, and with our own in each
of their modes."""

import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from guide_model_servers import GuideModel  # noqa: E402
from zinc_programs import PATIENCE, Program, Server, zinc_path  # noqa: E402

ENTRIES = {b"/a/1": b"one", b"/a/2": b"two", b"/b/1": b"three"}
WIDTHS = {8: "kvsimple8", 4: "kvsimple4"}


class ModelsTest(InteropCase):
    def serve(self, *arguments, **options):
        server = GuideModel(self.context, *arguments, **options)
        self.addCleanup(server.stop)
        self.addCleanup(lambda: self.assertFalse(server.aborted, "E: bad request, aborting"))
        return server

    def run_zinc(self, words, server, *flags):
        return subprocess.run([zinc_path(), "chp", *words, *flags, "--connect", f"tcp://{server.address}"],
                              capture_output=True, text=True, timeout=2 * PATIENCE, check=False)

    def expect(self, lines, words, server, *flags):
        result = self.run_zinc(words, server, *flags)
        self.assertEqual((result.returncode, result.stderr, result.stdout.splitlines()),
                         (0, "", lines))

    def watch(self, server, subtree, count, *flags):
        return Program(self, [zinc_path(), "chp", "watch", *subtree, "--count", str(count), *flags,
                              "--connect", f"tcp://{server.address}"])

    def check_sets(self, server, *flags):
        """An update comes back to its client and to a watcher."""
        watching = self.watch(server, ["/a/"], 3, *flags)
        self.assertEqual([watching.read_line() for _ in range(2)], ["/a/1 one", "/a/2 two"])
        self.expect([], ["set", "/a/2", "changed"], server, *flags)
        self.assertEqual(watching.read_line(), "/a/2 changed")
        self.assertEqual(watching.wait(), 0)
        self.expect(["changed"], ["get", "/a/2"], server, *flags)
        # Servers do not acknowledge a key outside of the watched subtree, but a snapshot contains it.
        self.expect([], ["set", "elsewhere", "x"], server, *flags)
        self.expect(["/a/1 one", "/a/2 changed", "/b/1 three", "elsewhere x"], ["dump"], server, *flags)

    def test_model_1_is_heard(self):
        for width, frames in WIDTHS.items():
            with self.subTest(width):
                server = self.serve(1, width)
                watching = self.watch(server, [], 20, "--frames", frames, "--snapshots", "none")
                values = [int(watching.read_line().split()[1]) for _ in range(20)]
                self.assertEqual(values, list(range(values[0], values[0] + 20)))
                self.assertEqual(watching.wait(), 0)

    def test_model_2_gives_its_map(self):
        for width, frames in WIDTHS.items():
            with self.subTest(width):
                server = self.serve(2, width, entries=ENTRIES)
                flags = "--frames", frames, "--snapshots", "whole"
                self.expect(["/a/1 one", "/a/2 two", "/b/1 three"], ["dump"], server, *flags)
                self.expect(["/a/1 one", "/a/2 two"], ["dump", "/a/"], server, *flags)
                self.expect(["two"], ["get", "/a/2"], server, *flags)
                # There is no port for it.
                result = self.run_zinc(["set", "/a/1", "x", "--timeout", "500ms"], server, *flags)
                self.assertEqual(result.returncode, 1)
                self.assertIn("not sent in time", result.stderr)

    def test_model_3_takes_updates(self):
        for width, frames in WIDTHS.items():
            with self.subTest(width):
                server = self.serve(3, width, entries=ENTRIES)
                self.check_sets(server, "--frames", frames, "--collector", "pull", "--snapshots", "whole")
                self.assertEqual({len(one) for one in server.sets}, {3})
                self.assertEqual({len(one[1]) for one in server.sets}, {width})

    def test_model_3_with_five_frames_takes_updates(self):  # clonesrv3_py3
        server = self.serve(3, frames=5, entries=ENTRIES)
        self.check_sets(server, "--collector", "pull", "--snapshots", "whole", "--no-hugz")
        self.assertEqual({(len(one[1]), len(one[2])) for one in server.sets}, {(8, 16)})

    def test_model_4_has_subtrees(self):
        for width, frames in WIDTHS.items():
            with self.subTest(width):
                server = self.serve(4, width, entries=ENTRIES)
                self.check_sets(server, "--frames", frames, "--collector", "pull")
                self.assertIn([b"ICANHAZ?", b"/a/"], server.asked)

    def test_model_5_has_times_to_live_and_deletions(self):
        server = self.serve(5, frames=5, entries=ENTRIES)
        flags = "--collector", "pull", "--no-hugz"
        self.check_sets(server, *flags)
        watching = self.watch(server, ["/b/"], 4, *flags)
        self.assertEqual(watching.read_line(), "/b/1 three")
        self.expect([], ["set", "/b/2", "short", "--ttl", "1s"], server, *flags)
        self.assertEqual([watching.read_line() for _ in range(2)], ["/b/2 short", "/b/2"])
        self.expect([], ["delete", "/b/1"], server, *flags)
        self.assertEqual(watching.read_line(), "/b/1")
        self.assertEqual(watching.wait(), 0)

    def test_an_operation_that_kvsimple_does_not_have_is_rejected(self):
        server = self.serve(4, entries=ENTRIES)
        for words in (["delete", "/a/1"], ["set", "/a/1", "x", "--ttl", "1s"]):
            result = self.run_zinc(words, server, "--frames", "kvsimple8", "--collector", "pull")
            self.assertEqual(result.returncode, 2)
            self.assertIn("kvsimple has no deletions", result.stderr)
        self.assertEqual(server.sets, [])

    def test_our_server_in_each_of_its_modes(self):
        for frames in ("kvmsg", *WIDTHS.values()):
            for collector in ("sub", "pull"):
                with self.subTest(frames=frames, collector=collector):
                    flags = "--frames", frames, "--collector", collector
                    ours = Server(self, [zinc_path(), "chp", "server", "--bind", "tcp://127.0.0.1:*",
                                         *flags])
                    ours.address = f"127.0.0.1:{ours.port}"
                    for key, value in ENTRIES.items():
                        self.expect([], ["set", key.decode(), value.decode()], ours, *flags)
                    self.check_sets(ours, *flags)
                    self.expect(["one"], ["get", "/a/1"], ours, *flags, "--snapshots", "whole")
                    self.assertEqual(ours.stop(), 0)


if __name__ == "__main__":
    unittest.main()

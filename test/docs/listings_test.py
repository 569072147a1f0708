#!/usr/bin/python3
"""Each console listing of some pages prints what the page says. `g++` stands for Bazel, which has compiled the same
sources: recipes_test compares them with the listings in C++."""

import os
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
sys.path.insert(1, ROOT + "/test/docs")
import console  # noqa: E402: behind the line above

COMPILER = re.compile(r"g\+\+ -std=c\+\+20 (\w+)\.cc -o (\w+) \$\(pkg-config --cflags --libs (?:--static )?zinc-\w+\)")


class Listings(unittest.TestCase):
    def test_chp(self):
        self.play_all("chp", 1)

    def test_tutorial(self):
        self.play_all("tutorial", 9)

    def test_deployment(self):
        self.play_all("deployment", 1)

    def play_all(self, page, count):
        """Plays the listings of a page with this number of chapters with listings."""
        if not HAS_NETWORK:
            self.skipTest("no network namespaces, and the ports of the page may be in use")
        with open(f"{ROOT}/docs/{page}.md", encoding="utf-8") as file:
            chapters = console.chapters(file.read())
        self.assertEqual(len(chapters), count)
        for title, listings in chapters:
            with self.subTest(title), tempfile.TemporaryDirectory() as folder:
                os.mkdir(folder + "/bin")
                os.symlink(ROOT + "/tools/zinc/zinc", folder + "/bin/zinc")
                environment = dict(os.environ, PATH=folder + "/bin:/usr/bin:/bin", HOME=folder)
                for listing in listings:
                    console.play(self.compiled(listing, folder), folder, environment)

    def compiled(self, listing, folder):
        """Puts the programs that the commands compile into the folder. Returns the other commands."""
        others = []
        for name, command, lines in listing:
            compiled = COMPILER.fullmatch(command)
            if compiled:
                self.assertEqual(compiled[1], compiled[2])
                shutil.copy(f"{ROOT}/test/examples/{compiled[1]}", folder)
            else:
                others.append((name, command, lines))
        return others


if __name__ == "__main__":
    HAS_NETWORK = console.enter_own_network()
    unittest.main()

#!/usr/bin/env python3
"""tools/test calls Bazel with the right words. Other programs stand in for Bazel and the setup."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for place in ("bin", "tools"):
            (self.folder / place).mkdir()
        shutil.copy(HERE / "test", self.folder / "tools/test")
        self.write("tools/setup", f'echo "$*" > {self.folder}/setup')
        self.write("tools/count_tests.py", "echo counted")
        self.write("bin/bazel", f'printf "%s\\n" "$@" > {self.folder}/words')

    def write(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_test(self, *words):
        """The exit code and the errors of tools/test."""
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run([self.folder / "tools/test", *words], capture_output=True, text=True, timeout=60,
                              check=False, env=environment)
        return done.returncode, done.stderr

    def words_of_bazel(self, *words):
        code, errors = self.run_test(*words)
        self.assertEqual(code, 0, errors)
        told = (self.folder / "words").read_text(encoding="utf-8").split()
        return [word for word in told if not word.startswith("--build_event_json_file=")]

    def test_all_tests_in_their_short_form(self):
        self.assertEqual(self.words_of_bazel(),
                         ["test", "--keep_going", "--build_tests_only", "--config=grouped", "--", "//..."])

    def test_named_tests_and_long_forms_are_programs_of_their_own(self):
        for words in (["//a:b"], ["--long"]):
            with self.subTest(words):
                self.assertNotIn("--config=grouped", self.words_of_bazel(*words))

    def test_configuration_of_the_user_comes_behind_the_groups(self):
        # --config=asan puts all sources together, which must win.
        told = self.words_of_bazel("--config=asan")
        self.assertLess(told.index("--config=grouped"), told.index("--config=asan"))

    def test_fast_tests_are_the_pure_ones(self):
        self.assertEqual(self.words_of_bazel("--fast", "//a:b"),
                         ["test", "--keep_going", "--build_tests_only", "--test_tag_filters=pure", "--", "//a:b"])

    def test_no_long_form_is_fast(self):
        for words in (("--fast", "--long"), ("--part", "2", "--fast")):
            with self.subTest(words):
                code, errors = self.run_test(*words)
                self.assertEqual(code, 2)
                self.assertIn("--fast", errors)
                self.assertFalse((self.folder / "words").exists())

    def test_benchmarks_are_built_with_the_long_forms_only(self):
        self.assertNotIn("--build_tests_only", self.words_of_bazel("--long"))

    def test_options_and_targets_are_passed_on(self):
        self.assertEqual(self.words_of_bazel("--config=asan", "//a:b", "--test_output=all"),
                         ["test", "--keep_going", "--build_tests_only", "--config=asan", "--test_output=all", "--",
                          "//a:b"])

    def test_setup_installs_what_the_tests_need(self):
        for words, purpose in (([], "test"), (["--config=asan"], "checks"), (["--config=arm64"], "arm64"),
                               (["--long"], "long")):
            with self.subTest(words):
                self.run_test(*words)
                self.assertEqual((self.folder / "setup").read_text(encoding="utf-8"), f"--for {purpose}\n")

    def test_long_forms_have_the_time_that_they_need(self):
        for words, part in ((("--long",), 1), (("--part", "7"), 7), (("--part", "7", "--long"), 7)):
            with self.subTest(words):
                told = self.words_of_bazel(*words, "//a:b")
                self.assertIn(f"--test_env=ZINC_LONG={part}", told)
                self.assertIn("--config=long", told)  # user.bazelrc says where npm's packages are
                times = [word for word in told if word.startswith("--test_timeout=")]
                self.assertEqual(len(times), 1)
                # A test that Bazel calls medium has five minutes otherwise.
                self.assertGreater(int(times[0].split("=")[1].split(",")[1]), 300)
                self.assertEqual(told[-2:], ["--", "//a:b"])

    def test_an_option_of_the_user_comes_behind_and_wins(self):
        told = self.words_of_bazel("--long", "--test_timeout=5")
        self.assertEqual([word for word in told if word.startswith("--test_timeout=")][-1], "--test_timeout=5")

    def test_a_part_is_a_number_from_1(self):
        for words in (("--part",), ("--part", "0"), ("--part", "x"), ("--part", "-1"), ("--part", "//a:b")):
            with self.subTest(words):
                code, errors = self.run_test(*words)
                self.assertEqual(code, 2)
                self.assertIn("--part", errors)
                self.assertFalse((self.folder / "words").exists())


if __name__ == "__main__":
    unittest.main()

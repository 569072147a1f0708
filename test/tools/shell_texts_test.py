#!/usr/bin/python3
"""The help of zinc in other forms: manual pages, completion in real shells, and words that may be meant."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from terminal import Terminal  # noqa: E402: behind the line above
from zinc_program import DEADLINE, ZINC  # noqa: E402


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False,
                          stdin=subprocess.DEVNULL)


class SuggestionTest(unittest.TestCase):
    def test_a_mistyped_word_gets_the_one_that_is_meant(self):
        for words, meant in (
            (("brokr",), "'broker'"),
            (("help", "brokr"), "'broker'"),
            (("help", "exit_codes"), "'exit-codes'"),
            (("help", "endpoint"), "'endpoints'"),
            (("man", "chp", "wach"), "'watch'"),
            (("chp", "gett", "key"), "'get'"),
            (("broker", "--bnid", "tcp://*:5555"), "'--bind'"),
            (("broker", "--bnid=tcp://*:5555"), "'--bind'"),
            (("chp", "server", "--stor", "file"), "'--store'"),
        ):
            with self.subTest(words):
                result = run(ZINC, *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(f"did you mean {meant}?", result.stderr)

    def test_a_word_that_is_like_no_other_gets_the_known_ones(self):
        result = run(ZINC, "xyzzy")
        self.assertEqual(result.returncode, 2)
        self.assertNotIn("did you mean", result.stderr)
        self.assertIn("give one of broker, worker", result.stderr)
        self.assertRegex(run(ZINC, "help", "xyzzy").stderr, "give one of broker, .*, configuration, endpoints, exit-codes")
        self.assertNotIn("endpoints", run(ZINC, "help", "chp", "xyzzy").stderr)
        self.assertNotIn("endpoints", run(ZINC, "man", "xyzzy").stderr)


class ManualTest(unittest.TestCase):
    def test_every_subcommand_has_a_page_without_a_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(ZINC, "man", "--write", folder).returncode, 0)
            pages = sorted(pathlib.Path(folder).iterdir())
            self.assertEqual(len(pages), 33)
            self.assertIn("zinc-chp-get.1", [page.name for page in pages])
            for page in pages:
                with self.subTest(page.name):
                    result = run("groff", "-k", "-man", "-ww", "-Tutf8", "-P-c", "-P-b", "-P-u", "-P-o", str(page))
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
                    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT CODES"):
                        self.assertRegex(result.stdout, f"(?m)^{section}$")

    def test_prints_one_page(self):
        self.assertIn("\n.SH NAME\nzinc\\-broker \\- ", run(ZINC, "man", "broker").stdout)

    def test_a_folder_that_is_missing_is_named(self):
        result = run(ZINC, "man", "--write", "/not/there")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/not/there", result.stderr)


class CompletionTest(unittest.TestCase):
    LINES = (
        (["bro"], {"broker"}),
        (["chp", ""], {"server", "get", "set", "watch", "dump"}),
        (["titanic", "--unsafe"], {"--unsafe-nosync"}),
        (["chp", "set", "--require", ""], {"one", "both"}),
        (["help", ""], {"broker", "chp", "exit-codes"}),
        (["help", "chp", ""], {"server", "get"}),
        (["man", "bro"], {"broker"}),
    )

    def ask_shell(self, shell, program):
        path = shutil.which(shell)
        if path is None:
            self.skipTest(f"needs {shell}; install it")
        return run(path, *(["-f"] if shell == "zsh" else []), "-c", program)

    def test_in_bash(self):
        for words, expected in self.LINES:
            with self.subTest(words):
                line = " ".join(f"'{word}'" for word in words)
                result = self.ask_shell("bash", f"source <('{ZINC}' completion bash); COMP_WORDS=('{ZINC}' {line}); "
                                                f"COMP_CWORD={len(words)}; _zinc; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
                self.assertEqual(result.stderr, "")
                self.assertLessEqual(expected, set(result.stdout.split()))

    def test_in_fish(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ZINC, os.path.join(folder, "zinc"))
            for words, expected in self.LINES:
                with self.subTest(words):
                    line = " ".join(("zinc", *words))
                    result = self.ask_shell("fish", f"set -x HOME {folder}; set PATH {folder} $PATH; "
                                                    f"zinc completion fish | source; complete -C '{line}'")
                    self.assertEqual(result.stderr, "")
                    self.assertLessEqual(expected, {row.split("\t")[0] for row in result.stdout.splitlines()})

    def test_in_zsh(self):
        # Takes the offers where zsh would show them.
        for words, expected in self.LINES:
            with self.subTest(words):
                line = " ".join(f"'{word}'" for word in words)
                result = self.ask_shell("zsh", "compdef() { :; }; _files() { :; }; "
                                               "_describe() { print -l -- ${(P)2}; }; "
                                               f"source <('{ZINC}' completion zsh); words=('{ZINC}' {line}); "
                                               f"CURRENT={len(words) + 1}; _zinc")
                self.assertEqual(result.stderr, "")
                self.assertLessEqual(expected, {row.split(":")[0] for row in result.stdout.splitlines()})


class KeysTest(unittest.TestCase):
    """TAB in shells with a terminal."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.symlink(ZINC, os.path.join(self.folder, "zinc"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"PATH='{self.folder}':$PATH\nPS1='ready> '\n{text}")
        return path

    def check(self, shell, *words):
        if shutil.which(shell) is None:
            self.skipTest(f"needs {shell}; install it")
        with Terminal([shell, *words], environment={"HOME": self.folder, "ZDOTDIR": self.folder}) as screen:
            screen.wait_for("ready> ")
            screen.type("zinc --ver\t")
            screen.wait_for("sion")
            screen.type("\n")
            screen.wait_for(r"[\r\n]zinc \d.*\nMDP .*ready> ")
            screen.type("zinc chp \t")
            # zsh clears the screen with a sequence whose last byte is a letter.
            screen.wait_for(r"delete\b.*\bdump\b.*\bget\b.*\bserver\b.*\bset\b.*\bwatch\b")

    def test_in_bash(self):
        file = self.write("rc", "bind 'set show-all-if-ambiguous on'\nsource <(zinc completion bash)\n")
        self.check("bash", "--noprofile", "--rcfile", file, "-i")

    def test_in_zsh(self):
        self.write(".zshrc", "autoload -U compinit && compinit -u\nsource <(zinc completion zsh)\n")
        self.check("zsh", "-d", "-i")

    def test_in_zsh_with_the_installed_file(self):
        functions = os.path.join(self.folder, "functions")
        os.mkdir(functions)
        with open(os.path.join(functions, "_zinc"), "w", encoding="utf-8") as file:
            file.write(run(ZINC, "completion", "zsh").stdout)
        self.write(".zshrc", f"fpath=('{functions}' $fpath)\nautoload -U compinit && compinit -u\n")
        self.check("zsh", "-d", "-i")


if __name__ == "__main__":
    unittest.main()

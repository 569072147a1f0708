#!/usr/bin/python3
"""Installed headers compile for a user, who defines no macro of Asio: all in one file, and in the long form each alone,
with GCC and clang. To run it by hand: ZINC_LONG=1 test/package/headers_test.py"""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

if "TEST_SRCDIR" in os.environ:
    ROOT = Path(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
else:
    ROOT = Path(__file__).resolve().parent.parent.parent
HEADERS = re.findall(r"^  (\S+\.h)$", (ROOT / "tools/cmake/files.cmake").read_text(encoding="utf-8"), re.M)
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
LONG = os.environ.get("ZINC_LONG", "0") != "0"


def faults(compiler, headers):
    """Returns the errors of a file that includes these headers."""
    text = "".join(f'#include "{header}"\n' for header in headers)
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", *WARNINGS, "-I", ROOT, "-x", "c++", "-"],
                          input=text, capture_output=True, text=True, timeout=280, check=False)
    return done.stderr if done.returncode != 0 else ""


class Headers(unittest.TestCase):
    def each_compiles(self, compiler):
        if not LONG:
            self.skipTest("part of the long form")
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        for header in HEADERS:
            with self.subTest(header):
                self.assertEqual(faults(compiler, [header]), "")

    def test_all_compile_in_one_file(self):
        self.assertIn("zmtp/zmtp.h", HEADERS)
        self.assertEqual(faults("g++", HEADERS), "")

    def test_each_compiles_alone_with_gcc(self):
        self.each_compiles("g++")

    def test_each_compiles_alone_with_clang(self):
        self.each_compiles("clang++-14")


if __name__ == "__main__":
    unittest.main()

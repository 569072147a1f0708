#!/usr/bin/python3
"""The code blocks of README.md are the examples that the build compiles."""

import os
import re
import unittest

ROOT = os.environ.get("TEST_SRCDIR", "") + "/" + os.environ.get("TEST_WORKSPACE", "zinc")


class Readme(unittest.TestCase):
    def test_code_is_the_compiled_example(self):
        with open(ROOT + "/README.md", encoding="utf-8") as readme:
            blocks = re.findall(r"```cpp\n(.*?)```", readme.read(), re.S)
        with open(ROOT + "/test/docs/readme_example.cc", encoding="utf-8") as example:
            self.assertEqual(blocks, [example.read()])


if __name__ == "__main__":
    unittest.main()

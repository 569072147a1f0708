#!/usr/bin/python3
"""tools/docs makes the API reference of the installed headers without a warning, and the pages beside it. Running
Doxygen is part of the long form. To run it by hand: ZINC_LONG=1 test/docs/reference_test.py"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
# The source tree, because Doxygen reads all headers.
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[1:1] = [str(ROOT / "tools/reference"), str(ROOT / "test/docs")]
import doxygen_input  # noqa: E402: behind the line above
import html_pages  # noqa: E402

LONG = os.environ.get("ZINC_LONG", "0") != "0"

HEADER = """\
#pragma once
// A queue.

#include <vector>

namespace zmtp {

// Returns the size of a `std::vector<int>` or a span<int>.
// NOLINT: a mark
inline std::size_t size() {
  // Not for readers of the reference.
  return 3;  // nor this
}

enum class kind {
  first,   // the first
           // of all
  second,  // see zmtp::size
};

}  // namespace zmtp

template <>
struct std::hash<zmtp::kind> {
  int operator()() const {
    return 1;
  }
};
"""
CONVERTED = """\
#pragma once
/// @file
/// A queue.

#include <vector>
/// @addtogroup zmtp_socket zmtp/socket
/// @{

namespace zmtp {

/// Returns the size of a `std::vector<int>` or a span\\<int\\>.

inline std::size_t size() {

  return 3;
}

enum class kind {
  first,   ///< the first
           ///< of all
  second,  ///< see zmtp::size
};

}

/// @}
"""


class Input(unittest.TestCase):
    maxDiff = None

    def test_comments_of_declarations_become_documentation(self):
        self.assertEqual(doxygen_input.converted(HEADER, "zmtp/socket"), CONVERTED)

    def test_classes_templates_and_bodies_are_told_apart(self):
        for code, declares in (("namespace a {", True), ("class a : public b<c> {", True), ("enum a : int {", True),
                               ("template <class A> class b {", True), ("template <class A> void f() {", False),
                               ("int f() noexcept {", False), ("struct a { int f() {", False),
                               ('const char* a = "{";', True)):
            with self.subTest(code):
                scopes = doxygen_input.Scopes()
                scopes.read(code)
                self.assertEqual(scopes.declares(), declares)


class Reference(unittest.TestCase):
    def run_docs(self, output, **more):
        return subprocess.run([ROOT / "tools/docs", "--no-setup", "--output", output], capture_output=True, text=True,
                              check=False, **more)

    def test_a_warning_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            stand_in = Path(folder) / "doxygen"
            stand_in.write_text(f'#!/bin/sh\ncat > /dev/null\necho "{ROOT}/zmtp/peer.h:1: warning: a fault" >&2\n')
            stand_in.chmod(0o755)
            done = self.run_docs(folder, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
            self.assertEqual((done.returncode, done.stderr), (1, "zmtp/peer.h:1: warning: a fault\n"))

    def test_the_headers_have_no_warning(self):
        if not LONG:
            self.skipTest("part of the long form")
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_docs(folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            reference = Path(folder) / "reference"
            page = (reference / "classzmtp_1_1push__socket.html").read_text(encoding="utf-8")
            self.assertIn("sends each message to the next ready PULL peer", page)
            index = (reference / "index.html").read_text(encoding="utf-8")
            self.assertIn('<a href="../docs/tutorial.html">', index)
            self.assertEqual(html_pages.faults(Path(folder).resolve()), [])
            header = '<a href="../reference/zmtp_8h.html"><code>zmtp/zmtp.h</code></a>'
            self.assertIn(header, (Path(folder) / "docs/architecture.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The programs that operators get contain nothing of libzmq: neither the library nor a symbol of it. Programs without
CURVE do not need libsodium."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from zinc_programs import built, zinc_path  # noqa: E402: behind the line above

LIBRARY = re.compile(r"\blibc?zmq\b", re.I)
SYMBOL = re.compile(r"\b(?:zmq_|zmsg_|zsock_|_ZN3zmq)\w+")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def libraries(program):
    """Returns the libraries of the program, and those that these libraries need in turn."""
    return LIBRARY.findall(output_of("ldd", program) + output_of("readelf", "--dynamic", program))


def symbols(program):
    # With those that are not dynamic, should it be linked in statically.
    return SYMBOL.findall(output_of("readelf", "--symbols", "--wide", program))


class LinkageTest(unittest.TestCase):
    def test_zinc_is_free_of_libzmq(self):
        self.assertEqual(libraries(zinc_path()), [])
        self.assertEqual(symbols(zinc_path()), [])

    def test_libzmq_would_be_seen(self):
        """The tests that talk to libzmq are linked with it."""
        peer = Path("test/interop/socket_pairs_test")
        if not peer.is_file():
            peer = Path(zinc_path()).parents[2] / peer
        self.assertNotEqual(libraries(str(peer.resolve())), [])
        library = re.search(r"=> (\S*/libzmq\.so\S*)", output_of("ldd", str(peer.resolve())))
        self.assertNotEqual(symbols(library.group(1)), [])

    def test_only_programs_with_curve_need_libsodium(self):
        needs = {name: "libsodium" in output_of("ldd", built(f"test/examples/{name}"))
                 for name in ("request_client", "secure_client")}
        self.assertEqual(needs, {"request_client": False, "secure_client": True})


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""What is malformed, on plain TCP, from a listener that a socket of ours has connected to, of every type: each input
ends as it should, the socket comes back, its process lives, a good peer is served all the while, and the socket's
user receives whole messages alone."""

import sys
import unittest

sys.dont_write_bytecode = True
from interop_case import long_run  # noqa: E402: behind the line above
from malformed_host import TYPES, MalformedListenerCase, case_classes  # noqa: E402

# Larger inputs take most of the time, and are met in the same way by those who bind.
LARGE = None if long_run() else 200_000

globals().update(case_classes(MalformedListenerCase, "MalformedFor{}Test", TYPES, LARGE))

if __name__ == "__main__":
    unittest.main()

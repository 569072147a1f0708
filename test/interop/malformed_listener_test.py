#!/usr/bin/python3
"""What is malformed, on plain TCP, from a listener that a socket of ours has connected to, of every type: each input
ends as it should, the socket comes back, its process lives, a good peer is served all the while, and the socket's
user receives whole messages alone."""

import sys
import unittest

sys.dont_write_bytecode = True
from malformed_host import TYPES, MalformedListenerCase, case_classes  # noqa: E402: behind the line above

globals().update(case_classes(MalformedListenerCase, "MalformedFor{}Test", TYPES))

if __name__ == "__main__":
    unittest.main()

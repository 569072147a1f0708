#!/usr/bin/python3
"""What is malformed, on plain TCP, against those of our sockets that do not publish or subscribe, bound: each input
ends as it should, the socket's process lives, a good peer is served all the while, and the socket's user receives
whole messages alone."""

import sys
import unittest

sys.dont_write_bytecode = True
from malformed_host import MalformedHostCase, case_classes  # noqa: E402: behind the line above

globals().update(case_classes(MalformedHostCase, "MalformedTo{}Test",
                              ("dealer", "pair", "pull", "push", "rep", "req", "router")))

if __name__ == "__main__":
    unittest.main()

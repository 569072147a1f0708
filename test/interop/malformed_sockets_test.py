#!/usr/bin/python3
"""Malformed input on plain TCP, against bound sockets of Zinc that do not publish or subscribe. Each input ends
as it should, and the socket's process keeps running. A good peer is served during the test, and the socket's
user receives only whole messages."""

import sys
import unittest

sys.dont_write_bytecode = True
from malformed_host import MalformedHostCase, case_classes  # noqa: E402: behind the line above

globals().update(case_classes(MalformedHostCase, "MalformedTo{}Test",
                              ("dealer", "pair", "pull", "push", "rep", "req", "router")))

if __name__ == "__main__":
    unittest.main()

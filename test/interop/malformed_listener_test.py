#!/usr/bin/python3
"""Malformed input on plain TCP, from a listener that a socket of Zinc has connected to, for every type. Each
input ends as it should, the socket reconnects, and its process keeps running. A good peer is served during the
test, and the socket's user receives only whole messages."""

import sys
import unittest

sys.dont_write_bytecode = True
from malformed_host import TYPES, MalformedListenerCase, case_classes  # noqa: E402: behind the line above

globals().update(case_classes(MalformedListenerCase, "MalformedFor{}Test", TYPES))

if __name__ == "__main__":
    unittest.main()

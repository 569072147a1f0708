#!/usr/bin/python3
"""The client of Freelance, model 2."""

import sys

from guide_program import count, run_peer

run_peer(connect=",".join(sys.argv[1:]), count=count(10000))

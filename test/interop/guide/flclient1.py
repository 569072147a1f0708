#!/usr/bin/python3
"""The client of Freelance, model 1."""

import sys

from guide_program import run_peer

run_peer(connect=",".join(sys.argv[1:]))

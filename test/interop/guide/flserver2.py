#!/usr/bin/python3
"""A server of Freelance, model 2."""

import sys

from guide_program import run_peer

run_peer(bind=sys.argv[1])

#!/usr/bin/python3
"""The client of the Lazy Pirate."""

from guide_program import run_peer

run_peer(connect="tcp://localhost:5555")

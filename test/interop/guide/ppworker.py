#!/usr/bin/python3
"""The worker of the Paranoid Pirate, without troubles made up."""

from guide_program import run_peer

run_peer(connect="tcp://localhost:5556", work=1000)

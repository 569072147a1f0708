#!/usr/bin/python3
"""The client of Freelance, model 3."""

from guide_program import count, run_peer

run_peer(connect="tcp://localhost:5555,tcp://localhost:5556,tcp://localhost:5557", count=count(10000))

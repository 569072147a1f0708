#!/usr/bin/python3
"""A node of Binary Star, the proof of concept: echoes while it is active."""

from guide_program import run
from binary_star import endpoints, machine, role
from bstar_peers import serve

run(lambda _: serve(machine("poc"), *endpoints(role()), only_log=False))

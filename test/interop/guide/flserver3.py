#!/usr/bin/python3
"""The server of Freelance, model 3."""

from guide_program import run_peer

run_peer(bind="tcp://*:5555", public="tcp://localhost:5555")

#!/usr/bin/python3
"""The queue of the Paranoid Pirate."""

from guide_program import run_peer

run_peer(bind="tcp://*:5555", workers="tcp://*:5556")

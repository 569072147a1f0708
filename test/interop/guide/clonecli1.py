#!/usr/bin/python3
"""The client of Clone, model 1."""

from guide_program import run
from clone_client import count_updates

run(count_updates)

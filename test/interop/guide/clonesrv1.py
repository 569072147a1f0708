#!/usr/bin/python3
"""The server of Clone, model 1."""

from guide_program import run
from clone_server import flood

run(flood)

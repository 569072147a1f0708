#!/usr/bin/python3
"""The client of Clone, model 2."""

from guide_program import run
from clone_client import follow

run(follow)

#!/usr/bin/python3
"""The client of Clone, model 4."""

from guide_program import run
from clone_client import take_part

run(lambda context: take_part(context, 4))

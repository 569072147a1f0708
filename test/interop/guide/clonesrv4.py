#!/usr/bin/python3
"""The server of Clone, model 4."""

from guide_program import run
from clone_server import Server

run(lambda context: Server(context, 4).run())

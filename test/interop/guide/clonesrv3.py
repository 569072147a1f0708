#!/usr/bin/python3
"""The server of Clone, model 3."""

from guide_program import run
from clone_server import Server

run(lambda context: Server(context, 3).run())

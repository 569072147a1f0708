#!/usr/bin/python3
"""The server of Clone, model 2."""

from guide_program import run
from clone_server import Server

run(lambda context: Server(context, 2).run())

"""Runs the whole command with stand-ins for the programs."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from stand_ins import make_stand_ins
from comparison.command import main


class CommandCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "figures"

    def compare(self, *arguments):
        """Exit code, output and complaints."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as end:
                code = end.code
        return code, output.getvalue(), errors.getvalue()

    def measure(self, *arguments, **faulty):
        return self.compare("--programs", make_stand_ins(self, **faulty), "--rounds", 1,
                            "--seconds", 0.01, "--out", self.out, "--force", *arguments)

    def results(self):
        return json.loads((self.out / "results.json").read_text(encoding="utf-8"))

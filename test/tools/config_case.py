"""A test with a configuration file of the zinc program."""

import os
import signal
import subprocess
import tempfile
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 60


class ConfigCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "zinc.conf")

    def write(self, *lines):
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)

    def run_zinc(self, *words):
        return subprocess.run([ZINC, *words], capture_output=True, text=True, timeout=DEADLINE, check=False,
                              stdin=subprocess.DEVNULL)

    def start(self, *words):
        process = subprocess.Popen([ZINC, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def line_with(self, process, text):
        for line in process.stderr:
            if text in line:
                return line
        self.fail(f"the log has no '{text}'")

    def hang_up(self, process, text):
        process.send_signal(signal.SIGHUP)
        return self.line_with(process, text)

"""The common part of the tests of the programs in tools/guide."""

import signal
import subprocess
import threading

from guide_peers import PATIENCE
from shell_case import ShellCase
from zinc_programs import Program, built

# The prefix that CZMQ's zclock_log writes before each line.
STAMP = r"\d\d-\d\d-\d\d \d\d:\d\d:\d\d "


class GuideCase(ShellCase):
    def start(self, name, *words):
        return Program(self, [built(f"tools/guide/{name}"), *words])

    def run_program(self, name, *words, patience=PATIENCE):
        """To its end: exit code, output, errors."""
        done = subprocess.run([built(f"tools/guide/{name}"), *words], capture_output=True, text=True,
                              timeout=patience, check=False)
        return done.returncode, done.stdout, done.stderr

    def stop(self, program):
        program.signal(signal.SIGINT)
        self.assertEqual(program.wait(), 0)

    def in_background(self, work):
        """Until the test is over: `work` is called again and again."""
        over = threading.Event()

        def loop():
            while not over.is_set():
                work()

        thread = threading.Thread(target=loop)
        thread.start()

        def end():
            over.set()
            thread.join()

        self.addCleanup(end)

    def expect_help(self, names):
        """Each program prints its purpose and its endpoints, and rejects unknown arguments."""
        for name in names:
            with self.subTest(name):
                code, out, _ = self.run_program(name, "--help")
                self.assertEqual(code, 0)
                self.assertIn("ENDPOINT", out)
                self.assertEqual(self.run_program(name, "--nothing-like-it")[0], 2)

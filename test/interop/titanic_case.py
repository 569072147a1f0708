"""The common part of the tests of Titanic: a store for each test, and the behaviour of the Guide's client."""

import re
import subprocess
import tempfile
import time
from pathlib import Path

from guide_peers import PATIENCE, Timeout
from interop_case import InteropCase
from zinc_programs import Program, zinc_path

SERVICE = b"echo"
ID = re.compile(rb"[0-9A-F]{32}")


class TitanicCase(InteropCase):
    RESERVE = "1MiB"  # tests need no more, unless the disk is full

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = str(self.folder / "store")

    def arguments(self, *options):
        return [zinc_path(), "titanic", "--store", self.store, "--reserve", self.RESERVE, *options]

    def start_titanic(self, endpoint, *options):
        """Starts a Titanic that offers its services. Returns it, and its report about its store."""
        titanic = Program(self, self.arguments("--connect", endpoint, *options))
        word, *counts = titanic.read_line().split()
        self.assertEqual(word, "open")
        return titanic, [int(count) for count in counts]

    def run_titanic(self, *options):
        """Runs it to its end: exit code, output, errors."""
        done = subprocess.run(self.arguments(*options), text=True, capture_output=True,
                              timeout=PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def request(self, client, body, service=SERVICE):
        status, uuid = client.request(b"titanic.request", service, *body)
        self.assertEqual(status, b"200")
        self.assertTrue(ID.fullmatch(uuid), uuid)
        return uuid

    def reply(self, client, uuid):
        """Waits for the reply as the Guide's client does."""
        end = time.monotonic() + PATIENCE
        while (parts := client.request(b"titanic.reply", uuid)) == [b"300"]:
            if time.monotonic() > end:
                raise Timeout(f"no reply for {uuid}")
            time.sleep(0.005)
        return parts

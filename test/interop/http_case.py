"""The common part of the tests of --http: processes with a server of figures, and what it serves."""

import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from interop_case import InteropCase
from zinc_programs import PATIENCE, Server, request_arguments, zinc_path

ANY = "tcp://127.0.0.1:*"


class Web:
    """The server of figures of a process, which prints `http URL`."""

    def __init__(self, process):
        word, url = process.read_line().split()
        assert word == "http", word
        self.port = int(url.rstrip("/").rsplit(":", 1)[1])

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def metrics(self):
        """The samples, by name with labels but without the endpoint."""
        status, text = self.get("/metrics")
        assert status == 200, text
        samples = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                name = re.sub(r'endpoint="[^"]*",?', "", name).replace(",}", "}").replace("{}", "")
                assert name not in samples, name
                samples[name] = float(value)
        return samples

    def status(self):
        status, text = self.get("/status")
        assert status == 200, text
        return json.loads(text)

    def wait(self, condition):
        """Waits for a state of the metrics, which no event announces."""
        end = time.monotonic() + PATIENCE
        while not condition(now := self.metrics()):
            if time.monotonic() > end:
                raise AssertionError(f"not reached: {now}")
            time.sleep(0.01)
        return now

    def wait_ready(self, expected):
        end = time.monotonic() + PATIENCE
        while self.get("/readyz")[0] != expected:
            if time.monotonic() > end:
                raise AssertionError(f"not {expected}: {self.get('/readyz')}")
            time.sleep(0.01)


class HttpCase(InteropCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def serve(self, *words):
        """A process that prints `bound` and `http`."""
        process = Server(self, [zinc_path(), *words, "--http", "0"])
        return process, Web(process)

    def start_broker(self, *options):
        return self.serve("broker", "--bind", ANY, *options)

    def request(self, broker, service, *arguments):
        done = subprocess.run(request_arguments(broker.endpoint, service, "0.2", *arguments),
                              capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_with_promtool(self, web):
        promtool = shutil.which("promtool")
        if promtool is None:
            return  # the package prometheus is not installed
        done = subprocess.run([promtool, "check", "metrics"], input=web.get("/metrics")[1],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def stop(self, process):
        self.assertEqual(process.stop(), 0)

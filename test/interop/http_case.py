"""The common part of the tests of --http: processes with a server of figures, and what it serves."""

import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import time

from interop_case import InteropCase
from zinc_programs import PATIENCE, Program, Server, request_arguments, reserve_ports, zinc_path

ANY = "tcp://127.0.0.1:*"


class Web:
    """The server of figures of a process, which prints `http URL`."""

    def __init__(self, process):
        # A server with a store may say before that it is active.
        while (words := process.read_line().split())[0] != "http":
            assert words[0] == "active", words
        self.url = words[1]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

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
        """Waits for a state of the metrics, and returns them."""
        for _ in self._messages():
            if condition(now := self.metrics()):
                return now
        raise AssertionError(f"not reached: {now}")

    def wait_ready(self, expected):
        for _ in self._messages():
            if (found := self.get("/readyz"))[0] == expected:
                return
        raise AssertionError(f"not {expected}: {found}")

    def _messages(self):
        """Returns at once, and again after each message of the server, until it is too late."""
        end = time.monotonic() + PATIENCE
        with Live(self.port) as live:
            yield
            while (left := end - time.monotonic()) > 0 and live.receive(left):
                yield


class Live:
    """The WebSocket of a page: the server sends the history, the status, and then the status once a second."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._stream = self.socket.makefile("rb")
        self.socket.sendall(b"GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                            b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        answer = self._stream.readline()
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        while self._stream.readline() != b"\r\n":
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()
        self.socket.close()

    def receive(self, patience=PATIENCE):
        """The next message. None if there is none in time, or if the server closes the WebSocket."""
        self.socket.settimeout(patience)
        data = b""
        try:
            while True:
                first, size = self._stream.read(2)
                if size >= 126:
                    size = int.from_bytes(self._stream.read(2 if size == 126 else 8), "big")
                body = self._stream.read(size)
                if first & 0x0f == 8:
                    return None
                if first & 0x08 == 0:  # not a control frame
                    data += body
                    if first & 0x80:
                        return data
        except (OSError, ValueError):  # not a whole frame
            return None


class HttpCase(InteropCase):
    TOKEN = "0123456789abcdef"

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_token(self):
        """Returns a file for --http-operator-file."""
        file_path = self.path("token")
        with open(file_path, "w", encoding="ascii", opener=lambda *args: os.open(*args, 0o600)) as file:
            file.write(self.TOKEN + "\n")
        return file_path

    def serve(self, *words):
        """A process that prints `bound` and `http`."""
        process = Server(self, [zinc_path(), *words, "--http", "0"])
        return process, Web(process)

    def start_broker(self, *options):
        return self.serve("broker", "--bind", ANY, *options)

    def start_brokers_of_two_threads(self):
        """Returns the process, the endpoint of each broker and the server of figures."""
        process = Program(self, [zinc_path(), "broker", "--threads", "2", "--http", "0",
                                 "--bind", f"tcp://127.0.0.1:{reserve_ports(self, 2)}"])
        endpoints = [process.read_line().split()[1] for _ in range(2)]
        return process, endpoints, Web(process)

    def start_titanic(self, *options):
        """Returns its broker, the process and its server of figures."""
        broker, broker_web = self.start_broker()
        titanic = Program(self, [zinc_path(), "titanic", "--connect", broker.endpoint,
                                 "--store", self.path("store"), "--http", "0", *options])
        web = Web(titanic)
        self.assertTrue(titanic.read_line().startswith("open "))
        web.wait_ready(200)
        broker_web.wait(lambda now: now["zinc_broker_workers"] >= 4)
        return broker, titanic, web

    def leave_request(self, broker, web):
        """A request that Titanic has, for a service without a worker. Returns its client."""
        client = Program(self, request_arguments(broker.endpoint, "later", "0.2", "--durable", "body"))
        web.wait(lambda now: now["zinc_titanic_pending"] == 1)
        return client

    def request(self, broker, service, *arguments):
        done = subprocess.run(request_arguments(broker.endpoint, service, "0.2", *arguments),
                              capture_output=True, text=True, timeout=8 * PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def stop(self, process):
        self.assertEqual(process.stop(), 0)

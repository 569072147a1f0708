#!/usr/bin/python3
"""pyzmq's ZAP handler decides about the clients of a socket of Zinc. A bridge in that program forwards the requests
from inproc to the handler, which is in this process."""

import os
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
from security_peers import ANY, PEERS  # noqa: E402: behind the line above
from zinc_programs import Server, built, zinc_path  # noqa: E402
import zmq  # noqa: E402
import zmq.auth  # noqa: E402


class Handler:
    """The Authenticator of pyzmq, whose socket is bound to TCP."""

    def __init__(self):
        self.context = zmq.Context()
        self.authenticator = zmq.auth.Authenticator(self.context)
        replies = self.context.socket(zmq.REP)
        replies.linger = 0
        replies.rcvtimeo = 20
        replies.bind(ANY)
        self.endpoint = replies.last_endpoint.decode()
        self.authenticator.zap_socket = replies
        self.asked = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stopped.is_set():
            try:
                request = self.authenticator.zap_socket.recv_multipart()
            except zmq.Again:
                continue
            self.asked.append(request)
            answer = self.authenticator.handle_zap_message(request)
            assert answer is None, answer  # an ordinary function

    def close(self):
        self._stopped.set()
        self._thread.join()
        self.context.destroy(linger=0)


class ZapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.handler = Handler()
        self.addCleanup(self.handler.close)

    def start_server(self, mechanism, *words):
        server = Server(self, [built("test/interop/security_host"), f"mechanism={mechanism}", "role=server",
                               "at=bind", f"endpoint={ANY}", f"zap_handler={self.handler.endpoint}", *words],
                        subprocess.PIPE)
        self.addCleanup(server.process.stdin.close)
        return server

    def check(self, server, security, expected):
        """`expected` is the user, or None for a client that is refused."""
        for kind in PEERS:
            with self.subTest(peer=kind.name):
                client = kind()
                try:
                    client.use(security)
                    client.connect(server.endpoint)
                    client.send(b"hello")
                    line = server.read_line()
                    if expected is None:
                        self.assertTrue(line.startswith("turned_away "), line)
                        self.assertIsNone(client.receive(zmq.DONTWAIT))
                    else:
                        self.assertEqual(line, f"attached {expected}")
                        self.assertEqual(client.receive(), b"hello")
                finally:
                    client.close()
                if expected is None:
                    server.skip_lines()  # a client may have tried twice

    def test_plain(self):  # ZAP-1, ZAP-7
        self.handler.authenticator.configure_plain("global", {"alice": "secret"})
        server = self.start_server("plain")
        self.check(server, ("plain client", b"alice", b"secret"), "alice")
        self.check(server, ("plain client", b"alice", b"guess"), None)
        self.check(server, ("plain client", b"bob", b"secret"), None)
        version, _, domain, address, identity, mechanism, user, password = self.handler.asked[0]
        self.assertEqual((version, domain, address, identity, mechanism, user, password),
                         (b"1.0", b"global", b"127.0.0.1", b"", b"PLAIN", b"alice", b"secret"))
        ids = [request[1] for request in self.handler.asked]
        self.assertEqual(len(ids), len(set(ids)))

    def test_curve(self):  # ZAP-6
        keys = {}
        for name in ("server", "alice", "mallory"):
            path = f"{self.folder}/{name}.cert"
            subprocess.run([zinc_path(), "keygen", path], check=True, capture_output=True)
            keys[name] = zmq.auth.load_certificate(path + "_secret")
        os.mkdir(f"{self.folder}/clients")
        os.rename(f"{self.folder}/alice.cert", f"{self.folder}/clients/alice.key")
        self.handler.authenticator.configure_curve("global", f"{self.folder}/clients")
        server = self.start_server("curve", f"own={self.folder}/server.cert_secret")
        # pyzmq's user id of a client is its key.
        self.check(server, ("curve client", keys["server"][0], *keys["alice"]), keys["alice"][0].decode())
        self.check(server, ("curve client", keys["server"][0], *keys["mallory"]), None)

    def test_null(self):
        self.handler.authenticator.allow("127.0.0.1")
        self.check(self.start_server("null"), ("null client",), "anonymous")

    def test_an_address_is_denied(self):  # ZAP-2
        self.handler.authenticator.deny("127.0.0.1")
        self.check(self.start_server("null"), ("null client",), None)


if __name__ == "__main__":
    unittest.main()

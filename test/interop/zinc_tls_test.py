#!/usr/bin/python3
"""Programs of Zinc over tls+tcp:// and wss://, beside the ssl module of Python and openssl s_client."""

import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from certificates import Certificates  # noqa: E402: behind the line above
from guide_peers import PATIENCE  # noqa: E402
from shell_case import ShellCase  # noqa: E402
from zinc_programs import reserve_ports, zinc_path  # noqa: E402
try:
    import websocket
except ImportError:
    sys.exit("websocket is missing for this Python; tools/setup --for test installs python3-websocket for "
             "/usr/bin/python3")

ANYWHERE = "tls+tcp://127.0.0.1:*"
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)


def ready(socket_type):
    body = b"\x05READY\x0bSocket-Type" + len(socket_type).to_bytes(4, "big") + socket_type
    return bytes((4, len(body))) + body


class Peer:
    """One side of ZMTP 3.0 with NULL, over a connected socket."""

    def __init__(self, test, wire, socket_type, peer_type):
        self.test, self.wire = test, wire
        test.addCleanup(wire.close)
        wire.settimeout(PATIENCE)
        wire.sendall(GREETING + ready(socket_type))
        greeting = self.read(64)
        test.assertEqual((greeting[:1], greeting[9:11], greeting[12:16]), (b"\xff", b"\x7f\x03", b"NULL"))
        flags, size = self.read(2)
        test.assertEqual(flags, 4)
        test.assertIn(b"Socket-Type" + len(peer_type).to_bytes(4, "big") + peer_type, self.read(size))

    def read(self, size):
        got = b""
        while len(got) < size:
            more = self.wire.recv(size - len(got))
            self.test.assertNotEqual(more, b"", "the other side has closed")
            got += more
        return got

    def send(self, body):
        self.wire.sendall(b"\2" + len(body).to_bytes(8, "big") + body)

    def receive(self):
        flags, size = self.read(2)
        self.test.assertEqual(flags, 0)
        return self.read(size)


class TlsPeers(ShellCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.authority = Certificates(folder.name, "authority")
        self.server = self.authority.issue("server", "DNS:localhost,IP:127.0.0.1")
        self.alice = self.authority.issue("alice")

    def client(self, certificate=None, **settings):
        context = ssl.create_default_context(cafile=self.authority.file)
        if certificate:
            context.load_cert_chain(certificate)
        for name, value in settings.items():
            setattr(context, name, value)
        return context

    def connect(self, endpoint, context, protocols=()):
        port = int(endpoint.rpartition(":")[2])
        if protocols:
            context.set_alpn_protocols(protocols)
        raw = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.addCleanup(raw.close)
        return context.wrap_socket(raw, server_hostname="127.0.0.1")

    def test_clients_of_python(self):
        cat, endpoint = self.start_bound("pull", ANYWHERE, *self.authority.own(self.server))
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for protocols in ((), ("other", "zmtp/3")):
                with self.subTest(version=version, protocols=protocols):
                    wire = self.connect(endpoint, self.client(self.alice, maximum_version=version), protocols)
                    self.assertEqual(wire.selected_alpn_protocol(), "zmtp/3" if protocols else None)
                    self.assertIsNone(wire.compression())
                    peer = Peer(self, wire, b"PUSH", b"PULL")
                    for size in (0, 1, 255, 16_384, 16_385, 1_000_000):
                        peer.send(b"x" * size)
                        self.assertEqual(cat.read_line(), "x" * size)
                    # unwrap() waits for the close_notify of the other side.
                    wire.unwrap().close()

    def test_clients_that_are_refused_and_others_meanwhile(self):
        cat, endpoint = self.start_bound("pull", ANYWHERE, *self.authority.own(self.server))
        peer = Peer(self, self.connect(endpoint, self.client(self.alice)), b"PUSH", b"PULL")
        forged = Certificates(self.authority.folder, "stranger").issue("forged")
        for certificate in (None, forged):
            with self.assertRaisesRegex(ssl.SSLError, "certificate required|unknown ca"):
                self.connect(endpoint, self.client(certificate)).recv(1)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.load_verify_locations(self.authority.file)
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with self.assertRaisesRegex(ssl.SSLError, "protocol version"):
            self.connect(endpoint, old)
        with self.assertRaisesRegex(ssl.SSLError, "no application protocol"):
            self.connect(endpoint, self.client(self.alice), ("http/1.1",))
        peer.send(b"still there")
        self.assertEqual(cat.read_line(), "still there")

    def test_a_server_of_python(self):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=self.authority.file)
        context.load_cert_chain(self.server)
        context.verify_mode = ssl.CERT_REQUIRED
        context.set_alpn_protocols(["zmtp/3"])
        names = []
        context.sni_callback = lambda wire, name, all_of_it: names.append(name)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(PATIENCE)
            port = listener.getsockname()[1]
            cat = self.start_cat("push", f"tls+tcp://localhost:{port}", *self.authority.own(self.alice))
            raw, _ = listener.accept()
            self.addCleanup(raw.close)
            wire = context.wrap_socket(raw, server_side=True, suppress_ragged_eofs=False)
            self.assertEqual(names, ["localhost"])
            self.assertEqual(wire.selected_alpn_protocol(), "zmtp/3")
            self.assertEqual(wire.getpeercert()["subject"], ((("commonName", "alice"),),))
            peer = Peer(self, wire, b"PULL", b"PUSH")
            cat.process.stdin.write(b"hello\n")
            self.assertEqual(peer.receive(), b"hello")
            cat.process.stdin.close()
            self.assertEqual(wire.recv(1), b"", "a close_notify, not only the end of TCP")
            wire.unwrap().close()
            self.assertEqual(cat.process.wait(PATIENCE), 0)

    def test_s_client(self):
        cat, endpoint = self.start_bound("pull", ANYWHERE, *self.authority.own(self.server))
        client = subprocess.Popen(
            ["openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", self.authority.file, "-cert",
             self.alice, "-key", self.alice, "-verify_ip", "127.0.0.1", "-connect", endpoint.partition("//")[2]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        for pipe in (client.stdin, client.stdout):
            self.addCleanup(pipe.close)
        client.stdin.write(GREETING + ready(b"PUSH") + b"\0\x05hello")
        client.stdin.flush()
        self.assertEqual(cat.read_line(), "hello")

    def test_a_websocket_client(self):
        cat, endpoint = self.start_bound("pull", "wss://127.0.0.1:*/zws", "--tls-certificate", self.server)
        # The module would send an origin without TLS, which gets 403.
        wire = websocket.create_connection(endpoint, timeout=PATIENCE, subprotocols=["ZWS2.0"], suppress_origin=True,
                                           sslopt={"ca_certs": self.authority.file})
        self.addCleanup(wire.shutdown)
        wire.send_binary(b"\0")
        for size in (1, 70_000):
            wire.send_binary(b"\0" + b"x" * size)
            self.assertEqual(cat.read_line(), "x" * size)

    def test_http_does_not_share_a_port_with_tls(self):
        port = reserve_ports(self, 1)
        done = subprocess.run([zinc_path(), "broker", "--bind", f"wss://127.0.0.1:{port}/mdp", "--tls-certificate",
                               self.server, "--http", str(port)], capture_output=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot bind --http 127.0.0.1:{port}", done.stderr.decode())

    def test_a_missing_option_or_file_is_named(self):
        for words, named in ((("--bind",), "--tls-certificate"),
                             (("--bind", "--tls-certificate", "/nonexistent"), "/nonexistent"),
                             (("--tls-key", self.alice), "--tls-certificate")):
            code, _, errors = self.run_cat("pull", "tls+tcp://127.0.0.1:5555", *words)
            self.assertNotEqual(code, 0)
            self.assertIn(named, errors)

    def test_an_option_without_effect_is_named(self):
        tls = "tls+tcp://127.0.0.1:5555"
        for endpoint, words, named in (
                ("tcp://127.0.0.1:5555", self.authority.own(self.server), "--tls-certificate"),
                ("tcp://127.0.0.1:5555", ("--tls-trusted", self.authority.file), "--tls-trusted"),
                (tls, (*self.authority.own(self.server), "--tls-server-name", "server"), "--tls-server-name")):
            code, _, errors = self.run_cat("pull", endpoint, "--bind", *words)
            self.assertEqual(code, 2)
            self.assertRegex(errors, named + ".*omit it")
        code, _, errors = self.run_cat("pull", "tcp://127.0.0.1:5555", *self.authority.own(self.alice))
        self.assertEqual(code, 2)
        self.assertRegex(errors, "--tls-certificate.*omit it")
        code, _, errors = self.run_cat("pull", tls, "--tls-server-name", ".example.org")
        self.assertEqual(code, 2)
        self.assertRegex(errors, "--tls-server-name.*dot")


if __name__ == "__main__":
    unittest.main()

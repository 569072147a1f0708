"""Clients of each mechanism on a plain TCP socket, for data that no honest client sends. Written from RFC 23, 24
and 26. Does not depend on the code under test, nor on libzmq."""

import ctypes
import os
import struct

from zmtp_wire import COMMAND, MORE, Connection, command, frame, greeting, long_frame, metadata, named

BOX_OVERHEAD = 16


class NullClient:
    """A connection of a client. Each class has the same members."""

    def __init__(self, port, server_key):
        self.connection = Connection.to(port)
        self.send = self.connection.send
        self.close = self.connection.close

    def introduce(self, *properties):
        """The greeting, and the handshake with these properties."""
        self.send(greeting() + command(b"READY", metadata(*properties)))
        self.connection.read(len(greeting()))
        self.connection.read_frame()

    def framed(self, body, flags=0):
        """A whole frame, as it is on the wire."""
        return frame(body, flags)

    def begun(self, size, sent):
        """The header of a frame of this size and the first bytes."""
        return long_frame(size, body=bytes(sent))

    def read_framed(self):
        """The next frame: its body."""
        return self.connection.read_frame().body


class PlainClient(NullClient):
    def introduce(self, *properties):
        self.send(greeting(mechanism=b"PLAIN") + command(b"HELLO", b"\x04user\x08password"))
        self.connection.read(len(greeting()))
        self._expect(b"WELCOME")
        self.send(command(b"INITIATE", metadata(*properties)))
        self._expect(b"READY")

    def _expect(self, name):
        """Returns the next command without its name."""
        body = self.connection.read_frame().body
        assert body.startswith(named(name)), body[:20]
        return body[len(named(name)):]


class CurveClient(PlainClient):
    """A client with keys of its own. The functions of libsodium are those of NaCl, with which RFC 26 defines a box."""

    library = None  # loaded by the first client

    def __init__(self, port, server_key):
        super().__init__(port, server_key)
        CurveClient.library = CurveClient.library or ctypes.CDLL("libsodium.so.23")
        self.server_key = server_key
        self.sent = 0
        self.traffic_key = b""

    def introduce(self, *properties):
        (own, own_secret), (transient, transient_secret) = self._key_pair(), self._key_pair()
        key = self._shared(self.server_key, transient_secret)
        self.send(greeting(mechanism=b"CURVE") + command(
            b"HELLO", b"\x01\x00" + bytes(72) + transient + self._counter()
            + self._sealed(bytes(64), b"CurveZMQHELLO---" + struct.pack(">Q", self.sent), key)))
        self.connection.read(len(greeting()))
        welcome = self._expect(b"WELCOME")
        opened = self._opened(welcome[16:], b"WELCOME-" + welcome[:16], key)
        server, cookie = opened[:32], opened[32:]
        self.traffic_key = self._shared(server, transient_secret)
        nonce = os.urandom(16)
        vouch = nonce + self._sealed(transient + self.server_key, b"VOUCH---" + nonce,
                                     self._shared(server, own_secret))
        self.send(command(b"INITIATE", cookie + self._counter() + self._sealed(
            own + vouch + metadata(*properties), b"CurveZMQINITIATE" + struct.pack(">Q", self.sent),
            self.traffic_key)))
        self._expect(b"READY")

    def framed(self, body, flags=0):
        inside = (1 if flags & MORE else 0) | (2 if flags & COMMAND else 0)
        counter = self._counter()
        return frame(named(b"MESSAGE", counter + self._sealed(
            bytes([inside]) + body, b"CurveZMQMESSAGEC" + counter, self.traffic_key)))

    def begun(self, size, sent):
        """The box would not open, but it never becomes complete."""
        return long_frame(size, body=named(b"MESSAGE", self._counter()).ljust(sent, b"\x00"))

    def read_framed(self):
        body = self._expect(b"MESSAGE")
        return self._opened(body[8:], b"CurveZMQMESSAGES" + body[:8], self.traffic_key)[1:]

    def _counter(self):
        """The next short nonce."""
        self.sent += 1
        return struct.pack(">Q", self.sent)

    def _key_pair(self):
        public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
        self.library.crypto_box_keypair(public, secret)
        return public.raw, secret.raw

    def _shared(self, public, secret):
        key = ctypes.create_string_buffer(32)
        assert self.library.crypto_box_beforenm(key, public, secret) == 0
        return key.raw

    def _sealed(self, content, nonce, key):
        box = ctypes.create_string_buffer(len(content) + BOX_OVERHEAD)
        self.library.crypto_box_easy_afternm(box, content, ctypes.c_ulonglong(len(content)), nonce, key)
        return box.raw

    def _opened(self, box, nonce, key):
        content = ctypes.create_string_buffer(len(box) - BOX_OVERHEAD)
        assert self.library.crypto_box_open_easy_afternm(content, box, ctypes.c_ulonglong(len(box)), nonce, key) == 0
        return content.raw


CLIENTS = {"null": NullClient, "plain": PlainClient, "curve": CurveClient}

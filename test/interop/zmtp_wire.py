"""ZMTP byte by byte on a plain TCP socket: the view of a peer of Zinc, and malformed data. Written from RFC 37.
Does not depend on the code under test, nor on libzmq."""

import socket
import struct
import time
from typing import NamedTuple

PATIENCE = 15.0

SIGNATURE = b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f"
MORE, LONG, COMMAND = 1, 2, 4


def greeting(signature=SIGNATURE, version=b"\x03\x01", mechanism=b"NULL", as_server=b"\x00",
             filler=bytes(31)):
    return signature + version + mechanism.ljust(20, b"\x00") + as_server + filler


def frame(body, flags=0):
    """The short form if the size fits, as RFC 37 asks for."""
    if len(body) > 255:
        return struct.pack(">BQ", flags | LONG, len(body)) + body
    return struct.pack(">BB", flags, len(body)) + body


def long_frame(size, flags=0, body=b""):
    """A long header with any declared size."""
    return struct.pack(">BQ", flags | LONG, size) + body


def message(*parts):
    last = len(parts) - 1
    return b"".join(frame(part, 0 if i == last else MORE) for i, part in enumerate(parts))


def named(name, data=b""):
    """The body of a command."""
    return bytes([len(name)]) + name + data


def command(name, data=b""):
    return frame(named(name, data), COMMAND)


def metadata(*properties):
    return b"".join(bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
                    for name, value in properties)


def ready(*properties):
    return command(b"READY", metadata(*properties))


def ready_as(socket_type, identity=b""):
    """As libzmq writes it: only three types send an empty identity."""
    named = identity or socket_type in (b"REQ", b"DEALER", b"ROUTER")
    return ready((b"Socket-Type", socket_type), *([(b"Identity", identity)] if named else []))


def messages_in(data):
    """Returns the complete messages, each a tuple of parts, and the bytes of these and of the commands before,
    among and behind them."""
    messages, parts = [], []
    at = end = 0
    while at < len(data):
        flags = data[at]
        body = at + (9 if flags & LONG else 2)
        size = int.from_bytes(data[at + 1:body], "big")
        if body + size > len(data):
            break
        at = body + size
        if not flags & COMMAND:
            parts.append(data[body:at])
            if not flags & MORE:
                messages.append(tuple(parts))
                parts = []
        if not parts:
            end = at
    return messages, end


class Frame(NamedTuple):
    flags: int
    body: bytes


class Closed(Exception):
    """The other side has ended the connection."""


class Connection:
    """One TCP connection, on either side; gives up after a while."""

    def __init__(self, stream):
        self.stream = stream
        stream.settimeout(PATIENCE)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    @classmethod
    def to(cls, port):
        return cls(socket.create_connection(("127.0.0.1", port), PATIENCE))

    def send(self, data):
        try:
            self.stream.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as e:
            raise Closed from e

    def read(self, count):
        while len(self.received) < count:
            try:
                data = self.stream.recv(65536)
            except ConnectionResetError as e:
                raise Closed from e
            if not data:
                raise Closed
            self.received += data
        data, self.received = self.received[:count], self.received[count:]
        return data

    def read_frame(self):
        flags, = self.read(1)
        size, = struct.unpack(">Q", self.read(8)) if flags & LONG else self.read(1)
        return Frame(flags, self.read(size))

    def read_message(self):
        """Reads a message and returns its parts. Fails on a command."""
        parts = []
        while True:
            flags, body = self.read_frame()
            assert not flags & COMMAND, (flags, body)
            parts.append(body)
            if not flags & MORE:
                return parts

    def expect_silence(self, seconds):
        """Nothing comes, neither a byte nor the end."""
        assert not self.received, self.received
        self.stream.settimeout(seconds)
        try:
            data = self.stream.recv(65536)
        except socket.timeout:
            return
        finally:
            self.stream.settimeout(PATIENCE)
        raise AssertionError(f"not silent, but {data!r}")

    def read_for(self, seconds):
        """Returns the data that arrives within this time. Fails if the peer ends the connection."""
        data, self.received = self.received, b""
        end = time.monotonic() + seconds
        try:
            while (left := end - time.monotonic()) > 0:
                self.stream.settimeout(left)
                more = self.stream.recv(65536)
                assert more, "the connection has ended"
                data += more
        except socket.timeout:
            pass
        finally:
            self.stream.settimeout(PATIENCE)
        return data

    def read_to_end(self, patience=PATIENCE):
        """Returns all data until the peer ends the connection, or None after the timeout."""
        data, self.received = self.received, b""
        self.stream.settimeout(patience)
        try:
            while True:
                more = self.stream.recv(65536)
                if not more:
                    return data
                data += more
        except ConnectionResetError:
            return data
        except socket.timeout:
            return None
        finally:
            self.stream.settimeout(PATIENCE)

    def shake_hands(self, socket_type, identity=b""):
        """Sends a greeting and READY, and returns the greeting and READY of the peer."""
        self.send(greeting())
        theirs = self.read(64)
        self.send(ready_as(socket_type, identity))
        return theirs, self.read_frame()

    def close(self):
        self.stream.close()


class Listener:
    def __init__(self, port=0):
        self.stream = socket.create_server(("127.0.0.1", port))
        self.stream.settimeout(PATIENCE)

    @property
    def endpoint(self):
        return f"tcp://127.0.0.1:{self.stream.getsockname()[1]}"

    def accept(self, patience=PATIENCE):
        self.stream.settimeout(patience)
        return Connection(self.stream.accept()[0])

    def expect_nobody(self, seconds):
        self.stream.settimeout(seconds)
        try:
            self.stream.accept()
        except socket.timeout:
            return
        raise AssertionError("somebody has connected")

    def close(self):
        self.stream.close()

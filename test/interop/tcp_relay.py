"""A relay between TCP peers that can stop forwarding, one way or both, forward slowly, swallow messages, and reset
its connections."""

import collections
import select
import socket
import struct
import threading
import time

GREETING_OCTETS = 64
MORE, LONG_SIZE, COMMAND = 1, 2, 4
PIECE = 64 * 1024
NO_LINGER = struct.pack("ii", 1, 0)  # close() sends RST and drops unsent data


class MessageFilter:
    """Filters one direction of ZMTP: passes on all messages but those that `swallows(parts)` selects."""

    def __init__(self, swallows):
        self.swallows = swallows
        self.data = bytearray()
        self.greeted = False
        self.message = bytearray()
        self.parts = []

    def feed(self, data):
        self.data += data
        passed = bytearray()
        if not self.greeted:
            if len(self.data) < GREETING_OCTETS:
                return b""
            self.greeted = True
            passed += self._take(GREETING_OCTETS)
        while (frame := self._take_frame()) is not None:
            flags, whole, body = frame
            if flags & COMMAND:
                passed += whole
                continue
            self.message += whole
            self.parts.append(body)
            if not flags & MORE:
                if not self.swallows(self.parts):
                    passed += self.message
                self.message, self.parts = bytearray(), []
        return bytes(passed)

    def _take(self, count):
        taken = bytes(self.data[:count])
        del self.data[:count]
        return taken

    def _take_frame(self):
        header = 9 if self.data and self.data[0] & LONG_SIZE else 2
        if len(self.data) < header:
            return None
        size = int.from_bytes(self.data[1:header], "big")
        if len(self.data) < header + size:
            return None
        whole = self._take(header + size)
        return whole[0], whole, whole[header:]


class _Way:
    """One direction of a connection. Reads nothing before it has written all earlier data."""

    def __init__(self, source, sink, is_open, change):
        self.source, self.sink = source, sink
        self.is_open = is_open
        self.change = change
        self.waiting = b""

    def read(self, most):
        data = self.source.recv(most)
        if not data:
            return None
        self.waiting = self.change(data)
        return len(data)

    def write(self):
        self.waiting = self.waiting[self.sink.send(self.waiting):]


class Relay:
    """Listens on `count` ports in a row and forwards each connection to one of as many at `target`."""

    def __init__(self, test, target, count=3, bytes_a_second=None):
        self.target = target
        self.bytes_a_second = bytes_a_second
        self.to_target = self.to_peer = True  # whether data in this direction is forwarded
        self.swallowed = 0
        self._to_swallow = 0
        self._to_reset = threading.Event()
        self.resets = 0  # connections that were reset
        self._listeners = listen_in_a_row(count)
        self.port = self._listeners[0].getsockname()[1]
        self._connections = []
        self._allowance = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        test.addCleanup(self.stop)

    def cut(self, to_target=True, to_peer=True):
        """Nothing more is forwarded that goes there. Connections stay, as with a network that is broken."""
        self.to_target, self.to_peer = not to_target, not to_peer

    def heal(self):
        """Heals the link. Data that was held back goes on, too."""
        self.to_target = self.to_peer = True

    def swallow(self, count=1):
        """Swallows the next `count` messages from the target. Heartbeats do not count."""
        self._to_swallow += count

    def reset(self):
        """Soon resets each connection on both sides. New connections are accepted."""
        self._to_reset.set()

    def stop(self):
        self._over.set()
        self._thread.join()

    def _swallows(self, parts):
        if not self._to_swallow or parts[0] == b"HUGZ":
            return False
        self._to_swallow -= 1
        self.swallowed += 1
        return True

    def _accept(self, listener):
        peer, _ = listener.accept()
        index = self._listeners.index(listener)
        try:
            server = socket.create_connection(("127.0.0.1", self.target + index), timeout=5)
        except OSError:
            peer.close()
            return
        for one in (peer, server):
            one.setblocking(False)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.bytes_a_second:
                # Otherwise the kernel counts its buffer as received.
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
        swallowing = MessageFilter(self._swallows).feed if index == 1 else lambda data: data
        self._connections.append((
            _Way(peer, server, lambda: self.to_target, lambda data: data),
            _Way(server, peer, lambda: self.to_peer, swallowing)))

    def _run(self):
        last = time.monotonic()
        while not self._over.is_set():
            if self._to_reset.is_set():
                self._to_reset.clear()
                self._reset_all()
            readers, writers = collections.defaultdict(list), collections.defaultdict(list)
            for connection in self._connections:
                for way in connection:
                    if way.waiting:
                        writers[way.sink].append((connection, way))
                    elif way.is_open() and self._allowed():
                        readers[way.source].append((connection, way))
            # While the link is cut, no new connection is accepted.
            accepting = self._listeners if self.to_target and self.to_peer else []
            readable, writable, _ = select.select([*readers, *accepting], writers, [], 0.005)
            now = time.monotonic()
            if self.bytes_a_second:
                self._allowance = min(self._allowance + (now - last) * self.bytes_a_second, PIECE)
            last = now
            for one in readable:
                if one in self._listeners:
                    self._accept(one)
                else:
                    self._attempt(readers[one], lambda way: self._read(way))
            for one in writable:
                self._attempt(writers[one], lambda way: way.write())
        for connection in self._connections:
            self._close(connection)
        for listener in self._listeners:
            listener.close()

    def _reset_all(self):
        for connection in self._connections:
            for way in connection:
                way.source.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            self._close(connection)
        self.resets += len(self._connections)
        self._connections.clear()

    def _allowed(self):
        return min(PIECE, int(self._allowance)) if self.bytes_a_second else PIECE

    def _read(self, way):
        most = self._allowed()
        if not most:
            return
        count = way.read(most)
        if count is None:
            raise ConnectionError
        if self.bytes_a_second:
            self._allowance -= count

    def _attempt(self, ways, act):
        for connection, way in ways:
            if connection not in self._connections:
                continue
            try:
                act(way)
            except BlockingIOError:
                pass
            except OSError:
                self._connections.remove(connection)
                self._close(connection)

    @staticmethod
    def _close(connection):
        for way in connection:
            way.source.close()


def listen_in_a_row(count):
    """Returns listening sockets on this number of consecutive ports."""
    for _ in range(100):
        sockets = []
        try:
            for _ in range(count):
                one = socket.socket()
                sockets.append(one)
                # Without SO_REUSEADDR, because with it the test could get a port that another test has
                # reserved.
                one.bind(("127.0.0.1", sockets[0].getsockname()[1] + len(sockets) - 1
                          if len(sockets) > 1 else 0))
                one.listen(128)
            return sockets
        except OSError:
            for one in sockets:
                one.close()
    raise AssertionError(f"no {count} ports in a row are free")

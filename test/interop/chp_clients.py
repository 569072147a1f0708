"""Clients of the clustered hashmap on pyzmq: 12/CHP without extensions, and models 2 to 6 of the Guide. The
frames are written out here and do not depend on the code under test."""

import subprocess
import time
import uuid

from zinc_programs import Server, built
import zmq

PATIENCE = 15.0
ZERO = bytes(8)


class Timeout(AssertionError):
    """A test waited for an event that did not come."""


class Host(Server):
    """A Zinc server, alone or one of a pair."""

    def __init__(self, test, *arguments):
        super().__init__(test, [built("test/interop/chp_host"), *map(str, arguments)], subprocess.PIPE)

    def expect_event(self, text):
        while (line := self.read_line()) != text:
            pass

    def stop(self):
        self.process.stdin.close()
        return self.wait()


def number(data):
    return int.from_bytes(data, "big")


class Client:
    """Three sockets: DEALER to P, SUB to P + 1 and PUB (or PUSH) to P + 2."""

    def __init__(self, test, context, port, subtree=b"", setter=zmq.PUB, heartbeats=True,
                 letter=True):
        self.subtree = subtree
        self.letter = letter  # HUGZ is as 12/CHP has it, and not as the Guide's servers do
        self.sequence = 0
        self.map = {}
        self.beats = 0
        self.requester = context.socket(zmq.DEALER)
        self.subscriber = context.socket(zmq.SUB)
        self.setter = context.socket(setter)
        self.subscriber.subscribe(subtree)
        if heartbeats:
            self.subscriber.subscribe(b"HUGZ")
        for offset, socket in enumerate((self.requester, self.subscriber, self.setter)):
            socket.linger = 0
            socket.connect(f"tcp://127.0.0.1:{port + offset}")
            test.addCleanup(socket.close)

    def receive(self, socket, patience=PATIENCE):
        if not socket.poll(patience * 1000):
            raise Timeout("nothing came in time")
        return socket.recv_multipart()

    def ask(self, *frames):
        self.requester.send_multipart(frames or (b"ICANHAZ?", self.subtree))

    def answer(self):
        """All messages of one answer, the end included."""
        messages = [self.receive(self.requester)]
        while messages[-1][0] != b"KTHXBAI":
            messages.append(self.receive(self.requester))
        return messages

    def synchronize(self, *frames):
        self.ask(*frames)
        *entries, end = self.answer()
        self.map = {entry[0]: entry[-1] for entry in entries}
        self.sequence = number(end[1])
        return entries, end

    def set(self, key, value, ttl=None, identity=None):
        properties = b"" if ttl is None else b"ttl=%d\n" % ttl
        self.setter.send_multipart([key, ZERO, identity or uuid.uuid4().bytes, properties, value])

    def set_simple(self, key, value, sequence=ZERO):
        self.setter.send_multipart([key, sequence, value])

    def next(self, patience=PATIENCE):
        """Applies the next KVPUB as 12/CHP says."""
        end = time.monotonic() + patience
        while True:
            message = self.receive(self.subscriber, max(0, end - time.monotonic()))
            if message[0] == b"HUGZ":
                self.beats += 1
                assert message == [b"HUGZ", ZERO, b"", b"", b""] or not self.letter, message
                continue
            sequence = number(message[1])
            if sequence > self.sequence:
                self.sequence = sequence
                if len(message) == 5 and not message[-1]:
                    self.map.pop(message[0], None)
                else:
                    self.map[message[0]] = message[-1]
                return message

    def expect(self, key):
        """The next KVPUB of this key."""
        while (message := self.next())[0] != key:
            pass
        return message

    def await_collector(self):
        """Waits for the subscription of the server to an XPUB. No later update is lost."""
        assert self.receive(self.setter) == [b"\x01"]

    def join(self, set_again, patience=PATIENCE):
        """Sets a key until the first update returns: neither side reports the arrival of a subscription."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            set_again()
            try:
                return self.next(0.05)
            except Timeout:
                pass
        raise Timeout("no update came back")


def pack(sequence, size=8):
    return sequence.to_bytes(size, "big")

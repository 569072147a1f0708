"""The common part of the tests with malformed bytes. The tests send them to a program of Zinc. Each connection
ends as it should, the program keeps running, and a good peer is served during the test."""

import types
import unittest

from malformed_bytes import CLOSED, GREETING, IDLES, LIVES, handshake, traffic
from zmtp_wire import COMMAND, MORE, Closed, Connection, command, greeting, message, named, ready_as
import zmq

# The memory that all inputs may cost the program: one message of the largest size, twice while its buffer
# grows.
MEMORY = 192 << 20
# Inputs longer than this are not sent byte by byte too.
SHORT = 300
# Time for a handshake with the program, in seconds.
HANDSHAKE_TIME = 5.0
# Longer than any time that a misread TTL would leave (64 ms), in seconds.
IDLE_TIME = 0.3


class MalformedCase(unittest.TestCase):
    """One program and one good peer for all inputs: effects of an input stay for the next ones."""

    own_type = peer_type = None  # types of the program's socket, and of the peer that sends the inputs
    partners = ()                # the types that may send the inputs
    greeted_with = b""           # the program's output after its READY
    chatter = ()                 # messages that the program may send at any time

    @classmethod
    def start(cls, owner, context):
        """A program, which goes with `owner`, and its good peer."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        owner = types.SimpleNamespace(addCleanup=cls.addClassCleanup)
        cls.context = zmq.Context()
        cls.program, cls.peer = cls.start(owner, cls.context)
        cls.peer.expect_served_soon()
        cls.resident = cls.program.resident_bytes()
        cls.files = cls.program.open_files()

    @classmethod
    def tearDownClass(cls):
        cls.peer.close()
        cls.context.destroy(linger=0)
        assert cls.program.stop() == 0, "the program did not end well"

    @classmethod
    def stages(cls):
        return {"greeting": GREETING, "handshake": handshake(cls.peer_type, cls.partners),
                "traffic": traffic(cls.peer_type)}

    @classmethod
    def open(cls, program):
        """A connection with the program."""
        return Connection.to(program.port)

    def connect(self, stage):
        connection = self.open(self.program)
        if stage != "greeting":
            connection.send(greeting())
            self.assertEqual(connection.read(64), greeting())
        if stage == "traffic":
            connection.send(ready_as(self.peer_type))
            _, body = connection.read_frame()
            # The extensions of a broker follow the announcements of each socket.
            self.assertTrue(body.startswith(ready_as(self.own_type)[2:]), body)
            self.assertEqual(connection.read(len(self.greeted_with)), self.greeted_with)
        return connection

    def send(self, connection, data):
        try:
            connection.send(data)
        except Closed:
            pass  # the program has closed the connection before it received everything

    def expect_life(self, connection):
        """Expects an answer to a PING, and before it only PONGs and chatter."""
        connection.send(command(b"PING", b"\x00\x0a" + b"context"))
        while (got := connection.read_frame()) != (COMMAND, named(b"PONG", b"context")):
            if got.flags & COMMAND:
                self.assertEqual(got.body[:5], named(b"PONG"))
            else:
                rest = connection.read_message() if got.flags & MORE else []
                self.assertTrue(self.is_chatter([got.body, *rest]), got)

    def is_chatter(self, parts):
        return message(*parts) in self.chatter

    def without_chatter(self, data):
        for words in self.chatter:
            data = data.replace(words, b"")
        return data

    def expect_health(self, meanwhile=False):
        """`meanwhile` tells that a malformed peer may still be connected."""
        self.expect_life_of_program()
        self.peer.expect_served_soon()

    def expect_life_of_program(self):
        self.assertTrue(self.program.running(), "the program has ended")
        self.assertLess(self.program.resident_bytes(), self.resident + MEMORY)

    def expect_end(self, connection, said):
        """The connection ends, and the program's output before the end is at most this."""
        data = connection.read_to_end()
        self.assertIsNotNone(data, "the program does not end the connection")
        if not said:
            data = self.without_chatter(data)
        self.assertTrue(said.startswith(data), data)

    def try_bytes(self, stage, case):
        connection = self.connect(stage)
        try:
            self.send(connection, case.data)
            if case.outcome == CLOSED:
                said = {"greeting": greeting(), "handshake": ready_as(self.own_type), "traffic": b""}
                self.expect_end(connection, said[stage])
            elif case.outcome in (LIVES, IDLES):
                self.expect_life(connection)
            if case.outcome == IDLES:
                # A REQ may send requests of its good peer's round trips meanwhile.
                self.assertEqual(self.without_chatter(connection.read_for(IDLE_TIME)), b"")
                self.expect_life(connection)
            self.expect_health(meanwhile=True)
        finally:
            connection.close()
        self.expect_health()

    @classmethod
    def add_test(cls, name, run):
        method = "test_" + "".join(c if c.isalnum() else "_" for c in name)
        while hasattr(cls, method):
            method += "_"
        run.__doc__ = name
        setattr(cls, method, run)

    @classmethod
    def add_bytes(cls, most=None):
        """Adds a test for each input of at most this number of bytes."""
        for stage, cases in cls.stages().items():
            for case in cases:
                if most is None or len(case.data) <= most:
                    def run(self, stage=stage, case=case):
                        self.try_bytes(stage, case)
                    cls.add_test(f"{stage}: {case.name}", run)


class OctetByOctet:
    """Each byte with a system call of its own."""

    def send(self, connection, data):
        for i in range(len(data)):
            super().send(connection, data[i:i + 1])

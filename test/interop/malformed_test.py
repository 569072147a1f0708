#!/usr/bin/python3
"""What is malformed, on plain TCP, against our broker: each input ends as it should, the broker lives, and a
good client and worker are served all the while.

    malformed_test.py --flood SECONDS     only the flood, for so long
"""

import sys
import time
import types
import unittest

sys.dont_write_bytecode = True
from flood import flood, flood_seconds  # noqa: E402: behind the line above
from good_pair import BROKER_OPTIONS, GoodPair  # noqa: E402
from guide_peers import worker_command  # noqa: E402
import malformed_messages  # noqa: E402
import malformed_octets  # noqa: E402
from malformed_messages import IGNORED, MESSAGES, SENT_AWAY  # noqa: E402
from malformed_octets import CLOSED, GONE, GREETING, HANDSHAKE, LIVES, TRAFFIC, WAITS  # noqa: E402
from zinc_programs import Broker  # noqa: E402
from zmtp_wire import COMMAND, Closed, Connection, command, greeting, message, named  # noqa: E402
from zmtp_wire import ready_as  # noqa: E402
import zmq  # noqa: E402

# What all of this may cost the broker: one message of the largest size, twice while its buffer grows.
MEMORY = 192 << 20
# Inputs longer than this are not sent octet by octet too.
SHORT = 300
# Of the broker's handshakes, in seconds.
HANDSHAKE_TIME = 5.0

HEARTBEATS = [message(*worker_command(version, "heartbeat")) for version in ("0.1", "0.2")]


class MalformedCase(unittest.TestCase):
    """One broker and one good pair for all inputs: what one leaves behind, the next ones find."""

    @classmethod
    def setUpClass(cls):
        owner = types.SimpleNamespace(addCleanup=cls.addClassCleanup)
        cls.broker = Broker(owner, *BROKER_OPTIONS)
        cls.context = zmq.Context()
        cls.pair = GoodPair(cls.context, cls.broker.endpoint)
        cls.pair.expect_served_soon()
        cls.resident = cls.broker.resident_octets()
        cls.files = cls.broker.open_files()

    @classmethod
    def tearDownClass(cls):
        cls.pair.close()
        cls.context.destroy(linger=0)
        assert cls.broker.stop() == 0, "the broker did not end well"

    def connect(self, stage):
        connection = Connection.to(self.broker.port)
        if stage in (HANDSHAKE, TRAFFIC):
            connection.send(greeting())
            self.assertEqual(connection.read(64), greeting())
        if stage is TRAFFIC:
            connection.send(ready_as(b"DEALER"))
            self.assertEqual(connection.read_frame().body[:6], b"\x05READY")
        return connection

    def send(self, connection, octets):
        try:
            connection.send(octets)
        except Closed:
            pass  # before all of it was sent; that is no less closed

    def expect_life(self, connection):
        """It answers a PING, and has said nothing before but PONGs and heartbeats."""
        connection.send(command(b"PING", b"\x00\x0a" + b"context"))
        while (got := connection.read_frame()) != (COMMAND, named(b"PONG", b"context")):
            if got.flags & COMMAND:
                self.assertEqual(got.body[:5], named(b"PONG"))
            else:
                self.assertIn(message(got.body, *connection.read_message()), HEARTBEATS)

    def expect_health(self):
        self.assertTrue(self.broker.running(), "the broker has ended")
        self.pair.expect_served_soon()
        self.assertLess(self.broker.resident_octets(), self.resident + MEMORY)

    def expect_end(self, connection, said):
        """The connection ends, and what the broker had to say is at most this."""
        octets = connection.read_to_end()
        self.assertIsNotNone(octets, "the broker does not end the connection")
        for beat in HEARTBEATS:
            octets = octets.replace(beat, b"")
        self.assertTrue(said.startswith(octets), octets)

    def try_octets(self, stage, case):
        connection = self.connect(stage)
        try:
            self.send(connection, case.octets)
            if case.outcome == CLOSED:
                said = {id(GREETING): greeting(), id(HANDSHAKE): ready_as(b"ROUTER"), id(TRAFFIC): b""}
                self.expect_end(connection, said[id(stage)])
            elif case.outcome == LIVES:
                self.expect_life(connection)
            self.expect_health()
        finally:
            connection.close()
        self.expect_health()

    def try_messages(self, case):
        connection = self.connect(TRAFFIC)
        try:
            self.send(connection, b"".join(message(*parts) for parts in case.messages))
            if case.outcome == malformed_messages.CLOSED:
                self.expect_end(connection, b"")
            elif case.outcome == SENT_AWAY:
                self.assertEqual(connection.read_message(), worker_command(case.version, "disconnect"))
            if case.outcome in (SENT_AWAY, IGNORED):
                self.expect_life(connection)
            self.expect_health()
        finally:
            connection.close()
        self.expect_health()


class MalformedTest(MalformedCase):
    pass


class MalformedOctetByOctetTest(MalformedCase):
    def send(self, connection, octets):
        for i in range(len(octets)):
            super().send(connection, octets[i:i + 1])


def add_test(name, case_class, run):
    method = "test_" + "".join(c if c.isalnum() else "_" for c in name)
    while hasattr(case_class, method):
        method += "_"
    run.__doc__ = name
    setattr(case_class, method, run)


def add_tests():
    for stage_name, stage in (("greeting", GREETING), ("handshake", HANDSHAKE), ("traffic", TRAFFIC)):
        for case in stage:
            def run(self, stage=stage, case=case):
                self.try_octets(stage, case)
            add_test(f"{stage_name}: {case.name}", MalformedTest, run)
            if len(case.octets) <= SHORT:
                add_test(f"{stage_name}: {case.name}", MalformedOctetByOctetTest, run)
    for case in MESSAGES:
        def run_messages(self, case=case):
            self.try_messages(case)
        add_test(f"message: {case.name}", MalformedTest, run_messages)


add_tests()


class UnfinishedHandshakesTest(MalformedCase):
    def test_end_when_their_time_is_over(self):
        begun = []
        for stage in (GREETING, HANDSHAKE):
            for case in stage:
                if case.outcome == WAITS:
                    connection = self.connect(stage)
                    self.send(connection, case.octets)
                    begun.append((case.name, time.monotonic(), connection))
        self.assertGreater(len(begun), 5)
        self.expect_health()
        for name, since, connection in begun:
            with self.subTest(name):
                self.assertIsNotNone(connection.read_to_end(), "the broker waits on")
                self.assertLess(time.monotonic() - since, HANDSHAKE_TIME + 1)
            connection.close()
        self.expect_health()

    def test_of_a_crowd_do_not_keep_others_out(self):
        crowd = [self.connect(GREETING) for _ in range(500)]
        for i, connection in enumerate(crowd):
            self.send(connection, greeting()[:i % 64])
        self.expect_health()
        newcomer = GoodPair(self.context, self.broker.endpoint)
        newcomer.worker.command("disconnect")
        newcomer.close()
        self.expect_health()
        for connection in crowd:
            connection.close()
        self.expect_health()


class FloodTest(MalformedCase):
    seconds = flood_seconds()

    def test_of_everything_at_once_keeps_nobody_waiting(self):
        flood(self.broker, self.pair, self.seconds, self.resident + 2 * MEMORY)
        self.expect_health()
        # What was opened and kept for it is given back.
        end = time.monotonic() + 2 * HANDSHAKE_TIME
        while self.broker.open_files() > self.files and time.monotonic() < end:
            self.pair.round_trip()
        self.assertLessEqual(self.broker.open_files(), self.files)
        self.assertLess(self.broker.resident_octets(), self.resident + MEMORY / 4)


if __name__ == "__main__":
    if "--flood" in sys.argv:
        at = sys.argv.index("--flood")
        FloodTest.seconds = float(sys.argv[at + 1])
        sys.argv[at:at + 2] = ["FloodTest"]
    unittest.main()

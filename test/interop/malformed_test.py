#!/usr/bin/python3
"""Malformed input on plain TCP, against our broker. Each input ends as it should, the broker keeps running, and
a good client and worker are served during the test.

    malformed_test.py --flood SECONDS     only the flood, for so long
"""

import sys
import time
import unittest

sys.dont_write_bytecode = True
from flood import flood, flood_seconds  # noqa: E402: behind the line above
from good_pair import BROKER_OPTIONS, GoodPair  # noqa: E402
from guide_peers import worker_command  # noqa: E402
from malformed_case import HANDSHAKE_TIME, MEMORY, SHORT, MalformedCase, OctetByOctet  # noqa: E402
import malformed_messages  # noqa: E402
from malformed_messages import IGNORED, MESSAGES, SENT_AWAY  # noqa: E402
from malformed_bytes import WAITS  # noqa: E402
from zinc_programs import Broker  # noqa: E402
from zmtp_wire import greeting, message  # noqa: E402


class MalformedBrokerCase(MalformedCase):
    own_type, peer_type, partners = b"ROUTER", b"DEALER", (b"REQ", b"DEALER", b"ROUTER")
    chatter = [message(*worker_command(version, "heartbeat")) for version in ("0.1", "0.2")]

    @classmethod
    def start(cls, owner, context):
        broker = Broker(owner, *BROKER_OPTIONS)
        return broker, GoodPair(context, broker)

    def try_messages(self, case):
        connection = self.connect("traffic")
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


class MalformedTest(MalformedBrokerCase):
    pass


class MalformedOctetByOctetTest(OctetByOctet, MalformedBrokerCase):
    pass


def add_tests():
    MalformedTest.add_bytes()
    MalformedOctetByOctetTest.add_bytes(SHORT)
    for case in MESSAGES:
        def run(self, case=case):
            self.try_messages(case)
        MalformedTest.add_test(f"message: {case.name}", run)


add_tests()


class UnfinishedHandshakesTest(MalformedBrokerCase):
    def test_end_when_their_time_is_over(self):
        begun = []
        for stage in ("greeting", "handshake"):
            for case in self.stages()[stage]:
                if case.outcome == WAITS:
                    connection = self.connect(stage)
                    self.send(connection, case.data)
                    begun.append((case.name, connection))
        self.assertGreater(len(begun), 5)
        self.expect_health()
        for name, connection in begun:
            with self.subTest(name):
                self.assertIsNotNone(connection.read_to_end(), "the broker waits on")
            connection.close()
        self.expect_health()

    def test_a_crowd_of_handshakes_does_not_block_other_peers(self):
        crowd = [self.connect("greeting") for _ in range(500)]
        for i, connection in enumerate(crowd):
            self.send(connection, greeting()[:i % 64])
        # The broker has accepted the whole crowd.
        end = time.monotonic() + HANDSHAKE_TIME
        while (files := self.program.open_files()) < self.files + len(crowd):
            self.assertLess(time.monotonic(), end, f"{files - self.files} of {len(crowd)} were accepted")
            self.peer.round_trip()
        self.expect_health()
        newcomer = GoodPair(self.context, self.program)
        newcomer.worker.command("disconnect")
        newcomer.close()
        self.expect_health()
        for connection in crowd:
            connection.close()
        self.expect_health()


class FloodTest(MalformedBrokerCase):
    seconds = flood_seconds()

    def test_all_inputs_at_once_do_not_delay_good_peers(self):
        flood(self.program, self.peer, self.seconds, self.resident + 2 * MEMORY)
        self.expect_health()
        # The broker frees the files and the memory of the flood.
        end = time.monotonic() + 2 * HANDSHAKE_TIME
        while (files := self.program.open_files()) > self.files:
            self.assertLess(time.monotonic(), end, f"{files - self.files} files are left")
            self.peer.round_trip()
        self.assertLess(self.program.resident_bytes(), self.resident + MEMORY / 4)


if __name__ == "__main__":
    if "--flood" in sys.argv:
        at = sys.argv.index("--flood")
        FloodTest.seconds = float(sys.argv[at + 1])
        sys.argv[at:at + 2] = ["FloodTest"]
    unittest.main()

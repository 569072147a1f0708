#!/usr/bin/python3
"""Our client with third-party brokers: a stand-in for the Guide's and 18/MDP's, and a plain TCP listener that
sees every byte."""

import contextlib
import json
import socket
import struct
import sys
import time
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from guide_peers import CLIENT, CLIENT_COMMANDS, client_request, delimiter  # noqa: E402
from stand_in_broker import StandInBroker  # noqa: E402
from zmtp_wire import COMMAND, Closed, Listener, greeting, message, metadata, named, ready, ready_as  # noqa: E402
from zinc_programs import reserve_endpoint, run_request, start_request  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = b"echo"
# Timeout of an attempt. A busy machine does not exceed it.
TIMEOUT = 1.0
SILENCE = 0.2

# As mdclient sends it, and the form of 18/MDP.
HELLO = {"0.1": bytes.fromhex("01 00 01 06 4d 44 50 43 30 31 01 04 65 63 68 6f 00 0b") + b"Hello world",
         "0.2": bytes.fromhex("01 06 4d 44 50 43 30 32 01 01 01 01 04 65 63 68 6f 00 0b") +
         b"Hello world"}


def reply(version, service, *body, command="final"):
    words = [] if version == "0.1" else [CLIENT_COMMANDS[command]]
    return message(*delimiter(version), CLIENT[version], *words, service, *body)


class OurClientTest(InteropCase):
    def setUp(self):
        super().setUp()
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def start(self, version, *arguments):
        return start_request(self, self.listener.endpoint, SERVICE.decode(), version, *arguments)

    def accept(self):
        connection = self.listener.accept()
        self.addCleanup(connection.close)
        connection.shake_hands(b"ROUTER")
        return connection

    def expect_no_request(self, asking):
        """The client may connect, but it sends nothing until it ends."""
        while asking.process.poll() is None:
            try:
                connection = self.listener.accept(SILENCE)
            except socket.timeout:
                continue
            with contextlib.suppress(Closed):
                connection.shake_hands(b"ROUTER")
                self.assertEqual(connection.read_to_end(), b"")
            connection.close()

    def each_version(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                yield version

    def test_shakes_hands_as_a_dealer_and_asks(self):  # MDP-5, MDP-8, MD1-1, MD1-3
        for version in self.each_version():
            asking = self.start(version, "Hello world")
            connection = self.listener.accept()
            connection.send(greeting())
            self.assertEqual(connection.read(64), greeting())
            flags, body = connection.read_frame()
            self.assertEqual(flags, COMMAND)
            self.assertEqual(body, named(b"READY", metadata((b"Socket-Type", b"DEALER"),
                                                            (b"Identity", b""),
                                                            (b"X-Zinc", b"mdp-errors"))))
            connection.expect_silence(SILENCE)
            connection.send(ready_as(b"ROUTER"))
            self.assertEqual(connection.read(len(HELLO[version])), HELLO[version])
            connection.send(reply(version, SERVICE, b"Hello yourself"))
            self.assertEqual(asking.read_line(), "Hello yourself")
            self.assertEqual(connection.read_to_end(), b"")
            connection.close()
            self.assertEqual(asking.wait(), 0)

    def test_sends_each_part_of_the_body(self):
        for version in self.each_version():
            asking = self.start(version, "--json", "one", "", "three")
            connection = self.accept()
            self.assertEqual(connection.read_message(),
                             [*delimiter(version), *client_request(version, SERVICE, b"one", b"",
                                                                   b"three")])
            connection.send(reply(version, SERVICE, b"", b"two", b""))
            self.assertEqual(json.loads(asking.read_line()), {"reply": ["", "two", ""]})
            connection.close()
            self.assertEqual(asking.wait(), 0)

    def test_takes_partial_replies_up_to_the_last(self):  # MDP-9
        for count in (0, 1, 1000):
            with self.subTest(partials=count):
                asking = self.start("0.2", "body")
                connection = self.accept()
                connection.read_message()
                for i in range(count):
                    connection.send(reply("0.2", SERVICE, b"%d" % i, command="partial"))
                connection.send(reply("0.2", SERVICE, b"end"))
                output = asking.process.stdout.read().decode().split()
                self.assertEqual(output[-1], "end")
                connection.close()
                self.assertEqual(asking.wait(), 0)

    def test_asks_again_on_a_new_connection_and_gives_up_in_the_end(self):  # MDP-11
        for version in self.each_version():
            begin = time.monotonic()
            asking = self.start(version, "--timeout", f"{int(TIMEOUT * 1000)}ms", "--idempotent",
                                "Hello world")
            for _ in range(3):
                connection = self.accept()
                self.assertEqual(connection.read(len(HELLO[version])), HELLO[version])
                # The client sends nothing more on this connection, and closes it.
                self.assertEqual(connection.read_to_end(), b"")
                connection.close()
            self.assertEqual(asking.wait(), 4)
            self.assertGreater(time.monotonic() - begin, 3 * TIMEOUT * 0.9)

    def test_takes_a_reply_to_its_second_attempt(self):
        for version in self.each_version():
            asking = self.start(version, "--timeout", f"{int(TIMEOUT * 1000)}ms", "--idempotent", "body")
            first = self.accept()
            first.read_message()
            second = self.accept()
            second.read_message()
            second.send(reply(version, SERVICE, b"late but well"))
            self.assertEqual(asking.read_line(), "late but well")
            second.close()
            self.assertEqual(asking.wait(), 0)

    def test_asks_again_at_once_when_the_connection_is_lost(self):
        for version in self.each_version():
            asking = self.start(version, "--idempotent", "Hello world")
            for _ in range(2):
                connection = self.accept()
                self.assertEqual(connection.read(len(HELLO[version])), HELLO[version])
                connection.close()
            connection = self.accept()
            self.assertEqual(connection.read(len(HELLO[version])), HELLO[version])
            connection.send(reply(version, SERVICE, b"done"))
            self.assertEqual(asking.read_line(), "done")
            connection.close()
            self.assertEqual(asking.wait(), 0)

    def test_sends_a_request_that_must_not_run_twice_once(self):
        """A broker that does not announce `idempotency` gets no new bytes, also with `--attempts`."""
        for version in self.each_version():
            for words in ((), ("--attempts", "5")):
                for lost in (True, False):
                    asking = self.start(version, "--timeout", f"{int(TIMEOUT * 1000)}ms", *words,
                                        "Hello world")
                    connection = self.accept()
                    self.assertEqual(connection.read(len(HELLO[version])), HELLO[version])
                    if not lost:
                        self.assertEqual(connection.read_to_end(), b"")
                    connection.close()
                    self.expect_no_request(asking)
                    self.assertEqual(asking.wait(), 4)

    def test_a_key_goes_to_a_broker_that_announces_idempotency(self):
        for version in self.each_version():
            asking = self.start(version, "--attempts", "9", "Hello world")
            keys = []
            for attempt in (1, 2, 3):
                connection = self.listener.accept()
                self.addCleanup(connection.close)
                connection.send(greeting())
                self.assertEqual(connection.read(64), greeting())
                connection.read_frame()
                connection.send(ready((b"Socket-Type", b"ROUTER"), (b"Identity", b""),
                                      (b"X-Zinc", b"nack,idempotency=2a")))
                frames = connection.read_message()
                plain = [*delimiter(version), *client_request(version, SERVICE, b"Hello world")]
                place = len(plain) - 2
                key = frames.pop(place)
                self.assertEqual(frames, plain)
                self.assertEqual((key[:8], key[24:]), (b"mmi.key:", struct.pack(">IB", attempt, attempt == 1)))
                keys.append(key[8:24])
                if attempt < 3:
                    connection.close()
            connection.send(reply(version, SERVICE, b"done"))
            self.assertEqual(asking.read_line(), "done")
            connection.close()
            self.assertEqual(asking.wait(), 0)
            self.assertEqual(len(set(keys)), 1)
            self.assertNotEqual(keys[0], bytes(16))

    def test_ignores_what_is_not_its_reply(self):
        for version in self.each_version():
            asking = self.start(version, "body")
            connection = self.accept()
            connection.read_message()
            other = "0.2" if version == "0.1" else "0.1"
            connection.send(reply(version, b"another service", b"wrong"))
            connection.send(reply(other, SERVICE, b"wrong"))
            start = [*delimiter(version), CLIENT[version]]
            words = [] if version == "0.1" else [b"\x03"]
            for wrong in ([b""], start, [*start, *words], [*start, *words, SERVICE],
                          [*start, *words, b"", b"wrong"], [b"garbage"] * 5,
                          [*delimiter(version), b"MDPW01", b"\x03", SERVICE, b"wrong"]):
                connection.send(message(*wrong))
            if version == "0.2":
                for byte in (b"\x01", b"\x04", b"\x00", b"\x03\x03", b""):
                    connection.send(message(*start, byte, SERVICE, b"wrong"))
            connection.send(reply(version, SERVICE, b"right"))
            self.assertEqual(asking.read_line(), "right")
            connection.close()
            self.assertEqual(asking.wait(), 0)

    def test_says_when_there_was_no_broker_at_all(self):
        endpoint = reserve_endpoint(self)
        for version in self.each_version():
            code, lines, errors = run_request(endpoint, "echo", version, "--timeout", "100ms",
                                              "--attempts", "2", "body")
            self.assertEqual((code, lines), (1, []))
            self.assertIn("zinc request: ", errors)


class StandInBrokerTest(InteropCase):
    """Our client uses pyzmq's worker and ours through a complete third-party broker."""

    def test_asks_through_it(self):  # MD1-2, MD1-7
        for version in VERSIONS:
            with self.subTest(version=version):
                broker = StandInBroker(self.context, version)
                self.addCleanup(broker.stop)
                self.echo_worker(broker.endpoint, b"theirs", version)
                self.start_worker(broker.endpoint, "ours", version)
                for service in ("theirs", "ours"):
                    code, lines, errors = run_request(broker.endpoint, service, version, "--count",
                                                      "200", "--in-flight", "4", "--size", "300B",
                                                      "--json")
                    self.assertEqual((code, errors), (0, ""))
                    self.assertEqual(json.loads(lines[0])["answered"], 200)
                    code, lines, errors = run_request(broker.endpoint, service, version, "--json",
                                                      "", "Hello", "")
                    self.assertEqual((code, errors), (0, ""))
                    self.assertEqual(json.loads(lines[0]), {"reply": ["", "Hello", ""]})
                code, lines, _ = run_request(broker.endpoint, "mmi.service", version, "ours")
                self.assertEqual((code, lines), (0, ["200"]))
                self.assertEqual(broker.sent_away, 0)


if __name__ == "__main__":
    unittest.main()

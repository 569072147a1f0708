#!/usr/bin/python3
"""Our worker with third-party brokers: a stand-in for the Guide's and 18/MDP's, and a plain TCP listener that
sees every byte."""

import os
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from guide_peers import WORKER_COMMANDS, delimiter, worker_command  # noqa: E402
from stand_in_broker import StandInBroker  # noqa: E402
from zmtp_wire import COMMAND, Listener, greeting, message, metadata, named, ready_as  # noqa: E402
from zinc_programs import start_worker  # noqa: E402

VERSIONS = ("0.1", "0.2")
SERVICE = b"echo"
INTERVAL = 0.1
LIVENESS = 10
SILENCE = 3 * INTERVAL

# As peers of the Guide send them.
READY = {"0.1": bytes.fromhex("01 00 01 06 4d 44 50 57 30 31 01 01 01 00 04 65 63 68 6f"),
         "0.2": bytes.fromhex("01 06 4d 44 50 57 30 32 01 01 01 00 04 65 63 68 6f")}
HEARTBEAT = {"0.1": bytes.fromhex("01 00 01 06 4d 44 50 57 30 31 00 01 04"),
             "0.2": bytes.fromhex("01 06 4d 44 50 57 30 32 00 01 05")}
DISCONNECT = {version: message(*worker_command(version, "disconnect")) for version in VERSIONS}


def request(version, address, *body):
    return message(*worker_command(version, "request", address, b"", *body))


def final(version, address, *body):
    return message(*worker_command(version, "final", address, b"", *body))


class OurWorkerTest(InteropCase):
    def setUp(self):
        super().setUp()
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def start(self, version, *options):
        return start_worker(self, self.listener.endpoint, SERVICE.decode(), version, "--heartbeat",
                            f"{int(INTERVAL * 1000)}ms", "--liveness", str(LIVENESS), *options)

    def accept(self, version, patience=15.0):
        """The next connection, up to READY."""
        connection = self.listener.accept(patience)
        self.addCleanup(connection.close)
        connection.shake_hands(b"ROUTER")
        self.assertEqual(connection.read(len(READY[version])), READY[version])
        return connection

    def read_but_heartbeats(self, connection, version, count):
        """The next bytes, as many as are expected, without the heartbeats among them."""
        beat = HEARTBEAT[version]
        while (data := connection.read(min(count, len(beat)))) == beat:
            pass
        return data + connection.read(count - len(data))

    def expect_reply(self, connection, version, *frames):
        expected = final(version, *frames)
        self.assertEqual(self.read_but_heartbeats(connection, version, len(expected)), expected)

    def expect_end(self, connection, version):
        """Expects that the worker closes the connection and sends nothing more. A heartbeat may have been in
        flight."""
        data = connection.read_to_end()
        self.assertIsNotNone(data, "the connection stays")
        self.assertEqual(data.replace(HEARTBEAT[version], b""), b"")

    def each_version(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                yield version

    def test_shakes_hands_as_a_dealer_and_says_ready_first(self):  # MDP-15, MDP-21, MDP-23, MD1-4
        for version in self.each_version():
            worker = self.start(version)
            connection = self.listener.accept()
            connection.send(greeting())
            self.assertEqual(connection.read(12), greeting()[:12])
            self.assertEqual(connection.read(52), greeting()[12:])
            flags, body = connection.read_frame()
            self.assertEqual(flags, COMMAND)
            self.assertEqual(body, named(b"READY", metadata((b"Socket-Type", b"DEALER"),
                                                            (b"Identity", b""))))
            # No traffic before the broker's READY.
            connection.expect_silence(SILENCE)
            connection.send(ready_as(b"ROUTER"))
            self.assertEqual(connection.read(len(READY[version])), READY[version])
            # One connection to one broker.
            self.listener.expect_nobody(SILENCE)
            connection.close()
            worker.kill()

    def test_echoes_the_address_and_the_body(self):  # MDP-16, MDP-18, MDP-35, MDP-36
        for version in self.each_version():
            worker = self.start(version)
            connection = self.accept(version)
            for address in (b"\x00\x6b\x8b\x45\x67", b"A", b"client-7", bytes(255), b"\xff" * 255):
                for body in ([b"body"], [b""], [b"", b"body", b""], [bytes(range(256)) * 8]):
                    connection.send(request(version, address, *body))
                    self.expect_reply(connection, version, address, *body)
            worker.kill()

    def test_sends_heartbeats_while_idle(self):  # MDP-19, MDP-40
        for version in self.each_version():
            begin = time.monotonic()
            worker = self.start(version)
            connection = self.accept(version)
            for _ in range(10):
                self.assertEqual(connection.read(len(HEARTBEAT[version])), HEARTBEAT[version])
                connection.send(HEARTBEAT[version])
            lasted = time.monotonic() - begin
            self.assertGreater(lasted, 9 * INTERVAL)
            worker.kill()

    def test_sends_no_heartbeat_where_it_has_said_something_else(self):  # MDP-39
        for version in self.each_version():
            worker = self.start(version)
            connection = self.accept(version)
            expected = final(version, b"A", b"body")
            said = time.monotonic()
            end = said + 10 * INTERVAL
            heartbeats = due = 0
            while said < end:
                connection.send(request(version, b"A", b"body"))
                while (data := connection.read(len(HEARTBEAT[version]))) == HEARTBEAT[version]:
                    heartbeats += 1
                data += connection.read(len(expected) - len(data))
                self.assertEqual(data, expected)
                before, said = said, time.monotonic()
                # Where a busy machine has kept the two from talking.
                due += int(2 * (said - before) / INTERVAL)
            self.assertLessEqual(heartbeats, 2 + due)
            worker.kill()

    def test_goes_on_sending_heartbeats_while_it_works(self):  # MDP-37
        for version in self.each_version():
            worker = self.start(version, "--delay", f"{int(15 * INTERVAL * 1000)}ms")
            connection = self.accept(version)
            connection.send(request(version, b"A", b"body"))
            for _ in range(8):
                self.assertEqual(connection.read(len(HEARTBEAT[version])), HEARTBEAT[version])
                connection.send(HEARTBEAT[version])
            self.expect_reply(connection, version, b"A", b"body")
            worker.kill()

    def test_starts_over_on_a_new_connection_when_it_is_sent_away(self):  # MDP-32, MDP-33
        for version in self.each_version():
            worker = self.start(version)
            connection = self.accept(version)
            for _ in range(3):
                connection.send(DISCONNECT[version])
                self.expect_end(connection, version)
                connection.close()
                connection = self.accept(version)
            connection.send(request(version, b"A", b"body"))
            self.expect_reply(connection, version, b"A", b"body")
            worker.kill()

    def test_sent_away_while_working_it_does_not_reply_on_the_new_connection(self):
        for version in self.each_version():
            worker = self.start(version, "--delay", f"{int(2 * INTERVAL * 1000)}ms")
            connection = self.accept(version)
            connection.send(request(version, b"A", b"before") + DISCONNECT[version])
            self.expect_end(connection, version)
            connection.close()
            connection = self.accept(version)
            connection.send(request(version, b"B", b"after"))
            self.expect_reply(connection, version, b"B", b"after")
            worker.kill()

    def test_starts_over_when_the_connection_is_lost(self):
        for version in self.each_version():
            worker = self.start(version)
            for _ in range(3):
                self.accept(version).close()
            connection = self.accept(version)
            connection.send(request(version, b"A", b"body"))
            self.expect_reply(connection, version, b"A", b"body")
            worker.kill()

    def test_starts_over_when_the_broker_is_silent_for_too_long(self):  # MDP-41, MDP-42
        for version in self.each_version():
            begin = time.monotonic()
            worker = self.start(version)
            connection = self.accept(version)
            self.expect_end(connection, version)
            lasted = time.monotonic() - begin
            self.assertGreater(lasted, (LIVENESS - 1) * INTERVAL)
            connection.close()
            self.accept(version)
            worker.kill()

    def test_waits_for_a_broker_that_is_silent_while_it_works(self):
        """Brokers of the Guide send heartbeats to idle workers only."""
        worker = self.start("0.1", "--delay", f"{int((LIVENESS + 5) * INTERVAL * 1000)}ms")
        connection = self.accept("0.1")
        connection.send(request("0.1", b"A", b"body"))
        self.expect_reply(connection, "0.1", b"A", b"body")
        worker.kill()

    def test_ignores_malformed_commands(self):  # MDP-31
        for version in self.each_version():
            worker = self.start(version)
            connection = self.accept(version)
            start = [*delimiter(version), b"MDPW0" + version[-1:].encode()]
            other = "0.2" if version == "0.1" else "0.1"
            for wrong in ([b""], [b"", b""], start, [*start, b""], [*start, b"\x09"], [*start, b"\x00"],
                          [*start, b"\x02"], [*start, b"\x02", b"A"], [*start, b"\x02", b"A", b""],
                          [*start, b"\x02", b"A", b"B", b"", b"body"], [*start, b"\x02", b"", b"", b"body"],
                          [*start, b"\x02\x02", b"A", b"", b"body"], [*start, b"\x01", SERVICE],
                          [*start, WORKER_COMMANDS[version]["final"], b"A", b"", b"body"],
                          [*start, WORKER_COMMANDS[version]["disconnect"], b"surplus"],
                          worker_command(other, "request", b"A", b"", b"body"),
                          [b"MDPC02", b"\x01", SERVICE, b"body"], [b"garbage"] * 10):
                connection.send(message(*wrong))
            connection.send(request(version, b"A", b"body"))
            self.expect_reply(connection, version, b"A", b"body")
            worker.kill()

    def test_stopped_it_takes_its_leave_where_that_does_no_harm(self):  # MDP-20
        """The Guide's brokers in Python die of a DISCONNECT, so that 0.1 gets none."""
        for version in self.each_version():
            worker = self.start(version)
            connection = self.accept(version)
            worker.signal(signal.SIGTERM)
            data = connection.read_to_end().replace(HEARTBEAT[version], b"")
            self.assertEqual(data, b"" if version == "0.1" else DISCONNECT[version])
            connection.close()
            self.assertEqual(worker.wait(), 0)

    def test_stopped_with_a_request_in_progress_it_answers_first(self):
        """A broker without `nack` gets only commands of MDP."""
        for version in self.each_version():
            with tempfile.TemporaryDirectory() as folder:
                began, gate = os.path.join(folder, "began"), os.path.join(folder, "gate")
                os.mkfifo(began)
                os.mkfifo(gate)
                opened = os.open(gate, os.O_RDWR)
                self.addCleanup(os.close, opened)
                worker = self.start(version, "--exec", f"echo > {began}; read go < {gate}; echo done")
                connection = self.accept(version)
                connection.send(request(version, b"A", b"body"))
                with open(began, encoding="utf-8") as file:
                    file.read()
                worker.signal(signal.SIGTERM)
                connection.send(request(version, b"B", b"not taken"))
                os.write(opened, b"\n")
                self.expect_reply(connection, version, b"A", b"done\n")
                data = connection.read_to_end().replace(HEARTBEAT[version], b"")
                self.assertEqual(data, b"" if version == "0.1" else DISCONNECT[version])
                connection.close()
                self.assertEqual(worker.wait(), 0)

    def test_ends_after_as_many_requests_as_it_was_told(self):
        for version in self.each_version():
            worker = self.start(version, "--count", "3")
            connection = self.accept(version)
            for i in range(3):
                connection.send(request(version, b"A", b"%d" % i))
                self.expect_reply(connection, version, b"A", b"%d" % i)
            self.assertIsNotNone(connection.read_to_end())
            connection.close()
            self.assertEqual(worker.wait(), 0)

    def test_runs_a_command_with_the_body(self):
        for version in self.each_version():
            worker = self.start(version, "--exec", "tr a-z A-Z; echo done")
            connection = self.accept(version)
            for body in ([b"hello"], [b"hel", b"lo"]):
                connection.send(request(version, b"A", *body))
                self.expect_reply(connection, version, b"A", b"HELLOdone\n")
            worker.kill()


class StandInBrokerTest(InteropCase):
    """Our worker serves pyzmq's clients of 0.1 and 0.2 through a complete third-party broker."""

    def test_serves_through_it(self):  # MD1-6, MD1-7
        for version in VERSIONS:
            with self.subTest(version=version):
                broker = StandInBroker(self.context, version, INTERVAL, LIVENESS)
                self.addCleanup(broker.stop)
                self.start_worker(broker.endpoint, "echo", version, "--heartbeat", "100ms",
                                  "--liveness", str(LIVENESS))
                client = self.client(broker.endpoint, version)
                for i in range(200):
                    self.assertEqual(client.request(SERVICE, b"", b"%d" % i), [b"", b"%d" % i])
                # The idle worker is neither disconnected nor declared dead.
                self.assertIsNone(client.receive((LIVENESS + 5) * INTERVAL))
                self.assertEqual(client.request(SERVICE, b"body"), [b"body"])
                self.assertEqual(broker.seen.count("ready"), 1)
                self.assertGreater(broker.seen.count("heartbeat"), LIVENESS // 2)
                self.assertEqual(broker.sent_away, 0)


if __name__ == "__main__":
    unittest.main()

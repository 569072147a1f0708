#!/usr/bin/python3
"""The programs for NATS: a short run of each pattern gives a figure, and a lost message fails. The server is a
stand-in, and the real one where there is one."""

import os
import shutil
import tempfile
import unittest
from pathlib import Path

import from_bench  # noqa: F401: comparison is found by it
from comparison import machine
from comparison.catalogue import WORKLOADS, with_nats
from comparison.contestants import NATS
from comparison.run import RunFailed, run

STAND_IN = Path(__file__).resolve().parent / "nats_server.py"
REAL = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
# Timeout for events that should come at once, on a busy machine.
PATIENCE = 60


def figure(server, name, count):
    workload = with_nats(next(each for each in WORKLOADS if each.name == name), server, "?")
    nats = next(each for each in workload.contestants if each.key == NATS)
    return run(workload, nats, count, lambda program: program, PATIENCE).figure


class StandIn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = Path(folder.name).resolve() / "nats-server"
        shutil.copy(STAND_IN, self.server)

    def make(self, fault):
        text = STAND_IN.read_text(encoding="utf-8")
        self.server.write_text(text.replace('FAULT = ""', f'FAULT = "{fault}"'), encoding="utf-8")

    def test_a_stream(self):
        self.assertGreater(figure(self.server, "stream_64", 1000), 0)

    def test_a_stream_of_messages_that_come_in_pieces(self):
        self.assertGreater(figure(self.server, f"stream_{2 ** 20}", 9), 0)

    def test_a_fan_out(self):
        self.assertGreater(figure(self.server, "fan_out_10", 100), 0)

    def test_round_trips(self):
        self.assertGreater(figure(self.server, "round_trip_64", 100), 0)

    def test_every_byte_by_itself(self):
        self.make("splits")
        self.assertGreater(figure(self.server, "stream_64", 100), 0)
        self.assertGreater(figure(self.server, "round_trip_64", 100), 0)

    def test_a_lost_message_fails_the_run(self):
        self.make("loses")
        with self.assertRaisesRegex(RunFailed, "bench/nats/subscriber ended with 1"):
            figure(self.server, "stream_64", 1000)

    def test_a_fault_that_the_server_reports_fails_the_run(self):
        self.make("reports")
        with self.assertRaisesRegex(RunFailed, "from the server: 'Slow Consumer'"):
            figure(self.server, "stream_64", 1000)

    def test_the_version_of_a_server(self):
        self.assertEqual(machine.nats_version(self.server), "0.0.1")
        self.assertEqual(machine.nats_version("/bin/echo"), "unknown")
        self.assertEqual(machine.nats_version(self.server / "no"), "unknown")


@unittest.skipUnless(REAL, "there is no nats-server: install Debian's package of this name")
class Real(unittest.TestCase):
    def test_more_is_streamed_than_may_be_on_its_way(self):
        self.assertGreater(figure(REAL, "stream_64", 300_000), 0)

    def test_a_stream_of_the_largest_messages(self):
        self.assertGreater(figure(REAL, f"stream_{2 ** 20}", 20), 0)

    def test_a_fan_out_to_many(self):
        self.assertGreater(figure(REAL, "fan_out_100", 2000), 0)

    def test_round_trips(self):
        self.assertGreater(figure(REAL, "round_trip_64", 100), 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""Many peers that do not read, and many peers whose messages are not read, each within its mark, connect to a
process of Zinc that has 256 MiB. Without a memory budget, the queues would take gigabytes. The process holds no
more than its budget and a little for each connection, and serves a good peer during the test. After the peers
have disconnected or read everything, the memory is free again.

The limit is that of a cgroup if the test may make one. Otherwise the process gets its limit by a setting, and
the test only measures.
"""

import selectors
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from good_pair import GoodDealer, WORST  # noqa: E402: behind the line above
from interop_case import long_run  # noqa: E402
from memory_cgroup import MemoryCgroup  # noqa: E402
from zinc_programs import PATIENCE, Server, built  # noqa: E402
from zmtp_wire import Connection, command, frame, greeting, ready_as  # noqa: E402
import zmq  # noqa: E402

MIB = 1 << 20
LIMIT = 256 * MIB
QUEUED = 3 * (LIMIT // 16)
# Peers of each kind: sixty-four times this number of MiB would be within their marks.
PEERS = 200 if long_run() else 60
BODY = 8 << 10
# The memory of a connection when the budget is used up: one message in its queue beyond the least, the data
# that was read ahead, and the connection itself. BESIDE is the other memory of the process.
PER_CONNECTION = (16 << 10) + (4 << 10) + (4 << 10) + (8 << 10)
BESIDE = 32 * MIB


class Host(Server):
    def __init__(self, test, cgroup):
        program = [built("test/interop/slow_reader_host")]
        super().__init__(test, cgroup.within(program) if cgroup else [*program, str(QUEUED)],
                         stdin=subprocess.PIPE)
        self.publisher_port = int(self.read_line().rsplit(":", 1)[1])
        self.pull_port = int(self.read_line().rsplit(":", 1)[1])
        self.budget = int(self.read_line())

    def say(self, line):
        self.process.stdin.write(line + b"\n")

    def state(self):
        """The bytes that are queued, the times that memory was scarce, the messages that were dropped for it."""
        self.say(b"state")
        return tuple(map(int, self.read_line().split()))

    def stop(self):
        self.process.stdin.close()
        return self.wait()


def _subscriber(host, number):
    """Has a topic of its own, so that nothing is shared, and never reads."""
    connection = Connection.to(host.publisher_port)
    connection.send(greeting() + ready_as(b"SUB") + command(b"SUBSCRIBE", b"%d" % (1000 + number)))
    return connection


def _pusher(host):
    connection = Connection.to(host.pull_port)
    connection.send(greeting() + ready_as(b"PUSH"))
    return connection


class Flood:
    """Sends messages on all connections as far as they are taken."""

    def __init__(self, connections):
        self.stream = frame(bytes(BODY)) * 32
        self.selector = selectors.DefaultSelector()
        self.at = {}
        for connection in connections:
            connection.stream.setblocking(False)
            self.selector.register(connection.stream, selectors.EVENT_WRITE)
            self.at[connection.stream] = 0
        self.sent = 0

    def send_for(self, seconds):
        """The bytes that were taken meanwhile."""
        before = self.sent
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                stream = key.fileobj
                try:
                    count = stream.send(memoryview(self.stream)[self.at[stream]:])
                except BlockingIOError:
                    continue
                self.at[stream] = (self.at[stream] + count) % len(self.stream)
                self.sent += count
        return self.sent - before

    def finish(self, peer):
        """To the end of a message each."""
        for stream, at in self.at.items():
            stream.setblocking(True)
            stream.settimeout(PATIENCE)
            stream.sendall(self.stream[at:])
            peer.round_trip()


class SlowReaderMemoryTest(unittest.TestCase):
    def test_is_what_the_budget_says(self):
        cgroup = MemoryCgroup.make(self, LIMIT)
        host = Host(self, cgroup)
        self.assertEqual(host.budget, QUEUED)
        context = zmq.Context()
        self.addCleanup(context.destroy, linger=0)
        peer = GoodDealer(context, host)
        peer.round_trip()

        subscribers = [_subscriber(host, number) for number in range(PEERS)]
        flood = Flood([_pusher(host) for _ in range(PEERS)])
        times = []
        end = time.monotonic() + (300 if long_run() else 60)
        while flood.send_for(0.02) != 0 or host.state()[2] < 100 * PEERS:
            self.assertLess(time.monotonic(), end, "it takes all that comes")
            times.append(peer.round_trip())
            self.assertTrue(host.running(), "the host has ended")
        queued, scarce, dropped = host.state()
        most = host.peak_bytes()
        allowed = QUEUED + 2 * PEERS * PER_CONNECTION + BESIDE
        times.sort()
        print(f"{'cgroup' if cgroup else 'no cgroup'}; {2 * PEERS} slow peers, {queued / MIB:.1f} MiB queued, "
              f"{dropped} messages dropped; {len(times)} round trips: 99 % "
              f"{1000 * times[len(times) * 99 // 100]:.1f} ms, worst {1000 * times[-1]:.1f} ms; "
              f"{most / MIB:.1f} of {allowed / MIB:.1f} MiB")
        self.assertGreaterEqual(scarce, 1)
        self.assertGreaterEqual(queued, QUEUED // 2)
        self.assertLessEqual(times[-1], WORST)
        self.assertLessEqual(most, allowed)
        peer.expect_served_soon()

        # Read, and gone.
        host.say(b"receive")
        flood.finish(peer)
        for subscriber in subscribers:
            subscriber.close()
        end = time.monotonic() + PATIENCE
        while host.state()[0] != 0:
            self.assertLess(time.monotonic(), end, "something stays queued")
            peer.round_trip()
        self.assertGreater(flood.send_for(0.5), 0)
        peer.expect_served_soon()
        peer.close()
        self.assertEqual(host.stop(), 0, "the host did not end well")


if __name__ == "__main__":
    unittest.main()

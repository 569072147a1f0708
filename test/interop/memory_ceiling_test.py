#!/usr/bin/python3
"""Peers that keep to every limit of a connection and together would take all memory, against a process that has
256 MiB. It holds no more than its budgets allow, and serves a good peer meanwhile. The long form has over a thousand
hostile peers.

The limit is that of a cgroup if the test may make one. Otherwise the process gets its limit by a setting, and
the test only measures.
"""

import collections
import multiprocessing
import os
import random
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from good_pair import GoodDealer, WORST  # noqa: E402: behind the line above
from interop_case import long_run, numbers  # noqa: E402
from memory_cgroup import MemoryCgroup  # noqa: E402
from zinc_programs import PATIENCE, Server, built  # noqa: E402
from zmtp_wire import MORE, Closed, Connection, command, frame, greeting, long_frame, ready, ready_as  # noqa: E402
import zmq  # noqa: E402

MIB = 1 << 20
LIMIT = 256 * MIB
HALF_MESSAGES = LIMIT // 16
# Peers of each kind, and of subscribers: each may have the same number of subscriptions.
PEERS = 200 if long_run() else 12
SUBSCRIBERS, SUBSCRIPTIONS, PER_SUBSCRIPTION = 2, 100_000, 160
# Bytes of a connection without queued messages, and the other memory of the process.
PER_CONNECTION = 8 << 10
BESIDE = 32 * MIB


class Host(Server):
    def __init__(self, test, cgroup):
        program = [built("test/interop/memory_host")]
        super().__init__(test, cgroup.within(program) if cgroup else [*program, str(HALF_MESSAGES)],
                         stdin=subprocess.PIPE)
        self.publisher_port = int(self.read_line().rsplit(":", 1)[1])
        self.budget = int(self.read_line())

    def reached_by(self):
        """The host's counters: connections evicted for incomplete messages, bytes and messages that the ROUTER has
        received, topics that the XPUB holds, and subscriptions that it has refused."""
        self.process.stdin.write(b"\n")
        return numbers(self.read_line().encode())

    def stop(self):
        self.process.stdin.close()
        return self.wait()


def _shaken(connection, socket_type=b"DEALER"):
    connection.send(greeting() + ready_as(socket_type))
    return connection


def _await_pong(connection):
    """Waits until the peer has processed all input."""
    connection.send(command(b"PING", bytes(2)))
    connection.read(len(greeting()))
    while not connection.read_frame().body.startswith(b"\x04PONG"):
        pass


def _huge_lengths(connection, random_):
    """Declares much and sends little."""
    size = random_.choice((MIB, 63 * MIB, 1 << 62))
    _shaken(connection).send(long_frame(size, body=bytes(1_000)))


def _partial_messages(connection, random_):
    """55 of 60 MiB."""
    _shaken(connection).send(long_frame(60 * MIB))
    for _ in range(55):
        connection.send(bytes(MIB))


def _many_halves(connection, random_):
    """The largest allocation that does not need a larger block than others have."""
    _shaken(connection).send(long_frame(240_000, body=bytes(200_000)))


def _endless_messages(connection, random_):
    """Parts without end, small ones or large ones."""
    part = frame(bytes(random_.choice((0, 60_000))), MORE)
    _shaken(connection)
    for _ in range(2_000):
        connection.send(part)


def _empty_messages(connection, random_):
    _shaken(connection)
    for _ in range(20):
        connection.send(frame(b"") * 10_000)
    _await_pong(connection)


def _metadata(connection, random_):
    """As much as is taken, or more."""
    properties = [(b"X-%d" % i, bytes(random_.choice((100, 300)))) for i in range(30)]
    connection.send(greeting() + ready((b"Socket-Type", b"DEALER"), *properties))
    _await_pong(connection)


def _subscriptions(connection, random_):
    """More than are taken."""
    _shaken(connection, b"SUB")
    for _ in range(3 * SUBSCRIPTIONS // 2 // 1_000):
        connection.send(b"".join(command(b"SUBSCRIBE", random_.randbytes(16)) for _ in range(1_000)))
    _await_pong(connection)


# Times that each has sent all that it has, times that it was closed before, and times that it could not connect.
_Outcomes = collections.namedtuple("_Outcomes", ("sent", "closed", "failed"))


def _attack(port, kind, peers, outcomes, done):
    """Runs in a process of its own: this number of peers one after the other, which stay until the test is
    over."""
    os.nice(5)
    random_ = random.Random(kind.__name__)
    held = []
    for _ in range(peers):
        try:
            held.append(Connection.to(port))
        except OSError:
            outcomes.failed.value += 1
            continue
        try:
            kind(held[-1], random_)
            outcomes.sent.value += 1
        except (Closed, OSError):
            outcomes.closed.value += 1
    done.wait()
    for connection in held:
        connection.close()


class MemoryCeilingTest(unittest.TestCase):
    def test_many_hostile_peers_stay_within_the_memory_budgets(self):
        cgroup = MemoryCgroup.make(self, LIMIT)
        host = Host(self, cgroup)
        self.assertEqual(host.budget, HALF_MESSAGES)
        context = zmq.Context()
        self.addCleanup(context.destroy, linger=0)
        peer = GoodDealer(context, host)
        peer.round_trip()

        processes = multiprocessing.get_context("fork")
        done = processes.Event()

        def outcomes():
            return _Outcomes(*(processes.Value("L", 0) for _ in _Outcomes._fields))

        def attempts(of):
            return sum(one.value for one in of)
        attacks = [(host.port, kind, PEERS, outcomes())
                   for kind in (_huge_lengths, _partial_messages, _many_halves, _endless_messages,
                                _empty_messages, _metadata)]
        attacks.append((host.publisher_port, _subscriptions, SUBSCRIBERS, outcomes()))
        attackers = [processes.Process(target=_attack, args=(*attack, done), daemon=True)
                     for attack in attacks]
        for attacker in attackers:
            attacker.start()
        times = []
        try:
            end = time.monotonic() + (300 if long_run() else 60)
            while any(attempts(of) < peers for _, _, peers, of in attacks):
                self.assertLess(time.monotonic(), end, "the attack takes too long")
                times.append(peer.round_trip())
                self.assertTrue(host.running(), "the host has ended")
                peer.socket.poll(10)
            # The host has processed everything, while the peers are still connected.
            end = time.monotonic() + PATIENCE
            while (came := host.reached_by())["topics"] < SUBSCRIBERS * SUBSCRIPTIONS:
                self.assertLess(time.monotonic(), end, came)
                peer.socket.poll(10)
        finally:
            done.set()
            for attacker in attackers:
                attacker.join(PATIENCE)
                attacker.kill()
        evicted = came["evicted"]
        most = host.peak_bytes()
        connections = sum(peers for _, _, peers, _ in attacks)
        allowed = (HALF_MESSAGES + SUBSCRIBERS * SUBSCRIPTIONS * PER_SUBSCRIPTION
                   + connections * PER_CONNECTION + BESIDE)
        times.sort()
        print("; ".join(f"{kind.__name__[1:]}: {of.sent.value} sent all, {of.closed.value} were closed"
                        for _, kind, _, of in attacks))
        print(f"{came['bytes'] / MIB:.0f} MiB and {came['messages']} messages came; {came['topics']} subscriptions "
              f"are held, {came['refused']} were refused")
        print(f"{'cgroup' if cgroup else 'no cgroup'}; {connections} peers, {evicted} evicted; "
              f"{len(times)} round trips: 99 % {1000 * times[len(times) * 99 // 100]:.1f} ms, "
              f"worst {1000 * times[-1]:.1f} ms; {most / MIB:.1f} of {allowed / MIB:.1f} MiB")
        # The attack took place.
        for _, kind, peers, of in attacks:
            self.assertEqual(of.failed.value, 0, f"{kind.__name__} could not connect")
            self.assertEqual(of.sent.value + of.closed.value, peers, kind.__name__)
        by_kind = {kind: of for _, kind, _, of in attacks}
        self.assertEqual(by_kind[_subscriptions].sent.value, SUBSCRIBERS)
        self.assertEqual(came["topics"], SUBSCRIBERS * SUBSCRIPTIONS)
        self.assertEqual(came["refused"], SUBSCRIBERS * SUBSCRIPTIONS // 2)
        self.assertEqual(by_kind[_empty_messages].sent.value, PEERS)
        self.assertEqual(came["messages"], PEERS * 200_000 + len(times) + 1)
        self.assertGreater(came["bytes"], HALF_MESSAGES)
        # All but those that the budget holds.
        self.assertGreaterEqual(evicted, PEERS - HALF_MESSAGES // MIB)
        self.assertGreater(evicted, 0)
        self.assertLessEqual(times[-1], WORST)
        self.assertLessEqual(most, allowed)
        peer.expect_served_soon()
        peer.close()
        self.assertEqual(host.stop(), 0, "the host did not end well")


if __name__ == "__main__":
    unittest.main()

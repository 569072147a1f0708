#!/usr/bin/python3
"""Peers that keep to every limit of a connection and together would take all memory, against a process that has
256 MiB. It holds no more than its budgets allow, and serves a good peer meanwhile: with NULL, with PLAIN, and with
CURVE. The long form has over a thousand hostile peers.

The limit is that of a cgroup if the test may make one. Otherwise the process gets its limit by a setting, and
the test only measures.
"""

import collections
import functools
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
from secured_wire import CLIENTS  # noqa: E402
from zinc_programs import PATIENCE, Server, built  # noqa: E402
from zmtp_wire import COMMAND, MORE, Closed, named  # noqa: E402
import zmq  # noqa: E402
from zmq.utils import z85  # noqa: E402

MIB = 1 << 20
LIMIT = 256 * MIB
HALF_MESSAGES = LIMIT // 16
# Peers of each kind, and of subscribers: each may have the same number of subscriptions.
PEERS = 200 if long_run() else 12
SUBSCRIBERS, SUBSCRIPTIONS, PER_SUBSCRIPTION = 2, 100_000, 160
EMPTY = 200_000  # messages of a peer
# Bytes of a connection without queued messages, and the other memory of the process.
PER_CONNECTION = 8 << 10
BESIDE = 32 * MIB


class Host(Server):
    def __init__(self, test, cgroup, mechanism):
        program = [built("test/interop/memory_host"), mechanism]
        super().__init__(test, cgroup.within(program) if cgroup else [*program, str(HALF_MESSAGES)],
                         stdin=subprocess.PIPE)
        self.publisher_port = int(self.read_line().rsplit(":", 1)[1])
        self.budget = int(self.read_line())
        self.key = z85.decode(self.read_line())

    def reached_by(self):
        """The host's counters: connections evicted for incomplete messages, bytes and messages that the ROUTER has
        received, topics that the XPUB holds, and subscriptions that it has refused."""
        self.process.stdin.write(b"\n")
        return numbers(self.read_line().encode())

    def stop(self):
        self.process.stdin.close()
        return self.wait()


def _options(mechanism, server_key):
    """The options of a socket that the host admits."""
    if mechanism == "null":
        return {}
    if mechanism == "plain":
        return {zmq.PLAIN_USERNAME: b"user", zmq.PLAIN_PASSWORD: b"password"}
    public, secret = zmq.curve_keypair()
    return {zmq.CURVE_SERVERKEY: server_key, zmq.CURVE_PUBLICKEY: public, zmq.CURVE_SECRETKEY: secret}


def _introduce(client, socket_type=b"DEALER"):
    client.introduce((b"Socket-Type", socket_type))


def _await_pong(client):
    """Waits until the peer has processed all input."""
    client.send(client.framed(named(b"PING", bytes(2)), COMMAND))
    while not client.read_framed().startswith(b"\x04PONG"):
        pass


def _huge_lengths(client, random_):
    """Declares much and sends little."""
    _introduce(client)
    client.send(client.begun(random_.choice((MIB, 63 * MIB, 1 << 62)), 1_000))


def _partial_messages(client, random_):
    """55 of 60 MiB."""
    _introduce(client)
    client.send(client.begun(60 * MIB, MIB))
    for _ in range(54):
        client.send(bytes(MIB))


def _many_halves(client, random_):
    """The largest allocation that does not need a larger block than others have."""
    _introduce(client)
    client.send(client.begun(240_000, 200_000))


def _endless_messages(client, random_):
    """Parts without end, small ones or large ones."""
    part = bytes(random_.choice((0, 60_000)))
    _introduce(client)
    for _ in range(2_000):
        client.send(client.framed(part, MORE))


def _empty_messages(client, random_):
    _introduce(client)
    for _ in range(EMPTY // 1_000):
        client.send(b"".join(client.framed(b"") for _ in range(1_000)))
    _await_pong(client)


def _metadata(client, random_):
    """As much as is taken, or more."""
    client.introduce((b"Socket-Type", b"DEALER"),
                     *[(b"X-%d" % i, bytes(random_.choice((100, 300)))) for i in range(30)])
    _await_pong(client)


def _subscriptions(client, random_):
    """More than are taken."""
    _introduce(client, b"SUB")
    for _ in range(3 * SUBSCRIPTIONS // 2 // 1_000):
        client.send(b"".join(client.framed(named(b"SUBSCRIBE", random_.randbytes(16)), COMMAND)
                             for _ in range(1_000)))
    _await_pong(client)


# Times that each has sent all that it has, times that it was closed before, and times that it could not connect.
_Outcomes = collections.namedtuple("_Outcomes", ("sent", "closed", "failed"))


def _attack(connect, kind, peers, outcomes, done):
    """Runs in a process of its own: this number of peers one after the other, which stay until the test is
    over."""
    os.nice(5)
    random_ = random.Random(kind.__name__)
    held = []
    for _ in range(peers):
        try:
            held.append(connect())
        except OSError:
            outcomes.failed.value += 1
            continue
        try:
            kind(held[-1], random_)
            outcomes.sent.value += 1
        except (Closed, OSError):
            outcomes.closed.value += 1
    done.wait()
    for client in held:
        client.close()


class MemoryCeilingTest(unittest.TestCase):
    def test_many_hostile_peers_stay_within_the_memory_budgets(self):
        self.expect_within_budgets("null")

    def test_peers_with_a_password_stay_within_the_memory_budgets(self):
        self.expect_within_budgets("plain")

    def test_encrypted_peers_stay_within_the_memory_budgets(self):
        self.expect_within_budgets("curve")

    def expect_within_budgets(self, mechanism):
        cgroup = MemoryCgroup.make(self, LIMIT)
        host = Host(self, cgroup, mechanism)
        self.assertEqual(host.budget, HALF_MESSAGES)
        context = zmq.Context()
        self.addCleanup(context.destroy, linger=0)
        peer = GoodDealer(context, host, _options(mechanism, host.key))
        peer.round_trip()

        processes = multiprocessing.get_context("fork")
        done = processes.Event()

        router, publisher = (functools.partial(CLIENTS[mechanism], port, host.key)
                             for port in (host.port, host.publisher_port))

        def outcomes():
            return _Outcomes(*(processes.Value("L", 0) for _ in _Outcomes._fields))

        def attempts(of):
            return sum(one.value for one in of)
        attacks = [(router, kind, PEERS, outcomes())
                   for kind in (_huge_lengths, _partial_messages, _many_halves, _endless_messages,
                                _empty_messages, _metadata)]
        attacks.append((publisher, _subscriptions, SUBSCRIBERS, outcomes()))
        attackers = [processes.Process(target=_attack, args=(*attack, done), daemon=True)
                     for attack in attacks]
        for attacker in attackers:
            attacker.start()
        times = []
        try:
            end = time.monotonic() + (600 if long_run() else 60)
            while any(attempts(of) < peers for _, _, peers, of in attacks):
                self.assertLess(time.monotonic(), end, "the attack takes too long")
                times.append(peer.round_trip())
                self.assertTrue(host.running(), "the host has ended")
                peer.socket.poll(10)
            # The host has processed everything, while the peers are still connected.
            end = time.monotonic() + PATIENCE
            messages = PEERS * EMPTY + len(times) + 1
            while ((came := host.reached_by())["topics"] < SUBSCRIBERS * SUBSCRIPTIONS
                   or came["messages"] < messages):
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
        self.assertEqual(came["messages"], messages)
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

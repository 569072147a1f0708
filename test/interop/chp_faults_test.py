#!/usr/bin/python3
"""Tests 18 to 21 of the reliability plan. The servers of a pair are killed, stopped and cut off while clients update
the map, and no committed update is lost. Then snapshots for slow clients, gaps, and times to live.

The short form takes seconds. A part of the long form takes about twenty minutes. Five parts are a full test.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from interop_case import long_run, seed  # noqa: E402: behind the line above
from chp_pair import Pair, Storm, address, server_command  # noqa: E402
from tcp_relay import MessageFilter, Relay  # noqa: E402
from zinc_programs import PATIENCE, Server, built, reserve_ports  # noqa: E402

LONG = long_run()
HEARTBEAT = 100  # milliseconds
CLIENTS, RATE = (20, 2_000) if LONG else (6, 600)  # updates a second of all clients


def group(count, addresses):
    """Returns the option for a group of clients that know these servers."""
    return f"{count}={','.join(addresses)}"


class StormCase(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(seed(18))

    def expect_good(self, found):
        for fault in ("lost", "resurrected", "invented", "out_of_order", "failed", "waiting", "ttl_early",
                      "ttl_left"):
            self.assertEqual(found[fault], 0, (fault, found))
        self.assertTrue(found["maps_equal"], found)
        self.assertTrue(found["good"], found)

    def start_storm(self, groups, *more, rate=RATE, heartbeat=HEARTBEAT, keys=2_000):
        """Starts a storm with enough keys that no key is set twice before the maps are compared. A second
        update would hide a loss."""
        return Storm(self, *(word for one in groups for word in ("--group", one)), "--rate", rate,
                     "--keys", keys, "--heartbeat", heartbeat, "--server-ttl", 5 * heartbeat, *more)

    def wait_for(self, storm, *what):
        done = storm.ask(*what)
        self.assertTrue(done["settled"], (what, done, storm.ask("status")))

    def settle(self, storm, *how):
        self.wait_for(storm, "settle", *how)

    def faults(self, storm, count, *how):
        """Yields once per fault. The caller causes one fault each time, and the pair recovers after it."""
        self.settle(storm, *how)
        for number in range(count):
            time.sleep(self.random.uniform(0, 0.5))  # they come at any time: nothing is waited for
            storm.ask("fault")
            yield number
            self.settle(storm, *how)
            self.expect_good(storm.ask("check"))

    def expect_end(self, pair, storm):
        """Checks that the ledger agrees, and that the passive server has the same map when it becomes
        active."""
        self.expect_good(storm.ask("check"))
        self.settle(storm, "backup")
        active = pair.wait_for_one_active()
        pair.kill(active)
        self.settle(storm)
        found = storm.end()
        self.expect_good(found)
        return found


def writing_again(found):
    return (f"{found['committed']} updates committed, writing again p99 {found['writing_again_p99_ms']} ms, "
            f"max {found['writing_again_max_ms']} ms")


class KilledTest(StormCase):
    def kill_again_and_again(self, heartbeat, kills):
        """Test 18."""
        pair = Pair(self, heartbeat)
        # No more than needed: all clients are one thread, which fetches as many maps after each kill.
        storm = self.start_storm([group(CLIENTS, pair.addresses)], "--shared", 50, heartbeat=heartbeat,
                                 keys=150 + heartbeat)
        for _ in self.faults(storm, kills, "backup"):
            active = pair.wait_for_one_active()
            pair.kill(active)
            # How long it is away: nothing is waited for.
            time.sleep(self.random.uniform(0, 3) * heartbeat / 1000)
            pair.start(active)
        found = self.expect_end(pair, storm)
        print(f"{kills} kills at a heartbeat of {heartbeat} ms: {writing_again(found)}")
        self.assertGreaterEqual(sum(found["events"][why] for why in ("server_lost", "server_unreachable")),
                                kills * CLIENTS)
        return found

    def test_the_active_one_is_killed_and_no_committed_update_is_lost(self):
        found = self.kill_again_and_again(HEARTBEAT, 40 if LONG else 4)
        if LONG:
            self.assertLessEqual(found["writing_again_p99_ms"], 500)

    def test_updates_that_both_servers_lose_are_reported(self):
        """The ledger can detect a loss."""
        pair = Pair(self, HEARTBEAT)
        storm = self.start_storm([group(2, pair.addresses)], rate=600)
        self.settle(storm, "backup")
        self.expect_good(storm.ask("check"))
        pair.kill_both(self.random)
        pair.start_both(self.random)
        self.settle(storm, "backup")
        found = storm.end()
        self.assertGreater(found["lost"], 0)
        self.assertTrue(found["maps_equal"], found)
        self.assertGreater(found["events"]["history_lost"], 0)

    def with_stores(self, *more):
        pair = Pair(self, HEARTBEAT, stored=True)
        return pair, self.start_storm([group(CLIENTS, pair.addresses)], *more), 20 if LONG else 4

    def test_both_are_killed_and_with_stores_no_committed_update_is_lost(self):
        pair, storm, kills = self.with_stores("--shared", 50)
        for _ in self.faults(storm, kills, "backup"):
            pair.kill_both(self.random)
            pair.start_both(self.random)
        found = self.expect_end(pair, storm)
        print(f"both killed {kills} times: {writing_again(found)}")

    def test_kills_of_both_servers_with_stores_lose_no_committed_update(self):
        """If a server dies during the absence of its peer, it offers its own updates after its restart."""
        pair, storm, kills = self.with_stores()
        for _ in self.faults(storm, kills, "backup"):
            active = pair.wait_for_one_active()
            pair.kill(1 - active)
            self.settle(storm)
            pair.kill(active)
            pair.start_both(self.random)
        found = self.expect_end(pair, storm)
        print(f"one after the other killed {kills} times: {writing_again(found)}")

    @unittest.skipUnless(LONG, "takes minutes: tools/test --long")
    def test_the_active_server_is_killed_at_the_heartbeat_of_the_guide(self):
        found = self.kill_again_and_again(1_000, 40)
        self.assertLessEqual(found["writing_again_p99_ms"], 3_000)
        self.assertLessEqual(found["writing_again_max_ms"], 5_000)


class BackAgainCase(StormCase):
    """Faults that end, without a kill."""

    def setUp(self):
        super().setUp()
        self.one_active = self.equal = 0

    def expect_recovery(self, pair, storm, was_active, taken_over):
        """From now on: to one active server, because a server becomes passive if its peer has taken over, and
        to the same map at all programs."""
        begin = time.monotonic()
        if taken_over:
            pair.wait_until_passive(was_active)
        pair.wait_for_one_active()
        self.one_active = max(self.one_active, time.monotonic() - begin)
        found = storm.ask("check")
        self.expect_good(found)
        self.equal = max(self.equal, found["ms"])
        self.assertTrue(pair.running())

    def expect_end_of(self, what, pair, storm):
        found = self.expect_end(pair, storm)
        print(f"{what}: {found['committed']} updates committed, one active after {self.one_active:.2f} s, maps "
              f"equal after {self.equal} ms, at most")
        if LONG:
            self.assertLessEqual(self.one_active, 2)
            self.assertLessEqual(self.equal, 5_000)
        return found


class StoppedTest(BackAgainCase):
    def test_the_active_server_pauses_and_resumes(self):
        """Test 19, SIGSTOP."""
        stops, most = (20, 10) if LONG else (2, 1.5)
        pair = Pair(self, HEARTBEAT)
        storm = self.start_storm([group(CLIENTS, pair.addresses)])
        for _ in self.faults(storm, stops, "backup"):
            active = pair.wait_for_one_active()
            pair.suspend(active)
            pair.nodes[active].skip_lines()
            time.sleep(self.random.uniform(1, most))  # the length of the pause: the test waits for no event
            taken_over = pair.activity.active() == [1 - active]
            pair.resume(active)
            self.expect_recovery(pair, storm, active, taken_over)
        self.expect_end_of(f"{stops} stops", pair, storm)


class PartitionTest(BackAgainCase):
    """Half of the clients reach the active server while its link to the peer is cut. The others do not, and
    switch to that peer."""

    def cut_again_and_again(self, cuts, stalled):
        pair = Pair(self, HEARTBEAT, relayed=True)
        ways = [Relay(self, port) for port in pair.ports]
        storm = self.start_storm([group(CLIENTS // 2, pair.addresses),
                                  group(CLIENTS // 2, [address(way.port) for way in ways])])
        two = 0
        for cut in self.faults(storm, cuts, "backup"):
            active = pair.wait_for_one_active()
            pair.nodes[active].skip_lines()
            stalled_one = stalled(active, cut)
            pair.cut_link(stalled_one)
            ways[active].cut()
            seconds = self.random.uniform(1, 5 if LONG else 2)
            end = time.monotonic() + seconds
            # If both directions are cut, both servers become active.
            two += pair.activity.wait_for(2, PATIENCE if stalled_one is None else seconds) is not None
            time.sleep(max(0, end - time.monotonic()))  # how long it is cut: nothing is waited for
            taken_over = 1 - active in pair.activity.active()
            pair.heal_link()
            ways[active].heal()
            self.expect_recovery(pair, storm, active, taken_over)
        found = self.expect_end_of(f"{cuts} cuts, two served in {two}", pair, storm)
        return two, found

    def test_both_ways(self):
        """Test 19."""
        cuts = 10 if LONG else 2
        two, found = self.cut_again_and_again(cuts, lambda active, cut: None)
        self.assertEqual(two, cuts, "it was no partition with two that serve")
        self.assertGreater(found["reported"], 0, "one of both sides is cut")

    def test_one_way(self):
        """Test 19: one server does not receive."""
        self.cut_again_and_again(10 if LONG else 2, lambda active, cut: (active + cut) % 2)


class AloneCase(StormCase):
    def start_server(self):
        server = Server(self, server_command("*", "--heartbeat", f"{HEARTBEAT}ms"))
        self.address = address(server.port)
        return server


class StoreTest(StormCase):
    def test_one_alone_is_killed_and_no_committed_update_is_lost(self):
        kills = 40 if LONG else 5
        with tempfile.TemporaryDirectory() as folder:
            port = reserve_ports(self, 3)
            command = server_command(port, "--heartbeat", f"{HEARTBEAT}ms", "--store", os.path.join(folder, "map"))
            server = Server(self, command)
            storm = self.start_storm([group(CLIENTS, [address(port)])])
            for _ in self.faults(storm, kills):
                server.kill()
                server = Server(self, command)
            found = storm.end()
            self.expect_good(found)
            self.assertEqual(found["events"]["history_lost"], 0)
            print(f"one alone killed {kills} times: {writing_again(found)}")
            self.assertEqual(server.stop(), 0)


class SnapshotTest(AloneCase):
    def test_a_slow_client_comes_to_the_same_map(self):
        """Test 20."""
        keys, slow = (1_000_000 if LONG else 20_000), 1_000_000
        server = self.start_server()
        storm = Storm(self, "--group", group(2, [self.address]), "--rate", 1_000, "--preload", keys,
                      "--heartbeat", HEARTBEAT, "--patience", 300_000, patience=600)
        before = server.resident_bytes()
        relay = Relay(self, server.port, bytes_a_second=slow)
        storm.ask("join", address(relay.port))
        storm.ask("join", self.address, "/c0/")
        self.wait_for(storm, "maps")
        peak = server.peak_bytes()
        found = storm.end()
        self.expect_good(found)
        self.assertLess(found["joined"][1]["keys"], found["joined"][0]["keys"])
        # The client cannot have received the map faster than the relay forwards it: with its value, a key takes
        # more than 55 bytes.
        self.assertGreater(found["joined"][0]["ready_ms"], 1_000 * keys * 55 / slow)
        print(f"{keys} keys at {slow / 1e6:g} MB/s: there after {found['joined'][0]['ready_ms']} ms; memory "
              f"{before / 2**20:.0f} MiB before, {peak / 2**20:.0f} at most ({peak / before:.2f} x); commits "
              f"meanwhile p99 {found['commit_p99_us']} us")
        if LONG:
            self.assertLessEqual(peak, 1.3 * before)
        self.assertEqual(server.stop(), 0)


class GapTest(AloneCase):
    def test_each_one_is_noticed_and_closed(self):
        """Test 20: the relay swallows an update for a client of the whole map, and for a client of a subtree,
        whose numbers have gaps anyway."""
        gaps = 20 if LONG else 5
        server = self.start_server()
        storm = Storm(self, "--group", group(3, [self.address]), "--rate", 600, "--heartbeat", HEARTBEAT)
        relays = [Relay(self, server.port), Relay(self, server.port)]
        followers = [storm.ask("join", address(relay.port), *subtree)["joined"]
                     for relay, subtree in zip(relays, ((), ("/c0/",)))]
        self.settle(storm)
        for count in range(1, gaps + 1):
            for relay, follower in zip(relays, followers):
                relay.swallow()
                self.wait_for(storm, "gaps", str(follower), str(count))
                self.settle(storm)
        found = storm.end()
        self.expect_good(found)
        self.assertEqual([relay.swallowed for relay in relays], [gaps, gaps])
        self.assertEqual([one["gaps"] for one in found["joined"]], [gaps, gaps])
        print(f"{2 * gaps} gaps, all noticed")
        self.assertEqual(server.stop(), 0)


class LifetimeTest(StormCase):
    CLOCK = {"LD_PRELOAD": built("test/interop/libjumping_clock.so")}

    def test_the_time_of_day_jumps(self):
        end = time.monotonic() + PATIENCE
        seen = set()
        while seen != {-1, 0, 1}:
            self.assertLess(time.monotonic(), end)
            said = subprocess.run(["date", "+%s"], env={**os.environ, **self.CLOCK}, capture_output=True,
                                  check=True).stdout
            seen.add(round((int(said) - time.time()) / 3_600))

    def test_keys_expire_on_time_despite_failovers(self):
        """Test 21. The time of day jumps all the while, for the servers. A takeover lets the whole time of a
        key begin again. In the long form no key lives through two of them."""
        seconds, every, rate, longest = (120, 15, 100, 10) if LONG else (7, 2.5, 100, 3)
        pair = Pair(self, HEARTBEAT, environment=self.CLOCK)
        storm = self.start_storm([group(6, pair.addresses)], "--lifetimes", rate, "--longest-ttl", longest,
                                 rate=200)
        self.settle(storm, "backup")
        end = time.monotonic() + seconds
        failovers = 0
        while time.monotonic() < end:
            time.sleep(every)  # the rate of the failovers: nothing is waited for
            active = pair.wait_for_one_active()
            storm.ask("fault")
            pair.kill(active)
            pair.start(active)
            self.settle(storm, "backup")
            failovers += 1
        found = storm.end()
        self.expect_good(found)
        self.assertGreater(found["ttl_keys"], seconds * rate / 2)
        print(f"{found['ttl_keys']} keys, {failovers} failovers: none gone early, the last "
              f"{found['ttl_latest_ms']} ms behind its time; writing again max "
              f"{found['writing_again_max_ms']} ms")
        if LONG:
            self.assertLessEqual(found["ttl_latest_ms"], 1_000 * longest + found["writing_again_max_ms"] + 1_000)


class RelayTest(unittest.TestCase):
    """A relay that swallows messages passes on all others unchanged, wherever the stream is cut."""

    def test_messages_are_swallowed_whole(self):
        greeting = b"\xff" + b"\0" * 63
        ready = b"\x04\x05READY"
        first = b"\x01\x01a" + b"\x02" + (300).to_bytes(8, "big") + b"x" * 300
        second = b"\x01\x01b" + b"\x00\x01y"
        stream = greeting + ready + first + second + first
        for size in (1, 2, 7, 64, len(stream)):
            filtered = MessageFilter(lambda parts: parts == [b"b", b"y"])
            passed = b"".join(filtered.feed(stream[at:at + size]) for at in range(0, len(stream), size))
            self.assertEqual(passed, greeting + ready + first + first)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # so that skipped tests are named

#!/usr/bin/python3
"""The clone programs of tools/guide with peers that behave as the Guide's, and with each other. The drills are
those of the protocols' table: a late client, a value that lives for a second, an active server that is killed
and restarts."""

import re
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from chp_clients import Client, number  # noqa: E402: behind the line above
from guide_case import STAMP  # noqa: E402
from guide_clone_server import GuideServer  # noqa: E402
from guide_model_servers import GuideModel  # noqa: E402
from interop_case import InteropCase, long_run  # noqa: E402
from zinc_programs import PATIENCE, Program, built, reserve_ports  # noqa: E402
import zmq  # noqa: E402

OURS, THEIRS = "ours", "the Guide's"
WIDTHS = {8: (), 4: ("--python",)}
SERVERS = [f"clonesrv{n}" for n in range(1, 7)]
CLIENTS = [f"clonecli{n}" for n in range(1, 7)]
# The Guide's programs print their actions by zclock_log or printf.
LOGGING = {"clonesrv5", "clonesrv6", "clonecli6"}
# The interval of the updates of Zinc's clients.
QUICK = ("--interval", 20)
# Heartbeat of a pair, in milliseconds.
HEARTBEAT = 500


class GuideProgram(Program):
    def __init__(self, test, called, *flags):
        super().__init__(test, [built(f"tools/guide/{called}"), *map(str, flags)])
        self.logs = called in LOGGING

    def read_line(self, patience=PATIENCE):
        """Without date and time, which are in front where the Guide's has them, and only there."""
        line = super().read_line(patience)
        text = re.sub(f"^{STAMP}", "", line)
        assert (text != line) == (self.logs and not text.startswith("Usage: ")), line
        return text

    def await_line(self, pattern):
        """The first that matches."""
        end = time.monotonic() + 2 * PATIENCE
        while not (found := re.fullmatch(pattern, line := self.read_line())):
            if time.monotonic() > end:
                raise AssertionError(f"no {pattern!r}; the last line is {line!r}")
        return found

    def await_all(self, *patterns):
        """In whatever order they come."""
        left = set(patterns)
        while left:
            line = self.read_line()
            left -= {one for one in left if re.fullmatch(one, line)}

    def interrupt(self):
        """Interrupts the program, and returns all its remaining output. Its exit code must be 0."""
        self.signal(signal.SIGINT)
        assert self.wait() == 0, self.process.returncode
        return (self._output + self.process.stdout.read()).decode().splitlines()


class CloneCase(InteropCase):
    def start(self, called, *flags):
        return GuideProgram(self, called, *flags)

    def reserve(self, count):
        return reserve_ports(self, count)

    def model(self, *arguments, **options):
        server = GuideModel(self.context, *arguments, **options)
        self.addCleanup(server.stop)
        self.addCleanup(lambda: self.assertFalse(server.aborted, "E: bad request, aborting"))
        return server

    def client(self, port, **options):
        options.setdefault("setter", zmq.PUSH)
        return Client(self, self.context, port, heartbeats=False, **options)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.005)  # there is no event to wait for: another thread does the work


class PublishingTest(CloneCase):
    """Models one and two."""

    def test_model_1_who_comes_late_has_what_comes_after(self):
        for width, flags in WIDTHS.items():
            with self.subTest(width):
                port = self.reserve(1)
                server = self.start("clonesrv1", "--bind", f"tcp://127.0.0.1:{port}", "--interval", 1,
                                    "--pause", 0, *flags)
                heard = []
                for _ in range(2):
                    subscriber = self.context.socket(zmq.SUB)
                    subscriber.subscribe(b"")
                    subscriber.connect(f"tcp://127.0.0.1:{port}")
                    for _ in range(20):
                        self.assertTrue(subscriber.poll(PATIENCE * 1000))
                        key, sequence, value = subscriber.recv_multipart()
                        self.assertEqual(len(sequence), width)
                        self.assertTrue(0 <= int(key) < 10_000 and 0 <= int(value) < 1_000_000)
                        heard.append(number(sequence))
                    subscriber.close(0)
                self.assertEqual(heard[:20], list(range(heard[0], heard[0] + 20)))
                self.assertEqual(heard[20:], list(range(heard[20], heard[20] + 20)))
                # No server can send earlier updates.
                self.assertGreater(heard[20], heard[19])
                *_, interrupted, count = server.interrupt()
                self.assertEqual(interrupted, " Interrupted")
                self.assertGreaterEqual(int(re.fullmatch(r"(\d+) messages out", count)[1]), heard[-1])

    def test_model_1_is_counted_by_our_client(self):
        for width, flags in WIDTHS.items():
            with self.subTest(width):
                publisher = self.context.socket(zmq.XPUB)
                port = publisher.bind_to_random_port("tcp://127.0.0.1")
                client = self.start("clonecli1", "--connect", f"tcp://127.0.0.1:{port}", *flags)
                self.assertTrue(publisher.poll(PATIENCE * 1000))
                self.assertEqual(publisher.recv(), b"\x01")
                sent = 0
                # The client prints its count only at its end.
                while client.running():
                    sent += 1
                    publisher.send_multipart([b"%d" % (sent % 10), sent.to_bytes(width, "big"), b"v"])
                    if sent == 200:
                        client.signal(signal.SIGINT)
                    publisher.poll(1)
                publisher.close(0)
                interrupted, count = client.interrupt()
                self.assertEqual(interrupted, " Interrupted")
                heard = int(re.fullmatch(r"(\d+) messages in", count)[1])
                self.assertTrue(1 <= heard <= sent, heard)

    def start_model_2(self, *flags):
        port = self.reserve(2)
        return port, self.start("clonesrv2", "--bind", f"tcp://127.0.0.1:{port}", "--bind-publisher",
                                f"tcp://127.0.0.1:{port + 1}", "--pause", 0, *flags)

    def test_model_2_who_comes_late_under_load_has_the_same_map(self):
        for width, flags in WIDTHS.items():
            with self.subTest(width):
                port, server = self.start_model_2("--interval", 1, *flags)
                late = self.client(port)
                late.next()
                _, end = late.synchronize(b"ICANHAZ?")
                self.assertEqual((len(end), len(end[1])), (3, width))
                server.await_line(rf"Sending state shapshot={late.sequence}")
                later = self.client(port)
                later.next()
                later.synchronize(b"ICANHAZ?")
                while late.sequence < later.sequence:
                    before = late.sequence
                    self.assertEqual(number(late.next()[1]), before + 1, "lost or doubled")
                self.assertEqual(late.map, later.map)
                self.assertTrue(late.map)
                self.assertEqual(server.interrupt()[-2], " Interrupted")

    def test_model_2_gives_its_map_to_our_client(self):
        for width, flags in WIDTHS.items():
            with self.subTest(width):
                theirs = self.model(2, width, entries={b"1": b"one", b"2": b"two"})
                client = self.start("clonecli2", "--connect", f"tcp://{theirs.address}", *flags)
                self.assertEqual(client.read_line(), "Received snapshot=2")
                self.assertEqual(client.stop(), 0)
                port, _ = self.start_model_2("--interval", 1, *flags)
                client = self.start("clonecli2", "--connect", f"tcp://127.0.0.1:{port}", *flags)
                client.await_line(r"Received snapshot=\d+")
                self.assertEqual(client.stop(), 0)

    def test_a_flood_is_followed(self):
        port, server = self.start_model_2()
        client = self.start("clonecli2", "--connect", f"tcp://127.0.0.1:{port}")
        client.await_line(r"Received snapshot=\d+")
        server.interrupt()


class ServingTest(CloneCase):
    """Models three to five."""

    def start_server(self, called, *flags):
        port = self.reserve(3)
        return port, self.start(called, "--bind", f"tcp://127.0.0.1:{port}", *flags)

    def test_models_3_and_4_take_updates(self):
        for called, subtree, ask in (("clonesrv3", b"", [b"ICANHAZ?"]),
                                     ("clonesrv4", b"/client/", [b"ICANHAZ?", b"/client/"])):
            for width, flags in WIDTHS.items():
                with self.subTest(called, width=width):
                    port, server = self.start_server(called, *flags)
                    one = self.client(port, subtree=subtree)
                    self.assertEqual(one.synchronize(*ask), ([], [b"KTHXBAI", bytes(width), subtree]))
                    self.assertEqual(server.read_line(), "I: sending shapshot=0")
                    one.join(lambda: one.set_simple(b"/client/join", b"x", bytes(width)))
                    one.set_simple(b"/elsewhere", b"y", bytes(width))
                    one.set_simple(b"/client/2", b"z", bytes(width))
                    heard = one.expect(b"/client/2")
                    self.assertEqual(heard, [b"/client/2", one.sequence.to_bytes(width, "big"), b"z"])
                    for n in range(1, one.sequence + 1):
                        self.assertEqual(server.read_line(), f"I: publishing update {n:5}")
                    later = self.client(port, subtree=subtree)
                    later.synchronize(*ask)
                    expected = {b"/client/join": b"x", b"/client/2": b"z"}
                    self.assertEqual(later.map, expected if subtree else {**expected, b"/elsewhere": b"y"})
                    self.assertEqual(server.read_line(), f"I: sending shapshot={one.sequence}")
                    self.assertEqual(server.interrupt(),
                                     [" Interrupted", f"{one.sequence} messages handled"])

    def check_client(self, called, server, *flags):
        """The client has the existing entries, and receives its own updates."""
        client = self.start(called, "--connect", f"tcp://{server.address}", *QUICK, *flags)
        self.assertEqual(client.read_line(), "I: received snapshot=3")
        for n in range(4, 9):
            self.assertEqual(client.read_line(), f"I: received update={n}")
        interrupted, count = client.interrupt()[-2:]
        self.assertEqual(interrupted, " Interrupted")
        self.assertRegex(count, r"^\d+ messages in$")
        self.assertGreaterEqual(len(server.sets), 5)

    ENTRIES = {b"/client/1": b"one", b"/client/2": b"two", b"/other": b"three"}

    def test_our_clients_set_and_hear(self):
        for model in (3, 4):
            for width, flags in WIDTHS.items():
                with self.subTest(model=model, width=width):
                    server = self.model(model, width, entries=self.ENTRIES)
                    self.check_client(f"clonecli{model}", server, *flags)
                    self.assertEqual({(len(one), len(one[1])) for one in server.sets}, {(3, width)})
                    if model == 4:
                        self.assertIn([b"ICANHAZ?", b"/client/"], server.asked)
                        self.assertTrue(all(one[0].startswith(b"/client/") for one in server.sets))

    def test_model_3_with_five_frames(self):  # clonesrv3_py3 and clonecli3_py3
        server = self.model(3, frames=5, entries=self.ENTRIES)
        self.check_client("clonecli3", server, "--kvmsg")
        self.assertEqual({(len(one), len(one[2])) for one in server.sets}, {(5, 16)})
        port, ours = self.start_server("clonesrv3", "--kvmsg")
        one = self.client(port)
        one.synchronize(b"ICANHAZ?")
        one.join(lambda: one.set(b"key", b"value"))
        self.assertEqual(ours.await_line("I: publishing update +(.*)")[1], "1")

    def test_model_5_sets_with_a_time_to_live(self):
        server = self.model(5, frames=5, entries=self.ENTRIES)
        self.check_client("clonecli5", server)
        times = {int(re.search(rb"ttl=(\d+)\n", one[3])[1]) for one in server.sets}
        self.assertTrue(all(0 <= ttl < 30 for ttl in times), times)

    def test_model_5_all_erase_what_lived_for_a_second(self):
        for whose in (OURS, THEIRS):
            with self.subTest(f"{whose} server"):
                if whose == OURS:
                    port, server = self.start_server("clonesrv5")
                else:
                    port = self.model(5, frames=5).port
                ours = self.start("clonecli5", "--connect", f"tcp://127.0.0.1:{port}", "--interval", 60_000)
                theirs = self.client(port, subtree=b"/client/")
                ours.await_line("I: received snapshot=0")
                theirs.synchronize()
                theirs.join(lambda: theirs.set(b"/client/joined", b"x"))
                theirs.set(b"/client/short", b"y", ttl=1)
                set_at = number(theirs.expect(b"/client/short")[1])
                erased = theirs.expect(b"/client/short")
                self.assertEqual(erased[-1], b"")
                erased_at = number(erased[1])
                for what in (f"update={set_at}", f"delete={erased_at}"):
                    ours.await_line(f"I: received {what}")
                if whose == OURS:
                    for what in (f"update={set_at}", f"delete={erased_at}"):
                        server.await_line(f"I: publishing {what}")
                    self.assertEqual(server.interrupt(), [])

    def test_a_client_that_joins_under_load_has_the_same_map(self):
        for model in (3, 4, 5):
            with self.subTest(model=model):
                port, server = self.start_server(f"clonesrv{model}")
                # The server prints more for each update than a pipe holds.
                server.discard_output()
                ask = [b"ICANHAZ?"] if model == 3 else [b"ICANHAZ?", b""]
                setting = [self.start(f"clonecli{model}", "--connect", f"tcp://127.0.0.1:{port}", "--interval", 2)
                           for _ in range(3)]
                for one in setting:
                    one.await_line(r"I: received update=\d+")
                    one.discard_output()
                late = self.client(port)
                late.next()
                late.synchronize(*ask)
                for _ in range(200):
                    before = late.sequence
                    self.assertEqual(number(late.next()[1]), before + 1, "lost or doubled")
                later = self.client(port)
                later.next()
                later.synchronize(*ask)
                while late.sequence < later.sequence:
                    late.next()
                while later.sequence < late.sequence:
                    later.next()
                self.assertEqual(late.map, later.map)
                for one in setting:
                    self.assertEqual(one.stop(), 0)


class PairTest(CloneCase):
    """Model six."""

    def setUp(self):
        super().setUp()
        self.running = {}

    def place(self):
        first = self.reserve(8)
        self.ports = {"primary": first, "backup": first + 4}

    def at(self, role, further=0):
        return f"tcp://127.0.0.1:{self.ports[role] + further}"

    def other(self, role):
        return "backup" if role == "primary" else "primary"

    def start_server(self, whose, role):
        other = self.other(role)
        if whose == OURS:
            self.running[role] = self.start(
                "clonesrv6", "-p" if role == "primary" else "-b", "--bind", self.at(role), "--peer", self.at(other),
                "--bind-state", self.at(role, 3), "--connect-state", self.at(other, 3), "--heartbeat", HEARTBEAT)
        else:
            self.running[role] = GuideServer(role, self.ports[role], self.ports[role] + 3, self.ports[other] + 3,
                                             self.ports[other])
            self.addCleanup(self.running[role].stop)
        return self.running[role]

    def kill(self, role):
        one = self.running[role]
        one.kill() if isinstance(one, GuideProgram) else one.stop()

    def start_client(self):
        return self.start("clonecli6", "--connect", self.at("primary"), self.at("backup"), *QUICK, "--heartbeat",
                          HEARTBEAT)

    def test_a_killed_active_is_replaced_under_load_and_comes_back_as_passive(self):
        pairs = [(OURS, OURS), (OURS, THEIRS), (THEIRS, OURS)]
        if long_run():
            # The default run does not test the failover of the Guide's servers.
            pairs.append((THEIRS, THEIRS))
        for first, second in pairs:
            with self.subTest(f"{first} primary, {second} backup"):
                self.place()
                primary = self.start_server(first, "primary")
                backup = self.start_server(second, "backup")
                if first == OURS:
                    self.assertEqual(primary.read_line(), "I: primary active, waiting for backup (passive)")
                    self.assertEqual(primary.read_line(), "I: connected to backup (passive), ready as active")
                if second == OURS:
                    self.assertEqual(backup.read_line(), "I: backup passive, waiting for primary (active)")
                    # The backup may receive the snapshot before the state of its peer.
                    backup.await_all(r"I: connected to primary \(active\), ready as passive",
                                     f"I: asking for snapshot from: {self.at('primary')}",
                                     r"I: received snapshot=\d+")
                client = self.start_client()
                self.assertEqual(client.read_line(), f"I: waiting for server at {self.at('primary')}...")
                client.await_line(rf"I: received from {self.at('primary')} snapshot=\d+")
                last = 0
                for _ in range(10):
                    reached = int(client.await_line(rf"I: received from {self.at('primary')} update=(\d+)")[1])
                    self.assertGreater(reached, last)
                    last = reached
                if first == OURS:
                    primary.await_line(rf"I: publishing update={last}")
                if second == OURS:
                    backup.await_line(rf"I: received update={last}")
                self.kill("primary")
                client.await_line(rf"I: server at {self.at('primary')} didn't give HUGZ")
                client.await_line(rf"I: waiting for server at {self.at('backup')}...")
                taken = int(client.await_line(rf"I: received from {self.at('backup')} snapshot=(\d+)")[1])
                self.assertGreaterEqual(taken, last, "it goes on upwards")
                if second == OURS:
                    backup.await_line("I: failover successful, ready as active")
                for _ in range(10):
                    reached = int(client.await_line(rf"I: received from {self.at('backup')} update=(\d+)")[1])
                    self.assertGreater(reached, taken)
                    taken = reached
                # The client does not notice.
                again = self.start_server(first, "primary")
                if first == OURS:
                    again.await_all(r"I: connected to backup \(active\), ready as passive",
                                    f"I: asking for snapshot from: {self.at('backup')}",
                                    r"I: received snapshot=\d+", r"I: received update=\d+")
                else:
                    self.until(lambda: again.has_snapshot and again.sequence > taken, "it has the map of the active server")
                for _ in range(10):
                    self.assertNotIn("didn't give HUGZ", client.read_line())
                self.assertEqual(client.stop(), 0)
                for role in ("primary", "backup"):
                    one = self.running[role]
                    if isinstance(one, GuideProgram):
                        self.assertEqual(one.stop(), 0)
                    self.kill(role)

    def test_updates_of_a_guide_client_survive_a_failover(self):
        self.place()
        primary = self.start_server(OURS, "primary")
        backup = self.start_server(OURS, "backup")
        primary.await_line(".*ready as active")
        backup.await_line(r"I: received snapshot=\d+")
        client = self.client(self.ports["primary"], setter=zmq.PUB, subtree=b"/client/", letter=False)
        client.synchronize()
        client.join(lambda: client.set(b"/client/join", b"x"))
        for n in range(50):
            client.set(b"/client/%d" % n, b"%d" % n)
        client.expect(b"/client/49")
        backup.await_line(rf"I: received update={client.sequence}")
        self.kill("primary")
        other = self.client(self.ports["backup"], setter=zmq.PUB, subtree=b"/client/", letter=False)
        end = time.monotonic() + PATIENCE
        # Each question is a vote.
        while True:
            other.ask()
            if other.requester.poll(HEARTBEAT):
                break
            self.assertLess(time.monotonic(), end, "the backup did not take over")
        self.assertEqual({one[0]: one[-1] for one in other.answer()[:-1]}, client.map)

    def test_a_missing_role_prints_the_usage(self):
        for flags in ((), ("-p", "-b")):
            program = self.start("clonesrv6", *flags)
            self.assertEqual(program.read_line(), "Usage: clonesrv6 { -p | -b }")
            self.assertEqual(program.wait(), 0)


class ProgramsTest(CloneCase):
    def test_each_says_how_it_is_used(self):
        for name in SERVERS + CLIENTS:
            done = subprocess.run([built(f"tools/guide/{name}"), "--help"], text=True, capture_output=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertIn("ENDPOINT", done.stdout)
            # The Guide's programs use these ports without flags.
            self.assertIn(":5556", done.stdout)

    def test_a_malformed_endpoint_is_rejected(self):
        for name in SERVERS + CLIENTS:
            flags = ["--connect" if name in CLIENTS else "--bind", "nowhere"]
            if name == "clonesrv6":
                flags.append("-p")
            self.assertEqual(self.start(name, *flags).wait(), 2, name)

    def test_clients_without_a_server_end_when_they_are_asked_to(self):
        for name in CLIENTS:
            for number_of in (signal.SIGINT, signal.SIGTERM):
                client = self.start(name, "--connect", f"tcp://127.0.0.1:{self.reserve(1)}")
                if name == "clonecli6":
                    client.await_line("I: server at .* didn't give HUGZ")
                else:
                    self.until(client.takes_signals, "it has begun")
                client.signal(number_of)
                self.assertEqual(client.wait(), 0, name)


if __name__ == "__main__":
    unittest.main()

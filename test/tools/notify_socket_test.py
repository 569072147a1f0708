#!/usr/bin/python3
"""Each server tells the service manager by NOTIFY_SOCKET when it serves and when it stops, as systemd's Type=notify
expects."""

import os
import signal
import socket
import subprocess
import tempfile
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30
ANY_PORT = "tcp://127.0.0.1:*"


class NotifySocketTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.settimeout(DEADLINE)
        self.name = os.path.join(self.folder, "notify")
        self.socket.bind(self.name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *words, **settings):
        process = subprocess.Popen([ZINC, *words], env=os.environ | {"NOTIFY_SOCKET": self.name} | settings,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def servers(self):
        broker = ("broker", "--bind", ANY_PORT)
        pair = ("--bind", f"ipc://{self.path('a')}", "--connect", f"ipc://{self.path('b')}")
        return {
            "broker": broker,
            "broker of two threads": (*broker, "--threads", "2"),
            "worker": ("worker", "--connect", "tcp://127.0.0.1:1", "--service", "upper"),
            "titanic": ("titanic", "--connect", "tcp://127.0.0.1:1", "--store", self.path("store")),
            "chp server": ("chp", "server", "--bind", ANY_PORT),
            "bstar": ("bstar", "--primary", *pair),
            "proxy": ("proxy", "--frontend", "router", ANY_PORT, "--backend", "dealer", ANY_PORT),
            "last values": ("proxy", "forwarder", "--last-value", "--frontend", ANY_PORT, "--backend",
                            ANY_PORT),
        }

    def expect_told(self, words, **settings):
        process = self.start(*words, **settings)
        self.assertEqual(self.socket.recv(64), b"READY=1")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.socket.recv(64), b"STOPPING=1")
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_each_server_says_when_it_serves_and_when_it_stops(self):
        for name, words in self.servers().items():
            with self.subTest(name):
                self.expect_told(words)

    def test_each_server_feeds_the_watchdog_and_still_ends(self):
        for name, words in self.servers().items():
            with self.subTest(name):
                process = self.start(*words, WATCHDOG_USEC="20000")
                self.assertEqual(self.socket.recv(64), b"READY=1")
                for _ in range(3):
                    self.assertEqual(self.socket.recv(64), b"WATCHDOG=1")
                process.send_signal(signal.SIGTERM)
                while (state := self.socket.recv(64)) != b"STOPPING=1":
                    self.assertEqual(state, b"WATCHDOG=1")
                self.assertEqual(process.wait(DEADLINE), 0)
                # The server may have fed the watchdog while it ended.
                self.socket.setblocking(False)
                with self.assertRaises(BlockingIOError):
                    while True:
                        self.assertEqual(self.socket.recv(64), b"WATCHDOG=1")
                self.socket.settimeout(DEADLINE)

    def test_a_reload_ends_no_server(self):
        for name, words in self.servers().items():
            with self.subTest(name):
                process = self.start(*words)
                self.assertEqual(self.socket.recv(64), b"READY=1")
                process.send_signal(signal.SIGHUP)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(self.socket.recv(64), b"STOPPING=1")
                self.assertEqual(process.wait(DEADLINE), 0)

    def test_an_abstract_name(self):
        self.socket.close()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.settimeout(DEADLINE)
        self.socket.bind("\0zinc-notify-socket-test-" + str(os.getpid()))
        self.name = "@" + self.socket.getsockname()[1:].decode()
        self.expect_told(self.servers()["broker"])

    def test_a_server_that_cannot_serve_says_nothing(self):
        damaged = self.path("damaged")
        with open(damaged, "w", encoding="ascii") as file:
            file.write("no store")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            endpoint = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            for words in (("broker", "--bind", endpoint), ("chp", "server", "--bind", endpoint),
                          ("proxy", "queue", "--frontend", endpoint, "--backend", ANY_PORT),
                          ("titanic", "--connect", "tcp://127.0.0.1:1", "--store", damaged)):
                with self.subTest(words[0]):
                    self.assertEqual(self.start(*words).wait(DEADLINE), 1)
                    self.expect_silence()

    def expect_silence(self):
        self.socket.setblocking(False)
        with self.assertRaises(BlockingIOError):
            self.socket.recv(64)
        self.socket.settimeout(DEADLINE)

    # A command that prints the settings of the service manager, for a worker or a node of a pair.
    PRINT_SETTINGS = 'echo "settings: $NOTIFY_SOCKET$WATCHDOG_USEC$WATCHDOG_PID"'

    def test_commands_of_a_worker_cannot_speak_to_the_manager(self):
        broker = self.start(*self.servers()["broker"], NOTIFY_SOCKET="")
        endpoint = broker.stdout.readline().split()[1]
        self.start("worker", "--connect", endpoint, "--service", "settings", "--exec", self.PRINT_SETTINGS,
                   WATCHDOG_USEC="600000000")
        self.assertEqual(self.socket.recv(64), b"READY=1")
        request = self.start("request", "--connect", endpoint, "--service", "settings", "--timeout", f"{DEADLINE}s", "")
        self.assertEqual(request.stdout.read().strip(), "settings:")

    def test_the_command_of_an_active_node_cannot_speak_to_the_manager(self):
        node = self.start("bstar", "--backup", "--promote-alone", "10ms", "--bind", f"ipc://{self.path('a')}",
                          "--connect", f"ipc://{self.path('b')}", "--", "sh", "-c", self.PRINT_SETTINGS,
                          WATCHDOG_USEC="600000000")
        self.assertEqual(self.socket.recv(64), b"READY=1")
        printed = next(line for line in node.stdout if line.startswith("settings:"))
        self.assertEqual(printed, "settings: \n")

    def test_a_manager_that_has_gone_does_not_matter(self):
        self.name = self.path("none")
        process = self.start(*self.servers()["broker"])
        self.assertTrue(process.stdout.readline().startswith("bound "))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""The rules of zinc broker and zinc chp server with pyzmq peers, which have no user id: peers that are allowed beside
peers that are refused, faults of the file, and SIGHUP."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from interop_case import InteropCase  # noqa: E402: behind the line above
from chp_clients import Client as MapClient, Timeout  # noqa: E402
from zinc_programs import LoggedBroker, PATIENCE, Server, zinc_path  # noqa: E402

ALLOWED = """
[services.anonymous]
offer = ["echo"]
call = ["echo"]
inspect = ["echo"]
[map.anonymous]
read = ["/a/*"]
write = ["/a/*"]
"""
OTHERS = ALLOWED.replace("echo", "other").replace("/a/", "/b/")


class RolesCase(InteropCase):
    def setUp(self):
        super().setUp()
        handle, self.rules = tempfile.mkstemp(suffix=".toml")
        os.close(handle)
        self.addCleanup(os.unlink, self.rules)
        self.write(ALLOWED)

    def write(self, text):
        with open(self.rules, "w", encoding="utf-8") as file:
            file.write(text)

    def eventually(self, done, what):
        end = time.monotonic() + PATIENCE
        while not done():
            self.assertLess(time.monotonic(), end, what)


class BrokerTest(RolesCase):
    def setUp(self):
        super().setUp()
        self.broker = LoggedBroker(self, "--rules", self.rules)
        self.endpoint = self.broker.endpoint

    def served(self, client, service=b"echo"):
        return client.request(b"mmi.service", service) == [b"200"]

    def test_refused_peers_do_not_disturb_the_others(self):
        for version in ("0.1", "0.2"):
            with self.subTest(version=version):
                self.echo_worker(self.endpoint, b"echo", version)
                client = self.client(self.endpoint, version)
                self.eventually(lambda: self.served(client), "the worker does not register")
                thief = self.worker(self.endpoint, b"other", version)
                thief.receive_disconnect()
                refused = self.client(self.endpoint, version)
                refused.send(b"other", b"x")
                refused.send(b"mmi.broker", b"x")
                # The replies to a stock client come in order, so the two before got none.
                self.assertEqual(refused.request(b"echo", b"y"), [b"y"])
                self.assertEqual(client.request(b"echo", b"z"), [b"z"])

    def test_each_refusal_is_logged_once(self):
        client = self.client(self.endpoint, "0.2")
        for _ in range(3):
            client.send(b"other", b"x")
            client.send(b"mmi.broker", b"x")
            self.worker(self.endpoint, b"other", "0.2").receive_disconnect()
        # The broker answers in order, so it has read all of them.
        self.assertEqual(client.request(b"mmi.service", b"echo"), [b"404"])
        refused = [line.split("refused by --rules: ")[1] for line in self.broker.stop_and_read().splitlines()
                   if "refused by --rules" in line]
        self.assertEqual(sorted(refused), [f"principal=anonymous right={right} name={name}" for right, name in (
            ("call", "other"), ("inspect", "mmi.broker"), ("offer", "other"))])

    def test_new_rules_apply_to_connected_peers(self):
        owner = self.worker(self.endpoint, b"echo", "0.2")
        client = self.client(self.endpoint, "0.2")
        self.eventually(lambda: self.served(client), "the worker does not register")
        # A file with a fault changes nothing.
        self.write("[services.anonymous]\ncalls = []\n")
        self.broker.signal(signal.SIGHUP)
        self.assertIn("line 2, services.anonymous.calls: ", self.broker.line_with("settings not reloaded: "))
        client.send(b"echo", b"x")
        request = owner.receive_request()
        owner.reply(request.address, *request.body)
        self.assertEqual(client.receive_reply(), (True, b"echo", [b"x"]))

        self.write(OTHERS)
        self.broker.signal(signal.SIGHUP)
        owner.receive_disconnect()
        self.worker(self.endpoint, b"other", "0.2")
        # The connection of the client is the same one.
        self.eventually(lambda: self.served(client, b"other"), "the worker does not register")

    def test_a_fault_ends_the_start(self):
        self.write("[services.anonymous]\ncall = [7]\n")
        for command in (("broker", "--bind", "tcp://127.0.0.1:*"),
                        ("chp", "server", "--bind", "tcp://127.0.0.1:*")):
            ended = subprocess.run([zinc_path(), *command, "--rules", self.rules], timeout=PATIENCE,
                                   stderr=subprocess.PIPE, check=False)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(b"line 2, services.anonymous.call: not a string", ended.stderr)


class MapTest(RolesCase):
    def test_clients_read_and_write_only_their_subtree(self):
        server = Server(self, [zinc_path(), "chp", "server", "--bind", "tcp://127.0.0.1:*", "--rules",
                               self.rules])
        client = MapClient(self, self.context, server.port)
        client.join(lambda: client.set(b"/a/first", b"1"))
        client.set(b"/b/refused", b"x")
        client.set(b"/a/last", b"x")
        client.expect(b"/a/last")
        late = MapClient(self, self.context, server.port)
        late.synchronize()
        self.assertEqual(set(late.map), {b"/a/first", b"/a/last"})

        self.write(OTHERS)
        server.process.send_signal(signal.SIGHUP)
        self.eventually(lambda: self.is_written(client, b"/b/now"), "the rules are not reloaded")

    def test_our_client_is_told_that_it_may_not_read(self):
        server = Server(self, [zinc_path(), "chp", "server", "--bind", "tcp://127.0.0.1:*", "--rules",
                               self.rules])
        for command in (("get", "/b/x"), ("dump",), ("dump", "/b/"), ("watch", "/b/")):
            with self.subTest(command=command):
                ended = self.run_client(server, *command)
                self.assertEqual(ended.returncode, 3)
                self.assertEqual(ended.stdout, b"")
                self.assertIn(b"may not read its whole subtree", ended.stderr)
        self.assertEqual(self.run_client(server, "set", "/a/x", "1").returncode, 0)
        self.assertEqual(self.run_client(server, "get", "/a/x").stdout, b"1\n")
        # A client that follows is told when the rules change.
        watch = subprocess.Popen(self.client_words(server, "watch", "/a/"), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        self.addCleanup(watch.kill)
        self.assertEqual(watch.stdout.readline(), b"/a/x 1\n")
        self.write(OTHERS)
        server.process.send_signal(signal.SIGHUP)
        _, told = watch.communicate(timeout=PATIENCE)
        self.assertIn(b"may not read its whole subtree", told)
        self.assertEqual(watch.returncode, 3)

    @staticmethod
    def client_words(server, action, *words):
        return [zinc_path(), "chp", action, *words, "--connect", server.endpoint]

    def run_client(self, server, *words):
        return subprocess.run(self.client_words(server, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=PATIENCE, check=False)

    @staticmethod
    def is_written(client, key):
        client.set(key, b"x")
        try:
            return client.next(0.2)[0] == key
        except Timeout:
            return False


if __name__ == "__main__":
    unittest.main()

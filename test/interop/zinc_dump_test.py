#!/usr/bin/python3
"""zinc dump between pyzmq sockets, and zinc bench with them at the other end."""

import json
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from shell_case import ShellCase  # noqa: E402
from zinc_programs import Program, zinc_path  # noqa: E402
import zmq  # noqa: E402
from zmq.auth.thread import ThreadAuthenticator  # noqa: E402


class Dump(ShellCase):
    def start_dump(self, endpoint):
        """A zinc dump, and its endpoint."""
        dump = Program(self, [zinc_path(), "dump", "--listen", "tcp://127.0.0.1:*", "--connect", endpoint, "--json"],
                       stderr=subprocess.PIPE)
        self.addCleanup(dump.process.stderr.close)
        return dump, dump.process.stderr.readline().decode().split()[1]

    def read_until(self, dump, found):
        records = []
        while not records or not found(records[-1]):
            records.append(json.loads(dump.read_line()))
        return records

    def test_shows_a_request_and_its_reply(self):
        rep, endpoint = self.bound(zmq.REP)
        dump, through = self.start_dump(endpoint)
        req = self.connected(zmq.REQ, through)
        req.send(b"question")
        self.assertEqual(rep.recv(), b"question")
        rep.send(b"answer")
        self.assertEqual(req.recv(), b"answer")
        records = self.read_until(dump, lambda r: r["record"] == "message" and r["from"] == "accepting")
        types = {r["from"]: r["fields"]["Socket-Type"] for r in records if r.get("name") == "READY"}
        self.assertEqual(types, {"connecting": "REQ", "accepting": "REP"})
        self.assertEqual(records[-1]["parts"], [{"size": 0}, {"size": 6, "start": "answer"}])

    def test_shows_subscriptions(self):
        pub, endpoint = self.bound(zmq.XPUB)
        dump, through = self.start_dump(endpoint)
        sub = self.connected(zmq.SUB, through)
        sub.subscribe(b"topic")
        self.assertEqual(pub.recv(), b"\1topic")
        pub.send(b"topic and more")
        self.assertEqual(sub.recv(), b"topic and more")
        records = self.read_until(dump, lambda r: r["record"] == "message" and r["from"] == "accepting")
        subscriptions = [r for r in records if r.get("name") == "SUBSCRIBE"]
        self.assertEqual([r["fields"] for r in subscriptions], [{"topic": "topic"}])

    def test_curve_passes_and_only_sizes_are_shown(self):
        public, secret = zmq.curve_keypair()
        rep, endpoint = self.bound(zmq.REP, curve_server=True, curve_secretkey=secret)
        dump, through = self.start_dump(endpoint)
        own_public, own_secret = zmq.curve_keypair()
        req = self.connected(zmq.REQ, through, curve_serverkey=public, curve_publickey=own_public,
                             curve_secretkey=own_secret)
        req.send(b"question")
        self.assertEqual(rep.recv(), b"question")
        rep.send(b"answer")
        self.assertEqual(req.recv(), b"answer")
        records = self.read_until(dump, lambda r: r.get("name") == "MESSAGE" and r["from"] == "accepting")
        names = [r["name"] for r in records if r["record"] == "command" and r["from"] == "connecting"]
        self.assertEqual(names[:2], ["HELLO", "INITIATE"])
        for record in records:
            if record["record"] == "command":
                self.assertEqual(list(record["fields"]), ["size"])

    def test_leaves_the_password_out(self):
        guard = ThreadAuthenticator(self.context)
        guard.start()
        self.addCleanup(guard.stop)
        guard.configure_plain(domain="*", passwords={"alice": "secret"})
        rep, endpoint = self.bound(zmq.REP, plain_server=True)
        dump, through = self.start_dump(endpoint)
        req = self.connected(zmq.REQ, through, plain_username=b"alice", plain_password=b"secret")
        req.send(b"question")
        self.assertEqual(rep.recv(), b"question")
        records = self.read_until(dump, lambda r: r["record"] == "message")
        hello = [r["fields"] for r in records if r.get("name") == "HELLO"]
        self.assertEqual(hello, [{"username": "alice", "password": "6 bytes, left out"}])
        self.assertNotIn("secret", json.dumps(records))


class Bench(ShellCase):
    def test_measures_a_router_and_a_rep_that_send_requests_back(self):
        for kind, asks in ((zmq.ROUTER, "dealer"), (zmq.REP, "dealer"), (zmq.ROUTER, "req"), (zmq.REP, "req")):
            with self.subTest((kind, asks)):
                echo, endpoint = self.bound(kind)
                count = 200

                def send_back():
                    for _ in range(count + 1):  # and the probe
                        echo.send_multipart(echo.recv_multipart())
                thread = threading.Thread(target=send_back)
                thread.start()
                done = subprocess.run([zinc_path(), "bench", asks, "--connect", endpoint, "--count", str(count),
                                       "--rate", "5000", "--json"], capture_output=True, timeout=PATIENCE, check=False)
                thread.join()
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                report = json.loads(done.stdout)
                self.assertEqual((report["messages"], report["lost"]), (count, 0))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""zinc status, services, workers and clients, with real servers."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from status_servers import (  # noqa: E402: behind the line above
    EVIL_BYTES, EVIL_PRINTED, broker, json_of, map_server, titanic, worker)
from zinc_program import DEADLINE, ZINC, run, started  # noqa: E402
from zmtp_bytes import frame, greeting, ready  # noqa: E402

MOST_OF_A_PAGE = 100  # services that one answer of mmi.services has


class Status(unittest.TestCase):
    def test_a_broker_tells_the_same_over_mmi_and_over_http(self):
        with broker() as (_, endpoint, url), worker(endpoint, "echo"), worker(endpoint, EVIL_BYTES):
            for address in (endpoint, url):
                with self.subTest(address):
                    status = json_of("status", "--connect", address)
                    self.assertEqual(status["component"], "broker")
                    self.assertIs(status["ready"], True)
                    self.assertEqual(status["groups"]["broker"][0]["workers"], 2)
                    self.assertEqual(status["groups"]["broker"][0]["requests"], 2)
                    services = json_of("services", "--connect", address)
                    self.assertEqual({one["service"]: one["requests"] for one in services},
                                     {"echo": 1, EVIL_PRINTED: 1})
                    workers = json_of("workers", "--connect", address)
                    # In the order of the broker's slots, of which a client may have left the first.
                    self.assertEqual(sorted((one["service"], one["capacity"], one["draining"]) for one in workers),
                                     [("echo", 1, False), (EVIL_PRINTED, 1, False)])
                    self.assertIs(type(workers[0]["last_received"]), int)
                    # HTTP knows no user, so it tells no names of users.
                    self.assertEqual("user" in workers[0], address == endpoint)
                    text = run("status", "--connect", address).stdout
                    self.assertRegex(text, r"\Abroker( [\w.-]+)?: ready\n\nBROKER\n")
                    self.assertRegex(text, r"(?m)^workers +2$")
                    self.assertRegex(text, r"(?m)^SERVICE +WORKERS +BUSY +WAITING +WORKING +BYTES +REQUESTS +REPLIES\b")
                    self.assertRegex(text, r"(?m)^echo +1 +0 +0 +0 +0B +1 +1\b")
                    self.assertIn(EVIL_PRINTED, text)
                    self.assertTrue(text.replace("\n", "").isprintable(), text)
                    self.assertRegex(run("services", "--connect", address).stdout, r"\ASERVICE +WORKERS .*\necho +1 ")
                    self.assertRegex(run("workers", "--connect", address).stdout,
                                     r"\AWORKER +SERVICE +WORKING +CAPACITY +DRAINING +LAST_RECEIVED\n(.*\n)?"
                                     r"\d+\.\d+ +echo +0 +1 +no +\d+s\n")

    def test_a_client_is_listed_with_its_requests(self):
        with broker() as (_, endpoint, url):
            with subprocess.Popen([ZINC, "request", "--connect", endpoint, "--service", "nobody", "--timeout", "1h",
                                   "x"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as waiting:
                try:
                    end = time.monotonic() + DEADLINE
                    while not (busy := [one for one in json_of("clients", "--connect", url) if one["requests"]]):
                        self.assertLess(time.monotonic(), end)
                    self.assertEqual((len(busy), busy[0]["requests"], busy[0]["paused"]), (1, 1, False))
                    over_mmi = json_of("clients", "--connect", endpoint)
                    self.assertIn(busy[0]["client"], [one["client"] for one in over_mmi if one["requests"] == 1])
                    self.assertRegex(run("clients", "--connect", url).stdout, r"\ACLIENT +REQUESTS +BYTES +PAUSED\n")
                finally:
                    waiting.kill()

    def test_all_pages_of_a_list_are_read(self):
        # The workers send no heartbeats.
        with broker("--heartbeat", "60s") as (_, endpoint, _), contextlib.ExitStack() as workers:
            port = int(endpoint.rsplit(":", 1)[1])
            names = [f"service{number:03}" for number in range(MOST_OF_A_PAGE + 1)]
            for name in names:
                one = workers.enter_context(socket.create_connection(("127.0.0.1", port), DEADLINE))
                one.sendall(greeting() + ready(b"DEALER") + frame(b"", 1) + frame(b"MDPW02", 1) + frame(b"\1", 1) +
                            frame(name.encode()))
            end = time.monotonic() + DEADLINE
            while [one["service"] for one in json_of("services", "--connect", endpoint)] != names:
                self.assertLess(time.monotonic(), end)

    def test_peers_are_not_metrics(self):
        with broker() as (_, endpoint, url), worker(endpoint, "echo"):
            host, port = url[len("http://"):].split(":")
            with socket.create_connection((host, int(port)), timeout=DEADLINE) as web:
                web.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                text = b"".join(iter(lambda: web.recv(65536), b""))
            self.assertIn(b"zinc_service_workers{", text)
            self.assertNotIn(b"zinc_worker", text)
            self.assertNotIn(b"zinc_client", text)

    def test_a_broker_without_services_has_empty_lists(self):
        with broker() as (_, endpoint, _):
            for name in ("services", "workers"):
                self.assertEqual(json_of(name, "--connect", endpoint), [])
                self.assertEqual(run(name, "--connect", endpoint).stdout, "")

    def test_a_map_server_has_a_status_and_no_lists(self):
        with map_server() as (_, url):
            self.assertRegex(run("status", "--connect", url).stdout, r"\Achp [\w.-]+: ready\n\nCHP\n")
            self.assertEqual(json_of("status", "--connect", url)["component"], "chp")
            for name in ("services", "workers", "clients"):
                result = run(name, "--connect", url)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn(f"'chp', which has no list of {name}", result.stderr)

    def test_titanic_is_read_through_its_broker_and_over_http(self):
        with broker() as (_, endpoint, _), titanic(endpoint) as url:
            request = subprocess.Popen([ZINC, "request", "--connect", endpoint, "--durable", "--service", "later",
                                        "--timeout", f"{DEADLINE}s", "x"], stderr=subprocess.PIPE, text=True)
            try:
                self.assertIn("stored as", request.stderr.readline())
                # The broker may learn of this service of Titanic after the others.
                end = time.monotonic() + DEADLINE
                while "titanic" not in json_of("status", "--connect", endpoint)["groups"]:
                    self.assertLess(time.monotonic(), end)
                for address in (endpoint, url):
                    with self.subTest(address):
                        groups = json_of("status", "--connect", address)["groups"]
                        self.assertEqual(groups["titanic"][0]["pending"], 1)
                        self.assertEqual(groups["titanic_service"],
                                         [{"service": "later", "pending": 1, "in_flight": 0}])
                self.assertEqual(run("services", "--connect", url).stdout,
                                 "SERVICE  PENDING  IN_FLIGHT\nlater          1          0\n")
            finally:
                request.kill()
                request.wait()
                request.stderr.close()

    def test_titanic_that_hangs_does_not_hide_its_broker(self):
        with broker() as (_, endpoint, _), started("worker", "--connect", endpoint, "--service", "titanic.status",
                                                   "--delay", "1h"):
            end = time.monotonic() + DEADLINE
            while run("request", "--connect", endpoint, "--service", "mmi.service", "--timeout", f"{DEADLINE}s",
                      "titanic.status").stdout != "200\n":
                self.assertLess(time.monotonic(), end)
            result = run("status", "--connect", endpoint)
            self.assertEqual(result.returncode, 0)
            self.assertIn("broker: ready\n\nBROKER\n", result.stdout)
            self.assertIn(f"zinc status: mmi.titanic of {endpoint}: ", result.stderr)

    def test_exit_codes_tell_what_went_wrong(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            silent_port = silent.getsockname()[1]
            for words, code, text in (
                (("--connect", "http://127.0.0.1:1"), 1, "cannot read http://127.0.0.1:1"),
                (("--connect", f"http://127.0.0.1:{silent_port}", "--timeout", "100ms"), 4, "no answer from"),
                (("--connect", f"tcp://127.0.0.1:{silent_port}", "--timeout", "100ms"), 1, "mmi.broker"),
                (("--connect", "http://"), 2, "http://HOST:PORT"),
                (("--connect", "http://a:b"), 2, "http://HOST:PORT"),
                (("--connect", "http://a:99999"), 2, "http://HOST:PORT"),
                (("--connect", "http://a/metrics"), 2, "http://HOST:PORT"),
            ):
                with self.subTest(words):
                    result = run("status", *words)
                    self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
                    self.assertIn(text, result.stderr)

    def test_rules_apply(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = os.path.join(folder, "rules.toml")
            with open(rules, "w", encoding="utf-8") as file:
                file.write('[services."*"]\noffer = ["*"]\ncall = ["*"]\ninspect = ["echo"]\n')
            with broker("--rules", rules) as (_, endpoint, _), worker(endpoint, "echo"), worker(endpoint, "other"):
                self.assertEqual([one["service"] for one in json_of("services", "--connect", endpoint)], ["echo"])
                self.assertEqual([one["service"] for one in json_of("workers", "--connect", endpoint)], ["echo"])
                for name in ("status", "clients"):
                    self.assertEqual(run(name, "--connect", endpoint).returncode, 3)

    def test_other_answers_are_refused_with_the_reason(self):
        def ok(body, size=None):
            return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (size or len(body), body)

        def other(status, body=b"why\nmore\n"):
            return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)

        for answer, code, text in (
            (ok(b"<html>"), 1, "does not answer as zinc"),
            (ok(b"[]"), 1, "not a status of zinc"),
            (ok(b'{"groups": {"a": 1}}'), 1, "not a status of zinc"),
            (ok(b"[]", 16 * 1024 * 1024 + 1), 1, "is larger than 16MiB"),
            (ok(b"[]", 100), 1, "cannot read"),
            (other(b"404 Not Found"), 1, " answers 404: why\n"),
            (other(b"500 Error", b"x" * 1000), 1, " answers 500: " + "x" * 200 + "\n"),
            (other(b"403 Forbidden"), 3, " answers 403: why\n"),
            (other(b"421 Misdirected Request"), 3, " answers 421: why\n"),
            (other(b"503 Service Unavailable"), 3, " answers 503: why\n"),
        ):
            with self.subTest(answer), socket.create_server(("127.0.0.1", 0)) as server:
                with subprocess.Popen([ZINC, "status", "--timeout", f"{DEADLINE}s", "--connect",
                                       f"http://127.0.0.1:{server.getsockname()[1]}"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asked:
                    with server.accept()[0] as connection:
                        connection.recv(65536)
                        connection.sendall(answer)
                    out, errors = asked.communicate(timeout=DEADLINE)
                self.assertEqual((asked.returncode, out), (code, ""), errors)
                self.assertIn(text, errors)


if __name__ == "__main__":
    unittest.main()

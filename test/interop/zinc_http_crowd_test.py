#!/usr/bin/python3
"""--http beside clients that are idle, broken or slow: its limits hold, and the component serves meanwhile."""

import resource
import select
import socket
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from http_case import ANY, HttpCase, Live  # noqa: E402: behind the line above
from zinc_programs import PATIENCE, start_worker, zinc_path  # noqa: E402

IDLE = 1_000
CONNECTIONS = 64  # the limit of the server
SLOW = 8
SERVICES = 1_000
BAD_REQUESTS = {
    b"garbage\r\n\r\n": b"400",
    b"\x00\xff\r\n\r\n": b"400",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n": b"400",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n": b"413",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + 9_000 * b"x" + b"\r\n\r\n": b"431",
    b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n": b"505",
}
BROKEN_FRAMES = (
    14 * b"\xff",  # reserved bits
    b"\x81\x05hello",  # without a mask
    b"\x82\xfe\x7f\xff\x01\x02\x03\x04",  # above the limit
    b"\x83\x80\x01\x02\x03\x04",  # an unknown opcode
)


def setUpModule():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class CrowdTest(HttpCase):
    def connect(self, web, receive_buffer=None):
        one = socket.socket()
        self.addCleanup(one.close)
        if receive_buffer:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        one.settimeout(PATIENCE)
        one.connect(("127.0.0.1", web.port))
        return one

    def read_to_end(self, one):
        data = b""
        while part := one.recv(65536):
            data += part
        one.close()
        return data

    def ask(self, web, data):
        """Returns all bytes until the server closes the connection, so that no figure counts it as open."""
        one = self.connect(web)
        one.sendall(data)
        return self.read_to_end(one)

    def figure(self, web, name):
        text = self.ask(web, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").decode()
        [value] = [line.split()[1] for line in text.splitlines() if line.split()[:1] == [name]]
        return float(value)

    def crowd(self, web, busy):
        """Connections that wait, beside `busy` ones that do not. The server evicts those that wait longest."""
        before = self.figure(web, "zinc_http_evicted_total")
        waiting = [self.connect(web) for _ in range(IDLE)]
        evicted = busy + IDLE + 1 - CONNECTIONS  # one reads the figure
        self.assertEqual(self.figure(web, "zinc_http_evicted_total") - before, evicted)
        for one in waiting[:evicted]:
            self.assertEqual(self.read_to_end(one), b"")
        self.assertEqual(self.figure(web, "zinc_http_refused_total"), 0)

    def break_protocols(self, web):
        before = self.figure(web, "zinc_http_bad_requests_total")
        for _ in range(10):
            for data, status in BAD_REQUESTS.items():
                self.assertEqual(self.ask(web, data).split()[1], status)
        after = self.figure(web, "zinc_http_bad_requests_total")
        self.assertEqual(after - before, 10 * len(BAD_REQUESTS))
        for _ in range(4):
            pages = [(Live(web.port), frame) for frame in BROKEN_FRAMES]
            for page, frame in pages:
                page.socket.sendall(frame)
            for page, _ in pages:
                with page:
                    while page.receive():
                        pass
        web.wait(lambda now: now["zinc_http_open_pages"] == 1)  # its own
        web.wait(lambda now: now["zinc_http_open_connections"] <= CONNECTIONS)

    def test_a_broker(self):
        broker, web = self.start_broker()
        start_worker(self, broker.endpoint, "echo", "0.2")
        # Long names make a response that no buffer of the system takes.
        client = self.client(broker.endpoint, "0.2")
        for i in range(SERVICES):
            client.send(b"%0200d" % i, b"body")
        web.wait(lambda now: now["zinc_broker_services"] == SERVICES + 1)
        slow = [self.connect(web, receive_buffer=4096) for _ in range(SLOW)]
        for one in slow:
            one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(select.select([one], [], [], PATIENCE)[0], "no response")
        self.crowd(web, SLOW)
        unfinished = [self.connect(web) for _ in range(3)]
        for one in unfinished:
            one.sendall(b"GET / HT")
        self.break_protocols(web)
        self.request(broker, "echo", "--count", "1000", "--in-flight", "10")
        for one in unfinished:
            self.assertTrue(self.read_to_end(one).startswith(b"HTTP/1.1 408 "))
        now = web.wait(lambda now: now["zinc_http_slow_readers_total"] == SLOW)
        self.assertEqual(now["zinc_broker_replies_total"], 1000)
        self.stop(broker)

    def test_a_map(self):
        server, web = self.serve("chp", "server", "--bind", ANY)
        self.crowd(web, 0)
        self.break_protocols(web)
        for key in ("/a", "/b"):
            done = subprocess.run([zinc_path(), "chp", "set", key, "x", "--connect", server.endpoint],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(web.metrics()["zinc_chp_keys"], 2)
        self.stop(server)


if __name__ == "__main__":
    unittest.main()

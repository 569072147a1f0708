#!/usr/bin/python3
"""zinc dump between two programs: what it passes on, and what it prints."""

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.dont_write_bytecode = True
from zmtp_bytes import frame, greeting, ready  # noqa: E402: behind the line above

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30
HALF_AND_KERNEL = 64 * 1024 * 1024  # more than the buffers of zinc and of the kernel on the way


def listening():
    one = socket.create_server(("127.0.0.1", 0))
    one.settimeout(DEADLINE)
    return one, f"tcp://127.0.0.1:{one.getsockname()[1]}"


def read_all(from_socket):
    pieces = []
    while piece := from_socket.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


class Dump:
    """A zinc dump that ends with the test."""

    def __init__(self, case, connect, *words):
        self.process = subprocess.Popen([ZINC, "dump", "--listen", "tcp://127.0.0.1:*", "--connect", connect, *words],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        case.addCleanup(self.end)
        bound, self.endpoint = self.process.stderr.readline().split()
        case.assertEqual(bound, "bound")

    def connection(self):
        host, port = self.endpoint.removeprefix("tcp://").split(":")
        one = socket.create_connection((host, int(port)), DEADLINE)
        one.settimeout(DEADLINE)
        return one

    def stop(self):
        """The exit code of the program and its lines."""
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=DEADLINE)
        return self.process.returncode, output.splitlines()

    def records(self):
        code, output = self.stop()
        assert code == 0, code
        return [json.loads(line) for line in output]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class RelayTest(unittest.TestCase):
    def test_passes_bytes_on_unchanged_and_ends_each_half_alone(self):
        server, endpoint = listening()
        with server:
            dump = Dump(self, endpoint)
            question, answer = os.urandom(300_000), os.urandom(300_000)
            with dump.connection() as client:
                accepted, _ = server.accept()
                with accepted:
                    accepted.settimeout(DEADLINE)
                    client.sendall(question)
                    client.shutdown(socket.SHUT_WR)
                    self.assertEqual(read_all(accepted), question)
                    accepted.sendall(answer)
                    accepted.shutdown(socket.SHUT_WR)
                    self.assertEqual(read_all(client), answer)
            code, lines = dump.stop()
        self.assertEqual(code, 0)
        self.assertRegex(lines[-1], r" 1 closed sent=300000 received=300000$")

    def test_passes_on_what_a_server_sent_before_it_refused_bytes(self):
        server, endpoint = listening()
        with server:
            dump = Dump(self, endpoint, "--json")
            with dump.connection() as client:
                accepted, _ = server.accept()
                with accepted:
                    accepted.settimeout(DEADLINE)
                    client.sendall(b"first")
                    self.assertEqual(accepted.recv(1), b"f")
                    # Now the kernel has everything before zinc goes on.
                    dump.process.send_signal(signal.SIGSTOP)
                    os.waitpid(dump.process.pid, os.WUNTRACED)
                    client.sendall(b"second")
                    answer = os.urandom(20_000)
                    accepted.sendall(answer)
                    self.wait_until_acknowledged(accepted)
                # The rest of "first" is unread, so the server has reset its connection.
                dump.process.send_signal(signal.SIGCONT)
                self.assertEqual(read_all(client), answer)
            closed = dump.records()[-1]
        self.assertEqual((closed["record"], closed["fields"]), ("closed", {"sent": 11, "received": len(answer)}))

    def wait_until_acknowledged(self, sender):
        end = time.monotonic() + DEADLINE
        while int.from_bytes(fcntl.ioctl(sender, termios.TIOCOUTQ, bytes(4)), sys.byteorder):
            self.assertLess(time.monotonic(), end)

    def test_serves_many_connections_and_goes_on_after_malformed_bytes(self):
        server, endpoint = listening()
        with server, contextlib.ExitStack() as sockets:
            dump = Dump(self, endpoint, "--json")
            for number in range(20):
                client = sockets.enter_context(dump.connection())
                accepted = sockets.enter_context(server.accept()[0])
                accepted.settimeout(DEADLINE)
                sent = b"GET / HTTP/1.1\r\n" if number % 2 else greeting() + ready(b"PUSH") + frame(b"hello")
                client.sendall(sent)
                client.shutdown(socket.SHUT_WR)
                self.assertEqual(read_all(accepted), sent)
            records = dump.records()
        for number in range(20):
            mine = [r for r in records if r["connection"] == number + 1]
            kinds = [r["record"] for r in mine]
            if number % 2:
                self.assertEqual(kinds, ["opened", "fault", "closed"])
                self.assertEqual(mine[1]["offset"], 0)
            else:
                self.assertEqual(kinds, ["opened", "greeting", "command", "message", "closed"])
                self.assertEqual(mine[3]["parts"], [{"size": 5, "start": "hello"}])

    def test_a_server_that_is_away_ends_the_connection_and_not_the_program(self):
        server, endpoint = listening()
        with server:
            port = server.getsockname()[1]
        dump = Dump(self, endpoint)
        for _ in range(2):
            with dump.connection() as client:
                self.assertEqual(client.recv(10), b"")
        with socket.create_server(("127.0.0.1", port)) as back, dump.connection():
            back.settimeout(DEADLINE)
            back.accept()[0].close()
        code, lines = dump.stop()
        self.assertEqual(code, 0)
        self.assertEqual(sum("closed cannot connect: Connection refused" in line for line in lines), 2)

    def test_a_slow_reader_slows_its_writer_down(self):
        server, endpoint = listening()
        with server:
            dump = Dump(self, endpoint)
            with dump.connection() as client:
                accepted, _ = server.accept()
                with accepted:
                    client.settimeout(1)
                    sent = 0
                    piece = bytes(1024 * 1024)
                    with self.assertRaises(TimeoutError):
                        while sent < HALF_AND_KERNEL:
                            sent += client.send(piece)
                    client.shutdown(socket.SHUT_WR)
                    accepted.settimeout(DEADLINE)
                    self.assertEqual(len(read_all(accepted)), sent)

    def test_a_full_disk_ends_the_program(self):
        server, endpoint = listening()
        with server, open("/dev/full", "wb") as full:
            process = subprocess.Popen([ZINC, "dump", "--listen", "tcp://127.0.0.1:*", "--connect", endpoint],
                                       stdout=full, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            try:
                port = int(process.stderr.readline().rsplit(":", 1)[1])
                with socket.create_connection(("127.0.0.1", port), DEADLINE):
                    errors = process.communicate(timeout=DEADLINE)[1]
                self.assertEqual(process.returncode, 1)
                self.assertIn("cannot write the output", errors)
            finally:
                process.kill()
                process.wait()

    def test_an_endpoint_in_use_is_named(self):
        server, endpoint = listening()
        with server:
            result = subprocess.run([ZINC, "dump", "--listen", endpoint, "--connect", endpoint], capture_output=True,
                                    text=True, timeout=DEADLINE, check=False)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn(endpoint, result.stderr)

    def test_warns_if_the_network_can_reach_it(self):
        server, endpoint = listening()
        with server:  # so that the port does not open
            result = subprocess.run([ZINC, "dump", "--listen", endpoint.replace("127.0.0.1", "*"), "--connect",
                                     endpoint], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^zinc: warning: tcp://\*:\d+ is open to the network, and so is " + endpoint)

    def test_endpoints_that_cannot_be_decoded_are_misuse(self):
        nothing = subprocess.run([ZINC, "dump"], capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(nothing.returncode, 2)
        for endpoint in ("ws://127.0.0.1:1/", "tls+tcp://127.0.0.1:1", "inproc://a", "nowhere"):
            with self.subTest(endpoint):
                result = subprocess.run([ZINC, "dump", "--listen", "tcp://127.0.0.1:*", "--connect", endpoint],
                                        capture_output=True, text=True, timeout=DEADLINE, check=False)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(endpoint, result.stderr)


class ProgramsTest(unittest.TestCase):
    def start(self, *words):
        process = subprocess.Popen([ZINC, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def end():
            process.kill()
            process.wait()
            process.stdout.close()
        self.addCleanup(end)
        return process

    def file(self, name, text):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as out:
            out.write(text)
        return path

    def test_shows_a_request_of_majordomo(self):
        endpoint = self.start("broker", "--bind", "tcp://127.0.0.1:*").stdout.readline().split()[1]
        dump = Dump(self, endpoint, "--json")
        self.start("worker", "--connect", dump.endpoint, "--service", "echo")
        answer = subprocess.run([ZINC, "request", "--connect", dump.endpoint, "--service", "echo", "hello",
                                 "--timeout", f"{DEADLINE}s"],
                                capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual((answer.returncode, answer.stdout), (0, "hello\n"))
        names = [r.get("name", "") for r in dump.records()]
        for name in ("Client 0.2 REQUEST", "Client 0.2 FINAL", "Worker 0.2 READY", "Worker 0.2 REQUEST",
                     "Worker 0.2 FINAL"):
            self.assertIn("MDP/" + name, names)

    def test_leaves_the_password_of_plain_out(self):
        password = "correct horse"
        users = self.file("users", "")
        subprocess.run([ZINC, "passwd", users, "alice"], input=password + "\n", text=True, check=True, timeout=DEADLINE,
                       stdout=subprocess.DEVNULL)
        endpoint = self.start("broker", "--bind", "tcp://127.0.0.1:*", "--plain-users",
                              users).stdout.readline().split()[1]
        dump = Dump(self, endpoint, "--bodies", "1000")
        self.start("worker", "--connect", endpoint, "--service", "echo", "--plain-user", "alice",
                   "--plain-password-file", self.file("password", password))
        answer = subprocess.run([ZINC, "request", "--connect", dump.endpoint, "--service", "echo", "hello",
                                 "--timeout", f"{DEADLINE}s", "--plain-user", "alice", "--plain-password-file",
                                 self.file("password", password)],
                                capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual((answer.returncode, answer.stdout), (0, "hello\n"))
        output = "\n".join(dump.stop()[1])
        self.assertIn('HELLO username="alice" password="13 bytes, left out"', output)
        self.assertIn("MDP/Client 0.2 FINAL", output)
        self.assertNotIn("horse", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)

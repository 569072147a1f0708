"""The common part of the tests of zinc cat and zinc proxy: the program, and pyzmq sockets beside it."""

import select
import subprocess

from guide_peers import PATIENCE
from interop_case import InteropCase
from zinc_programs import Program, zinc_path


class ShellCase(InteropCase):
    def socket(self, socket_type, **options):
        socket = self.context.socket(socket_type)
        self.addCleanup(socket.close, 0)
        socket.linger = -1
        socket.rcvtimeo = socket.sndtimeo = int(PATIENCE * 1000)
        for name, value in options.items():
            setattr(socket, name, value)
        return socket

    def bound(self, socket_type, **options):
        """A socket, and its endpoint."""
        socket = self.socket(socket_type, **options)
        return socket, f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}"

    def connected(self, socket_type, endpoint, **options):
        socket = self.socket(socket_type, **options)
        socket.connect(endpoint)
        return socket

    def start_cat(self, *words):
        process = Program(self, [zinc_path(), "cat", *words], stdin=subprocess.PIPE)
        self.addCleanup(process.process.stdin.close)
        return process

    def start_bound(self, socket_type, endpoint, *words):
        """A zinc cat that listens, and its endpoint."""
        cat = Program(self, [zinc_path(), "cat", socket_type, endpoint, "--bind", *words],
                      stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for pipe in (cat.process.stdin, cat.process.stderr):
            self.addCleanup(pipe.close)
        self.assertTrue(select.select([cat.process.stderr], [], [], PATIENCE)[0], "it is not bound in time")
        bound, at = cat.process.stderr.readline().decode().split()
        self.assertEqual(bound, "bound")
        return cat, at

    def run_cat(self, *words, stdin=""):
        """To its end: exit code, output, errors."""
        done = subprocess.run([zinc_path(), "cat", *words], input=stdin.encode(), capture_output=True,
                              timeout=PATIENCE, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

#!/usr/bin/python3
"""zinc passwd: its file, the terminal, and clients of pyzmq whose passwords a server checks with the file."""

import os
import pty
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from security_peers import ANY, Pyzmq  # noqa: E402: behind the line above
from zinc_programs import PATIENCE, Server, built, zinc_path  # noqa: E402
import zmq  # noqa: E402


class PasswdCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.users = f"{folder.name}/users"

    def run_passwd(self, *words, typed=b""):
        done = subprocess.run([zinc_path(), "passwd", *words], input=typed, capture_output=True, timeout=PATIENCE,
                              check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def set(self, user, password):
        self.assertEqual(self.run_passwd(self.users, user, typed=password + b"\n"), (0, "", ""))

    def lines(self):
        with open(self.users, encoding="ascii") as file:
            return file.read().splitlines()


class File(PasswdCase):
    def test_it_has_hashes_for_this_user_alone(self):
        self.set("alice", b"secret")
        self.set("bob", b"secret")
        self.assertEqual(stat.S_IMODE(os.stat(self.users).st_mode), 0o600)
        alice, bob = self.lines()
        self.assertRegex(alice, r"^alice:\$argon2id\$v=19\$m=65536,t=2,p=1\$")
        self.assertNotEqual(alice.partition(":")[2], bob.partition(":")[2])
        self.assertNotIn("secret", alice)

    def test_a_password_is_replaced_and_a_user_removed(self):
        self.set("alice", b"secret")
        before = self.lines()
        self.set("alice", b"better")
        self.assertEqual(len(self.lines()), 1)
        self.assertNotEqual(self.lines(), before)
        self.assertEqual(self.run_passwd(self.users, "alice", "--remove"), (0, "", ""))
        self.assertEqual(self.lines(), [])
        code, _, errors = self.run_passwd(self.users, "alice", "--remove")
        self.assertEqual((code, errors), (1, f"zinc passwd: {self.users} has no user alice; check the name\n"))

    def test_misuse_is_named(self):
        for words, typed, code, fault in (
                ((), b"", 2, "FILE"),
                ((self.users,), b"", 2, "USER"),
                ((self.users, "#a"), b"x\n", 2, "begins with #"),
                ((self.users, "alice"), b"", 1, "no password; type it"),
                ((self.users, "alice"), b"x" * 256 + b"\n", 1, "more than 255 bytes"),
                (("/nowhere/users", "alice"), b"x\n", 1, "No such file or directory; check the folder")):
            result = self.run_passwd(*words, typed=typed)
            self.assertEqual((result[0], result[1]), (code, ""), words)
            self.assertIn(fault, result[2])
        self.assertFalse(os.path.exists(self.users))


class Terminal(PasswdCase):
    def type(self, *lines):
        """Returns the exit code, and what the terminal has shown."""
        ours, theirs = pty.openpty()
        program = subprocess.Popen([zinc_path(), "passwd", self.users, "alice"], stdin=theirs, stderr=theirs)
        self.addCleanup(os.close, ours)
        os.close(theirs)
        shown = b""
        for prompt, line in zip((b"password: ", b"again: "), lines):
            while not shown.endswith(prompt):
                shown += os.read(ours, 1024)
            os.write(ours, line + b"\n")
        code = program.wait(PATIENCE)
        try:
            while more := os.read(ours, 1024):
                shown += more
        except OSError:
            pass  # the program has closed the terminal
        return code, shown

    def test_the_password_is_typed_twice_and_not_shown(self):
        code, shown = self.type(b"secret", b"secret")
        self.assertEqual((code, shown), (0, b"password: \r\nthe same again: \r\n"))
        self.assertEqual(len(self.lines()), 1)

    def test_two_different_passwords_change_nothing(self):
        code, shown = self.type(b"secret", b"secrte")
        self.assertEqual(code, 1)
        self.assertIn(b"the passwords differ; nothing was changed", shown)
        self.assertFalse(os.path.exists(self.users))


class Sockets(PasswdCase):
    def test_pyzmq_is_admitted_with_the_current_password(self):
        self.set("alice", b"secret")
        server = Server(self, [built("test/interop/security_host"), "mechanism=plain", "role=server", "at=bind",
                               f"endpoint={ANY}", f"users={self.users}"], subprocess.PIPE)
        self.addCleanup(server.process.stdin.close)
        self.check(server, b"secret", True)
        self.set("alice", b"better")
        self.check(server, b"secret", False)
        self.check(server, b"better", True)

    def check(self, server, password, admitted):
        client = Pyzmq()
        self.addCleanup(client.close)
        client.use(("plain client", b"alice", password))
        client.connect(server.endpoint)
        client.send(b"hello")
        self.assertEqual(server.read_line().split()[0], "attached" if admitted else "turned_away")
        self.assertEqual(client.receive(0 if admitted else zmq.DONTWAIT), b"hello" if admitted else None)


if __name__ == "__main__":
    unittest.main()

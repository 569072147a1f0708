#!/usr/bin/python3
"""Every mechanism, with right, wrong, missing, revoked, replayed and downgraded credentials, in both parts, of which
either binds, with libzmq, pyzmq and CZMQ at the other end. Counts wrong admissions and wrong refusals."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from recorder import Recorder  # noqa: E402: behind the line above
from security_peers import ANY, PEERS, Accounts  # noqa: E402
from zinc_programs import Server, built, zinc_path  # noqa: E402
import zmq  # noqa: E402
import zmq.auth  # noqa: E402

# Credential of the client, and whether a server with the mechanism admits it. `wrong server` is a wrong key of the
# server. PLAIN has nothing against a replay: the password is all that a client shows.
CASES = {
    "plain": {"right": True, "wrong": False, "unknown user": False, "missing": False, "revoked": False,
              "replayed": True, "downgraded to null": False},
    "curve": {"right": True, "wrong": False, "wrong server": False, "missing": False, "revoked": False,
              "replayed": False, "downgraded to null": False, "downgraded to plain": False},
    "null": {"right": True, "downgraded to plain": False},
}


class MatrixCase(unittest.TestCase):
    planted = ()  # words for our program

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = folder.name
        cls.keys = {}
        for name in ("server", "alice", "mallory", "other"):
            subprocess.run([zinc_path(), "keygen", cls.certificate(name)], check=True, capture_output=True)
            cls.keys[name] = zmq.auth.load_certificate(cls.certificate(name) + "_secret")
        subprocess.run([zinc_path(), "passwd", f"{cls.shared}/users", "alice"], input=b"secret\n", check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.clients = f"{folder.name}/clients"
        os.mkdir(self.clients)
        self.users = f"{folder.name}/users"
        shutil.copy(f"{self.shared}/users", self.users)

    @classmethod
    def certificate(cls, name):
        return f"{cls.shared}/{name}.cert"

    def admit_alice(self):
        shutil.copy(self.certificate("alice"), f"{self.clients}/alice.key")

    def host(self, mechanism, role, *words):
        made = Server(self, [built("test/interop/security_host"), f"mechanism={mechanism}", f"role={role}",
                             *words, *self.planted], subprocess.PIPE)
        self.addCleanup(made.process.stdin.close)
        return made

    def peer(self, kind):
        made = kind()
        self.addCleanup(made.close)
        return made

    def our_server(self, mechanism, at="bind", endpoint=ANY):
        self.admit_alice()
        words = {"null": [], "plain": [f"users={self.users}"],
                 "curve": [f"own={self.certificate('server')}_secret", f"clients={self.clients}"]}[mechanism]
        return self.host(mechanism, "server", f"at={at}", f"endpoint={endpoint}", *words)

    def their_client(self, mechanism, credential):
        """The security of a client with this credential."""
        if credential.startswith("downgraded to "):
            mechanism, credential = credential.rsplit(" ", 1)[1], "right"
        if mechanism == "null":
            return ("null client",)
        if mechanism == "plain":
            return ("plain client", *{"wrong": (b"alice", b"guess"), "unknown user": (b"carol", b"secret"),
                                      "missing": (b"alice",)}.get(credential, (b"alice", b"secret")))
        server = self.keys["other" if credential == "wrong server" else "server"][0]
        if credential == "missing":
            return ("curve client", server)
        return ("curve client", server, *self.keys["mallory" if credential == "wrong" else "alice"])

    def revoke(self):
        os.remove(f"{self.clients}/alice.key")
        subprocess.run([zinc_path(), "passwd", self.users, "alice", "--remove"], check=True)

    @staticmethod
    def was_attached(host):
        """Waits for the end of the handshake."""
        while (line := host.read_line()) == "echoed":
            pass  # a replayed answer may be reported first
        assert line.split()[0] in ("attached", "turned_away"), line
        return line.startswith("attached")

    def exchange_with_our_server(self, host, endpoint, kind, security):
        """Whether the client is admitted."""
        theirs = self.peer(kind)
        theirs.use(security)
        theirs.connect(endpoint)
        theirs.send(b"hello")
        attached = self.was_attached(host)
        answer = theirs.receive(0 if attached else zmq.DONTWAIT)
        self.assertEqual(answer, b"hello" if attached else None)
        return attached

    def is_admitted_by_us(self, mechanism, credential, kind):
        host = self.our_server(mechanism)
        if credential == "revoked":
            self.assertTrue(self.exchange_with_our_server(host, host.endpoint, kind,
                                                          self.their_client(mechanism, "right")))
            self.revoke()
        if credential != "replayed":
            return self.exchange_with_our_server(host, host.endpoint, kind, self.their_client(mechanism, credential))
        recorder = Recorder(self, host.endpoint)
        self.assertTrue(self.exchange_with_our_server(host, recorder.endpoint, kind,
                                                      self.their_client(mechanism, "right")))
        with socket.create_connection(("127.0.0.1", host.port)) as replay:
            replay.sendall(recorder.sent)
            return self.was_attached(host)

    def is_admitted_by_us_that_connect(self, mechanism, credential, kind):
        """The same, where the client binds."""
        theirs = self.peer(kind)
        theirs.use(self.their_client(mechanism, "right" if credential in ("revoked", "replayed") else credential))
        recorder = Recorder(self, theirs.bind())
        host = self.our_server(mechanism, "connect", recorder.endpoint)
        if credential in ("revoked", "replayed"):
            self.assertTrue(self.exchange_with_bound_client(host, theirs))
            self.revoke() if credential == "revoked" else None
            recorder.replay = bytes(recorder.received) if credential == "replayed" else b""
            recorder.cut()
            if credential == "replayed":
                return self.was_attached(host)
        return self.exchange_with_bound_client(host, theirs)

    def exchange_with_bound_client(self, host, theirs):
        attached = self.was_attached(host)
        if attached:
            theirs.send(b"hello")
        self.assertEqual(theirs.receive(0 if attached else zmq.DONTWAIT), b"hello" if attached else None)
        return attached

    def their_server(self, mechanism, credential, kind):
        """A server, which neither binds nor connects yet, and what it admits."""
        if credential.startswith("downgraded to "):
            mechanism = credential.rsplit(" ", 1)[1]
        self.admit_alice()
        accounts = Accounts({"alice": "secret", "bob": "other"}, self.clients,
                            {zmq.utils.z85.decode(self.keys["alice"][0])})
        theirs = self.peer(kind)
        if mechanism != "null":
            theirs.decide(accounts)
        theirs.use((f"{mechanism} server", *(self.keys["server"] if mechanism == "curve" else ())))
        return theirs, accounts

    def revoke_at(self, theirs, accounts):
        os.remove(f"{self.clients}/alice.key")
        del accounts.passwords["alice"]  # pyzmq takes no empty table
        accounts.keys.clear()
        theirs.decide(accounts) if theirs.name != "libzmq" else None

    def our_client(self, mechanism, credential, endpoint, at="connect"):
        words = []
        if mechanism == "plain":
            own = "right" if credential.startswith("downgraded to ") else credential
            _, user, *password = self.their_client("plain", own)
            words = [f"user={user.decode()}", f"password={b''.join(password).decode()}"]
        elif mechanism == "curve":
            # A client of ours cannot be without keys. It has keys that the server does not know.
            own = {"wrong": "mallory", "missing": "other"}.get(credential, "alice")
            server = "other" if credential == "wrong server" else "server"
            words = [f"own={self.certificate(own)}_secret", f"server={self.certificate(server)}"]
        return self.host(mechanism, "client", f"at={at}", f"endpoint={endpoint}", *words)

    def exchange_with_our_client(self, host, theirs):
        if not self.was_attached(host):
            self.assertIsNone(theirs.receive(zmq.DONTWAIT))
            return False
        theirs.send(theirs.receive())
        self.assertEqual(host.read_line(), "echoed")
        return True

    def is_admitted_by_them(self, mechanism, credential, kind):
        theirs, accounts = self.their_server(mechanism, credential, kind)
        endpoint = theirs.bind()
        if credential == "revoked":
            first = self.our_client(mechanism, "right", endpoint)
            self.assertTrue(self.exchange_with_our_client(first, theirs))
            first.kill()
            self.revoke_at(theirs, accounts)
        if credential == "replayed":
            recorder = Recorder(self, endpoint)
            first = self.our_client(mechanism, "right", recorder.endpoint)
            self.assertTrue(self.exchange_with_our_client(first, theirs))
            return self.is_admitted_by_replay(mechanism, bytes(recorder.received))
        return self.exchange_with_our_client(self.our_client(mechanism, credential, endpoint), theirs)

    def is_admitted_by_them_that_connect(self, mechanism, credential, kind):
        """The same, where the client binds."""
        ours = "right" if credential in ("revoked", "replayed") else credential
        host = self.our_client(mechanism, ours, ANY, "bind")
        recorder = Recorder(self, host.endpoint)
        theirs, accounts = self.their_server(mechanism, credential, kind)
        theirs.connect(recorder.endpoint)
        admitted = self.exchange_with_our_client(host, theirs)
        if credential == "revoked":
            self.assertTrue(admitted)
            self.revoke_at(theirs, accounts)
            recorder.cut()
            return self.exchange_with_our_client(host, theirs)
        if credential == "replayed":
            self.assertTrue(admitted)
            with socket.create_connection(("127.0.0.1", host.port)) as replay:
                replay.sendall(recorder.sent)
                return self.was_attached(host)
        return admitted

    def is_admitted_by_replay(self, mechanism, recorded):
        """Whether our client takes what was recorded for its server."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            host = self.our_client(mechanism, "right", f"tcp://127.0.0.1:{listener.getsockname()[1]}")
            connection, _ = listener.accept()
            with connection:
                connection.sendall(recorded)
                return self.was_attached(host)

    def count_wrong(self, table, admits):
        """Runs the table with all peers: wrong admissions, and wrong refusals."""
        wrong = {True: [], False: []}
        runs = 0
        for mechanism, credentials in table.items():
            for credential, expected in credentials.items():
                for kind in PEERS:
                    with self.subTest(mechanism=mechanism, credential=credential, peer=kind.name):
                        self.setUp()
                        admitted = admits(mechanism, credential, kind)
                        self.doCleanups()
                        runs += 1
                        if admitted != expected:
                            wrong[admitted].append((mechanism, credential, kind.name))
        return runs, wrong[True], wrong[False]


class Matrix(MatrixCase):
    def test_our_servers_admit_whom_they_should(self):
        self.assertEqual(self.count_wrong(CASES, self.is_admitted_by_us), (51, [], []))

    def test_our_clients_reach_whom_they_should(self):
        self.assertEqual(self.count_wrong(CASES, self.is_admitted_by_them), (51, [], []))

    def test_our_servers_that_connect_admit_whom_they_should(self):
        self.assertEqual(self.count_wrong(CASES, self.is_admitted_by_us_that_connect), (51, [], []))

    def test_our_clients_that_bind_reach_whom_they_should(self):
        self.assertEqual(self.count_wrong(CASES, self.is_admitted_by_them_that_connect), (51, [], []))


class Faults(MatrixCase):
    """The count notices each of these faults in our program."""

    def expect_wrong(self, table, roles, admissions, refusals=0):
        """All runs of the table are wrong, in each role."""
        for admits in roles:
            runs, wrongly_admitted, wrongly_refused = self.count_wrong(table, admits)
            self.assertEqual((runs, len(wrongly_admitted), len(wrongly_refused)),
                             (admissions + refusals, admissions, refusals))

    def test_a_server_without_refusals_is_noticed(self):
        self.planted = ("planted=admit",)
        # A client without keys is refused before the server asks its authenticator: the vouch proves no key.
        self.expect_wrong({"plain": {"wrong": False, "missing": False, "revoked": False, "unknown user": False},
                           "curve": {"wrong": False, "revoked": False}},
                          [self.is_admitted_by_us, self.is_admitted_by_us_that_connect], 18)

    def test_a_server_without_admissions_is_noticed(self):
        self.planted = ("planted=refuse",)
        self.expect_wrong({"plain": {"right": True}, "curve": {"right": True}, "null": {"right": True}},
                          [self.is_admitted_by_us, self.is_admitted_by_us_that_connect], 0, 9)

    def test_a_client_with_the_credentials_of_another_is_noticed(self):
        self.planted = ("user=alice", "password=secret", f"own={self.certificate('alice')}_secret")
        self.expect_wrong({"plain": {"wrong": False, "missing": False, "unknown user": False},
                           "curve": {"wrong": False, "missing": False}},
                          [self.is_admitted_by_them, self.is_admitted_by_them_that_connect], 15)

    def test_a_client_without_its_credentials_is_noticed(self):
        self.planted = ("password=", f"own={self.certificate('mallory')}_secret")
        self.expect_wrong({"plain": {"right": True}, "curve": {"right": True}},
                          [self.is_admitted_by_them, self.is_admitted_by_them_that_connect], 0, 6)

    def test_a_wrong_key_of_the_server_is_noticed(self):
        table = {"curve": {"wrong server": False}}
        self.planted = (f"own={self.certificate('other')}_secret",)
        self.expect_wrong(table, [self.is_admitted_by_us], 3)
        self.planted = (f"server={self.certificate('server')}",)
        self.expect_wrong(table, [self.is_admitted_by_them], 3)

    def test_a_program_without_its_mechanism_is_noticed(self):
        roles = [self.is_admitted_by_us, self.is_admitted_by_them]
        self.planted = ("mechanism=null", "planted=admit")
        self.expect_wrong({"plain": {"downgraded to null": False}, "curve": {"downgraded to null": False}}, roles, 6)
        self.planted = ("mechanism=plain", "planted=admit", "user=alice", "password=secret")
        self.expect_wrong({"curve": {"downgraded to plain": False}, "null": {"downgraded to plain": False}}, roles, 6)

    def test_a_wrong_expectation_is_noticed(self):
        # Only a fault inside a mechanism changes these results.
        self.expect_wrong({"plain": {"replayed": False}, "curve": {"replayed": True, "missing": True, "revoked": True}},
                          [self.is_admitted_by_us, self.is_admitted_by_them], 3, 9)


if __name__ == "__main__":
    unittest.main()

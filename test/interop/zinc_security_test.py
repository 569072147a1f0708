#!/usr/bin/python3
"""The options for security of all subcommands of zinc: who is served and who is not, with Zinc and pyzmq on the
other side, and the errors and warnings."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from shell_case import ShellCase  # noqa: E402
from zinc_programs import Broker, LoggedBroker, Program, Server, reserve_endpoint, reserve_ports, zinc_path  # noqa: E402
import zmq  # noqa: E402
import zmq.auth  # noqa: E402
import zmq.utils.monitor  # noqa: E402

# Time after which a client that is refused gives up. Nothing is awaited in it.
SHORT = "500ms"
LONG = f"{int(PATIENCE)}s"


class SecurityCase(ShellCase):
    """A server, two clients that it admits, and mallory. The server admits its own key too, for pairs."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = folder.name
        self.guests = f"{self.scratch}/guests"
        os.mkdir(self.guests)
        for name in ("server", "alice", "bob", "mallory"):
            self.run_to_the_end("keygen", self.path(name))
            if name != "mallory":
                shutil.copy(self.path(name), self.guests)

    def path(self, name):
        return f"{self.scratch}/{name}.cert"

    def secret(self, name):
        return self.path(name) + "_secret"

    def write(self, name, text, mode=0o600):
        path = f"{self.scratch}/{name}"
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def users(self, **passwords):
        file = f"{self.scratch}/users"
        for name, password in passwords.items():
            done = self.run_to_the_end("passwd", file, name, stdin=f"{password}\n")
            self.assertEqual(done[0], 0, done)
        return file

    def as_server(self):
        return ["--curve-secret-file", self.secret("server"), "--authorized-keys", self.guests]

    def as_client(self, name):
        return ["--curve-secret-file", self.secret(name), "--curve-server-key", self.path("server")]

    def curve_of(self, name):
        """The options of a socket of pyzmq."""
        public, secret = zmq.auth.load_certificate(self.secret(name))
        return {"curve_serverkey": zmq.auth.load_certificate(self.path("server"))[0],
                "curve_publickey": public, "curve_secretkey": secret}

    def run_to_the_end(self, *words, stdin=""):
        done = subprocess.run([zinc_path(), *words], input=stdin, capture_output=True, text=True,
                              timeout=2 * PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def start(self, *words):
        return Program(self, [zinc_path(), *words])

    def start_pair(self, *words):
        """Map servers: their endpoints for clients, and those of their states."""
        first = [f"tcp://127.0.0.1:{reserve_ports(self, 3)}" for _ in range(2)]
        state = [reserve_endpoint(self) for _ in range(2)]
        for own, role in ((0, "--primary"), (1, "--backup")):
            self.start("chp", "server", role, "--bind", first[own], "--peer", first[1 - own], "--bstar-bind",
                       state[own], "--bstar-connect", state[1 - own], *words)
        return first, state

    def expect_refused(self, kind, endpoint, name):
        """The server refuses this key, as pyzmq hears."""
        self.expect_event(zmq.EVENT_HANDSHAKE_FAILED_AUTH, kind, endpoint, **self.curve_of(name))

    def expect_event(self, event, kind, endpoint, **options):
        socket = self.socket(kind, **options)
        events = socket.get_monitor_socket()
        events.rcvtimeo = int(1000 * PATIENCE)
        socket.connect(endpoint)
        while zmq.utils.monitor.recv_monitor_message(events)["event"] != event:
            pass
        socket.disable_monitor()
        events.close(0)
        socket.close(0)


class Mdp(SecurityCase):
    def request(self, endpoint, name, *words, timeout=LONG):
        return self.run_to_the_end("request", "--connect", endpoint, "--service", "echo", "--timeout", timeout,
                                   *self.as_client(name), *words)

    def test_a_broker_serves_pyzmq_and_our_worker_and_client(self):
        broker = Broker(self, *self.as_server())
        self.expect_refused(zmq.DEALER, broker.endpoint, "mallory")
        self.start("worker", "--connect", broker.endpoint, "--service", "echo", *self.as_client("bob"))
        self.assertEqual(self.request(broker.endpoint, "alice", "hello"), (0, "hello\n", ""))
        code, output, _ = self.request(broker.endpoint, "mallory", "hello", timeout=SHORT)
        self.assertEqual((code, output), (1, ""))
        asking = self.connected(zmq.REQ, broker.endpoint, **self.curve_of("alice"))
        asking.send_multipart([b"MDPC01", b"echo", b"from pyzmq"])
        self.assertEqual(asking.recv_multipart(), [b"MDPC01", b"echo", b"from pyzmq"])

    def test_a_worker_of_pyzmq_serves_our_client(self):
        broker = Broker(self, *self.as_server())
        worker = self.connected(zmq.DEALER, broker.endpoint, **self.curve_of("bob"))
        worker.send_multipart([b"", b"MDPW01", b"\1", b"echo"])
        client = self.start("request", "--connect", broker.endpoint, "--service", "echo", "--timeout", LONG,
                            *self.as_client("alice"), "hello")
        request = worker.recv_multipart()
        while request[2] != b"\2":
            request = worker.recv_multipart()
        worker.send_multipart([b"", b"MDPW01", b"\3", *request[3:]])
        self.assertEqual(client.read_line(), "hello")
        self.assertEqual(client.wait(), 0)

    def test_titanic_stores_requests(self):
        broker = Broker(self, *self.as_server())
        titanic = self.start("titanic", "--connect", broker.endpoint, "--store", f"{self.scratch}/store",
                             *self.as_client("bob"))
        self.assertEqual(titanic.read_line(), "open 0 0")
        self.start("worker", "--connect", broker.endpoint, "--service", "echo", *self.as_client("bob"))
        code, output, errors = self.request(broker.endpoint, "alice", "--durable", "hello")
        self.assertEqual((code, output), (0, "hello\n"), errors)

    def test_the_folder_may_change_while_the_broker_runs(self):
        broker = Broker(self, *self.as_server())
        self.start("worker", "--connect", broker.endpoint, "--service", "echo", *self.as_client("bob"))
        self.assertEqual(self.request(broker.endpoint, "alice", "hello")[0], 0)
        admitted = f"{self.guests}/mallory"
        for change, code in ((lambda: shutil.copy(self.path("mallory"), admitted), 0), (lambda: os.unlink(admitted), 1)):
            change()
            while self.request(broker.endpoint, "mallory", "hello", timeout="2s")[0] != code:
                pass  # until the broker has read the folder again

    def test_keys_in_a_file_and_any_client(self):
        key = zmq.auth.load_certificate(self.path("alice"))[0].decode()
        file = self.write("keys", f"# clients\n\n{key} alice of sales\n", 0o644)
        broker = Broker(self, "--curve-secret-file", self.secret("server"), "--authorized-keys", file)
        self.connected(zmq.DEALER, broker.endpoint, **self.curve_of("alice"))
        self.expect_refused(zmq.DEALER, broker.endpoint, "bob")
        anyone = Broker(self, "--curve-secret-file", self.secret("server"), "--allow-any-client")
        self.start("worker", "--connect", anyone.endpoint, "--service", "echo", *self.as_client("bob"))
        self.assertEqual(self.request(anyone.endpoint, "mallory", "hello")[:2], (0, "hello\n"))

    def test_secrets_are_neither_arguments_nor_logged(self):
        keys = [zmq.auth.load_certificate(self.secret(name))[1].decode() for name in ("server", "mallory")]
        right, wrong = "a right password", "a wrong password"
        plain = {"plain_username": b"alice", "plain_password": wrong.encode()}
        as_alice = ["--plain-user", "alice", "--plain-password-file", self.write("password", wrong)]
        # With PLAIN libzmq does not expect an ERROR at this place.
        for server, client, refused, event, secrets in (
                (self.as_server(), self.as_client("mallory"), self.curve_of("mallory"),
                 zmq.EVENT_HANDSHAKE_FAILED_AUTH, keys),
                (["--plain-users", self.users(alice=right)], as_alice, plain,
                 zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, [right, wrong])):
            broker = LoggedBroker(self, *server)
            self.expect_event(event, zmq.DEALER, broker.endpoint, **refused)
            code, output, errors = self.run_to_the_end("request", "--connect", broker.endpoint, "--service", "echo",
                                                       "--timeout", SHORT, *client, "x")
            self.assertEqual((code, output), (1, ""), errors)
            self.assertIn("not sent", errors)
            words = Path(f"/proc/{broker.pid}/cmdline").read_text(encoding="utf-8")
            text = broker.stop_and_read() + errors
            self.assertIn("broker stopped", text)
            self.assertIn("connections closed", text)
            for secret in secrets:
                self.assertNotIn(secret, words)
                self.assertNotIn(secret, text)


class Maps(SecurityCase):
    def client(self, what, endpoint, name, *words):
        return self.run_to_the_end("chp", what, "--connect", endpoint, *self.as_client(name), *words)

    def test_a_server_alone(self):
        server = Server(self, [zinc_path(), "chp", "server", "--bind",
                               f"tcp://127.0.0.1:{reserve_ports(self, 3)}", *self.as_server()])
        for kind, port in ((zmq.DEALER, 0), (zmq.SUB, 1), (zmq.PUB, 2)):
            self.expect_refused(kind, f"tcp://127.0.0.1:{server.port + port}", "mallory")
        self.assertEqual(self.client("set", server.endpoint, "alice", "/lamp", "on")[0], 0)
        self.assertEqual(self.client("get", server.endpoint, "bob", "/lamp")[:2], (0, "on\n"))
        self.assertEqual(self.client("dump", server.endpoint, "bob")[:2], (0, "/lamp on\n"))
        watch = self.start("chp", "watch", "--connect", server.endpoint, *self.as_client("bob"))
        self.assertEqual(watch.read_line(), "/lamp on")
        self.assertEqual(self.client("get", server.endpoint, "mallory", "--timeout", SHORT, "/lamp")[0], 4)

    def test_a_pair(self):
        self.check_pair("--curve-server-key")

    def test_a_pair_that_pins_the_key_of_the_peer(self):
        self.check_pair("--peer-key")

    def check_pair(self, option):
        first, state = self.start_pair(*self.as_server(), option, self.path("server"))
        self.expect_refused(zmq.SUB, state[0], "mallory")
        code, _, errors = self.client("set", first[0], "alice", "--connect", first[1], "--require", "both",
                                      "/lamp", "on")
        self.assertEqual(code, 0, errors)


RULES = """
[services."alice.cert"]
call = ["echo", "titanic.*"]

[services."bob.cert"]
offer = ["echo"]

[services."mallory.cert"]
call = ["titanic.*"]

[services."titanic.cert"]
offer = ["titanic.*"]
inspect = ["*"]
represent = ["*"]

[map."alice.cert"]
read = ["/a/*"]
write = ["/a/*"]

[map."bob.cert"]
read = ["*"]
"""


class Roles(SecurityCase):
    """The principals are the names of the files of the certificates. All clients may connect."""

    def setUp(self):
        super().setUp()
        self.rules = self.write("roles.toml", RULES)
        self.run_to_the_end("keygen", self.path("titanic"))
        for name in ("mallory", "titanic"):
            shutil.copy(self.path(name), self.guests)

    def restricted_broker(self):
        broker = Broker(self, *self.as_server(), "--rules", self.rules)
        self.start("worker", "--connect", broker.endpoint, "--service", "echo", *self.as_client("bob"))
        return broker

    def ask(self, name, endpoint, *parts):
        """The reply to pyzmq."""
        asking = self.connected(zmq.REQ, endpoint, **self.curve_of(name))
        asking.send_multipart([b"MDPC01", *parts])
        return asking.recv_multipart()[2:]

    def test_a_broker_serves_only_the_principals_of_its_rules(self):
        broker = self.restricted_broker()
        self.assertEqual(self.ask("alice", broker.endpoint, b"echo", b"from pyzmq"), [b"from pyzmq"])
        refused = self.run_to_the_end("request", "--connect", broker.endpoint, "--service", "echo", "--timeout", LONG,
                                      *self.as_client("mallory"), "x")
        self.assertEqual(refused[:2], (3, ""), refused)
        self.assertIn("may not call the service", refused[2])
        stock = self.connected(zmq.REQ, broker.endpoint, **self.curve_of("mallory"))
        stock.send_multipart([b"MDPC01", b"echo", b"x"])
        self.assertEqual(self.ask("alice", broker.endpoint, b"echo", b"again"), [b"again"])
        self.assertEqual(stock.poll(0), 0)

    def test_titanic_keeps_the_requests_of_its_clients_apart(self):
        broker = self.restricted_broker()
        titanic = self.start("titanic", "--connect", broker.endpoint, "--store", f"{self.scratch}/store",
                             *self.as_client("titanic"))
        self.assertEqual(titanic.read_line(), "open 0 0")
        code, request = self.ask("alice", broker.endpoint, b"titanic.request", b"echo", b"secret")
        self.assertEqual(code, b"200")

        def outcome(name, of):
            while (answer := self.ask(name, broker.endpoint, b"titanic.reply", of))[0] == b"300":
                pass
            return answer

        self.assertEqual(outcome("alice", request), [b"200", b"secret"])
        self.assertEqual(outcome("mallory", request), [b"400"])
        self.assertEqual(self.ask("mallory", broker.endpoint, b"titanic.close", request), [b"200"])
        self.assertEqual(outcome("alice", request), [b"200", b"secret"])
        # Titanic may represent mallory, who may not call the service.
        _, other = self.ask("mallory", broker.endpoint, b"titanic.request", b"echo", b"x")
        self.assertEqual(outcome("mallory", other), [b"500"])

    def test_a_map_shows_each_principal_its_subtrees(self):
        server = Server(self, [zinc_path(), "chp", "server", "--bind", f"tcp://127.0.0.1:{reserve_ports(self, 3)}",
                               *self.as_server(), "--rules", self.rules])

        def run(what, name, *words):
            return self.run_to_the_end("chp", what, "--connect", server.endpoint, *self.as_client(name), *words)

        self.assertEqual(run("set", "bob", "/a/x", "1")[0], 3)
        self.assertEqual(run("set", "alice", "/a/x", "1")[0], 0)
        self.assertEqual(run("get", "bob", "/a/x")[:2], (0, "1\n"))
        self.assertEqual(run("get", "mallory", "--timeout", SHORT, "/a/x")[0], 3)

    def test_the_servers_of_a_pair_have_all_rights_at_each_other(self):
        rules = self.write("pair.toml", RULES + '[map."server.cert"]\nread = ["*"]\nwrite = ["*"]\n')
        first, _ = self.start_pair(*self.as_server(), "--peer-key", self.path("server"), "--rules", rules)
        for name, code in (("alice", 0), ("bob", 3)):
            done = self.run_to_the_end("chp", "set", "--connect", first[0], "--connect", first[1], "--require", "both",
                                       *self.as_client(name), "/a/x", "1")
            self.assertEqual(done[0], code, done)


class Others(SecurityCase):
    def test_bstar(self):
        at = [reserve_endpoint(self) for _ in range(2)]
        nodes = [self.start("bstar", role, "--bind", at[own], "--connect", at[1 - own], *self.as_server(),
                            "--curve-server-key", self.path("server"))
                 for own, role in ((0, "--primary"), (1, "--backup"))]
        self.expect_refused(zmq.SUB, at[0], "mallory")
        self.assertEqual([node.read_line().split()[0] for node in nodes], ["bound", "bound"])
        self.assertEqual([node.read_line().split()[0] for node in nodes], ["active", "passive"])

    def test_the_nodes_of_bstar_pin_the_key_of_their_peer(self):
        at = [reserve_endpoint(self) for _ in range(2)]
        keys = ("server", "bob")
        nodes = [self.start("bstar", role, "--bind", at[own], "--connect", at[1 - own], "--curve-secret-file",
                            self.secret(keys[own]), "--authorized-keys", self.guests, "--peer-key",
                            self.path(keys[1 - own]))
                 for own, role in ((0, "--primary"), (1, "--backup"))]
        self.assertEqual([node.read_line().split()[0] for node in nodes], ["bound", "bound"])
        self.assertEqual([node.read_line().split()[0] for node in nodes], ["active", "passive"])

    def test_cat(self):
        at = reserve_endpoint(self)
        self.start("cat", "rep", at, "--bind", "--echo", *self.as_server())
        self.expect_refused(zmq.REQ, at, "mallory")
        self.assertEqual(self.run_cat("req", at, "--timeout", LONG, *self.as_client("alice"), stdin="hello\n"),
                         (0, "hello\n", ""))

    def test_cat_with_plain(self):
        at = reserve_endpoint(self)
        right = ["--plain-user", "alice", "--plain-password-file", self.write("right", "secret\n")]
        wrong = ["--plain-user", "alice", "--plain-password-file", self.write("wrong", "sacred\n")]
        other = ["--plain-user", "bob", "--plain-password-file", f"{self.scratch}/right"]
        self.start("cat", "rep", at, "--bind", "--echo", "--plain-users", self.users(alice="secret"))
        self.assertEqual(self.run_cat("req", at, "--timeout", LONG, *right, stdin="hello\n")[:2], (0, "hello\n"))
        for words in (wrong, other, ()):
            self.assertEqual(self.run_cat("req", at, "--timeout", SHORT, *words, stdin="hello\n")[:2], (4, ""))
        asking = self.connected(zmq.REQ, at, plain_username=b"alice", plain_password=b"secret")
        asking.send(b"from pyzmq")
        self.assertEqual(asking.recv(), b"from pyzmq")

    def test_proxy(self):
        back = reserve_endpoint(self)
        self.start("cat", "rep", back, "--bind", "--echo", *self.as_server())
        proxy = Server(self, [zinc_path(), "proxy", "queue", "--frontend", "tcp://127.0.0.1:*", "--backend", back,
                              "--connect-backend", *self.as_server(), "--curve-server-key", self.path("server")])
        self.expect_refused(zmq.REQ, proxy.endpoint, "mallory")
        asking = self.connected(zmq.REQ, proxy.endpoint, **self.curve_of("alice"))
        asking.send(b"hello")
        self.assertEqual(asking.recv(), b"hello")


class Faults(SecurityCase):
    def test_misuse_names_the_option_the_fault_and_the_remedy(self):
        broker = ("broker", "--bind", "tcp://127.0.0.1:*")
        worker = ("worker", "--service", "echo")
        secret = ("--curve-secret-file", self.secret("alice"))
        server_key = ("--curve-server-key", self.path("server"))
        any_client = ("--allow-any-client",)
        node = ("bstar", "--primary", "--bind", "tcp://127.0.0.1:*", "--connect", "tcp://127.0.0.1:9")
        peer_key = ("--peer-key", self.path("bob"))
        empty = self.write("empty", "")
        bad = self.write("bad", "no key\n")
        for words, option, *texts in (
                ((*worker, *server_key), "--curve-server-key", "needs --curve-secret-file", "zinc keygen"),
                ((*worker, *secret), "--curve-secret-file", "needs --curve-server-key"),
                ((*broker, *secret), "--curve-secret-file", "needs --authorized-keys or --allow-any-client"),
                ((*broker, *secret, *any_client, *server_key), "--curve-server-key", "connect", "omit it"),
                ((*worker, *secret, *server_key, *any_client), "--allow-any-client", "bound", "omit it"),
                ((*broker, *any_client), "--allow-any-client", "needs --curve-secret-file"),
                ((*broker, *secret, *any_client, "--authorized-keys", self.guests), "--allow-any-client",
                 "contradicts --authorized-keys"),
                ((*worker, *secret, "--curve-server-key", "x" * 39), "--curve-server-key", "'xxx", "zinc keygen"),
                ((*worker, *server_key, "--curve-secret-file", "/nowhere"), "--curve-secret-file", "/nowhere"),
                ((*worker, *server_key, "--curve-secret-file", self.path("alice")), "--curve-secret-file",
                 "has no secret key", "_secret"),
                ((*broker, *secret, "--authorized-keys", "/nowhere"), "--authorized-keys", "cannot read /nowhere"),
                ((*broker, *secret, "--authorized-keys", empty), "--authorized-keys", "has no key", "add"),
                ((*broker, *secret, "--authorized-keys", bad), "--authorized-keys", f"{bad}:1: 'no'", "zinc keygen"),
                ((*node, *peer_key), "--peer-key", "needs --curve-secret-file", "zinc keygen"),
                ((*node, *secret, *any_client, *peer_key, *server_key), "--peer-key", "--curve-server-key",
                 "give one of them"),
                ((*node, *secret, *any_client, "--peer-key", "x" * 39), "--peer-key", "'xxx", "zinc keygen"),
                ((*node, *peer_key, "--plain-user", "alice"), "--plain-user", "one mechanism"),
                (("chp", "server", *secret, *any_client, *peer_key), "--peer-key", "needs --primary or --backup"),
                ((*worker, "--plain-user", "alice"), "--plain-user", "needs --plain-password-file"),
                ((*worker, "--plain-password-file", bad), "--plain-password-file", "needs --plain-user"),
                ((*worker, "--plain-user", "alice", "--plain-password-file", empty), "--plain-password-file",
                 "has no password", "write"),
                ((*worker, *secret, *server_key, "--plain-user", "alice"), "--plain-user", "one mechanism"),
                ((*broker, *secret, *any_client, "--plain-users", empty), "--plain-users", "one mechanism"),
                ((*broker, "--plain-user", "alice"), "--plain-user", "needs --plain-users", "zinc passwd"),
                ((*broker, "--plain-users", "/nowhere"), "--plain-users", "/nowhere"),
                ((*broker, "--plain-users", bad), "--plain-users", bad),
                ((*broker, "--plain-users", self.users(alice="x"), "--plain-user", "alice"), "--plain-user",
                 "none connects", "omit it"),
                ((*worker, "--plain-users", empty), "--plain-users", "none is bound", "omit it"),
                (("titanic", "--store", "x", "list", "--curve-server-key", "x" * 40), "--curve-server-key",
                 "omit it")):
            with self.subTest(words):
                code, output, errors = self.run_to_the_end(*words)
                self.assertEqual((code, output), (2, ""), errors)
                self.assertEqual(errors.count("\n"), 1, errors)
                self.assertTrue(errors.startswith(f"zinc {words[0]}"), errors)
                for text in (option + ": ", *texts):
                    self.assertIn(text, errors)

    def warnings(self, *words):
        """The warnings of `zinc cat`, which ends after 10 ms."""
        errors = self.run_cat("pull", *words, "--timeout", "10ms")[2]
        return [line for line in errors.splitlines() if "warning" in line]

    def test_a_secret_that_others_may_read_is_warned_of(self):
        at = ("tcp://127.0.0.1:*", "--bind")
        self.assertEqual(self.warnings(*at, *self.as_server()), [])
        os.chmod(self.secret("server"), 0o640)
        password = self.write("password", "x\n", 0o644)
        for words, file in (((*at, *self.as_server()), self.secret("server")),
                            (("tcp://127.0.0.1:9", "--plain-user", "alice", "--plain-password-file", password),
                             password)):
            warning, = self.warnings(*words)
            self.assertIn(file, warning)
            self.assertIn("chmod 600", warning)

    def test_a_server_that_is_open_to_the_network_is_warned_of(self):
        plain = ["--plain-users", self.users(alice="secret")]
        for words, text in (((), "without authentication"), (plain, "clear text")):
            warning, = self.warnings("tcp://*:*", "--bind", *words)
            self.assertIn("tcp://*:* is open to the network", warning)
            self.assertIn(text, warning)
            for at in ("tcp://127.0.0.1:*", "tcp://[::1]:*", "tcp://localhost:*", f"ipc://{self.scratch}/pull"):
                self.assertEqual(self.warnings(at, "--bind", *words), [])
        self.assertEqual(self.warnings("tcp://*:*", "--bind", *self.as_server()), [])


if __name__ == "__main__":
    unittest.main()

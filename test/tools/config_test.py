#!/usr/bin/python3
"""--config, --check-config and SIGHUP of every subcommand that serves."""

import os
import re
import signal
import subprocess
import tempfile
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 60

# Each subcommand that serves, with the lines of a complete file, the first word that it prints, and a line that needs a
# restart. A worker prints nothing and logs its start.
SERVERS = {
    ("broker",): (["bind = tcp://127.0.0.1:*", "service = echo:attempts=2"], "bound", "heartbeat = 777ms"),
    ("worker",): (["connect = tcp://127.0.0.1:9", "service = echo"], None, "heartbeat = 777ms"),
    ("titanic",): (["connect = tcp://127.0.0.1:9", "store = {folder}/store"], "open", "heartbeat = 777ms"),
    ("bstar",): (["primary = true", "bind = tcp://127.0.0.1:*", "connect = tcp://127.0.0.1:9"], "bound",
                 "heartbeat = 777ms"),
    ("proxy",): (["frontend = pull tcp://127.0.0.1:*", "backend = push tcp://127.0.0.1:* ipc://{folder}/push"],
                 "bound", "control = tcp://127.0.0.1:*"),
    ("chp", "server"): (["bind = tcp://127.0.0.1:*"], "bound", "heartbeat = 777ms"),
}


class ConfigCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "zinc.conf")

    def write(self, *lines):
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)

    def run_zinc(self, *words):
        return subprocess.run([ZINC, *words], capture_output=True, text=True, timeout=DEADLINE, check=False,
                              stdin=subprocess.DEVNULL)

    def start(self, *words):
        process = subprocess.Popen([ZINC, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def line_with(self, process, text):
        for line in process.stderr:
            if text in line:
                return line
        self.fail(f"the log has no '{text}'")

    def hang_up(self, process, text):
        process.send_signal(signal.SIGHUP)
        return self.line_with(process, text)


class EveryServer(ConfigCase):
    def for_each_server(self):
        for words, (lines, ready, frozen) in SERVERS.items():
            with self.subTest(words):
                lines = [line.format(folder=self.folder) for line in lines]
                self.write("# all of it", "", *lines)
                yield words, lines, ready, frozen

    def test_runs_with_a_file_alone(self):
        for words, lines, ready, frozen in self.for_each_server():
            process = self.start(*words, "--config", self.path)
            if ready:
                self.assertEqual(process.stdout.readline().split()[0], ready, process.poll())
            else:
                self.line_with(process, "started: ")
            # An option that it cannot change now.
            self.write(*lines, frozen)
            name = frozen.split()[0]
            self.hang_up(process, f"setting not reloaded: {name} changes at the next start")
            # A broken file.
            self.write(*lines, "", "nonsense = 1")
            line = self.hang_up(process, "settings not reloaded: ")
            self.assertIn(f"{self.path}:{len(lines) + 2}: nonsense: unknown name", line)
            # A file with two faults has one line in the log for each.
            self.write(*lines, "nonsense = 1", "more = 2")
            self.hang_up(process, "settings not reloaded: ")
            self.assertIn(f" settings not reloaded: {self.path}:{len(lines) + 2}: more: unknown name",
                          process.stderr.readline())
            # A file that is just being written.
            self.write()
            self.hang_up(process, "settings not reloaded: ")
            # The log.
            self.write(*lines, "log-level = warning", "log-format = json", "color = never")
            self.assertIn("setting not reloaded: color changes at the next start", self.hang_up(process, "setting"))
            self.line_with(process, "setting not reloaded: log-format changes at the next start")
            # The first file again.
            self.write(*lines)
            self.hang_up(process, "settings reloaded: changed=log-level")
            self.hang_up(process, "settings reloaded: changed=none")
            self.assertIsNone(process.poll())
            process.kill()
            process.wait()

    def test_a_valid_file_is_ok_and_nothing_is_opened(self):
        for words, _, _, _ in self.for_each_server():
            result = self.run_zinc(*words, "--config", self.path, "--check-config")
            self.assertEqual((result.returncode, result.stdout), (0, f"{self.path}: ok\n"), result.stderr)
            self.assertEqual(os.listdir(self.folder), ["zinc.conf"])

    def test_all_faults_of_a_file_are_told(self):
        for words, lines, _, _ in self.for_each_server():
            at = len(lines)
            self.write(*lines, "http = nowhere", "tls-kee = /a")
            for more in ((), ("--check-config",)):
                result = self.run_zinc(*words, "--config", self.path, *more)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                expected = [f"{self.path}:{at + 1}: http: ",
                            f"{self.path}:{at + 2}: tls-kee: unknown name; did you mean 'tls-key'?"]
                for line, start in zip(result.stderr.splitlines(), expected, strict=True):
                    self.assertTrue(line.startswith(start), line)

    def test_the_command_line_and_the_file_are_checked_together(self):
        for words, lines, _, _ in self.for_each_server():
            self.write(*lines, "tls-key = /nowhere/key")
            result = self.run_zinc(*words, "--config", self.path, "--check-config")
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{self.path}:{len(lines) + 1}: --tls-key: needs --tls-certificate", result.stderr)

    def test_types_that_do_not_fit_are_a_fault_of_the_check(self):
        self.write("frontend = pull tcp://127.0.0.1:*", "backend = pull tcp://127.0.0.1:*")
        result = self.run_zinc("proxy", "--config", self.path, "--check-config")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no message can pass between these types", result.stderr)

    def test_a_task_of_titanic_takes_the_file_of_the_service(self):
        secret = os.path.join(self.folder, "own.cert")
        self.assertEqual(self.run_zinc("keygen", secret).returncode, 0)
        lines = ["connect = tcp://127.0.0.1:9", f"store = {self.folder}/store", f"curve-server-key = {secret}",
                 f"curve-secret-file = {secret}_secret"]
        self.write(*lines)
        titanic = self.start("titanic", "--config", self.path)
        self.assertEqual(titanic.stdout.readline(), "open 0 0\n")
        titanic.terminate()
        self.assertEqual(titanic.wait(DEADLINE), 0)
        result = self.run_zinc("titanic", "list", "--config", self.path)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        # A service must not copy its store at each start.
        for once in ("salvage = true", f"import = {self.folder}"):
            self.write(*lines, once)
            result = self.run_zinc("titanic", "--config", self.path)
            self.assertEqual(result.returncode, 2)
            self.assertIn("is done once; give it on the command line", result.stderr)

    def test_every_option_of_the_help_may_be_in_a_file(self):
        for words, _, _, _ in self.for_each_server():
            text = self.run_zinc(*words, "--help").stdout.partition("EXAMPLES\n")[0]
            names = set(re.findall(r"^  (?:-h, )?--([\w-]+)", text, re.M)) - {"help", "config", "check-config"}
            self.write(*(f"{name} =" for name in sorted(names)))
            result = self.run_zinc(*words, "--config", self.path)
            self.assertEqual(len(result.stderr.splitlines()), len(names), result.stderr)
            # Each has another fault than its name.
            self.write(*(f"{name} = x" for name in sorted(names)))
            result = self.run_zinc(*words, "--config", self.path)
            self.assertNotIn("unknown name", result.stderr)


class Files(ConfigCase):
    def test_files_that_cannot_be_read(self):
        for path, said in ((self.folder, "Is a directory"), (os.path.join(self.folder, "none"), "No such file"),
                           ("/dev/zero", "is a device or a pipe")):
            for more in ((), ("--check-config",)):
                result = self.run_zinc("broker", "--config", path, *more)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn("--config: ", result.stderr)
                self.assertIn(path, result.stderr)
                self.assertIn(said, result.stderr)

    def test_an_unreadable_file(self):
        self.write("threads = 1")
        os.chmod(self.path, 0)
        if os.access(self.path, os.R_OK):
            self.skipTest("this user may read every file")
        result = self.run_zinc("broker", "--config", self.path)
        self.assertEqual(result.returncode, 2)
        self.assertIn("Permission denied", result.stderr)

    def test_control_characters_and_long_lines(self):
        with open(self.path, "wb") as file:
            file.write(b"\xef\xbb\xbfthreads = 1\r\n\x00\r\nheartbeat = \x1b[2J\r\n" + b"x" * 100000)
        result = self.run_zinc("broker", "--config", self.path)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.splitlines(), [
            f"{self.path}:2: the line has the control character \\x00; remove it",
            f"{self.path}:3: the line has the control character \\x1b; remove it",
            f"{self.path}:4: the line has 100000 bytes; give at most 4096"])

    def test_a_check_needs_a_file(self):
        result = self.run_zinc("broker", "--check-config")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--config", result.stderr)


class Rules(ConfigCase):
    """Of a server, at SIGHUP."""

    REFUSED = 3
    NO_SUCH_KEY = 1

    def setUp(self):
        super().setUp()
        self.rules = os.path.join(self.folder, "rules.toml")
        self.write_rules("[services.nobody]\ncall = ['x']\n[map.nobody]\nread = ['/b/*']\n")

    def write_rules(self, text):
        with open(self.rules, "w", encoding="utf-8") as file:
            file.write(text)

    def serve(self, words, *lines):
        self.write("bind = tcp://127.0.0.1:*", *lines)
        server = self.start(*words, "--config", self.path)
        return server, server.stdout.readline().split()[1]

    def ask_map(self, endpoint):
        return self.run_zinc("chp", "get", "/a", "--connect", endpoint).returncode

    def ask_broker(self, endpoint):
        return self.run_zinc("request", "--connect", endpoint, "--service", "mmi.broker", "--timeout",
                             f"{DEADLINE}s", "").returncode

    # Each server with a question, and the answer if everything is allowed.
    def servers(self):
        for words, ask, allowed in ((("broker",), self.ask_broker, 0),
                                    (("chp", "server"), self.ask_map, self.NO_SUCH_KEY)):
            with self.subTest(words):
                yield words, ask, allowed

    def test_come_at_the_next_start(self):
        for words, ask, allowed in self.servers():
            server, endpoint = self.serve(words)
            self.write("bind = tcp://127.0.0.1:*", f"rules = {self.rules}")
            for _ in range(2):  # the first SIGHUP did not count them as applied
                self.assertIn("changed=none", self.hang_up(server, "settings reloaded: "))
                self.line_with(server, "setting not reloaded: rules changes at the next start")
            self.assertEqual(ask(endpoint), allowed)

    def test_go_at_the_next_start(self):
        for words, ask, _ in self.servers():
            server, endpoint = self.serve(words, f"rules = {self.rules}")
            self.assertEqual(ask(endpoint), self.REFUSED)
            self.write("bind = tcp://127.0.0.1:*")
            self.hang_up(server, "setting not reloaded: rules changes at the next start")
            self.assertEqual(ask(endpoint), self.REFUSED)

    def test_change_in_their_file_and_by_another_file(self):
        everything = "[services.anonymous]\ninspect = ['*']\n[map.anonymous]\nread = ['*']\n"
        other = self.rules + ".2"
        with open(self.rules, encoding="utf-8") as file:
            nothing = file.read()
        for words, ask, allowed in self.servers():
            self.write_rules(nothing)
            server, endpoint = self.serve(words, f"rules = {self.rules}")
            self.assertEqual(ask(endpoint), self.REFUSED)
            self.write_rules(everything)
            self.hang_up(server, f"settings reloaded: changed=none rules={self.rules}")
            self.assertEqual(ask(endpoint), allowed)
            with open(other, "w", encoding="utf-8") as file:
                file.write(nothing)
            self.write("bind = tcp://127.0.0.1:*", f"rules = {other}")
            self.hang_up(server, "settings reloaded: changed=rules")
            self.assertEqual(ask(endpoint), self.REFUSED)


class Reload(ConfigCase):
    """While the requests of a client go on."""

    def serve(self, *words):
        self.write("bind = tcp://127.0.0.1:*", "service = echo:attempts=2")
        broker = self.start("broker", "--config", self.path, *words)
        return broker, broker.stdout.readline().split()[1]

    def test_no_request_is_lost(self):
        broker, endpoint = self.serve()
        worker_file = os.path.join(self.folder, "worker.conf")

        def write_worker(command, *more):
            with open(worker_file, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in (
                    f"connect = {endpoint}", "service = echo", "in-flight = 8", f"exec = {command}", *more))
        write_worker("cat")
        worker = self.start("worker", "--config", worker_file)
        client = self.start("request", "--connect", endpoint, "--service", "echo", "--count", "400", "--in-flight",
                            "4", "--timeout", f"{DEADLINE}s", "--json", "x")
        for changed in ("service = echo:attempts=3", "service = echo:attempts=1,requests=100"):
            self.write("bind = tcp://127.0.0.1:*", changed)
            self.hang_up(broker, "settings reloaded: changed=service")
            write_worker("cat; true")
            self.hang_up(worker, "settings reloaded: changed=")
        self.write("bind = tcp://127.0.0.1:*", changed, "liveness = 7")
        self.hang_up(broker, "setting not reloaded: liveness changes at the next start")
        self.write("bind = tcp://127.0.0.1:*", "liveness = 0")
        self.hang_up(broker, f"settings not reloaded: {self.path}:2: liveness: '0' is not valid")
        told, _ = client.communicate(timeout=DEADLINE)
        self.assertEqual(client.returncode, 0, told)
        self.assertRegex(told, r'"(replies|replied|ok)": ?400')

    def test_a_worker_runs_its_new_command(self):
        _, endpoint = self.serve()
        self.write(f"connect = {endpoint}", "service = say", "exec = echo old")
        worker = self.start("worker", "--config", self.path)
        ask = ("request", "--connect", endpoint, "--service", "say", "--timeout", f"{DEADLINE}s", "x")
        self.assertEqual(self.run_zinc(*ask).stdout.strip(), "old")
        self.write(f"connect = {endpoint}", "service = say", "exec = echo new")
        self.hang_up(worker, "settings reloaded: changed=exec")
        self.assertEqual(self.run_zinc(*ask).stdout.strip(), "new")

    def test_options_of_the_command_line_stay(self):
        broker, endpoint = self.serve("--service", "mine")
        self.write("bind = tcp://127.0.0.1:*", "service = other", "drain = 1s")
        self.hang_up(broker, "settings reloaded: changed=drain")
        listed = self.run_zinc("request", "--connect", endpoint, "--service", "mmi.services", "").stdout
        self.assertIn("mine", listed)
        self.assertNotIn("other", listed)


if __name__ == "__main__":
    unittest.main()

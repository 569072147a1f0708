#!/usr/bin/python3
"""--config, --check-config and SIGHUP of every subcommand that serves."""

import os
import re
import socket
import subprocess
import unittest

from config_case import DEADLINE, ConfigCase

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

    def test_a_check_binds_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            endpoint = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            for words, lines, _, _ in self.for_each_server():
                self.write(*(line.replace("tcp://127.0.0.1:*", endpoint) for line in lines))
                result = self.run_zinc(*words, "--config", self.path, "--check-config")
                self.assertEqual((result.returncode, result.stdout), (0, f"{self.path}: ok\n"), result.stderr)

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

    def test_a_check_names_a_missing_folder(self):
        missing = os.path.join(self.folder, "none")
        for words, option in ((("titanic",), "store"), (("bstar",), "epoch-file"), (("chp", "server"), "store"),
                              (("chp", "server"), "epoch-file")):
            lines = [line.format(folder=self.folder) for line in SERVERS[words][0] if not line.startswith(option)]
            self.write(*lines, f"{option} = {missing}/file")
            result = self.run_zinc(*words, "--config", self.path, "--check-config")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(f"{self.path}:{len(lines) + 1}: --{option}: cannot open {missing}/file: there is no folder",
                          result.stderr)

    def test_a_check_loads_the_files_of_tls(self):
        own, other = (os.path.join(self.folder, name) for name in ("own", "other"))
        for name in (own, other):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                            "-subj", "/CN=localhost", "-keyout", f"{name}.key", "-out", f"{name}.pem"],
                           check=True, capture_output=True, timeout=DEADLINE)
        text = os.path.join(self.folder, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("no PEM\n")
        server = ("broker",), ["bind = tls+tcp://127.0.0.1:*"]
        client = ("worker",), ["connect = tls+tcp://127.0.0.1:9", "service = echo"]
        for (words, lines), more, fault in (
                (server, [f"tls-certificate = {own}.pem", f"tls-key = {own}.key"], None),
                (client, [f"tls-trusted = {own}.pem"], None),
                (server, [f"tls-key = {own}.key", f"tls-certificate = {text}"], "--tls-certificate: "),
                (server, [f"tls-certificate = {own}.pem", f"tls-key = {text}"], "--tls-key: "),
                (server, [f"tls-certificate = {own}.pem", f"tls-key = {other}.key"],
                 f"--tls-key: {other}.key has the key of another certificate"),
                (server, [f"tls-certificate = {own}.pem"], f"--tls-certificate: {own}.pem has no private key"),
                (client, [f"tls-trusted = {text}"], "--tls-trusted: ")):
            self.write(*lines, *more)
            with self.subTest(more):
                for check in ([], ["--check-config"]) if fault else (["--check-config"],):
                    result = self.run_zinc(*words, "--config", self.path, *check)
                    self.assertEqual(result.returncode, 2 if fault else 0, result.stderr)
                    self.assertIn(f"{self.path}:{len(lines) + len(more)}: {fault}" if fault else "", result.stderr)

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
                           ("/dev/zero", "it is a device or a pipe")):
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

    def test_a_check_without_a_file_is_of_the_command_line(self):
        result = self.run_zinc("broker", "--bind", "tcp://127.0.0.1:*", "--check-config")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "options: ok\n", ""))
        result = self.run_zinc("broker", "--threads", "0", "--check-config")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--threads", result.stderr)


if __name__ == "__main__":
    unittest.main()

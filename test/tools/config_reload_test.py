#!/usr/bin/python3
"""SIGHUP while peers go on, and rules."""

import json
import os
import signal
import unittest

from config_case import DEADLINE, ConfigCase


class Rules(ConfigCase):
    """Rules of a server at SIGHUP."""

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
        in_flight = 4
        client = self.start("request", "--connect", endpoint, "--service", "echo", "--count", "100000000",
                            "--in-flight", str(in_flight), "--timeout", f"{DEADLINE}s", "--json", "x")
        self.answer(endpoint)
        for changed in ("service = echo:attempts=3", "service = echo:attempts=1,requests=100"):
            self.write("bind = tcp://127.0.0.1:*", changed)
            self.hang_up(broker, "settings reloaded: changed=service")
            write_worker("cat; true")
            self.hang_up(worker, "settings reloaded: changed=")
        self.write("bind = tcp://127.0.0.1:*", changed, "liveness = 7")
        self.hang_up(broker, "setting not reloaded: liveness changes at the next start")
        self.write("bind = tcp://127.0.0.1:*", "liveness = 0")
        self.hang_up(broker, f"settings not reloaded: {self.path}:2: liveness: '0' is not valid")
        self.answer(endpoint)
        self.assertIsNone(client.poll())
        client.send_signal(signal.SIGINT)
        told, faults = client.communicate(timeout=DEADLINE)
        result = json.loads(told)
        self.assertEqual((result["failed"], faults), (in_flight, ""))  # those in progress at SIGINT
        self.assertEqual(result["requests"], result["answered"] + in_flight)

    def answer(self, endpoint):
        result = self.run_zinc("request", "--connect", endpoint, "--service", "echo", "--timeout", f"{DEADLINE}s", "x")
        self.assertEqual(result.stdout.strip(), "x", result.stderr)

    def test_a_worker_runs_its_new_command(self):
        _, endpoint = self.serve()
        self.write(f"connect = {endpoint}", "service = say", "exec = echo old")
        worker = self.start("worker", "--config", self.path)
        ask = ("request", "--connect", endpoint, "--service", "say", "--timeout", f"{DEADLINE}s", "x")
        self.assertEqual(self.run_zinc(*ask).stdout.strip(), "old")
        self.write(f"connect = {endpoint}", "service = say", "exec = echo new")
        self.hang_up(worker, "settings reloaded: changed=exec")
        self.assertEqual(self.run_zinc(*ask).stdout.strip(), "new")

    def test_the_time_without_a_worker(self):
        self.write("bind = tcp://127.0.0.1:*", "unserved-timeout = 1h")
        broker = self.start("broker", "--config", self.path)
        endpoint = broker.stdout.readline().split()[1]
        self.write("bind = tcp://127.0.0.1:*", "unserved-timeout = 1ms")
        self.hang_up(broker, "settings reloaded: changed=unserved-timeout")
        result = self.run_zinc("request", "--connect", endpoint, "--service", "none", "--timeout", f"{DEADLINE}s", "x")
        self.assertEqual(result.returncode, 3, result.stderr)

    def test_the_delay_of_a_worker(self):
        _, endpoint = self.serve()
        self.write(f"connect = {endpoint}", "service = echo", "delay = 1h")
        worker = self.start("worker", "--config", self.path)
        self.line_with(worker, "started: ")
        self.write(f"connect = {endpoint}", "service = echo", "delay = 0s")
        self.hang_up(worker, "settings reloaded: changed=delay")
        self.answer(endpoint)

    def test_the_drain_time_of_a_broker_and_a_worker(self):
        broker, endpoint = self.serve()
        started = os.path.join(self.folder, "started")
        os.mkfifo(started)
        lines = (f"connect = {endpoint}", "service = echo", "delay = 1h", f"exec = cat > {started}")
        worker_file = self.path + ".worker"
        with open(worker_file, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        worker = self.start("worker", "--config", worker_file)
        self.start("request", "--connect", endpoint, "--service", "echo", "--timeout", "1h", "x")
        with open(started, encoding="utf-8") as file:
            self.assertEqual(file.read(), "x")  # the request is in progress, and remains so
        self.write("bind = tcp://127.0.0.1:*", "service = echo:attempts=2", "drain = 777s")
        self.hang_up(broker, "settings reloaded: changed=drain")
        with open(worker_file, "a", encoding="utf-8") as file:
            file.write("drain = 777s\n")
        self.hang_up(worker, "settings reloaded: changed=drain")
        for process in (worker, broker):
            process.terminate()
            self.assertIn("for at most 777s", self.line_with(process, "draining: no new requests"))

    def test_the_drain_time_of_titanic(self):
        lines = ("connect = tcp://127.0.0.1:9", f"store = {self.folder}/store")
        self.write(*lines)
        titanic = self.start("titanic", "--config", self.path)
        titanic.stdout.readline()
        self.write(*lines, "drain = 777s")
        self.hang_up(titanic, "settings reloaded: changed=drain")
        titanic.terminate()
        self.assertIn("for at most 777s", self.line_with(titanic, "titanic draining: "))

    def test_the_grace_of_a_command(self):
        lines = ("backup = true", "promote-alone = 0s", "bind = tcp://127.0.0.1:*", "connect = tcp://127.0.0.1:9")
        self.write(*lines, "grace = 1h")
        node = self.start("bstar", "--config", self.path, "--", "sh", "-c",
                          "trap '' TERM; echo up; exec tail -f /dev/null")
        for line in node.stdout:
            if line == "up\n":
                break
        self.write(*lines, "grace = 0s")
        self.hang_up(node, "settings reloaded: changed=grace")
        node.terminate()
        node.wait(DEADLINE)

    def test_options_of_the_command_line_stay(self):
        broker, endpoint = self.serve("--service", "mine")
        self.write("bind = tcp://127.0.0.1:*", "service = other", "drain = 1s")
        self.hang_up(broker, "settings reloaded: changed=drain")
        listed = self.run_zinc("request", "--connect", endpoint, "--service", "mmi.services", "").stdout
        self.assertIn("mine", listed)
        self.assertNotIn("other", listed)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""zinc as an operator meets it: arguments, exit codes, messages, signals."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30


def run(*words, **more):
    return subprocess.run(
        [ZINC, *words], capture_output=True, text=True, timeout=DEADLINE, check=False, **more
    )


@contextlib.contextmanager
def started(*words):
    process = subprocess.Popen(
        [ZINC, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def broker(*words):
    with started("broker", "--bind", "tcp://127.0.0.1:*", *words) as process:
        bound, endpoint = process.stdout.readline().split()
        assert bound == "bound"
        yield process, endpoint


@contextlib.contextmanager
def service(endpoint, name, *words):
    with started("worker", "--connect", endpoint, "--service", name, *words) as process:
        # The first request waits in the broker until the worker has registered.
        yield process


class Arguments(unittest.TestCase):
    def test_nothing_to_do_is_misuse(self):
        result = run()
        self.assertEqual(result.returncode, 2)
        self.assertIn("subcommand", result.stderr + result.stdout)

    def test_misuse_of_the_hashmap(self):
        for words in ([], ["get"], ["set", "key"], ["dump", "not/a/subtree"], ["get", "k", "--timeout", "0"],
                      ["get", "k", "--server", "nowhere"], ["set", "k", "v", "--ttl", "0"],
                      ["set", "HUGZ", "v"], ["set", "k", ""], ["delete", "k" * 256]):
            with self.subTest(words):
                self.assertEqual(run("chp", *words).returncode, 2)

    def test_a_hashmap_without_a_server(self):
        for words in (["get", "k"], ["set", "k", "v"], ["delete", "k"], ["dump"]):
            with self.subTest(words):
                result = run("chp", *words, "--server", "127.0.0.1:1", "--timeout", "100")
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn("zinc chp", result.stderr)

    def test_help_of_each_subcommand(self):
        for name in ("broker", "worker", "request", "cat", "proxy", "chp", "demo"):
            with self.subTest(name):
                result = run(name, "--help")
                self.assertEqual(result.returncode, 0)
                self.assertIn("--", result.stdout)

    def test_faults_are_named_and_are_misuse(self):
        for words, fault in (
            (("broker", "--bind", "127.0.0.1:5555"), "127.0.0.1:5555"),
            (("broker", "--bind", "udp://127.0.0.1:5555"), "udp://127.0.0.1:5555"),
            (("broker", "--heartbeat", "soon"), "--heartbeat"),
            (("broker", "--no-such-option"), "--no-such-option"),
            (("worker",), "--service"),
            (("worker", "--service", "mmi.mine"), "mmi."),
            (("worker", "--service", "echo", "--connect", "tcp://*:1"), "tcp://*:1"),
            (("worker", "--service", "echo", "--mdp", "3"), "--mdp"),
            (("request", "--service", "echo", "--durable", "--id", "1234"), "hexadecimal"),
            (("request", "--service", "echo", "--id", "new"), "--durable"),
            (("request", "--service", "echo", "--durable", "--id", "0" * 32, "--count", "2"), "new"),
            (("request", "--service", ""), "service"),
            (("request", "--service", "echo", "--connect", "tcp://localhost"), "tcp://localhost"),
            (("request", "--service", "echo", "--in-flight", "0"), "--in-flight"),
            (("demo", "--seconds", "0"), "--seconds"),
        ):
            with self.subTest(words):
                result = run(*words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(fault, result.stderr + result.stdout)

    def test_address_in_use_is_a_failure(self):
        with broker() as (_, endpoint):
            result = run("broker", "--bind", endpoint)
            self.assertEqual(result.returncode, 1)
            self.assertIn(endpoint, result.stderr)


class Majordomo(unittest.TestCase):
    def test_request_prints_the_reply(self):
        with broker() as (_, endpoint), service(endpoint, "echo"):
            result = run("request", "--connect", endpoint, "--service", "echo", "hello", "world")
            self.assertEqual((result.returncode, result.stdout), (0, "hello world\n"))
            result = run("request", "--connect", endpoint, "--service", "echo", "--json", "a", "b")
            self.assertEqual(json.loads(result.stdout), {"reply": ["a", "b"]})

    def test_summary_counts(self):
        with broker() as (_, endpoint), service(endpoint, "echo", "--mdp", "0.1"):
            result = run(
                "request", "--connect", endpoint, "--service", "echo", "--count", "500",
                "--in-flight", "20", "--size", "1000", "--json",
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            summary = json.loads(result.stdout)
            self.assertEqual((summary["requests"], summary["answered"], summary["failed"]), (500, 500, 0))

    def test_worker_runs_a_command(self):
        with broker() as (_, endpoint), service(endpoint, "upper", "--exec", "tr a-z A-Z"):
            result = run("request", "--connect", endpoint, "--service", "upper", "hello")
            self.assertEqual((result.returncode, result.stdout), (0, "HELLO\n"))

    def test_command_that_fails_leaves_the_request_unanswered(self):
        with broker() as (_, endpoint), service(endpoint, "bad", "--exec", "exit 3"):
            result = run(
                "request", "--connect", endpoint, "--service", "bad", "--timeout", "200",
                "--attempts", "1", "hello",
            )
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("zinc request:", result.stderr)

    def test_worker_whose_command_failed_takes_the_next_request(self):
        command = 'read word; [ "$word" = good ] && echo fine'
        with broker() as (_, endpoint), service(endpoint, "picky", "--exec", command):
            ask = ("request", "--connect", endpoint, "--service", "picky", "--attempts", "1")
            self.assertEqual(run(*ask, "--timeout", "300", "bad").returncode, 1)
            result = run(*ask, "--timeout", "20000", "good")
            self.assertEqual((result.returncode, result.stdout), (0, "fine\n\n"))

    def test_command_has_the_usual_signals(self):
        with broker() as (_, endpoint), service(endpoint, "one", "--exec", "yes | head -n 1"):
            result = run("request", "--connect", endpoint, "--service", "one", "x")
            self.assertEqual((result.returncode, result.stdout), (0, "y\n\n"))

    def test_octets_that_are_no_text_are_json_all_the_same(self):
        with broker() as (_, endpoint), service(endpoint, "raw", "--exec", "printf '\\377'"):
            result = run("request", "--connect", endpoint, "--service", "raw", "--json", "x")
            self.assertEqual(json.loads(result.stdout), {"reply": [{"hex": "ff"}]})

    def test_body_that_the_broker_refuses_is_not_sent_for_ever(self):
        with broker() as (_, endpoint), service(endpoint, "echo"):
            parts = ["x"] * 2000
            result = run("request", "--connect", endpoint, "--service", "echo", *parts)
            self.assertEqual(result.returncode, 1)

    def test_without_a_broker_the_request_fails(self):
        with broker() as (process, endpoint):
            process.terminate()
            process.wait(DEADLINE)
        result = run(
            "request", "--connect", endpoint, "--service", "echo", "--timeout", "100", "hello"
        )
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertNotEqual(result.stderr, "")

    def test_worker_ends_after_its_count(self):
        with broker() as (_, endpoint), service(endpoint, "echo", "--count", "2") as worker:
            for _ in range(2):
                run("request", "--connect", endpoint, "--service", "echo", "x")
            self.assertEqual(worker.wait(DEADLINE), 0)

    def test_signals_stop_cleanly(self):
        for sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sent), broker() as (process, endpoint), service(endpoint, "echo") as worker:
                run("request", "--connect", endpoint, "--service", "echo", "x")
                worker.send_signal(sent)
                self.assertEqual(worker.wait(DEADLINE), 0)
                process.send_signal(sent)
                self.assertEqual(process.wait(DEADLINE), 0)


class Brokers(unittest.TestCase):
    """The broker's configuration, and what an operator sees of it."""

    def ask(self, endpoint, name, *words):
        result = run("request", "--connect", endpoint, "--service", name, "--timeout", "10000", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.strip()

    def config(self, settings):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "broker.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(settings if isinstance(settings, str) else json.dumps(settings))
        return path

    def test_reads_a_file_and_flags_win(self):
        path = self.config({
            "bind": "tcp://127.0.0.1:*", "threads": 2,
            "services": {"pay": {"requests": 1}, "named": {}},
        })
        with started("broker", "--config", path, "--service", "other", "attempts=2",
                     "--service", "pay", "idempotent=false,requests=none") as process:
            endpoints = [process.stdout.readline().split()[1] for _ in range(2)]
            self.assertNotEqual(*endpoints)
            for endpoint in endpoints:
                listed = self.ask(endpoint, "mmi.services", "").split()
                self.assertEqual(listed[0], "200")
                self.assertEqual([word for word in listed[1:] if "=" not in word],
                                 ["named", "other", "pay"])
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(DEADLINE), 0)

    def test_understands_what_is_documented(self):
        page = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "docs/majordomo.md")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        settings = json.loads(re.search(r"```json\n(.*?)```", text, re.S).group(1))
        settings["bind"] = "tcp://127.0.0.1:*"
        with started("broker", "--config", self.config(settings)) as process:
            self.assertEqual(process.stdout.readline().split()[0], "bound")
        # Each setting of a service has its line, and the other way round.
        table = re.search(r"\| key \|.*?\n\n", text, re.S).group()
        documented = [key for row in re.findall(r"^\| (`.*?) \|", table, re.M)
                      for key in re.findall(r"`(\w+)`", row)]
        known = re.search(r"Keys:\s+([\w,\s]+?)\n\n", run("broker", "--help").stdout + "\n").group(1)
        self.assertEqual(sorted(documented), sorted(known.replace(",", " ").split()))

    def test_does_not_start_with_a_bad_file(self):
        for settings, fault in (
            ("{\n\"bind\": nothing\n}", ":2: this is no JSON"),
            ({"thread": 2}, ": thread: there is no such setting: give one of threads"),
            ({"services": {"echo": {"attempts": 0}}},
             ": services.echo.attempts: '0' is no value for it: give a number from 1 to 1000"),
        ):
            with self.subTest(fault):
                path = self.config(settings)
                result = run("broker", "--config", path, "--bind", "tcp://127.0.0.1:*")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(path + fault, result.stderr)
        for path in ("/nowhere/broker.json", "/"):
            result = run("broker", "--config", path)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(path, result.stderr)

    def test_does_not_start_with_bad_flags(self):
        for words, fault in (
            (("--service", "echo", "attempts=0"), "--service echo attempts: '0'"),
            (("--service", "mmi.x", "attempts=2"), "mmi."),
            (("--service", "echo"), "--service"),
            (("--threads", "0"), "--threads"),
            (("--threads", "2", "--bind", "ipc://@zinc-test-brokers"), "no port to count up"),
        ):
            with self.subTest(words):
                result = run("broker", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(fault, result.stderr)

    def test_of_several_threads_have_a_port_each_and_share_nothing(self):
        with started("broker", "--bind", "tcp://127.0.0.1:*", "--threads", "3") as process:
            endpoints = [process.stdout.readline().split()[1] for _ in range(3)]
            self.assertEqual(len(set(endpoints)), 3)
            with contextlib.ExitStack() as workers:
                for i, endpoint in enumerate(endpoints):
                    workers.enter_context(service(endpoint, f"only{i}"))
                for i, endpoint in enumerate(endpoints):
                    self.assertEqual(self.ask(endpoint, f"only{i}", "x"), "x")
                    for j in range(3):
                        self.assertEqual(self.ask(endpoint, "mmi.service", f"only{j}"),
                                         "200" if i == j else "404")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(DEADLINE), 0)

    def test_of_several_threads_count_their_ports_up(self):
        # Somewhere two ports in a row are free.
        for _ in range(100):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            if port == 65535:
                continue
            with started("broker", "--bind", f"tcp://127.0.0.1:{port}", "--threads", "2") as process:
                lines = [process.stdout.readline().split() for _ in range(2)]
                if all(lines):
                    self.assertEqual(lines, [["bound", f"tcp://127.0.0.1:{port + i}"]
                                             for i in range(2)])
                    return
        self.fail("there are no two free ports")

    def test_read_their_file_again_when_asked_to(self):
        path = self.config({"services": {"old": {}, "pay": {"attempts": 3}}})

        def write(settings):
            with open(path, "w", encoding="utf-8") as file:
                file.write(settings if isinstance(settings, str) else json.dumps(settings))
        with subprocess.Popen([ZINC, "broker", "--config", path, "--bind", "tcp://127.0.0.1:*",
                               "--threads", "2", "--service", "flag", "attempts=2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.addCleanup(process.kill)
            endpoints = [process.stdout.readline().split()[1] for _ in range(2)]

            def read_again():
                process.send_signal(signal.SIGHUP)
                while " active at " in (line := process.stderr.readline()):
                    pass
                return line

            def named(endpoint):
                return [word for word in self.ask(endpoint, "mmi.services", "").split()[1:]
                        if "=" not in word]
            with service(endpoints[0], "busy") as worker:
                self.assertEqual(self.ask(endpoints[0], "busy", "x"), "x")
                write({"services": {"new": {"requests": 5}, "pay": {}}})
                self.assertIn("3 services and groups of them are named", read_again())
                self.assertEqual(named(endpoints[0]), ["busy", "flag", "new", "pay"])
                self.assertEqual(named(endpoints[1]), ["flag", "new", "pay"])
                # What is no good is named, and changes nothing.
                for settings, fault in (("{", f"{path}:1: this is no JSON"),
                                        ({"services": {"x": {"attempts": 0}}}, f"{path}: services.x.attempts"),
                                        ({"threads": "many", "services": {"x": {}}}, f"{path}: threads")):
                    write(settings)
                    line = read_again()
                    self.assertIn(fault, line)
                    self.assertIn("the settings stay as they were", line)
                    self.assertEqual(named(endpoints[1]), ["flag", "new", "pay"])
                os.unlink(path)
                self.assertIn(f"{path}: cannot be opened", read_again())
                # What is not of services waits for the next start, and the operator hears of it.
                write({"heartbeat": 100, "services": {"last": {}}})
                self.assertIn("2 services", read_again())
                self.assertIn("change at the next start", process.stderr.readline())
                self.assertEqual(named(endpoints[1]), ["flag", "last"])
                self.assertEqual(self.ask(endpoints[0], "busy", "y"), "y")
                self.assertIsNone(worker.poll())
            process.terminate()
            self.assertEqual(process.wait(DEADLINE), 0)

    def test_log_their_state_when_asked_to(self):
        with subprocess.Popen([ZINC, "broker", "--bind", "tcp://127.0.0.1:*", "--threads", "2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.addCleanup(process.kill)
            endpoints = [process.stdout.readline().split()[1] for _ in range(2)]
            with service(endpoints[1], "of two words"):
                self.assertEqual(self.ask(endpoints[1], "of two words", "x"), "x")
                for _ in range(2):
                    process.send_signal(signal.SIGUSR1)
                    waited_for = {
                        f"{endpoints[0]}: peers=0 ", f"{endpoints[1]}: peers=",
                        f"{endpoints[1]}: service of\\x20two\\x20words: workers=1 busy=0 "
                        "waiting=0 working=0 octets=0 requests=1 replies=1 "}
                    while waited_for:
                        line = process.stderr.readline()
                        self.assertNotEqual(line, "")
                        waited_for = {text for text in waited_for if text not in line}
            process.terminate()
            self.assertEqual(process.wait(DEADLINE), 0)
            self.assertEqual(process.stderr.read().count("has stopped: peers="), 2)


class Signals(unittest.TestCase):
    """Who has read that a server is bound may send it a signal."""

    COMMANDS = {
        "broker": ["broker", "--bind", "tcp://127.0.0.1:*"],
        "chp": ["chp", "server", "--bind", "tcp://127.0.0.1:*"],
        "bstar": ["bstar", "--primary", "--bind", "tcp://127.0.0.1:*", "--connect", "tcp://127.0.0.1:1"],
    }

    def test_are_taken_before_it_says_so(self):
        if not shutil.which("strace"):
            self.skipTest("there is no strace")
        for name, words in self.COMMANDS.items():
            with self.subTest(name), tempfile.NamedTemporaryFile("r") as log:
                trace = ["strace", "-f", "-e", "trace=rt_sigaction,write", "-o", log.name]
                with subprocess.Popen([*trace, ZINC, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      text=True) as process:
                    if not process.stdout.readline().startswith("bound"):
                        self.skipTest("strace may not trace here")
                    begin = log.readline()
                    os.kill(int(begin.split()[0]), signal.SIGTERM)
                    self.assertEqual(process.wait(DEADLINE), 0)
                said = (begin + log.read()).partition('write(1, "bound')[0]
                for taken in ("SIGTERM", "SIGINT") + (("SIGUSR1",) if name != "bstar" else ()):
                    self.assertIn(f"rt_sigaction({taken}, ", said)


class Demo(unittest.TestCase):
    def test_all_of_it_holds(self):
        result = run("demo", "--seconds", "2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^all of it held: \d+ requests, ")
        self.assertIn("killing worker", result.stdout)
        self.assertRegex(result.stdout.splitlines()[-1], r"^all of it held: \d+ updates, ")
        self.assertIn("killing the active server", result.stdout)


if __name__ == "__main__":
    unittest.main()

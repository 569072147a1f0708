#!/usr/bin/python3
"""zinc as an operator meets it: arguments, exit codes, messages, signals."""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import zinc_program  # noqa: E402: behind the line above
from zinc_program import DEADLINE, ZINC, started  # noqa: E402


def run(*words, **more):
    if words[:1] == ("request",) and "--timeout" not in words:
        # A request is sent once: a busy machine must not use its time up.
        words = (*words[:1], "--timeout", f"{DEADLINE}s", *words[1:])
    return zinc_program.run(*words, **more)


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

    def test_an_unknown_subcommand_is_named_and_the_known_ones_are_listed(self):
        for words, name, fault, known in (
            (("frobnicate",), "zinc", "'frobnicate'", ("broker", "cat", "interop")),
            (("brokr", "--bind", "tcp://127.0.0.1:*"), "zinc", "'brokr'", ("broker",)),
            (("chp", "put", "key"), "zinc chp", "'put'", ("server", "get", "watch")),
            (("--frobnicate",), "zinc", "'--frobnicate'", ()),
            ((), "zinc", "a subcommand is required", ("broker", "demo")),
            (("chp",), "zinc chp", "a subcommand is required", ("server", "dump")),
        ):
            with self.subTest(words):
                result = run(*words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertTrue(result.stderr.startswith(name + ": "), result.stderr)
                for word in (fault, *known):
                    self.assertIn(word, result.stderr)

    def test_says_its_version(self):
        result = run("--version")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^zinc \d+\.\d+\.\d+\S*( \([0-9a-f]{12}(-dirty)?\))?\nZMTP 3\.1 .*ZWS .*TLS .*\n"
                                        r"MDP .*FLP.*Binary Star.*\n$")

    def test_a_missing_folder_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "not", "there")
            file = os.path.join(missing, "file")
            for words in (
                ("titanic", "--store", file),
                ("titanic", "--store", file, "--salvage"),
                ("chp", "server", "--store", file),
                ("chp", "server", "--epoch-file", file),
                ("bstar", "--primary", "--bind", "tcp://127.0.0.1:*", "--connect", "tcp://127.0.0.1:1",
                 "--epoch-file", file),
            ):
                with self.subTest(words):
                    result = run(*words)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(f"there is no folder {missing};", result.stderr)

    def test_misuse_of_the_hashmap(self):
        for words in ([], ["get"], ["set", "key"], ["dump", "not/a/subtree"], ["get", "k", "--timeout", "0s"],
                      ["get", "k", "--connect", "nowhere"], ["set", "k", "v", "--ttl", "0s"],
                      ["set", "HUGZ", "v"], ["set", "k", ""], ["delete", "k" * 256]):
            with self.subTest(words):
                self.assertEqual(run("chp", *words).returncode, 2)

    def test_a_hashmap_without_a_server(self):
        # 1: an update was not sent. 4: there was no answer.
        for words, code in ((["get", "k"], 4), (["set", "k", "v"], 1), (["delete", "k"], 1), (["dump"], 4)):
            with self.subTest(words):
                result = run("chp", *words, "--connect", "tcp://127.0.0.1:1", "--timeout", "100ms")
                self.assertEqual((result.returncode, result.stdout), (code, ""))
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
            (("demo", "--duration", "0s"), "--duration"),
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
                "--in-flight", "20", "--size", "1000B", "--json",
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
                "request", "--connect", endpoint, "--service", "bad", "--timeout", "200ms",
                "--attempts", "1", "hello",
            )
            self.assertEqual((result.returncode, result.stdout), (5, ""))
            self.assertIn("zinc request:", result.stderr)

    def test_worker_whose_command_failed_takes_the_next_request(self):
        command = 'read word; [ "$word" = good ] && echo fine'
        with broker() as (_, endpoint), service(endpoint, "picky", "--exec", command):
            ask = ("request", "--connect", endpoint, "--service", "picky", "--attempts", "1")
            self.assertEqual(run(*ask, "--timeout", "300ms", "bad").returncode, 5)
            result = run(*ask, "--timeout", "20s", "good")
            self.assertEqual((result.returncode, result.stdout), (0, "fine\n\n"))

    def test_command_has_the_usual_signals(self):
        with broker() as (_, endpoint), service(endpoint, "one", "--exec", "yes | head -n 1"):
            result = run("request", "--connect", endpoint, "--service", "one", "x")
            self.assertEqual((result.returncode, result.stdout), (0, "y\n\n"))

    def test_prints_binary_data_as_json(self):
        with broker() as (_, endpoint), service(endpoint, "raw", "--exec", "printf '\\377'"):
            result = run("request", "--connect", endpoint, "--service", "raw", "--json", "x")
            self.assertEqual(json.loads(result.stdout), {"reply": [{"hex": "ff"}]})

    def test_a_body_that_the_broker_refuses_fails(self):
        with broker() as (_, endpoint), service(endpoint, "echo"):
            parts = ["x"] * 2000
            result = run("request", "--connect", endpoint, "--service", "echo", *parts)
            self.assertEqual(result.returncode, 4)

    def test_a_service_that_must_not_run_twice_runs_once(self):
        """Each run leaves a file of its own, and ends when the test says so. Attempts end long before."""
        with broker() as (_, endpoint):
            # The only attempt must reach the worker, also on a busy machine.
            self.expect_one_run(endpoint, "plain", "--timeout", "2.5s", replied=False)
            self.expect_one_run(endpoint, "repeated", "--timeout", "300ms", "--attempts", "100", replied=True)

    def expect_one_run(self, endpoint, name, *words, replied):
        with self.subTest(name), tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "gate")
            os.mkfifo(gate)
            command = f"mktemp {folder}/run.XXXXXX > /dev/null; read line < {gate}; echo paid"
            with service(endpoint, name, "--in-flight", "10", "--exec", command):
                self.wait_until(lambda: self.mmi(endpoint, "mmi.service", name) == ["200"])
                with started("request", "--connect", endpoint, "--service", name, *words, "100 EUR",
                             stderr=subprocess.PIPE) as asking:
                    if replied:
                        self.wait_until(lambda: self.counters(endpoint, name)["repeats"] >= 3)
                    else:
                        _, errors = asking.communicate(timeout=DEADLINE)
                        self.assertEqual(asking.returncode, 4)
                        self.assertIn("(outcome: unknown)", errors)
                    runs = lambda: [one for one in os.listdir(folder) if one.startswith("run.")]
                    self.wait_until(runs)
                    release = os.open(gate, os.O_RDWR)
                    self.addCleanup(os.close, release)
                    os.write(release, b"go on\n" * 10)
                    if replied:
                        output, errors = asking.communicate(timeout=DEADLINE)
                        self.assertEqual((asking.returncode, output), (0, "paid\n\n"), errors)
                    self.wait_until(lambda: self.counters(endpoint, name)["working"] == 0)
                    counted = self.counters(endpoint, name)
                    self.assertEqual((counted["requests"], counted["requeued"]), (1, 0))
                    self.assertEqual(len(runs()), 1)

    def mmi(self, endpoint, name, *words):
        result = run("request", "--connect", endpoint, "--service", name, "--json", *words)
        return json.loads(result.stdout)["reply"]

    def counters(self, endpoint, name):
        _, *rest = self.mmi(endpoint, "mmi.services", "")
        pairs = dict(zip(rest[::2], rest[1::2]))[name].split()
        return {key: int(value) for key, value in (pair.split("=") for pair in pairs)}

    def wait_until(self, condition):
        deadline = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), deadline)

    def test_a_failed_request_says_what_is_known_of_it(self):
        with broker("--unserved-timeout", "50ms") as (process, endpoint):
            result = run("request", "--connect", endpoint, "--service", "absent", "hello")
            self.assertEqual(result.returncode, 3)
            self.assertIn("(outcome: not executed)", result.stderr)
            process.terminate()
            process.wait(DEADLINE)
            result = run("request", "--connect", endpoint, "--service", "absent", "--timeout", "100ms", "x")
            self.assertEqual(result.returncode, 1)
            self.assertIn("(outcome: not sent)", result.stderr)

    def test_without_a_broker_the_request_fails(self):
        with broker() as (process, endpoint):
            process.terminate()
            process.wait(DEADLINE)
        result = run(
            "request", "--connect", endpoint, "--service", "echo", "--timeout", "100ms", "hello"
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


class Draining(unittest.TestCase):
    """Programs that are stopped with requests in progress."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = os.path.join(folder.name, "runs")
        self.began = os.path.join(folder.name, "began")
        self.gate = os.path.join(folder.name, "gate")
        self.ends = {}
        for path in (self.began, self.gate):
            os.mkfifo(path)
            # Open for both, so that neither side waits for the other to open it.
            self.ends[path] = os.open(path, os.O_RDWR)
            self.addCleanup(os.close, self.ends[path])
        # Says that it has begun, and waits for the test.
        self.job = f"echo run >> {self.runs}; echo b > {self.began}; read go < {self.gate}; echo done"

    def process(self, *words):
        return self.enterContext(started(*words, stderr=subprocess.PIPE))

    def broker(self, *words):
        process = self.process("broker", "--bind", "tcp://127.0.0.1:*", *words)
        return process, process.stdout.readline().split()[1]

    def worker(self, endpoint, *words):
        return self.process("worker", "--connect", endpoint, "--service", "job", *words)

    def ask(self, endpoint, *words):
        return self.process("request", "--connect", endpoint, "--service", "job", "--timeout",
                            f"{DEADLINE}s", "--attempts", "1", *words)

    def await_jobs(self, count):
        data = b""
        while data.count(b"\n") < count:
            self.assertTrue(select.select([self.ends[self.began]], [], [], DEADLINE)[0], data)
            data += os.read(self.ends[self.began], 100)
        return data.decode().split()

    def release(self, count=1):
        os.write(self.ends[self.gate], b"\n" * count)

    def await_line(self, process, text):
        for line in process.stderr:
            if text in line:
                return
        self.fail(f"{process.args} did not say {text!r}")

    def outcome(self, process):
        output, errors = process.communicate(timeout=DEADLINE)
        return process.returncode, output.strip(), errors

    def count_runs(self):
        with open(self.runs, encoding="utf-8") as file:
            return len(file.readlines())

    def test_worker_finishes_its_job_and_new_requests_go_to_another(self):
        _, endpoint = self.broker()
        for capacity in ("1", "8"):
            with self.subTest(capacity):
                leaving = self.worker(endpoint, "--in-flight", capacity, "--exec", self.job)
                first = self.ask(endpoint, "first")
                self.await_jobs(1)
                before = self.count_runs()
                leaving.send_signal(signal.SIGTERM)
                self.await_line(leaving, "worker draining")
                stays = self.worker(endpoint)
                for i in range(3):
                    self.assertEqual(self.outcome(self.ask(endpoint, f"new{i}"))[:2], (0, f"new{i}"))
                self.assertIsNone(leaving.poll())
                self.release()
                self.assertEqual(self.outcome(first)[:2], (0, "done"))
                self.assertEqual(leaving.wait(DEADLINE), 0)
                self.assertEqual(self.count_runs(), before, "the job ran once")
                stays.kill()
                stays.wait()

    def test_worker_carries_out_its_count_and_hands_the_rest_back(self):
        _, endpoint = self.broker()
        counts = self.worker(endpoint, "--count", "5", "--in-flight", "8", "--exec", self.job)
        asks = [self.ask(endpoint, "word") for _ in range(8)]
        self.await_jobs(5)
        self.worker(endpoint)
        # The other three are answered while the five are in progress.
        waiting = [one.stdout for one in asks]
        while len(waiting) > 5:
            answered = select.select(waiting, [], [], DEADLINE)[0]
            self.assertTrue(answered, f"{len(waiting)} of 8 have no answer")
            waiting = [one for one in waiting if one not in answered]
        self.release(5)
        answers = sorted(self.outcome(one)[:2] for one in asks)
        self.assertEqual(answers, [(0, "done")] * 5 + [(0, "word")] * 3)
        self.assertEqual(counts.wait(DEADLINE), 0)
        self.assertEqual(self.count_runs(), 5)

    def test_command_that_fails_costs_its_request_alone(self):
        _, endpoint = self.broker()
        command = f'read word; [ "$word" = bad ] && exit 1; {self.job}'
        self.worker(endpoint, "--in-flight", "8", "--exec", command)
        good = self.ask(endpoint, "good\n")
        self.await_jobs(1)
        code, output, errors = self.outcome(self.ask(endpoint, "bad\n"))
        self.assertEqual((code, output), (5, ""))
        self.assertIn("failed to execute", errors)
        self.release()
        self.assertEqual(self.outcome(good)[:2], (0, "done"))
        self.assertEqual(self.count_runs(), 1)

    def test_broker_delivers_the_replies_before_it_ends(self):
        broker, endpoint = self.broker()
        self.worker(endpoint, "--exec", self.job)
        asks = [self.ask(endpoint, "x") for _ in range(2)]
        self.await_jobs(1)
        while " waiting=1 " not in run("request", "--connect", endpoint, "--service", "mmi.broker", "").stdout:
            pass
        broker.send_signal(signal.SIGTERM)
        self.await_line(broker, "broker draining")
        self.release(2)
        self.await_jobs(1)
        for one in asks:
            self.assertEqual(self.outcome(one)[:2], (0, "done"))
        self.assertEqual(broker.wait(DEADLINE), 0)

    def test_broker_that_stops_accepts_nothing(self):
        broker, endpoint = self.broker()
        self.worker(endpoint, "--exec", self.job)
        first = self.ask(endpoint, "x")
        self.await_jobs(1)
        broker.send_signal(signal.SIGTERM)
        self.await_line(broker, "broker draining")
        late = run("request", "--connect", endpoint, "--service", "job", "--timeout", "100ms", "x")
        self.assertEqual(late.returncode, 1)
        self.assertIn("not sent", late.stderr)
        self.release()
        self.assertEqual(self.outcome(first)[:2], (0, "done"))
        self.assertEqual(broker.wait(DEADLINE), 0)
        self.assertEqual(self.count_runs(), 1)

    def test_broker_out_of_time_says_what_it_leaves(self):
        broker, endpoint = self.broker("--drain", "50ms")
        self.worker(endpoint, "--exec", self.job)
        first = self.ask(endpoint, "x")
        self.await_jobs(1)
        broker.send_signal(signal.SIGTERM)
        code, _, errors = self.outcome(broker)
        self.assertEqual(code, 1)
        self.assertIn("requests unanswered: drain ended after 50ms, ", errors)
        code, _, errors = self.outcome(first)
        self.assertEqual(code, 4)
        self.assertIn("may have been executed", errors)

    def test_worker_out_of_time_says_what_it_leaves(self):
        _, endpoint = self.broker()
        command = f"trap 'echo ended > {self.began}; exit 1' TERM; {self.job}"
        leaving = self.worker(endpoint, "--drain", "50ms", "--exec", command)
        first = self.ask(endpoint, "x")
        self.await_jobs(1)
        leaving.send_signal(signal.SIGTERM)
        code, _, errors = self.outcome(leaving)
        self.assertEqual(code, 1)
        self.assertIn("requests without a reply: ", errors)
        self.assertEqual(self.await_jobs(1), ["ended"])
        self.worker(endpoint)
        self.assertEqual(self.outcome(first)[:2], (0, "x"), "another worker has it")

    def test_second_signal_ends_a_worker_at_once(self):
        _, endpoint = self.broker()
        leaving = self.worker(endpoint, "--exec", self.job)
        self.ask(endpoint, "x")
        self.await_jobs(1)
        leaving.send_signal(signal.SIGINT)
        self.await_line(leaving, "worker draining")
        leaving.send_signal(signal.SIGINT)
        code, _, errors = self.outcome(leaving)
        self.assertEqual(code, 1)
        self.assertIn("requests without a reply: ", errors)

    def test_second_signal_ends_a_broker_at_once(self):
        broker, endpoint = self.broker()
        self.worker(endpoint, "--exec", self.job)
        self.ask(endpoint, "x")
        self.await_jobs(1)
        broker.send_signal(signal.SIGTERM)
        self.await_line(broker, "broker draining")
        broker.send_signal(signal.SIGTERM)
        self.assertEqual(broker.wait(DEADLINE), -signal.SIGTERM)


class FullOutput(unittest.TestCase):
    """A subcommand that cannot print fails, and says that the disk is full."""

    def expect_failure(self, *words):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run([ZINC, *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=DEADLINE, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("cannot write the output: No space left on device", result.stderr)
        return result

    def test_fails_help_and_version(self):
        for words in (("--help",), ("--version",), ("broker", "--help"), ("interop", "--list")):
            with self.subTest(words):
                self.expect_failure(*words)

    def test_fails_servers_at_their_start(self):
        anywhere = "tcp://127.0.0.1:*"
        for words in (
            ("broker", "--bind", anywhere),
            ("proxy", "queue", "--frontend", anywhere, "--backend", anywhere),
            ("bstar", "--primary", "--bind", anywhere, "--connect", "tcp://127.0.0.1:1"),
            ("chp", "server", "--bind", anywhere),
        ):
            with self.subTest(words):
                self.expect_failure(*words)

    def test_fails_a_request_whose_reply_is_not_printed(self):
        with broker() as (_, endpoint), service(endpoint, "echo"):
            ask = ("request", "--connect", endpoint, "--service", "echo")
            for more in (("hello",), ("--json", "hello"), ("--size", "100000B"), ("--count", "3", "hello"),
                         ("--count", "3", "--json", "hello")):
                with self.subTest(more):
                    self.expect_failure(*ask, *more)

    def test_leaves_the_reply_with_titanic(self):
        with tempfile.TemporaryDirectory() as folder, broker() as (_, endpoint), \
             service(endpoint, "echo"), \
             started("titanic", "--connect", endpoint, "--store", os.path.join(folder, "store")) as titanic:
            self.assertEqual(titanic.stdout.readline(), "open 0 0\n")
            ask = ("request", "--connect", endpoint, "--service", "echo", "--durable", "--id", "ab" * 16, "hello")
            result = self.expect_failure(*ask)
            self.assertIn("Titanic keeps the reply", result.stderr)
            again = run(*ask)
            self.assertEqual((again.returncode, again.stdout), (0, "hello\n"))

    def test_fails_the_commands_of_the_map(self):
        with started("chp", "server", "--bind", "tcp://127.0.0.1:*") as server:
            bound = server.stdout.readline().split()[1]
            self.assertEqual(run("chp", "set", "key", "value", "--connect", bound).returncode, 0)
            for words in (("get", "key"), ("get", "key", "--json"), ("dump",), ("set", "k", "v", "--json"),
                          ("watch",)):
                with self.subTest(words):
                    self.expect_failure("chp", *words, "--connect", bound)


class CommandEnds(unittest.TestCase):
    def test_a_set_that_needs_both_servers_fails_without_a_backup(self):
        with started("chp", "server", "--bind", "tcp://127.0.0.1:*") as server:
            to = ("--connect", server.stdout.readline().split()[1])
            result = run("chp", "set", "key", "value", "--require", "both", "--timeout", "5s", *to)
            self.assertEqual((result.returncode, result.stdout), (4, ""), result.stderr)
            self.assertIn("the update is committed, but not known to be on both servers", result.stderr)
            self.assertIn("check that the backup runs", result.stderr)
            found = run("chp", "get", "key", *to)
            self.assertEqual((found.returncode, found.stdout), (0, "value\n"))

    def test_a_failed_command_of_a_worker_is_logged_in_words(self):
        for command, said in (("exit 3", "exited with 3"), ("kill -9 $$", "killed by signal 9")):
            with self.subTest(command), broker() as (_, endpoint):
                worker = subprocess.Popen(
                    [ZINC, "worker", "--connect", endpoint, "--service", "bad", "--exec", command],
                    stderr=subprocess.PIPE, text=True)
                try:
                    result = run("request", "--connect", endpoint, "--service", "bad", "hello")
                    self.assertEqual(result.returncode, 5, result.stderr)
                    line = next(line for line in worker.stderr if "failed" in line)
                    self.assertIn(said, line)
                finally:
                    worker.kill()
                    worker.wait()
                    worker.stderr.close()


class Brokers(unittest.TestCase):
    """The broker's configuration, and what an operator sees of it."""

    def ask(self, endpoint, name, *words):
        result = run("request", "--connect", endpoint, "--service", name, "--timeout", "10s", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.strip()

    def config(self, *lines):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "broker.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return path

    def test_reads_a_file_and_flags_win(self):
        path = self.config("bind = tcp://127.0.0.1:*", "threads = 7", "service = pay:requests=1", "service = named")
        with started("broker", "--config", path, "--threads", "2") as process:
            endpoints = [process.stdout.readline().split()[1] for _ in range(2)]
            self.assertNotEqual(*endpoints)
            for endpoint in endpoints:
                listed = self.ask(endpoint, "mmi.services", "").split()
                self.assertEqual(listed[0], "200")
                self.assertEqual([word for word in listed[1:] if "=" not in word], ["named", "pay"])
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(DEADLINE), 0)

    def test_understands_what_is_documented(self):
        page = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "docs/majordomo.md")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        lines = re.search(r"```ini\n(.*?)```", text, re.S).group(1).splitlines()
        with started("broker", "--config", self.config(*lines), "--bind", "tcp://127.0.0.1:*") as process:
            self.assertEqual(process.stdout.readline().split()[0], "bound")
        # Each setting of a service has its line, and the other way round.
        table = re.search(r"\| key \|.*?\n\n", text, re.S).group()
        documented = [key for row in re.findall(r"^\| (`.*?) \|", table, re.M)
                      for key in re.findall(r"`(\w+)`", row)]
        known = re.search(r"Keys:\s+([\w,\s]+?)\n  -", run("broker", "--help").stdout).group(1)
        self.assertEqual(sorted(documented), sorted(known.replace(",", " ").split()))

    def test_does_not_start_with_bad_flags(self):
        for words, fault in (
            (("--service", "echo:attempts=0"), "--service: echo:attempts: '0'"),
            (("--service", "mmi.x:attempts=2"), "mmi."),
            (("--service", "echo=1"), "--service"),
            (("--threads", "0"), "--threads"),
            (("--threads", "2", "--bind", "ipc://@zinc-test-brokers"), "has no port for each broker"),
        ):
            with self.subTest(words):
                result = run("broker", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(fault, result.stderr)

    def test_each_thread_has_a_port_and_shares_nothing(self):
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

    def test_threads_bind_consecutive_ports(self):
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
        path = self.config("service = old", "service = pay:attempts=3")

        def write(*lines):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)
        with subprocess.Popen([ZINC, "broker", "--config", path, "--bind", "tcp://127.0.0.1:*", "--threads", "2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.addCleanup(process.kill)
            endpoints = [process.stdout.readline().split()[1] for _ in range(2)]

            def read_again():
                process.send_signal(signal.SIGHUP)
                while "broker started" in (line := process.stderr.readline()):
                    pass
                return line

            def named(endpoint):
                return [word for word in self.ask(endpoint, "mmi.services", "").split()[1:]
                        if "=" not in word]
            with service(endpoints[0], "busy") as worker:
                self.assertEqual(self.ask(endpoints[0], "busy", "x"), "x")
                write("service = new:requests=5", "service = pay")
                self.assertIn("settings reloaded: changed=service", read_again())
                self.assertEqual(named(endpoints[0]), ["busy", "new", "pay"])
                self.assertEqual(named(endpoints[1]), ["new", "pay"])
                # An invalid file changes nothing, and the log names the fault.
                for lines, fault in ((("{",), f"{path}:1: '{{' is not a setting"),
                                     (("", "service = x:attempts=0"), f"{path}:2: service: x:attempts: '0'"),
                                     (("service = x", "threads = many"), f"{path}:2: threads: 'many'")):
                    write(*lines)
                    line = read_again()
                    self.assertIn("settings not reloaded: " + fault, line)
                    self.assertEqual(named(endpoints[1]), ["new", "pay"])
                os.unlink(path)
                self.assertIn(f"cannot read {path}: ", read_again())
                # Options that cannot change now do so at the next start, and the log says so each time.
                write("heartbeat = 100ms", "service = last")
                for changed in ("service", "none"):
                    self.assertIn(f"settings reloaded: changed={changed}", read_again())
                    self.assertIn("setting not reloaded: heartbeat changes at the next start",
                                  process.stderr.readline())
                self.assertEqual(named(endpoints[1]), ["last"])
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
                        f"broker state: endpoint={endpoints[0]} peers=0 ",
                        f"broker state: endpoint={endpoints[1]} peers=",
                        f"service state: endpoint={endpoints[1]} service=of\\x20two\\x20words workers=1 busy=0 "
                        "waiting=0 working=0 bytes=0 requests=1 replies=1 "}
                    while waited_for:
                        line = process.stderr.readline()
                        self.assertNotEqual(line, "")
                        waited_for = {text for text in waited_for if text not in line}
            process.terminate()
            self.assertEqual(process.wait(DEADLINE), 0)
            self.assertEqual(process.stderr.read().count("broker stopped: endpoint="), 2)


class Signals(unittest.TestCase):
    """A script may send a signal when it has read that a server is bound."""

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
        result = run("demo", "--duration", "2s")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^passed: \d+ requests, ")
        self.assertIn("killing worker", result.stdout)
        self.assertRegex(result.stdout.splitlines()[-1], r"^passed: \d+ updates, ")
        self.assertIn("killing the active server", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # so that skipped tests are named

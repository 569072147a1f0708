#!/usr/bin/python3
"""zinc as an operator meets it: arguments, exit codes, messages, signals."""

import contextlib
import json
import os
import signal
import subprocess
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

    def test_help_of_each_subcommand(self):
        for name in ("broker", "worker", "request", "demo"):
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


class Demo(unittest.TestCase):
    def test_all_of_it_holds(self):
        result = run("demo", "--seconds", "2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout.splitlines()[-1], r"^all of it held: \d+ requests, ")
        self.assertIn("killing worker", result.stdout)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The examples in the pages are the compiled ones, and behave as the pages say."""

import os
import re
import signal
import subprocess
import tempfile
import unittest

ROOT = os.environ.get("TEST_SRCDIR", "") + "/" + os.environ.get("TEST_WORKSPACE", "zinc")
EXAMPLES = ROOT + "/test/examples/"
ANYWHERE = "tcp://127.0.0.1:*"
PATIENCE = 20
PAGES = ("recipes", "chp", "coming_from_azmq", "coming_from_cppzmq", "security", "simulation", "tutorial")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Shown(unittest.TestCase):
    def test_each_block_is_the_example_that_it_is_linked_to(self):
        pages = "".join(read(f"{ROOT}/docs/{page}.md") for page in PAGES)
        blocks = re.findall(r"\(\.\./test/examples/(\w+\.cc)\)[^\n]*\n\n```cpp\n(.*?)```", pages,
                            re.S)
        for name, code in blocks:
            self.assertEqual(code, read(EXAMPLES + name), name)
        self.assertEqual(len(blocks), pages.count("```cpp"))
        self.assertEqual(sorted(name for name, _ in blocks),
                         sorted(name for name in os.listdir(EXAMPLES) if name.endswith(".cc")))


class Run(unittest.TestCase):
    def start(self, name, *arguments):
        """The program, in the background until the test is over."""
        program = subprocess.Popen([EXAMPLES + name, *arguments], stdout=subprocess.PIPE,
                                   universal_newlines=True)
        self.addCleanup(self.end, program)
        return program

    def bound(self, *words):
        """A program of zinc with an input, in the background until the test is over, and its endpoint."""
        program = subprocess.Popen([ROOT + "/tools/zinc/zinc", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, universal_newlines=True)
        self.addCleanup(self.end, program)
        for line in program.stderr:
            if line.startswith("bound "):
                return program, line.split()[1]
        return self.fail(f"{words} is not bound")

    @staticmethod
    def end(program):
        program.kill()
        program.communicate()

    def run_to_its_end(self, name, *arguments):
        """Runs an example to its end, and returns its output lines."""
        done = subprocess.run([EXAMPLES + name, *arguments], stdout=subprocess.PIPE,
                              universal_newlines=True, timeout=PATIENCE, check=True)
        return done.stdout.splitlines()

    @staticmethod
    def line_of(program):
        return program.stdout.readline().strip()

    def test_the_echo_server_answers_the_client(self):
        server = self.start("echo_server", ANYWHERE)
        at = self.line_of(server)
        for _ in range(2):
            self.assertEqual(self.run_to_its_end("request_client", at), ["hello"])

    def test_the_subscriber_hears_the_publisher(self):
        publisher = self.start("publisher", ANYWHERE)
        heard = [int(n) for n in self.run_to_its_end("subscriber", self.line_of(publisher))]
        self.assertEqual(heard, list(range(heard[0], heard[0] + 3)))

    def test_the_puller_receives_every_message(self):
        puller = self.start("puller", ANYWHERE)
        self.assertEqual(self.run_to_its_end("pusher", self.line_of(puller)), [])
        self.assertEqual(puller.communicate(timeout=PATIENCE)[0], "100000\n")
        self.assertEqual(puller.returncode, 0)

    def test_the_filter_passes_every_alarm(self):
        self.assertEqual(self.run_to_its_end("small_messages"), ["last alarm: 999996"])

    def test_two_sockets_are_polled(self):
        server = self.start("poll_two", ANYWHERE)
        jobs_at, questions_at = self.line_of(server), self.line_of(server)
        self.assertEqual(self.run_to_its_end("pusher", jobs_at), [])
        answers = []
        while answers[-1:] != ["100000"]:
            answers += self.run_to_its_end("request_client", questions_at)
        self.assertEqual([int(a) for a in answers], sorted(int(a) for a in answers))

    def test_the_proxy_forwards_until_it_is_told_to_end(self):
        proxy = self.start("queue_proxy", ANYWHERE)
        clients_at, workers_at = self.line_of(proxy), self.line_of(proxy)
        self.start("worker", workers_at)
        self.assertEqual(self.run_to_its_end("request_client", clients_at), ["hello"])
        proxy.send_signal(signal.SIGTERM)
        self.assertEqual(proxy.communicate(timeout=PATIENCE)[0], "1 requests\n")
        self.assertEqual(proxy.returncode, 0)

    def test_services_answer_every_client(self):
        broker = subprocess.Popen([ROOT + "/tools/zinc/zinc", "broker", "--bind", ANYWHERE],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  universal_newlines=True)
        self.addCleanup(self.end, broker)
        at = self.line_of(broker).split()[-1]
        for server in ("service_worker", "coroutine_service"):
            worker = self.start(server, at)
            self.assertEqual(self.run_to_its_end("service_client", at), ["hello world"])
            nobody = "tcp://127.0.0.1:1"
            self.assertEqual(sorted(self.run_to_its_end("service_requests", nobody, at)),
                             ["hello 0", "hello 1", "hello 2"])
            worker.kill()

    def test_the_worker_does_tasks_until_a_publisher_stops_it(self):
        tasks, tasks_at = self.bound("cat", "push", ANYWHERE, "--bind", "--multipart", " ")
        results, results_at = self.bound("cat", "pull", ANYWHERE, "--bind", "--multipart", " ", "--count", "2")
        worker = self.start("task_worker", tasks_at, results_at, ANYWHERE)
        control_at = self.line_of(worker)
        tasks.stdin.write("a four\nb sixsix\n")
        tasks.stdin.flush()
        self.assertEqual([self.line_of(results) for _ in range(2)], ["a 4", "b 6"])
        self.zinc("cat", "pub", control_at, stdin="stop\n")
        self.assertEqual(worker.wait(PATIENCE), 0)

    def test_the_subscriber_prints_until_it_is_interrupted(self):
        publisher = self.start("publisher", ANYWHERE)
        subscriber = self.start("time_subscriber", self.line_of(publisher))
        first, second = (int(self.line_of(subscriber).split()[1]) for _ in range(2))
        self.assertEqual(second, first + 1)
        subscriber.send_signal(signal.SIGINT)
        self.assertEqual(subscriber.wait(PATIENCE), 0)

    def test_only_allowed_clients_reach_the_secure_server(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server, alice, mallory = (f"{folder.name}/{name}.cert" for name in ("server", "alice", "mallory"))
        for file in (server, alice, mallory):
            subprocess.run([ROOT + "/tools/zinc/zinc", "keygen", file], stdout=subprocess.PIPE, check=True)
        at = self.line_of(self.start("secure_server", ANYWHERE, server + "_secret", alice))
        self.assertEqual(self.run_to_its_end("secure_client", at, alice + "_secret", server), ["hello"])
        self.assertEqual(self.run_to_its_end("secure_client", at, mallory + "_secret", server), ["no answer"])
        self.assertEqual(self.run_to_its_end("secure_client", at, alice + "_secret", alice), ["no answer"])

    def zinc(self, *words, stdin=""):
        return subprocess.run([ROOT + "/tools/zinc/zinc", *words], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, universal_newlines=True, timeout=PATIENCE, check=False).stdout

    def test_the_secure_broker_has_rules(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificates = {name: f"{folder.name}/{name}.cert" for name in ("broker", "worker", "alice", "mallory")}
        for file in certificates.values():
            self.zinc("keygen", file)
        at = self.line_of(self.start("secure_broker", ANYWHERE, certificates["broker"] + "_secret", folder.name))

        def keys(name):
            return ["--connect", at, "--curve-secret-file", certificates[name] + "_secret", "--curve-server-key",
                    certificates["broker"]]

        worker = subprocess.Popen([ROOT + "/tools/zinc/zinc", "worker", "--service", "echo", *keys("worker")],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
        self.addCleanup(self.end, worker)
        self.assertEqual(self.zinc("request", "--service", "echo", "--timeout", "15s", *keys("alice"), "hello"), "hello\n")
        self.assertEqual(self.zinc("request", "--service", "echo", "--timeout", "15s", *keys("mallory"), "hello"), "")

    def test_servers_check_passwords(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        users = f"{folder.name}/users"
        self.zinc("passwd", users, "alice", stdin="secret\n")
        files = {}
        for password in ("secret", "sacred"):
            files[password] = f"{folder.name}/{password}"
            with open(files[password], "w", encoding="ascii") as file:
                file.write(password + "\n")
        for server in (self.start("password_server", ANYWHERE, users), self.start("zap_server", ANYWHERE)):
            at = self.line_of(server)

            def ask(password, timeout, to=at):
                return self.zinc("cat", "req", to, "--plain-user", "alice", "--plain-password-file", files[password],
                                 "--timeout", timeout, stdin="hello\n")

            self.assertEqual(ask("secret", "15s"), "hello\n")
            self.assertEqual(ask("sacred", "300ms"), "")

    def test_each_core_does_jobs(self):
        self.assertEqual(self.run_to_its_end("thread_per_core"), ["10000 jobs done"])

    def test_other_threads_reach_a_socket(self):
        self.assertEqual(self.run_to_its_end("other_threads"), ["first", "second"])

    def test_operations_end_early_and_lose_nothing(self):
        deadline, *rest = self.run_to_its_end("deadlines")
        self.assertIn("deadline passed", deadline)
        self.assertEqual(rest, ["a has an answer", "b has an answer", "cancelled"])

    def test_handlers_are_called_where_they_belong(self):
        self.assertEqual(self.run_to_its_end("completion_tokens"), ["callback there", "deferred"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""zinc interop as its user meets it, with shell scripts that stand in for programs of the Guide."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 60

# The drills of the first model of Freelance ask no more of them.
READY = "I: echo service is ready at tcp://*:5555"
SERVER = f"#!/bin/sh\necho '{READY}'\nexec sleep 1000\n"
CLIENT = ("#!/bin/sh\n"
          "echo 'W: no response from tcp://localhost:5555'\n"
          "echo 'Service is running OK'\n")


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True  # the other if it went while it was looked at


class InteropCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("ours", "theirs", "scratch"):
            os.mkdir(self.path(name))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, whose, name, text, mode=0o755):
        with open(self.path(whose, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(whose, name), mode)

    def write_freelance(self, whose):
        self.write(whose, "flserver1", SERVER)
        self.write(whose, "flclient1", CLIENT)

    def words(self, *more):
        return [ZINC, "interop", "--theirs", self.path("theirs"), "--ours", self.path("ours"), *more]

    def environment(self):
        return {**os.environ, "TMPDIR": self.path("scratch")}

    def run_interop(self, *more):
        return subprocess.run(self.words(*more), capture_output=True, text=True, timeout=DEADLINE,
                              check=False, env=self.environment(), cwd=self.folder)

    def results(self, *more):
        """{(drill, server's, client's): result}, and the exit code."""
        done = self.run_interop("--json", *more)
        return ({(one["drill"], one["server"]["whose"], one["client"]["whose"]): one
                 for one in json.loads(done.stdout)["results"]}, done.returncode)


class Arguments(InteropCase):
    def test_misuse(self):
        for words in ([], ["--theirs", "/nowhere"], ["--theirs", "/", "--ours", "/nowhere"],
                      ["--theirs", "/", "--pairs", "lp,nothing"], ["--theirs", "/", "--jobs", "0"],
                      ["--list", "--pairs", "nothing"]):
            with self.subTest(words):
                done = subprocess.run([ZINC, "interop", *words], capture_output=True, text=True,
                                      timeout=DEADLINE, check=False)
                self.assertEqual(done.returncode, 2, done)
                self.assertTrue(done.stderr)

    def test_lists_the_drills(self):
        done = subprocess.run([ZINC, "interop", "--list", "--pairs", "lp,ppqueue/lpclient"],
                              capture_output=True, text=True, timeout=DEADLINE, check=True)
        self.assertEqual([line.split()[:3] for line in done.stdout.splitlines()],
                         [["lp", "lpserver/lpclient", "answers"], ["lp", "lpserver/lpclient", "no"],
                          ["lp", "lpserver/lpclient", "server"], ["pp", "ppqueue/lpclient", "answers"]])


class Verdicts(InteropCase):
    def test_all_combinations_pass(self):
        for whose in ("ours", "theirs"):
            self.write_freelance(whose)
        done = self.run_interop("--pairs", "flserver1/flclient1")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout.splitlines()[-1], "8 passed, 0 failed, 0 skipped")

    def test_without_the_control_no_drill_is_between_two_of_theirs(self):
        for whose in ("ours", "theirs"):
            self.write_freelance(whose)
        found, code = self.results("--pairs", "flserver1/flclient1", "--no-control")
        self.assertEqual(code, 0)
        self.assertEqual({key[1:] for key in found}, {("ours", "ours"), ("ours", "theirs"), ("theirs", "ours")})

    def test_skips_missing_programs(self):
        self.write_freelance("ours")
        self.write("theirs", "flclient1", CLIENT)
        found, code = self.results("--pairs", "flserver1/flclient1")
        self.assertEqual(code, 0)
        self.assertEqual({key[1:]: one["result"] for key, one in found.items()},
                         {("ours", "ours"): "passed", ("ours", "theirs"): "passed",
                          ("theirs", "ours"): "skipped", ("theirs", "theirs"): "skipped"})
        self.assertEqual(found["answers", "theirs", "ours"]["reason"], "theirs have no flserver1")

    def test_a_broken_program_fails_and_the_missing_line_is_said(self):
        self.write_freelance("ours")
        self.write("theirs", "flserver1", SERVER)
        self.write("theirs", "flclient1", "#!/bin/sh\necho nonsense >&2\n")
        found, code = self.results("--pairs", "flserver1/flclient1")
        self.assertEqual(code, 1)
        broken = found["answers", "ours", "theirs"]
        self.assertEqual(broken["result"], "failed")
        self.assertEqual(broken["missing"], "Service is running OK")
        self.assertEqual(broken["reason"], "flclient1 (theirs) has ended; its last line: nonsense "
                                           "(theirs fail with themselves too)")
        self.assertEqual(found["answers", "theirs", "ours"]["result"], "passed")

    def test_a_program_that_cannot_run_fails(self):
        self.write_freelance("ours")
        self.write_freelance("theirs")
        self.write("theirs", "flclient1", "no program")
        os.unlink(self.path("theirs", "flclient1"))
        self.write("theirs", "flclient1.py", CLIENT, 0o644)
        found, code = self.results("--pairs", "flserver1/flclient1", "--python", "/nowhere/python")
        self.assertEqual(code, 1)
        self.assertEqual(found["answers", "ours", "theirs"]["reason"],
                         "cannot run '/nowhere/python': No such file or directory "
                         "(theirs fail with themselves too)")

    def test_a_python_without_zmq_is_found_out_before_the_first_drill(self):
        self.write_freelance("ours")
        self.write_freelance("theirs")
        os.unlink(self.path("theirs", "flclient1"))
        self.write("theirs", "flclient1.py", "import zmq\n", 0o644)
        self.write("theirs", "python", "#!/bin/sh\n"
                   f"echo run >> {self.path('runs')}\n"
                   "echo Traceback >&2\n"
                   "echo \"ModuleNotFoundError: No module named 'zmq'\" >&2\n"
                   "exit 1\n")
        for python, why in ((self.path("theirs", "python"), "ModuleNotFoundError: No module named 'zmq'"),
                            ("/nowhere/python", "No such file or directory")):
            with self.subTest(python):
                done = self.run_interop("--pairs", "flserver1/flclient1", "--python", python)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"{python} cannot import zmq: {why}; install pyzmq", done.stderr)
        with open(self.path("runs"), encoding="ascii") as runs:
            self.assertEqual(runs.read(), "run\n", "it is asked once, and no drill was played")

    def test_python_runs_what_is_python(self):
        self.write_freelance("ours")
        self.write("theirs", "flserver1", SERVER)
        self.write("theirs", "flclient1.py",
                   "print('no response from tcp://localhost:5555')\nprint('Service is running OK')\n", 0o644)
        found, code = self.results("--pairs", "flserver1/flclient1", "--python", sys.executable)
        self.assertEqual(code, 0, found)

    def test_a_simulated_crash_does_not_end_a_program(self):
        for whose in ("ours", "theirs"):
            self.write(whose, "spqueue", SERVER)
            self.write(whose, "lpclient", "#!/bin/sh\necho 'I: server replied OK (1)'\n")
            self.write(whose, "spworker",
                       "#!/bin/sh\n"
                       "if mkdir crashed; then echo 'I: (1) simulating a crash'; exit; fi\n"
                       "echo 'I: (1) worker ready'\n"
                       "exec sleep 1000\n")
        found, code = self.results("--pairs", "spqueue/lpclient")
        self.assertEqual(code, 0, found)
        self.assertEqual(len(found), 4)


class Surroundings(InteropCase):
    def test_each_drill_has_its_ports_and_its_folder(self):
        for whose in ("ours", "theirs"):
            self.write_freelance(whose)
            self.write(whose, "flserver1.py",
                       "import os, socket, time\n"
                       "os.mkdir('mine')\n"
                       "one = socket.socket()\n"
                       "one.bind(('127.0.0.1', 5555))\n"
                       "one.listen()\n"
                       f"print('{READY}')\n"
                       "while True: one.accept()[0].close()\n")
            os.unlink(self.path(whose, "flserver1"))
            self.write(whose, "flclient1.py",
                       "import socket, time\n"
                       "while socket.socket().connect_ex(('127.0.0.1', 5555)): time.sleep(0.01)\n"
                       "print('no response from tcp://localhost:5555')\n"
                       "print('Service is running OK')\n"
                       # Others want the port meanwhile.
                       "time.sleep(0.3)\n")
            os.unlink(self.path(whose, "flclient1"))
        found, code = self.results("--pairs", "flserver1/flclient1", "--python", sys.executable, "--jobs", "8")
        self.assertEqual(code, 0, found)
        self.assertEqual(os.listdir(self.path("scratch")), [])
        self.assertFalse(os.path.exists(self.path("mine")))

    def test_without_networks_of_their_own_drills_come_one_after_the_other(self):
        without = ["unshare", "--user", "--net", "--map-root-user", "sh", "-c",
                   "echo 0 > /proc/sys/user/max_user_namespaces && "
                   "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$@\"", "sh"]
        if subprocess.run([*without, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespaces to forbid any in")
        for whose in ("ours", "theirs"):
            self.write_freelance(whose)
            self.write(whose, "flclient1", "#!/bin/sh\n"
                                           f"echo begin >> {self.path('log')}\n"
                                           "sleep 0.05\n"
                                           f"echo end >> {self.path('log')}\n" + CLIENT.split("\n", 1)[1])
        done = subprocess.run([*without, *self.words("--pairs", "flserver1/flclient1", "--json", "--jobs", "8")],
                              capture_output=True, text=True, timeout=DEADLINE, check=False, env=self.environment())
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("one after the other", done.stderr)
        self.assertIn("one after the other", json.loads(done.stdout)["notice"])
        with open(self.path("log"), encoding="ascii") as file:
            self.assertEqual(file.read().split(), 8 * ["begin", "end"])

    def test_nothing_is_left_running(self):
        for whose in ("ours", "theirs"):
            self.write_freelance(whose)
            self.write(whose, "flserver1", "#!/bin/sh\n"
                                           "trap '' TERM INT HUP\n"
                                           f"sleep 1000 & echo $$ $! >> {self.path('running')}\n"
                                           f"echo '{READY}'\n"
                                           "wait\n")
            # The client runs until the server has written its process id.
            self.write(whose, "flclient1", f"#!/bin/sh\nuntil [ -s {self.path('running')} ]; do sleep 0.01; done\n"
                                           + CLIENT.split("\n", 1)[1])
        _, code = self.results("--pairs", "flserver1/flclient1")
        self.assertEqual(code, 0)
        self.expect_gone()

    def test_a_signal_ends_it_and_all_of_its_programs(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                self.write("ours", "lpserver", f"#!/bin/sh\necho $$ >> {self.path('running')}\nexec sleep 1000\n")
                self.write("ours", "lpclient", "#!/bin/sh\nexec sleep 1000\n")
                process = subprocess.Popen(self.words("--pairs", "lp"), env=self.environment(),
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)
                end = time.monotonic() + DEADLINE
                while not self.running():
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                process.send_signal(number)
                self.assertEqual(process.wait(DEADLINE), -number if number == signal.SIGKILL else 1)
                self.expect_gone()
                if number != signal.SIGKILL:
                    self.assertEqual(os.listdir(self.path("scratch")), [])

    def running(self):
        try:
            with open(self.path("running"), encoding="ascii") as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def expect_gone(self):
        self.assertTrue(self.running())
        end = time.monotonic() + DEADLINE
        # One may say that it runs while the others are looked at.
        while not all(gone(pid) for pid in self.running()):
            self.assertLess(time.monotonic(), end, self.running())
            time.sleep(0.01)
        os.unlink(self.path("running"))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # so that skipped tests are named

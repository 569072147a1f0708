#!/usr/bin/python3
"""zinc bstar as an operator meets it: a pair around a command that says what happens to it."""

import os
import signal
import subprocess
import tempfile
import time
import unittest

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30

# Says its epoch and its process, and when it is asked to end.
COMMAND = ("sh", "-c", 'trap "echo ended; exit 0" TERM; echo running $ZINC_EPOCH $$; '
                       "while :; do sleep 0.05; done")
DEAF = ("sh", "-c", 'trap "" TERM; echo running $ZINC_EPOCH $$; while :; do sleep 0.05; done')


def gone(pid):
    """Whether the process has ended. A zombie has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True  # the other if it went while it was looked at


class BstarCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def endpoint(self, role):
        return f"ipc://{self.path(role)}"

    def words(self, role, *more):
        other = "backup" if role == "primary" else "primary"
        # So long that a busy machine does not take one for dead.
        return [ZINC, "bstar", f"--{role}", "--bind", self.endpoint(role), "--connect",
                self.endpoint(other), "--epoch-file", self.path(role + ".epoch"), "--heartbeat",
                "250ms", *more]

    def run_to_the_end(self, words):
        return subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False)

    def start(self, role, *more):
        process = subprocess.Popen(self.words(role, *more), stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), f"bound {self.endpoint(role)}\n")
        return process

    def await_line(self, process, begin):
        """The words of the first line with this prefix. The time limit of Bazel is the deadline."""
        for line in process.stdout:
            if line.startswith(begin):
                return line.split()
        self.fail(f"no line that begins with {begin}")

    def await_end_of(self, pid):
        end = time.monotonic() + DEADLINE
        while not gone(pid):
            self.assertLess(time.monotonic(), end, "it runs for ever")
            time.sleep(0.01)


class ArgumentsTest(BstarCase):
    def test_faults_are_named_and_are_misuse(self):
        both = ("--bind", "ipc://@a", "--connect", "ipc://@b")
        for words, fault in (
            (both, "--primary"),
            (("--primary", "--backup", *both), "--primary"),
            (("--primary", "--connect", "ipc://@b"), "--bind"),
            (("--primary", "--bind", "ipc://@a"), "--connect"),
            (("--primary", "--bind", "nowhere", "--connect", "ipc://@b"), "nowhere"),
            (("--primary", "--bind", self.endpoint("a"), "--connect", "nowhere"), "nowhere"),
            (("--primary", *both, "--heartbeat", "0s"), "--heartbeat"),
            (("--primary", *both, "--heartbeat", "100ms", "--expiry", "100ms"), "expiry"),
        ):
            with self.subTest(words):
                result = self.run_to_the_end([ZINC, "bstar", *words])
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(fault, result.stderr + result.stdout)

    def test_an_unusable_epoch_file_is_a_failure(self):
        with open(self.path("primary.epoch"), "w", encoding="ascii") as file:
            file.write("damaged\n")
        result = self.run_to_the_end(self.words("primary"))
        self.assertEqual(result.returncode, 1)
        self.assertIn(self.path("primary.epoch"), result.stderr)

    def test_help(self):
        result = self.run_to_the_end([ZINC, "bstar", "--help"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("--primary", result.stdout)


class PairTest(BstarCase):
    def test_the_command_runs_where_the_active_is(self):
        primary = self.start("primary", "--", *COMMAND)
        backup = self.start("backup", "--", *COMMAND)
        self.await_line(backup, "passive peer-active")
        _, epoch, pid = self.await_line(primary, "running")
        self.assertEqual(epoch, "1")
        # The command ends although no process stops it.
        primary.kill()
        self.await_end_of(pid)
        self.assertEqual(self.await_line(backup, "active"), ["active", "2"])
        self.assertEqual(self.await_line(backup, "running")[1], "2")
        primary.wait()
        primary = self.start("primary", "--", *COMMAND)
        self.await_line(primary, "passive peer-active")
        # A stop hands over.
        backup.terminate()
        self.await_line(backup, "ended")
        self.assertEqual(backup.wait(DEADLINE), 0)
        self.assertEqual(self.await_line(primary, "running")[1], "3")
        primary.terminate()
        self.assertEqual(primary.wait(DEADLINE), 0)

    def test_the_command_ends_when_the_other_node_has_taken_over(self):
        primary = self.start("primary", "--", *COMMAND)
        self.await_line(primary, "running 1")
        primary.send_signal(signal.SIGSTOP)
        backup = self.start("backup", "--promote-alone", "0s", "--", *COMMAND)
        self.await_line(backup, "running 2")
        primary.send_signal(signal.SIGCONT)
        self.await_line(primary, "passive superseded")
        self.await_line(primary, "ended")
        backup.terminate()
        self.assertEqual(backup.wait(DEADLINE), 0)
        # And runs again when it is wanted again.
        self.await_line(primary, "running 3")
        primary.terminate()
        self.assertEqual(primary.wait(DEADLINE), 0)


class CommandTest(BstarCase):
    def test_that_does_not_end_is_killed_after_the_grace(self):
        node = self.start("primary", "--grace", "50ms", "--", *DEAF)
        pid = self.await_line(node, "running")[2]
        node.terminate()
        self.assertEqual(node.wait(DEADLINE), 0)
        self.assertTrue(gone(pid))

    def test_that_ends_takes_its_node_along(self):
        for command, code, end in (("exit 0", 0, "exited with 0"), ("exit 3", 1, "exited with 3"),
                                   ("kill -9 $$", 1, "killed by signal 9")):
            with self.subTest(command):
                result = self.run_to_the_end(self.words("primary", "--", "sh", "-c", command))
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(f"command ended: {end}", result.stderr)

    def test_that_cannot_be_run_is_a_failure(self):
        result = self.run_to_the_end(self.words("primary", "--", "/no/such/command"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot run '/no/such/command': No such file or directory", result.stderr)

    def test_need_not_be_there(self):
        node = self.start("primary")
        self.await_line(node, "active 1")
        node.terminate()
        self.assertEqual(node.wait(DEADLINE), 0)
        with open(self.path("primary.epoch"), encoding="ascii") as file:
            self.assertEqual(file.read(), "1\n")


if __name__ == "__main__":
    unittest.main()

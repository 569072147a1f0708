#!/usr/bin/python3
"""Runs between two hosts: with a stand-in for ssh, and over a network where one can be made."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from command_case import CommandCase
from made_up import workload
from stand_ins import make_stand_ins
from comparison import machine
from comparison.child import RemoteChild
from comparison.host import Host, HostFailed, can_be_divided
from comparison.workload import Process

# Timeout for events that should come at once, on a busy machine.
PATIENCE = 60

SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
[ "$1" = other ] || { echo "no route to $1" >&2; exit 255; }
shift
echo Welcome
export SSH_CONNECTION="127.0.0.1 1 127.0.0.1 22"
sh -c "$*"
exit $?
"""
PROGRAM = """#!/bin/sh
echo pids: $$ $PPID over
exec sleep 3600
"""


def is_over(pidfd):
    return select.select([pidfd], [], [], PATIENCE)[0] != []


def write_program(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


class WithStandIn(CommandCase):
    """There is a program `ssh` that runs the commands here, and folder_there is where they may leave files."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Path(folder.name).resolve() / "bin"
        self.folder_there = Path(folder.name).resolve() / "there"
        for each in (self.programs, self.folder_there):
            each.mkdir()
        write_program(self.programs / "ssh", SSH)
        patched = mock.patch.dict(os.environ, PATH=f"{self.programs}:{os.environ['PATH']}",
                                  TMPDIR=str(self.folder_there), SSH_CONNECTION="")
        patched.start()
        self.addCleanup(patched.stop)

    def assert_nothing_is_left_there(self):
        self.assertEqual([path for path in self.folder_there.iterdir() if path.name.startswith("tmp.")], [])


class Command(WithStandIn):
    def test_the_processes_that_connect_run_there(self):
        code, output, errors = self.measure("--quick", "--host", "other", "--only", "stream_64", "--only",
                                            "idle_memory", "--only", "majordomo_4")
        self.assertEqual(code, 0, output + errors)
        self.assertIn("the processes that connect run on other: ", output)
        self.assertNotIn("left out", output)
        results = self.results()
        self.assertEqual(results["machine"]["other"]["name"], "other")
        stream, idle, majordomo = results["workloads"]
        self.assertIsNone(stream["cores_of_ends"])
        self.assertEqual(stream["contestants"]["ours"]["on_other"], [False, True])
        self.assertEqual(majordomo["contestants"]["theirs"]["on_other"], [False, True, True, True, True, True])
        for work, role in ((stream, "sender"), (idle, "peers"), (majordomo, "peers")):
            done, = work["contestants"]["ours"]["rounds"]
            self.assertGreater(done["cpu_seconds"][role], 0)
        self.assertGreater(idle["contestants"]["ours"]["rounds"][0]["peak_bytes"]["peers"], 2 ** 20)
        self.assert_nothing_is_left_there()

    def test_workloads_that_need_one_machine_are_left_out(self):
        code, output, _ = self.measure("--quick", "--host", "other", "--only", "stream_64", "--only",
                                       "inproc_stream_64", "--only", "fan_out_10")
        self.assertEqual(code, 0)
        self.assertIn("left out, because they need one machine: inproc_stream_64, fan_out_10\n", output)
        self.assertEqual([work["name"] for work in self.results()["workloads"]], ["stream_64"])

    def test_a_program_that_fails_there_is_named_with_its_words(self):
        code, output, _ = self.measure("--quick", "--host", "other", "--only", "stream_64", broken="bench/remote_thr")
        self.assertEqual(code, 1)
        self.assertRegex(output,
                         r"FAILED: ours: bench/remote_thr ended with 1\n +bench/remote_thr: remote_thr is broken\n")
        self.assert_nothing_is_left_there()

    def test_a_program_that_is_not_there_is_named(self):
        root = make_stand_ins(self)
        (root / "bench/remote_thr").unlink()
        code, output, _ = self.compare("--programs", root, "--quick", "--host", "other", "--only", "stream_64",
                                       "--out", self.out)
        self.assertEqual(code, 1)
        self.assertIn("cannot start bench/remote_thr: No such file", output)

    def test_a_host_that_does_not_answer_is_named(self):
        code, _, errors = self.measure("--host", "nowhere", "--only", "stream_64")
        self.assertEqual(code, 1)
        self.assertIn("nowhere ended with 255: no route to nowhere", errors)

    def test_a_busy_host_is_refused(self):
        def install(host, *_):
            host.machine = machine.system(2.0)
        with mock.patch.object(Host, "install", install), \
             mock.patch("comparison.machine.os.getloadavg", lambda: (0.1, 0, 0)):
            code, _, errors = self.compare("--programs", make_stand_ins(self), "--host", "other", "--only", "stream_64",
                                           "--out", self.out)
        self.assertEqual(code, 3)
        self.assertIn("other: the load average is 2.00", errors)

    def test_misuse(self):
        for arguments in (["--host", "other", "--only", "stream_ipc_*"], ["--shell", "sh -c"],
                          ["--address", "127.0.0.1"], ["--host", "other", "--shell", "'"],
                          ["--host", "other", "--nats", "/bin/echo"]):
            code, _, errors = self.compare(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("error:", errors)

    def test_the_results_are_not_published(self):
        self.measure("--host", "other", "--only", "stream_single_64")
        code, _, errors = self.compare("--publish", self.out)
        self.assertEqual(code, 2)
        self.assertIn("--host", errors)


class Connection(WithStandIn):
    """The processes and files after a connection or a process has ended."""

    def installed(self, program=PROGRAM, name="other", libraries=(), **how):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "bench").mkdir()
        write_program(Path(folder.name) / "bench/program", program)
        host = Host(name, **how)
        self.addCleanup(host.close)
        host.install(Path(folder.name), libraries)
        return host

    def started(self, seconds=3600, program=PROGRAM):
        """A process there."""
        host = self.installed(program)
        child = RemoteChild(Process("", "bench/program", ()), host.command("bench/program", [], seconds), host.name)
        self.addCleanup(lambda: child.close() if not self.closed else None)
        self.closed = False
        return child

    def read_until(self, child, text):
        while text not in child.output:
            self.assertTrue(select.select([child.pipes[0]], [], [], PATIENCE)[0], child.errors)
            self.assertNotEqual(child.read(child.pipes[0]), b"", child.errors)

    def pids(self, child):
        """Descriptors of the program there and of the process that started it, and the id of the latter."""
        self.read_until(child, "over\n")
        program, parent = map(int, re.search(r"pids: (\d+) (\d+)", child.output).groups())
        descriptors = os.pidfd_open(program), os.pidfd_open(parent)
        for each in descriptors:
            self.addCleanup(os.close, each)
        return *descriptors, parent

    def close(self, child):
        self.closed = True
        child.close()

    def take_end(self, child):
        self.assertTrue(is_over(child.end))
        child.take_end()

    def test_a_lost_connection_leaves_no_process(self):
        child = self.started()
        program, parent, _ = self.pids(child)
        os.kill(child.pid, signal.SIGKILL)
        self.take_end(child)
        self.assertNotEqual(child.exit_code, 0)
        self.assertIn("the connection to other was lost", child.errors)
        self.close(child)
        self.assertTrue(is_over(program))
        self.assertTrue(is_over(parent))

    def test_a_program_ends_with_the_process_that_started_it(self):
        child = self.started()
        program, _, parent = self.pids(child)
        os.kill(parent, signal.SIGKILL)
        self.assertTrue(is_over(program))
        self.take_end(child)
        self.assertIn("the connection to other was lost", child.errors)

    def test_a_program_is_killed_at_its_deadline(self):
        child = self.started(seconds=0)
        self.take_end(child)
        self.assertEqual((child.exit_code, child.errors.strip()), (-signal.SIGKILL, ""))

    def test_a_signal_arrives(self):
        child = self.started()
        self.pids(child)
        child.end_by(signal.SIGTERM)
        self.take_end(child)
        self.assertEqual(child.exit_code, -signal.SIGTERM)
        child.end_by(signal.SIGTERM)  # does nothing

    def test_the_end_of_the_input_arrives(self):
        child = self.started(program="#!/bin/sh\necho ready\ncat\necho said >&2\nexit 3\n")
        self.read_until(child, "ready\n")
        child.close_input()
        self.take_end(child)
        self.assertEqual((child.exit_code, child.errors.strip()), (3, "said"))

    def test_files_that_arrive_changed_are_refused(self):
        write_program(self.programs / "tar", f'#!/bin/sh\n{shutil.which("tar")} "$@" && echo >> "$4"/bench/program\n')
        with self.assertRaisesRegex(HostFailed, "other received other files than those here: bench/program$"):
            self.installed()

    def test_other_versions_are_refused(self):
        with mock.patch("comparison.machine.libzmq_version", lambda: "0.0"), \
             self.assertRaisesRegex(HostFailed, "the version of libzmq is 0.0 here and .* on other"):
            self.installed(libraries=("libzmq",))

    def test_a_failed_installation_leaves_no_files(self):
        write_program(self.programs / "python3", "#!/bin/sh\nexit 9\n")
        with self.assertRaisesRegex(HostFailed, "other ended with 1"):
            self.installed()
        self.assert_nothing_is_left_there()

    def test_the_address_is_asked_for(self):
        with self.assertRaisesRegex(HostFailed, "Give --address"):
            self.installed(shell=["sh", "-c"])
        self.assertEqual(self.installed().address, "127.0.0.1")
        self.assertEqual(self.installed(shell=["sh", "-c"], address="192.0.2.1").address, "192.0.2.1")


class Divisible(unittest.TestCase):
    def test_each_contestant_must_have_two_ends_that_meet_at_a_port(self):
        for name, expected in (("stream_64", True), ("proxy_64", True), ("majordomo_10", True), ("black_box", True),
                               ("stream_ipc_64", False), ("inproc_stream_64", False), ("fan_out_1", False),
                               ("topics_1", False), ("single_publish_1", False)):
            self.assertEqual(can_be_divided(workload(name)), expected, name)


class OverANetwork(CommandCase):
    def test_a_run_between_two_networks(self):
        for flags in (["--user", "--map-root-user", "--net"], ["--net"]):
            able = subprocess.run(["unshare", *flags, "true"], capture_output=True, text=True, check=False)
            if able.returncode == 0:
                break
        else:
            self.skipTest(f"no network of its own: {able.stderr.strip()}")
        script = Path(__file__).resolve().parent / "over_veth.py"
        done = subprocess.run(["unshare", *flags, sys.executable, str(script), "--quick", "--only", "stream_64",
                               "--only", "round_trip_64", "--programs", str(make_stand_ins(self)),
                               "--out", str(self.out)],
                              capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
        if done.returncode == 77:
            self.skipTest(f"no second network: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.results()["machine"]["other"]["name"], "there")
        self.assertEqual(len(self.results()["workloads"][0]["contestants"]["ours"]["rounds"]), 3)


if __name__ == "__main__":
    unittest.main()

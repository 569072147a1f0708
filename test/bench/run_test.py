#!/usr/bin/python3
"""Runs of real processes: their figures, their resources, and that no process is left."""

import os
import selectors
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from stand_ins import make_stand_ins
from comparison.catalogue import WORKLOADS
from comparison.child import Child
from comparison.run import RunFailed, run

WORK = {workload.name: workload for workload in WORKLOADS}
# Timeout for events that should come at once, on a busy machine.
PATIENCE = 60


def contestant(name, key):
    return next(each for each in WORK[name].contestants if each.key == key)


class EndsFirst(selectors.DefaultSelector):
    """Reports the end of a process before its pipes, which have ended at the same time."""

    def select(self, timeout=None):
        found = super().select(timeout)
        ended = [key for key, _ in found if key.fd == key.data.end]
        pipes = [key for key in self.get_map().values()
                 if any(key.data is each.data and key.fd != each.fd for each in ended)]
        return [(key, selectors.EVENT_READ) for key in (*ended, *pipes)] or found


class Runs(unittest.TestCase):
    def run_one(self, name, key, seconds=PATIENCE, **faulty):
        root = make_stand_ins(self, **faulty)
        try:
            return run(WORK[name], contestant(name, key), 1000, lambda program: root / program,
                       seconds)
        finally:
            # Every child was taken by its id, so that there is none to wait for.
            with self.assertRaises(ChildProcessError):
                os.wait4(-1, os.WNOHANG)

    def assert_fails(self, words, *arguments, **named):
        with self.assertRaisesRegex(RunFailed, words):
            self.run_one(*arguments, **named)

    def test_each_end_gets_its_cores(self):
        available = sorted(os.sched_getaffinity(0))
        ends = {available[0]}, {available[-1]}
        with mock.patch("comparison.cores.divide", lambda _: ends), \
             mock.patch("comparison.run.Child", wraps=Child) as child:
            self.run_one("stream_64", "ours")
        self.assertEqual([call.args[2] for call in child.call_args_list], list(ends))

    def test_a_stream_gives_the_receivers_figure_and_the_cpu_time_of_both(self):
        done = self.run_one("stream_64", "ours")
        self.assertEqual(done.figure, 4_000_000)
        self.assertEqual(set(done.cpu_seconds), {"receiver", "sender"})
        for seconds in done.cpu_seconds.values():
            self.assertGreater(seconds, 0)

    def test_memory_does_not_include_that_of_the_comparison(self):
        held = bytearray(2 ** 28)
        held[::4096] = b"1" * (2 ** 28 // 4096)  # so that it is resident
        done = self.run_one("stream_64", "ours")
        self.assertEqual(set(done.peak_bytes), {"receiver", "sender"})
        self.assertGreater(done.peak_bytes["receiver"], 2 ** 20)
        self.assertLess(max(done.peak_bytes.values()), len(held))

    def test_memory_of_a_server_is_read_before_its_end(self):
        done = self.run_one("idle_memory", "ours")
        self.assertEqual(set(done.peak_bytes), {"router", "peers"})
        self.assertGreater(done.peak_bytes["router"], 2 ** 20)

    def test_a_process_and_its_pipes_may_end_at_once(self):
        with mock.patch("comparison.run.selectors.DefaultSelector", EndsFirst):
            self.assertEqual(self.run_one("stream_64", "ours").figure, 4_000_000)

    def test_a_round_trip_gives_the_clients_figure(self):
        self.assertEqual(self.run_one("round_trip_64", "theirs").figure, 100)

    def test_programs_meet_at_a_socket_file_that_goes(self):
        before = set(Path(tempfile.gettempdir()).glob("zinc-comparison-*"))
        self.assertEqual(self.run_one("stream_ipc_64", "ours").figure, 4_000_000)
        self.assertEqual(self.run_one("round_trip_ipc_64", "theirs").figure, 100)
        self.assertLessEqual(set(Path(tempfile.gettempdir()).glob("zinc-comparison-*")), before)

    def test_a_fan_out_binds_to_all_addresses(self):
        self.assertEqual(self.run_one("fan_out_10", "limit").figure, 8_000_000)

    def test_a_broker_ends_on_sigterm_and_its_workers_are_one_role(self):
        done = self.run_one("majordomo_4", "theirs")
        self.assertEqual(done.figure, 10_000)
        self.assertEqual(set(done.cpu_seconds), {"broker", "workers", "client"})

    def test_idle_peers_end_with_their_input(self):
        self.assertEqual(self.run_one("idle_memory", "ours").figure, 4096)

    def test_a_program_that_fails_is_named_with_its_words(self):
        self.assert_fails(r"(?s)bench/remote_thr ended with 1.*remote_thr is broken",
                          "stream_64", "ours", broken="bench/remote_thr")

    def test_a_broker_that_ends_early_fails_the_run(self):
        self.assert_fails("md_broker ended", "majordomo_4", "theirs",
                          broken="bench/libzmq/md_broker")

    def test_a_run_without_figure_fails(self):
        self.assert_fails(r"local_thr printed no `mean throughput: N \[msg/s\]`", "stream_64",
                          "ours", silent="bench/local_thr")

    def test_peers_that_do_not_report_fail_the_run_at_its_deadline(self):
        self.assert_fails("did not come within 2 s", "idle_memory", "ours", seconds=2,
                          silent="bench/limits/idle_peers")

    def test_a_program_that_never_listens_is_killed_at_the_deadline(self):
        self.assert_fails("a listening socket did not come within 1 s", "stream_64", "ours",
                          seconds=1, endless="bench/local_thr")

    def test_a_program_that_never_ends_is_killed_at_the_deadline(self):
        self.assert_fails("did not come within 2 s", "stream_64", "ours", seconds=2,
                          endless="bench/remote_thr")

    def test_a_program_that_is_not_there_is_named(self):
        root = make_stand_ins(self)
        (root / "bench/local_thr").unlink()
        with self.assertRaisesRegex(RunFailed, "cannot start .*bench/local_thr.*is it built"):
            run(WORK["stream_64"], contestant("stream_64", "ours"), 1000,
                lambda program: root / program, PATIENCE)


if __name__ == "__main__":
    unittest.main()

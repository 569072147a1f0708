#!/usr/bin/python3
"""How the cores of a machine are divided between two ends, and that the processes get them."""

import os
import unittest
from unittest import mock

from made_up import workload
from comparison import cores
from comparison.catalogue import with_nats
from comparison.child import Child
from comparison.workload import Process


class Cores(unittest.TestCase):
    def test_each_end_has_half(self):
        self.assertEqual(cores.divide(range(4), str), ({0, 1}, {2, 3}))

    def test_an_odd_core_is_left_to_other_programs(self):
        self.assertEqual(cores.divide(range(5), str), ({0, 1}, {2, 3}))

    def test_threads_of_one_core_stay_together(self):
        self.assertEqual(cores.divide(range(8), lambda core: str(core % 4)), ({0, 1, 4, 5}, {2, 3, 6, 7}))

    def test_two_cores_are_not_divided(self):
        self.assertIsNone(cores.divide({0, 1}, str))

    def test_threads_of_a_single_core_are_not_divided(self):
        self.assertIsNone(cores.divide(range(4), lambda core: "0-3"))

    def test_only_two_ends_are_kept_apart(self):
        with mock.patch("comparison.cores.os.sched_getaffinity", lambda _: set(range(8))):
            self.assertIsNotNone(cores.of_ends(workload("stream_64")))
            self.assertIsNone(cores.of_ends(workload("majordomo_4")))
            self.assertIsNone(cores.of_ends(workload("inproc_stream_64")))

    def test_a_server_of_nats_between_does_not_mix_the_ends_of_others(self):
        with mock.patch("comparison.cores.os.sched_getaffinity", lambda _: set(range(8))):
            self.assertIsNotNone(cores.of_ends(with_nats(workload("stream_64"), "/nats-server", "?")))

    def test_a_process_has_the_cores_of_its_end(self):
        core = min(os.sched_getaffinity(0))
        child = Child(Process("end", "cat", ()), ["cat"], {core})
        try:
            self.assertEqual(os.sched_getaffinity(child.pid), {core})
        finally:
            child.close()


if __name__ == "__main__":
    unittest.main()

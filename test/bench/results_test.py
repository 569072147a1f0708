#!/usr/bin/python3
"""The JSON holds every round, and the conclusions."""

import json
import unittest
from unittest import mock

from made_up import failed, measured
from comparison.measurement import Settings
from comparison.results import to_json


def written(*measurements):
    return json.loads(to_json({"cpu": "some"}, Settings(2, 1.0, 5), measurements))


class Results(unittest.TestCase):
    def test_every_round_of_every_contestant_is_there(self):
        work, = written(measured("stream_64", ours=[45, 46], theirs=[10, 9]))["workloads"]
        self.assertEqual([each["figure"] for each in work["contestants"]["ours"]["rounds"]],
                         [45, 46])
        self.assertEqual([each["figure"] for each in work["contestants"]["theirs"]["rounds"]],
                         [10, 9])
        self.assertEqual(work["contestants"]["ours"]["rounds"][0]["cpu_seconds"],
                         {"receiver": 1e-3, "sender": 1e-3})
        self.assertEqual(work["contestants"]["ours"]["peak_bytes"]["sender"],
                         {"median": 5 * 2 ** 20, "low": 5 * 2 ** 20, "high": 5 * 2 ** 20})

    def test_ratios_cpu_and_targets_are_there(self):
        work, = written(measured("single_attempt_64", ours=[45], theirs=[10], ours_to_theirs=[9]))["workloads"]
        ours = work["contestants"]["ours"]
        self.assertEqual(ours["ratio_to_libzmq"], {"median": 4.5, "low": 4.5, "high": 4.5})
        self.assertAlmostEqual(ours["cpu_nanoseconds"]["all"]["median"], 2000)
        self.assertAlmostEqual(ours["cpu_nanoseconds"]["sender"]["median"], 1000)
        self.assertEqual([(target["of"], target["met"]) for target in work["targets"]],
                         [("ours", True), ("ours_to_theirs", False)])

    def test_the_cores_of_both_ends_are_there(self):
        for ends, expected in ((({2, 0}, {1, 3}), [[0, 2], [1, 3]]), (None, None)):
            with mock.patch("comparison.cores.divide", lambda _, ends=ends: ends):
                work, = written(measured("stream_64", ours=[45], theirs=[10]))["workloads"]
            self.assertEqual(work["cores_of_ends"], expected)

    def test_a_fan_outs_cpu_is_by_delivery(self):
        work, = written(measured("fan_out_10", ours=[45], theirs=[10]))["workloads"]
        self.assertAlmostEqual(
            work["contestants"]["ours"]["cpu_nanoseconds"]["sender"]["median"], 100)

    def test_failures_are_named(self):
        document = written(failed(measured("stream_64", ours=[45], theirs=[]), "theirs", "why"))
        self.assertEqual(document["failures"], [
            {"workload": "stream_64", "contestant": "libzmq", "failure": "why"}])
        self.assertIsNone(document["workloads"][0]["contestants"]["theirs"]["figure"])

    def test_machine_settings_and_falling_ratios_are_there(self):
        document = written(measured("fan_out_1", ours=[50], theirs=[10]),
                           measured("fan_out_10", ours=[40], theirs=[10]))
        self.assertEqual(document["machine"], {"cpu": "some"})
        self.assertEqual(document["settings"], {"rounds": 2, "seconds": 1.0, "quick": False})
        self.assertEqual(document["falling_ratios"][0]["to"], "fan_out_10")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The order of the runs, and the handling of runs that fail."""

import unittest
from dataclasses import replace

from made_up import workload
from comparison.measurement import Settings, measure
from comparison.run import Run, RunFailed

STREAM = workload("stream_64")
KEYS = [contestant.key for contestant in STREAM.contestants]


class Programs:
    """Claims a million messages a second; the runs of `failing` fail from a certain one on."""

    def __init__(self, failing=None, fails_at=0):
        self.runs = []
        self._failing, self._fails_at = failing, fails_at

    def run(self, work, contestant, count, _seconds):
        self.runs.append((contestant.key, count))
        number = sum(1 for key, _ in self.runs if key == contestant.key)
        if contestant.key == self._failing and number > self._fails_at:
            raise RunFailed("it fell over")
        return Run(1e6, count / 1e6, {role: count * 1e-7 for role in contestant.roles},
                   {role: 1000 * number for role in contestant.roles})


def measured(programs, settings, said=None, work=STREAM):
    return measure(work, settings, programs.run, (said if said is not None else []).append)


class Measurement(unittest.TestCase):
    def test_contestants_take_turns_after_the_warm_up(self):
        programs = Programs()
        measured(programs, Settings(rounds=3, seconds=0.1, calibrations=1))
        self.assertEqual([key for key, _ in programs.runs], KEYS * 4)

    def test_counts_are_those_of_the_warm_up(self):
        programs = Programs()
        outcome = measured(programs, Settings(2, 1.0, 5)).outcomes["ours"]
        self.assertEqual(outcome.count, 1_100_000)
        self.assertEqual([count for key, count in programs.runs if key == "ours"][-2:],
                         [1_100_000] * 2)

    def test_calibration_leaves_what_a_workload_needs_at_the_least(self):
        work = workload("connections_1000")
        outcome = measured(Programs(), Settings(1, 0.01, 5), work=work).outcomes["ours"]
        self.assertEqual(outcome.count, work.least_count)

    def test_a_workload_may_have_to_last_longer(self):
        work = replace(STREAM, seconds=3.0)
        self.assertEqual(measured(Programs(), Settings(1, 1.0, 5), work=work).outcomes["ours"].count, 3_300_000)
        quick = measured(Programs(), Settings(1, 1.0, 5, quick=True), work=work)
        self.assertEqual(quick.outcomes["ours"].count, 1_100_000)

    def test_the_warm_up_does_not_count(self):
        self.assertEqual(len(measured(Programs(), Settings(2, 1.0, 5)).outcomes["ours"].runs), 2)

    def test_cpu_is_by_message(self):
        measurement = measured(Programs(), Settings(2, 1.0, 5))
        self.assertAlmostEqual(measurement.cpu("ours", "sender").median, 100)
        self.assertAlmostEqual(measurement.cpu("ours").median, 200)

    def test_memory_is_that_of_each_role_and_of_all(self):
        measurement = measured(Programs(), Settings(2, 1.0, 1))
        self.assertEqual(measurement.peak("ours", "sender"), (2500, 2000, 3000))
        self.assertEqual(measurement.peak("ours"), (5000, 4000, 6000))

    def test_a_contestant_that_fails_in_the_warm_up_is_not_restarted(self):
        said = []
        programs = Programs(failing="theirs")
        outcomes = measured(programs, Settings(3, 1.0, 1), said).outcomes
        self.assertEqual(outcomes["theirs"].failure, "it fell over")
        self.assertEqual(sum(1 for key, _ in programs.runs if key == "theirs"), 1)
        self.assertEqual(len(outcomes["ours"].runs), 3)
        self.assertEqual(said, ["    FAILED: libzmq: it fell over"])

    def test_a_contestant_that_fails_in_a_round_keeps_earlier_rounds(self):
        outcomes = measured(Programs("theirs", fails_at=2), Settings(3, 1.0, 1)).outcomes
        self.assertEqual(len(outcomes["theirs"].runs), 1)
        self.assertEqual(outcomes["theirs"].failure, "it fell over")

    def test_quick_takes_fewer_contestants_and_connections(self):
        programs = Programs()
        measured(programs, Settings(1, 0.1, 1, quick=True), work=workload("idle_memory"))
        self.assertEqual(set(programs.runs), {("ours", 1000), ("theirs", 1000)})

    def test_a_given_count_is_not_calibrated(self):
        programs = Programs()
        measured(programs, Settings(1, 0.1, 5), work=workload("idle_memory"))
        self.assertEqual(programs.runs, [("ours", 10_000), ("theirs", 10_000)] * 2)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The workloads fit the code that runs them."""

import string
import unittest

import from_bench  # noqa: F401: comparison is found by it
from comparison.catalogue import WORKLOADS
from comparison.contestants import MIXTURES
from comparison.workload import Ending


class Catalogue(unittest.TestCase):
    def test_names_are_unique(self):
        names = [workload.name for workload in WORKLOADS]
        self.assertEqual(len(names), len(set(names)))

    def test_each_contestant_is_there_once_and_one_of_its_processes_counts(self):
        for workload in WORKLOADS:
            keys = [contestant.key for contestant in workload.contestants]
            self.assertEqual(len(keys), len(set(keys)), workload.name)
            for contestant in workload.contestants:
                self.assertIn(contestant.figure_role, contestant.roles, workload.name)

    def test_arguments_ask_for_known_values(self):
        for workload in WORKLOADS:
            for contestant in workload.contestants:
                for process in contestant.processes:
                    for argument in process.arguments:
                        for _, name, _, _ in string.Formatter().parse(str(argument)):
                            self.assertIn(name, (None, "bind", "connect", "next", "websocket", "count"))

    def test_the_first_process_starts_at_once_and_one_gets_the_count(self):
        for workload in WORKLOADS:
            for contestant in workload.contestants:
                self.assertFalse(contestant.processes[0].when_listening, workload.name)
                self.assertTrue(any("{count}" in process.arguments
                                    for process in contestant.processes), workload.name)

    def test_a_process_ends_each_run_by_its_exit_or_output(self):
        for workload in WORKLOADS:
            for contestant in workload.contestants:
                self.assertTrue(any(process.ending is Ending.ITSELF or process.has_to_say
                                    for process in contestant.processes), workload.name)

    def test_targets_name_existing_contestants(self):
        for workload in WORKLOADS:
            for target in workload.targets:
                for key in {target.of, target.against} - {None}:
                    contestant = {each.key: each for each in workload.contestants}[key]
                    if target.role:
                        self.assertIn(target.role, contestant.roles, workload.name)

    def test_a_quick_run_includes_what_its_targets_compare_with(self):
        for workload in WORKLOADS:
            for target in workload.targets:
                if target.of in workload.quick and target.against:
                    self.assertIn(target.against, workload.quick, workload.name)

    def test_ours_at_one_end_is_judged_in_each_row(self):
        for workload in WORKLOADS:
            judged = {target.of for target in workload.targets if target.against == "theirs"}
            for contestant in workload.contestants:
                if contestant.key in MIXTURES:
                    self.assertIn(contestant.key, judged, workload.name)

    def test_the_bound_is_the_one_that_the_target_names(self):
        for workload in WORKLOADS:
            for target in workload.targets:
                self.assertEqual(target.at_least, "≥" in target.text)
                if target.beyond:
                    self.assertIn(f"+ {target.bound / 1000:g} µs", target.text)
                elif target.against:
                    self.assertIn(f"{target.bound:g} ×", target.text)


if __name__ == "__main__":
    unittest.main()

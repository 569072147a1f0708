#!/usr/bin/python3
"""Targets are met or missed by medians; a falling ratio has to be seen in every round."""

import unittest

from made_up import failed, measured
from comparison.judgement import falls, judge


def met(measurement):
    return [verdict.met for verdict in judge(measurement)]


class Judgement(unittest.TestCase):
    def test_a_ratio_at_the_bound_is_met(self):
        self.assertEqual(met(measured("single_attempt_64", ours=[30e6], theirs=[10e6])), [True])

    def test_a_ratio_below_the_bound_is_missed(self):
        self.assertEqual(met(measured("single_attempt_64", ours=[29e6], theirs=[10e6])), [False])

    def test_the_median_of_the_rounds_decides(self):
        verdict, = judge(measured("single_attempt_64", ours=[10, 50, 60], theirs=[10, 10, 10]))
        self.assertTrue(verdict.met)
        self.assertEqual(verdict.value, (5, 1, 6))

    def test_where_less_is_better_the_bound_is_the_most(self):
        self.assertEqual(met(measured("round_trip_spinning_64", ours=[15], theirs=[100])), [True])
        self.assertEqual(met(measured("round_trip_spinning_64", ours=[16], theirs=[100])), [False])

    def test_an_absolute_target_looks_at_our_figure(self):
        self.assertEqual(met(measured("idle_memory", ours=[3072], theirs=[24000])), [True])
        self.assertEqual(met(measured("idle_memory", ours=[3073], theirs=[24000])), [False])

    def test_the_brokers_cpu_is_compared_with_the_relays(self):
        measurement = measured("majordomo_4", ours=[300], theirs=[100], limit=[400])
        measurement.outcomes["ours"].runs[0].cpu_seconds["broker"] = 1.6e-3
        self.assertEqual(met(measurement), [True, False])
        measurement.outcomes["ours"].runs[0].cpu_seconds["broker"] = 1.4e-3
        self.assertEqual(met(measurement), [True, True])

    def test_an_absolute_cpu_target_is_by_request(self):
        self.assertEqual(met(measured("majordomo_capacity_8", cpu_seconds=0.9e-3, ours=[499_999])),
                         [False, True, None])

    def test_cpu_beyond_the_limit_is_compared_by_rounds(self):
        measurement = measured("round_trip_64", ours=[33, 33, 33], theirs=[46] * 3, limit=[33, 33, 33])
        for ours, limit, seconds in zip(measurement.outcomes["ours"].runs, measurement.outcomes["limit"].runs,
                                        (1e-3, 2e-3, 3e-3)):
            limit.cpu_seconds["client"] = seconds
            ours.cpu_seconds["client"] = seconds + 0.9e-3
            ours.cpu_seconds["server"] = seconds + 1.1e-3
        _, client, server = judge(measurement)
        self.assertAlmostEqual(client.value.median, 900)
        self.assertAlmostEqual(client.value.high, 900)
        self.assertEqual([client.met, server.met], [True, False])

    def test_a_target_judges_the_contestant_that_it_names(self):
        verdicts = judge(measured("fan_out_1000", ours=[8], theirs=[1], ours_to_theirs=[1.4],
                                  theirs_to_ours=[0.95]))
        self.assertEqual([(each.target.of, each.met) for each in verdicts],
                         [("ours", True), ("ours_to_theirs", False), ("theirs_to_ours", True)])

    def test_a_mixed_round_trip_may_take_little_longer(self):
        self.assertEqual([each.met for each in judge(measured(
            "round_trip_ipc_64", ours=[5], theirs=[100], ours_to_theirs=[105], theirs_to_ours=[106]))],
            [True, False])

    def test_the_limit_may_be_enough_where_libzmq_is_near_it(self):
        self.assertEqual(met(measured("stream_curve_64", ours=[85], theirs=[80], limit=[100])), [True])
        self.assertEqual(met(measured("stream_curve_64", ours=[84], theirs=[80], limit=[100])), [False])
        self.assertEqual(met(measured("stream_curve_64", ours=[84], theirs=[42], limit=[100])), [True])

    def test_without_the_other_side_nothing_is_judged(self):
        self.assertEqual(met(measured("single_attempt_64", ours=[45e6])), [None])
        self.assertEqual(met(failed(measured("single_attempt_64", ours=[45e6], theirs=[]), "theirs")),
                         [None])

    def test_a_ratio_that_is_lower_in_every_round_falls(self):
        fall, = falls([measured("multipart_10", ours=[30, 31], theirs=[10, 10]),
                       measured("multipart_1", ours=[40, 41], theirs=[10, 10])])
        self.assertEqual((fall.smallest.at, fall.largest.at), (1, 10))

    def test_a_ratio_within_the_noise_does_not_fall(self):
        self.assertEqual(falls([measured("multipart_1", ours=[40, 50], theirs=[10, 10]),
                                measured("multipart_10", ours=[30, 41], theirs=[10, 10])]), [])

    def test_streams_of_larger_messages_may_near_the_limit(self):
        self.assertEqual(falls([measured("stream_16", ours=[60], theirs=[10]),
                                measured("stream_1024", ours=[30], theirs=[10])]), [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The charts are SVG, name their content, and keep it inside."""

import itertools
import unittest
import xml.etree.ElementTree
from dataclasses import replace

from made_up import failed, measured
from comparison.charts import BOTTOM, HEIGHT, TOP, WIDTH, charts
from comparison.contestants import OURS_TO_THEIRS, THEIRS_TO_OURS

NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(*measurements):
    return {name: xml.etree.ElementTree.fromstring(text) for name, text in charts(measurements)}


def texts(chart):
    return [each.text for each in chart.iter(NAMESPACE + "text")]


def rows(chart):
    """Returns the texts of each height as their left and right ends. A letter is about half as wide as it is high."""
    found = {}
    for text in chart.iter(NAMESPACE + "text"):
        if text.get("y"):
            width = 0.5 * float(text.get("font-size")) * len(text.text)
            left = float(text.get("x")) - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
            found.setdefault(text.get("y"), []).append((left, left + width))
    return [sorted(row) for row in found.values()]


class Charts(unittest.TestCase):
    def test_a_stream_has_its_sizes_its_contestants_and_the_figures_compared(self):
        chart = drawn(measured("stream_16", ours=[50e6], theirs=[8e6], limit=[205e6]),
                      measured("stream_32768", ours=[170e3], theirs=[113e3]))["stream.svg"]
        for text in ("16 B", "32 KiB", "ours", "libzmq", "limit", "50.0 M", "8.00 M", "170 k"):
            self.assertIn(text, texts(chart))

    def test_round_trips_are_bars_from_zero(self):
        chart = drawn(measured("round_trip_1", ours=[7], theirs=[14], limit=[6]))["round_trip.svg"]
        figures = chart.findall(NAMESPACE + "rect")[1:]
        heights = sorted(float(bar.get("height")) for bar in figures)[-3:]
        self.assertAlmostEqual(heights[2] / heights[1], 2, places=1)
        self.assertIn("0", texts(chart))

    def test_places_of_different_kinds_are_not_joined(self):
        chart = drawn(measured("majordomo_1", ours=[6e4], theirs=[2e4]),
                      measured("majordomo_capacity_8", ours=[6e5]))["majordomo.svg"]
        self.assertEqual(chart.findall(NAMESPACE + "polyline"), [])

    def test_mixed_pairings_have_their_own_line(self):
        chart = drawn(measured("fan_out_1", ours=[3e7], theirs=[5e6], **{THEIRS_TO_OURS: [6e6]}),
                      measured("fan_out_10", ours=[3e7], theirs=[5e6], **{THEIRS_TO_OURS: [6e6]}))
        self.assertEqual(len(chart["fan_out.svg"].findall(NAMESPACE + "polyline")), 3)

    def test_everything_is_inside(self):
        found = drawn(measured("stream_16", ours=[1e5, 1e9], theirs=[3, 4], limit=[1e9]),
                      measured("round_trip_1", ours=[0.2], theirs=[900]))
        for chart in found.values():
            for name, most in (("x1", WIDTH), ("x2", WIDTH), ("cx", WIDTH), ("y1", HEIGHT),
                               ("y2", HEIGHT), ("cy", HEIGHT), ("y", HEIGHT)):
                for place in (each.get(name) for each in chart.iter() if each.get(name)):
                    self.assertTrue(0 <= float(place) <= most, (name, place))

    def test_long_names_take_more_than_one_line(self):
        stream = measured("stream_16", ours=[3e7], theirs=[5e6], limit=[1e8],
                          **{OURS_TO_THEIRS: [6e6], THEIRS_TO_OURS: [7e6]})
        for key in ("theirs", "limit"):
            outcome = stream.outcomes[key]
            outcome.contestant = replace(outcome.contestant, label="a server and its clients in between")
        found = drawn(stream,
                      *(measured(f"majordomo_capacity_{size}", ours=[6e5]) for size in (8, 16, 32, 64)),
                      *(measured(f"majordomo_{kind}", ours=[6e4]) for kind in ("1", "4", "10", "synchronous")))
        self.assertEqual(len(found), 2)
        for chart in found.values():
            for row in rows(chart):
                self.assertTrue(0 <= row[0][0] and row[-1][1] <= WIDTH, row)
                for one, next_one in itertools.pairwise(row):
                    self.assertLess(one[1], next_one[0])
            heights = {float(text.get("y")) for text in chart.iter(NAMESPACE + "text") if text.get("y")}
            outside = sorted(height for height in heights if height < TOP or height > HEIGHT - BOTTOM + 10)
            for one, next_one in itertools.pairwise(outside):
                self.assertGreaterEqual(next_one - one, 13)

    def test_a_workload_without_measurements_has_no_chart(self):
        self.assertEqual(drawn(measured("idle_memory", ours=[4096])), {})
        self.assertEqual(drawn(failed(measured("stream_16", ours=[]), "ours")), {})


if __name__ == "__main__":
    unittest.main()

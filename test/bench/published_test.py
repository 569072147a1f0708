#!/usr/bin/python3
"""The tables of the pages are written from results."""

import json
import tempfile
import unittest
from pathlib import Path

from made_up import measured
from comparison.catalogue import WORKLOADS
from comparison.measurement import Settings
from comparison.published import Document, publish, rewritten
from comparison.published_tables import BLOCKS
from comparison.results import to_json

MACHINE = {"cpu": "a CPU", "cores": 2, "kernel": "6.18.44-x", "compiler": "gcc (Debian 12) 12.2.0", "libzmq": "4.3.4",
           "nng": "1.5.2", "commit": 40 * "a", "uncommitted_changes": False, "date": "2026-11-26T18:45:00+00:00",
           "load_average": 0.1}


OPEN_LOOP = [{"library": "Zinc", "load": "10 % of its peak", "rate": 3e6, "rounds": [
    {"p50": 40, "p99": 95.4, "p999": 2211.8}, {"p50": 60, "p99": 80, "p999": 270}, {"p50": 50, "p99": 300, "p999": 500}]}]


def results(*measurements):
    return json.loads(to_json(MACHINE, Settings(1, 1.0, 5), measurements))


def lines(name, *measurements):
    return BLOCKS[name](Document(results(*measurements)))


def page(name, content="Nothing yet.\n\n"):
    return f"above\n\n<!-- {name} -->\n\n{content}<!-- end of {name} -->\n\nbelow\n"


STREAM = measured("stream_64", ours=[40e6], theirs=[5e6], limit=[50e6], ours_to_theirs=[6e6], theirs_to_ours=[4e6])


class Published(unittest.TestCase):
    def test_each_target_of_ours_has_a_row(self):
        self.assertEqual(lines("all figures", measured("stream_16", ours=[50e6], theirs=[5e6], limit=[200e6]))[2:], [
            "| stream, 16 B (msg/s) | 50.0 M | 5.00 M | 200 M | 10.00 [10.00–10.00] | ≥ 10 × libzmq | "
            "10.00 [10.00–10.00] | yes | 2,000 / 2,000 |",
            "| | | | | | ≥ 0.4 × raw stream | 0.25 [0.25–0.25] | **no** | |"])

    def test_absolute_targets_have_their_unit(self):
        text = "\n".join(lines("all figures", measured("idle_memory", ours=[2048], theirs=[4096]),
                               measured("majordomo_capacity_8", ours=[6e5], limit=[9e5]),
                               measured("round_trip_64", ours=[30], theirs=[40], limit=[29])))
        for row in ("| idle ROUTER connection | 2.00 KiB | 4.00 KiB | – | 0.50 [0.50–0.50] | ≤ 3 KiB | "
                    "2.00 KiB [2.00–2.00 KiB]",
                    "| ≥ 500 k request/s | 600 k [600–600 k] request/s | yes |", "| 1,000 [1,000–1,000] ns | yes |",
                    "| round trip, 64 B | 30.0 µs | 40.0 µs |", "| client CPU ≤ limit + 1 µs | 0 [0–0] ns | yes |"):
            self.assertIn(row, text)

    def test_mixed_pairs_are_judged_in_their_table(self):
        self.assertEqual(lines("mixed pairs", STREAM)[2:], [
            "| stream, 64 B | 1.20 [1.20–1.20] | 0.80 [0.80–0.80] | ≥ 0.95 / ≥ 0.95 | yes / **no** |"])

    def test_the_broker_alone_is_compared_by_rate_and_cpu(self):
        work = measured("majordomo_4", ours=[300], theirs=[100], limit=[400], our_broker=[200], their_broker=[150])
        self.assertEqual(lines("brokers", work)[2:], [
            "| 4 workers | 100 | 200 | 2.00 [2.00–2.00] | 1.50 [1.50–1.50] | 1,000 | 1,000 | 1,000 | "
            "1.00 [1.00–1.00] | yes |"])

    def test_missed_targets_and_falls_are_listed(self):
        self.assertEqual(lines("missed targets", measured("fan_out_1", ours=[8], theirs=[1]),
                               measured("fan_out_10", ours=[5], theirs=[1], ours_to_theirs=[0.9]))[2:], [
            "| fan-out to 10, 64 B, ours to libzmq | ≥ 0.95 × libzmq | 0.90 [0.90–0.90] |",
            "| fan-out to 1, 64 B; then fan-out to 10, 64 B | the ratio to libzmq does not fall | "
            "8.00 [8.00–8.00] to 5.00 [5.00–5.00] |"])

    def test_memory_is_that_of_each_process(self):
        self.assertEqual(lines("memory", STREAM)[2:],
                         ["| stream, 64 B | receiver 5.00, sender 5.00 | receiver 5.00, sender 5.00 |"])

    def test_readme_has_the_rows_that_were_measured(self):
        self.assertEqual(lines("figures", STREAM)[2:], [
            "| **a stream from Zinc to libzmq**, 64 bytes, messages/s | 6.00 M | 5.00 M | 1.20 |",
            "| **a stream from libzmq to Zinc**, 64 bytes, messages/s | 4.00 M | 5.00 M | 0.80 |"])

    def test_figures_of_one_row_have_one_unit(self):
        self.assertIn("| 9.00, 8.00 M | 3.00 M, 900 k | 3.00, 8.89 |", lines(
            "figures", measured("connections_1000", ours=[9e6], theirs=[3e6]),
            measured("connections_10000", ours=[8e6], theirs=[9e5]))[2])

    def test_all_tables_can_be_written_from_all_workloads(self):
        every = results(*(measured(each.name, **{key.key: [7] for key in each.contestants}) for each in WORKLOADS))
        for name, block in BLOCKS.items():
            if name not in ("nng", "NATS"):
                self.assertTrue(block(Document(every, open_loop=OPEN_LOOP)), name)

    def test_each_other_library_has_a_table(self):
        document = results(STREAM)
        contestants = document["workloads"][0]["contestants"]
        contestants["nats"] = {**contestants["ours"], "ratio_to_nng": None}
        contestants["ours"]["ratio_to_nats"] = {"median": 8, "low": 7, "high": 9}
        self.assertEqual(BLOCKS["nng"](Document(document)), [])
        self.assertIn("8.00 [7.00–9.00]", BLOCKS["NATS"](Document(document))[2])

    def test_an_open_loop_has_a_row_for_each_load(self):
        table = BLOCKS["open loop"](Document(results(STREAM), open_loop=OPEN_LOOP))
        self.assertEqual(table[2:], ["| Zinc at 10 % of its peak | 3.00 M | 50 [40–60] | 95 [80–300] | 500 [270–2,212] |"])

    def test_a_table_is_replaced_between_its_comments(self):
        document = Document(results(STREAM))
        once = rewritten(page("mixed pairs"), document)
        self.assertEqual(once, page("mixed pairs", "\n".join(lines("mixed pairs", STREAM)) + "\n\n"))
        self.assertEqual(rewritten(once, document), once)

    def test_a_table_that_was_not_measured_stays(self):
        self.assertEqual(rewritten(page("nng"), Document(results(STREAM))), page("nng"))

    def test_older_results_stand_in_for_what_was_not_measured(self):
        older = results(measured("clone", ours=[4e6], theirs=[1e6]), measured("stream_64", ours=[1], theirs=[1]))
        document = Document(results(STREAM), [older])
        self.assertEqual(document.by_name["stream_64"]["contestants"]["ours"]["figure"]["median"], 40e6)
        self.assertIn("| CHP updates, 32 B values (msg/s) | 4.00 M | 1.00 M |", BLOCKS["services"](document)[2])

    def test_publishing_copies_results_and_charts_and_removes_those_they_replace(self):
        with tempfile.TemporaryDirectory() as folder:
            root, out = Path(folder) / "tree", Path(folder) / "out"
            target = root / "docs/performance"
            for each in (target, out):
                each.mkdir(parents=True)
            for name, document in (("clone", results(measured("clone", ours=[4e6], theirs=[1e6]))),
                                   ("old", results(measured("stream_64", ours=[1], theirs=[1]))),
                                   ("other", {"machine": {}, "results": []})):
                (target / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
            (root / "docs/performance.md").write_text(page("mixed pairs"), encoding="utf-8")
            (root / "README.md").write_text(page("figures"), encoding="utf-8")
            (out / "results.json").write_text(json.dumps(results(STREAM)), encoding="utf-8")
            (out / "stream.svg").write_text("a chart", encoding="utf-8")
            publish(out, root)
            self.assertEqual({path.name for path in target.iterdir()},
                             {"clone.json", "other.json", "results.json", "stream.svg"})
            self.assertIn("1.20 [1.20–1.20]", (root / "docs/performance.md").read_text(encoding="utf-8"))
            self.assertIn("clustered hashmap", (root / "README.md").read_text(encoding="utf-8"))

    def test_quick_results_are_not_published(self):
        with tempfile.TemporaryDirectory() as folder:
            quick = to_json(MACHINE, Settings(1, 0.1, 1, quick=True), [STREAM])
            (Path(folder) / "results.json").write_text(quick, encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "--quick"):
                publish(Path(folder), Path(folder))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The figures of README.md and of docs/performance.md are those of the results files. Runs in the root of the tree."""

import json
import re
import unittest
from pathlib import Path
from typing import NamedTuple

README = Path("README.md")
PAGE = Path("docs/performance.md")
RESULTS = Path("docs/performance")

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
SCALES = {"M": 1e6, "k": 1e3, "KiB": 1024}


class Shown(NamedTuple):
    """The workloads that a row of README.md shows, and which contestant stands there for Zinc."""
    workloads: tuple
    key: str = "ours"
    file: str = "results.json"
    # Beside the ratio, that of the limit.
    with_limit: bool = False


FROM_US, FROM_THEM, OUR_BROKER = "ours_to_theirs", "theirs_to_ours", "our_broker"
IN_README = {
    "stream of 16, 64, 256, 1024 bytes, messages/s":
        Shown(("stream_16", "stream_64", "stream_256", "stream_1024")),
    "the same of 64 bytes over 1,000 connections": Shown(("connections_1000",)),
    "one message for each receive call, 64 bytes, messages/s": Shown(("stream_single_64",)),
    "a stream from Zinc to libzmq, 64 bytes, messages/s": Shown(("stream_64",), FROM_US),
    "a stream from libzmq to Zinc, 64 bytes, messages/s": Shown(("stream_64",), FROM_THEM),
    "publishing to 1,000 libzmq subscribers, deliveries/s": Shown(("fan_out_1000",), FROM_US),
    "publishing to 1, 100, 1000 subscribers, deliveries/s": Shown(("fan_out_1", "fan_out_100", "fan_out_1000")),
    "round trip of 64 bytes, one way": Shown(("round_trip_64",), with_limit=True),
    "the same with `spin`, which costs a core": Shown(("round_trip_spinning_64",)),
    "an idle connection of a ROUTER": Shown(("idle_memory",)),
    "Majordomo, ten lock-step workers, requests/s": Shown(("majordomo_10",)),
    "the same, only the broker differs: libzmq's workers and clients": Shown(("majordomo_10",), OUR_BROKER),
    "clustered hashmap, updates accepted and published again/s, measured before a turn was limited to 512 updates":
        Shown(("clone",), file="clone.json"),
}
# The rows of the table of the clustered hashmap that bench/compare measured. The page names the origin of the others.
OF_SERVICES = {
    "updates of 32 bytes from one client to one follower (update/s), none lost; measured before the limit of 512 "
    "updates per turn": Shown(("clone",), file="clone.json"),
    "Zinc's server with libzmq's clients": Shown(("clone",), "our_server", "clone.json"),
    "Black Box, 1 µs of work a message, two shards, beside libzmq's one thread (msg/s)":
        Shown(("black_box",), file="black_box.json"),
}


def results(file="results.json"):
    return json.loads((RESULTS / file).read_text(encoding="utf-8"))


def workloads(file="results.json"):
    return {each["name"]: each for each in results(file)["workloads"]}


def table(text, header):
    """Returns the rows below this header, each as its cells, without the marks of bold text."""
    lines = text.splitlines()
    begin = lines.index(header) + 2
    end = next(at for at in range(begin, len(lines)) if not lines[at].startswith("|"))
    return [[cell.strip() for cell in line.replace("**", "").strip("|").split("|")] for line in lines[begin:end]]


def shown(cell):
    """Returns the numbers of a cell, each with the half of its last digit. A factor holds for the numbers before it."""
    numbers = []
    factor = 1
    for match in reversed(list(NUMBER.finditer(cell))):
        unit = re.match(r" (\w+)", cell[match.end():])
        if unit and unit[1] in SCALES:
            factor = SCALES[unit[1]]
        text = match[0].replace(",", "")
        half = 0.5 * 10 ** -len(text.partition(".")[2])
        numbers.insert(0, (float(text) * factor, half * factor))
    return numbers


def fault(cell, values):
    """Returns what is wrong if the numbers of the cell are not these values, rounded. No value has no number."""
    values = [value for value in values if value is not None]
    numbers = shown(cell)
    if len(numbers) != len(values):
        return f"“{cell}” has {len(numbers)} figures, the results have {len(values)}"
    wrong = [value for (number, half), value in zip(numbers, values) if abs(number - value) > half * (1 + 1e-6)]
    return f"“{cell}” is not {wrong}" if wrong else None


def spread(value):
    return [value["median"], value["low"], value["high"]] if value else []


def median(value):
    return value["median"] if value else None


def figure(workload, key):
    return median(workload["contestants"].get(key, {}).get("figure"))


def ratio(workload, key):
    return workload["contestants"][key]["ratio_to_libzmq"]


def faults_of_readme(text):
    rows = {row[0]: row for row in table(text, "| work | Zinc | libzmq | ratio |")}
    found = [f"“{name}” is not in the results" for name in rows.keys() - IN_README.keys()]
    found += [f"“{name}” is not in README.md" for name in IN_README.keys() - rows.keys()]
    for name in rows.keys() & IN_README.keys():
        place, (_, ours, theirs, ratios) = IN_README[name], rows[name]
        measured = [workloads(place.file)[each] for each in place.workloads]
        keys = (place.key, "limit") if place.with_limit else (place.key,)
        found += [fault(ours, [figure(each, place.key) for each in measured]),
                  fault(theirs, [figure(each, "theirs") for each in measured]),
                  fault(ratios, [median(ratio(each, key)) for each in measured for key in keys])]
    return list(filter(None, found))


MET = {True: "yes", False: "no", None: "–"}


def faults_of_workload(workload, rows):
    """`rows` has the row of the workload, and one more for each further target."""
    _, ours, theirs, limit, _, _, _, cpu = rows[0]
    nanoseconds = [median(workload["contestants"].get(key, {}).get("cpu_nanoseconds", {}).get("all"))
                   for key in ("ours", "theirs")]
    found = [fault(ours, [figure(workload, "ours")]), fault(theirs, [figure(workload, "theirs")]),
             fault(limit, [figure(workload, "limit")]), fault(cpu, nanoseconds)]
    targets = workload["targets"] or [{"value": ratio(workload, "ours"), "text": "–", "met": None}]
    if len(rows) != len(targets):
        return [f"{workload['title']} has {len(rows)} rows for {len(targets)} targets"]
    for (_, _, _, _, measured, text, met, _), target in zip(rows, targets):
        found.append(fault(measured, spread(target["value"])))
        if (text, met) != (target["text"], MET[target["met"]]):
            found.append(f"{workload['title']}: target “{text}”: {met}")
    return found


def faults_of_all_figures(text):
    by_work = {}
    work = None
    for row in table(text, "| work | ours | libzmq | limit | measured | target | met | CPU ns, ours / libzmq |"):
        work = row[0] or work
        by_work.setdefault(work, []).append(row)
    measured = {f"{each['title']} ({each['unit']})": each for each in results()["workloads"]}
    found = [f"“{each}” is in one of the page and the results" for each in by_work.keys() ^ measured.keys()]
    for each in by_work.keys() & measured.keys():
        found += faults_of_workload(measured[each], by_work[each])
    return list(filter(None, found))


def titled(work, *forms):
    """Finds the workload with a title of one of these forms. The remarks in brackets are not of the title."""
    titles = [form.format(work.partition(" (")[0]) for form in forms]
    return next(each for each in results()["workloads"] if each["title"] in titles)


def faults_of_mixed_pairs(text):
    found = []
    for work, to_theirs, to_ours in table(text, "| work | Zinc to libzmq | libzmq to Zinc |"):
        workload = titled(work, "{}", "{}, 64 B")
        found += [fault(to_theirs, spread(ratio(workload, FROM_US))),
                  fault(to_ours, spread(ratio(workload, FROM_THEM)))]
    for work, theirs, ours, measured in table(text, "| work | libzmq's broker | Zinc's broker | measured |"):
        workload = titled(work, "Majordomo, {}")
        found += [fault(theirs, [figure(workload, "theirs")]), fault(ours, [figure(workload, OUR_BROKER)]),
                  fault(measured, spread(ratio(workload, OUR_BROKER)))]
    return list(filter(None, found))


def faults_of_services(text):
    rows = {row[0]: row for row in table(text, "| work | ours | libzmq | measured | target | met |")}
    found = []
    for name, place in OF_SERVICES.items():
        _, ours, theirs, measured, _, _ = rows[name]
        workload = workloads(place.file)[place.workloads[0]]
        found += [fault(ours, [figure(workload, place.key)]), fault(theirs, [figure(workload, "theirs")]),
                  fault(measured, spread(ratio(workload, place.key)))]
    return list(filter(None, found))


def faults_of_layers(text):
    measured = {f"{each['title']} ({each['unit']})": each for each in results("layers.json")["workloads"]}
    rows = {row[0]: row for row in table(text, "| work | Zinc | limit | Zinc / limit |")}
    found = [f"“{each}” is in one of the page and the results" for each in rows.keys() ^ measured.keys()]
    for each in rows.keys() & measured.keys():
        _, ours, limit, ratios = rows[each]
        found += [fault(ours, [figure(measured[each], "ours")]), fault(limit, [figure(measured[each], "limit")]),
                  fault(ratios, spread(measured[each]["contestants"]["ours"]["ratio_to_limit"]))]
    return list(filter(None, found))


class Published(unittest.TestCase):
    def setUp(self):
        self.readme = README.read_text(encoding="utf-8")
        self.page = PAGE.read_text(encoding="utf-8")

    def test_readme_has_the_figures_of_the_results(self):
        self.assertEqual(faults_of_readme(self.readme), [])

    def test_the_page_has_the_figures_of_the_results(self):
        self.assertEqual(faults_of_all_figures(self.page), [])
        self.assertEqual(faults_of_mixed_pairs(self.page), [])
        self.assertEqual(faults_of_services(self.page), [])
        self.assertEqual(faults_of_layers(self.page), [])

    def test_the_page_names_machine_and_commit_of_the_results(self):
        machine = results()["machine"]
        for text in (machine["cpu"], f"{machine['cores']} cores", f"libzmq {machine['libzmq']}",
                     f"commit {machine['commit'][:7]}", f"Linux {machine['kernel'].partition('-')[0]}"):
            self.assertIn(text, self.page)

    def test_results_of_the_comparison_have_their_commit(self):
        for file in ("results.json", "clone.json", "black_box.json", "layers.json"):
            self.assertRegex(results(file)["machine"]["commit"], "^[0-9a-f]{40}$")

    def test_a_wrong_figure_is_found(self):
        wrong = self.readme.replace("| 40.1, 34.3,", "| 40.1, 34.4,")
        self.assertEqual(faults_of_readme(wrong), ["“40.1, 34.4, 9.9, 5.0 M” is not [34259338.0]"])
        for right, wrong, faults in (("| 6.16 [4.82–7.89] |", "| 6.16 [4.82–7.98] |", faults_of_all_figures),
                                     ("| 47 / 276 |", "| 47 / 267 |", faults_of_all_figures),
                                     ("| 1.28 × [1.06–1.34] |", "| 1.29 × [1.06–1.34] |", faults_of_mixed_pairs),
                                     ("| 1.53 M |", "| 1.54 M |", faults_of_services),
                                     ("| 33.9 k |", "| 33.8 k |", faults_of_layers)):
            self.assertEqual(self.page.count(right), 1)
            self.assertEqual(len(faults(self.page.replace(right, wrong))), 1, wrong)

    def test_a_row_that_was_not_measured_is_found(self):
        row = next(line for line in self.readme.splitlines() if line.startswith("| an idle connection"))
        added = self.readme.replace(row, row + "\n| a stream by pigeon | 3 M | 1 M | 3.0 |")
        self.assertEqual(faults_of_readme(added), ["“a stream by pigeon” is not in the results"])
        self.assertEqual(faults_of_readme(self.readme.replace(row + "\n", "")),
                         ["“an idle connection of a ROUTER” is not in README.md"])

    def test_a_figure_beside_those_measured_is_found(self):
        added = self.readme.replace("| 11.5 |", "| 11.5 (12.0 yesterday) |")
        self.assertEqual(faults_of_readme(added), ["“11.5 (12.0 yesterday)” has 2 figures, the results have 1"])

    def test_a_factor_holds_for_the_numbers_before_it(self):
        self.assertEqual([number for number, _ in shown("1.5, 2 k, 30 M")], [1500, 2000, 30e6])
        self.assertEqual(shown("3,328.00"), [(3328, 0.005)])


if __name__ == "__main__":
    unittest.main()

"""Invented measurements, for the tests of the reports about measurements."""

import from_bench  # noqa: F401: comparison is found by it
from comparison.catalogue import WORKLOADS
from comparison.measurement import Measured, Outcome
from comparison.run import Run


def workload(name):
    return next(each for each in WORKLOADS if each.name == name)


def measured(name, cpu_seconds=1e-3, **figures):
    """By contestant the figures of its rounds; each process took `cpu_seconds` for 1000 messages."""
    contestants = {each.key: each for each in workload(name).contestants}
    outcomes = {}
    for key, values in figures.items():
        roles = contestants[key].roles
        outcomes[key] = Outcome(contestants[key], 1000, [
            Run(figure, 1.0, {role: cpu_seconds for role in roles}, {role: 5 * 2 ** 20 for role in roles}) for figure in values])
    return Measured(workload(name), outcomes)


def failed(measurement, key, why="it fell over"):
    measurement.outcomes[key].failure = why
    return measurement

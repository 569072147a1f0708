"""The rounds of one workload: calibration, then its contestants in turn, round by round."""

from dataclasses import dataclass, field
from typing import Optional

from comparison.calibration import calibrate
from comparison.run import RunFailed
from comparison.spread import differences, ratios, spread


@dataclass(frozen=True)
class Settings:
    rounds: int
    seconds: float
    calibrations: int
    quick: bool = False
    # Seconds that a run may take beyond its measured time and its setup.
    patience: float = 30.0


@dataclass
class Outcome:
    """The runs of one contestant, and its failure if there was one."""
    contestant: object
    count: int
    runs: list = field(default_factory=list)
    failure: Optional[str] = None

    def figures(self):
        return [run.figure for run in self.runs]

    def cpu_nanoseconds(self, operations, role=None):
        """Returns the CPU time of one operation in each round, of all processes or of those of one role."""
        return [1e9 * sum(seconds for name, seconds in run.cpu_seconds.items()
                          if role in (None, name)) / operations for run in self.runs]


    def peak_bytes(self, role=None):
        """Returns the greatest resident memory in each round, of all processes or of those of one role."""
        return [sum(peak for name, peak in run.peak_bytes.items() if role in (None, name)) for run in self.runs]


@dataclass
class Measured:
    workload: object
    outcomes: dict

    def figures(self, key):
        return spread(self.outcomes[key].figures()) if key in self.outcomes else None

    def ratio(self, key, against):
        return self._by_rounds(key, against, Outcome.figures, ratios)

    def cpu(self, key, role=None):
        return spread(self._cpu(self.outcomes[key], role)) if key in self.outcomes else None

    def peak(self, key, role=None):
        return spread(self.outcomes[key].peak_bytes(role)) if key in self.outcomes else None

    def cpu_ratio(self, key, against, role):
        return self._by_rounds(key, against, lambda outcome: self._cpu(outcome, role), ratios)

    def cpu_beyond(self, key, against, role):
        return self._by_rounds(key, against, lambda outcome: self._cpu(outcome, role), differences)

    def _cpu(self, outcome, role):
        return outcome.cpu_nanoseconds(outcome.count * self.workload.figures_per_count, role)

    def _by_rounds(self, key, against, values, compare):
        if key not in self.outcomes or against not in self.outcomes:
            return None
        return spread(compare(values(self.outcomes[key]), values(self.outcomes[against])))


def chosen(workload, settings):
    return [each for each in workload.contestants
            if not settings.quick or each.key in workload.quick]


def measure(workload, settings, run, say):
    """`run` is comparison.run.run without the last two arguments' programs. A contestant that failed
    once is not started again: it would fail, and take its time for that, in each round."""
    seconds = settings.seconds if settings.quick else max(settings.seconds, workload.seconds)
    patience = settings.patience + workload.setup_seconds + 5 * seconds
    outcomes = {}

    def attempt(outcome, count):
        try:
            return run(workload, outcome.contestant, count, patience)
        except RunFailed as failure:
            outcome.failure = str(failure)
            say(f"    FAILED: {outcome.contestant.label}: {failure}")
            return None

    for contestant in chosen(workload, settings):
        outcome = outcomes[contestant.key] = Outcome(contestant, _first_count(workload, settings))

        def seconds_of(count, outcome=outcome):
            done = attempt(outcome, count)
            return workload.lasted(done.figure, count) if done else seconds

        if workload.fixed:
            attempt(outcome, outcome.count)
        else:
            outcome.count = max(workload.least_count,
                                calibrate(seconds_of, outcome.count, seconds, settings.calibrations))
    for _ in range(settings.rounds):
        for outcome in outcomes.values():
            done = None if outcome.failure else attempt(outcome, outcome.count)
            if done:
                outcome.runs.append(done)
    return Measured(workload, outcomes)


def _first_count(workload, settings):
    return workload.quick_count if settings.quick and workload.quick_count else workload.first_count

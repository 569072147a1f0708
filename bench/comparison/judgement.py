"""Whether the targets are met, and whether the ratio to libzmq falls as work grows."""

from typing import NamedTuple, Optional

from comparison.spread import Spread


# The sizes of messages are not among them, because with large messages every library nears the machine's limit.
GROWING = ("fan_out", "connections", "topics", "multipart")


class Verdict(NamedTuple):
    """`met` is None where a contestant failed, or where the one to compare with was left out."""
    target: object
    value: Optional[Spread]
    met: Optional[bool]


def judge(measured):
    """By the medians: a target holds if it holds in most rounds. The targets of a contestant that was left out are
    left out."""
    return [_judge_one(measured, target) for target in measured.workload.targets
            if target.of in measured.outcomes]


def _value(measured, target):
    if not target.role:
        return measured.ratio(target.of, target.against) if target.against else measured.figures(target.of)
    if target.beyond:
        return measured.cpu_beyond(target.of, target.against, target.role)
    if target.against:
        return measured.cpu_ratio(target.of, target.against, target.role)
    return measured.cpu(target.of, target.role)


def _judge_one(measured, target):
    value = _value(measured, target)
    if value is None:
        return Verdict(target, None, None)
    met = value.median >= target.bound if target.at_least else value.median <= target.bound
    if not met and target.otherwise:
        met = _judge_one(measured, target.otherwise).met
    return Verdict(target, value, met)


class Fall(NamedTuple):
    series: str
    smallest: object
    largest: object
    before: Spread
    after: Spread


def falls(measurements):
    """Returns, for each series, the workloads whose ratio is below the first workload's in every round. Smaller
    falls are noise."""
    found = []
    series = {}
    for measured in measurements:
        if measured.workload.series in GROWING and measured.ratio("ours", "theirs"):
            series.setdefault(measured.workload.series, []).append(measured)
    for name, members in series.items():
        members.sort(key=lambda measured: measured.workload.at)
        before = members[0].ratio("ours", "theirs")
        for measured in members[1:]:
            after = measured.ratio("ours", "theirs")
            if after.high < before.low:
                found.append(Fall(name, members[0].workload, measured.workload, before, after))
    return found

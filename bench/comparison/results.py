"""A comparison as JSON: everything that was measured, round by round."""

import json

from comparison import cores
from comparison.contestants import NATS, NNG
from comparison.judgement import falls, judge


def _spread(value):
    return None if value is None else value._asdict()


def _contestant(measured, key, outcome, divided):
    roles = outcome.contestant.roles
    return {
        "label": outcome.contestant.label,
        "commands": [[process.program, *process.arguments]
                     for process in outcome.contestant.processes],
        **({"on_other": [process.when_listening for process in outcome.contestant.processes]} if divided else {}),
        "count": outcome.count,
        "failure": outcome.failure,
        "figure": _spread(measured.figures(key)),
        "ratio_to_libzmq": _spread(measured.ratio(key, "theirs")),
        "ratio_to_nng": _spread(measured.ratio(key, NNG)),
        "ratio_to_nats": _spread(measured.ratio(key, NATS)),
        "ratio_to_limit": _spread(measured.ratio(key, "limit")),
        "cpu_nanoseconds": {
            "all": _spread(measured.cpu(key)),
            **{role: _spread(measured.cpu(key, role)) for role in roles},
        },
        "peak_bytes": {
            "all": _spread(measured.peak(key)),
            **{role: _spread(measured.peak(key, role)) for role in roles},
        },
        "rounds": [run._asdict() for run in outcome.runs],
    }


def _workload(measured, divided):
    workload = measured.workload
    ends = None if divided else cores.of_ends(workload)
    return {
        "name": workload.name,
        "title": workload.title,
        "unit": workload.line.unit,
        "lower_is_better": workload.lower_is_better,
        "cpu_per": workload.per,
        "conditions": workload.conditions,
        "cores_of_ends": ends and [sorted(each) for each in ends],
        "contestants": {key: _contestant(measured, key, outcome, divided)
                        for key, outcome in measured.outcomes.items()},
        "targets": [{"of": verdict.target.of, "text": verdict.target.text, "unit": verdict.target.unit,
                     "value": _spread(verdict.value), "met": verdict.met} for verdict in judge(measured)],
    }


def to_json(machine, settings, measurements):
    return json.dumps({
        "machine": machine,
        "settings": {"rounds": settings.rounds, "seconds": settings.seconds,
                     "quick": settings.quick},
        "workloads": [_workload(measured, "other" in machine) for measured in measurements],
        "falling_ratios": [{"series": fall.series, "from": fall.smallest.name,
                            "to": fall.largest.name, "before": _spread(fall.before),
                            "after": _spread(fall.after)} for fall in falls(measurements)],
        "failures": failures(measurements),
    }, indent=2) + "\n"


def failures(measurements):
    return [{"workload": measured.workload.name, "contestant": outcome.contestant.label,
             "failure": outcome.failure}
            for measured in measurements for outcome in measured.outcomes.values()
            if outcome.failure]

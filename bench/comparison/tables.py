"""The tables at the end: every pairing, then one line for each workload and target."""

from comparison import wording
from comparison.judgement import judge

NOTHING = "–"


def aligned(rows, left=1):
    """Columns as wide as their widest cell, the first `left` of them flush left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if column < left else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _or_nothing(value, text):
    return NOTHING if value is None else text(value)


def _nanoseconds(value):
    return _or_nothing(value, lambda spread: f"{spread.median:,.0f}")


def _mebibytes(value):
    return _or_nothing(value, lambda spread: wording.digits(spread.median / 2 ** 20))


def pairings(measurements):
    """With the CPU time of all processes together and of each, and the greatest memory of each."""
    rows = [("workload", "pairing", "CPU ns by process", "peak MiB by process", "median [min–max]",
             "/ libzmq [min–max]", "/ limit", "CPU ns", "per")]
    for measured in measurements:
        workload = measured.workload
        for key, outcome in measured.outcomes.items():
            figures = measured.figures(key)
            text = "FAILED" if outcome.failure else NOTHING
            if figures:
                text = wording.spread_of_figures(figures, workload.line.unit)
                text += " then FAILED" if outcome.failure else ""
            by_role = [", ".join(f"{role} {text_of(value(key, role))}" for role in outcome.contestant.roles)
                       if figures else NOTHING
                       for value, text_of in ((measured.cpu, _nanoseconds), (measured.peak, _mebibytes))]
            rows.append((
                workload.name, outcome.contestant.label, *by_role, text,
                _or_nothing(None if key == "theirs" else measured.ratio(key, "theirs"),
                            wording.spread_of_ratios),
                _or_nothing(None if key == "limit" else measured.ratio(key, "limit"),
                            lambda ratio: f"{ratio.median:.2f}"),
                _nanoseconds(measured.cpu(key)), workload.per))
    return aligned(rows, left=4)


def _measured_text(verdict):
    return _or_nothing(verdict.value, lambda value: wording.spread_of_value(value, verdict.target.unit))


MET = {True: "yes", False: "NO", None: "not measured"}


def summary(measurements):
    """Returns the table of workloads. Each further target of a workload has a line of its own."""
    rows = [("workload", "unit", "ours", "libzmq", "limit", "measured [min–max]", "target", "met",
             "CPU ns ours", "libzmq")]
    for measured in measurements:
        rows += _summary_of(measured)
    return aligned(rows, left=2)


def _figures_of(measured, keys):
    """Returns the name of the workload, its unit, and the median of each contestant."""
    name, unit = measured.workload.name, measured.workload.line.unit
    return (name, wording.UNITS.get(unit, unit), *(
        _or_nothing(measured.figures(key), lambda value: wording.figure(value.median, unit)) for key in keys))


def _summary_of(measured):
    head = _figures_of(measured, ("ours", "theirs", "limit"))
    cpu = tuple(_nanoseconds(measured.cpu(key)) for key in ("ours", "theirs"))
    verdicts = judge(measured)
    if not verdicts:
        ratio = _or_nothing(measured.ratio("ours", "theirs"), wording.spread_of_ratios)
        return [(*head, ratio, NOTHING, NOTHING, *cpu)]
    rows = []
    for verdict in verdicts:
        rows.append((*(head if not rows else ("",) * 5), _measured_text(verdict),
                     measured.workload.text_of(verdict.target), MET[verdict.met], *(cpu if not rows else ("", ""))))
    return rows


def beside(other, name, measurements):
    """Returns the table of the workloads that the other contestant has, or nothing if there are none."""
    rows = [("workload", "unit", "ours", name, f"ours / {name} [min–max]", "CPU ns ours", name)]
    for measured in measurements:
        if other in measured.outcomes:
            rows.append((*_figures_of(measured, ("ours", other)),
                         _or_nothing(measured.ratio("ours", other), wording.spread_of_ratios),
                         *(_nanoseconds(measured.cpu(key)) for key in ("ours", other))))
    return aligned(rows, left=2) if len(rows) > 1 else ""


def findings(measurements, falls, failures):
    """Returns the findings that a reader must not overlook, one line each."""
    lines = []
    for measured in measurements:
        for verdict in judge(measured):
            target = measured.workload.text_of(verdict.target)
            if verdict.met is False:
                lines.append(f"target MISSED: {measured.workload.name}: "
                             f"{_measured_text(verdict)}, target {target}")
            elif verdict.met is None:
                lines.append(f"target not measured: {measured.workload.name}: {target}")
    for fall in falls:
        lines.append(f"ratio FALLS: {fall.series}: {wording.spread_of_ratios(fall.before)} at "
                     f"{fall.smallest.at}, {wording.spread_of_ratios(fall.after)} at "
                     f"{fall.largest.at}")
    for failure in failures:
        lines.append(f"run FAILED: {failure['workload']}: {failure['contestant']}: "
                     f"{failure['failure']}")
    return lines

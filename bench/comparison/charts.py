"""The charts of a comparison: one for each kind of work, each contestant in its colour and mark."""

import textwrap
from enum import Enum
from typing import Callable, NamedTuple

from comparison import wording
from comparison.contestants import (NATS, NNG, OTHER_LIBZMQ, OUR_BROKER_THEIR_PEERS,
                                    OURS_TO_THEIRS, THEIR_BROKER_OUR_PEERS, THEIRS_TO_OURS, size_text)
from comparison.scale import LinearScale, LogScale
from comparison.svg import Drawing

WIDTH, HEIGHT = 860, 500
LEFT, RIGHT, TOP, BOTTOM = 84, 32, 124, 76
LINE_HEIGHT = 15
GRID = "#e3e3e3"
FAINT = "#666666"


class Look(NamedTuple):
    colour: str
    mark: str
    dashes: str


# Colours that people who see few of them tell apart (Okabe and Ito); the marks differ too.
OURS, THEIRS = Look("#0072B2", "circle", ""), Look("#D55E00", "square", "")
FROM_US, FROM_THEM = Look("#56B4E9", "triangle", "7 4"), Look("#E69F00", "wedge", "7 4")
LOOKS = {
    "ours": OURS,
    OURS_TO_THEIRS: FROM_US,
    OUR_BROKER_THEIR_PEERS: FROM_US,
    THEIRS_TO_OURS: FROM_THEM,
    THEIR_BROKER_OUR_PEERS: FROM_THEM,
    "theirs": THEIRS,
    OTHER_LIBZMQ: Look("#CC79A7", "square", "7 4"),
    NNG: Look("#009E73", "square", "2 4"),
    NATS: Look("#000000", "wedge", "2 4"),
    "limit": Look("#777777", "diamond", "2 4"),
}


class Point(NamedTuple):
    """One contestant's figure at one place of the x axis."""
    place: int
    value: object


class Line(NamedTuple):
    key: str
    label: str
    points: list


class Shape(Enum):
    LINES = "places that follow from one another"
    MARKS = "places of different kinds"
    BARS = "few figures of one magnitude"


class Kind(NamedTuple):
    """The chart of one series of workloads."""
    series: str
    shape: Shape
    title: str
    x_title: str
    y_title: str
    place_text: Callable


KINDS = (
    Kind("stream", Shape.LINES, "One-way stream", "size of a message", "messages per second",
         lambda workload: size_text(workload.at)),
    Kind("round_trip", Shape.BARS, "Round trip", "size of a message",
         "one way, µs: less is better", lambda workload: size_text(workload.at)),
    Kind("fan_out", Shape.LINES, "Fan-out, 64 B", "subscribers", "deliveries per second",
         lambda workload: f"{workload.at:,}"),
    Kind("majordomo", Shape.MARKS, "Majordomo",
         "workers take one request at a time, unless they have a capacity", "requests per second",
         lambda workload: workload.title.removeprefix("Majordomo, ")),
)


class Chart(NamedTuple):
    kind: Kind
    places: list
    lines: list
    unit: str


def _chart(kind, members):
    lines = []
    for key in LOOKS:
        points = [Point(place, measured.figures(key)) for place, measured in enumerate(members)
                  if measured.figures(key)]
        if points:
            outcome = members[points[0].place].outcomes[key]
            lines.append(Line(key, outcome.contestant.label, points))
    return Chart(kind, [kind.place_text(each.workload) for each in members], lines,
                 members[0].workload.line.unit)


def charts(measurements):
    """Yields the name and the text of each file. A series that was not measured has no chart."""
    for kind in KINDS:
        members = [measured for measured in measurements
                   if measured.workload.series == kind.series]
        chart = _chart(kind, members) if members else None
        if chart and chart.lines:
            draw = _draw_bars if kind.shape is Shape.BARS else _draw_marks
            yield kind.series + ".svg", draw(chart)


def _frame(chart, y_scale):
    drawing = Drawing(WIDTH, HEIGHT)
    drawing.text((LEFT, 32), chart.kind.title, 19, bold=True)
    drawing.text((LEFT, 52), "median of the rounds, with the least and the greatest", 12,
                 colour=FAINT)
    _name_contestants(drawing, chart)
    for tick in y_scale.ticks:
        drawing.line((LEFT, y_scale(tick)), (WIDTH - RIGHT, y_scale(tick)), GRID)
        drawing.text((LEFT - 9, y_scale(tick) + 4), wording.tick(tick), 12, "end")
    drawing.text(((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16), chart.kind.x_title, 13, "middle")
    drawing.upright_text((22, (TOP + HEIGHT - BOTTOM) / 2), chart.kind.y_title, 13)
    return drawing


def _name_contestants(drawing, chart):
    x, y = LEFT, 74
    for line in chart.lines:
        look = LOOKS[line.key]
        # By the letters: SVG does not say how wide a text is.
        width = 33 + 7.5 * len(line.label)
        if x + width > WIDTH - RIGHT:
            x, y = LEFT, y + 22
        if chart.kind.shape is Shape.BARS:
            drawing.bar((x, y - 8), 26, 14, look.colour)
        else:
            if chart.kind.shape is Shape.LINES:
                drawing.line((x, y), (x + 26, y), look.colour, 2.5, look.dashes)
            drawing.mark(look.mark, (x + 13, y), 5, look.colour)
        drawing.text((x + 33, y + 4), line.label, 13)
        x += width + 16


def _slots(chart):
    """The middle of each place, and how wide a place is."""
    width = (WIDTH - RIGHT - LEFT) / len(chart.places)
    return [LEFT + width * (place + 0.5) for place in range(len(chart.places))], width


def _name_places(drawing, chart, middles):
    letters = int((WIDTH - RIGHT - LEFT) / len(chart.places) / 6.5)
    for middle, place in zip(middles, chart.places):
        for number, line in enumerate(textwrap.wrap(place, letters)):
            drawing.text((middle, HEIGHT - BOTTOM + 20 + LINE_HEIGHT * number), line, 12, "middle")


def _whisker(drawing, x, y_scale, value, colour):
    low, high = y_scale(value.low), y_scale(value.high)
    drawing.line((x, low), (x, high), colour, 1.2)
    for end in (low, high):
        drawing.line((x - 4, end), (x + 4, end), colour, 1.2)


def _all_values(chart):
    return [point.value for line in chart.lines for point in line.points]


def _draw_marks(chart):
    """Logarithmic: the figures of one chart are up to a thousand times apart."""
    values = _all_values(chart)
    y_scale = LogScale(min(value.low for value in values), max(value.high for value in values),
                       HEIGHT - BOTTOM, TOP)
    drawing = _frame(chart, y_scale)
    middles, width = _slots(chart)
    _name_places(drawing, chart, middles)
    connected = chart.kind.shape is Shape.LINES
    # The line of Zinc is drawn last, so that it lies on top.
    for number, line in reversed(list(enumerate(chart.lines))):
        look = LOOKS[line.key]
        shift = _shift(chart, number, width)
        at = [(middles[point.place] + shift, y_scale(point.value.median)) for point in line.points]
        if connected:
            drawing.path(at, look.colour, 3 if line.key == "ours" else 2, look.dashes)
        for point, centre in zip(line.points, at):
            _whisker(drawing, centre[0], y_scale, point.value, look.colour)
            drawing.mark(look.mark, centre, 5, look.colour)
    _name_figures(drawing, chart, y_scale)
    return drawing.render()


def _shift(chart, number, width):
    """Beside each other, where no line tells them apart."""
    if chart.kind.shape is Shape.LINES:
        return 0
    return width * 0.13 * (number - (len(chart.lines) - 1) / 2)


def _name_figures(drawing, chart, y_scale):
    """Writes the figures of the two compared contestants, Zinc's above and libzmq's below, on top of all lines."""
    middles, width = _slots(chart)
    for number, line in enumerate(chart.lines):
        if line.key not in ("ours", "theirs"):
            continue
        for point in line.points:
            value = point.value
            upwards = line.key == "ours"
            begin = y_scale(value.high) - 12 if upwards else y_scale(value.low) + 13
            middle = _free_place(begin, _marks_at(chart, point.place, y_scale, line), upwards)
            drawing.text((middles[point.place] + _shift(chart, number, width), middle + 4),
                         wording.figure(value.median, chart.unit), 11, "middle",
                         LOOKS[line.key].colour, halo=True)


def _marks_at(chart, place, y_scale, but):
    """Returns the heights of the other marks in the same column. Marks beside each other do not overlap."""
    if chart.kind.shape is not Shape.LINES:
        return []
    return [y_scale(point.value.median) for line in chart.lines if line is not but
            for point in line.points if point.place == place]


def _free_place(y, marks, upwards):
    while any(abs(y - mark) < 9 for mark in marks):
        y += -2 if upwards else 2
    return y


def _draw_bars(chart):
    values = _all_values(chart)
    y_scale = LinearScale(max(value.high for value in values), HEIGHT - BOTTOM, TOP)
    drawing = _frame(chart, y_scale)
    middles, width = _slots(chart)
    _name_places(drawing, chart, middles)
    bar = width * 0.8 / len(chart.lines)
    for number, line in enumerate(chart.lines):
        look = LOOKS[line.key]
        for point in line.points:
            left = middles[point.place] - width * 0.4 + number * bar
            top = y_scale(point.value.median)
            drawing.bar((left + 2, top), bar - 4, y_scale(0) - top, look.colour)
            _whisker(drawing, left + bar / 2, y_scale, point.value, "#222222")
            drawing.text((left + bar / 2, y_scale(point.value.high) - 6),
                         wording.digits(point.value.median), 11, "middle")
    return drawing.render()

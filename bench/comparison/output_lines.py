"""Reads the output of the programs: one figure a line, `name: number [unit]`."""

import re
from typing import NamedTuple


class Line(NamedTuple):
    """A line that is looked for, by its name and its unit."""
    name: str
    unit: str


THROUGHPUT = Line("mean throughput", "msg/s")
LATENCY = Line("average latency", "us")
RATE = Line("mean rate", "request/s")
MEMORY = Line("memory per connection", "B")

_FIGURE = re.compile(r"\s*([^:]+?)\s*:\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*\[([^\]]+)\]\s*")


def figure_in(output, line):
    """The number of that line, or None as long as it is not there. Only whole lines count: the rest of
    one may still be on its way."""
    for text in output.split("\n")[:-1]:
        found = _FIGURE.fullmatch(text)
        if found and (found[1], found[3]) == line:
            return float(found[2])
    return None


def says(output, name):
    """Whether a whole line begins with that name and a colon."""
    return any(text.startswith(name + ":") for text in output.split("\n")[:-1])

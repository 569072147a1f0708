"""What is compared: a workload, its contestants, the processes of each, and the targets."""

from dataclasses import dataclass
from enum import Enum
from typing import Optional

from comparison.output_lines import LATENCY, MEMORY, Line


class Ending(Enum):
    ITSELF = "ends when its work is done"
    CLOSED_INPUT = "ends when its standard input is closed"
    SIGNAL = "ends on SIGTERM"


@dataclass(frozen=True)
class Process:
    """`arguments` may hold {bind}, {connect} and {count}. It is started when something listens on the
    port, if `when_listening`, and when `when_connected` connections to it stand."""
    role: str
    program: str
    arguments: tuple
    ending: Ending = Ending.ITSELF
    when_listening: bool = True
    when_connected: int = 0
    # The name of a line without which the run is not over, of a process that does not end by itself.
    has_to_say: Optional[str] = None


@dataclass(frozen=True)
class Contestant:
    """`key` is ours, theirs, limit, or a mixture of the first two."""
    key: str
    label: str
    processes: tuple
    figure_role: str

    @property
    def mixed(self):
        return self.key not in ("ours", "theirs", "limit")

    @property
    def roles(self):
        return list(dict.fromkeys(process.role for process in self.processes))


@dataclass(frozen=True)
class Target:
    """Of our own figure, or with `role` of the CPU nanoseconds of one process: as a ratio to the same of
    `against`, or absolute where that is None."""
    text: str
    bound: float
    at_least: bool
    against: Optional[str] = "theirs"
    role: Optional[str] = None
    unit: str = ""


@dataclass(frozen=True)
class Workload:
    name: str
    title: str
    line: Line
    contestants: tuple
    first_count: int
    targets: tuple = ()
    # What one counted message stands for when the figure counts others, as a fan-out counts deliveries.
    figures_per_count: int = 1
    # What CPU time is given by.
    per: str = "msg"
    # The same work growing: the ratio to libzmq must not fall from one to the next of a series.
    series: Optional[str] = None
    at: int = 0
    ports: int = 1
    # What calibration leaves at the least: with fewer messages the run is mostly about connecting.
    least_count: int = 1
    # The count is given, not calibrated.
    fixed: bool = False
    # What stands before the first message, in seconds at most.
    setup_seconds: float = 10.0
    # The contestants of --quick, and how many of what is fixed.
    quick: tuple = ()
    quick_count: Optional[int] = None
    # High-water marks and whatever else one has to know of a figure.
    conditions: str = ""

    @property
    def lower_is_better(self):
        return self.line in (LATENCY, MEMORY)

    def lasted(self, figure, count):
        """The seconds behind a figure; 0 where it is no figure of time."""
        if self.line == LATENCY:
            return 2 * figure * 1e-6 * count
        if self.line == MEMORY or figure <= 0:
            return 0.0
        return count * self.figures_per_count / figure

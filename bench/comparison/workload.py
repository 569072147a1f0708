"""The subjects of a comparison: a workload, its contestants, the processes of each, and the targets."""

from dataclasses import dataclass
from enum import Enum
from typing import Optional

from comparison.output_lines import LATENCY, MEMORY, Line


class Ending(Enum):
    ITSELF = "ends when its work is done"
    CLOSED_INPUT = "ends when its standard input is closed"
    SIGNAL = "ends on SIGTERM"
    INTERRUPT = "ends on SIGINT"


@dataclass(frozen=True)
class Process:
    """`arguments` may hold {bind}, {connect}, {next}, {websocket}, {host}, {port} and {count}; {next} is {connect} with
    the next port. `program` is below the folder of the programs, or absolute: then it is not ours to build.
    With `when_listening` the process starts when the port has a listener. It also waits for `when_connected`
    connections to that port."""
    role: str
    program: str
    arguments: tuple
    ending: Ending = Ending.ITSELF
    when_listening: bool = True
    when_connected: int = 0
    # For a process that does not end by itself: the name of the line that it must print before the run is over.
    has_to_say: Optional[str] = None
    # Pairs of names and values that the process has in addition to the environment of the comparison.
    environment: tuple = ()


@dataclass(frozen=True)
class Contestant:
    """`key` is ours, theirs, limit, or a mixture of the first two."""
    key: str
    label: str
    processes: tuple
    figure_role: str

    @property
    def roles(self):
        return list(dict.fromkeys(process.role for process in self.processes))


@dataclass(frozen=True)
class Target:
    """A bound for the figure of the contestant `of`, or with `role` for the CPU nanoseconds of its process. The bound
    is a ratio to the figure of `against`, or absolute if that is None."""
    text: str
    bound: float
    at_least: bool
    against: Optional[str] = "theirs"
    role: Optional[str] = None
    unit: str = ""
    of: str = "ours"
    # The bound is what a process takes beyond that of `against`, not a ratio.
    beyond: bool = False
    # Enough as well.
    otherwise: Optional["Target"] = None


@dataclass(frozen=True)
class Workload:
    name: str
    title: str
    line: Line
    contestants: tuple
    first_count: int
    targets: tuple = ()
    # Units of the figure for each counted message, because a fan-out counts deliveries.
    figures_per_count: int = 1
    # The unit that the CPU time is divided by.
    per: str = "msg"
    # The same work growing: the ratio to libzmq must not fall from one to the next of a series.
    series: Optional[str] = None
    at: int = 0
    ports: int = 1
    # The programs meet at a socket file, not at a port.
    ipc: bool = False
    # The lower limit of calibration. With fewer messages, connecting takes most of the run.
    least_count: int = 1
    # The count is given, not calibrated.
    fixed: bool = False
    # The longest time before the first message.
    setup_seconds: float = 10.0
    # The shortest time that a run may last, because connecting takes a part of it.
    seconds: float = 0.0
    # The contestants of --quick, and their count if it is fixed.
    quick: tuple = ()
    quick_count: Optional[int] = None
    # High-water marks and other conditions of the figure.
    conditions: str = ""

    def text_of(self, target):
        """Returns the target, with the contestant that it judges if that is not ours."""
        label = next(each.label for each in self.contestants if each.key == target.of)
        return target.text if target.of == "ours" else f"{target.text}, {label}"

    @property
    def lower_is_better(self):
        return self.line in (LATENCY, MEMORY)

    def lasted(self, figure, count):
        """Returns the seconds that a figure stands for, or 0 if it does not measure time."""
        if self.line == LATENCY:
            return 2 * figure * 1e-6 * count
        if self.line == MEMORY or figure <= 0:
            return 0.0
        return count * self.figures_per_count / figure

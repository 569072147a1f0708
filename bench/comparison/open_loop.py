"""The latency of messages that are sent at a given rate, whatever the receiver does: at parts of the rate that each
library reaches, and of Zinc also at the rate of libzmq."""

import argparse
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from comparison.figures import Failed, report
from comparison.output_lines import THROUGHPUT, Line, figure_in
from comparison.sockets_table import free_port, listens
from comparison.spread import spread
from comparison.wording import short

LIBRARIES = {"Zinc": "bench/", "libzmq": "bench/libzmq/"}
PROGRAMS = [folder + name for folder in LIBRARIES.values() for name in ("paced_sink", "paced_source")]
# Messages a second. The source never waits at this rate.
UNPACED = 1_000_000_000
TIMEOUT = 60


@dataclass(frozen=True)
class Figures:
    """The rate is in messages per second, the rest in microseconds."""
    rate: float
    p50: float
    p99: float
    p999: float


def figures_of(output):
    found = [figure_in(output, line) for line in
             (THROUGHPUT, *(Line(f"latency {name}", "us") for name in ("p50", "p99", "p99.9")))]
    if None in found:
        raise Failed(f"no figures in: {output!r}")
    return Figures(*found)


def _output_of(sink, source, library, end):
    while True:
        try:
            output, _ = sink.communicate(timeout=0.1)
            break
        except subprocess.TimeoutExpired:
            if source.poll():
                raise Failed(f"paced_source of {library} ended with {source.returncode}") from None
            if time.monotonic() > end:
                raise Failed(f"a run of {library} did not end within {TIMEOUT} s") from None
    if sink.returncode:
        raise Failed(f"paced_sink of {library} ended with {sink.returncode}")
    return output


class Bench:
    def __init__(self, programs, settings):
        self._programs, self._settings = programs, settings

    def run(self, library, count, rate):
        port = free_port(1)
        words = [f"tcp://127.0.0.1:{port}", self._settings.size, count, rate]
        end = time.monotonic() + TIMEOUT
        with self._start(library, "paced_sink", words) as sink:
            try:
                while not listens(port):
                    if sink.poll() is not None or time.monotonic() > end:
                        raise Failed(f"paced_sink of {library} does not listen")
                    time.sleep(0.002)
                with self._start(library, "paced_source", words) as source:
                    try:
                        return figures_of(_output_of(sink, source, library, end))
                    finally:
                        source.kill()
            finally:
                sink.kill()

    def _start(self, library, name, words):
        command = [str(self._programs / (LIBRARIES[library] + name)), *map(str, words)]
        try:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None

    def peak(self, library):
        """The most messages in a second, of runs that grow until they last long enough."""
        count = 100_000
        while True:
            rate = self.run(library, count, UNPACED).rate
            if count >= 0.5 * rate * self._settings.seconds:
                return rate
            count = min(10 * count, int(rate * self._settings.seconds))

    def at(self, library, rate):
        return self.run(library, max(1000, int(rate * self._settings.seconds)), max(10_000, int(rate)))


def describe(library, what, rate, rounds):
    """A line of text, and what goes into the JSON."""
    columns = [spread([getattr(each, name) for each in rounds]) for name in ("p50", "p99", "p999")]
    texts = [f"{name} {value.median:,.0f} [{value.low:,.0f}–{value.high:,.0f}]"
             for name, value in zip(("p50", "p99", "p99.9"), columns)]
    return (f"{library} at {what}, {short(rate)}/s: {', '.join(texts)} us",
            {"library": library, "load": what, "rate": rate, "rounds": [vars(each) for each in rounds]})


def measure(bench, settings):
    peaks = {library: spread([bench.peak(library) for _ in range(settings.rounds)]).median
             for library in LIBRARIES}
    loads = [(library, f"{percent} % of its peak", peaks[library] * percent / 100)
             for percent in settings.percent for library in LIBRARIES]
    loads += [("Zinc", f"{percent} % of libzmq's peak", peaks["libzmq"] * percent / 100)
              for percent in settings.percent]
    rounds = [[bench.at(library, rate) for library, _, rate in loads] for _ in range(settings.rounds)]
    for number, (library, what, rate) in enumerate(loads):
        yield describe(library, what, rate, [each[number] for each in rounds])


def arguments(words):
    parser = argparse.ArgumentParser(prog="bench/open_loop", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="how long each run lasts")
    parser.add_argument("--size", type=int, default=64, help="bytes in each message, at least 8")
    parser.add_argument("--percent", type=int, nargs="+", default=[10, 50, 90],
                        help="the loads, in percent of the peak")
    parser.add_argument("--programs", type=Path,
                        help="folder with the programs; without it they are built")
    parser.add_argument("--json", type=Path, help="file for the figures of every round")
    return parser.parse_args(words)


def main(words=None, root=Path(__file__).resolve().parents[2], say=print):
    settings = arguments(words)
    return report("bench/open_loop", settings, PROGRAMS,
                  lambda programs: measure(Bench(programs, settings), settings), root, say)

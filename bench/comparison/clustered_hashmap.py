"""Snapshots, acknowledged updates, a crowd of subscribers and a store: runs in turn, medians, and the targets."""

import argparse
import contextlib
import re
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

from comparison.figures import Failed, output_of, report, running
from comparison.output_lines import Line, figure_in
from comparison.sockets_table import free_port
from comparison.spread import spread

PROBE, STORE_PROBE, ZINC = "bench/chp_probe", "bench/chp_store_probe", "tools/zinc/zinc"
PATIENCE = 120  # seconds
PAIR_PORTS = 4


@dataclass(frozen=True)
class Figure:
    line: Line
    most: float = None  # the target, if there is one
    least: float = None

    @property
    def target(self):
        return None if self.most is None and self.least is None else (
            f"<= {self.most:,}" if self.least is None else f">= {self.least:,}")

    def met(self, value):
        return None if self.target is None else value <= self.most if self.least is None else value >= self.least


SNAPSHOT = {"time": Figure(Line("snapshot", "ms"), 1_000), "longest handler": Figure(Line("longest handler", "ms"), 5)}
SETS = {"p50": Figure(Line("latency p50", "us"), 1_000), "p99": Figure(Line("latency p99", "us"))}
PIPELINE = {"updates": Figure(Line("updates", "update/s"), least=300_000)}
STORED_PIPELINE = {"updates": Figure(Line("updates", "update/s"), least=40_000)}
FAILOVER = {"longest pause": Figure(Line("longest pause", "ms"), 1_000)}
FAILOVER_HEARTBEAT = 100  # milliseconds
CATCH_UP = {
    "in sync after": Figure(Line("in sync after", "ms")),
    "updates": Figure(Line("updates", "update/s")),
    "not from the log": Figure(Line("not from the log", "entries"), 0),
}
STORE = {
    "start": Figure(Line("start", "ms")),
    "p50": Figure(Line("latency p50", "us"), 5_000),
    "p99": Figure(Line("latency p99", "us")),
    "updates": Figure(Line("updates", "update/s")),
    "longest handler": Figure(Line("updating handler", "ms"), 5),
    "longest wait": Figure(Line("updating wait", "ms"), 5),
    "whole map written anew": Figure(Line("rewriting", "ms")),
    "longest handler then": Figure(Line("rewriting handler", "ms"), 5),
    "longest wait then": Figure(Line("rewriting wait", "ms"), 5),
}
CROWD = {"deliveries": Figure(Line("mean rate", "delivery/s")), "updates": Figure(Line("updates", "update/s"))}


def figures_of(output, wanted):
    found = {name: figure_in(output, figure.line) for name, figure in wanted.items()}
    if None in found.values():
        raise Failed(f"no figures in: {output!r}")
    return found


def address(port):
    return f"127.0.0.1:{port}"


class Bench:
    def __init__(self, programs, settings):
        self.programs, self.settings = programs, settings

    def probe(self, what, wanted, *words):
        return self.run(f"{PROBE} {what}", wanted, self.programs / PROBE, what, *words)

    @staticmethod
    def run(name, wanted, *command):
        output = output_of(name, [*map(str, command)], 2 * PATIENCE)
        return output, figures_of(output, wanted)

    def server(self, port, *options, log_path=None):
        return running([self.programs / ZINC, "chp", "server", "--bind", f"tcp://{address(port)}", *options],
                       PATIENCE, log_path)

    def snapshot(self):
        return self.probe("snapshot", SNAPSHOT, "--count", self.settings.keys)[1]

    @contextlib.contextmanager
    def pair(self, *options, stores=None, logs=None):
        """Yields the addresses of a primary and a backup, and their processes. `logs` is a folder for their logs, with
        the names primary and backup."""
        first = free_port(2 * PAIR_PORTS)
        ports = first, first + PAIR_PORTS
        with contextlib.ExitStack() as pair:
            started = []
            for own, other, role in ((*ports, "primary"), (*reversed(ports), "backup")):
                stored = ("--store", stores / role, "--epoch-file", stores / f"{role}.epoch") if stores else ()
                started.append(pair.enter_context(self.server(
                    own, f"--{role}", "--peer", f"tcp://{address(other)}", "--bstar-bind",
                    f"tcp://{address(own + 3)}", "--bstar-connect", f"tcp://{address(other + 3)}", *stored,
                    *options, log_path=logs / role if logs else None)))
            yield [address(port) for port in ports], [process for process, _ in started]

    def acknowledged(self, what, wanted, count, **pair):
        with self.pair(**pair) as (addresses, _):
            output, found = self.probe(what, wanted, *addresses, "--count", count)
        if "degraded: 0" not in output.splitlines():
            raise Failed("the updates were acknowledged without a backup")
        return found

    def sets(self):
        return self.acknowledged("sets", SETS, self.settings.sets)

    def pipeline(self):
        return self.acknowledged("pipeline", PIPELINE, self.settings.pipelined)

    def stored_pipeline(self):
        with tempfile.TemporaryDirectory(dir=self.settings.store) as folder:
            return self.acknowledged("pipeline", STORED_PIPELINE, self.settings.stored, stores=Path(folder))

    def failover(self):
        with self.pair("--heartbeat", f"{FAILOVER_HEARTBEAT}ms") as (addresses, (primary, _)):
            command = [self.programs / PROBE, "failover", *addresses, "--count", self.settings.sets,
                       "--heartbeat", FAILOVER_HEARTBEAT]
            with running(list(map(str, command)), PATIENCE) as (probe, words):
                if words != ["ready"]:
                    raise Failed(f"{PROBE} failover: {words}")
                primary.kill()
                output, _ = probe.communicate(timeout=PATIENCE)
        return figures_of(output, FAILOVER)

    def catch_up(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = Path(folder)
            with self.pair("--heartbeat", f"{FAILOVER_HEARTBEAT}ms", logs=logs) as (addresses, (_, backup)):
                output, _ = self.probe("catch_up", {}, *addresses, "--backup", backup.pid, "--rate", self.settings.rate)
                backup.send_signal(signal.SIGUSR1)  # logs its state
            state = dict(re.findall(r"(\w+)=(\d+)", (logs / "backup").read_text(encoding="utf-8")))
        # An entry may arrive again after the pause.
        missing = max(0, int(state["number"]) - int(state["followed"]))
        return figures_of(f"{output}not from the log: {missing} [entries]\n", CATCH_UP)

    def store(self):
        with tempfile.TemporaryDirectory(dir=self.settings.store) as folder:
            return self.run(STORE_PROBE, STORE, self.programs / STORE_PROBE, "--file", Path(folder) / "map",
                            "--keys", self.settings.keys, "--updates", self.settings.stored,
                            "--sets", self.settings.sets)[1]

    def crowd(self):
        port = free_port(3)
        with self.server(port):
            return self.probe("subscribers", CROWD, address(port), "--count", self.settings.updates,
                              "--subscribers", self.settings.subscribers)[1]


def report_rounds(title, wanted, rounds):
    """A line of text for each figure, and what goes into the JSON."""
    for name, figure in wanted.items():
        values = spread([each[name] for each in rounds])
        met = figure.met(values.median)
        text = f"{title}: {name} {values.median:,.1f} [{values.low:,.1f}–{values.high:,.1f}] {figure.line.unit}"
        if met is not None:
            text += f", target {figure.target}: {'met' if met else 'MISSED'}"
        yield text, {"title": title, "figure": name, "median": values.median, "low": values.low,
                     "high": values.high, "unit": figure.line.unit, "met": met}


def measured(settings):
    return {
        "snapshot": (f"snapshot of {settings.keys:,} keys to one client", SNAPSHOT, Bench.snapshot),
        "sets": ("updates one after the other, acknowledged by a pair", SETS, Bench.sets),
        "pipeline": ("updates in flight, acknowledged by a pair", PIPELINE, Bench.pipeline),
        "stored_pipeline": ("updates in flight, acknowledged by a pair with stores", STORED_PIPELINE,
                            Bench.stored_pipeline),
        "failover": ("the active server of a pair is killed, heartbeat 100 ms", FAILOVER, Bench.failover),
        "catch_up": (f"a backup is paused for 1 s at {settings.rate:,} updates/s", CATCH_UP, Bench.catch_up),
        "store": (f"a store of {settings.keys:,} keys", STORE, Bench.store),
        "crowd": (f"{settings.subscribers:,} subscribers", CROWD, Bench.crowd),
    }


PARTS = ("snapshot", "sets", "pipeline", "stored_pipeline", "failover", "catch_up", "store", "crowd")


def arguments(words):
    parser = argparse.ArgumentParser(prog="bench/chp_figures", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure one part [all]")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keys", type=int, default=1_000_000, help="keys in the snapshot, and in the store")
    parser.add_argument("--sets", type=int, default=2_000, help="updates that wait for an acknowledgement")
    parser.add_argument("--pipelined", type=int, default=2_000_000, help="updates in flight, at most 5,000 at once")
    parser.add_argument("--rate", type=int, default=100_000, help="updates per second while a backup is away")
    parser.add_argument("--stored", type=int, default=200_000, help="updates of keys in the store")
    parser.add_argument("--store", type=Path, help="folder for the store; without it a temporary one")
    parser.add_argument("--subscribers", type=int, default=1_000)
    parser.add_argument("--updates", type=int, default=20_000, help="updates that the subscribers receive")
    parser.add_argument("--programs", type=Path,
                        help="folder with bench/chp_probe, bench/chp_store_probe and tools/zinc/zinc; without it they are "
                             "built")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args(words)


def main(words=None, root=Path(__file__).resolve().parents[2], say=print):
    settings = arguments(words)

    def results(programs):
        bench = Bench(programs, settings)
        for name, (title, wanted, run) in measured(settings).items():
            if settings.only in (None, name):
                yield from report_rounds(title, wanted, [run(bench) for _ in range(settings.rounds)])

    return report("bench/chp_figures", settings, [PROBE, STORE_PROBE, ZINC], results, root, say)

"""Snapshots, acknowledged updates and a crowd of subscribers: runs in turn, medians, and the targets."""

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from comparison.machine import describe, load_average, warning_of
from comparison.output_lines import Line, figure_in
from comparison.programs import NotBuilt, build, built_folder, copy_programs
from comparison.sockets_table import free_port, listens
from comparison.spread import spread

PROBE, ZINC = "bench/chp_probe", "tools/zinc/zinc"
PATIENCE = 120  # seconds
PAIR_PORTS = 4


class Failed(Exception):
    """A run that gave no figures: its text says which program, and why."""


@dataclass(frozen=True)
class Figure:
    line: Line
    most: float = None  # the target, if there is one


SNAPSHOT = {"time": Figure(Line("snapshot", "ms"), 1_000), "longest handler": Figure(Line("longest handler", "ms"), 5)}
SETS = {"p50": Figure(Line("latency p50", "us"), 5_000), "p99": Figure(Line("latency p99", "us"))}
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
        command = [self.programs / PROBE, what, *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2 * PATIENCE)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise Failed(f"{PROBE} {what} did not end") from None
        if done.returncode:
            raise Failed(f"{PROBE} {what}: {done.stderr.strip()}")
        return done.stdout, figures_of(done.stdout, wanted)

    @contextlib.contextmanager
    def server(self, port, *options):
        command = [self.programs / ZINC, "chp", "server", "--bind", f"tcp://{address(port)}", *options]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            try:
                end = time.monotonic() + PATIENCE
                while not listens(port):
                    if process.poll() is not None or time.monotonic() > end:
                        raise Failed(f"{ZINC} chp server did not start")
                    time.sleep(0.01)
                yield
            finally:
                process.terminate()
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()

    def snapshot(self):
        return self.probe("snapshot", SNAPSHOT, "--count", self.settings.keys)[1]

    def sets(self):
        first = free_port(2 * PAIR_PORTS)
        ports = first, first + PAIR_PORTS
        with contextlib.ExitStack() as running:
            for own, other, role in ((*ports, "--primary"), (*reversed(ports), "--backup")):
                running.enter_context(self.server(
                    own, role, "--peer", address(other), "--bstar-bind", f"tcp://{address(own + 3)}",
                    "--bstar-connect", f"tcp://{address(other + 3)}"))
            output, found = self.probe("sets", SETS, *map(address, ports), "--count", self.settings.sets)
        if "degraded: 0" not in output.splitlines():
            raise Failed("the updates were acknowledged without a backup")
        return found

    def crowd(self):
        port = free_port(3)
        with self.server(port):
            return self.probe("subscribers", CROWD, address(port), "--count", self.settings.updates,
                              "--subscribers", self.settings.subscribers)[1]


def report(title, wanted, rounds):
    """A line of text for each figure, and what goes into the JSON."""
    for name, figure in wanted.items():
        values = spread([each[name] for each in rounds])
        met = None if figure.most is None else values.median <= figure.most
        text = f"{title}: {name} {values.median:,.1f} [{values.low:,.1f}–{values.high:,.1f}] {figure.line.unit}"
        if met is not None:
            text += f", target <= {figure.most:,}: {'met' if met else 'MISSED'}"
        yield text, {"title": title, "figure": name, "median": values.median, "low": values.low,
                     "high": values.high, "unit": figure.line.unit, "met": met}


def measured(settings):
    return {
        "snapshot": (f"snapshot of {settings.keys:,} keys to one client", SNAPSHOT, Bench.snapshot),
        "sets": ("updates one after the other, acknowledged by a pair", SETS, Bench.sets),
        "crowd": (f"{settings.subscribers:,} subscribers", CROWD, Bench.crowd),
    }


def arguments(words):
    parser = argparse.ArgumentParser(prog="bench/chp_figures", description=__doc__)
    parser.add_argument("--only", choices=("snapshot", "sets", "crowd"), help="without it all are measured")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keys", type=int, default=1_000_000, help="of the snapshot")
    parser.add_argument("--sets", type=int, default=2_000, help="updates that are acknowledged")
    parser.add_argument("--subscribers", type=int, default=1_000)
    parser.add_argument("--updates", type=int, default=20_000, help="that the subscribers hear of")
    parser.add_argument("--programs", type=Path,
                        help="folder with bench/chp_probe and tools/zinc/zinc; without it they are built")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args(words)


def main(words=None, root=Path(__file__).resolve().parents[2], say=print):
    settings = arguments(words)
    load = load_average()
    if warning := warning_of(load):
        say(warning)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    results = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            programs = settings.programs
            if not programs:
                # Copied, so that another build does not change them meanwhile.
                programs = Path(folder)
                copy_programs(build(root, [PROBE, ZINC]), built_folder(root), programs)
            bench = Bench(programs, settings)
            for name, (title, wanted, run) in measured(settings).items():
                if settings.only in (None, name):
                    rounds = [run(bench) for _ in range(settings.rounds)]
                    for text, result in report(title, wanted, rounds):
                        say(text)
                        results.append(result)
    except (Failed, NotBuilt, OSError) as failure:
        print(f"bench/chp_figures: {failure}", file=sys.stderr)
        return 1
    if settings.json:
        settings.json.write_text(json.dumps({"machine": describe(root, load), "results": results}, indent=1),
                                 encoding="utf-8")
    return 0

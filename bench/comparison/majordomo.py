"""The cost of a crowd and of a flood for each request, and the rate of Titanic: runs in turn, medians, targets."""

import argparse
import contextlib
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from comparison.figures import Failed, output_of, report, running
from comparison.output_lines import RATE, Line, figure_in
from comparison.spread import spread

P50 = Line("latency p50", "us")
P99 = Line("latency p99", "us")
LOAD, ZINC, SLOW = "bench/mdp_load", "tools/zinc/zinc", "bench/titanic_on_slow_disk"
PATIENCE = 60  # seconds, beyond what a run is to last

CROWD_RATIO = 3
SYNC_RATE, SYNC_P99 = 20_000, 10_000
SLOW_RATE, SLOW_P99 = 5_000, 20_000
SYNC_SHARE = 0.5
# Clients that ask one after the other, beside one that floods.
MODEST = 10
SERVICE = "echo"
FLOOD_RATIO = 1.5
FAIR_SHARE = 0.9


@dataclass(frozen=True)
class Figures:
    rate: float  # requests a second
    p50: float  # us
    p99: float


def figures_of(output):
    found = [figure_in(output, line) for line in (RATE, P50, P99)]
    if None in found:
        raise Failed(f"no figures in: {output!r}")
    return Figures(*found)


class Bench:
    def __init__(self, programs, store, settings):
        self.programs, self.store, self.settings = programs, store, settings

    def broker(self):
        return running([self.programs / ZINC, "broker", "--bind", "tcp://127.0.0.1:*"], PATIENCE)

    def load(self, endpoint, seconds, *options):
        command = [self.programs / LOAD, endpoint, "--patience", str(int(seconds + PATIENCE)),
                   *map(str, options)]
        return figures_of(output_of(LOAD, command, seconds + 2 * PATIENCE))

    def crowd(self, peers, rate):
        """One round: a few of each and `peers` of each, at one broker each."""
        found = []
        for count in (self.settings.few, peers):
            with self.broker() as (_, words):
                found.append(self.load(words[1], self.settings.seconds, "--clients", count,
                                       "--workers", count, "--rate", rate, "--requests",
                                       int(rate * self.settings.seconds)))
        return found

    def modest(self, endpoint):
        return self.load(endpoint, self.settings.seconds, "--clients", MODEST, "--workers", 0, "--service", SERVICE,
                         "--requests", self.settings.modest)

    @contextlib.contextmanager
    def workers(self, endpoint):
        """Two workers of the service, as processes of their own."""
        command = [self.programs / ZINC, "worker", "--connect", endpoint, "--service", SERVICE]
        with contextlib.ExitStack() as started:
            for _ in range(2):
                process = started.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                                                 stderr=subprocess.DEVNULL))
                started.callback(process.kill)
            self.wait_for_service(endpoint, SERVICE)
            yield

    def beside_flood(self, *options):
        """One round: the modest clients without a flood, and beside one."""
        with self.broker() as (_, words), self.workers(words[1]):
            quiet = self.modest(words[1])
            flood = [self.programs / LOAD, words[1], "--clients", "1", "--in-flight", "20000", "--requests",
                     "10000000", "--patience", "3600", *options]
            with subprocess.Popen(flood, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    self.wait_for_flood(words[1])
                    beside = self.modest(words[1])
                    if process.poll() is not None:
                        raise Failed("the flood has ended")
                finally:
                    process.kill()
            return quiet, beside

    def wait_for_flood(self, endpoint):
        """Waits until the client that floods is at its limit."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            asked = self.ask(endpoint, "mmi.broker", "")
            state = dict(word.split("=") for word in asked.split() if "=" in word)
            if int(state.get("paused_clients", 0)) > 0:
                return
        raise Failed("the flood does not reach the broker")

    def ask(self, endpoint, service, *words):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run([self.programs / ZINC, "request", "--connect", endpoint, "--service", service,
                                   *words], capture_output=True, text=True, check=False, timeout=PATIENCE).stdout
        return ""

    def titanic(self, command, requests):
        """Runs one round with a new store. No worker offers the service: the round measures acceptance only."""
        with tempfile.TemporaryDirectory(dir=self.store) as folder, self.broker() as (_, words):
            opening = [self.programs / command[0], *command[1:], "--connect", words[1], "--store",
                       f"{folder}/store"]
            with running(opening, PATIENCE) as (_, opened):
                if opened[0] != "open":
                    raise Failed(f"{command[0]} said {opened}")
                self.wait_for_service(words[1], "titanic.request")
                return self.load(words[1], self.settings.seconds, "--clients", 64, "--workers", 0,
                                 "--titanic", "--requests", requests)

    def wait_for_service(self, endpoint, name):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.ask(endpoint, "mmi.service", name).strip() == "200":
                return
        raise Failed(f"no worker registers for {name}")


def verdict(met):
    return "met" if met else "MISSED"


def report_crowd(rounds, few, peers, rate):
    """Lines of text, and what goes into the JSON."""
    ratio = spread([many.p99 / least.p99 for least, many in rounds])
    medians = [spread([each[at].p99 for each in rounds]).median for at in (0, 1)]
    met = ratio.median <= CROWD_RATIO
    text = (f"{peers:,} workers and {peers:,} clients at {rate:,} request/s: p99 {medians[1]:,.0f} us, with "
            f"{few} of each {medians[0]:,.0f} us; {ratio.median:.2f} x "
            f"[{ratio.low:.2f}–{ratio.high:.2f}], target <= {CROWD_RATIO} x: {verdict(met)}")
    return text, {"peers": peers, "few": few, "rate": rate, "ratio": ratio.median, "met": met,
                  "rounds": [[vars(each) for each in pair] for pair in rounds]}


def report_titanic(name, rounds, least_rate=None, most_p99=None):
    rate = spread([each.rate for each in rounds])
    p99 = spread([each.p99 for each in rounds])
    text = (f"Titanic, 64 clients, {name}: {rate.median:,.0f} accepted/s "
            f"[{rate.low:,.0f}–{rate.high:,.0f}], p99 {p99.median / 1000:.1f} ms")
    met = None
    if least_rate:
        met = rate.median >= least_rate and p99.median <= most_p99
        text += f"; target >= {least_rate:,}/s and <= {most_p99 / 1000:g} ms: {verdict(met)}"
    return text, {"name": name, "rate": rate.median, "p99_us": p99.median, "met": met,
                  "rounds": [vars(each) for each in rounds]}


def report_flood(other, same):
    """Yields lines of text, and the objects for the JSON: beside a flood of another service, and of the same one."""
    ratio = spread([beside.p99 / quiet.p99 for quiet, beside in other])
    met = ratio.median <= FLOOD_RATIO
    p99 = spread([beside.p99 for _, beside in other]).median
    yield (f"{MODEST} clients beside a flood of another service: p99 {p99:,.0f} us, {ratio.median:.2f} x "
           f"[{ratio.low:.2f}–{ratio.high:.2f}], target <= {FLOOD_RATIO} x: {verdict(met)}",
           {"name": "flood of another service", "ratio": ratio.median, "met": met,
            "rounds": [[vars(each) for each in pair] for pair in other]})
    # One more client shares the workers.
    share = spread([beside.rate / quiet.rate * (MODEST + 1) / MODEST for quiet, beside in same])
    met = share.median >= FAIR_SHARE
    p99 = spread([beside.p99 for _, beside in same]).median
    yield (f"{MODEST} clients beside a flood of their service: {share.median:.2f} of their fair share "
           f"[{share.low:.2f}–{share.high:.2f}], target >= {FAIR_SHARE}: {verdict(met)}; p99 {p99:,.0f} us",
           {"name": "flood of the same service", "share": share.median, "met": met,
            "rounds": [[vars(each) for each in pair] for pair in same]})


def measure_flood(bench, settings):
    other, same = [], []
    for _ in range(settings.rounds):
        other.append(bench.beside_flood("--service", "other", "--workers", "1"))
        same.append(bench.beside_flood("--service", SERVICE, "--workers", "0"))
    yield from report_flood(other, same)


def measure_crowd(bench, settings):
    for rate in settings.rate:
        rounds = [bench.crowd(settings.peers, rate) for _ in range(settings.rounds)]
        yield report_crowd(rounds, settings.few, settings.peers, rate)


def measure_titanic(bench, settings):
    ways = {
        "full sync": ((ZINC, "titanic"), settings.requests, SYNC_RATE, SYNC_P99),
        "no sync": ((ZINC, "titanic", "--unsafe-nosync"), settings.requests, None, None),
        "flushes of 5 ms": ((SLOW, "--flush", "5000"), max(64, settings.requests // 8), SLOW_RATE,
                            SLOW_P99),
    }
    rounds = {name: [] for name in ways}
    for _ in range(settings.rounds):
        for name, (command, requests, _, _) in ways.items():
            rounds[name].append(bench.titanic(command, requests))
    for name, (_, _, least_rate, most_p99) in ways.items():
        yield report_titanic(name, rounds[name], least_rate, most_p99)
    share = spread([synced.rate / free.rate for synced, free in zip(rounds["full sync"],
                                                                   rounds["no sync"])])
    met = share.median >= SYNC_SHARE
    yield (f"Titanic, full sync beside no sync: {share.median:.2f} of its rate, target >= "
           f"{SYNC_SHARE}: {verdict(met)}", {"name": "share", "share": share.median, "met": met})


MEASURED = {"crowd": measure_crowd, "flood": measure_flood, "titanic": measure_titanic}


def arguments(words):
    parser = argparse.ArgumentParser(prog="bench/majordomo", description=__doc__)
    parser.add_argument("--only", choices=MEASURED, help="measurement to run; without it, all run")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="seconds of a run")
    parser.add_argument("--rate", type=int, nargs="+", default=[5_000, 10_000],
                        help="requests a second of the crowd")
    parser.add_argument("--peers", type=int, default=5_000, help="workers, and as many clients")
    parser.add_argument("--few", type=int, default=10, help="workers, and as many clients, of the run to compare with")
    parser.add_argument("--modest", type=int, default=50_000, help="requests of a run beside a flood")
    parser.add_argument("--requests", type=int, default=200_000, help="requests of a run with Titanic")
    parser.add_argument("--store", help="folder on the disk for the stores of Titanic")
    parser.add_argument("--programs", type=Path,
                        help="folder with bench/mdp_load, bench/titanic_on_slow_disk and tools/zinc/zinc; "
                             "without it they are built")
    parser.add_argument("--json", type=Path, help="file for the figures of every round")
    return parser.parse_args(words)


def main(words=None, root=Path(__file__).resolve().parents[2], say=print):
    settings = arguments(words)

    def results(programs):
        bench = Bench(programs, settings.store, settings)
        for name in [settings.only] if settings.only else MEASURED:
            yield from MEASURED[name](bench, settings)

    return report("bench/majordomo", settings, [LOAD, ZINC, SLOW], results, root, say)

"""How long services are unavailable: after the kill of a Majordomo broker, and while Freelance servers are away."""

import argparse
import os
import random
import signal
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from comparison.figures import Failed, report
from comparison.output_lines import Line, figure_in, says
from comparison.processes import Processes
from comparison.sockets_table import free_port
from comparison.spread import spread

ZINC, CLIENT = "tools/zinc/zinc", "bench/mdp_steady_client"
LIBZMQ_BROKER, LIBZMQ_WORKER, LIBZMQ_CLIENT = (f"bench/libzmq/md_{role}" for role in
                                               ("broker", "worker", "steady_client"))
FREELANCE_SERVER, FREELANCE_CLIENT = "bench/freelance_server", "bench/freelance_client"
SERVICE = "echo"
SERVERS = 3
MODELS, FAULTS = ("shotgun", "directed"), ("killed", "paused")

# Seconds, as in //test/mdp/simulation:bounds_test.
RECOVERY_TARGET = 3
# Milliseconds above two ping timeouts, for processes that must wake up.
FLAPPING_MARGIN = 50

FULL = {"rounds": 5, "kills": 4, "down": [0.1, 5], "heartbeat": 2_500, "flaps": 6, "away": 2, "between": 1,
        "ping_timeout": 500}
QUICK = {"rounds": 1, "kills": 2, "down": [0.1], "heartbeat": 500, "flaps": 3, "away": 1, "between": 0.2,
         "ping_timeout": 50}


@dataclass(frozen=True)
class Library:
    """The programs of one side of a comparison. Both sides get the same {endpoint} and the same {heartbeat}, which is
    also the timeout of the clients."""
    name: str
    broker: tuple
    worker: tuple
    client: tuple


LIBRARIES = (
    Library("Zinc",
            (ZINC, "broker", "--bind", "{endpoint}", "--heartbeat", "{heartbeat}ms"),
            (ZINC, "worker", "--connect", "{endpoint}", "--service", SERVICE, "--heartbeat", "{heartbeat}ms"),
            (CLIENT, "{endpoint}", SERVICE, "{heartbeat}")),
    Library("libzmq",
            (LIBZMQ_BROKER, "{endpoint}", "{heartbeat}"),
            (LIBZMQ_WORKER, "{endpoint}", SERVICE, "{heartbeat}"),
            (LIBZMQ_CLIENT, "{endpoint}", SERVICE, "{heartbeat}")),
)


@dataclass(frozen=True)
class Recovery:
    """One round: for each kill the seconds until each client had an answer, from the start of the new broker."""
    back: list
    calls: int


@dataclass(frozen=True)
class Flapping:
    """One round. The times are in milliseconds."""
    calls: int
    above: int
    p99: float
    longest: float


class SteadyClient:
    """A client that prints each of its answers."""

    def __init__(self, child):
        self.child = child
        self._times = []  # seconds

    def answers(self):
        """The times of the answers so far. Their numbers must be 1, 2, 3 …: a gap is an answer that was lost."""
        lines, end, self.child.output = self.child.output.rpartition("\n")
        for line in lines.splitlines() if end else ():
            name, _, time_and_unit = line.partition(": ")
            if name != f"answer {len(self._times) + 1}":
                raise Failed(f"expected answer {len(self._times) + 1}, not: {line!r}")
            self._times.append(int(time_and_unit.removesuffix(" [us]")) / 1e6)
        return self._times

    def first_after(self, begin):
        return next((at for at in self.answers() if at > begin), None)


def flapping_of(output):
    """The figures of the client, if each call has its answer."""
    names = {"calls": "call", "answers": "call", "calls above a ping timeout": "call", "latency p99": "us",
             "longest call": "us", "servers passed over": "time"}
    found = {name: figure_in(output, Line(name, unit)) for name, unit in names.items()}
    if None in found.values():
        raise Failed(f"no figures in: {output!r}")
    if found["calls"] != found["answers"] or not found["calls"]:
        raise Failed(f"{found['answers']:.0f} of {found['calls']:.0f} calls were answered")
    return Flapping(int(found["calls"]), int(found["calls above a ping timeout"]), found["latency p99"] / 1e3,
                    found["longest call"] / 1e3), int(found["servers passed over"])


class Bench:
    def __init__(self, programs, settings):
        self.programs, self.settings = programs, settings
        self.random = random.Random(1)

    def start(self, processes, command, **values):
        return processes.start([self.programs / command[0], *(word.format(**values) for word in command[1:])])

    def recovery(self, library, down):
        settings = self.settings
        values = {"endpoint": f"tcp://127.0.0.1:{free_port(1)}", "heartbeat": settings.heartbeat}
        with Processes() as processes:
            def start(command):
                return self.start(processes, command, **values)

            def wait_for_answers(begin):
                processes.wait_for(lambda: all(client.answers() and client.answers()[-1] > begin for client in clients),
                                   f"an answer for every client of {library.broker[0]}")

            broker = start(library.broker)
            for _ in range(settings.workers):
                start(library.worker)
            clients = [SteadyClient(start(library.client)) for _ in range(settings.clients)]
            wait_for_answers(0)
            back = []
            for _ in range(settings.kills):
                # At any time between two heartbeats.
                processes.sleep(self.random.uniform(0, settings.heartbeat / 1e3))
                processes.kill(broker)
                processes.sleep(down)
                begin = time.monotonic()
                broker = start(library.broker)
                wait_for_answers(begin)
                back.append([client.first_after(begin) - begin for client in clients])
            for client in clients:
                processes.stop(client.child)
            return Recovery(back, sum(len(client.answers()) for client in clients))

    def flapping(self, model, fault):
        settings = self.settings
        first = free_port(SERVERS)
        endpoints = [f"tcp://127.0.0.1:{first + at}" for at in range(SERVERS)]
        with Processes() as processes:
            def start_ready(*command):
                child = self.start(processes, command)
                processes.wait_for(lambda: says(child.output, "ready"), f"the first line of {command[0]}")
                return child

            servers = [start_ready(FREELANCE_SERVER, model, endpoint) for endpoint in endpoints]
            client = start_ready(FREELANCE_CLIENT, model, str(settings.ping_timeout), *endpoints)
            for turn in range(settings.flaps):
                processes.sleep(settings.between)
                at = turn % SERVERS
                if fault == "killed":
                    processes.kill(servers[at])
                    processes.sleep(settings.away)
                    servers[at] = start_ready(FREELANCE_SERVER, model, endpoints[at])
                else:
                    os.kill(servers[at].pid, signal.SIGSTOP)
                    processes.sleep(settings.away)
                    os.kill(servers[at].pid, signal.SIGCONT)
            processes.sleep(settings.between)
            processes.stop(client)
            figures, passed_over = flapping_of(client.output)
            if (model, fault) == ("directed", "paused") and passed_over < settings.flaps:
                raise Failed(f"the client noticed {passed_over} of {settings.flaps} pauses")
            return figures


def milliseconds(seconds):
    return f"{seconds * 1e3:,.0f} ms"


def report_recovery(settings, library, down, rounds):
    """A line of text, and the object for the JSON."""
    expected = settings.kills * settings.clients
    for each in rounds:
        if sum(map(len, each.back)) != expected:
            raise Failed(f"{sum(map(len, each.back))} of {expected} recoveries")
    kills = [times for each in rounds for times in each.back]
    calls = sum(each.calls for each in rounds)
    first, every = [min(times) for times in kills], [max(times) for times in kills]
    text = (f"Majordomo broker killed and started again after {down:g} s, {settings.workers} workers, "
            f"{settings.clients} clients, heartbeat and client timeout {settings.heartbeat / 1e3:g} s, {library}: first "
            f"answer after {milliseconds(statistics.median(first))}, at most {milliseconds(max(first))}; every client "
            f"after {milliseconds(statistics.median(every))}, at most {milliseconds(max(every))}; {len(kills)} kills, "
            f"all {calls:,} calls answered")
    met = None
    if library == "Zinc":
        met = max(every) <= RECOVERY_TARGET
        text += f"; target at most {RECOVERY_TARGET} s: {verdict(met)}"
    return text, {"name": "recovery", "library": library, "down": down, "heartbeat_ms": settings.heartbeat,
                  "kills": len(kills), "calls": calls, "first": {"median": statistics.median(first), "most": max(first)},
                  "every": {"median": statistics.median(every), "most": max(every)}, "met": met,
                  "rounds": [vars(each) for each in rounds]}


def report_flapping(settings, model, fault, rounds):
    p99 = spread([each.p99 for each in rounds])
    longest = max(each.longest for each in rounds)
    calls, above = (sum(getattr(each, name) for each in rounds) for name in ("calls", "above"))
    most = 2 * settings.ping_timeout + FLAPPING_MARGIN
    met = longest <= most
    text = (f"Freelance, {model}, each of {SERVERS} servers {fault} in turn for {settings.away:g} s, ping timeout "
            f"{settings.ping_timeout} ms: longest call {longest:,.1f} ms, p99 {p99.median:,.2f} ms "
            f"[{p99.low:,.2f}–{p99.high:,.2f}], {above / calls:.2%} of the calls above a ping timeout; "
            f"{len(rounds) * settings.flaps} times {fault}, all {calls:,} calls answered; target at most {most} ms: "
            f"{verdict(met)}")
    return text, {"name": "flapping", "model": model, "fault": fault, "ping_timeout_ms": settings.ping_timeout,
                  "calls": calls, "above": above, "longest_ms": longest, "p99_ms": p99.median, "met": met,
                  "rounds": [vars(each) for each in rounds]}


def verdict(met):
    return "met" if met else "MISSED"


def measure_recovery(bench, settings):
    for down in settings.down:
        rounds = {library.name: [] for library in LIBRARIES}
        for _ in range(settings.rounds):
            for library in LIBRARIES:
                rounds[library.name].append(bench.recovery(library, down))
        for name, found in rounds.items():
            yield report_recovery(settings, name, down, found)


def measure_flapping(bench, settings):
    for model in MODELS:
        for fault in FAULTS:
            rounds = [bench.flapping(model, fault) for _ in range(settings.rounds)]
            yield report_flapping(settings, model, fault, rounds)


MEASURED = {"recovery": measure_recovery, "flapping": measure_flapping}

ROWS = """rows:
  recovery  a Majordomo broker is killed and started again: time from its start to the first answer of the service, and
            to an answer for every client. Programs of Zinc and of libzmq in turn, with the same heartbeat. libzmq's
            workers register again after their next heartbeat, so their figure follows --heartbeat.
  flapping  three Freelance servers are killed, or paused, in turn while a client calls: its longest call, p99, and the
            share of calls above one ping timeout, with either model.

A call without an answer, a program that ends early and a fault that no client notices are errors, not figures.
"""


def arguments(words):
    parser = argparse.ArgumentParser(prog="bench/availability", description=__doc__, epilog=ROWS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)

    def add(name, meaning, **kwargs):
        full, quick = FULL[name], QUICK[name]
        texts = [" ".join(map(str, each)) if isinstance(each, list) else f"{each}" for each in (full, quick)]
        parser.add_argument("--" + name.replace("_", "-"), help=f"{meaning} ({texts[0]}; with --quick {texts[1]})",
                            **kwargs)

    parser.add_argument("--only", choices=MEASURED, help="one of the rows below; without it, all rows")
    parser.add_argument("--quick", action="store_true",
                        help="short runs, within a minute: shows that everything runs, not how fast")
    add("rounds", "rounds", type=int)
    add("kills", "kills in a round of recovery", type=int)
    add("down", "seconds without a broker; each has a row of its own", type=float, nargs="+")
    add("heartbeat", "milliseconds between heartbeats of workers and brokers, and timeout of their clients", type=int)
    parser.add_argument("--workers", type=int, default=4, help="workers (4)")
    parser.add_argument("--clients", type=int, default=4, help="clients (4)")
    add("flaps", "faults in a round of flapping", type=int)
    add("away", "seconds without one of the servers", type=float)
    add("between", "seconds with all servers", type=float)
    add("ping_timeout", "milliseconds", type=int)
    parser.add_argument("--programs", type=Path, help="folder with the programs; without it they are built")
    parser.add_argument("--json", type=Path, help="file for the figures of every round")
    settings = parser.parse_args(words)
    for name, value in (QUICK if settings.quick else FULL).items():
        if getattr(settings, name) is None:
            setattr(settings, name, value)
    return settings


def main(words=None, root=Path(__file__).resolve().parents[2], say=print):
    settings = arguments(words)

    def results(programs):
        bench = Bench(programs, settings)
        for name in [settings.only] if settings.only else MEASURED:
            yield from MEASURED[name](bench, settings)

    needed = [ZINC, CLIENT, LIBZMQ_BROKER, LIBZMQ_WORKER, LIBZMQ_CLIENT, FREELANCE_SERVER, FREELANCE_CLIENT]
    return report("bench/availability", settings, needed, results, root, say)

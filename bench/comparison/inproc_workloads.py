"""Workloads within one process."""

from dataclasses import replace

from comparison.contestants import OURS, SPIN_US, THEIRS, at_least, at_most, size_text
from comparison.output_lines import LATENCY, THROUGHPUT
from comparison.workload import Contestant, Process, Target, Workload


def _within(key, label, program, *arguments):
    """Returns a contestant of one process, whose sockets meet over inproc."""
    return Contestant(key, label, (Process("process", program, tuple(map(str, arguments)),
                                           when_listening=False),), "process")


def inproc_stream(size, quick=()):
    return Workload(f"inproc_stream_{size}", f"inproc stream, {size_text(size)}", THROUGHPUT,
                    (_within("ours", "ours", OURS + "inproc_thr", size, "{count}"),
                     _within("theirs", "libzmq", THEIRS + "inproc_thr", size, "{count}"),
                     _within("one_executor", "ours, one executor", OURS + "inproc_thr", size,
                             "{count}", 1)),
                    100_000, (at_least(5),), quick=quick,
                    conditions="PUSH to PULL, from one thread to another; high-water marks of 1000, the "
                               "defaults")


def inproc_round_trip(quick=()):
    return Workload("inproc_round_trip_64", "inproc round trip, 64 B", LATENCY,
                    (_within("ours", "ours", OURS + "inproc_lat", 64, "{count}"),
                     _within("theirs", "libzmq", THEIRS + "inproc_lat", 64, "{count}")),
                    2000, (at_most(0.75),), per="round trip", quick=quick,
                    conditions="REQ and REP in two threads; the figure is one way, half a round trip")


def inproc_spinning(stream):
    program, title, line, target = (
        ("inproc_thr", "inproc stream", THROUGHPUT, at_least(5)) if stream else
        ("inproc_lat", "inproc round trip", LATENCY, at_most(0.6)))
    return Workload(f"{title.replace(' ', '_')}_spinning_64", f"{title}, spinning, 64 B", line,
                    (_within("ours", "ours", OURS + program, 64, "{count}", 2, SPIN_US),
                     _within("theirs", "libzmq", THEIRS + program, 64, "{count}")),
                    100_000 if stream else 2000, (target,), per="msg" if stream else "round trip",
                    conditions=f"from one thread to another; ours with a spin of {SPIN_US} µs, which "
                               "libzmq does not have")


def inproc_one_executor():
    return Workload("inproc_one_executor_64", "inproc round trip in one executor, 64 B", LATENCY,
                    (_within("ours", "ours", OURS + "inproc_lat", 64, "{count}", 1),
                     _within("theirs", "libzmq, two threads", THEIRS + "inproc_lat", 64, "{count}")),
                    2000, (Target("≤ 0.25 µs", 0.25, False, None, unit="us"),), per="round trip",
                    conditions="REQ and REP that share a thread, which libzmq's cannot; the figure is one "
                               "way, half a round trip")

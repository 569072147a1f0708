"""Workloads of publishers and subscribers."""

from dataclasses import replace

from comparison.contestants import LIMITS, OURS, OURS_TO_THEIRS, THEIRS, THEIRS_TO_OURS, at_least
from comparison.output_lines import THROUGHPUT
from comparison.workload import Contestant, Process, Workload


def _publisher(key, label, source, sink, peers, *batch):
    # The receiver connects to many addresses of the loopback, so the publisher binds to all.
    return Contestant(key, label, (
        Process("sender", source, ("{bind}", str(peers), "64", "{count}", *map(str, batch)),
                when_listening=False),
        Process("receiver", sink, ("{connect}", str(peers), "64", "{count}"))), "receiver")


def fan_out(peers, factor, factor_to_theirs=None, quick=()):
    targets = (at_least(factor),)
    if factor_to_theirs:
        targets += (replace(at_least(factor_to_theirs), of=OURS_TO_THEIRS),)
    pairs = (
        _publisher("ours", "ours", OURS + "fan_out_pub", OURS + "fan_out_sub", peers),
        _publisher("theirs", "libzmq", THEIRS + "fan_out_pub", THEIRS + "fan_out_sub", peers),
        _publisher(OURS_TO_THEIRS, "ours to libzmq", OURS + "fan_out_pub", THEIRS + "fan_out_sub", peers),
        _publisher(THEIRS_TO_OURS, "libzmq to ours", THEIRS + "fan_out_pub", OURS + "fan_out_sub", peers),
        _publisher("limit", "limit", LIMITS + "raw_fan_out_source", LIMITS + "raw_fan_out_sink", peers),
    )
    return Workload(f"fan_out_{peers}", f"fan-out to {peers:,}, 64 B", THROUGHPUT, pairs,
                    max(200, 200_000 // peers), targets, figures_per_count=peers,
                    per="delivery", series="fan_out", at=peers, ports=2, setup_seconds=30, quick=quick,
                    conditions="PUB without dropping to SUB, libzmq's marks 0; the figure counts "
                               "deliveries; the CPU time that of connecting too; limit: one buffer of "
                               "64 KiB written to each peer")


def single_publish(peers):
    pairs = (
        _publisher("ours", "ours", OURS + "fan_out_pub", OURS + "fan_out_sub", peers, 1),
        _publisher("theirs", "libzmq", THEIRS + "fan_out_pub", THEIRS + "fan_out_sub", peers),
        _publisher(OURS_TO_THEIRS, "ours to libzmq", OURS + "fan_out_pub", THEIRS + "fan_out_sub", peers, 1),
    )
    return Workload(f"single_publish_{peers}", f"one co_await a published message, to {peers}, 64 B",
                    THROUGHPUT, pairs,
                    200_000 // peers, (at_least(1),), figures_per_count=peers, per="delivery", ports=2,
                    setup_seconds=30, quick=("ours", "theirs"),
                    conditions="as the fan-out, but our publisher awaits the sending of each message")


def black_box():
    def pair(key, label, subscriber, *shards):
        return Contestant(key, label, (
            Process("feed", OURS + "feed", ("{connect}", "100", "{count}"), when_listening=False),
            Process("subscriber", subscriber, ("{connect}", "100", "{count}", "1000", *shards))),
            "subscriber")
    return Workload("black_box", "Black Box, 1 µs a message, 100 B", THROUGHPUT,
                    (pair("ours", "two shards", OURS + "working_sub", "2"),
                     pair("theirs", "libzmq, one thread", THEIRS + "working_sub")),
                    100_000, (at_least(1.6),), quick=("ours", "theirs"),
                    conditions="a subscriber that works for 1 µs on each message, of 1,000 topics: "
                               "sharded_subscriber with two threads that work, and one libzmq SUB; "
                               "both are fed by our PUB, which waits for them")


def topics(count):
    plural = "s" if count > 1 else ""
    def pair(key, label, source, sink):
        return Contestant(key, label, (
            Process("sender", source, ("{bind}", "1", "64", "{count}"), when_listening=False),
            Process("receiver", sink, ("{connect}", "1", "64", "{count}", str(count)))), "receiver")
    return Workload(f"topics_{count}", f"publishing past {count:,} topic{plural}, 64 B", THROUGHPUT,
                    (pair("ours", "ours", OURS + "fan_out_pub", OURS + "fan_out_sub"),
                     pair("theirs", "libzmq", THEIRS + "fan_out_pub", THEIRS + "fan_out_sub")),
                    200_000, series="topics", at=count, ports=2, setup_seconds=60,
                    conditions="as the fan-out to one, who has so many topics that do not match besides "
                               "the one that does; the CPU time that of subscribing too")

"""All workloads, with the targets of the project."""

from dataclasses import replace
from fnmatch import fnmatchcase

from comparison.contestants import (NNG, NNG_PROGRAMS, OTHER_LIBZMQ, QUICK, QUICK_MIXED, THEIRS,
                                    at_least, through_nats, with_targets_of_mixtures)
from comparison.inproc_workloads import (inproc_one_executor, inproc_round_trip, inproc_spinning,
                                         inproc_stream)
from comparison.publishing_workloads import black_box, fan_out, single_publish, topics
from comparison.round_trip_workloads import (idle_memory, round_trip, round_trip_ipc,
                                             round_trip_spinning)
from comparison.service_workloads import (clone, majordomo, majordomo_asynchronous,
                                          majordomo_capacity, majordomo_capacity_8)
from comparison.stream_workloads import (connections, curve_handshakes, multipart, proxy, single,
                                         stream, stream_curve, stream_huge, stream_ipc,
                                         stream_single, stream_tls, stream_websocket)
from comparison.workload import Target

def _of_raw(factor):
    return at_least(factor, "limit", "raw stream")


def _of_tcp(factor):
    return at_least(factor, "limit", "raw TCP")


WORKLOADS = tuple(map(with_targets_of_mixtures, (
    stream(16, "raw_stream", (at_least(10), _of_raw(0.4)), QUICK),
    stream(64, "raw_stream", (_of_raw(0.7),), QUICK_MIXED),
    stream(256, "raw_stream", (_of_raw(0.8),)),
    stream(1024, "raw_stream", (_of_raw(0.8),)),
    stream(32768, "raw_tcp", (_of_tcp(0.85),), QUICK),
    stream(131072, "raw_tcp", (_of_tcp(0.8),)),
    stream(2 ** 20, "raw_tcp", (_of_tcp(0.85),)),
    stream_huge(),
    stream_ipc(64),
    stream_ipc(32768),
    stream_single(64),
    single("await", "one co_await a message on both sides", 1, "co_await of a posted completion"),
    single("if_needed", "a coroutine a message that awaits if it must", 2,
            "try_send and try_receive in a coroutine of their own, which awaits only when nothing is ready"),
    single("attempt", "try_send and try_receive in a loop", 3,
            "try_send and try_receive, and a co_await when nothing is ready"),
    single("block", "one blocking call a message", 2, "the sockets of zmtp::blocking"),
    proxy(64),
    stream_curve(64, 2, ("ours", "theirs", "limit")),
    stream_curve(1024, 1.5),
    stream_curve(32768, 1.3),
    stream_tls(64, ("ours", "limit")),
    stream_tls(32768),
    stream_websocket(64, ("ours", "limit")),
    stream_websocket(32768),
    curve_handshakes(),
    round_trip(1),
    round_trip(64, QUICK_MIXED),
    round_trip(1024),
    round_trip_spinning(64),
    round_trip_ipc(64),
    inproc_stream(64, ("ours", "theirs")),
    inproc_round_trip(("ours", "theirs")),
    inproc_spinning(True),
    inproc_spinning(False),
    inproc_one_executor(),
    fan_out(1, 8),
    fan_out(10, 5, quick=QUICK),
    fan_out(100, 7),
    fan_out(1000, 8, 1.5),
    single_publish(1),
    single_publish(10),
    black_box(),
    idle_memory(),
    *(connections(count) for count in (1, 100, 1000)),
    connections(10_000, (Target("≥ 15 M msg/s", 15_000_000, True, None, unit="msg/s"),), seconds=3),
    *(topics(count) for count in (1, 1000, 1_000_000)),
    *(multipart(parts) for parts in (1, 10, 100)),
    majordomo_asynchronous(1),
    majordomo_asynchronous(4, QUICK),
    majordomo_asynchronous(10),
    majordomo("majordomo_synchronous", "Majordomo, synchronous client", 1, "md_sync_client", 1,
               (at_least(2.3),), quick=("ours", "theirs", "limit")),
    majordomo_capacity_8(),
    *(majordomo_capacity(capacity) for capacity in (16, 32, 64)),
    clone(),
)))


def with_other_libzmq(workload, folder, label):
    """Adds a contestant: the programs of libzmq with the library of this folder."""
    theirs = next((each for each in workload.contestants if each.key == "theirs"), None)
    if theirs is None:
        return workload
    processes = tuple(replace(each, environment=(("LD_LIBRARY_PATH", str(folder)),))
                      if each.program.startswith(THEIRS) else each for each in theirs.processes)
    return _with(workload, replace(theirs, key=OTHER_LIBZMQ, label=label, processes=processes))


# By workload, what nng does there. It has no parts, and its subscriber too small a buffer for 1,000 connections.
_NNG_STREAM = "push0 to pull0, a send buffer of 1000 messages"
_NNG_ROUND_TRIP = "req0 and rep0"
_NNG_PUBLISHER = "pub0 to sub0, which drop, so that the publisher waits for its subscriber every few messages"
_FOR_NNG = {
    "stream_[0-9]*": _NNG_STREAM,
    "stream_ipc_*": _NNG_STREAM,
    "single_*_64": _NNG_STREAM,
    "round_trip_[0-9]*": _NNG_ROUND_TRIP,
    "round_trip_ipc_*": _NNG_ROUND_TRIP,
    "fan_out_1": _NNG_PUBLISHER,
    "fan_out_10": _NNG_PUBLISHER,
    "fan_out_100": _NNG_PUBLISHER,
    "single_publish_*": _NNG_PUBLISHER,
}


def with_nng(workload):
    """Adds a contestant, where nng has programs for the workload: those beside libzmq's, with the same arguments."""
    conditions = next((text for name, text in _FOR_NNG.items() if fnmatchcase(workload.name, name)), None)
    if conditions is None:
        return workload
    theirs = next(each for each in workload.contestants if each.key == "theirs")
    processes = tuple(replace(each, program=each.program.replace(THEIRS, NNG_PROGRAMS))
                      for each in theirs.processes)
    workload = replace(workload, conditions=f"{workload.conditions}; nng: {conditions}, one message a call")
    return _with(workload, replace(theirs, key=NNG, label="nng", processes=processes))


# By workload, the programs for NATS and the arguments before the count. A server takes messages up to 1 MiB.
_FOR_NATS = {
    **{f"stream_{size}": ("subscriber", "publisher", 1, size) for size in (16, 64, 256, 1024, 32768, 131072, 2 ** 20)},
    "proxy_64": ("subscriber", "publisher", 1, 64),
    **{f"round_trip_{size}": ("asker", "answerer", size) for size in (1, 64, 1024)},
    **{f"fan_out_{peers}": ("subscriber", "publisher", peers, 64) for peers in (1, 10, 100, 1000)},
}
_NATS_CONDITIONS = {
    "subscriber": "one PUB a message, in writes of 64 KiB; the publisher waits for its subscriber every 2 MiB, because "
                  "the server drops a slow subscriber",
    "asker": "a question with the subject for its answer",
}


def with_nats(workload, server, version):
    """Adds a contestant through this nats-server, where NATS can do the same."""
    if workload.name not in _FOR_NATS:
        return workload
    first, second, *arguments = _FOR_NATS[workload.name]
    workload = replace(workload, conditions=f"{workload.conditions}; NATS: {_NATS_CONDITIONS[first]}")
    return _with(workload, through_nats(server, f"NATS {version}, through its server", first, second, *arguments,
                                        "{count}"))


def _with(workload, contestant):
    return replace(workload, contestants=(*workload.contestants, contestant),
                   quick=(*workload.quick, contestant.key) if workload.quick else ())

"""Workloads of questions and answers, and of idle connections."""

from dataclasses import replace

from comparison.contestants import (LIMITS, OURS, OURS_TO_THEIRS, SPIN_US, THEIRS, THEIRS_TO_OURS,
                                    at_most, beyond_limit, binding, connecting, size_text)
from comparison.output_lines import LATENCY, MEMORY
from comparison.workload import Contestant, Ending, Process, Target, Workload


def round_trip(size, quick=()):
    def pair(key, label, server, client):
        return Contestant(key, label, (binding("server", server, size, "{count}"),
                                       connecting("client", client, size, "{count}")), "client")
    pairs = (
        pair("ours", "ours", OURS + "local_lat", OURS + "remote_lat"),
        pair("theirs", "libzmq", THEIRS + "local_lat", THEIRS + "remote_lat"),
        pair(OURS_TO_THEIRS, "our client, libzmq's server", THEIRS + "local_lat",
             OURS + "remote_lat"),
        pair(THEIRS_TO_OURS, "libzmq's client, our server", OURS + "local_lat",
             THEIRS + "remote_lat"),
        pair("limit", "limit", LIMITS + "ping_pong_server", LIMITS + "ping_pong_client"),
    )
    return Workload(f"round_trip_{size}", f"round trip, {size_text(size)}", LATENCY, pairs, 2000,
                    (at_most(1.06, "limit"), beyond_limit("client"), beyond_limit("server")), per="round trip",
                    series="round_trip", at=size, quick=quick,
                    conditions="REQ and REP; the figure is one way, half a round trip; limit: epoll and "
                               "TCP without ZMTP")


def round_trip_spinning(size):
    def pair(key, label, server, client):
        # Only our programs can spin.
        def spin(folder):
            return (SPIN_US,) if folder == OURS else ()
        return Contestant(key, label, (binding("server", server + "local_lat", size, "{count}", *spin(server)),
                                       connecting("client", client + "remote_lat", size, "{count}", *spin(client))),
                          "client")
    return Workload(f"round_trip_spinning_{size}", f"round trip, spinning, {size_text(size)}", LATENCY,
                    (pair("ours", "ours", OURS, OURS), pair("theirs", "libzmq", THEIRS, THEIRS),
                     pair(OURS_TO_THEIRS, "our client, libzmq's server", THEIRS, OURS),
                     pair(THEIRS_TO_OURS, "libzmq's client, our server", OURS, THEIRS)),
                    2000, (at_most(0.15),), per="round trip",
                    conditions=f"as the round trip; ours with a spin of {SPIN_US} µs, which libzmq does "
                               "not have: a thread that has nothing to do looks on for so long before it "
                               "sleeps")


def round_trip_ipc(size):
    return replace(round_trip(size), name=f"round_trip_ipc_{size}",
                   title=f"round trip over ipc, {size_text(size)}",
                   contestants=round_trip(size).contestants[:-1], targets=(), series=None, ipc=True,
                   conditions="as the round trip, over a socket file")


def idle_memory():
    def router(key, label, program):
        return Contestant(key, label, (
            Process("router", program, ("{connect}", "{count}"), Ending.SIGNAL, when_listening=False),
            Process("peers", LIMITS + "idle_peers", ("{connect}", "{count}"), Ending.CLOSED_INPUT,
                    has_to_say="connections")), "router")
    return Workload("idle_memory", "idle ROUTER connection", MEMORY,
                    (router("ours", "ours", OURS + "idle_router"),
                     router("theirs", "libzmq", THEIRS + "idle_router")), 10_000,
                    (Target("≤ 3 KiB", 3072, False, None, unit="B"),), per="connection", fixed=True,
                    setup_seconds=60, quick=("ours", "theirs"), quick_count=1000,
                    conditions="resident bytes per connection after one message on each; their other "
                               "ends are in another process")

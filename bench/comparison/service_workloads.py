"""Workloads of Majordomo and of the clustered hashmap."""

from comparison.contestants import (LIMITS, OUR_BROKER_THEIR_PEERS, OURS, THEIR_BROKER_OUR_PEERS,
                                    THEIRS, at_least)
from comparison.output_lines import RATE, THROUGHPUT
from comparison.workload import Contestant, Ending, Process, Target, Workload

OUR_BROKER = Process("broker", "tools/zinc/zinc", ("broker", "--bind", "{connect}"), Ending.SIGNAL,
                     when_listening=False)
THEIR_BROKER = Process("broker", THEIRS + "md_broker", ("{connect}",), Ending.SIGNAL,
                       when_listening=False)
RELAY = Process("broker", LIMITS + "relay", ("{connect}",), Ending.SIGNAL, when_listening=False)
OUR_SERVER = "our_server"
THEIR_SERVER = "their_server"

# As many as our broker lets one client have unanswered.
IN_FLIGHT = 1000


def _our_peers(workers, in_flight, capacity):
    return (Process("peers", OURS + "mdp_load",
                    ("{connect}", "--clients", "1", "--workers", str(workers), "--in-flight",
                     str(in_flight), "--requests", "{count}", "--capacity", str(capacity))),)


def _their_peers(workers, client):
    worker = Process("workers", THEIRS + "md_worker", ("{connect}", "echo"), Ending.SIGNAL)
    return (*[worker] * workers, Process("client", THEIRS + client, ("{connect}", "echo", "{count}"),
                           when_connected=workers))


def _relay(workers, in_flight, capacity):
    return Contestant("limit", "relay", (RELAY, Process(
        "peers", LIMITS + "relay_load",
        ("{connect}", str(workers), str(in_flight), "{count}", str(capacity)))), "peers")


def majordomo(name, title, workers, client, in_flight, targets, quick=()):
    ours = _our_peers(workers, in_flight, 1)
    theirs = _their_peers(workers, client)
    contestants = (
        Contestant("ours", "ours", (OUR_BROKER, *ours), "peers"),
        Contestant("theirs", "libzmq", (THEIR_BROKER, *theirs), "client"),
        Contestant(OUR_BROKER_THEIR_PEERS, "our broker, libzmq's peers", (OUR_BROKER, *theirs),
                   "client"),
        Contestant(THEIR_BROKER_OUR_PEERS, "libzmq's broker, our peers", (THEIR_BROKER, *ours),
                   "peers"),
        _relay(workers, in_flight, 1),
    )
    return Workload(name, title, RATE, contestants, 2000, targets, per="request",
                    series="majordomo", at=workers, quick=quick,
                    conditions="MDP/0.1, workers that take one request at a time; limit: an epoll relay "
                               "without a protocol")


def majordomo_asynchronous(workers, quick=()):
    plural = "s" if workers > 1 else ""
    # The broker is judged with the same peers as libzmq's broker, too.
    targets = (at_least(3), _broker_cpu("ours"), _broker_cpu(OUR_BROKER_THEIR_PEERS))
    return majordomo(f"majordomo_{workers}", f"Majordomo, {workers} worker{plural}", workers,
                      "md_client", IN_FLIGHT, targets, quick)


def _broker_cpu(key):
    return Target("broker CPU ≤ 1.5 × relay", 1.5, False, "limit", role="broker", of=key)


def majordomo_capacity(capacity, targets=(), quick=()):
    return Workload(f"majordomo_capacity_{capacity}", f"Majordomo, 4 workers of capacity {capacity}", RATE,
                    (Contestant("ours", "ours", (OUR_BROKER, *_our_peers(4, IN_FLIGHT, capacity)), "peers"),
                     _relay(4, IN_FLIGHT, capacity)), 5000, (*targets, _broker_cpu("ours")), per="request",
                    series="majordomo", at=4, quick=quick,
                    conditions=f"workers that announce a capacity of {capacity}; libzmq's stand-ins have none")


def majordomo_capacity_8():
    return majordomo_capacity(8, (Target("≥ 500 k request/s", 500_000, True, None, unit="request/s"),
                                  Target("broker CPU ≤ 1 µs", 1000, False, None, role="broker", unit="ns")),
                              quick=("ours", "limit"))


def clone():
    def pair(key, label, server, load):
        return Contestant(key, label, (server, Process("clients", load, ("{connect}", "{count}"))),
                          "clients")
    ours = Process("server", "tools/zinc/zinc", ("chp", "server", "--bind", "{connect}"), Ending.SIGNAL,
                   when_listening=False)
    theirs = Process("server", THEIRS + "clone_server", ("{connect}",), Ending.SIGNAL,
                     when_listening=False)
    contestants = (
        pair("ours", "ours", ours, OURS + "chp_load"),
        pair("theirs", "libzmq", theirs, THEIRS + "clone_load"),
        pair(OUR_SERVER, "our server, libzmq's clients", ours, THEIRS + "clone_load"),
        pair(THEIR_SERVER, "libzmq's server, our clients", theirs, OURS + "chp_load"),
    )
    targets = (Target("≥ 1 M msg/s", 1_000_000, True, None, unit="msg/s"), at_least(4))
    return Workload("clone", "CHP updates, 32 B values", THROUGHPUT, contestants, 20_000, targets,
                    per="update", ports=3, quick=("ours", OUR_SERVER, THEIR_SERVER, "theirs"),
                    conditions="one client sets 10,000 keys in turn, one follows and counts, in one "
                               "process; none may be lost or out of order; libzmq's marks 0 and its server "
                               "a stand-in for the Guide's clonesrv5")

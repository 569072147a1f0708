"""Makes the contestants of workloads, and their targets."""

from dataclasses import replace

from comparison.workload import Contestant, Ending, Process, Target

OURS = "bench/"
THEIRS = "bench/libzmq/"
LIMITS = "bench/limits/"
NNG_PROGRAMS = "bench/nng/"
NATS_PROGRAMS = "bench/nats/"

# Longer than it takes to be woken.
SPIN_US = 100
OURS_TO_THEIRS = "ours_to_theirs"
THEIRS_TO_OURS = "theirs_to_ours"
OUR_BROKER_THEIR_PEERS = "our_broker"
THEIR_BROKER_OUR_PEERS = "their_broker"
MIXTURES = (OURS_TO_THEIRS, THEIRS_TO_OURS, OUR_BROKER_THEIR_PEERS, THEIR_BROKER_OUR_PEERS)
OTHER_LIBZMQ = "other_libzmq"
NNG = "nng"
NATS = "nats"
QUICK = ("ours", "theirs", "limit")
QUICK_MIXED = ("ours", OURS_TO_THEIRS, THEIRS_TO_OURS, "theirs", "limit")


def size_text(data):
    for unit, letter in ((2 ** 20, "MiB"), (2 ** 10, "KiB")):
        if data >= unit:
            return f"{data // unit} {letter}"
    return f"{data} B"


_NAMES = {"theirs": "libzmq", "limit": "limit"}


def at_least(factor, against="theirs", name=None):
    return Target(f"≥ {factor:g} × {name or _NAMES[against]}", factor, True, against)


def at_most(factor, against="theirs"):
    return Target(f"≤ {factor:g} × {_NAMES[against]}", factor, False, against)


def beyond_limit(role):
    return Target(f"{role} CPU ≤ limit + 1 µs", 1000, False, "limit", role, "ns", beyond=True)


def with_targets_of_mixtures(workload):
    """A user who replaces one end by ours must not lose, whatever the work."""
    bound, at_least_it = (1.05, False) if workload.lower_is_better else (0.95, True)
    judged = {target.of for target in workload.targets if not target.role}
    added = tuple(Target(f"{'≥' if at_least_it else '≤'} {bound} × libzmq", bound, at_least_it, of=each.key)
                  for each in workload.contestants if each.key in MIXTURES and each.key not in judged)
    return replace(workload, targets=workload.targets + added)


def binding(role, program, *arguments):
    return Process(role, program, ("{connect}", *map(str, arguments)), when_listening=False)


def connecting(role, program, *arguments):
    return Process(role, program, ("{connect}", *map(str, arguments)))


def pair(key, label, receiver, sender, *arguments):
    """Returns a contestant with one-way traffic. The receiver binds and counts."""
    return Contestant(key, label, (binding("receiver", receiver, *arguments),
                                   connecting("sender", sender, *arguments)), "receiver")


def one_way(limit, *arguments):
    pairs = [
        pair("ours", "ours", OURS + "local_thr", OURS + "remote_thr", *arguments),
        pair("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr", *arguments),
        pair(OURS_TO_THEIRS, "ours to libzmq", THEIRS + "local_thr", OURS + "remote_thr",
              *arguments),
        pair(THEIRS_TO_OURS, "libzmq to ours", OURS + "local_thr", THEIRS + "remote_thr",
              *arguments),
    ]
    if limit:
        pairs.append(pair("limit", "limit", f"{LIMITS}{limit}_sink", f"{LIMITS}{limit}_source",
                           *arguments))
    return tuple(pairs)


def through_nats(server, label, first, second, *arguments):
    """Returns a contestant whose two programs meet at a nats-server. They wait for each other."""
    roles = {"subscriber": "receiver", "publisher": "sender", "asker": "client", "answerer": "server"}
    return Contestant(NATS, label, (
        Process("nats-server", str(server), ("-a", "{host}", "-p", "{port}"), Ending.INTERRUPT, when_listening=False),
        connecting(roles[first], NATS_PROGRAMS + first, *arguments),
        connecting(roles[second], NATS_PROGRAMS + second, *arguments)), roles[first])

"""Makes the contestants of workloads, and their targets."""

from comparison.workload import Contestant, Process, Target

OURS = "bench/"
THEIRS = "bench/libzmq/"
LIMITS = "bench/limits/"
NNG_PROGRAMS = "bench/nng/"

# Longer than it takes to be woken.
SPIN_US = 100
OURS_TO_THEIRS = "ours_to_theirs"
THEIRS_TO_OURS = "theirs_to_ours"
OTHER_LIBZMQ = "other_libzmq"
NNG = "nng"
QUICK = ("ours", "theirs", "limit")
QUICK_MIXED = ("ours", OURS_TO_THEIRS, THEIRS_TO_OURS, "theirs", "limit")


def size_text(data):
    for unit, letter in ((2 ** 20, "MiB"), (2 ** 10, "KiB")):
        if data >= unit:
            return f"{data // unit} {letter}"
    return f"{data} B"


def at_least(factor, against="theirs", text=None):
    name = {"theirs": "libzmq", "limit": "limit"}[against]
    return Target(text or f"≥ {factor:g} × {name}", factor, True, against)


def at_most(factor, against="theirs", text=None):
    name = {"theirs": "libzmq", "limit": "limit"}[against]
    return Target(text or f"≤ {factor:g} × {name}", factor, False, against)


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

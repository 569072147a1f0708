"""Divides the cores of the machine between the two ends of a run, so that no end takes those of the other."""

import os
from pathlib import Path

from comparison.contestants import NATS


def _threads_of(core):
    """The threads of the core of which this is one, as text."""
    try:
        return Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list").read_text(encoding="ascii")
    except OSError:
        return str(core)


def divide(available, threads_of=_threads_of):
    """Returns two sets of equal size that share no physical core, or None with two cores or fewer: there the kernel
    has to find the place for the other threads of each end."""
    physical = {}
    for core in sorted(available):
        physical.setdefault(threads_of(core), set()).add(core)
    half = len(physical) // 2
    if len(available) <= 2 or half == 0:
        return None
    sets = list(physical.values())
    return set().union(*sets[:half]), set().union(*sets[half:2 * half])


def of_ends(workload):
    """Returns the cores of the first and of the second process, if all contestants have two. Those through the server
    of NATS, which is a third process, take any cores."""
    if any(len(each.processes) != 2 for each in workload.contestants if each.key != NATS):
        return None
    return divide(os.sched_getaffinity(0))

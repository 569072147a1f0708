"""Describes the machine of the measurement."""

import ctypes
import datetime
import os
import platform
import subprocess

# Above this load average, another program runs and affects the figures.
QUIET_LOAD = 0.3
# Seconds to wait for a quiet machine, which has perhaps just built the programs.
PATIENCE = 300


def load_average():
    return os.getloadavg()[0]


def warning_of(load):
    if load <= QUIET_LOAD:
        return None
    return (f"the load average is {load:.2f}: this machine is not quiet, and the ratios will spread. "
            "Wait until nothing else runs.")


def await_quiet(load, sleep):
    """Returns the load average once it is low, or when the patience has ended."""
    for _ in range(PATIENCE):
        if load() <= QUIET_LOAD:
            break
        sleep(1)
    return load()


def cpu_model(cpuinfo):
    """Finds the model in the text of /proc/cpuinfo, which has several names for it."""
    names = dict(part for line in cpuinfo.splitlines()
                 if len(part := [text.strip() for text in line.split(":", 1)]) == 2)
    return names.get("model name") or names.get("Processor") or "unknown"


def _output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()


def libzmq_version(file="libzmq.so.5"):
    try:
        library = ctypes.CDLL(file)
    except OSError:
        return "unknown"
    numbers = [ctypes.c_int() for _ in range(3)]
    library.zmq_version(*map(ctypes.byref, numbers))
    return ".".join(str(number.value) for number in numbers)


def nng_version():
    try:
        library = ctypes.CDLL("libnng.so.1")
    except OSError:
        return "unknown"
    library.nng_version.restype = ctypes.c_char_p
    return library.nng_version().decode()


def nats_version(server):
    """The version that the program says, as `nats-server: v2.9.10`."""
    name, _, version = _output(str(server), "--version").partition(": v")
    return version if name == "nats-server" else "unknown"


def system(load):
    """Describes hardware and libraries, of which two hosts may have different ones."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        model = cpu_model(cpuinfo.read())
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "libzmq": libzmq_version(),
        "nng": nng_version(),
        "load_average": round(load, 2),
    }


def describe(root, load):
    git = ("git", "-c", f"safe.directory={root}", "-C", str(root))
    return {
        **system(load),
        "compiler": _output(os.environ.get("CC", "gcc"), "--version").partition("\n")[0],
        "commit": _output(*git, "rev-parse", "HEAD"),
        "uncommitted_changes": _output(*git, "status", "--porcelain") != "",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }

"""Finds out which ports and socket files of this machine have listeners and connections, without connecting. A
connection for this purpose would be one more peer of the measured program."""

import random
import socket
from pathlib import Path

LOWEST_PORT = 10_000
ESTABLISHED = "01"
LISTENING = "0A"


def count_in(table, port, state):
    """How many sockets of /proc/net/tcp have that local port and that state."""
    ending = f":{port:04X}"
    return sum(1 for line in table.splitlines()[1:]
               if (columns := line.split())[1].endswith(ending) and columns[3] == state)


def _tables():
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(path, encoding="ascii") as table:
                yield table.read()
        except FileNotFoundError:
            pass


def listens(port):
    return any(count_in(table, port, LISTENING) for table in _tables())


def connections(port):
    return sum(count_in(table, port, ESTABLISHED) for table in _tables())


def _states_of(path):
    """The flags and the state of each socket of /proc/net/unix that has that path."""
    table = Path("/proc/net/unix").read_text(encoding="utf-8")
    rows = (line.split() for line in table.splitlines()[1:])
    return [(columns[3], columns[5]) for columns in rows if columns[7:] == [path]]


def file_listens(path):
    return any(flags == "00010000" for flags, _ in _states_of(path))


def file_connections(path):
    return sum(state == "03" for _, state in _states_of(path))


def free_port(neighbours):
    """A port that is free together with those that follow it, below those that the system gives to
    connecting sockets: of these, thousands are held for a minute after many connections."""
    first_of_connecting = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(100):
        port = random.randrange(LOWEST_PORT, max(first_of_connecting, LOWEST_PORT + 1000) - neighbours)
        if all(_is_free(port + offset) for offset in range(neighbours)):
            return port
    raise OSError(f"found no {neighbours} free ports in a row: wait for other programs to end")


def _is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("", port))
        except (OSError, OverflowError):
            return False
        return True

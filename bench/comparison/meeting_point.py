"""Where the programs of a run meet: a port of this machine, or a socket file."""

import tempfile
from pathlib import Path

from comparison import sockets_table


class Port:
    def __init__(self, ports, address):
        self._port = sockets_table.free_port(ports)
        self.endpoints = {"bind": f"tcp://*:{self._port}", "connect": f"tcp://{address}:{self._port}",
                          "next": f"tcp://{address}:{self._port + 1}",
                          "websocket": f"ws://{address}:{self._port}",
                          "host": address, "port": str(self._port)}

    def listens(self):
        return sockets_table.listens(self._port)

    def connections(self):
        return sockets_table.connections(self._port)

    def close(self):
        pass


class SocketFile:
    """Must be closed: that removes its folder."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="zinc-comparison-")
        self._path = str(Path(self._folder.name) / "socket")
        self.endpoints = dict.fromkeys(("bind", "connect"), f"ipc://{self._path}")

    def listens(self):
        return sockets_table.file_listens(self._path)

    def connections(self):
        return sockets_table.file_connections(self._path)

    def close(self):
        self._folder.cleanup()


def meeting_point_of(workload, address="127.0.0.1"):
    return SocketFile() if workload.ipc else Port(workload.ports, address)

"""A pair of servers of the clustered hashmap, which can be killed, stopped and disconnected, and a crowd of
clients that record the committed updates."""

import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import zmq

from tcp_relay import Relay
from zinc_programs import PATIENCE, Program, built, reserve_ports, zinc_path

ROLES = ("primary", "backup")
PORTS = 4  # for a server: snapshots, publisher, collector; and the state, for a pair


def address(port):
    return f"127.0.0.1:{port}"


class Pair:
    """Both are known by their index: 0 is the primary."""

    def __init__(self, test, heartbeat, relayed=False, environment=None, stored=False):
        self.test, self.heartbeat, self.stored = test, heartbeat, stored
        self.environment = environment
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ports = [reserve_ports(test, PORTS) for _ in ROLES]
        # As each is reached by the other.
        self.links = [Relay(test, port, PORTS) for port in self.ports] if relayed else None
        self.nodes = [None, None]
        for index in range(2):
            self.start(index)
        self.activity = Activity(test, self.ports, heartbeat)

    @property
    def addresses(self):
        return [address(port) for port in self.ports]

    def start(self, index):
        peer = self.links[1 - index].port if self.links else self.ports[1 - index]
        self.nodes[index] = Program(self.test, server_command(
            self.ports[index], "--heartbeat", f"{self.heartbeat}ms", f"--{ROLES[index]}",
            "--peer", f"tcp://{address(peer)}", "--bstar-bind", f"tcp://{address(self.ports[index] + 3)}",
            "--bstar-connect", f"tcp://{address(peer + 3)}",
            "--epoch-file", str(self.folder / ROLES[index]), "--lost-folder", str(self.folder),
            *(("--store", str(self.folder / (ROLES[index] + ".map"))) if self.stored else ())),
            environment=self.environment)

    def kill(self, index):
        self.nodes[index].kill()

    def kill_both(self, random):
        for index in random.sample(range(2), 2):
            self.kill(index)

    def start_both(self, random):
        for index in random.sample(range(2), 2):
            self.start(index)

    def suspend(self, index):
        self.nodes[index].suspend()

    def resume(self, index):
        self.nodes[index].resume()

    def cut_link(self, stalled=None):
        """Cuts the link between the two servers, in both directions or only towards `stalled`."""
        for index, link in enumerate(self.links):
            if stalled is None:
                link.cut()
            else:
                # The peer connects through the relay to `index`.
                link.cut(to_target=index == stalled, to_peer=index != stalled)

    def heal_link(self):
        for link in self.links:
            link.heal()

    def wait_until_passive(self, index):
        """Returns the events since the last call of Program.skip_lines."""
        while not self.nodes[index].read_line().startswith("passive"):
            pass

    def running(self):
        return all(node.running() for node in self.nodes)

    def wait_for_one_active(self, patience=PATIENCE):
        """Returns the index of the active server."""
        active = self.activity.wait_for(1, patience)
        if active is None:
            raise AssertionError(f"active are {self.activity.active()}")
        return active[0]


def server_command(port, *options):
    return [zinc_path(), "chp", "server", "--bind", f"tcp://{address(port)}", *options]


class Activity:
    """Tracks the servers that publish HUGZ, which only an active server does."""

    def __init__(self, test, ports, heartbeat):
        self.fresh = 2.5 * heartbeat / 1000
        self.heard = [0.0] * len(ports)
        self.changed = threading.Condition()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ports,), daemon=True)
        self.thread.start()
        test.addCleanup(self.stop)

    def run(self, ports):
        context = zmq.Context()
        poller = zmq.Poller()
        sockets = {}
        for index, port in enumerate(ports):
            socket = context.socket(zmq.SUB)
            socket.linger = 0
            socket.reconnect_ivl = 20
            socket.subscribe(b"HUGZ")
            socket.connect(f"tcp://{address(port + 1)}")
            poller.register(socket, zmq.POLLIN)
            sockets[socket] = index
        while not self.over.is_set():
            for socket, _ in poller.poll(50):
                socket.recv_multipart()
                with self.changed:
                    self.heard[sockets[socket]] = time.monotonic()
                    self.changed.notify_all()
        context.destroy(linger=0)

    def active(self):
        now = time.monotonic()
        return [index for index, at in enumerate(self.heard) if now - at < self.fresh]

    def wait_for(self, count, patience):
        """Returns the active servers when `count` servers are active, or None after the timeout."""
        end = time.monotonic() + patience
        with self.changed:
            while len(active := self.active()) != count:
                # The result changes when a server publishes HUGZ, or has not for too long.
                until = min([end, *(self.heard[index] + self.fresh for index in active)])
                if (now := time.monotonic()) >= end:
                    return None
                self.changed.wait(max(0, until - now))
            return active

    def stop(self):
        self.over.set()
        self.thread.join()


class Storm:
    """The crowd: test/interop/chp_storm."""

    def __init__(self, test, *options, patience=4 * PATIENCE):
        self.patience = patience
        self.program = Program(test, [built("test/interop/chp_storm"), *map(str, options)],
                               stdin=subprocess.PIPE)
        test.addCleanup(self.program.process.stdin.close)
        self.read()

    def read(self):
        return json.loads(self.program.read_line(self.patience))

    def ask(self, *words):
        self.program.process.stdin.write(" ".join(words).encode() + b"\n")
        return self.read()

    def end(self):
        """Ends the program, and returns the results of the last check."""
        self.program.process.stdin.close()
        found = self.read()
        code = self.program.wait()
        if (code == 0) != found["good"]:
            raise AssertionError(f"chp_storm ended with {code}")
        return found

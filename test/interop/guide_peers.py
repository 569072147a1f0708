#!/usr/bin/python3
"""Majordomo's clients and workers on pyzmq: MDP/0.1 as the Guide's programs speak it, MDP/0.2 as 18/MDP
has it. Frames are written out here and owe nothing to the code under test.

As a program: guide_peers.py ENDPOINT SERVICE VERSION hold, a worker that accepts one request, prints `holding`
and does not reply.
"""

import signal
import sys
import threading
import time
from typing import NamedTuple, Optional

try:
    import zmq
except ImportError:
    sys.exit("pyzmq is missing for this Python; tools/setup --for test installs python3-zmq for "
             "/usr/bin/python3")

# Timeout for events that should come at once, on a busy machine.
PATIENCE = 15.0

CLIENT = {"0.1": b"MDPC01", "0.2": b"MDPC02"}
WORKER = {"0.1": b"MDPW01", "0.2": b"MDPW02"}
# Messages between clients and brokers have a command in 0.2, and none in 0.1.
CLIENT_COMMANDS = {"request": b"\x01", "partial": b"\x02", "final": b"\x03"}
WORKER_COMMANDS = {
    "0.1": {"ready": b"\x01", "request": b"\x02", "final": b"\x03", "heartbeat": b"\x04",
            "disconnect": b"\x05"},
    "0.2": {"ready": b"\x01", "request": b"\x02", "partial": b"\x03", "final": b"\x04",
            "heartbeat": b"\x05", "disconnect": b"\x06"},
}


def delimiter(version):
    """0.1 has an empty frame before everything, as a REQ socket sends it."""
    return [b""] if version == "0.1" else []


def client_request(version, service, *body):
    command = [] if version == "0.1" else [CLIENT_COMMANDS["request"]]
    return [CLIENT[version], *command, service, *body]


def worker_command(version, command, *frames):
    return [*delimiter(version), WORKER[version], WORKER_COMMANDS[version][command], *frames]


class Timeout(AssertionError):
    """A test waited for an event that did not come."""


class Peer:
    """A socket that gives up after a while, and receives whole messages."""

    def __init__(self, context, endpoint, socket_type, routing_id=b""):
        self.socket = context.socket(socket_type)
        if routing_id:
            self.socket.routing_id = routing_id
        self.socket.linger = 0
        self.socket.sndtimeo = int(PATIENCE * 1000)
        self.socket.connect(endpoint)

    def send_frames(self, frames):
        self.socket.send_multipart(frames)

    def receive_frames(self, patience=PATIENCE):
        """A message, or None if none comes in time."""
        if not self.socket.poll(max(0, int(patience * 1000))):
            return None
        return self.socket.recv_multipart()

    def close(self):
        self.socket.close(0)


class Reply(NamedTuple):
    final: bool
    service: bytes
    body: list


class Client(Peer):
    """On a REQ it has one request at a time; a DEALER sends as many as it likes."""

    def __init__(self, context, endpoint, version, socket_type=zmq.DEALER, routing_id=b""):
        super().__init__(context, endpoint, socket_type, routing_id)
        self.version = version
        # A REQ adds the empty frame before its message, and removes it from the reply.
        self.envelope = delimiter(version) if socket_type == zmq.DEALER else []

    def send(self, service, *body):
        self.send_frames(self.envelope + client_request(self.version, service, *body))

    def receive(self, patience=PATIENCE) -> Optional[Reply]:
        frames = self.receive_frames(patience)
        if frames is None:
            return None
        count = len(self.envelope)
        assert frames[:count] == self.envelope, frames
        assert frames[count] == CLIENT[self.version], frames
        rest = frames[count + 1:]
        final = True
        if self.version == "0.2":
            assert rest[0] in (CLIENT_COMMANDS["partial"], CLIENT_COMMANDS["final"]), frames
            final = rest.pop(0) == CLIENT_COMMANDS["final"]
        assert len(rest) >= 2, frames
        return Reply(final, rest[0], rest[1:])

    def receive_reply(self, patience=PATIENCE) -> Reply:
        reply = self.receive(patience)
        if reply is None:
            raise Timeout("no reply in time")
        return reply

    def request(self, service, *body):
        """The body of the whole reply."""
        self.send(service, *body)
        reply = self.receive_reply()
        assert reply.final and reply.service == service, reply
        return reply.body


class Command(NamedTuple):
    name: str
    address: bytes = b""
    body: tuple = ()


class Worker(Peer):
    """One conversation with a broker, command by command. Sends READY by default."""

    def __init__(self, context, endpoint, service, version, ready=True):
        super().__init__(context, endpoint, zmq.DEALER)
        self.version = version
        self.service = service
        if ready:
            self.command("ready", service)

    def command(self, name, *frames):
        self.send_frames(worker_command(self.version, name, *frames))

    def receive(self, patience=PATIENCE) -> Optional[Command]:
        frames = self.receive_frames(patience)
        if frames is None:
            return None
        start = [*delimiter(self.version), WORKER[self.version]]
        assert frames[:len(start)] == start, frames
        names = {byte: name for name, byte in WORKER_COMMANDS[self.version].items()}
        name, rest = names[frames[len(start)]], frames[len(start) + 1:]
        if name != "request":
            assert name in ("heartbeat", "disconnect") and not rest, frames
            return Command(name)
        assert len(rest) >= 3 and rest[0] and rest[1] == b"", frames
        return Command(name, rest[0], tuple(rest[2:]))

    def receive_but_heartbeats(self, patience=PATIENCE) -> Optional[Command]:
        end = time.monotonic() + patience
        while True:
            command = self.receive(end - time.monotonic())
            if command is None or command.name != "heartbeat":
                return command

    def receive_request(self, patience=PATIENCE) -> Command:
        command = self.receive_but_heartbeats(patience)
        if command is None or command.name != "request":
            raise Timeout(f"no request in time, but {command}")
        return command

    def receive_disconnect(self, patience=PATIENCE):
        command = self.receive_but_heartbeats(patience)
        if command is None or command.name != "disconnect":
            raise Timeout(f"no DISCONNECT in time, but {command}")

    def partial(self, address, *body):
        self.command("partial", address, b"", *body)

    def reply(self, address, *body):
        self.command("final", address, b"", *body)


class EchoWorker(threading.Thread):
    """Serves until it is stopped: echoes, or sends the result of `answer`. Sends heartbeats, and starts over
    when the broker sends DISCONNECT or is unresponsive."""

    def __init__(self, context, endpoint, service, version, interval=2.5, liveness=3, answer=list):
        super().__init__(daemon=True)
        self.open = lambda: Worker(context, endpoint, service, version)
        self.interval = interval
        self.liveness = liveness
        self.answer = answer
        self.conversations = 0
        self.served = 0
        self.stopped = threading.Event()
        self.start()

    def run(self):
        while not self.stopped.is_set():
            worker = self.open()
            self.conversations += 1
            try:
                self.converse(worker)
            finally:
                worker.close()

    def converse(self, worker):
        heard = told = time.monotonic()
        while not self.stopped.is_set():
            command = worker.receive(0.02)
            now = time.monotonic()
            if command is not None:
                heard = now
                if command.name == "disconnect":
                    return
                if command.name == "request":
                    worker.reply(command.address, *self.answer(command.body))
                    self.served += 1
            elif now - heard > self.interval * self.liveness:
                return
            if now - told > self.interval:
                told = now
                worker.command("heartbeat")

    def stop(self):
        self.stopped.set()
        self.join(PATIENCE)


def main(endpoint, service, version, behaviour):
    assert behaviour == "hold", behaviour
    worker = Worker(zmq.Context(), endpoint, service.encode(), version)
    worker.receive_request()
    print("holding", flush=True)
    # Runs until this process is killed, or for 60 s if the parent process is gone.
    signal.alarm(60)
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A Majordomo broker on pyzmq that stands in for third-party brokers. MDP/0.1 does what brokers of the Guide
do, and MDP/0.2 does what 18/MDP asks for. The broker is simple on purpose: it trusts every peer and never
redelivers a request."""

import threading
import time
from collections import deque
from typing import NamedTuple

from guide_peers import CLIENT, CLIENT_COMMANDS, WORKER, WORKER_COMMANDS, delimiter
import zmq


class Request(NamedTuple):
    client: bytes
    body: list


class Service:
    def __init__(self):
        self.waiting = deque()
        self.idle = deque()  # workers by routing id, the longest idle first


class StandInBroker(threading.Thread):
    """Speaks one version. Serves until it is stopped. Then its connections end without a disconnect."""

    def __init__(self, context, version, interval=2.5, liveness=3, at=None):
        super().__init__(daemon=True)
        self.version = version
        self.interval = interval
        self.expiry = interval * liveness
        self.socket = context.socket(zmq.ROUTER)
        self.socket.linger = 0
        if at is None:
            at = f"tcp://127.0.0.1:{self.socket.bind_to_random_port('tcp://127.0.0.1')}"
        else:
            self.socket.bind(at)
        self.endpoint = at
        self.services = {}
        self.workers = {}   # routing id: service name
        self.expires = {}   # routing id: time
        self.seen = []      # names of the commands of workers, in order
        self.sent_away = 0
        self.stopped = threading.Event()
        self.start()

    def stop(self):
        self.stopped.set()
        self.join()

    def run(self):
        tick = time.monotonic() + self.interval
        while not self.stopped.is_set():
            if self.socket.poll(20):
                self.take(self.socket.recv_multipart())
            if time.monotonic() >= tick:
                tick += self.interval
                self.on_tick()
        self.socket.close()

    def service(self, name):
        return self.services.setdefault(name, Service())

    def take(self, frames):
        sender, rest = frames[0], frames[1:]
        if self.version == "0.1":
            assert rest.pop(0) == b"", frames
        header = rest.pop(0)
        if header == CLIENT[self.version]:
            if self.version == "0.2":
                assert rest.pop(0) == CLIENT_COMMANDS["request"], frames
            self.take_request(sender, rest[0], rest[1:])
        else:
            assert header == WORKER[self.version], frames
            names = {byte: name for name, byte in WORKER_COMMANDS[self.version].items()}
            self.take_from_worker(sender, names[rest[0]], rest[1:])

    def take_request(self, client, name, body):
        assert body
        if name == b"mmi.service":
            code = b"200" if body[-1] in self.workers.values() else b"404"
            self.reply(client, "final", name, body[:-1] + [code])
            return
        self.service(name).waiting.append(Request(client, body))
        self.dispatch(name)

    def take_from_worker(self, worker, command, frames):
        self.seen.append(command)
        known = worker in self.workers
        if command == "disconnect":
            self.forget(worker)
        elif (command == "ready") == known:
            # A second READY, or anything else before the first.
            self.forget(worker)
            self.tell(worker, "disconnect")
            self.sent_away += 1
        elif command == "ready":
            name, = frames
            self.workers[worker] = name
            self.rest(worker)
        elif command == "heartbeat":
            self.expires[worker] = time.monotonic() + self.expiry
        else:
            client, empty = frames[:2]
            assert empty == b"" and frames[2:], frames
            self.reply(client, command, self.workers[worker], frames[2:])
            if command == "final":
                self.rest(worker)

    def rest(self, worker):
        self.expires[worker] = time.monotonic() + self.expiry
        self.service(self.workers[worker]).idle.append(worker)
        self.dispatch(self.workers[worker])

    def dispatch(self, name):
        service = self.service(name)
        while service.waiting and service.idle:
            worker, request = service.idle.popleft(), service.waiting.popleft()
            self.tell(worker, "request", request.client, b"", *request.body)

    def reply(self, client, command, name, body):
        words = [] if self.version == "0.1" else [CLIENT_COMMANDS[command]]
        self.socket.send_multipart(
            [client, *delimiter(self.version), CLIENT[self.version], *words, name, *body])

    def tell(self, worker, command, *frames):
        self.socket.send_multipart([worker, *delimiter(self.version), WORKER[self.version],
                                    WORKER_COMMANDS[self.version][command], *frames])

    def forget(self, worker):
        name = self.workers.pop(worker, None)
        self.expires.pop(worker, None)
        if name is not None and worker in self.service(name).idle:
            self.service(name).idle.remove(worker)

    def on_tick(self):
        idle = [worker for service in self.services.values() for worker in service.idle]
        for worker in idle:
            if self.expires[worker] < time.monotonic():
                self.forget(worker)
        # The Guide's broker sends nothing to busy workers.
        for worker in idle if self.version == "0.1" else list(self.workers):
            if worker in self.workers:
                self.tell(worker, "heartbeat")

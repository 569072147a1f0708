"""Servers of the clustered hashmap that behave as clonesrv1 to 5 of the Guide (protocols B16, B17), on pyzmq. Each runs
in a thread until it is stopped."""

import struct
import threading
import time

import zmq

from chp_servers import bind_three, properties

LAST = b"KTHXBAI"


class GuideModel:
    """`model` is 1 to 5. `width` of sequences is 8, or 4 as in Python. `frames` is 3 or 5: model 3 has both, 5
    has 5."""

    def __init__(self, context, model, width=8, frames=3, entries=None):
        kinds = [zmq.PUB] if model == 1 else [zmq.ROUTER, zmq.PUB, zmq.PULL][:2 if model == 2 else 3]
        sockets = [context.socket(kind) for kind in kinds]
        for one in sockets:
            one.linger = 0
        self.port = bind_three(sockets)
        self.publisher = sockets[0] if model == 1 else sockets[1]
        self.snapshot = sockets[0] if model > 1 else None
        self.collector = sockets[2] if model > 2 else None
        self.model, self.width, self.frames = model, width, frames
        self.sequence = 0
        self.map = {}  # key: message
        self.expiries = {}
        self.sets = []  # as they came
        self.asked = []  # as they came, without the identity
        self.aborted = False
        self.over = threading.Event()
        for key, value in (entries or {}).items():
            self.store(key, value)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def stop(self):
        self.over.set()
        self.thread.join()

    def message(self, key, value, identity=b"", props=b"", sequence=None):
        number = struct.pack("!q" if self.width == 8 else "!l",
                             self.sequence if sequence is None else sequence)
        return [key, number, value] if self.frames == 3 else [key, number, identity, props, value]

    def store(self, key, value, identity=b"", props=b""):
        self.sequence += 1
        made = self.message(key, value, identity, props)
        if self.frames == 5 and not value:
            self.map.pop(key, None)
        else:
            self.map[key] = made
        return made

    def run(self):
        poller = zmq.Poller()
        for one in (self.snapshot, self.collector):
            if one is not None:
                poller.register(one, zmq.POLLIN)
        while not self.over.is_set():
            ready = dict(poller.poll(20))
            if self.model == 1:
                time.sleep(0.001)
                self.publisher.send_multipart(self.store(b"%d" % (self.sequence % 10), b"%d" % self.sequence))
            if self.snapshot in ready:
                self.on_request(self.snapshot.recv_multipart())
            if self.collector in ready:
                self.on_set(self.collector.recv_multipart())
            self.expire()
        for one in (self.snapshot, self.publisher, self.collector):
            if one is not None:
                one.close()

    def on_request(self, frames):
        identity, *command = frames
        self.asked.append(command)
        # Model 2 and 3 read one frame, 4 and 5 two. After another number C misreads all that follows.
        if self.aborted or command[0] != b"ICANHAZ?" or len(command) != (2 if self.model > 3 else 1):
            self.aborted = True
            return
        subtree = command[1] if self.model > 3 else b""
        for key, made in self.map.items():
            if key.startswith(subtree):
                self.snapshot.send_multipart([identity, *made])
        # Python's program sends the subtree; C's sends an empty frame.
        self.snapshot.send_multipart([identity, *self.message(LAST, subtree if self.width == 4 else b"")])

    def on_set(self, frames):
        self.sets.append(frames)
        if len(frames) != self.frames:
            self.aborted = True
            return
        identity, props = frames[2:4] if self.frames == 5 else (b"", b"")
        ttl = float(properties(props).get(b"ttl", 0))
        if self.model == 5 and ttl:
            self.expiries[frames[0]] = time.monotonic() + ttl
        self.publisher.send_multipart(self.store(frames[0], frames[-1], identity, props))

    def expire(self):
        for key in [key for key, at in self.expiries.items() if at <= time.monotonic()]:
            del self.expiries[key]
            self.publisher.send_multipart(self.store(key, b""))

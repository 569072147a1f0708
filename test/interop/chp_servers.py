"""Third-party servers of the clustered hashmap on pyzmq: one that implements 12/CHP without extensions, and one
that behaves as clonesrv6 of the Guide does. Each runs in a thread until it is stopped."""

import struct
import threading
import time
import uuid

import zmq

ZEROS = b"\0" * 8
# 12/CHP: once per second, for example. More often here, because tests wait for it.
HUGZ_INTERVAL = 0.2


def number(sequence):
    return struct.pack("!q", sequence)


def properties(data):
    return dict(line.split(b"=", 1) for line in data.split(b"\n") if b"=" in line)


def bind_three(sockets):
    """Binds them to ports P, P + 1 and P + 2; returns P."""
    for _ in range(100):
        first = sockets[0].bind_to_random_port("tcp://127.0.0.1")
        bound = [sockets[0]]
        try:
            for further, one in enumerate(sockets[1:], 1):
                one.bind(f"tcp://127.0.0.1:{first + further}")
                bound.append(one)
            return first
        except zmq.ZMQError:
            for further, one in enumerate(bound):
                one.unbind(f"tcp://127.0.0.1:{first + further}")
    raise AssertionError("no three ports in a row are free")


class LetterServer:
    """A server that does what the specification calls MUST and SHOULD, and nothing else."""

    hugz_when_passive = False

    def __init__(self, context, entries=None, passive=0):
        self.snapshot, self.publisher, self.collector = (
            context.socket(kind) for kind in (zmq.ROUTER, zmq.PUB, zmq.SUB))
        for one in (self.snapshot, self.publisher, self.collector):
            one.linger = 0
        self.collector.subscribe(b"")
        self.port = bind_three((self.snapshot, self.publisher, self.collector))
        self.sequence = 0
        self.map = {}
        self.expiries = {}
        for key, value in (entries or {}).items():
            self.store(key, uuid.uuid4().bytes, b"", value)
        self.passive = passive  # number of ICANHAZ? requests that are not answered
        self.sets = []  # KVSETs as they came
        self.asked = []  # subtrees
        self.was_asked = threading.Condition()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def stop(self):
        self.over.set()
        self.thread.join()

    def run(self):
        poller = zmq.Poller()
        for one in (self.snapshot, self.collector):
            poller.register(one, zmq.POLLIN)
        next_hugz = time.monotonic()
        while not self.over.is_set():
            ready = dict(poller.poll(20))
            if self.snapshot in ready:
                self.on_request(self.snapshot.recv_multipart())
            if self.collector in ready:
                self.on_set(self.collector.recv_multipart())
            self.expire()
            if time.monotonic() >= next_hugz and (self.hugz_when_passive or not self.passive):
                self.publisher.send_multipart(self.hugz())
                next_hugz = time.monotonic() + HUGZ_INTERVAL
        for one in (self.snapshot, self.publisher, self.collector):
            one.close()

    def on_request(self, frames):
        identity, command, subtree = frames
        assert command == b"ICANHAZ?", frames
        with self.was_asked:
            passive = self.passive > 0
            self.passive -= passive
            self.asked.append(subtree)
            self.was_asked.notify_all()
        if passive:
            return
        for key, entry in self.map.items():
            if key.startswith(subtree):
                self.snapshot.send_multipart([identity, *self.sync(key, *entry)])
        self.snapshot.send_multipart([identity, *self.end(subtree)])

    def on_set(self, frames):
        key, _, identity, props, value = frames
        self.sets.append(frames)
        self.publish(key, identity, props, value)

    def publish(self, key, identity, props, value):
        self.store(key, identity, props, value)
        self.publisher.send_multipart([key, number(self.sequence), identity, props, value])

    def store(self, key, identity, props, value):
        self.sequence += 1
        self.expiries.pop(key, None)
        if value:
            self.map[key] = (self.sequence, identity, props, value)
            ttl = float(properties(props).get(b"ttl", 0))
            if ttl:
                self.expiries[key] = time.monotonic() + ttl
        else:
            self.map.pop(key, None)

    def expire(self):
        for key in [key for key, at in self.expiries.items() if at <= time.monotonic()]:
            self.publish(key, b"", b"", b"")

    def sync(self, key, _sequence, _identity, _props, value):
        return [key, ZEROS, b"", b"", value]

    def end(self, subtree):
        return [b"KTHXBAI", number(self.sequence), b"", b"", subtree]

    def hugz(self):
        return [b"HUGZ", ZEROS, b"", b"", b""]


class GuideServer(LetterServer):
    """As clonesrv6 in Python does: ids and properties in snapshots, the end without a subtree, HUGZ with the
    current sequence and a random id, also while it is passive."""

    hugz_when_passive = True

    def sync(self, key, sequence, identity, props, value):
        return [key, number(sequence), identity, props, value]

    def end(self, subtree):
        return [b"KTHXBAI", number(self.sequence), b"", b"", b""]

    def hugz(self):
        return [b"HUGZ", number(self.sequence), uuid.uuid4().bytes, b"", b""]

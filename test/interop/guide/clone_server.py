"""The Guide's servers of Clone, models 1 to 5."""

import random
import time
import uuid

from guide_program import log, opened, say
import zmq


def pack(sequence):
    return sequence.to_bytes(8, "big")


def random_value():
    return b"%d" % random.randrange(1000000)


def flood(context):
    """Model 1: updates of random keys, and nothing else."""
    publisher = opened(context, zmq.PUB, bind=["tcp://*:5556"])
    time.sleep(0.2)
    sequence = 0
    try:
        while True:
            sequence += 1
            publisher.send_multipart([b"%d" % random.randrange(10000), pack(sequence), random_value()])
    except KeyboardInterrupt:
        say(f" Interrupted\n{sequence} messages out")


class Server:
    """Models 2 to 5."""

    def __init__(self, context, model):
        self.model = model
        self.print = log if model == 5 else say
        self.map = {}  # key: sequence and what is behind it
        self.expiries = {}
        self.sequence = 0
        # A queue without limit: for a map of thousands of keys, a ROUTER would drop messages for a slow client,
        # the end too.
        self.asked = opened(context, zmq.ROUTER, bind=["tcp://*:5556"], sndhwm=0)
        self.publisher = opened(context, zmq.PUB, bind=["tcp://*:5557"])
        self.collector = opened(context, zmq.PULL, bind=["tcp://*:5558"]) if model >= 3 else None

    def run(self):
        poller = zmq.Poller()
        for one in (self.asked, self.collector):
            if one is not None:
                poller.register(one, zmq.POLLIN)
        flush_at = time.monotonic() + 1
        while True:
            # Model 2 makes its updates itself, without a pause.
            ready = dict(poller.poll(0 if self.model == 2 else 1000))
            if self.asked in ready:
                self.answer(*self.asked.recv_multipart())
            if self.collector in ready:
                key, _, *rest = self.collector.recv_multipart()
                self.publish(key, *rest)
                self.print(f"I: publishing update={self.sequence}" if self.model == 5 else
                           f"I: publishing update {self.sequence:5}")
            if self.model == 2:
                self.publish(b"%d" % random.randrange(10000), random_value())
            if self.model == 5 and time.monotonic() >= flush_at:
                flush_at = time.monotonic() + 1
                self.flush()

    def answer(self, who, command, *subtree):
        if command != b"ICANHAZ?" or len(subtree) != (self.model >= 4):
            raise SystemExit("E: bad request, aborting")
        self.print(f"{'Sending state' if self.model == 2 else 'I: sending'} shapshot={self.sequence}")
        for key, (sequence, *rest) in self.map.items():
            if not subtree or key.startswith(subtree[0]):
                self.asked.send_multipart([who, key, pack(sequence), *rest])
        empty = [b"", b"", b""] if self.model == 5 else [b""]
        self.asked.send_multipart([who, b"KTHXBAI", pack(self.sequence), *empty])

    def publish(self, key, *rest):
        self.sequence += 1
        self.publisher.send_multipart([key, pack(self.sequence), *rest])
        if self.model == 5 and not rest[-1]:
            self.map.pop(key, None)
            self.expiries.pop(key, None)
            return
        self.map[key] = (self.sequence, *rest)
        if self.model == 5:
            seconds = [int(line[4:]) for line in rest[1].split(b"\n") if line.startswith(b"ttl=")]
            self.expiries[key] = time.monotonic() + seconds[0] if any(seconds) else None

    def flush(self):
        now = time.monotonic()
        for key in [key for key, at in self.expiries.items() if at is not None and at <= now]:
            self.publish(key, uuid.uuid4().bytes, b"", b"")
            self.print(f"I: publishing delete={self.sequence}")

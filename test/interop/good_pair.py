"""Peers that do everything right, on connections that last: what is done to the socket of ours that they are
connected to may not keep them from being served, soon."""

import statistics
import time

from guide_peers import Client, Worker
from zinc_programs import PATIENCE
import zmq

# What one round trip may take in the worst case, and as a rule.
WORST = 1.0
USUAL = 0.05
# So that the worker need send no heartbeats itself: `zinc broker` with these options.
BROKER_OPTIONS = ("--heartbeat", "1000", "--liveness", "1000")


class GoodPeer:
    def round_trip(self):
        """The seconds that it took."""
        raise NotImplementedError

    def expect_served_soon(self):
        """One slow round trip may be the machine's fault."""
        times = [self.round_trip() for _ in range(3)]
        assert statistics.median(times) <= USUAL, times
        assert max(times) <= WORST, times


class GoodPair(GoodPeer):
    """A client and a worker of a broker."""

    def __init__(self, context, endpoint):
        self.worker = Worker(context, endpoint, b"good", "0.2")
        self.client = Client(context, endpoint, "0.1")
        self.count = 0

    def round_trip(self):
        self.count += 1
        body = b"good %d" % self.count
        begin = time.monotonic()
        self.client.send(b"good", body)
        request = self.worker.receive_request()
        assert request.body == (body,), request
        self.worker.reply(request.address, *request.body)
        reply = self.client.receive_reply()
        assert reply.body == [body], reply
        return time.monotonic() - begin

    def close(self):
        self.worker.close()
        self.client.close()


class GoodDealer(GoodPeer):
    """A DEALER of a `host` that sends back what begins with "good"."""

    def __init__(self, context, host):
        self.count = 0
        self.socket = context.socket(zmq.DEALER)
        self.socket.rcvtimeo = int(PATIENCE * 1000)
        self.socket.connect(host.endpoint)

    def round_trip(self):
        self.count += 1
        begin = time.monotonic()
        self.socket.send(b"good %d" % self.count)
        received = self.socket.recv()
        assert received == b"good %d" % self.count, received
        return time.monotonic() - begin

    def close(self):
        self.socket.close()

"""Peers that follow the protocol, on connections that last. Input of other peers to the socket under test must
not delay these peers."""

import os
import statistics
import time
from pathlib import Path

from guide_peers import Client, Worker
from interop_case import long_run
from zinc_programs import PATIENCE
import zmq

# Limits of one round trip in seconds: the worst and the median. The long form needs a machine with nothing else to do.
# The short form asserts only that there is an answer: how soon, bench/bad_neighbours measures.
WORST, USUAL = (1.0, 0.05) if long_run() else (PATIENCE, PATIENCE)
# So that the worker need send no heartbeats itself: `zinc broker` with these options.
BROKER_OPTIONS = ("--heartbeat", "1s", "--liveness", "1000")


def kept_waiting(pid):
    """The seconds for which threads of a process could have run, while the machine ran others."""
    nanoseconds = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            nanoseconds += int((thread / "schedstat").read_text().split()[1])
        except OSError:
            pass  # it has ended, or this kernel does not count
    return nanoseconds / 1e9


class GoodPeer:
    """A good peer of `program`."""

    def __init__(self, program):
        self.program = program
        self.count = 0

    def round_trip(self):
        """The seconds that it took, without those for which a busy machine kept the two of them waiting."""
        raise NotImplementedError

    def timed(self, exchange, *arguments):
        """Returns the duration of the exchange."""
        kept = self._kept_waiting()
        begin = time.monotonic()
        exchange(*arguments)
        seconds = time.monotonic() - begin
        return max(0.0, seconds - (self._kept_waiting() - kept))

    def _kept_waiting(self):
        return kept_waiting(os.getpid()) + kept_waiting(self.program.pid)

    def expect_served_soon(self):
        """One slow round trip may be the machine's fault."""
        times = [self.round_trip() for _ in range(3)]
        assert statistics.median(times) <= USUAL, times
        assert max(times) <= WORST, times


class GoodPair(GoodPeer):
    """A client and a worker of a broker."""

    def __init__(self, context, broker):
        super().__init__(broker)
        self.worker = Worker(context, broker.endpoint, b"good", "0.2")
        self.client = Client(context, broker.endpoint, "0.1")

    def round_trip(self):
        self.count += 1
        return self.timed(self.exchange, b"good %d" % self.count)

    def exchange(self, body):
        self.client.send(b"good", body)
        request = self.worker.receive_request()
        assert request.body == (body,), request
        self.worker.reply(request.address, *request.body)
        reply = self.client.receive_reply()
        assert reply.body == [body], reply

    def close(self):
        self.worker.close()
        self.client.close()


class GoodDealer(GoodPeer):
    """A DEALER, with these options, of a `host` that returns messages that begin with "good"."""

    def __init__(self, context, host, options=()):
        super().__init__(host)
        self.socket = context.socket(zmq.DEALER)
        self.socket.rcvtimeo = int(PATIENCE * 1000)
        for option, value in dict(options).items():
            self.socket.setsockopt(option, value)
        self.socket.connect(host.endpoint)

    def round_trip(self):
        self.count += 1
        return self.timed(self.exchange, b"good %d" % self.count)

    def exchange(self, text):
        self.socket.send(text)
        received = self.socket.recv()
        assert received == text, received

    def close(self):
        self.socket.close()

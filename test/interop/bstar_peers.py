#!/usr/bin/python3
"""Binary Star's nodes and clients on pyzmq, as the Guide's bstarsrv (poc), bstarsrv2 (reactor) and bstarcli
behave. Frames are written out here and owe nothing to the code under test.

Usage as a program: bstar_peers.py poc|reactor primary|backup VOTER STATE PEER HEARTBEAT_MS [log]. The node
prints `state N` with each change. It prints `fatal TEXT` for an error that ends a node in C and that a node in
Python only logs.
"""

import sys
import time

import zmq
from guide_peers import PATIENCE, Timeout

PRIMARY, BACKUP, ACTIVE, PASSIVE, REQUEST = 1, 2, 3, 4, 5


class Fatal(Exception):
    pass


class GuideMachine:
    """Table B9 of the Guide's FSM. Times in seconds."""

    def __init__(self, model, role, heartbeat, now):
        self.model = model
        self.state = PRIMARY if role == "primary" else BACKUP
        self.heartbeat = heartbeat
        # The proof of concept has no timeout before the first message of its peer.
        self.peer_expiry = now + 2 * heartbeat if model == "reactor" else 0

    def hear(self, digit, now):
        if self.model == "reactor":
            self.peer_expiry = now + 2 * self.heartbeat
        self.execute(digit, now)
        if self.model == "poc":
            self.peer_expiry = now + 2 * self.heartbeat

    def ask(self, now):
        return self.execute(REQUEST, now)

    def tell(self, before, event):
        """Prints a change of the state by an event. At first there is neither."""
        say(f"state {self.state}")

    def tell_fatal(self, fault):
        say(f"fatal {fault}")

    def execute(self, event, now):
        """Whether a client's request is accepted."""
        before = self.state
        accepted = self.change(event, now)
        if self.state != before:
            self.tell(before, event)
        return accepted

    def change(self, event, now):
        if self.state == PRIMARY:
            if event == BACKUP:
                self.state = ACTIVE
            elif event == ACTIVE:
                self.state = PASSIVE
            elif event == REQUEST:
                if self.model == "poc":
                    return True
                if now >= self.peer_expiry:
                    self.state = ACTIVE
        elif self.state == BACKUP:
            if event == ACTIVE:
                self.state = PASSIVE
        elif self.state == ACTIVE:
            if event == ACTIVE:
                raise Fatal("dual actives")
        elif event in (PRIMARY, BACKUP):
            self.state = ACTIVE
        elif event == PASSIVE:
            raise Fatal("dual passives")
        elif event == REQUEST and now >= self.peer_expiry:
            self.state = ACTIVE
        return event == REQUEST and self.state == ACTIVE


def say(line):
    print(line, flush=True)


def serve(machine, voter_at, state_at, peer_at, only_log):
    context = zmq.Context()
    heartbeat = machine.heartbeat
    voter = context.socket(zmq.ROUTER)
    voter.bind(voter_at)
    publisher = context.socket(zmq.PUB)
    publisher.bind(state_at)
    subscriber = context.socket(zmq.SUB)
    subscriber.subscribe(b"")
    # The Guide's programs wait for 100 ms, of a heartbeat of 1 s.
    subscriber.reconnect_ivl = max(1, int(heartbeat * 100))
    subscriber.connect(peer_at)
    poller = zmq.Poller()
    poller.register(voter, zmq.POLLIN)
    poller.register(subscriber, zmq.POLLIN)
    tell_at = time.monotonic() + heartbeat
    machine.tell(None, None)
    while True:
        ready = dict(poller.poll(max(0, (tell_at - time.monotonic()) * 1000)))
        try:
            if voter in ready:
                request = voter.recv_multipart()
                if machine.ask(time.monotonic()):
                    voter.send_multipart(request)
            if subscriber in ready:
                machine.hear(int(subscriber.recv()), time.monotonic())
        except Fatal as fault:
            machine.tell_fatal(fault)
            if not only_log:
                return
        if time.monotonic() >= tell_at:
            publisher.send(str(machine.state).encode())
            tell_at = time.monotonic() + heartbeat


class GuideClient:
    """bstarcli: one server after the other, each on a new REQ."""

    def __init__(self, context, servers, timeout, settle):
        self.context = context
        self.servers = servers
        self.timeout = timeout
        self.settle = settle
        self.current = 0
        self.socket = None
        self.sequence = 0

    def connect(self):
        self.socket = self.context.socket(zmq.REQ)
        self.socket.linger = 0
        self.socket.connect(self.servers[self.current])

    def request(self):
        """Returns the server that has answered."""
        self.sequence += 1
        body = str(self.sequence).encode()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.socket is None:
                self.connect()
            self.socket.send(body)
            if self.socket.poll(int(self.timeout * 1000)):
                answer = self.socket.recv_multipart()
                assert answer == [body], answer
                return self.current
            self.close()
            self.current = (self.current + 1) % len(self.servers)
            time.sleep(self.settle)
        raise Timeout("no server answers")

    def close(self):
        if self.socket is not None:
            self.socket.close(0)
            self.socket = None


if __name__ == "__main__":
    how, which, *endpoints, milliseconds = sys.argv[1:7]
    serve(GuideMachine(how, which, int(milliseconds) / 1000, time.monotonic()), *endpoints,
          sys.argv[7:] == ["log"])

#!/usr/bin/python3
"""The client of Clone, model 6: a map at a pair of servers."""

import random
import time
import uuid

from guide_program import log, opened, run
import zmq

SUBTREE = b"/client/"
TTL = 5


class Server:
    def __init__(self, context, port):
        self.at = f"tcp://localhost:{port}"
        self.requests = 0
        self.requester = opened(context, zmq.DEALER, [self.at])
        self.subscriber = opened(context, zmq.SUB, [f"tcp://localhost:{port + 1}"])
        for topic in (SUBTREE, b"HUGZ"):
            self.subscriber.subscribe(topic)
        log(f"I: adding server {self.at}...")


class Client:
    def __init__(self, context):
        self.servers = [Server(context, port) for port in (5556, 5566)]
        self.setter = opened(context, zmq.PUB, ["tcp://localhost:5558", "tcp://localhost:5568"])
        self.current = 0
        self.synchronized = False
        self.expiry = 0.0
        self.map = {}
        self.sequence = 0

    def ask(self):
        server = self.servers[self.current]
        log(f"I: waiting for server at {server.at}...")
        if server.requests < 2:
            server.requester.send_multipart([b"ICANHAZ?", SUBTREE])
            server.requests += 1
        self.expiry = time.monotonic() + TTL
        self.synchronized = False

    def poll(self, patience):
        server = self.servers[self.current]
        source = server.subscriber if self.synchronized else server.requester
        left = min(patience, self.expiry - time.monotonic())
        if source.poll(max(0, left * 1000)):
            self.expiry = time.monotonic() + TTL
            key, sequence, _, _, value = source.recv_multipart()
            (self.on_update if self.synchronized else self.on_snapshot)(
                server, key, int.from_bytes(sequence, "big"), value)
        elif time.monotonic() >= self.expiry:
            log(f"I: server at {server.at} didn't give HUGZ")
            self.current = (self.current + 1) % len(self.servers)
            self.ask()

    def on_snapshot(self, server, key, sequence, value):
        server.requests = 0
        if key == b"KTHXBAI":
            self.sequence = sequence
            self.synchronized = True
            log(f"I: received from {server.at} snapshot={sequence}")
        else:
            self.map[key] = value

    def on_update(self, server, key, sequence, value):
        if key == b"HUGZ" or sequence <= self.sequence:
            return
        self.sequence = sequence
        self.store(key, value)
        log(f"I: received from {server.at} {'update' if value else 'delete'}={sequence}")

    def store(self, key, value):
        if value:
            self.map[key] = value
        else:
            self.map.pop(key, None)

    def set(self, key, value, ttl):
        self.setter.send_multipart([key, bytes(8), uuid.uuid4().bytes, b"ttl=%d\n" % ttl, value])
        self.store(key, value)


def main(context):
    client = Client(context)
    client.ask()
    while True:
        next_set = time.monotonic() + 1
        while time.monotonic() < next_set:
            client.poll(next_set - time.monotonic())
        key, value = b"%d" % random.randrange(10000), b"%d" % random.randrange(1000000)
        client.set(SUBTREE + key, value, random.randrange(30))


run(main)

#!/usr/bin/python3
"""The pirates and Freelancers of the Guide on pyzmq: the messages and the output of the Guide's programs of
these names. Frames are written out here and do not depend on the code under test.

As a program: pirate_peers.py NAME [KEY=VALUE]…, with NAME as of the Guide's program, and times in
milliseconds. Nothing is left to chance: there are no simulated troubles.
"""

import sys
import time

import zmq

READY, HEARTBEAT = b"\x01", b"\x02"
LIVENESS = 3


def say(line):
    print(line, flush=True)


def by_number(endpoint):
    """The same without the name `localhost`, which a bare container cannot resolve."""
    return endpoint.replace("//localhost:", "//127.0.0.1:")


class Peer:
    def __init__(self, settings):
        self.settings = settings
        self.context = zmq.Context()

    def text(self, key):
        return self.settings[key]

    def number(self, key, default):
        return int(self.settings.get(key, default))

    def socket(self, socket_type, bind=None, connect=None, identity=b""):
        made = self.context.socket(socket_type)
        made.linger = 0
        if identity:
            made.identity = identity
        if bind:
            made.bind(bind)
        if connect:
            made.connect(by_number(connect))
        return made


class LazyServer(Peer):
    def run(self):
        server = self.socket(zmq.REP, bind=self.text("bind"))
        while True:
            request = server.recv_multipart()
            say(f"I: normal request ({request[0].decode()})")
            time.sleep(self.number("work", 0) / 1000)
            server.send_multipart(request)


class LazyClient(Peer):
    def run(self):
        say("I: connecting to server...")
        client = self.socket(zmq.REQ, connect=self.text("connect"))
        timeout, retries = self.number("timeout", 2500), self.number("retries", 3)
        for sequence in range(1, self.number("count", 1 << 30) + 1):
            left = retries
            client.send(b"%d" % sequence)
            while True:
                if client.poll(timeout):
                    reply = client.recv_multipart()
                    assert reply == [b"%d" % sequence], reply
                    say(f"I: server replied OK ({sequence})")
                    break
                left -= 1
                client.close(0)
                if not left:
                    say("E: server seems to be offline, abandoning")
                    return
                say("W: no response from server, retrying...")
                say("I: reconnecting to server...")
                client = self.socket(zmq.REQ, connect=self.text("connect"))
                client.send(b"%d" % sequence)


class SimpleQueue(Peer):
    def run(self):
        clients = self.socket(zmq.ROUTER, bind=self.text("bind"))
        workers = self.socket(zmq.ROUTER, bind=self.text("workers"))
        free = []
        poller = zmq.Poller()
        poller.register(workers, zmq.POLLIN)
        poller.register(clients, zmq.POLLIN)
        while True:
            ready = dict(poller.poll()) if free else {workers: workers.poll()}
            if workers in ready:
                worker, empty, *rest = workers.recv_multipart()
                assert empty == b"", empty
                free.append(worker)
                if not rest[0].startswith(READY):
                    clients.send_multipart(rest)
            if clients in ready:
                workers.send_multipart([free.pop(0), b"", *clients.recv_multipart()])


class SimpleWorker(Peer):
    def run(self):
        worker = self.socket(zmq.REQ, connect=self.text("connect"), identity=self.text("name").encode())
        say(f"I: ({self.text('name')}) worker ready")
        worker.send(READY)
        while True:
            request = worker.recv_multipart()
            say(f"I: ({self.text('name')}) normal reply")
            time.sleep(self.number("work", 0) / 1000)
            worker.send_multipart(request)


class ParanoidQueue(Peer):
    def run(self):
        clients = self.socket(zmq.ROUTER, bind=self.text("bind"))
        workers = self.socket(zmq.ROUTER, bind=self.text("workers"))
        interval = self.number("heartbeat", 1000) / 1000
        free = {}  # worker: its expiry, the least recently used first
        heartbeat_at = time.monotonic() + interval
        poller = zmq.Poller()
        poller.register(workers, zmq.POLLIN)
        poller.register(clients, zmq.POLLIN)
        while True:
            if free:
                ready = dict(poller.poll(interval * 1000))
            else:
                ready = {workers: 1} if workers.poll(interval * 1000) else {}
            if workers in ready:
                worker, *rest = workers.recv_multipart()
                free.pop(worker, None)
                free[worker] = time.monotonic() + LIVENESS * interval
                if len(rest) > 1:
                    clients.send_multipart(rest)
                elif rest[0] not in (READY, HEARTBEAT):
                    say("E: invalid message from worker")
            if clients in ready:
                worker = next(iter(free))
                del free[worker]
                workers.send_multipart([worker, *clients.recv_multipart()])
            now = time.monotonic()
            if now >= heartbeat_at:
                for worker in free:
                    workers.send_multipart([worker, HEARTBEAT])
                heartbeat_at = now + interval
            free = {worker: expiry for worker, expiry in free.items() if expiry > now}


class ParanoidWorker(Peer):
    def connected(self):
        worker = self.socket(zmq.DEALER, connect=self.text("connect"))
        say("I: worker ready")
        worker.send(READY)
        return worker

    def run(self):
        worker = self.connected()
        interval = self.number("heartbeat", 1000)
        first_pause = pause = self.number("reconnect", 1000)
        liveness = LIVENESS
        heartbeat_at = time.monotonic() + interval / 1000
        while True:
            if worker.poll(interval):
                frames = worker.recv_multipart()
                if len(frames) == 3:
                    say("I: normal reply")
                    worker.send_multipart(frames)
                    liveness = LIVENESS
                    time.sleep(self.number("work", 0) / 1000)
                elif frames == [HEARTBEAT]:
                    liveness = LIVENESS
                else:
                    say("E: invalid message")
                pause = first_pause
            else:
                liveness -= 1
                if not liveness:
                    say("W: heartbeat failure, can't reach queue")
                    say(f"W: reconnecting in {pause} msec...")
                    time.sleep(pause / 1000)
                    pause = min(2 * pause, 32 * first_pause)
                    worker.close(0)
                    worker = self.connected()
                    liveness = LIVENESS
            if time.monotonic() > heartbeat_at:
                heartbeat_at = time.monotonic() + interval / 1000
                say("I: worker heartbeat")
                worker.send(HEARTBEAT)


class FreelanceServer1(Peer):
    def run(self):
        server = self.socket(zmq.REP, bind=self.text("bind"))
        say(f"I: echo service is ready at {self.text('bind')}")
        while True:
            server.send_multipart(server.recv_multipart())


class FreelanceServer2(Peer):
    def run(self):
        server = self.socket(zmq.REP, bind=self.text("bind"))
        say(f"I: service is ready at {self.text('bind')}")
        while True:
            request = server.recv_multipart()
            assert len(request) == 2, request
            server.send_multipart([request[0], b"OK"])


class FreelanceServer3(Peer):
    def run(self):
        public = self.settings.get("public", self.text("bind"))
        server = self.socket(zmq.ROUTER, bind=self.text("bind"), identity=public.encode())
        say(f"I: service is ready at {self.text('bind')}")
        while True:
            client, control, *_ = server.recv_multipart()
            server.send_multipart([client, b"PONG"] if control == b"PING" else [client, control, b"OK"])


class FreelanceClient1(Peer):
    def run(self):
        servers = self.text("connect").split(",")
        timeout = self.number("timeout", 1000)
        for server in servers if len(servers) > 1 else 3 * servers:
            say(f"I: trying echo service at {server}...")
            client = self.socket(zmq.REQ, connect=server)
            client.send(b"Hello world")
            if client.poll(timeout):
                assert client.recv_multipart() == [b"Hello world"]
                say("Service is running OK")
                return
            client.close(0)
            say(f"W: no response from {server}" + (", retrying..." if len(servers) == 1 else ""))


class FreelanceClient2(Peer):
    def run(self):
        servers = self.text("connect").split(",")
        client = self.socket(zmq.DEALER)
        for server in servers:
            client.connect(by_number(server))
        began = time.monotonic()
        count = self.number("count", 10000)
        for sequence in range(1, count + 1):
            for _ in servers:
                client.send_multipart([b"", b"%d" % sequence, b"random name"])
            end = time.monotonic() + self.number("timeout", 2500) / 1000
            while client.poll(max(0, (end - time.monotonic()) * 1000)):
                reply = client.recv_multipart()
                assert len(reply) == 3 and reply[0] == b"" and reply[2] == b"OK", reply
                if int(reply[1]) == sequence:
                    break
            else:
                say("E: name service not available, aborting")
                break
        say(f"Average round trip cost: {int((time.monotonic() - began) * 1e6 / count)} usec")


class FreelanceClient3(Peer):
    """`form=py`: with the empty frame of the Guide's in Python behind the number."""

    def run(self):
        servers = self.text("connect").split(",")
        empty = [b""] if self.settings.get("form") == "py" else []
        client = self.socket(zmq.ROUTER)
        for server in servers:
            say(f"I: connecting to {server}...")
            client.connect(by_number(server))
        time.sleep(0.1)
        ping_at = {server: time.monotonic() + 2 for server in servers}
        expires = {server: time.monotonic() + 6 for server in servers}
        actives = list(servers)
        began = time.monotonic()
        count = self.number("count", 10000)
        for sequence in range(1, count + 1):
            end = time.monotonic() + self.number("timeout", 3000) / 1000
            answered = False
            while not answered and time.monotonic() < end:
                while actives and time.monotonic() >= expires[actives[0]]:
                    actives.pop(0)
                if actives:
                    client.send_multipart([actives[0].encode(), b"%d" % sequence, *empty, b"random name"])
                for server in servers:
                    if time.monotonic() >= ping_at[server]:
                        client.send_multipart([server.encode(), b"PING"])
                        ping_at[server] = time.monotonic() + 2
                wait = min(end, *ping_at.values()) - time.monotonic()
                if not client.poll(max(0, wait * 1000)):
                    continue
                server, *reply = client.recv_multipart()
                server = server.decode()
                if server not in actives:
                    actives.append(server)
                ping_at[server], expires[server] = time.monotonic() + 2, time.monotonic() + 6
                answered = reply == [b"%d" % sequence, b"OK"]
                assert answered or reply == [b"PONG"] or reply[1:] == [b"OK"], reply
            if not answered:
                say("E: name service not available, aborting")
                break
        say(f"Average round trip cost: {int((time.monotonic() - began) * 1e6 / count)} usec")


PROGRAMS = {
    "lpserver": LazyServer, "lpclient": LazyClient, "spqueue": SimpleQueue, "spworker": SimpleWorker,
    "ppqueue": ParanoidQueue, "ppworker": ParanoidWorker, "flserver1": FreelanceServer1,
    "flserver2": FreelanceServer2, "flserver3": FreelanceServer3, "flclient1": FreelanceClient1,
    "flclient2": FreelanceClient2, "flclient3": FreelanceClient3,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](dict(one.split("=", 1) for one in sys.argv[2:])).run()

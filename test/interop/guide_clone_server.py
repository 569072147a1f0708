"""One of a pair of servers of the clustered hashmap that behaves as the Guide's clonesrv6 (protocols B9, B18), on
pyzmq, without times to live. In a thread, until it is stopped."""

import threading
import time

import zmq

PRIMARY, BACKUP, ACTIVE, PASSIVE, REQUEST = range(1, 6)


class GuideServer:
    HEARTBEAT = 0.1
    EXPIRY = 2.0  # long enough that a busy machine does not cause an expiry

    def __init__(self, role, port, state, peer_state, peer_port):
        self.state = PRIMARY if role == "primary" else BACKUP
        self.map = {}
        self.sequence = 0
        self.pending = []
        self.told_active = 0  # times that it has told its peer so
        self.has_snapshot = role == "primary"
        self._expiry = time.monotonic() + self.EXPIRY
        self._context = zmq.Context()
        self._peer_port = peer_port
        self.asked = self._socket(zmq.ROUTER, bind=port)
        self.publisher = self._socket(zmq.PUB, bind=port + 1)
        self.collector = self._socket(zmq.SUB, bind=port + 2)
        self.feed = self._socket(zmq.SUB, connect=peer_port + 1)
        self.state_out = self._socket(zmq.PUB, bind=state)
        self.state_in = self._socket(zmq.SUB, connect=peer_state)
        for subscriber in (self.collector, self.feed, self.state_in):
            subscriber.subscribe(b"")
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _socket(self, kind, bind=None, connect=None):
        made = self._context.socket(kind)
        made.linger = 0
        if bind is not None:
            made.bind(f"tcp://127.0.0.1:{bind}")
        if connect is not None:
            made.connect(f"tcp://127.0.0.1:{connect}")
        return made

    def stop(self):
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._thread.join()
        self._context.destroy(linger=0)

    def _run(self):
        next_beat = time.monotonic()
        while not self._stopped.is_set():
            if time.monotonic() >= next_beat:
                next_beat += self.HEARTBEAT
                self.state_out.send(b"%d" % self.state)
                self.told_active += self.state == ACTIVE
                self._publish(b"HUGZ", b"", b"", b"")
            # Only a passive server reads the publications of its peer.
            sockets = [self.state_in, self.asked, self.collector]
            sockets += [] if self.state == ACTIVE else [self.feed]
            for ready in (one for one in sockets if one.poll(5)):
                frames = ready.recv_multipart()
                {self.state_in: self._on_state, self.asked: self._on_asked, self.collector: self._on_set,
                 self.feed: self._on_publication}[ready](frames)

    def _publish(self, key, identity, properties, value):
        self.publisher.send_multipart([key, self.sequence.to_bytes(8, "big"), identity, properties, value])

    def tell(self, text):
        """Reports an action. A program overrides this to print it."""

    def tell_state(self, before, event):
        """Reports a change of the state, caused by the peer or by a client's request (5)."""

    def _become(self, state, event):
        before, self.state = self.state, state
        self.tell_state(before, event)
        if state == ACTIVE:
            for key, identity, properties, value in self.pending:
                self.tell(f"I: publishing pending={self.sequence + 1}")
                self._store(key, identity, properties, value)
            self.pending = []
        else:
            self.map, self.has_snapshot = {}, False

    def _on_state(self, frames):
        peer = int(frames[0])
        self._expiry = time.monotonic() + self.EXPIRY
        if self.state == PRIMARY and peer in (BACKUP, ACTIVE):
            self._become(ACTIVE if peer == BACKUP else PASSIVE, peer)
        elif self.state == BACKUP and peer == ACTIVE:
            self._become(PASSIVE, peer)
        elif self.state == PASSIVE and peer in (PRIMARY, BACKUP):
            self._become(ACTIVE, peer)
        elif self.state == peer:
            assert self.state not in (ACTIVE, PASSIVE), "E: fatal error - dual"

    def _on_asked(self, frames):
        if self.state in (PRIMARY, PASSIVE) and time.monotonic() >= self._expiry:
            self._become(ACTIVE, REQUEST)
        if self.state != ACTIVE:
            return
        who, command, subtree = frames
        assert command == b"ICANHAZ?"
        self.tell(f"I: sending shapshot={self.sequence}")
        for key, (sequence, identity, properties, value) in self.map.items():
            if key.startswith(subtree):
                self.asked.send_multipart([who, key, sequence.to_bytes(8, "big"), identity, properties, value])
        self.asked.send_multipart([who, b"KTHXBAI", self.sequence.to_bytes(8, "big"), b"", b"", subtree])

    def _store(self, key, identity, properties, value):
        self.sequence += 1
        self._publish(key, identity, properties, value)
        self._apply(key, identity, properties, value)

    def _apply(self, key, identity, properties, value):
        if value:
            self.map[key] = (self.sequence, identity, properties, value)
        else:
            self.map.pop(key, None)

    def _is_pending(self, identity):
        before = len(self.pending)
        self.pending = [one for one in self.pending if one[1] != identity]
        return len(self.pending) != before

    def _on_set(self, frames):
        key, _, identity, properties, value = frames
        if self.state == ACTIVE:
            self._store(key, identity, properties, value)
            self.tell(f"I: publishing update={self.sequence}")
        elif not self._is_pending(identity):
            self.pending.append((key, identity, properties, value))

    def _on_publication(self, frames):
        key, sequence, identity, properties, value = frames
        if key == b"HUGZ":
            return
        if not self.has_snapshot:
            self._ask_for_snapshot()
        if not self._is_pending(identity):
            self.pending.append((key, identity, properties, value))
        if int.from_bytes(sequence, "big") > self.sequence:
            self.sequence = int.from_bytes(sequence, "big")
            self._apply(key, identity, properties, value)
            self.tell(f"I: received update={self.sequence}")

    def _ask_for_snapshot(self):
        self.tell(f"I: asking for snapshot from: tcp://localhost:{self._peer_port}")
        requester = self._socket(zmq.DEALER, connect=self._peer_port)
        requester.send_multipart([b"ICANHAZ?", b""])
        while True:
            # The Guide's server waits without limit if its peer does not answer.
            while not requester.poll(50):
                if self._stopped.is_set():
                    return
            key, sequence, identity, properties, value = requester.recv_multipart()
            if key == b"KTHXBAI":
                break
            self.map[key] = (int.from_bytes(sequence, "big"), identity, properties, value)
        self.sequence = int.from_bytes(sequence, "big")
        self.has_snapshot = True
        self.tell(f"I: received snapshot={self.sequence}")
        requester.close()

"""A socket of Zinc with malformed peers, as the listener and as the connecting side: the inputs for its type,
and the messages that its user may receive."""

import select
import time
import types
import zlib

from good_sockets import (GoodClient, GoodDealer, GoodPartner, GoodPublisher, GoodPull, GoodPush,
                          GoodReplier, GoodRequester, GoodSubscriber)
from malformed_case import MalformedCase
from malformed_bytes import IDLES, LIVES
from zinc_programs import PATIENCE, SocketHost
from zmtp_wire import Connection, Listener, command, messages_in


def everything(parts):
    return parts


def nothing(_):
    return None


def what_is_good(parts):
    return parts if parts[0].startswith(b"good") else None


def request(parts):
    """Behind the envelope, which ends with the first empty part."""
    if b"" not in parts[:-1] or parts.index(b"") >= LARGEST_ENVELOPE:
        return None
    return parts[parts.index(b"") + 1:]


# The largest envelope of a REP, with the empty part at its end.
LARGEST_ENVELOPE = 255

# For each type: the type that sends malformed bytes to the socket, the types that may connect, its good peer,
# and the messages that its user must receive.
TYPES = {
    "dealer": (b"ROUTER", (b"REP", b"DEALER", b"ROUTER"), GoodDealer, everything),
    "pair": (b"PAIR", (b"PAIR",), None, everything),
    "pub": (b"SUB", (b"SUB", b"XSUB"), GoodSubscriber, nothing),
    "pull": (b"PUSH", (b"PUSH",), GoodPush, everything),
    "push": (b"PULL", (b"PULL",), GoodPull, nothing),
    "rep": (b"REQ", (b"REQ", b"DEALER"), GoodRequester, request),
    "req": (b"REP", (b"REP", b"ROUTER"), GoodReplier, nothing),
    "router": (b"ROUTER", (b"REQ", b"DEALER", b"ROUTER"), GoodClient, everything),
    "sub": (b"PUB", (b"PUB", b"XPUB"), GoodPublisher, what_is_good),
    # The user of an XPUB receives subscriptions as well, of which the inputs have many.
    "xpub": (b"SUB", (b"SUB", b"XSUB"), GoodSubscriber, None),
    "xsub": (b"PUB", (b"PUB", b"XPUB"), GoodPublisher, everything),
}
REPLY = ("rep", "router")


def _crc(parts):
    return zlib.crc32(b"".join(b"%d:" % len(part) + part for part in parts))


class MalformedHostCase(MalformedCase):
    """The socket binds, and its malformed peers connect to it."""

    kind = None

    @classmethod
    def setUpClass(cls):
        cls.own_type = cls.kind.upper().encode()
        cls.greeted_with = command(b"SUBSCRIBE", b"good") if cls.kind in ("sub", "xsub") else b""
        super().setUpClass()
        # Discards the messages of peers that did not meet another peer.
        cls.program.heard_since()

    @classmethod
    def tearDownClass(cls):
        # Connections of malformed peers are closed with these peers.
        cls.peer.round_trip()
        # A connection attempt that has just failed may still have its file. A leak stays until the end.
        end = time.monotonic() + PATIENCE
        while cls.program.open_files() > cls.files + cls.reserve:
            assert time.monotonic() < end, "files are left open"
            cls.peer.round_trip()
        super().tearDownClass()

    # Connections that come and go by themselves.
    reserve = 0

    @classmethod
    def start(cls, owner, context):
        host = cls.start_host(owner)
        good_peer = TYPES[cls.kind][2]
        return host, good_peer(context, host) if good_peer else GoodPartner(host, lambda: cls.open(host))

    @classmethod
    def start_host(cls, owner):
        return SocketHost(owner, cls.kind)

    @classmethod
    def open(cls, host):
        return Connection.to(host.port)

    def try_bytes(self, stage, case):
        self.sent = messages_in(case.data)[0] if stage == "traffic" else []
        self.may_come_back = self.replies_to(set(map(_crc, self.sent)))
        try:
            super().try_bytes(stage, case)
        finally:
            # The output for this input must not count for the next input.
            heard = self.program.heard_since()
        self.expect_heard(heard, case.outcome in (LIVES, IDLES))

    def expect_heard(self, heard, all_of_it):
        """Whole messages of those that were sent, in their order, and nothing else."""
        wanted = TYPES[self.kind][3]
        if wanted is None:
            return
        may = [(len(parts), _crc(parts)) for parts in map(wanted, self.sent) if parts is not None]
        self.assertEqual(heard, may if all_of_it else may[:len(heard)])

    def expect_health(self, meanwhile=False):
        if meanwhile and self.kind == "pair":
            # A PAIR with a peer does not serve another one.
            self.expect_life_of_program()
        else:
            super().expect_health(meanwhile)

    def replies_to(self, sent):
        """Returns the messages that may come back while `sent` were sent."""
        return sent

    def is_chatter(self, parts):
        if self.kind in REPLY:
            return _crc(parts) in self.may_come_back
        return parts[-1].startswith(b"good ")

    def without_chatter(self, data):
        messages, end = messages_in(data)
        if all(map(self.is_chatter, messages)):
            # The last message may be incomplete.
            return b"" if self.kind in REPLY else data[end:]
        return data


class MalformedListenerCase(MalformedHostCase):
    """The socket connects to a malformed listener, and binds for its good peer."""

    # The next connection attempt, and the one before.
    reserve = 2

    @classmethod
    def setUpClass(cls):
        cls.replies = set()
        cls.listener = Listener()
        cls.addClassCleanup(cls.listener.close)
        super().setUpClass()

    @classmethod
    def start_host(cls, owner):
        return SocketHost(owner, cls.kind, cls.listener.endpoint)

    def replies_to(self, sent):
        # Replies stay in the queue of the endpoint, whichever peer was connected: queues outlive connections.
        self.replies.update(sent)
        return self.replies

    @classmethod
    def open(cls, host):
        while True:
            connection = cls.listener.accept()
            # A peer that waited for too long has disconnected again.
            poll = select.poll()
            poll.register(connection.stream, select.POLLRDHUP)
            if not poll.poll(0):
                return connection
            connection.close()


def case_class(base, name, kind):
    peer_type, partners = TYPES[kind][:2]
    return type(name, (base,), {"kind": kind, "peer_type": peer_type, "partners": partners})


def case_classes(base, form, kinds, most=None):
    """A class for each of these types of socket, by its name, with a test for each input."""
    made = {}
    for kind in kinds:
        name = form.format(kind.capitalize())
        made[name] = case_class(base, name, kind)
        made[name].add_bytes(most)
    return made

"""Good peers of a SocketHost, for each type that it may have."""

import time

from good_pair import GoodPeer
from zinc_programs import PATIENCE
from zmtp_wire import COMMAND, Closed, command, message, named
import zmq

# The time in ms without an answer after which a shared-out message is sent again, because it went to another
# peer.
AGAIN = 2


class GoodSocket(GoodPeer):
    """libzmq's, connected to the host."""

    kind = None

    def __init__(self, context, host):
        super().__init__(host)
        self.host = host
        self.socket = context.socket(self.kind)
        self.socket.rcvtimeo = self.socket.sndtimeo = int(PATIENCE * 1000)
        self.meet()

    def meet(self):
        self.socket.connect(self.host.endpoint)

    def round_trip(self):
        self.count += 1
        return self.timed(self.exchange, b"good %d" % self.count)

    def exchange(self, text):
        raise NotImplementedError

    def say(self, text):
        """Expects that the host receives the text."""
        self.socket.send(text)
        self.host.expect_heard(text)

    def hear(self, text):
        """Sends the text from the host."""
        self.host.say(text)
        while True:
            while not self.socket.poll(AGAIN):
                self.host.say(text)
            if (got := self.socket.recv()) == text:
                return
            assert got.startswith(b"good "), got

    def close(self):
        self.socket.close()


class GoodSubscriber(GoodSocket):
    kind = zmq.SUB

    def meet(self):
        self.socket.subscribe(b"good")
        super().meet()
        self.hear(b"good morning")

    def exchange(self, text):
        # Every subscriber gets the message: once is enough.
        self.host.say(text)
        while (received := self.socket.recv()) == b"good morning":
            pass
        assert received == text, received


class GoodPublisher(GoodSocket):
    kind = zmq.XPUB

    def meet(self):
        super().meet()
        subscription = self.socket.recv()
        assert subscription == b"\x01good", subscription

    def exchange(self, text):
        self.say(text)


class GoodPush(GoodSocket):
    kind = zmq.PUSH

    def exchange(self, text):
        self.say(text)


class GoodPull(GoodSocket):
    kind = zmq.PULL

    def exchange(self, text):
        self.hear(text)


class GoodDealer(GoodSocket):
    """A good peer of a DEALER."""

    kind = zmq.DEALER

    def exchange(self, text):
        self.say(text)
        self.hear(text)


class GoodRequester(GoodSocket):
    """A good peer of a REP."""

    kind = zmq.REQ

    def exchange(self, text):
        self.say(text)
        reply = self.socket.recv()
        assert reply == text, reply


class GoodClient(GoodRequester):
    """A good peer of a ROUTER."""

    kind = zmq.DEALER


class GoodReplier(GoodSocket):
    """A good peer of a REQ. The REQ asks again if another peer does not reply."""

    kind = zmq.REP

    def __init__(self, context, host):
        self.poller = zmq.Poller()
        self.poller.register(host.process.stdout.fileno(), zmq.POLLIN)
        super().__init__(context, host)
        self.poller.register(self.socket, zmq.POLLIN)

    def exchange(self, text):
        self.host.say(text)
        while True:
            ready = dict(self.poller.poll(0 if self.host.has_line() else AGAIN))
            if self.socket in ready:
                self.socket.send(self.socket.recv())
            elif self.host.has_line() or ready:
                # A question that was sent twice may have a second reply.
                if (line := self.host.read_line()) == text.decode():
                    return
                assert line.startswith("good "), line
            else:
                self.host.say(text)


class GoodPartner(GoodPeer):
    """The only peer of a PAIR: connects when the last peer has disconnected, and disconnects after each round
    trip. `open` makes its connections."""

    def __init__(self, host, open_connection):
        super().__init__(host)
        self.host = host
        self.open = open_connection

    def round_trip(self):
        self.count += 1
        connection = self.meet()
        seconds = self.timed(self.exchange, connection, b"good %d" % self.count)
        connection.close()
        return seconds

    def exchange(self, connection, text):
        connection.send(message(text))
        self.host.expect_heard(text)
        self.host.say(text)
        reply = connection.read_message()
        assert reply == [text], reply

    def meet(self):
        """Retries like the peer: the PAIR rejects others until the last peer has disconnected."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            connection = self.open()
            try:
                connection.shake_hands(b"PAIR")
                connection.send(command(b"PING", b"\x00\x00"))
                answer = connection.read_frame()
                assert answer == (COMMAND, named(b"PONG")), answer
                return connection
            except Closed:
                connection.close()
        raise AssertionError("there is no room for a peer")

    def close(self):
        pass

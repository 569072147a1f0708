#!/usr/bin/python3
"""What is malformed, on plain TCP, against our PUB, XPUB and SUB: each input ends as it should, the socket's process
lives, and a good subscriber or publisher is served all the while."""

import sys
import time
import unittest

sys.dont_write_bytecode = True
from good_pair import GoodPeer  # noqa: E402: behind the line above
from malformed_case import SHORT, MalformedCase, OctetByOctet  # noqa: E402
from malformed_octets import WAITS  # noqa: E402
from zinc_programs import PATIENCE, PubSubHost  # noqa: E402
from zmtp_wire import command, greeting, ready_as  # noqa: E402
import zmq  # noqa: E402


class GoodSubscriber(GoodPeer):
    def __init__(self, context, host):
        self.host = host
        self.count = 0
        self.socket = context.socket(zmq.SUB)
        self.socket.rcvtimeo = int(PATIENCE * 1000)
        self.socket.subscribe(b"good")
        self.socket.connect(host.endpoint)
        # Until it has subscribed.
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            host.publish(b"good morning")
            if self.socket.poll(10):
                break

    def round_trip(self):
        self.count += 1
        text = b"good %d" % self.count
        begin = time.monotonic()
        self.host.publish(text)
        while (received := self.socket.recv()) == b"good morning":
            pass
        assert received == text, received
        return time.monotonic() - begin

    def close(self):
        self.socket.close()


class GoodPublisher(GoodPeer):
    def __init__(self, context, host):
        self.host = host
        self.count = 0
        self.socket = context.socket(zmq.XPUB)
        self.socket.rcvtimeo = int(PATIENCE * 1000)
        self.socket.connect(host.endpoint)
        subscription = self.socket.recv()
        assert subscription == b"\x01good", subscription

    def round_trip(self):
        self.count += 1
        begin = time.monotonic()
        self.socket.send(b"good %d" % self.count)
        line = self.host.read_line()
        assert line == f"good {self.count}", line
        return time.monotonic() - begin

    def close(self):
        self.socket.close()


class PublisherCase(MalformedCase):
    peer_type, partners = b"SUB", (b"SUB", b"XSUB")
    kind = None

    @classmethod
    def start(cls, owner, context):
        host = PubSubHost(owner, cls.kind)
        return host, GoodSubscriber(context, host)


class MalformedToPubTest(PublisherCase):
    own_type, kind = b"PUB", "pub"


class MalformedToXpubTest(PublisherCase):
    own_type, kind = b"XPUB", "xpub"


class MalformedToXpubOctetByOctetTest(OctetByOctet, PublisherCase):
    own_type, kind = b"XPUB", "xpub"


class MalformedToSubTest(MalformedCase):
    own_type, peer_type, partners = b"SUB", b"PUB", (b"PUB", b"XPUB")
    greeted_with = command(b"SUBSCRIBE", b"good")

    @classmethod
    def start(cls, owner, context):
        host = PubSubHost(owner, "sub")
        return host, GoodPublisher(context, host)


def add_tests():
    for case_class in (MalformedToPubTest, MalformedToXpubTest, MalformedToSubTest):
        case_class.add_octets()
    MalformedToXpubOctetByOctetTest.add_octets(SHORT)


add_tests()


class NotAdmittedTest(PublisherCase):
    own_type, kind = b"PUB", "pub"

    def test_hear_nothing_that_is_published(self):
        """CVE-2020-15166: who has not shaken hands yet is no subscriber."""
        waiting = []
        for stage, said in (("greeting", greeting() + ready_as(b"PUB")), ("handshake", ready_as(b"PUB"))):
            for case in self.stages()[stage]:
                if case.outcome == WAITS:
                    connection = self.connect(stage)
                    self.send(connection, case.octets)
                    waiting.append((case.name, connection, said))
        self.assertGreater(len(waiting), 5)
        for _ in range(100):
            self.peer.round_trip()
        for name, connection, said in waiting:
            with self.subTest(name):
                self.expect_end(connection, said)
            connection.close()
        self.expect_health()


if __name__ == "__main__":
    unittest.main()

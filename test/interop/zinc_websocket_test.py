#!/usr/bin/python3
"""Programs of Zinc over ws://, beside the WebSocket client of Debian's python3-websocket."""

import sys
import unittest

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from shell_case import ShellCase  # noqa: E402
try:
    import websocket
except ImportError:
    sys.exit("websocket is missing for this Python; tools/setup --for test installs python3-websocket for "
             "/usr/bin/python3")

LAST, MORE = b"\0", b"\1"
ANYWHERE = "ws://127.0.0.1:*/zws"


class WebSocketPeer:
    """One side of ZWS2.0, which has no mechanism: a routing id, then messages."""

    def __init__(self, test, endpoint, routing_id=b""):
        self.wire = websocket.create_connection(endpoint, timeout=PATIENCE, subprotocols=["ZWS2.0"])
        test.addCleanup(self.wire.shutdown)
        # The module makes the name lower case.
        test.assertEqual(self.wire.getsubprotocol(), "zws2.0")
        self.send([routing_id])
        self.peer_id = self.receive()

    def send(self, parts):
        for part in parts[:-1]:
            self.wire.send_binary(MORE + part)
        self.wire.send_binary(LAST + parts[-1])

    def receive(self):
        parts, flags = [], MORE
        while flags == MORE:
            frame = self.wire.recv()
            flags, part = frame[:1], frame[1:]
            parts.append(part)
        return parts


class WebSocketClients(ShellCase):
    def test_messages_to_a_pull(self):
        cat, endpoint = self.start_bound("pull", ANYWHERE)
        peer = WebSocketPeer(self, endpoint)
        for size in (0, 1, 124, 125, 65_533, 65_536, 1_000_000):
            peer.send([b"x" * size])
            self.assertEqual(cat.read_line(), "x" * size)

    def test_topics_from_a_pub(self):  # ZWS-10, ZWS-11
        cat, endpoint = self.start_bound("pub", ANYWHERE)
        peer = WebSocketPeer(self, endpoint)
        self.assertEqual(peer.peer_id, [b""])
        peer.send([b"\1weather"])
        # A ping after the subscription: its answer shows that both have arrived.
        peer.wire.ping("seen")
        opcode, payload = peer.wire.recv_data(control_frame=True)
        self.assertEqual((opcode, payload), (websocket.ABNF.OPCODE_PONG, b"seen"))
        cat.process.stdin.write(b"other\nweather is fine\n")
        self.assertEqual(peer.receive(), [b"weather is fine"])

    def test_requests_to_a_broker(self):
        broker = self.start_broker(at=ANYWHERE)
        worker = WebSocketPeer(self, broker.endpoint)
        worker.send([b"MDPW02", b"\1", b"echo"])
        client = WebSocketPeer(self, broker.endpoint)
        for number in range(10):
            body = b"%d" % number
            client.send([b"MDPC02", b"\1", b"echo", body])
            request = self.request_to(worker)
            self.assertEqual(request[3:], [b"", body])
            worker.send([b"MDPW02", b"\4", request[2], b"", body])
            self.assertEqual(client.receive(), [b"MDPC02", b"\3", b"echo", body])

    def request_to(self, worker):
        """The next request. Heartbeats may precede it."""
        while (message := worker.receive())[1] != b"\2":
            self.assertEqual(message, [b"MDPW02", b"\5"])
        return message

    def test_a_page_of_an_unknown_origin_is_refused(self):  # ZWS-15
        cat, endpoint = self.start_bound("pull", ANYWHERE, "--websocket-origin", "https://good.example")
        peer = WebSocketPeer(self, endpoint)
        with self.assertRaises(websocket.WebSocketBadStatusException) as refused:
            websocket.create_connection(endpoint, timeout=PATIENCE, subprotocols=["ZWS2.0"],
                                        origin="http://evil.example")
        self.assertEqual(refused.exception.status_code, 403)
        peer.send([b"still there"])
        self.assertEqual(cat.read_line(), "still there")
        page = websocket.create_connection(endpoint, timeout=PATIENCE, subprotocols=["ZWS2.0"],
                                           origin="https://good.example")
        page.close()


if __name__ == "__main__":
    unittest.main()

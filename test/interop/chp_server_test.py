#!/usr/bin/python3
"""Our server of the map with third-party clients: of 12/CHP without extensions, and as the Guide's."""

import sys
import unittest
import uuid

sys.dont_write_bytecode = True
from chp_clients import Client, Host, ZERO, number, pack  # noqa: E402: behind the line above
from zmtp_wire import Connection, greeting, message, ready  # noqa: E402
import zmq  # noqa: E402


class ServerCase(unittest.TestCase):
    def setUp(self):
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, linger=0)

    def start(self, form="kvmsg", collector="sub"):
        host = Host(self, form, collector)
        self.addCleanup(lambda: self.assertEqual(host.stop(), 0, "the server did not end well"))
        return host

    def client(self, host, subtree=b"", **options):
        return Client(self, self.context, host.port, subtree, **options)


class LetterTest(ServerCase):
    """12/CHP, with the rows of its checklist (protocols D1)."""

    def joined(self, host, subtree=b"", key=b"join"):
        client = self.client(host, subtree)
        client.synchronize()
        client.join(lambda: client.set(subtree + key, b"x"))
        return client

    # CHP-9, CHP-10, CHP-11, CHP-13, CHP-15, CHP-16
    def test_a_snapshot_has_five_frames_and_ends_with_the_highest_sequence(self):
        host = self.start()
        setter = self.joined(host)
        for key in (b"/a/1", b"/a/2", b"/ab", b"/b/1"):
            setter.set(key, b"value of " + key)
            setter.expect(key)
        client = self.client(host, b"/a/")
        entries, end = client.synchronize()
        self.assertEqual([[entry[0], *entry[2:]] for entry in entries],
                         [[b"/a/1", b"", b"", b"value of /a/1"], [b"/a/2", b"", b"", b"value of /a/2"]])
        self.assertEqual([len(entry[1]) for entry in entries], [8, 8])
        self.assertEqual(end, [b"KTHXBAI", pack(max(number(e[1]) for e in entries)), b"", b"", b"/a/"])
        everything = self.client(host)
        self.assertEqual(len(everything.synchronize()[0]), 5)
        nothing = self.client(host, b"/none/")
        self.assertEqual(nothing.synchronize(), ([], [b"KTHXBAI", end[1], b"", b"", b"/none/"]))

    def test_each_client_has_its_own_answer(self):  # CHP-12, CHP-37
        host = self.start()
        setter = self.joined(host)
        setter.set(b"/a/1", b"x")
        setter.expect(b"/a/1")
        one, other = self.client(host, b"/a/"), self.client(host, b"/b/")
        one.ask()
        other.ask()
        self.assertEqual([m[0] for m in other.answer()], [b"KTHXBAI"])
        self.assertEqual([m[0] for m in one.answer()], [b"/a/1", b"KTHXBAI"])

    def test_updates_come_to_all_as_they_were_sent_with_rising_sequences(self):  # CHP-18, CHP-19, CHP-20, CHP-29
        host = self.start()
        one, other = self.joined(host), self.joined(host)
        identity = uuid.uuid4().bytes
        one.setter.send_multipart([b"key", pack(4711), identity, b"x=1\n", b"\0value"])
        for client in (one, other):
            message = client.expect(b"key")
            self.assertEqual(message[2:], [identity, b"x=1\n", b"\0value"])
        before = number(message[1])
        for value in (b"1", b"2", b"3"):
            one.set(b"key", value)
            message = one.expect(b"key")
            self.assertGreater(number(message[1]), before)
            before = number(message[1])
            self.assertEqual(message[-1], value)

    def test_updates_continue_where_the_snapshot_ended(self):  # CHP-20
        host = self.start()
        setter = self.joined(host)
        client = self.joined(host)
        for n in range(2000):
            setter.set(b"k%d" % (n % 100), b"%d" % n)
            if n == 1050:
                client.ask()
            # As many as its own queue has room for.
            while n % 100 == 99 and setter.map.get(b"k99") != b"%d" % n:
                setter.next()
        *entries, end = client.answer()
        client.map = {entry[0]: entry[-1] for entry in entries}
        client.sequence = number(end[1])
        while client.map.get(b"k99") != b"1999":
            client.next()
        self.assertEqual({k: v for k, v in client.map.items() if k != b"join"},
                         {k: v for k, v in setter.map.items() if k != b"join"})

    def test_an_empty_value_deletes(self):  # CHP-31
        host = self.start()
        client = self.joined(host)
        client.set(b"key", b"x")
        client.expect(b"key")
        client.set(b"key", b"")
        self.assertEqual(client.expect(b"key")[-1], b"")
        self.assertEqual([e[0] for e in self.client(host).synchronize()[0]], [b"join"])

    def test_a_key_with_ttl_goes_when_its_time_is_over(self):  # CHP-32, CHP-33
        host = self.start()
        client = self.joined(host)
        identity = uuid.uuid4().bytes
        client.set(b"key", b"x", ttl=1, identity=identity)
        self.assertEqual(client.expect(b"key")[3], b"ttl=1\n")
        message = client.expect(b"key")
        self.assertEqual(message[3:], [b"", b""])
        self.assertEqual(len(message[2]), 16)
        self.assertNotEqual(message[2], identity)
        self.assertNotIn(b"key", client.map)

    def test_hugz_comes_while_nothing_happens(self):  # CHP-25, CHP-26
        host = self.start()
        client = self.client(host, b"/none/")
        for _ in range(3):
            self.assertEqual(client.receive(client.subscriber), [b"HUGZ", ZERO, b"", b"", b""])

    def test_malformed_messages_do_not_affect_other_clients(self):  # protocols C1-15, C1-24, B17
        host = self.start()
        good, bad = self.joined(host), self.joined(host)
        for frames in ([b"ICANHAZ?", b"", b"more"], [b"ICANHAZ"], [b""], [b"KTHXBAI"], [b"x"] * 100):
            bad.requester.send_multipart(frames)
        for frames in ([b"key"], [b"key", ZERO], [b"key", b"1", b"", b"", b"x"], [b"", ZERO, b"", b"", b"x"],
                       [b"HUGZ", ZERO, b"", b"", b"x"], [b"KTHXBAI", ZERO, b"", b"", b"x"],
                       [b"a\0b", ZERO, b"", b"", b"x"], [b"k" * 256, ZERO, b"", b"", b"x"], [b""] * 200):
            bad.setter.send_multipart(frames)
        bad.set(b"good", b"x")
        good.expect(b"good")
        for question in ((), (b"ICANHAZ?",)):
            entries, _ = bad.synchronize(*question)
            self.assertEqual({e[0] for e in entries}, {b"join", b"good"}, "of one frame it is for everything")


class StandsStillTest(ServerCase):
    """Requests that arrive together after a pause of the server."""

    def answers(self, *properties):
        """To the same question ten times and then another one: the subtrees that they end with."""
        host = self.start()
        setter = self.client(host)
        setter.join(lambda: setter.set(b"/a/1", b"x"))
        peer = Connection.to(host.port)
        self.addCleanup(peer.close)
        peer.send(greeting() + ready((b"Socket-Type", b"DEALER"), *properties))
        peer.read(64)
        peer.read_frame()
        host.suspend()
        peer.send(10 * message(b"ICANHAZ?", b"/a/") + message(b"ICANHAZ?", b"/b/"))
        host.resume()
        ends = []
        while not ends or ends[-1] != b"/b/":
            frames = peer.read_message()
            if frames[0] == b"KTHXBAI":
                ends.append(frames[-1])
        return ends

    def test_a_compliant_client_gets_one_answer_per_request(self):  # CHP-11
        self.assertEqual(self.answers(), [b"/a/"] * 10 + [b"/b/"])

    def test_a_client_of_ours_which_takes_the_first_gets_one(self):
        self.assertEqual(self.answers((b"X-Zinc", b"chp-ack=0123456789abcdef")), [b"/a/", b"/b/"])


class GuideTest(ServerCase):
    """As the Guide's clients of each model do it (protocols B16, B17)."""

    def test_models_2_and_3_of_three_frames(self):
        for form, size in (("kvsimple_8", 8), ("kvsimple_4", 4)):
            with self.subTest(form):
                host = self.start(form, "pull")
                client = self.client(host, setter=zmq.PUSH, heartbeats=False)
                entries, end = client.synchronize(b"ICANHAZ?")
                self.assertEqual((entries, end[:2]), ([], [b"KTHXBAI", bytes(size)]))
                self.assertEqual(len(end), 3)
                message = client.join(lambda: client.set_simple(b"7", b"42", bytes(size)))
                self.assertEqual((message[0], len(message[1]), message[2]), (b"7", size, b"42"))
                late = self.client(host, setter=zmq.PUSH, heartbeats=False)
                entries, end = late.synchronize(b"ICANHAZ?")
                self.assertEqual([e[0::2] for e in entries], [[b"7", b"42"]])
                self.assertEqual(len(end[1]), size)

    def test_model_4_with_a_subtree(self):
        host = self.start("kvsimple_8", "pull")
        client = self.client(host, b"/client/", setter=zmq.PUSH, heartbeats=False)
        client.synchronize()
        client.set_simple(b"/other/1", b"x")
        message = client.join(lambda: client.set_simple(b"/client/1", b"x"))
        self.assertEqual(message[0], b"/client/1")
        self.assertEqual([e[0] for e in self.client(host, b"/client/").synchronize()[0]], [b"/client/1"])

    def test_model_5_with_ephemeral_values(self):
        host = self.start("kvmsg", "pull")
        client = self.client(host, b"/client/", setter=zmq.PUSH, heartbeats=False)
        client.synchronize()
        client.join(lambda: client.set(b"/client/1", b"x", ttl=0))
        client.set(b"/client/2", b"y", ttl=1)
        client.expect(b"/client/2")
        self.assertEqual(client.expect(b"/client/2")[-1], b"")
        self.assertEqual(client.map, {b"/client/1": b"x"}, "ttl=0 is none")

    def test_model_6(self):
        host = self.start()
        client = self.client(host, b"/client/")
        client.synchronize()
        client.join(lambda: client.set(b"/client/1", b"x", ttl=0))
        client.set(b"9", b"outside its own subtree")
        client.set(b"/client/2", b"y", ttl=29)
        client.expect(b"/client/2")
        # No update outside of the subtree follows.
        self.assertEqual([client.receive(client.subscriber)[0] for _ in range(2)], [b"HUGZ", b"HUGZ"])
        self.assertEqual(client.map, {b"/client/1": b"x", b"/client/2": b"y"})


if __name__ == "__main__":
    unittest.main()

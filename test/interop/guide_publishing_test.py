#!/usr/bin/python3
"""espresso, pathopub, pathosub, lvcache and suisnail beside peers that behave as the Guide's, in both roles,
and the drills of protocols' table for them."""

import random
import re
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from guide_peers import PATIENCE  # noqa: E402: behind the line above
from guide_case import GuideCase  # noqa: E402
from zinc_programs import built, reserve_endpoint  # noqa: E402
import zmq  # noqa: E402


class Espresso(GuideCase):
    def test_alone_it_shows_subscriptions_and_five_messages(self):
        at = [reserve_endpoint(self) for _ in range(2)]
        espresso = self.start("espresso", "--publisher", at[0], "--frontend", at[0], "--backend", at[1],
                              "--subscriber", at[1], "--interval", "1")
        self.assertEqual(sorted(espresso.read_line() for _ in range(2)), ["[002] 0141", "[002] 0142"])
        for _ in range(5):
            self.assertRegex(espresso.read_line(), r"^\[007\] [AB]-\d{5}$")
        # More messages may pass before the subscriber disconnects.
        ends = set()
        while len(ends) < 2:
            line = espresso.read_line()
            if line.startswith("[002]"):
                ends.add(line)
        self.assertEqual(ends, {"[002] 0041", "[002] 0042"})
        self.stop(espresso)

    def test_between_a_publisher_and_a_subscriber_of_the_guides(self):
        publisher, at = self.bound(zmq.PUB)
        back = reserve_endpoint(self)
        espresso = self.start("espresso", "--proxy-only", "--frontend", at, "--backend", back)
        self.in_background(lambda: (
            publisher.send(b"%c-%05d" % (random.choice(b"ABCDEFGHIJ"), random.randint(0, 99_999))),
            time.sleep(0.001)))
        # Both subscriptions are there when it connects, so that nothing comes between them.
        subscriber = self.socket(zmq.SUB)
        subscriber.subscribe(b"A")
        subscriber.subscribe(b"B")
        subscriber.connect(back)
        received = [subscriber.recv().decode() for _ in range(5)]
        subscriber.close(0)
        seen = []
        while "[002] 0041" not in seen or "[002] 0042" not in seen:
            seen.append(espresso.read_line())
        self.assertEqual(sorted(seen[:2]), ["[002] 0141", "[002] 0142"])
        self.assertEqual(seen[2:7], [f"[007] {text}" for text in received])
        # Messages without a subscription did not cross.
        self.assertTrue(all(re.match(r"\[007\] [AB]-|\[002\] 00", line) for line in seen[2:]), seen)
        self.stop(espresso)


class Patho(GuideCase):
    # Drill: the subscriber comes first.
    def test_a_subscriber_that_comes_first_has_its_topic(self):
        for ours in ("publisher", "subscriber", "both"):
            with self.subTest(ours):
                at = reserve_endpoint(self)
                if ours == "publisher":
                    subscriber = self.connected(zmq.SUB, at)
                    subscriber.subscribe(b"708")
                    publisher = self.start("pathopub", at)
                    self.assertEqual(subscriber.recv_multipart(), [b"708", b"Save Roger"])
                    self.stop(publisher)
                    continue
                subscriber = self.start("pathosub", at, "--topic", "708")
                if ours == "both":
                    publisher = self.start("pathopub", at)
                else:
                    publisher = self.socket(zmq.XPUB)
                    publisher.bind(at)
                    self.assertEqual(publisher.recv(), b"\x01708")
                    for topic in range(1000):
                        publisher.send_multipart([b"%03d" % topic, b"Save Roger"])
                self.assertEqual(subscriber.read_line(), "Save Roger")
                self.stop(subscriber)

    def test_updates_come_one_after_the_other(self):
        at = reserve_endpoint(self)
        subscriber = self.connected(zmq.SUB, at)
        subscriber.subscribe(b"")
        self.start("pathopub", at, "--interval", "1")
        topics = [subscriber.recv_multipart() for _ in range(1000)]
        self.assertEqual(topics, [[b"%03d" % topic, b"Save Roger"] for topic in range(1000)])
        topic, text = subscriber.recv_multipart()
        self.assertRegex(topic, rb"^\d{3}$")
        self.assertEqual(text, b"Off with his head!")

    def test_a_subscriber_does_not_take_what_it_did_not_ask_for(self):
        at = reserve_endpoint(self)
        subscriber = self.start("pathosub", at, "--topic", "7")
        publisher = self.socket(zmq.XPUB)
        publisher.bind(at)
        self.assertEqual(publisher.recv(), b"\x01007")
        publisher.send_multipart([b"0070", b"x"])
        self.assertEqual(subscriber.wait(), 1)


class LastValues(GuideCase):
    def start_cache(self, *flags):
        """The cache, an XPUB for its publisher, and where subscribers come."""
        publisher, front = self.bound(zmq.XPUB)
        back = reserve_endpoint(self)
        cache = self.start("lvcache", "--connect", front, "--bind", back, *flags)
        self.assertEqual(publisher.recv(), b"\x01")
        return cache, publisher, back

    # Drill: the subscriber comes later, and there is a cache between.
    def test_between_publisher_and_subscriber_in_every_combination(self):
        for ours in ((), ("pathopub",), ("pathosub",), ("pathopub", "pathosub")):
            with self.subTest(ours):
                front, back = reserve_endpoint(self), reserve_endpoint(self)
                cache = self.start("lvcache", "--connect", front, "--bind", back)
                early = self.connected(zmq.SUB, back)
                early.subscribe(b"999")
                if "pathopub" in ours:
                    publisher = self.start("pathopub", front)
                else:
                    publisher = self.socket(zmq.XPUB)
                    publisher.bind(front)
                    self.assertEqual(publisher.recv(), b"\x01")
                    for topic in range(1000):
                        publisher.send_multipart([b"%03d" % topic, b"Save Roger"])
                # The last one: all are in the cache.
                self.assertEqual(early.recv_multipart(), [b"999", b"Save Roger"])
                if "pathosub" in ours:
                    late = self.start("pathosub", back, "--topic", "708")
                    self.assertIn(late.read_line(), ("Save Roger", "Off with his head!"))
                else:
                    late = self.connected(zmq.SUB, back)
                    late.subscribe(b"708")
                    self.assertEqual(late.recv_multipart()[0], b"708")
                # The early one may have come when its topic was there.
                while (line := cache.read_line()) != "Sending cached topic 708":
                    self.assertEqual(line, "Sending cached topic 999")
                self.stop(cache)

    # The Guide's program notices only the first subscription, and sends to all subscribers.
    def test_each_new_subscriber_alone_gets_the_last_value(self):
        cache, publisher, back = self.start_cache()
        first = self.connected(zmq.SUB, back)
        first.subscribe(b"A")
        publisher.send_multipart([b"A", b"1"])
        self.assertEqual(first.recv_multipart(), [b"A", b"1"])
        second = self.connected(zmq.SUB, back)
        second.subscribe(b"A")
        self.assertEqual(second.recv_multipart(), [b"A", b"1"])
        publisher.send_multipart([b"A", b"2"])
        self.assertEqual(first.recv_multipart(), [b"A", b"2"])
        self.stop(cache)

    # As the Guide's looks it up; --prefixes is ours.
    def test_a_subscription_is_a_topic_or_all_that_begin_so(self):
        for flags, expected in (((), [b"70"]), (("--prefixes",), [b"70", b"708"])):
            with self.subTest(flags):
                cache, publisher, back = self.start_cache(*flags)
                early = self.connected(zmq.SUB, back)
                early.subscribe(b"")
                while not early.poll(20):
                    publisher.send_multipart([b"", b"is it there?"])
                for topic in (b"708", b"70", b"80"):
                    publisher.send_multipart([topic, b"1"])
                while early.recv_multipart() != [b"80", b"1"]:
                    pass
                late = self.connected(zmq.SUB, back)
                late.subscribe(b"70")
                while (line := cache.read_line()) != "Sending cached topic 70":
                    self.assertEqual(line, "Sending cached topic ", "of the early one")
                publisher.send_multipart([b"70x", b"2"])
                self.assertEqual([late.recv_multipart() for _ in range(len(expected) + 1)],
                                 [*([topic, b"1"] for topic in expected), [b"70x", b"2"]])
                self.stop(cache)

    # LVC of the Guide: the wildcard that it connects to.
    def test_a_wildcard_is_refused_with_its_name(self):
        code, _, errors = self.run_program("lvcache", "--connect", "tcp://*:5557", "--bind",
                                           "tcp://127.0.0.1:*")
        self.assertEqual(code, 2)
        self.assertIn("tcp://*:5557", errors)


class Snail(GuideCase):
    # Drill: a subscriber that is slower than its publisher.
    def test_alone_it_dies_of_its_delay(self):
        at = reserve_endpoint(self)
        # So long that a busy machine alone does not kill it before the first message.
        code, out, errors = self.run_program("suisnail", "--bind", at, "--connect", at, "--work", "50",
                                             "--max-delay", "2000")
        self.assertEqual((code, errors), (0, "E: subscriber cannot keep up, aborting\n"))
        self.assertTrue(all(line.isdigit() for line in out.splitlines()))
        self.assertGreater(len(out), 0)

    def test_it_dies_of_a_late_message_of_the_guides_publisher(self):
        publisher, at = self.bound(zmq.XPUB)
        process = subprocess.Popen([built("tools/guide/suisnail"), "--only-subscribe", "--connect", at],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(publisher.recv(), b"\x01")
        # A clock that is fast, so that a busy machine does not make this one late.
        soon = int((time.time() + PATIENCE) * 1000)
        publisher.send(b"%d" % soon)
        self.assertEqual(process.stdout.readline(), f"{soon}\n")
        publisher.send(b"%d" % (time.time() * 1000 - 2000))
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out, errors),
                         (0, "", "E: subscriber cannot keep up, aborting\n"))

    def test_its_publisher_says_milliseconds_to_the_guides_subscriber(self):
        at = reserve_endpoint(self)
        publisher = self.start("suisnail", "--only-publish", "--bind", at)
        subscriber = self.connected(zmq.SUB, at)
        subscriber.subscribe(b"")
        for _ in range(10):
            self.assertLess(abs(int(time.time() * 1000) - int(subscriber.recv())), 1000 * PATIENCE)
        self.stop(publisher)


class Box(GuideCase):
    def test_it_counts_what_its_feed_and_others_publish(self):
        at = reserve_endpoint(self)
        box = self.start("blackbox", "--bind", at, "--connect", at, "--work", "0")
        line = ""
        while not re.match(r"I: [1-9]\d* messages/second, by shard: [1-9]\d* [1-9]\d*$", line):
            line = box.read_line()
        self.stop(box)

    def test_the_publisher_may_be_another(self):
        publisher, at = self.bound(zmq.XPUB)
        box = self.start("blackbox", "--no-feed", "--connect", at, "--shards", "3")
        self.assertEqual(publisher.recv(), b"\x01")
        for n in range(300):
            publisher.send_multipart([b"%d" % n, b"x"])
        done = 0
        while done < 300:
            done += int(box.read_line().split()[1])
        self.assertEqual(done, 300)


class Help(GuideCase):
    def test_each_says_what_it_is_and_its_endpoints(self):
        self.expect_help(("espresso", "pathopub", "pathosub", "lvcache", "suisnail", "blackbox"))


if __name__ == "__main__":
    unittest.main()

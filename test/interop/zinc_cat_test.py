#!/usr/bin/python3
"""zinc cat beside pyzmq sockets of every type, connecting and binding."""

import json
import os
import select
import signal
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
from shell_case import ShellCase  # noqa: E402: behind the line above
from zinc_programs import reserve_endpoint  # noqa: E402
import zmq  # noqa: E402


class Senders(ShellCase):
    def test_lines_are_messages(self):
        pull, endpoint = self.bound(zmq.PULL)
        self.assertEqual(self.run_cat("push", endpoint, stdin="one\n\ntwo words\nno end")[0], 0)
        self.assertEqual([pull.recv_multipart() for _ in range(4)],
                         [[b"one"], [b""], [b"two words"], [b"no end"]])

    def test_it_binds_too(self):
        endpoint = reserve_endpoint(self)
        pull = self.connected(zmq.PULL, endpoint)
        code, _, errors = self.run_cat("PUSH", endpoint, "--bind", stdin="one\n")
        self.assertEqual((code, errors), (0, f"bound {endpoint}\n"))
        self.assertEqual(pull.recv(), b"one")

    def test_all_is_written_before_it_ends_however_slow_the_peer(self):
        pull, endpoint = self.bound(zmq.PULL, rcvhwm=10, rcvbuf=4096)
        count, line = 3_000, "x" * 10_000
        process = self.start_cat("push", endpoint)
        feeder = threading.Thread(
            target=lambda: (process.process.stdin.write((line + "\n").encode() * count),
                            process.process.stdin.close()))
        feeder.start()
        for _ in range(count):
            self.assertEqual(len(pull.recv()), len(line))
        feeder.join()
        self.assertEqual(process.wait(), 0)

    def test_input_is_read_only_while_the_socket_takes_messages(self):
        process = self.start_cat("push", reserve_endpoint(self))
        os.set_blocking(process.process.stdin.fileno(), False)
        written = 0
        line = b"x" * 999 + b"\n"
        # The queue for the endpoint (1000 messages), a chunk of input and the pipe: then no more.
        while written < 50_000_000:
            try:
                written += process.process.stdin.write(line * 64) or 0
            except BlockingIOError as full:
                written += full.characters_written
            if written > 1_000_000 and not self._drained(process):
                break
        self.assertLess(written, 2_000_000)
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)

    def _drained(self, process):
        """Whether it reads on: the pipe is writable again within a while."""
        return bool(select.select([], [process.process.stdin], [], 1)[1])

    def test_a_line_of_several_parts(self):
        pull, endpoint = self.bound(zmq.PULL)
        self.run_cat("push", endpoint, "--multipart", "|", stdin="a||b\n")
        self.assertEqual(pull.recv_multipart(), [b"a", b"", b"b"])

    def test_bytes_are_given_in_json_or_hex(self):
        pull, endpoint = self.bound(zmq.PULL)
        self.run_cat("push", endpoint, "--input", "json", stdin='["a", {"hex": "00ff"}]\n')
        self.run_cat("push", endpoint, "--input", "hex", stdin="00ff - 61\n")
        self.assertEqual(pull.recv_multipart(), [b"a", b"\x00\xff"])
        self.assertEqual(pull.recv_multipart(), [b"\x00\xff", b"", b"a"])

    def test_a_malformed_line_is_reported_and_the_next_is_sent(self):
        pull, endpoint = self.bound(zmq.PULL)
        code, _, errors = self.run_cat("push", endpoint, "--input", "hex", stdin="61\nxyz\n62\n")
        self.assertEqual((code, pull.recv(), pull.recv()), (1, b"a", b"b"))
        self.assertIn("line 2", errors)

    def test_a_file_is_one_message(self):
        pull, endpoint = self.bound(zmq.PULL)
        with tempfile.NamedTemporaryFile() as file:
            content = bytes(range(256)) * 4000
            file.write(content)
            file.flush()
            code, _, _ = self.run_cat("push", endpoint, "--file", file.name, "--file", file.name)
        self.assertEqual((code, pull.recv_multipart(), pull.recv()), (0, [content], content))

    def test_count_and_interval(self):
        pull, endpoint = self.bound(zmq.PULL)
        code, _, _ = self.run_cat("push", endpoint, "--count", "2", "--interval", "20ms",
                                  stdin="a\nb\nc\n")
        self.assertEqual((code, pull.recv(), pull.recv(), pull.poll(0)), (0, b"a", b"b", 0))

    def test_a_missing_peer_is_a_failure(self):
        code, _, errors = self.run_cat("push", reserve_endpoint(self), "--timeout", "50ms", stdin="a\n")
        self.assertEqual(code, 4)
        self.assertIn("check that the peer runs", errors)

    def test_failures_with_different_codes_end_with_1(self):
        code, _, errors = self.run_cat("push", reserve_endpoint(self), "--timeout", "50ms", "--input", "hex",
                                       stdin="xyz\n61\n")
        self.assertEqual(code, 1, errors)
        self.assertIn("check that the peer runs", errors)

    def test_a_publisher_waits_for_the_first_subscription(self):
        for kind in ("pub", "xpub"):
            with self.subTest(kind):
                sub, endpoint = self.bound(zmq.SUB)
                process = self.start_cat(kind, endpoint)
                process.process.stdin.write(b"other\ntopic 1\n")
                process.process.stdin.close()
                sub.subscribe(b"topic")
                self.assertEqual(sub.recv(), b"topic 1")
                if kind == "xpub":
                    # The program still has subscriptions to print.
                    process.signal(signal.SIGINT)
                self.assertEqual(process.wait(), 0)

    def test_a_publisher_without_subscribers(self):
        endpoint = reserve_endpoint(self)
        code, _, errors = self.run_cat("pub", endpoint, "--bind", "--timeout", "50ms", stdin="a\n")
        self.assertEqual(code, 4)
        self.assertIn("--at-once", errors)
        self.assertEqual(self.run_cat("pub", endpoint, "--bind", "--at-once", stdin="a\n")[0], 0)


class Receivers(ShellCase):
    def test_messages_are_lines(self):
        push, endpoint = self.bound(zmq.PUSH)
        process = self.start_cat("pull", endpoint)
        push.send(b"hello")
        push.send_multipart([b"a", b"", b"\x00\xff"])
        self.assertEqual(process.read_line(), "hello")
        self.assertEqual(process.read_line(), 'a  {"hex":"00ff"}')
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)

    def test_formats(self):
        for form, expected in ((("--format", "json"), '["a",{"hex":"00ff"}]'),
                               (("--json",), '["a",{"hex":"00ff"}]'),
                               (("--format", "hex"), "61 00ff"), (("--format", "raw"), "a\0")):
            with self.subTest(form):
                push, endpoint = self.bound(zmq.PUSH)
                process = self.start_cat("pull", endpoint, "--count", "1", *form)
                push.send_multipart([b"a", b"\x00\n" if "raw" in form else b"\x00\xff"])
                self.assertEqual((process.read_line(), process.wait()), (expected, 0))

    def test_subscriptions(self):
        pub, endpoint = self.bound(zmq.XPUB)
        process = self.start_cat("sub", endpoint, "--subscribe", "a", "--subscribe", "b", "--count", "2")
        self.assertEqual(sorted(pub.recv() for _ in range(2)), [b"\x01a", b"\x01b"])
        for topic in (b"a1", b"c1", b"b1"):
            pub.send(topic)
        self.assertEqual((process.read_line(), process.read_line(), process.wait()), ("a1", "b1", 0))

    def test_everything_is_subscribed_to_if_nothing_is_said(self):
        pub, endpoint = self.bound(zmq.XPUB)
        process = self.start_cat("sub", endpoint, "--count", "1")
        self.assertEqual(pub.recv(), b"\x01")
        pub.send(b"anything")
        self.assertEqual((process.read_line(), process.wait()), ("anything", 0))

    def test_silence_is_a_failure_unless_something_came(self):
        push, endpoint = self.bound(zmq.PUSH)
        code, output, errors = self.run_cat("pull", endpoint, "--timeout", "50ms")
        self.assertEqual((code, output), (4, ""))
        self.assertIn("no message within the timeout", errors)
        for words, expected in (((), 0), (("--count", "2"), 4)):
            with self.subTest(words):
                process = self.start_cat("pull", endpoint, "--timeout", "2s", *words)
                push.send(b"x")
                self.assertEqual((process.read_line(), process.wait()), ("x", expected))

    def test_it_reads_from_several_endpoints(self):
        first, one = self.bound(zmq.PUSH)
        second, other = self.bound(zmq.PUSH)
        process = self.start_cat("pull", one, other, "--count", "2")
        first.send(b"x")
        second.send(b"x")
        self.assertEqual(process.wait(), 0)


class Conversations(ShellCase):
    def test_a_request_each_line(self):
        rep, endpoint = self.bound(zmq.REP)
        process = self.start_cat("req", endpoint)
        for text in (b"one", b"two"):
            process.process.stdin.write(text + b"\n")
            self.assertEqual(rep.recv(), text)
            rep.send(text.upper())
            self.assertEqual(process.read_line(), text.decode().upper())
        process.process.stdin.close()
        self.assertEqual(process.wait(), 0)

    def test_a_request_that_is_not_answered(self):
        _, endpoint = self.bound(zmq.REP)
        code, _, errors = self.run_cat("req", endpoint, "--timeout", "50ms", stdin="a\n")
        self.assertEqual(code, 4)
        self.assertIn("no reply", errors)

    def test_replies(self):
        for words, expected in ((("--echo",), b"question"), (("--reply", "fixed"), b"fixed")):
            with self.subTest(words):
                endpoint = reserve_endpoint(self)
                process = self.start_cat("rep", endpoint, "--bind", "--count", "2", *words)
                req = self.connected(zmq.REQ, endpoint)
                for _ in range(2):
                    req.send(b"question")
                    self.assertEqual(req.recv(), expected)
                    self.assertEqual(process.read_line(), "question")
                self.assertEqual(process.wait(), 0)

    def test_replies_are_lines_of_the_input(self):
        endpoint = reserve_endpoint(self)
        process = self.start_cat("rep", endpoint, "--bind")
        req = self.connected(zmq.REQ, endpoint)
        req.send(b"question")
        self.assertEqual(process.read_line(), "question")
        process.process.stdin.write(b"first\nsecond\n")
        self.assertEqual(req.recv(), b"first")
        process.process.stdin.close()
        req.send(b"again")
        self.assertEqual(req.recv(), b"second")
        # The program has no more replies, and no client waits for one.
        self.assertEqual(process.wait(), 0)

    def test_a_request_that_is_left_when_the_input_ends(self):
        endpoint = reserve_endpoint(self)
        process = self.start_cat("rep", endpoint, "--bind")
        req = self.connected(zmq.REQ, endpoint)
        req.send(b"question")
        process.read_line()
        process.process.stdin.close()
        self.assertEqual(process.wait(), 1)

    def test_a_router_says_who_and_is_told_to_whom(self):
        endpoint = reserve_endpoint(self)
        process = self.start_cat("router", endpoint, "--bind")
        named = self.connected(zmq.DEALER, endpoint, routing_id=b"bob")
        named.send(b"hello")
        self.assertEqual(process.read_line(), "bob hello")
        process.process.stdin.write(b"bob how are you\nnobody x\n")
        self.assertEqual(named.recv_multipart(), [b"how are you"])
        unnamed = self.connected(zmq.DEALER, endpoint)
        unnamed.send(b"hello")
        line = process.read_line()
        who, text = line.split(" ")
        self.assertEqual((len(json.loads(who)["hex"]), text), (10, "hello"))
        process.process.stdin.write(f"{who} and you\n".encode())
        self.assertEqual(unnamed.recv(), b"and you")
        process.signal(signal.SIGTERM)
        # One line had no receiver.
        self.assertEqual(process.wait(), 1)

    def test_a_dealer_and_a_pair_receive_after_the_end_of_input(self):
        for kind, peer_type in (("dealer", zmq.DEALER), ("pair", zmq.PAIR)):
            with self.subTest(kind):
                peer, endpoint = self.bound(peer_type)
                process = self.start_cat(kind, endpoint, "--count", "2")
                process.process.stdin.write(b"hello\n")
                process.process.stdin.close()
                self.assertEqual(peer.recv(), b"hello")
                peer.send(b"one")
                peer.send(b"two")
                self.assertEqual((process.read_line(), process.read_line(), process.wait()),
                                 ("one", "two", 0))

    def test_a_routing_id(self):
        router, endpoint = self.bound(zmq.ROUTER)
        self.start_cat("dealer", endpoint, "--routing-id", "me").process.stdin.write(b"hello\n")
        self.assertEqual(router.recv_multipart(), [b"me", b"hello"])

    def test_an_xpub_prints_subscriptions_and_an_xsub_sends_them(self):
        endpoint = reserve_endpoint(self)
        publisher = self.start_cat("xpub", endpoint, "--bind", "--at-once", "--format", "hex")
        subscriber = self.start_cat("xsub", endpoint, "--input", "hex", "--count", "1")
        subscriber.process.stdin.write(b"0141\n")
        self.assertEqual(publisher.read_line(), "0141")
        publisher.process.stdin.write(b"A is the topic\n")
        self.assertEqual((subscriber.read_line(), subscriber.wait()), ("A is the topic", 0))
        self.assertEqual(publisher.read_line(), "0041")


class Misuse(ShellCase):
    def test_faults_are_named(self):
        for words, fault in (
            ((), "TYPE"),
            (("push",), "ENDPOINT"),
            (("stream", "tcp://localhost:1"), "pair, pub"),
            (("push", "localhost:1"), "localhost:1"),
            (("push", "tcp://localhost:1", "--subscribe", "x"), "SUB"),
            (("push", "tcp://localhost:1", "--echo"), "REP"),
            (("pull", "tcp://localhost:1", "--routing-id", "x"), "ROUTER"),
            (("pull", "tcp://localhost:1", "--file", "x"), "--file"),
            (("pull", "tcp://localhost:1", "--interval", "1ms"), "--interval"),
            (("router", "tcp://localhost:1", "--file", "x"), "routing id"),
            (("pull", "tcp://localhost:1", "--at-once"), "PUB"),
            (("pull", "tcp://localhost:1", "--format", "xml"), "--format"),
            (("push", "tcp://localhost:1", "--input", "raw"), "--input"),
            (("push", "tcp://localhost:1", "--multipart", ""), "separator"),
            (("pull", "tcp://localhost:1", "--timeout", "0s"), "--timeout"),
            (("req", "tcp://localhost:1", "--routing-id", "x" * 256), "option"),
        ):
            with self.subTest(words):
                code, output, errors = self.run_cat(*words)
                self.assertEqual(code, 2, errors)
                self.assertIn(fault, output + errors)

    def test_failures(self):
        _, endpoint = self.bound(zmq.PULL)
        code, _, errors = self.run_cat("pull", endpoint, "--bind")
        self.assertEqual(code, 1)
        self.assertIn(endpoint, errors)
        code, _, errors = self.run_cat("push", endpoint, "--file", "/nowhere/at/all")
        self.assertEqual(code, 1)
        self.assertIn("/nowhere/at/all", errors)


if __name__ == "__main__":
    unittest.main()

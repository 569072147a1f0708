#!/usr/bin/python3
"""Malformed input on plain TCP, against our PUB, XPUB, SUB and XSUB. Each input ends as it should, the socket's
process keeps running, and a good subscriber or publisher is served during the test."""

import sys
import unittest

sys.dont_write_bytecode = True
from malformed_case import SHORT, OctetByOctet  # noqa: E402: behind the line above
from malformed_host import MalformedHostCase, case_class, case_classes  # noqa: E402
from malformed_bytes import WAITS  # noqa: E402
from zmtp_wire import greeting, ready_as  # noqa: E402


class OctetByOctetCase(OctetByOctet, MalformedHostCase):
    pass


globals().update(case_classes(MalformedHostCase, "MalformedTo{}Test", ("pub", "xpub", "sub", "xsub")))
globals().update(case_classes(OctetByOctetCase, "MalformedTo{}OctetByOctetTest", ("xpub",), SHORT))


class NotAdmittedTest(case_class(MalformedHostCase, "PubCase", "pub")):
    def test_hear_nothing_that_is_published(self):
        """CVE-2020-15166: a peer is not a subscriber before the end of its handshake."""
        waiting = []
        for stage, said in (("greeting", greeting() + ready_as(b"PUB")), ("handshake", ready_as(b"PUB"))):
            for case in self.stages()[stage]:
                if case.outcome == WAITS:
                    connection = self.connect(stage)
                    self.send(connection, case.data)
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

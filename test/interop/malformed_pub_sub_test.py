#!/usr/bin/python3
"""What is malformed, on plain TCP, against our PUB, XPUB, SUB and XSUB: each input ends as it should, the socket's
process lives, and a good subscriber or publisher is served all the while."""

import sys
import unittest

sys.dont_write_bytecode = True
from malformed_case import SHORT, OctetByOctet  # noqa: E402: behind the line above
from malformed_host import MalformedHostCase, case_class, case_classes  # noqa: E402
from malformed_octets import WAITS  # noqa: E402
from zmtp_wire import greeting, ready_as  # noqa: E402


class OctetByOctetCase(OctetByOctet, MalformedHostCase):
    pass


globals().update(case_classes(MalformedHostCase, "MalformedTo{}Test", ("pub", "xpub", "sub", "xsub")))
globals().update(case_classes(OctetByOctetCase, "MalformedTo{}OctetByOctetTest", ("xpub",), SHORT))


class NotAdmittedTest(case_class(MalformedHostCase, "PubCase", "pub")):
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

#!/usr/bin/python3
"""zinc dump with capture files, which the test writes itself."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from zmtp_bytes import frame, greeting, ready  # noqa: E402: behind the line above

ZINC = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tools/zinc/zinc")
DEADLINE = 30


class Capture:
    """A capture file of one connection, with each link type."""

    def __init__(self, link, is_ipv6=False):
        self.link, self.is_ipv6, self.packets = link, is_ipv6, []
        self.next = {True: 1000, False: 2**32 - 3}  # by side: the client begins

    def segment(self, from_client, data=b"", flags=16, number=None):
        if number is None:
            number = self.next[from_client]
            self.next[from_client] += len(data) + (1 if flags & 3 else 0)
        ports = (40000, 5555) if from_client else (5555, 40000)
        tcp = struct.pack(">HHIIBBHHH", *ports, number % 2**32, 0, 0x50, flags, 1000, 0, 0) + data
        if self.is_ipv6:
            packet = struct.pack(">IHBB", 6 << 28, len(tcp), 6, 64) + (bytes(15) + b"\1") * 2 + tcp
        else:
            packet = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + bytes((127, 0, 0, 1)) * 2 + tcp
        kind = struct.pack(">H", 0x86DD if self.is_ipv6 else 0x0800)
        header = {1: bytes(12) + kind, 113: bytes(14) + kind, 276: kind + bytes(18), 0: bytes(4), 101: b"", 228: b"",
                  229: b""}[self.link]
        self.packets.append(header + packet)

    def handshake(self):
        self.segment(True, flags=2)
        self.segment(False, flags=18)

    def write(self, path, is_ng=False, order="<", options=b"", time=0):
        """`options`: of the interface of a pcapng file. `time`: of its first packet."""
        def block(kind, body):
            body += bytes(-len(body) % 4)
            size = struct.pack(order + "I", len(body) + 12)
            return struct.pack(order + "I", kind) + size + body + size
        if is_ng:
            data = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
            data += block(1, struct.pack(order + "HHI", self.link, 0, 0) + options)
            for number, packet in enumerate(self.packets):
                data += block(6, struct.pack(order + "IIIII", 0, *divmod(time + number, 2**32), len(packet),
                                              len(packet)) + packet)
        else:
            data = struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, self.link)
            for number, packet in enumerate(self.packets):
                data += struct.pack(order + "IIII", 0, number, len(packet), len(packet)) + packet
        with open(path, "wb") as out:
            out.write(data)


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")), "capture")

    def dump(self, *words):
        result = subprocess.run([ZINC, "dump", self.path, "--json", *words], capture_output=True, text=True,
                                timeout=DEADLINE, check=False)
        return result.returncode, [json.loads(line) for line in result.stdout.splitlines()], result.stderr

    def conversation(self, capture):
        capture.handshake()
        capture.segment(True, greeting() + ready(b"DEALER"))
        capture.segment(False, greeting() + ready(b"ROUTER"))
        request = frame(b"MDPC02", 1) + frame(b"\1", 1) + frame(b"echo", 1) + frame(b"hello")
        at = capture.next[True]
        capture.segment(True, request[5:], number=at + 5)  # out of order, and once more
        capture.segment(True, request[:8], number=at)
        capture.segment(True, request, number=at)
        capture.next[True] = at + len(request)
        capture.segment(True, flags=17)
        capture.segment(False, flags=17)

    def test_reads_every_form_and_link_type(self):
        for link in (1, 113, 276, 0, 101, 228, 229):
            for is_ipv6 in {228: (False,), 229: (True,)}.get(link, (False, True)):
                for is_ng, order in ((False, "<"), (False, ">"), (True, "<"), (True, ">")):
                    with self.subTest((link, is_ipv6, is_ng, order)):
                        capture = Capture(link, is_ipv6)
                        self.conversation(capture)
                        capture.write(self.path, is_ng, order)
                        code, records, errors = self.dump()
                        self.assertEqual((code, errors), (0, ""))
                        host = "[::1]" if is_ipv6 else "127.0.0.1"
                        self.assertEqual(records[0]["fields"], {"from": f"{host}:40000", "to": f"{host}:5555"})
                        self.assertEqual([r["record"] for r in records], ["opened", "greeting", "command", "greeting",
                                                                          "command", "message", "closed"])
                        self.assertEqual(records[5]["name"], "MDP/Client 0.2 REQUEST")
                        self.assertNotIn("name", records[6])

    def test_times_have_the_resolution_and_the_offset_of_the_interface(self):
        second = 1_000_000
        for order in "<>":
            for power, ticks, more, expected in (
                    (0x80 | 20, 3 << 20, b"", 3 * second), (9, 3_000_000_000, b"", 3 * second),
                    (19, 10**19, b"", second), (6, 3 * second, struct.pack(order + "HHq", 14, 8, -2), second)):
                with self.subTest((order, power)):
                    capture = Capture(1)
                    capture.handshake()
                    capture.write(self.path, True, order, struct.pack(order + "HHB3x", 9, 1, power) + more, ticks)
                    self.assertEqual(self.dump()[1][0]["time_us"], expected)

    def test_packets_of_an_unknown_link_type_are_counted(self):
        capture = Capture(101)
        capture.handshake()
        capture.link = 147
        capture.write(self.path)
        code, records, errors = self.dump()
        self.assertEqual((code, records), (0, []))
        self.assertIn("packets of an unknown link type: 2; capture on one interface", errors)

    def test_says_how_many_bytes_are_missing(self):
        capture = Capture(1)
        capture.handshake()
        capture.segment(True, greeting() + ready(b"PUSH"))
        capture.next[True] += 100
        capture.segment(True, frame(b"lost"))
        capture.write(self.path)
        records = self.dump()[1]
        self.assertEqual((records[-2]["record"], records[-2]["text"]), ("fault", "100 bytes missing"))
        self.assertEqual(records[-1]["name"], "the capture ends")

    def test_selects_ports_and_counts_what_began_earlier(self):
        capture = Capture(1)
        capture.segment(True, b"in the middle")
        capture.write(self.path)
        code, records, errors = self.dump()
        self.assertEqual((code, records), (0, []))
        self.assertIn("segments of no open connection: 1; ", errors)
        self.assertEqual(self.dump("--port", "1"), (0, [], ""))
        self.assertIn("segments of no open connection: 1; ", self.dump("--port", "1", "--port", "5555")[2])

    def test_a_fault_of_the_file_is_named_after_what_was_read(self):
        capture = Capture(1)
        self.conversation(capture)
        capture.write(self.path)
        os.truncate(self.path, os.path.getsize(self.path) - 1)
        code, records, errors = self.dump()
        self.assertEqual((code, len(records)), (1, 7))
        self.assertIn("the file ends inside a packet", errors)
        for content in (b"", b"text, not a capture"):
            with open(self.path, "wb") as out:
                out.write(content)
            code, records, errors = self.dump()
            self.assertEqual((code, records), (1, []))
            self.assertIn("zinc dump: at byte ", errors)

    def test_a_missing_file_is_named(self):
        code, records, errors = self.dump()
        self.assertEqual((code, records), (1, []))
        self.assertIn(self.path, errors)

    def test_a_file_that_cannot_be_read_is_named(self):
        os.mkdir(self.path)
        code, records, errors = self.dump()
        self.assertEqual((code, records), (1, []))
        self.assertEqual(errors, f"zinc dump: cannot read {self.path}: Is a directory\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)

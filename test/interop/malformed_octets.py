"""Inputs that are no ZMTP, as data: what to send to a listener of ours, and what it does with it.

Each stage begins where the one before it was passed: `GREETING` with the first octet, `HANDSHAKE` behind a
good greeting, `TRAFFIC` behind a good READY of a DEALER.
"""

import random
import struct
from typing import NamedTuple

from zmtp_wire import COMMAND, LONG, MORE, SIGNATURE
from zmtp_wire import command, frame, greeting, long_frame, message, metadata, named, ready, ready_as

CLOSED = "closed"  # the listener ends the connection
LIVES = "lives"    # the conversation goes on: what was wrong is ignored
WAITS = "waits"    # the listener waits for the rest of it, which never comes
GONE = "gone"      # whoever sent it hangs up behind it


class Input(NamedTuple):
    name: str
    octets: bytes
    outcome: str = CLOSED


_random = random.Random(20_240_229)  # any; the same in each run


def _octets(count):
    return bytes(_random.randrange(256) for _ in range(count))


_TLS_HELLO = bytes.fromhex(
    "16030100c8010000c40303" + "5a" * 32 + "20" + "a5" * 32 + "003e130213031301c02cc030009fcca9cca8ccaa"
    "c02bc02f009ec024c028006bc023c0270067c00ac0140039c009c0130033009d009c003d003c0035002f00ff0100003d")

GREETING = [
    # Other protocols.
    Input("HTTP GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Input("HTTP POST with a body", b"POST /x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"),
    Input("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)),
    Input("WebSocket upgrade", b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
    Input("TLS client hello", _TLS_HELLO),
    Input("SSL 2 client hello", bytes.fromhex("802e0100020015000000100100800200800300800400800500")),
    Input("telnet negotiation", b"\xff\xfd\x18\xff\xfd\x20\xff\xfd\x23\xff\xfd\x27", WAITS),
    Input("telnet line", b"\r\nhelp\r\n"),
    Input("SSH banner", b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
    Input("SMTP", b"EHLO localhost\r\n"),
    Input("Redis", b"*1\r\n$4\r\nPING\r\n"),
    Input("PostgreSQL", bytes.fromhex("00000008 04d2162f")),
    Input("MQTT", b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00"),
    Input("AMQP", b"AMQP\x00\x00\x09\x01"),
    Input("JSON", b'{"method": "hello"}\n'),
    # Octets at random.
    *[Input(f"random octets {i}", b"%c" % (i * 9) + _octets(200)) for i in range(2, 10)],
    Input("zeros", bytes(64)),
    Input("one zero", b"\x00"),
    Input("ones", b"\xff" * 64),
    Input("spaces", b" " * 1000),
    Input("a megabyte of random octets", b"\x5a" + _random.randbytes(1_000_000)),
    # Greetings that are wrong octet by octet.
    *[Input(f"signature begins with {first:02x}", bytes([first]) + greeting()[1:])
      for first in (0x00, 0x01, 0x7f, 0x80, 0xfe)],
    *[Input(f"signature ends with {last:02x}", greeting(signature=SIGNATURE[:9] + bytes([last])))
      for last in (0x00, 0x02, 0x7e, 0xfe)],
    *[Input(f"version {major}.{minor}", greeting(version=bytes([major, minor])))
      for major, minor in ((0, 0), (1, 0), (2, 0), (2, 1))],
    *[Input(f"mechanism {mechanism!r}", greeting(mechanism=mechanism))
      for mechanism in (b"", b"PLAIN", b"CURVE", b"GSSAPI", b"NUL", b"NULLX", b"null", b"NULL ",
                        b"NULL\x00X", b"\x00NULL", b"NULL\n", b"\xff" * 20, b"A" * 20,
                        b"N\x00U\x00L\x00L", bytes(range(20)))],
    # Older ZMTP.
    Input("ZMTP 1.0, anonymous", b"\x01\x00"),
    Input("ZMTP 1.0 with an identity", b"\x06\x00hello\x06\x00world"),
    Input("ZMTP 1.0 with a long identity", b"\xff" + struct.pack(">Q", 6) + b"\x00hello"),
    Input("ZMTP 2.0 SUB", SIGNATURE + b"\x01\x02\x00\x00"),
    Input("ZMTP 2.0 DEALER", SIGNATURE + b"\x01\x05\x00\x02id"),
    # Cut off, by one who goes and by one who stays.
    Input("nothing", b"", GONE),
    *[Input(f"{count} octets of a greeting, then gone", greeting()[:count], GONE)
      for count in (1, 9, 10, 11, 12, 13, 31, 32, 33, 63, 64)],
    Input("nothing, and stays", b"", WAITS),
    *[Input(f"{count} octets of a greeting, and stays", greeting()[:count], WAITS)
      for count in (1, 10, 12, 63, 64)],
]

_DEALER = metadata((b"Socket-Type", b"DEALER"))

HANDSHAKE = [
    # What may not come before READY.
    Input("a message", message(b"hello")),
    Input("an empty message", message(b"")),
    Input("READY as a message", frame(named(b"READY", _DEALER))),
    *[Input(f"{name.decode()} first", command(name, data))
      for name, data in ((b"PING", b"\x00\x0a"), (b"PONG", b""), (b"SUBSCRIBE", b"A"),
                         (b"HELLO", bytes(194)), (b"INITIATE", bytes(250)), (b"WELCOME", b""),
                         (b"MESSAGE", bytes(40)), (b"ready", _DEALER), (b"READYX", _DEALER),
                         (b"READ", _DEALER), (b"X" * 255, b""))],
    Input("ERROR", command(b"ERROR", b"\x03400")),
    Input("ERROR cut short", command(b"ERROR", b"\x09400")),
    # Commands that are none.
    Input("a command without octets", frame(b"", COMMAND)),
    Input("a command without a name", frame(b"\x00" + _DEALER, COMMAND)),
    Input("a name longer than its command", frame(b"\xffREADY", COMMAND)),
    Input("READY with MORE", frame(named(b"READY", _DEALER), COMMAND | MORE)),
    # READY's properties (protocols Z-5).
    Input("a property without a name", ready((b"", b"value"))),
    *[Input(f"property name {name!r}", ready((b"Socket-Type", b"DEALER"), (name, b"value")))
      for name in (b"with space", b"null\x00octet", b"\xc3\xbc", b"X:Y", b"\x01")],
    Input("a property twice", ready((b"Socket-Type", b"DEALER"), (b"Socket-Type", b"DEALER"))),
    Input("a property twice in another case", ready((b"Socket-Type", b"DEALER"), (b"SOCKET-TYPE", b"REQ"))),
    *[Input(f"READY cut short behind {count} octets", command(b"READY", _DEALER[:count]))
      for count in (1, 5, 12, 14, 16, 21)],
    *[Input(f"a value of {size} octets that are not there",
            command(b"READY", b"\x0bSocket-Type" + struct.pack(">I", size) + b"DEALER"))
      for size in (7, 0x7fffffff, 0x80000000, 0xffffffff)],
    Input("an octet behind the last property", command(b"READY", _DEALER + b"\x00")),
    Input("33 properties", ready(*[(b"X-%d" % i, b"") for i in range(33)])),
    Input("a value of 5,000 octets", ready((b"X-Long", bytes(5_000)))),
    # Who does not talk to a ROUTER.
    *[Input(f"Socket-Type {socket_type!r}", ready_as(socket_type))
      for socket_type in (b"PUB", b"SUB", b"XPUB", b"XSUB", b"PUSH", b"PULL", b"REP", b"PAIR",
                          b"STREAM", b"SERVER", b"dealer", b"DEALERX", b"", b"X" * 300)],
    Input("an identity of 256 octets", ready_as(b"DEALER", bytes([1]) * 256)),
    # Sizes that nobody should believe.
    *[Input(f"a command of 2^{bits} octets", long_frame(1 << bits, COMMAND, b"\x05READY"))
      for bits in (13, 16, 31, 32, 40, 62, 63)],
    Input("a command of 2^64 - 1 octets", long_frame((1 << 64) - 1, COMMAND)),
    Input("a message of 2^62 octets", long_frame(1 << 62)),
    # Cut off.
    *[Input(f"{count} octets of READY, then gone", ready_as(b"DEALER")[:count], GONE)
      for count in (1, 2, 3, 8, 20, 40)],
    Input("half of READY, and stays", ready_as(b"DEALER")[:20], WAITS),
]


def _ping(data):
    return command(b"PING", data)


TRAFFIC = [
    # Sizes that nobody should believe.
    *[Input(f"a part of 2^{bits} octets", long_frame(1 << bits)) for bits in (27, 31, 32, 40, 62, 63)],
    Input("a part of 64 MiB and one octet", long_frame((64 << 20) + 1)),
    Input("a part of 2^64 - 1 octets", long_frame((1 << 64) - 1)),
    Input("a part of 2^64 - 1 octets behind a small one", frame(b"x", MORE) + long_frame((1 << 64) - 1)),
    Input("a command of 100,000 octets", long_frame(100_000, COMMAND, bytes(100_000))),
    Input("a command of 2^40 octets", long_frame(1 << 40, COMMAND)),
    Input("a part of 2^26 octets of which few come", long_frame(1 << 26, body=bytes(1_000)), GONE),
    # Parts without end.
    Input("2,000 empty parts without a last one", frame(b"", MORE) * 2_000),
    Input("100,000 small parts without a last one", frame(b"x", MORE) * 100_000),
    Input("80 parts of a megabyte without a last one", frame(bytes(1 << 20), MORE) * 80),
    Input("a message of 80 megabytes", message(*[bytes(1 << 20)] * 80)),
    # Flags.
    Input("a command with MORE", frame(named(b"PING", b"\x00\x0a"), COMMAND | MORE)),
    Input("a long command with MORE", long_frame(7, COMMAND | MORE, named(b"PING", b"\x00\x0a"))),
    # Commands that are none, or not now.
    Input("a command without octets", frame(b"", COMMAND)),
    Input("a command without a name", frame(b"\x00", COMMAND)),
    Input("a name longer than its command", frame(b"\x20PING", COMMAND)),
    Input("ERROR", command(b"ERROR", b"\x03400")),
    Input("ERROR with a reason cut short", command(b"ERROR", b"\x7f400")),
    Input("PING without a TTL", _ping(b"")),
    Input("PING with half a TTL", _ping(b"\x00")),
    Input("PING with a context of 17 octets", _ping(b"\x00\x0a" + bytes(17))),
    Input("PING with a context of 60,000 octets", _ping(b"\x00\x0a" + bytes(60_000))),
    Input("200 PINGs at once", _ping(b"\x00\x0a") * 200),
    # What is not understood, and does no harm.
    Input("an unknown command", command(b"UNKNOWN", b"data"), LIVES),
    Input("READY again", ready_as(b"DEALER"), LIVES),
    Input("PONG unasked for", command(b"PONG", bytes(16)) * 3, LIVES),
    Input("subscriptions", command(b"SUBSCRIBE", b"A") + command(b"CANCEL", b"B"), LIVES),
    Input("a topic of 2,000 octets", command(b"SUBSCRIBE", bytes(2_000)), LIVES),
    Input("PING with the largest TTL", _ping(b"\xff\xff" + bytes(16)), LIVES),
    Input("a command in the middle of a message", frame(b"", MORE) + command(b"UNKNOWN"), LIVES),
    # Cut off.
    Input("the header of a frame, then gone", b"\x01", GONE),
    Input("half a long header, then gone", bytes([LONG, 0, 0, 0]), GONE),
    Input("half a part, then gone", frame(bytes(1000))[:500], GONE),
    Input("a part without the last, then gone", frame(b"MDPC02", MORE), GONE),
    Input("half a command, then gone", command(b"PING", b"\x00\x0a")[:4], GONE),
]

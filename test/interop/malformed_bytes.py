"""Inputs that are not ZMTP, as data: the bytes to send to a listener of Zinc, and the listener's reaction.

Each stage begins where the one before it was passed: `GREETING` with the first byte, `handshake()` behind a
good greeting, `traffic()` behind a good READY.
"""

import random
import struct
from typing import NamedTuple

from zmtp_wire import COMMAND, LONG, MORE, SIGNATURE
from zmtp_wire import command, frame, greeting, long_frame, message, metadata, named, ready, ready_as

CLOSED = "closed"  # the listener ends the connection
LIVES = "lives"    # the connection stays: the listener ignores the fault
IDLES = "idles"    # the connection stays, though it is idle for longer than a misread TTL would allow
WAITS = "waits"    # the listener waits for the rest of it, which never comes
GONE = "gone"      # the sender hangs up behind it


class Input(NamedTuple):
    name: str
    data: bytes
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
    Input("HTTP response", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    Input("HTTP CONNECT", b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n"),
    Input("TLS alert", bytes.fromhex("15030300020228")),
    Input("proxy protocol 1", b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n"),
    Input("proxy protocol 2", b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + bytes(12)),
    Input("SOCKS 5", b"\x05\x01\x00"),
    # Bytes at random.
    *[Input(f"random bytes {i}", b"%c" % (i * 9) + _octets(200)) for i in range(2, 10)],
    Input("zeros", bytes(64)),
    Input("one zero", b"\x00"),
    Input("ones", b"\xff" * 64),
    Input("spaces", b" " * 1000),
    Input("a megabyte of random bytes", b"\x5a" + _random.randbytes(1_000_000)),
    # Greetings that are wrong byte by byte.
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
    Input("ZMTP 1.0 with its message (CVE-2014-9721)", b"\x01\x00\x06\x00hello"),
    Input("ZMTP 1.0 with a subscription", b"\x01\x00\x02\x00\x01"),
    Input("ZMTP 1.0 of 2^64 - 1 bytes (CVE-2021-20235)", b"\xff" + b"\xff" * 8 + bytes(100)),
    Input("ZMTP 1.0 of 8,193 bytes", b"\xff" + struct.pack(">Q", 8_193) + bytes(8_192)),
    *[Input(f"ZMTP 2.0 type {number}", SIGNATURE + bytes([1, number]) + b"\x00\x00")
      for number in (0, 1, 9, 10, 255)],
    # Cut off, by a peer that disconnects and by one that stays.
    Input("nothing", b"", GONE),
    *[Input(f"{count} bytes of a greeting, then gone", greeting()[:count], GONE)
      for count in (1, 9, 10, 11, 12, 13, 31, 32, 33, 63, 64)],
    Input("nothing, and stays", b"", WAITS),
    *[Input(f"{count} bytes of a greeting, and stays", greeting()[:count], WAITS)
      for count in (1, 10, 12, 63, 64)],
]

_TYPES = (b"PAIR", b"PUB", b"SUB", b"REQ", b"REP", b"DEALER", b"ROUTER", b"PULL", b"PUSH", b"XPUB", b"XSUB")


def handshake(peer, partners):
    """`peer` is the type of the sender; `partners` are the types that may connect."""
    good = metadata((b"Socket-Type", peer))
    strangers = [*(name for name in _TYPES if name not in partners), b"STREAM", b"SERVER", peer.lower(),
                 peer + b"X", b"", b"X" * 300]
    return [
        # Frames that must not come before READY.
        Input("a message", message(b"hello")),
        Input("an empty message", message(b"")),
        Input("READY as a message", frame(named(b"READY", good))),
        *[Input(f"{name.decode()} first", command(name, data))
          for name, data in ((b"PING", b"\x00\x0a"), (b"PONG", b""), (b"SUBSCRIBE", b"A"),
                             (b"HELLO", bytes(194)), (b"INITIATE", bytes(250)), (b"WELCOME", b""),
                             (b"MESSAGE", bytes(40)), (b"ready", good), (b"READYX", good),
                             (b"READ", good), (b"X" * 255, b""))],
        Input("ERROR", command(b"ERROR", b"\x03400")),
        Input("ERROR cut short", command(b"ERROR", b"\x09400")),
        # Commands that are none.
        Input("a command without bytes", long_frame(0, COMMAND)),
        Input("a command without bytes, in libzmq's form", bytes([COMMAND]) + bytes(8)),
        Input("a command without bytes, cut short", frame(b"", COMMAND), WAITS),
        Input("a command without a name", frame(b"\x00" + good, COMMAND)),
        Input("a name longer than its command", frame(b"\xffREADY", COMMAND)),
        Input("READY with MORE", frame(named(b"READY", good), COMMAND | MORE)),
        # READY's properties (protocols Z-5).
        Input("a property without a name", ready((b"", b"value"))),
        *[Input(f"property name {name!r}", ready((b"Socket-Type", peer), (name, b"value")))
          for name in (b"with space", b"null\x00octet", b"\xc3\xbc", b"X:Y", b"\x01")],
        Input("a property twice", ready((b"Socket-Type", peer), (b"Socket-Type", peer))),
        Input("a property twice in another case", ready((b"Socket-Type", peer), (b"SOCKET-TYPE", b"REQ"))),
        *[Input(f"READY cut short behind {count} bytes", command(b"READY", good[:count]))
          for count in (1, 5, 12, 14, 16, len(good) - 1)],
        *[Input(f"a value of {size} bytes that are not there",
                command(b"READY", b"\x0bSocket-Type" + struct.pack(">I", size) + peer))
          for size in (7, 0x7fffffff, 0x80000000, 0xffffffff)],
        Input("a byte behind the last property", command(b"READY", good + b"\x00")),
        Input("33 properties", ready(*[(b"X-%d" % i, b"") for i in range(33)])),
        Input("a value of 5,000 bytes", ready((b"X-Long", bytes(5_000)))),
        # Types that do not talk to this type.
        *[Input(f"Socket-Type {socket_type!r}", ready_as(socket_type))
          for socket_type in strangers],
        Input("an identity of 256 bytes", ready_as(peer, bytes([1]) * 256)),
        # Sizes that a receiver must not trust.
        *[Input(f"a command of 2^{bits} bytes", long_frame(1 << bits, COMMAND, b"\x05READY"))
          for bits in (13, 16, 31, 32, 40, 62, 63)],
        Input("a command of 2^64 - 1 bytes", long_frame((1 << 64) - 1, COMMAND)),
        Input("a message of 2^62 bytes", long_frame(1 << 62)),
        # Cut off.
        *[Input(f"{count} bytes of READY, then gone", ready_as(peer)[:count], GONE)
          for count in (1, 2, 3, 8, 20, 40)],
        Input("half of READY, and stays", ready_as(peer)[:20], WAITS),
    ]


def _ping(data):
    return command(b"PING", data)


_TRAFFIC = [
    # Sizes that a receiver must not trust.
    *[Input(f"a part of 2^{bits} bytes", long_frame(1 << bits)) for bits in (27, 31, 32, 40, 62, 63)],
    *[Input(f"a part of 2^64 - {less} bytes (CVE-2019-6250)", long_frame((1 << 64) - less))
      for less in (2, 8, 9, 10, 64, 8_192)],
    Input("a part of 64 MiB and one byte", long_frame((64 << 20) + 1)),
    Input("a part of 2^64 - 1 bytes", long_frame((1 << 64) - 1)),
    Input("a part of 2^64 - 1 bytes behind a small one", frame(b"x", MORE) + long_frame((1 << 64) - 1)),
    Input("a command of 100,000 bytes", long_frame(100_000, COMMAND, bytes(100_000))),
    Input("a command of 2^40 bytes", long_frame(1 << 40, COMMAND)),
    Input("a part of 2^26 bytes of which few come", long_frame(1 << 26, body=bytes(1_000)), GONE),
    # Parts without end.
    Input("2,000 empty parts without a last one", frame(b"", MORE) * 2_000),
    Input("100,000 small parts without a last one", frame(b"x", MORE) * 100_000),
    Input("80 parts of a megabyte without a last one", frame(bytes(1 << 20), MORE) * 80),
    Input("a message of 80 megabytes", message(*[bytes(1 << 20)] * 80)),
    # Flags.
    Input("a command with MORE", frame(named(b"PING", b"\x00\x0a"), COMMAND | MORE)),
    Input("a long command with MORE", long_frame(7, COMMAND | MORE, named(b"PING", b"\x00\x0a"))),
    # Commands that are none, or not now.
    Input("a command without bytes", long_frame(0, COMMAND)),
    Input("a command without bytes, in libzmq's form", bytes([COMMAND]) + bytes(8)),
    Input("a command of 2^40 bytes, in libzmq's form", bytes([COMMAND]) + struct.pack(">Q", 1 << 40)),
    Input("a command without bytes, cut short, then gone", frame(b"", COMMAND), GONE),
    Input("a command without a name", frame(b"\x00", COMMAND)),
    Input("a name longer than its command", frame(b"\x20PING", COMMAND)),
    Input("ERROR", command(b"ERROR", b"\x03400")),
    Input("ERROR with a reason cut short", command(b"ERROR", b"\x7f400")),
    Input("PING without a TTL", _ping(b"")),
    Input("PING with half a TTL", _ping(b"\x00")),
    Input("200 PINGs at once", _ping(b"\x00\x0a") * 200),
    # Between the parts of a message.
    Input("an unknown command between parts", frame(b"", MORE) + command(b"UNKNOWN")),
    Input("ERROR between parts", frame(b"", MORE) + command(b"ERROR", b"\x03400")),
    Input("2,000 PONGs between parts", frame(b"", MORE) + command(b"PONG") * 2_000),
    Input("5,000 commands in 32 megabytes of a message",
          frame(bytes(1 << 25), MORE) + (command(b"PONG") + command(b"CANCEL", b"A")) * 2_500),
    # Unknown commands, which do no harm.
    Input("an unknown command", command(b"UNKNOWN", b"data"), LIVES),
    Input("READY again", ready_as(b"DEALER"), LIVES),
    *[Input(f"{name.decode()} with a group of {size} bytes", command(name, b"g" * size), LIVES)
      for name in (b"JOIN", b"LEAVE") for size in (0, 5, 255, 256, 60_000)],
    Input("JOIN and LEAVE 10,000 times", (command(b"JOIN", b"g") + command(b"LEAVE", b"g")) * 10_000, LIVES),
    Input("PONG unasked for", command(b"PONG", bytes(16)) * 3, LIVES),
    Input("subscriptions", command(b"SUBSCRIBE", b"A") + command(b"CANCEL", b"B"), LIVES),
    Input("a topic of 2,000 bytes", command(b"SUBSCRIBE", bytes(2_000)), LIVES),
    Input("PING with the largest TTL", _ping(b"\xff\xff" + bytes(16)), LIVES),
    # Once a hundred times more in 16 bits: 64 ms.
    Input("PING with a TTL of 65.6 s", _ping(struct.pack(">H", 656)), IDLES),
    Input("PING with a context of 17 bytes", _ping(b"\x00\x0a" + bytes(17)), LIVES),
    Input("PING with a context of 60,000 bytes", _ping(b"\x00\x0a" + bytes(60_000)), LIVES),
    Input("commands between parts",
          frame(b"", MORE) + (_ping(b"\x00\x0a") + command(b"PONG") + command(b"SUBSCRIBE", b"A")) * 10, LIVES),
    # Cut off.
    Input("the header of a frame, then gone", b"\x01", GONE),
    Input("half a long header, then gone", bytes([LONG, 0, 0, 0]), GONE),
    Input("half a part, then gone", frame(bytes(1000))[:500], GONE),
    Input("a part without the last, then gone", frame(b"MDPC02", MORE), GONE),
    Input("half a command, then gone", command(b"PING", b"\x00\x0a")[:4], GONE),
]


def _subscribe(topic):
    return command(b"SUBSCRIBE", topic)


def _cancel(topic):
    return command(b"CANCEL", topic)


def _without_long(body):
    """A command as libzmq 4.3.4 writes SUBSCRIBE of 246 to 255 bytes."""
    return struct.pack(">BQ", COMMAND, len(body)) + body


# Input for a publisher.
_SUBSCRIPTIONS = [
    # More subscriptions than the socket stores for a peer. The peer gets no error.
    *[Input(f"{name}, a topic of {size} bytes", data(b"t" * size), LIVES)
      for name, data in (("SUBSCRIBE", _subscribe), ("CANCEL", _cancel),
                           ("subscription as a message", lambda topic: message(b"\x01" + topic)),
                           ("cancellation as a message", lambda topic: message(b"\x00" + topic)))
      for size in (1, 254, 255, 256, 1_024, 1_025, 60_000)],
    Input("a subscription of a megabyte as a message", message(b"\x01" + bytes(1 << 20)), LIVES),
    Input("topics of 10 MiB together",
          b"".join(_subscribe(b"%d" % i + b"t" * 1_000) for i in range(10_500)), LIVES),
    Input("120,000 topics", b"".join(_subscribe(b"t%d" % i) for i in range(120_000)), LIVES),
    Input("1,024 topics, each the beginning of the next (CVE-2021-20236)",
          b"".join(_subscribe(b"t" * i) for i in range(1, 1_025)) +
          b"".join(_cancel(b"t" * i) for i in range(1, 1_025)), LIVES),
    Input("1,024 topics, each the beginning of the next, then gone",
          b"".join(_subscribe(b"t" * i) for i in range(1, 1_025)), GONE),
    # Twice, never, to and fro.
    Input("CANCEL of what was never subscribed to", _cancel(b"never") + _cancel(b"") + message(b"\x00"), LIVES),
    Input("SUBSCRIBE once and CANCEL twice", _subscribe(b"A") + _cancel(b"A") * 2, LIVES),
    Input("SUBSCRIBE 1,000 times and CANCEL once", _subscribe(b"A") * 1_000 + _cancel(b"A"), LIVES),
    Input("SUBSCRIBE and CANCEL 50,000 times", (_subscribe(b"A") + _cancel(b"A")) * 50_000, LIVES),
    Input("a subscription in both forms",
          _subscribe(b"A") + message(b"\x00A") + message(b"\x01A") + _cancel(b"A"), LIVES),
    # Malformed SUBSCRIBE commands.
    Input("SUBSCRIBE cut short", frame(b"\x09SUBSC", COMMAND)),
    Input("SUBSCRIBE with MORE", frame(named(b"SUBSCRIBE", b"A"), COMMAND | MORE)),
    Input("CANCEL with MORE", frame(named(b"CANCEL", b"A"), COMMAND | MORE)),
    Input("SUBSCRIBE of 100,000 bytes", _subscribe(bytes(100_000))),
    Input("CANCEL of 100,000 bytes", _cancel(bytes(100_000))),
    Input("SUBSCRIBE of 2^63 bytes", long_frame(1 << 63, COMMAND, named(b"SUBSCRIBE"))),
    Input("SUBSCRIBE in the long form", long_frame(11, COMMAND, named(b"SUBSCRIBE", b"A")), LIVES),
    Input("SUBSCRIBE with a long size and without its flag",
          _without_long(named(b"SUBSCRIBE", b"t" * 246)) + _without_long(named(b"CANCEL", b"t" * 249)), LIVES),
    Input("SUBSCRIBE of 2^31 bytes without its flag", struct.pack(">BQ", COMMAND, 1 << 31)),
    *[Input(f"{name.decode()}, which is no command", command(name, b"A"), LIVES)
      for name in (b"subscribe", b"SUBSCRIB", b"SUBSCRIBE ", b"CANCE", b"UNSUBSCRIBE")],
    Input("a subscription among the parts of a message", message(b"x", b"\x01A", b"\x00B"), LIVES),
    Input("a subscription and more parts", message(b"\x01A", b"x", b""), LIVES),
    Input("SUBSCRIBE in the middle of a message", frame(b"x", MORE) + _subscribe(b"A") + frame(b"y"), LIVES),
    Input("half a subscription, then gone", _subscribe(b"topic")[:9], GONE),
    Input("half a subscription as a message, then gone", frame(b"\x01" + b"t" * 100)[:50], GONE),
    # Messages that a publisher does not read, or that never end (CVE-2021-20237, CVE-2021-20234).
    *[Input(f"a message {parts!r} for a publisher", message(*parts), LIVES)
      for parts in ((b"",), (b"\x02",), (b"\xff" * 9,), (b"", b"\x01"))],
    Input("10,000 messages for a publisher", message(b"x" * 1_000) * 10_000, LIVES),
    Input("1,000 parts for a publisher, then gone", frame(b"x" * 1_000, MORE) * 1_000, GONE),
]

# Input for a subscriber.
_PUBLICATIONS = [
    Input("10,000 messages that were not asked for", message(b"unwanted", b"x" * 1_000) * 10_000, LIVES),
    *[Input(f"a message {parts!r} for a subscriber", message(*parts), LIVES)
      for parts in ((b"",), (b"\x01good",), (b"\x00good",), (b"goo",), (b"", b"good"), (b"GOOD",))],
    Input("1,000 parts that were not asked for", message(*[b"x"] * 1_000), LIVES),
    Input("an unwanted part of 32 MiB", message(bytes(32 << 20)), LIVES),
    Input("subscriptions for a subscriber", (_subscribe(b"A") + message(b"\x01A")) * 1_000, LIVES),
]


# Messages for any socket: its user receives only whole messages, if it receives at all.
_MESSAGES = [
    Input("10,000 messages", b"".join(message(b"%d" % i, b"x" * 1_000) for i in range(10_000)), LIVES),
    *[Input(f"a message {parts!r}", message(*parts), LIVES)
      for parts in ((b"",), (b"", b""), (b"x", b""), (b"", b"x"), (b"\x00",), (b"\x01",), (b"goo",))],
    Input("1,000 empty messages", message(b"") * 1_000, LIVES),
    *[Input(f"parts of {size} bytes", message(b"a" * size, b"", b"b" * size), LIVES)
      for size in (1, 254, 255, 256, 257, 65_535, 65_536)],
    Input("a part of 32 MiB", message(bytes(32 << 20)), LIVES),
    Input("500 parts", message(*[b"%d" % i for i in range(500)]), LIVES),
    Input("1,025 parts", message(*[b"x"] * 1_025)),
    Input("a small part in the long form", long_frame(5, body=b"hello"), LIVES),
    Input("bytes of a command in a message", message(named(b"READY"), named(b"PING", bytes(2))), LIVES),
    Input("PINGs among the parts of a message",
          _ping(bytes(2)).join([frame(b"a", MORE), frame(b"b", MORE), frame(b"c")]), LIVES),
    # Malformed frames after valid ones.
    Input("a message and a part of 2^64 - 1 bytes", message(b"right") + long_frame((1 << 64) - 1)),
    Input("messages and a command with MORE",
          message(b"right") * 100 + frame(named(b"PING", bytes(2)), COMMAND | MORE)),
    Input("half a message and ERROR", frame(b"half", MORE) + command(b"ERROR", b"\x03400")),
    Input("messages and ERROR", message(b"right") * 100 + command(b"ERROR", b"\x03400")),
    Input("a message and half a message, then gone", message(b"whole") + frame(b"half", MORE), GONE),
    Input("a message and half a part, then gone", message(b"whole") + message(b"half", bytes(1_000))[:500], GONE),
    Input("1,000 parts without the last, then gone", frame(b"x" * 1_000, MORE) * 1_000, GONE),
]

# Input for a REP.
_REQUESTS = [
    *[Input(f"a request {parts!r}", message(*parts), LIVES)
      for parts in ((b"", b"body"), (b"", b""), (b"", b"", b"body"), (b"id", b"", b"body"), (b"id", b"body"),
                    (b"id", b""), (b"", b"good"))],
    *[Input(f"an envelope of {size} parts", message(*[b"id"] * size, b"", b"body"), LIVES)
      for size in (5, 253, 254, 255, 256, 1_000)],
    Input("100 requests at once", b"".join(message(b"", b"%d" % i) for i in range(100)), LIVES),
    Input("10,000 requests at once, and their replies unread",
          b"".join(message(b"", b"%d" % i, b"x" * 1_000) for i in range(10_000)), GONE),
    Input("requests in many envelopes",
          b"".join(message(*[b"id"] * (i % 20), b"", b"%d" % i) for i in range(200)), LIVES),
    Input("a request, then gone", message(b"", b"body"), GONE),
    Input("an envelope without a request, then gone", frame(b"", MORE), GONE),
]

# Input for a REQ.
_REPLIES = [
    *[Input(f"a reply {parts!r} that nobody asked for", message(*parts), LIVES)
      for parts in ((b"", b"body"), (b"", b"good 1"), (b"", b""), (b"id", b"", b"body"), (bytes(4), b"", b"body"))],
    Input("10,000 replies that nobody asked for", message(b"", b"x" * 1_000) * 10_000, LIVES),
]


def traffic(peer):
    """`peer` is the type of the sender."""
    own = {b"SUB": _SUBSCRIPTIONS, b"PUB": _PUBLICATIONS, b"REQ": _REQUESTS, b"REP": _REPLIES}
    # Messages of DEALERs here go to a broker, which has rules of its own (malformed_messages).
    return _TRAFFIC + ([] if peer in (b"DEALER", b"SUB") else _MESSAGES) + own.get(peer, [])

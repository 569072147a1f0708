"""Messages that are well-formed ZMTP but not Majordomo, as data: the messages for a broker of Zinc, and the
broker's reaction."""

from typing import NamedTuple

from guide_peers import CLIENT, WORKER, WORKER_COMMANDS, delimiter, worker_command

CLOSED = "closed"        # the broker ends the connection
SENT_AWAY = "sent away"  # the broker sends DISCONNECT, and nothing more
IGNORED = "ignored"      # neither

SERVICE = b"malformed"
BODY = b"body"
TOKEN = b"\x07" * 16


class Input(NamedTuple):
    name: str
    messages: list
    outcome: str = CLOSED
    version: str = "0.2"  # in which it is sent away


NEITHER = [
    Input("an empty frame", [[b""]]),
    Input("two empty frames", [[b"", b""]]),
    Input("a thousand empty frames", [[b""] * 1000]),
    Input("one frame of text", [[b"hello"]]),
    Input("a frame of a megabyte", [[bytes(1 << 20)]]),
    Input("a thousand frames", [[b"hello"] * 1000]),
    Input("a service and a body without a header", [[b"", SERVICE, BODY]]),
    Input("a routing id before the header", [[b"\x00abcd", b"", b"MDPC01", SERVICE, BODY]]),
    Input("two empty frames before the header", [[b"", b"", b"MDPC01", SERVICE, BODY]]),
    *[Input(f"header {header!r}", [[b"", header, b"\x01", SERVICE, BODY]])
      for header in (b"MDPC00", b"MDPC03", b"MDPX01", b"mdpc01", b"MDPC", b"MDPC010", b" MDPC01", b"\x00",
                     b"MDPW00", b"MDPW03", b"mdpw02", b"MDPW0", b"MDPW011", b"\xff" * 6)],
    *[Input(f"header {header!r} alone", [[header]])
      for header in (b"MDPC01", b"MDPW01", b"MDPC02", b"MDPW02")],
    Input("a 0.1 client without the empty frame", [[b"MDPC01", SERVICE, BODY]]),
    Input("a 0.1 worker without the empty frame", [[b"MDPW01", b"\x01", SERVICE]]),
]


def _of_client(version):
    header = [*delimiter(version), CLIENT[version]]
    words = [] if version == "0.1" else [b"\x01"]
    yield "the header only", [header]
    yield "a service and no body", [[*header, *words, SERVICE]]
    yield "an empty service", [[*header, *words, b"", BODY]]
    yield "a service of 256 bytes", [[*header, *words, b"s" * 256, BODY]]
    yield "a service of a megabyte", [[*header, *words, bytes(1 << 20), BODY]]
    yield "a READY behind a request", [[*header, *words, SERVICE, BODY],
                                       worker_command(version, "ready", SERVICE)]
    yield "a HEARTBEAT behind a request", [[*header, *words, SERVICE, BODY],
                                           worker_command(version, "heartbeat")]
    yield "a reply behind a request", [[*header, *words, SERVICE, BODY],
                                       worker_command(version, "final", TOKEN, b"", BODY)]
    yield "a DISCONNECT behind a request", [[*header, *words, SERVICE, BODY],
                                            worker_command(version, "disconnect")]
    if version == "0.2":
        yield "a command only", [[*header, b"\x01"]]
        for data in (b"", b"\x00", b"\x04", b"\x7f", b"\xff", b"\x01\x01", b"REQUEST"):
            yield f"command {data!r}", [[*header, data, SERVICE, BODY]]
        yield "a PARTIAL", [[*header, b"\x02", SERVICE, BODY]]
        yield "a FINAL", [[*header, b"\x03", SERVICE, BODY]]


def _of_worker(version):
    header = [*delimiter(version), WORKER[version]]
    codes = WORKER_COMMANDS[version]
    ready = worker_command(version, "ready", SERVICE)
    other = "0.2" if version == "0.1" else "0.1"
    yield "the header only", [header]
    for data in (b"", b"\x00", b"\x07", b"\x7f", b"\xff", b"\x01\x01", b"READY"):
        yield f"command {data!r}", [[*header, data, SERVICE]]
        yield f"command {data!r} behind READY", [ready, [*header, data, SERVICE]]
    yield "a REQUEST", [[*header, codes["request"], TOKEN, b"", BODY]]
    yield "a REQUEST behind READY", [ready, [*header, codes["request"], TOKEN, b"", BODY]]
    yield "READY without a service", [[*header, codes["ready"]]]
    yield "READY with an empty service", [[*header, codes["ready"], b""]]
    yield "READY with a service of 256 bytes", [[*header, codes["ready"], b"s" * 256]]
    yield "READY with more than a service", [[*header, codes["ready"], SERVICE, b"surplus"]]
    yield "HEARTBEAT with more", [ready, [*header, codes["heartbeat"], b"surplus"]]
    yield "DISCONNECT with more", [ready, [*header, codes["disconnect"], b"surplus"]]
    for command in ("final",) + (("partial",) if version == "0.2" else ()):
        yield f"{command} without an address", [ready, [*header, codes[command]]]
        yield f"{command} with an empty address", [ready, [*header, codes[command], b"", b"", BODY]]
        yield f"{command} without an empty frame", [ready, [*header, codes[command], TOKEN, BODY]]
        yield f"{command} without a body", [ready, [*header, codes[command], TOKEN, b""]]
        yield f"{command} with stacked addresses", [ready, [*header, codes[command], b"\x00abcd",
                                                            b"\x00efgh", b"", BODY]]
    yield "a request behind READY", [ready, [*delimiter(version), CLIENT[version],
                                             *([] if version == "0.1" else [b"\x01"]), SERVICE, BODY]]
    yield "a HEARTBEAT of the other version", [ready, worker_command(other, "heartbeat")]
    yield "a reply of the other version", [ready, worker_command(other, "final", TOKEN, b"", BODY)]


def _sent_away(version):
    ready = worker_command(version, "ready", SERVICE)
    yield "READY twice", [ready, ready]
    yield "READY for another service", [ready, worker_command(version, "ready", b"another")]
    for name in (b"mmi.service", b"mmi.", b"mmi.x"):
        yield f"READY for {name.decode()}", [worker_command(version, "ready", name)]
    yield "HEARTBEAT before READY", [worker_command(version, "heartbeat")]
    for command in ("final",) + (("partial",) if version == "0.2" else ()):
        for token in (b"x", b"\x00" * 5, TOKEN, b"\xff" * 255, bytes(100_000)):
            name = f"{command} with a made-up address of {len(token)} bytes"
            yield name, [ready, worker_command(version, command, token, b"", BODY)]
        yield f"{command} before READY", [worker_command(version, command, TOKEN, b"", BODY)]
    yield "a thousand HEARTBEATs before READY", [worker_command(version, "heartbeat")] * 1000
    yield "a thousand READYs", [ready] * 1000


def _ignored(version):
    farewell = worker_command(version, "disconnect")
    yield "DISCONNECT first", [farewell]
    yield "a thousand DISCONNECTs", [farewell] * 1000
    yield "words behind DISCONNECT", [worker_command(version, "ready", SERVICE), farewell,
                                      worker_command(version, "ready", SERVICE),
                                      worker_command(version, "heartbeat"), [b"hello"]]


MESSAGES = NEITHER + [
    Input(f"{version} {who} {name}", messages, outcome, version)
    for version in ("0.1", "0.2")
    for who, outcome, of in (("client:", CLOSED, _of_client), ("worker:", CLOSED, _of_worker),
                             ("worker:", SENT_AWAY, _sent_away), ("worker:", IGNORED, _ignored))
    for name, messages in of(version)
]

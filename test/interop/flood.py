"""Wrong bytes of every kind from several processes at once, while a good pair is measured."""

import multiprocessing
import os
import random
import statistics
import time

import malformed_bytes
from good_pair import USUAL, WORST
from interop_case import long_run, numbers
from malformed_messages import MESSAGES
from zmtp_wire import Closed, Connection, frame, greeting, long_frame, message, ready_as, MORE


def flood_seconds():
    return 60.0 if long_run() else 3.0


_HANDSHAKE = malformed_bytes.handshake(b"DEALER", (b"REQ", b"DEALER", b"ROUTER"))


def _shaken(connection):
    connection.send(greeting() + ready_as(b"DEALER"))
    return connection


def _random_bytes(connection, random_):
    connection.send(random_.randbytes(random_.choice((10, 1_000, 100_000))))


def _other_protocols(connection, random_):
    connection.send(random_.choice(malformed_bytes.GREETING).data)


def _wrong_handshakes(connection, random_):
    connection.send(greeting() + random_.choice(_HANDSHAKE).data)


def _partial_messages(connection, random_):
    size = random_.choice((100, 10_000, 1 << 20, 60 << 20))
    data = frame(b"MDPC02", MORE) + long_frame(size, body=bytes(min(size, 1 << 20) // 2))
    _shaken(connection).send(data)


def _wrong_messages(connection, random_):
    data = b"".join(message(*parts) for parts in random_.choice(MESSAGES).messages)
    _shaken(connection).send(data)


def _requests_for_nobody(connection, random_):
    """Well-formed, but never read an answer to."""
    service = b"nobody %d" % random_.randrange(10_000)
    request = message(b"MDPC02", b"\x01", service, b"body")
    question = message(b"MDPC02", b"\x01", b"mmi.service", service)
    _shaken(connection).send((request + question) * 100)


KINDS = (_random_bytes, _other_protocols, _wrong_handshakes, _partial_messages, _wrong_messages,
         _requests_for_nobody)


def _attack(port, kind, seconds, sent, closed):
    """A process of its own: opens, sends, and after some more of the same hangs up."""
    # The test is about the broker, and not about a machine with few cores.
    os.nice(5)
    random_ = random.Random(KINDS.index(kind))
    end = time.monotonic() + seconds
    held = []
    while time.monotonic() < end:
        try:
            held.append(Connection.to(port))
        except OSError:
            continue
        try:
            kind(held[-1], random_)
            sent.value += 1
        except (Closed, OSError):
            closed.value += 1
        if len(held) > 8:
            held.pop(0).close()
    for connection in held:
        connection.close()


def flood(broker, pair, seconds, most_bytes):
    """Fails if the good pair waits, or the broker ends or takes more memory than this."""
    processes = multiprocessing.get_context("fork")
    counts = [(processes.Value("L", 0), processes.Value("L", 0)) for _ in KINDS]
    attackers = [processes.Process(target=_attack, args=(broker.port, kind, seconds, *count), daemon=True)
                 for kind, count in zip(KINDS, counts)]
    for attacker in attackers:
        attacker.start()
    times = []
    resident = 0
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            times.append(pair.round_trip())
            resident = max(resident, broker.resident_bytes())
            assert broker.running(), "the broker has ended"
            # As a client that asks now and then, not as one more flood.
            pair.client.socket.poll(10)
        for attacker in attackers:
            attacker.join(30)
    finally:
        for attacker in attackers:
            attacker.kill()
            attacker.join()
    times.sort()
    median, most, worst = (1000 * t for t in (statistics.median(times), times[len(times) * 99 // 100],
                                              times[-1]))
    came = numbers(pair.client.request(b"mmi.broker", b"")[1])
    kinds = "; ".join(f"{kind.__name__[1:]}: {sent.value} sent all, {closed.value} were closed"
                      for kind, (sent, closed) in zip(KINDS, counts))
    report = (f"{kinds}; the broker has answered {came['mmi_requests']} questions; {len(times)} round trips: median "
              f"{median:.1f} ms, 99 % {most:.1f} ms, worst {worst:.1f} ms; {resident >> 20} MiB")
    print(report)
    # The attack took place: of each kind, and the broker has read it.
    assert all(sent.value + closed.value > 0 for sent, closed in counts), report
    answering = KINDS.index(_requests_for_nobody)
    assert came["mmi_requests"] >= counts[answering][0].value > 0, report
    assert statistics.median(times) <= USUAL, report
    assert times[-1] <= WORST, report
    assert resident <= most_bytes, report

"""Workloads of messages in one direction over TCP and ipc."""

from dataclasses import replace

from comparison.contestants import (LIMITS, OURS, OURS_TO_THEIRS, THEIRS, THEIRS_TO_OURS, at_least,
                                    binding, connecting, one_way, pair, size_text)
from comparison.output_lines import THROUGHPUT
from comparison.workload import Contestant, Ending, Process, Target, Workload


def _first_count_of(size):
    return max(64, min(100_000, 2 ** 26 // size))


def stream(size, limit, targets, quick=()):
    marks = "high-water marks of 1000, the defaults"
    of = {"raw_stream": "the same frames encoded, sent in writes of 1 MiB and decoded",
          "raw_tcp": "TCP with writes of the same size"}[limit]
    return Workload(f"stream_{size}", f"stream, {size_text(size)}", THROUGHPUT,
                    one_way(limit, size, "{count}"), _first_count_of(size), targets, series="stream", at=size, quick=quick,
                    conditions=f"PUSH to PULL, {marks}; limit: {of}")


def stream_huge():
    """A fixed count: as many messages as the marks admit would not fit into the memory."""
    return replace(stream(2 ** 24, "raw_tcp", (at_least(0.85, "limit", "raw TCP"),)),
                   first_count=64, fixed=True)


def stream_ipc(size):
    return Workload(f"stream_ipc_{size}", f"stream over ipc, {size_text(size)}", THROUGHPUT,
                    one_way(None, size, "{count}"), _first_count_of(size), ipc=True,
                    conditions="as the stream, over a socket file")


def stream_curve(size, factor, quick=()):
    pairs = tuple(
        pair(key, label, f"{receiver}_curve", f"{sender}_curve", size, "{count}")
        for key, label, receiver, sender in (
            ("ours", "ours", OURS + "local_thr", OURS + "remote_thr"),
            ("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr"),
            (OURS_TO_THEIRS, "ours to libzmq", THEIRS + "local_thr", OURS + "remote_thr"),
            (THEIRS_TO_OURS, "libzmq to ours", OURS + "local_thr", THEIRS + "remote_thr"))) + (
        pair("limit", "limit", LIMITS + "raw_boxes_sink", LIMITS + "raw_boxes_source", size,
              "{count}"),)
    target = Target(f"≥ {factor:g} × libzmq, or ≥ 0.85 × limit", factor, True,
                    otherwise=at_least(0.85, "limit"))
    return Workload(f"stream_curve_{size}", f"stream with CURVE, {size_text(size)}", THROUGHPUT, pairs,
                    _first_count_of(size), (target,), quick=quick,
                    conditions="as the stream, encrypted; limit: one box of libsodium a message, in "
                               "writes of 1 MiB")


def stream_tls(size, quick=()):
    pairs = tuple(pair(key, key, receiver, sender, size, "{count}") for key, receiver, sender in (
        ("ours", OURS + "local_thr_tls", OURS + "remote_thr_tls"),
        ("limit", LIMITS + "raw_tls_sink", LIMITS + "raw_tls_source")))
    return Workload(f"stream_tls_{size}", f"stream with TLS, {size_text(size)}", THROUGHPUT, pairs,
                    _first_count_of(size), (at_least(0.8, "limit", "TLS of Asio"),), quick=quick,
                    conditions="as the stream, over TLS 1.3; limit: the same frames in writes of 1 MiB to "
                               "the ssl::stream of Asio")


def stream_websocket(size, quick=()):
    def over(key, label, endpoint):
        arguments = (endpoint, str(size), "{count}")
        return Contestant(key, label, (
            Process("receiver", OURS + "local_thr", arguments, when_listening=False),
            Process("sender", OURS + "remote_thr", arguments)), "receiver")
    return Workload(f"stream_websocket_{size}", f"stream over WebSocket, {size_text(size)}", THROUGHPUT,
                    (over("ours", "ours", "{websocket}"), over("limit", "limit", "{connect}")),
                    _first_count_of(size), quick=quick,
                    conditions="as the stream, each message in WebSocket frames; limit: ours over TCP; "
                               "Debian's libzmq has no WebSocket")


def curve_handshakes():
    def pair(key, label, receiver):
        return Contestant(key, label, (
            binding("server", receiver, 1, "{count}"),
            connecting("clients", OURS + "curve_connects", 1, "{count}")), "server")
    cpu = Target("server CPU ≤ 1 × libzmq", 1, False, "theirs", role="server")
    return Workload("curve_handshakes", "handshakes with CURVE", THROUGHPUT,
                    (pair("ours", "ours", OURS + "local_thr_curve"),
                     pair("theirs", "libzmq", THEIRS + "local_thr_curve")),
                    2000, (cpu,), per="handshake", quick=("ours", "theirs"),
                    conditions="one message on each connection, 16 connections at once; the clients "
                               "are ours in both")


def connections(count, targets=(), seconds=0.0):
    plural = "s" if count > 1 else ""
    ours, theirs, *_ = one_way(None, 64, "{count}", count)
    # The mark of 1000 messages on each connection is filled twice.
    least = 2000 * count
    return Workload(f"connections_{count}", f"stream, {count:,} connection{plural}, 64 B", THROUGHPUT,
                    (ours, theirs), max(100_000, least), targets,
                    series="connections", at=count, least_count=least, setup_seconds=30, seconds=seconds,
                    conditions="one PUSH that connects so often to one PULL; default marks")


def multipart(parts):
    plural = "s" if parts > 1 else ""
    return Workload(f"multipart_{parts}", f"stream, {parts} part{plural} of 16 B", THROUGHPUT,
                    one_way(None, 16, "{count}", 1, parts),
                    max(2000, 100_000 // parts), series="multipart", at=parts,
                    conditions="as the stream; the figure counts whole messages")


def stream_single(size):
    pairs = (
        Contestant("ours", "ours", (
            binding("receiver", OURS + "local_thr_single", size, "{count}", "await"),
            connecting("sender", OURS + "remote_thr", size, "{count}")), "receiver"),
        pair("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr", size, "{count}"),
        Contestant(THEIRS_TO_OURS, "libzmq to ours", (
            binding("receiver", OURS + "local_thr_single", size, "{count}", "await"),
            connecting("sender", THEIRS + "remote_thr", size, "{count}")), "receiver"),
    )
    return Workload(f"stream_single_{size}", f"one co_await a received message, {size_text(size)}",
                    THROUGHPUT, pairs, 100_000, quick=("ours", "theirs"),
                    conditions="as the stream, with batches of our sender, but our receiver awaits each message "
                               "by itself")


def single(call, title, factor, conditions):
    def end(make, role, program, folder):
        single = ("_single", call) if folder == OURS else ("",)
        return make(role, folder + program + single[0], 64, "{count}", *single[1:])
    def between(key, label, sender, receiver):
        return Contestant(key, label, (end(binding, "receiver", "local_thr", receiver),
                                       end(connecting, "sender", "remote_thr", sender)), "receiver")
    return Workload(f"single_{call}_64", f"{title}, 64 B", THROUGHPUT,
                    (between("ours", "ours", OURS, OURS), between("theirs", "libzmq", THEIRS, THEIRS),
                     between(OURS_TO_THEIRS, "ours to libzmq", OURS, THEIRS),
                     between(THEIRS_TO_OURS, "libzmq to ours", THEIRS, OURS)),
                    100_000, (at_least(factor),), quick=("ours", "theirs"),
                    conditions="as the stream, with one message a call on both sides; libzmq: zmq_msg_send "
                               f"and zmq_msg_recv; ours: {conditions}")


def proxy(size):
    def chain(key, label, proxy, peers):
        return Contestant(key, label, (
            Process("receiver", peers + "local_thr", ("{next}", str(size), "{count}"),
                    when_listening=False),
            Process("proxy", proxy + "proxy", ("{connect}", "{next}"), Ending.SIGNAL,
                    when_listening=False),
            connecting("sender", peers + "remote_thr", size, "{count}")), "receiver")
    return Workload(f"proxy_{size}", f"proxy, {size_text(size)}", THROUGHPUT,
                    (chain("ours", "ours", OURS, OURS), chain("theirs", "libzmq", THEIRS, THEIRS),
                     chain("their_proxy", "libzmq's proxy, our peers", THEIRS, OURS)),
                    100_000, (at_least(8),), ports=2, quick=("ours", "theirs"),
                    conditions="PUSH to PULL, from there to PUSH and to PULL, in three processes; libzmq: "
                               "zmq_proxy; default marks")

"""All workloads, with the targets of the project."""

from dataclasses import replace

from comparison.output_lines import LATENCY, MEMORY, RATE, THROUGHPUT
from comparison.workload import Contestant, Ending, Process, Target, Workload

OURS = "bench/"
THEIRS = "bench/libzmq/"
LIMITS = "bench/limits/"

# Longer than it takes to be woken.
SPIN_US = 100

OURS_TO_THEIRS = "ours_to_theirs"
THEIRS_TO_OURS = "theirs_to_ours"
OTHER_LIBZMQ = "other_libzmq"
QUICK = ("ours", "theirs", "limit")
QUICK_MIXED = ("ours", OURS_TO_THEIRS, THEIRS_TO_OURS, "theirs", "limit")


def size_text(data):
    for unit, letter in ((2 ** 20, "MiB"), (2 ** 10, "KiB")):
        if data >= unit:
            return f"{data // unit} {letter}"
    return f"{data} B"


def at_least(factor, against="theirs", text=None):
    name = {"theirs": "libzmq", "limit": "limit"}[against]
    return Target(text or f"≥ {factor:g} × {name}", factor, True, against)


def at_most(factor, against="theirs", text=None):
    name = {"theirs": "libzmq", "limit": "limit"}[against]
    return Target(text or f"≤ {factor:g} × {name}", factor, False, against)


def _binding(role, program, *arguments):
    return Process(role, program, ("{connect}", *map(str, arguments)), when_listening=False)


def _connecting(role, program, *arguments):
    return Process(role, program, ("{connect}", *map(str, arguments)))


def _pair(key, label, receiver, sender, *arguments):
    """Returns a contestant with one-way traffic. The receiver binds and counts."""
    return Contestant(key, label, (_binding("receiver", receiver, *arguments),
                                   _connecting("sender", sender, *arguments)), "receiver")


def _one_way(limit, *arguments):
    pairs = [
        _pair("ours", "ours", OURS + "local_thr", OURS + "remote_thr", *arguments),
        _pair("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr", *arguments),
        _pair(OURS_TO_THEIRS, "ours to libzmq", THEIRS + "local_thr", OURS + "remote_thr",
              *arguments),
        _pair(THEIRS_TO_OURS, "libzmq to ours", OURS + "local_thr", THEIRS + "remote_thr",
              *arguments),
    ]
    if limit:
        pairs.append(_pair("limit", "limit", f"{LIMITS}{limit}_sink", f"{LIMITS}{limit}_source",
                           *arguments))
    return tuple(pairs)


def _first_count_of(size):
    return max(64, min(100_000, 2 ** 26 // size))


def _stream(size, limit, targets, quick=()):
    marks = "high-water marks of 1000, the defaults"
    of = {"raw_stream": "the same frames encoded, sent in writes of 64 KiB and decoded",
          "raw_tcp": "TCP with writes of the same size"}[limit]
    return Workload(f"stream_{size}", f"stream, {size_text(size)}", THROUGHPUT,
                    _one_way(limit, size, "{count}"), _first_count_of(size), targets, series="stream", at=size, quick=quick,
                    conditions=f"PUSH to PULL, {marks}; limit: {of}")


def _stream_huge():
    """A fixed count: as many messages as the marks admit would not fit into the memory."""
    return replace(_stream(2 ** 24, "raw_tcp", (at_least(0.85, "limit", "≥ 0.85 × raw TCP"),)),
                   first_count=64, fixed=True)


def _stream_ipc(size):
    return Workload(f"stream_ipc_{size}", f"stream over ipc, {size_text(size)}", THROUGHPUT,
                    _one_way(None, size, "{count}"), _first_count_of(size), ipc=True,
                    conditions="as the stream, over a socket file")


def _stream_curve(size, factor, quick=()):
    pairs = tuple(
        _pair(key, label, f"{receiver}_curve", f"{sender}_curve", size, "{count}")
        for key, label, receiver, sender in (
            ("ours", "ours", OURS + "local_thr", OURS + "remote_thr"),
            ("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr"),
            (OURS_TO_THEIRS, "ours to libzmq", THEIRS + "local_thr", OURS + "remote_thr"),
            (THEIRS_TO_OURS, "libzmq to ours", OURS + "local_thr", THEIRS + "remote_thr"))) + (
        _pair("limit", "limit", LIMITS + "raw_boxes_sink", LIMITS + "raw_boxes_source", size,
              "{count}"),)
    target = Target(f"≥ {factor:g} × libzmq, or ≥ 0.85 × limit", factor, True,
                    otherwise=at_least(0.85, "limit"))
    return Workload(f"stream_curve_{size}", f"stream with CURVE, {size_text(size)}", THROUGHPUT, pairs,
                    _first_count_of(size), (target,), quick=quick,
                    conditions="as the stream, encrypted; limit: one box of libsodium a message, in "
                               "writes of 64 KiB")


def _curve_handshakes():
    def pair(key, label, receiver):
        return Contestant(key, label, (
            _binding("server", receiver, 1, "{count}"),
            _connecting("clients", OURS + "curve_connects", 1, "{count}")), "server")
    cpu = Target("server CPU ≤ 1 × libzmq", 1, False, "theirs", role="server")
    return Workload("curve_handshakes", "handshakes with CURVE", THROUGHPUT,
                    (pair("ours", "ours", OURS + "local_thr_curve"),
                     pair("theirs", "libzmq", THEIRS + "local_thr_curve")),
                    2000, (cpu,), per="handshake", quick=("ours", "theirs"),
                    conditions="one message on each connection, 16 connections at once; the clients "
                               "are ours in both")


def _stream_single(size):
    pairs = (
        Contestant("ours", "ours", (
            _binding("receiver", OURS + "local_thr_single", size, "{count}", "await"),
            _connecting("sender", OURS + "remote_thr", size, "{count}")), "receiver"),
        _pair("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr", size, "{count}"),
    )
    return Workload(f"stream_single_{size}", f"one co_await a message, {size_text(size)}", THROUGHPUT,
                    pairs, 100_000, quick=("ours", "theirs"),
                    conditions="as the stream, but our receiver awaits each message by itself")


def _single(call, title, factor, conditions):
    return Workload(f"single_{call}_64", f"{title}, 64 B", THROUGHPUT,
                    (_pair("ours", "ours", OURS + "local_thr_single", OURS + "remote_thr_single", 64,
                           "{count}", call),
                     _pair("theirs", "libzmq", THEIRS + "local_thr", THEIRS + "remote_thr", 64, "{count}")),
                    100_000, (at_least(factor),), quick=("ours", "theirs"),
                    conditions="as the stream, with one message a call on both sides; libzmq: zmq_msg_send "
                               f"and zmq_msg_recv; ours: {conditions}")


def _single_publish(peers):
    pairs = (
        _publisher("ours", "ours", OURS + "fan_out_pub", OURS + "fan_out_sub", peers, 1),
        _publisher("theirs", "libzmq", THEIRS + "fan_out_pub", THEIRS + "fan_out_sub", peers),
    )
    return Workload(f"single_publish_{peers}", f"one co_await a published message, to {peers}, 64 B",
                    THROUGHPUT, pairs,
                    200_000 // peers, (at_least(1),), figures_per_count=peers, per="delivery", ports=2,
                    setup_seconds=30, quick=("ours", "theirs"),
                    conditions="as the fan-out, but our publisher awaits the sending of each message")


def _proxy(size):
    def chain(key, label, proxy, peers):
        return Contestant(key, label, (
            Process("receiver", peers + "local_thr", ("{next}", str(size), "{count}"),
                    when_listening=False),
            Process("proxy", proxy + "proxy", ("{connect}", "{next}"), Ending.SIGNAL,
                    when_listening=False),
            _connecting("sender", peers + "remote_thr", size, "{count}")), "receiver")
    return Workload(f"proxy_{size}", f"proxy, {size_text(size)}", THROUGHPUT,
                    (chain("ours", "ours", OURS, OURS), chain("theirs", "libzmq", THEIRS, THEIRS),
                     chain("their_proxy", "libzmq's proxy, our peers", THEIRS, OURS)),
                    100_000, (at_least(8),), ports=2, quick=("ours", "theirs"),
                    conditions="PUSH to PULL, from there to PUSH and to PULL, in three processes; libzmq: "
                               "zmq_proxy; default marks")


def _round_trip(size, quick=()):
    def pair(key, label, server, client):
        return Contestant(key, label, (_binding("server", server, size, "{count}"),
                                       _connecting("client", client, size, "{count}")), "client")
    pairs = (
        pair("ours", "ours", OURS + "local_lat", OURS + "remote_lat"),
        pair("theirs", "libzmq", THEIRS + "local_lat", THEIRS + "remote_lat"),
        pair(OURS_TO_THEIRS, "our client, libzmq's server", THEIRS + "local_lat",
             OURS + "remote_lat"),
        pair(THEIRS_TO_OURS, "libzmq's client, our server", OURS + "local_lat",
             THEIRS + "remote_lat"),
        pair("limit", "limit", LIMITS + "ping_pong_server", LIMITS + "ping_pong_client"),
    )
    return Workload(f"round_trip_{size}", f"round trip, {size_text(size)}", LATENCY, pairs, 2000,
                    (at_most(0.55), at_most(1.1, "limit")), per="round trip",
                    series="round_trip", at=size, quick=quick,
                    conditions="REQ and REP; the figure is one way, half a round trip; limit: epoll and "
                               "TCP without ZMTP")


def _round_trip_spinning(size):
    def pair(key, label, server, client, *spin):
        return Contestant(key, label, (_binding("server", server, size, "{count}", *spin),
                                       _connecting("client", client, size, "{count}", *spin)),
                          "client")
    return Workload(f"round_trip_spinning_{size}", f"round trip, spinning, {size_text(size)}", LATENCY,
                    (pair("ours", "ours", OURS + "local_lat", OURS + "remote_lat", SPIN_US),
                     pair("theirs", "libzmq", THEIRS + "local_lat", THEIRS + "remote_lat")),
                    2000, per="round trip",
                    conditions=f"as the round trip; ours with a spin of {SPIN_US} µs, which libzmq does "
                               "not have: a thread that has nothing to do looks on for so long before it "
                               "sleeps")


def _round_trip_ipc(size):
    return replace(_round_trip(size), name=f"round_trip_ipc_{size}",
                   title=f"round trip over ipc, {size_text(size)}",
                   contestants=_round_trip(size).contestants[:-1], targets=(), series=None, ipc=True,
                   conditions="as the round trip, over a socket file")


def _publisher(key, label, source, sink, peers, *batch):
    # The receiver connects to many addresses of the loopback, so the publisher binds to all.
    return Contestant(key, label, (
        Process("sender", source, ("{bind}", str(peers), "64", "{count}", *map(str, batch)),
                when_listening=False),
        Process("receiver", sink, ("{connect}", str(peers), "64", "{count}"))), "receiver")


def _fan_out(peers, quick=()):
    pairs = (
        _publisher("ours", "ours", OURS + "fan_out_pub", OURS + "fan_out_sub", peers),
        _publisher("theirs", "libzmq", THEIRS + "fan_out_pub", THEIRS + "fan_out_sub", peers),
        _publisher(OURS_TO_THEIRS, "ours to libzmq", OURS + "fan_out_pub", THEIRS + "fan_out_sub", peers),
        _publisher(THEIRS_TO_OURS, "libzmq to ours", THEIRS + "fan_out_pub", OURS + "fan_out_sub", peers),
        _publisher("limit", "limit", LIMITS + "raw_fan_out_source", LIMITS + "raw_fan_out_sink", peers),
    )
    return Workload(f"fan_out_{peers}", f"fan-out to {peers:,}, 64 B", THROUGHPUT, pairs,
                    max(200, 200_000 // peers), (at_least(4),), figures_per_count=peers,
                    per="delivery", series="fan_out", at=peers, ports=2, setup_seconds=30, quick=quick,
                    conditions="PUB without dropping to SUB, libzmq's marks 0; the figure counts "
                               "deliveries; the CPU time that of connecting too; limit: one buffer of "
                               "64 KiB written to each peer")


def _black_box():
    def pair(key, label, subscriber, *shards):
        return Contestant(key, label, (
            Process("feed", OURS + "feed", ("{bind}", "100", "{count}"), when_listening=False),
            Process("subscriber", subscriber, ("{connect}", "100", "{count}", "1000", *shards))),
            "subscriber")
    return Workload("black_box", "Black Box, 1 µs a message, 100 B", THROUGHPUT,
                    (pair("ours", "two shards", OURS + "working_sub", "2"),
                     pair("theirs", "libzmq, one thread", THEIRS + "working_sub")),
                    100_000, (at_least(1.6),), quick=("ours", "theirs"),
                    conditions="a subscriber that works for 1 µs on each message, of 1,000 topics: "
                               "sharded_subscriber with two threads that work, and one libzmq SUB; "
                               "both are fed by our PUB, which waits for them")


def _topics(count):
    plural = "s" if count > 1 else ""
    def pair(key, label, source, sink):
        return Contestant(key, label, (
            Process("sender", source, ("{bind}", "1", "64", "{count}"), when_listening=False),
            Process("receiver", sink, ("{connect}", "1", "64", "{count}", str(count)))), "receiver")
    return Workload(f"topics_{count}", f"publishing past {count:,} topic{plural}, 64 B", THROUGHPUT,
                    (pair("ours", "ours", OURS + "fan_out_pub", OURS + "fan_out_sub"),
                     pair("theirs", "libzmq", THEIRS + "fan_out_pub", THEIRS + "fan_out_sub")),
                    200_000, series="topics", at=count, ports=2, setup_seconds=60,
                    conditions="as the fan-out to one, who has so many topics that do not match besides "
                               "the one that does; the CPU time that of subscribing too")


def _idle_memory():
    def router(key, label, program):
        return Contestant(key, label, (
            Process("router", program, ("{connect}", "{count}"), Ending.SIGNAL, when_listening=False),
            Process("peers", LIMITS + "idle_peers", ("{connect}", "{count}"), Ending.CLOSED_INPUT,
                    has_to_say="connections")), "router")
    return Workload("idle_memory", "idle ROUTER connection", MEMORY,
                    (router("ours", "ours", OURS + "idle_router"),
                     router("theirs", "libzmq", THEIRS + "idle_router")), 10_000,
                    (Target("≤ 8 KiB", 8192, False, None, unit="B"),), per="connection", fixed=True,
                    setup_seconds=60, quick=("ours", "theirs"), quick_count=1000,
                    conditions="resident bytes per connection after one message on each; their other "
                               "ends are in another process")


def _connections(count):
    plural = "s" if count > 1 else ""
    ours, theirs, *_ = _one_way(None, 64, "{count}", count)
    # The mark of 1000 messages on each connection is filled twice.
    least = 2000 * count
    return Workload(f"connections_{count}", f"stream, {count:,} connection{plural}, 64 B", THROUGHPUT,
                    (ours, theirs), max(100_000, least), series="connections", at=count,
                    least_count=least, setup_seconds=30,
                    conditions="one PUSH that connects so often to one PULL; default marks")


def _multipart(parts):
    plural = "s" if parts > 1 else ""
    return Workload(f"multipart_{parts}", f"stream, {parts} part{plural} of 16 B", THROUGHPUT,
                    _one_way(None, 16, "{count}", 1, parts),
                    max(2000, 100_000 // parts), series="multipart", at=parts,
                    conditions="as the stream; the figure counts whole messages")


def _within(key, label, program, *arguments):
    """Returns a contestant of one process, whose sockets meet over inproc."""
    return Contestant(key, label, (Process("process", program, tuple(map(str, arguments)),
                                           when_listening=False),), "process")


def _inproc_stream(size, quick=()):
    return Workload(f"inproc_stream_{size}", f"inproc stream, {size_text(size)}", THROUGHPUT,
                    (_within("ours", "ours", OURS + "inproc_thr", size, "{count}"),
                     _within("theirs", "libzmq", THEIRS + "inproc_thr", size, "{count}"),
                     _within("one_executor", "ours, one executor", OURS + "inproc_thr", size,
                             "{count}", 1)),
                    100_000, (at_least(5),), quick=quick,
                    conditions="PUSH to PULL, from one thread to another; high-water marks of 1000, the "
                               "defaults")


def _inproc_round_trip(quick=()):
    return Workload("inproc_round_trip_64", "inproc round trip, 64 B", LATENCY,
                    (_within("ours", "ours", OURS + "inproc_lat", 64, "{count}"),
                     _within("theirs", "libzmq", THEIRS + "inproc_lat", 64, "{count}")),
                    2000, (at_most(0.75),), per="round trip", quick=quick,
                    conditions="REQ and REP in two threads; the figure is one way, half a round trip")


def _inproc_spinning(stream):
    program, title, line, target = (
        ("inproc_thr", "inproc stream", THROUGHPUT, at_least(5)) if stream else
        ("inproc_lat", "inproc round trip", LATENCY, at_most(0.6)))
    return Workload(f"{title.replace(' ', '_')}_spinning_64", f"{title}, spinning, 64 B", line,
                    (_within("ours", "ours", OURS + program, 64, "{count}", 2, SPIN_US),
                     _within("theirs", "libzmq", THEIRS + program, 64, "{count}")),
                    100_000 if stream else 2000, (target,), per="msg" if stream else "round trip",
                    conditions=f"from one thread to another; ours with a spin of {SPIN_US} µs, which "
                               "libzmq does not have")


def _inproc_one_executor():
    return Workload("inproc_one_executor_64", "inproc round trip in one executor, 64 B", LATENCY,
                    (_within("ours", "ours", OURS + "inproc_lat", 64, "{count}", 1),
                     _within("theirs", "libzmq, two threads", THEIRS + "inproc_lat", 64, "{count}")),
                    2000, (Target("≤ 0.25 µs", 0.25, False, None, unit="us"),), per="round trip",
                    conditions="REQ and REP that share a thread, which libzmq's cannot; the figure is one "
                               "way, half a round trip")


OUR_BROKER = Process("broker", "tools/zinc/zinc", ("broker", "--bind", "{connect}"), Ending.SIGNAL,
                     when_listening=False)
THEIR_BROKER = Process("broker", THEIRS + "md_broker", ("{connect}",), Ending.SIGNAL,
                       when_listening=False)
RELAY = Process("broker", LIMITS + "relay", ("{connect}",), Ending.SIGNAL, when_listening=False)
OUR_BROKER_THEIR_PEERS = "our_broker"
THEIR_BROKER_OUR_PEERS = "their_broker"
OUR_SERVER = "our_server"
THEIR_SERVER = "their_server"
# As many as our broker lets one client have unanswered.
IN_FLIGHT = 1000


def _our_peers(workers, in_flight, capacity):
    return (Process("peers", OURS + "mdp_load",
                    ("{connect}", "--clients", "1", "--workers", str(workers), "--in-flight",
                     str(in_flight), "--requests", "{count}", "--capacity", str(capacity))),)


def _their_peers(workers, client):
    worker = Process("workers", THEIRS + "md_worker", ("{connect}", "echo"), Ending.SIGNAL)
    return (*[worker] * workers, Process("client", THEIRS + client, ("{connect}", "echo", "{count}"),
                           when_connected=workers))


def _relay(workers, in_flight, capacity):
    return Contestant("limit", "relay", (RELAY, Process(
        "peers", LIMITS + "relay_load",
        ("{connect}", str(workers), str(in_flight), "{count}", str(capacity)))), "peers")


def _majordomo(name, title, workers, client, in_flight, targets, quick=()):
    ours = _our_peers(workers, in_flight, 1)
    theirs = _their_peers(workers, client)
    contestants = (
        Contestant("ours", "ours", (OUR_BROKER, *ours), "peers"),
        Contestant("theirs", "libzmq", (THEIR_BROKER, *theirs), "client"),
        Contestant(OUR_BROKER_THEIR_PEERS, "our broker, libzmq's peers", (OUR_BROKER, *theirs),
                   "client"),
        Contestant(THEIR_BROKER_OUR_PEERS, "libzmq's broker, our peers", (THEIR_BROKER, *ours),
                   "peers"),
        _relay(workers, in_flight, 1),
    )
    return Workload(name, title, RATE, contestants, 2000, targets, per="request",
                    series="majordomo", at=workers, quick=quick,
                    conditions="MDP/0.1, workers that take one request at a time; limit: an epoll relay "
                               "without a protocol")


def _majordomo_asynchronous(workers, quick=()):
    plural = "s" if workers > 1 else ""
    cpu = Target("broker CPU ≤ 1.5 × relay", 1.5, False, "limit", role="broker")
    return _majordomo(f"majordomo_{workers}", f"Majordomo, {workers} worker{plural}", workers,
                      "md_client", IN_FLIGHT, (at_least(3), cpu), quick)


def _majordomo_capacity():
    targets = (Target("≥ 500 k request/s", 500_000, True, None, unit="request/s"),
               Target("broker CPU ≤ 1 µs", 1000, False, None, role="broker", unit="ns"))
    return Workload("majordomo_capacity_8", "Majordomo, 4 workers of capacity 8", RATE,
                    (Contestant("ours", "ours", (OUR_BROKER, *_our_peers(4, IN_FLIGHT, 8)), "peers"),
                     _relay(4, IN_FLIGHT, 8)), 5000, targets, per="request",
                    series="majordomo", at=4, quick=("ours", "limit"),
                    conditions="workers that announce a capacity of 8; libzmq's stand-ins have none")


def _clone():
    def pair(key, label, server, load):
        return Contestant(key, label, (server, Process("clients", load, ("{connect}", "{count}"))),
                          "clients")
    ours = Process("server", "tools/zinc/zinc", ("chp", "server", "--bind", "{connect}"), Ending.SIGNAL,
                   when_listening=False)
    theirs = Process("server", THEIRS + "clone_server", ("{connect}",), Ending.SIGNAL,
                     when_listening=False)
    contestants = (
        pair("ours", "ours", ours, OURS + "chp_load"),
        pair("theirs", "libzmq", theirs, THEIRS + "clone_load"),
        pair(OUR_SERVER, "our server, libzmq's clients", ours, THEIRS + "clone_load"),
        pair(THEIR_SERVER, "libzmq's server, our clients", theirs, OURS + "chp_load"),
    )
    targets = (Target("≥ 1 M msg/s", 1_000_000, True, None, unit="msg/s"), at_least(4))
    return Workload("clone", "CHP updates, 32 B values", THROUGHPUT, contestants, 20_000, targets,
                    per="update", ports=3, quick=("ours", OUR_SERVER, THEIR_SERVER, "theirs"),
                    conditions="one client sets 10,000 keys in turn, one follows and counts, in one "
                               "process; none may be lost or out of order; libzmq's marks 0 and its server "
                               "a stand-in for the Guide's clonesrv5")


WORKLOADS = (
    _stream(16, "raw_stream", (at_least(6, text="≥ 6 × libzmq (goal 8)"),), QUICK),
    _stream(64, "raw_stream", (at_least(4.5),), QUICK_MIXED),
    _stream(256, "raw_stream", (at_least(5),)),
    _stream(1024, "raw_stream", (at_least(3.5),)),
    _stream(32768, "raw_tcp", (at_least(1.5), at_least(0.8, "limit", "≥ 0.8 × raw TCP")), QUICK),
    _stream(131072, "raw_tcp", (at_least(0.8, "limit", "≥ 0.8 × raw TCP"),)),
    _stream(2 ** 20, "raw_tcp", (at_least(0.85, "limit", "≥ 0.85 × raw TCP"),)),
    _stream_huge(),
    _stream_ipc(64),
    _stream_ipc(32768),
    _stream_single(64),
    _single("await", "one co_await a message on both sides", 1, "co_await of a posted completion"),
    _single("if_needed", "a coroutine a message that awaits if it must", 2,
            "try_send and try_receive in a coroutine of their own, which awaits only when nothing is ready"),
    _single("attempt", "try_send and try_receive in a loop", 3,
            "try_send and try_receive, and a co_await when nothing is ready"),
    _single("block", "one blocking call a message", 2, "the sockets of zmtp::blocking"),
    _proxy(64),
    _stream_curve(64, 2, ("ours", "theirs", "limit")),
    _stream_curve(1024, 1.5),
    _stream_curve(32768, 1.3),
    _curve_handshakes(),
    _round_trip(1),
    _round_trip(64, QUICK_MIXED),
    _round_trip(1024),
    _round_trip_spinning(64),
    _round_trip_ipc(64),
    _inproc_stream(64, ("ours", "theirs")),
    _inproc_round_trip(("ours", "theirs")),
    _inproc_spinning(True),
    _inproc_spinning(False),
    _inproc_one_executor(),
    _fan_out(1),
    _fan_out(10, QUICK),
    _fan_out(100),
    _fan_out(1000),
    _single_publish(1),
    _single_publish(10),
    _black_box(),
    _idle_memory(),
    *(_connections(count) for count in (1, 100, 1000, 10_000)),
    *(_topics(count) for count in (1, 1000, 1_000_000)),
    *(_multipart(parts) for parts in (1, 10, 100)),
    _majordomo_asynchronous(1),
    _majordomo_asynchronous(4, QUICK),
    _majordomo_asynchronous(10),
    _majordomo("majordomo_synchronous", "Majordomo, synchronous client", 1, "md_sync_client", 1,
               (at_least(2.3),), quick=("ours", "theirs", "limit")),
    _majordomo_capacity(),
    _clone(),
)


def with_other_libzmq(workload, folder, label):
    """Adds a contestant: the programs of libzmq with the library of this folder."""
    theirs = next((each for each in workload.contestants if each.key == "theirs"), None)
    if theirs is None:
        return workload
    processes = tuple(replace(each, environment=(("LD_LIBRARY_PATH", str(folder)),))
                      if each.program.startswith(THEIRS) else each for each in theirs.processes)
    other = replace(theirs, key=OTHER_LIBZMQ, label=label, processes=processes)
    return replace(workload, contestants=(*workload.contestants, other),
                   quick=(*workload.quick, OTHER_LIBZMQ) if workload.quick else ())

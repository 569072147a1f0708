#!/usr/bin/python3 -IS
"""Stands in for every program of a comparison, by the name it was given: it makes and takes one
connection and claims a figure."""

import os
import signal
import socket
import sys
import threading

FOLDER, NAME = os.path.split(os.path.realpath(sys.argv[0]))
# The fault of this program, set by the test that copies the program: broken, silent or endless.
FAULT = ""
# By folder, as if libzmq had a quarter of our speed, nng half and NATS an eighth of it, and the limit twice it.
RATES = {"bench": 4_000_000, "libzmq": 1_000_000, "limits": 8_000_000, "nng": 2_000_000,
         "nats": 500_000}
RATE = RATES.get(os.path.basename(FOLDER))


def endpoint(place=0):
    """The address family, and the address of a socket of it."""
    text = [argument for argument in sys.argv if "://" in argument][place]
    transport, _, rest = text.partition("://")
    if transport == "ipc":
        return socket.AF_UNIX, rest
    host, port = rest.rsplit(":", 1)
    return socket.AF_INET, ("" if host == "*" else host, int(port))


def listen():
    family, address = endpoint()
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen(64)
    return listener


def take_one():
    with listen() as listener:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1)


def connect(place=0):
    family, address = endpoint(place)
    connection = socket.socket(family)
    connection.settimeout(10)
    connection.connect(address)
    return connection


def connect_once():
    connect().close()


def forward():
    with listen():
        while True:
            try:
                connect(1).close()
                break
            except ConnectionRefusedError:
                pass  # the receiver starts at the same time
        until_terminated()


def until_terminated():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        signal.pause()


def say(line):
    if FAULT != "silent":
        print(line, flush=True)
    if FAULT == "other":
        sys.exit(0 if os.environ.get("LD_LIBRARY_PATH") else "not the other library")


def receive():
    take_one()
    say(f"mean throughput: {RATE} [msg/s]")


def subscribe():
    connect_once()
    say(f"mean throughput: {RATE} [msg/s]")


def stream_within():
    say(f"mean throughput: {RATE} [msg/s]")


def ask_within():
    say(f"average latency: {100e6 / RATE:.3f} [us]")


def ask():
    connect_once()
    say(f"average latency: {100e6 / RATE:.3f} [us]")


def load():
    connect_once()
    say(f"mean rate: {RATE // 100} [request/s]")


def listen_until_terminated():
    with listen():
        until_terminated()


def hold_memory():
    listener = listen()
    threading.Thread(target=listener.accept, daemon=True).start()
    say("memory per connection: 4096 [B]")
    until_terminated()


def stay_connected():
    with connect():
        until_terminated()


def stay_until_input_ends():
    connect_once()
    say("connections: 1")
    sys.stdin.read()


ROLES = {
    receive: ("local_thr", "local_thr_curve", "local_thr_single", "local_thr_tls", "raw_boxes_sink",
              "raw_stream_sink", "raw_tcp_sink", "raw_tls_sink"),
    connect_once: ("answerer", "publisher", "curve_connects", "remote_thr", "remote_thr_curve", "raw_boxes_source",
                   "raw_stream_source", "raw_tcp_source", "raw_tls_source", "remote_thr_single",
                   "remote_thr_tls"),
    forward: ("proxy",),
    take_one: ("local_lat", "ping_pong_server", "fan_out_pub", "feed", "raw_fan_out_source"),
    subscribe: ("fan_out_sub", "subscriber", "working_sub", "raw_fan_out_sink", "chp_load", "clone_load"),
    stream_within: ("inproc_thr",),
    ask_within: ("inproc_lat",),
    ask: ("asker", "remote_lat", "ping_pong_client"),
    load: ("mdp_load", "md_client", "md_sync_client", "relay_load"),
    listen_until_terminated: ("zinc", "md_broker", "clone_server", "relay"),
    hold_memory: ("idle_router",),
    stay_connected: ("md_worker",),
    stay_until_input_ends: ("idle_peers",),
}


def main():
    if FAULT == "broken":
        sys.exit(f"{NAME} is broken")
    if FAULT == "endless":
        signal.pause()
    roles = {name: role for role, names in ROLES.items() for name in names}
    roles[NAME]()


if __name__ == "__main__":
    main()

"""The Guide's clients of Clone, models 1 to 5."""

import random
import time
from types import SimpleNamespace

from guide_program import opened, say
from chp_clients import Client, Timeout
import zmq

# The program closes its sockets itself, at its end.
FOR_EVER = SimpleNamespace(addCleanup=lambda *_: None)


def count_updates(context):
    """Model 1: prints updates until it is interrupted."""
    updates = opened(context, zmq.SUB, ["tcp://localhost:5556"])
    updates.subscribe(b"")
    messages = 0
    try:
        while True:
            updates.recv_multipart()
            messages += 1
    except KeyboardInterrupt:
        say(f" Interrupted\n{messages} messages in")


def follow(context):
    """Model 2: a snapshot, and then updates, until it is interrupted."""
    client = Client(FOR_EVER, context, 5556, setter=zmq.PUSH, heartbeats=False)
    client.synchronize(b"ICANHAZ?")
    say(f"Received snapshot={client.sequence}")
    messages = 0
    try:
        while True:
            client.next(3600)
            messages += 1
    except KeyboardInterrupt:
        say(f" Interrupted\n{messages} messages in")


def take_part(context, model):
    """Models 3 to 5: the same, and an update of its own each second."""
    subtree = b"/client/" if model >= 4 else b""
    client = Client(FOR_EVER, context, 5556, subtree, setter=zmq.PUSH, heartbeats=False)
    client.synchronize(b"ICANHAZ?", *([subtree] if model >= 4 else []))
    say(f"I: received snapshot={client.sequence}")
    alarm = time.monotonic() + 1
    while True:
        try:
            client.next(max(0, alarm - time.monotonic()))
            say(f"I: received update={client.sequence}")
        except Timeout:
            alarm = time.monotonic() + 1
            key, value = subtree + b"%d" % random.randrange(10000), b"%d" % random.randrange(1000000)
            if model == 5:
                client.set(key, value, ttl=random.randrange(30))
            else:
                client.set_simple(key, value)

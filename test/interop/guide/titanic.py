#!/usr/bin/python3
"""Titanic: keeps requests of Majordomo on the disk until they are executed, in the Guide's files."""

import os
import struct
import threading
import uuid

from guide_program import run
from guide_peers import EchoWorker
from majordomo_client import ENDPOINT, MajordomoClient

FOLDER = ".titanic"
QUEUE = os.path.join(FOLDER, "queue")


def path(name, kind):
    return os.path.join(FOLDER, f"{name.decode()}.{kind}")


def save(file, frames):
    """Writes each frame after its length. A length has 8 bytes in the byte order of this machine."""
    with open(file + ".new", "wb") as out:
        out.write(b"".join(struct.pack("=Q", len(frame)) + frame for frame in frames))
    os.rename(file + ".new", file)


def load(file):
    with open(file, "rb") as stored:
        data = stored.read()
    frames = []
    while data:
        size, = struct.unpack("=Q", data[:8])
        frames.append(data[8:8 + size])
        data = data[8 + size:]
    return frames


class Titanic:
    def __init__(self, context):
        self.context = context
        self.arrived = threading.Event()
        os.makedirs(FOLDER, exist_ok=True)
        for service, answer in ((b"titanic.request", self.take), (b"titanic.reply", self.give),
                                (b"titanic.close", self.close)):
            EchoWorker(context, ENDPOINT, service, "0.1", answer=answer)

    def take(self, frames):
        name = uuid.uuid4().hex.upper().encode()
        save(path(name, "req"), frames)
        with open(QUEUE, "ab") as queue:
            queue.write(b"-" + name + b"\n")
        self.arrived.set()
        return [b"200", name]

    def give(self, frames):
        if os.path.exists(path(frames[0], "rep")):
            return [b"200", *load(path(frames[0], "rep"))]
        return [b"300" if os.path.exists(path(frames[0], "req")) else b"400"]

    def close(self, frames):
        for kind in ("req", "rep"):
            if os.path.exists(path(frames[0], kind)):
                os.remove(path(frames[0], kind))
        return [b"200"]

    def dispatch(self):
        while True:
            self.arrived.wait(1)
            self.arrived.clear()
            if not os.path.exists(QUEUE):
                continue
            with open(QUEUE, "r+b") as queue:
                for number, line in enumerate(queue.read().splitlines()):
                    if line.startswith(b"-") and self.carried_out(line[1:]):
                        # A minus sign, 32 digits and an end of line each.
                        queue.seek(number * 34)
                        queue.write(b"+")

    def carried_out(self, name):
        if not os.path.exists(path(name, "req")):
            return True
        service, *body = load(path(name, "req"))
        client = MajordomoClient(self.context, timeout=1, tries=1)
        if client.request(b"mmi.service", service) != [b"200"]:
            return False
        reply = client.request(service, *body)
        if reply is None:
            return False
        save(path(name, "rep"), reply)
        return True


run(lambda context: Titanic(context).dispatch())

#!/usr/bin/python3
"""A proxy that keeps the last value of each topic for later subscribers."""

from guide_program import opened, run, say
import zmq


def main(context):
    # The Guide connects to an asterisk, which libzmq refuses.
    frontend = opened(context, zmq.SUB, ["tcp://localhost:5557"])
    frontend.subscribe(b"")
    backend = opened(context, zmq.XPUB, bind=["tcp://*:5558"])
    cache = {}
    poller = zmq.Poller()
    for one in (frontend, backend):
        poller.register(one, zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        if frontend in ready:
            topic, value = frontend.recv_multipart()
            cache[topic] = value
            backend.send_multipart([topic, value])
        if backend in ready:
            event = backend.recv()
            if event[0] == 1:
                topic = event[1:]
                say(f"Sending cached topic {topic.decode()}")
                if topic in cache:
                    backend.send_multipart([topic, cache[topic]])


run(main)

"""The common part of the programs in this folder. Each program does on pyzmq what the Guide's program of its
name in C does on the wire, with the same times and output. It does not depend on the code under test.

They make ZINC_INTEROP_COUNT requests where the Guide's make 100,000 or 10,000, if that is in the environment.
"""

import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from pirate_peers import PROGRAMS, by_number  # noqa: E402: behind the line above
import zmq  # noqa: E402


def say(text):
    print(text, flush=True)


def log(text):
    """As CZMQ's zclock_log has it."""
    say(time.strftime("%y-%m-%d %H:%M:%S ") + text)


def count(of_the_guide):
    return int(os.environ.get("ZINC_INTEROP_COUNT", of_the_guide))


def run(main):
    """To its end, or until it is interrupted."""
    try:
        sys.exit(main(zmq.Context()))
    except KeyboardInterrupt:
        say(" Interrupted")


def opened(context, kind, connect=(), bind=(), routing_id=None, sndhwm=None):
    """A socket that keeps nothing when it is closed."""
    made = context.socket(kind)
    made.linger = 0
    if sndhwm is not None:
        made.sndhwm = sndhwm
    if routing_id is not None:
        made.routing_id = routing_id
    for endpoint in bind:
        made.bind(endpoint)
    for endpoint in connect:
        made.connect(by_number(endpoint))
    return made


def run_peer(**settings):
    """The program of this name of pirate_peers, on the Guide's endpoints."""
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    run(lambda context: PROGRAMS[name](settings).run())

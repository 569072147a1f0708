"""The nodes of Binary Star, with the words and the endpoints of the Guide's."""

import sys
import time

from guide_program import log, say
from bstar_peers import ACTIVE, BACKUP, PASSIVE, PRIMARY, REQUEST, GuideMachine

# state, event: the output for a change of the state by the event
TEXTS = {
    (PRIMARY, BACKUP): "I: connected to backup (passive), ready {}active",
    (PRIMARY, ACTIVE): "I: connected to backup (active), ready {}passive",
    (BACKUP, ACTIVE): "I: connected to primary (active), ready {}passive",
    (PASSIVE, PRIMARY): "I: primary (passive) is restarting, ready {}active",
    (PASSIVE, BACKUP): "I: backup (passive) is restarting, ready {}active",
    (PRIMARY, REQUEST): "I: request from client, ready {}active",
    (PASSIVE, REQUEST): "I: failover successful, ready {}active",
}
ROLES = {"-p": "primary", "-b": "backup"}


class Machine(GuideMachine):
    """A node of the proof of concept (poc) or of the reactor."""

    def print(self, text):
        (log if self.model == "reactor" else say)(text)

    def tell(self, before, event):
        if before is not None:
            self.print(TEXTS[before, event].format("as " if self.model == "reactor" else ""))
        elif self.state == PRIMARY:
            say("I: primary active, waiting for backup (passive)")
        else:
            say("I: backup passive, waiting for primary (active)")

    def tell_fatal(self, fault):
        self.print(f"E: fatal error - {fault}, aborting")


def role():
    """Parses the command line."""
    if len(sys.argv) != 2 or sys.argv[1] not in ROLES:
        raise SystemExit("Usage: {} {{ -p | -b }}".format(sys.argv[0]))
    return ROLES[sys.argv[1]]


def machine(model):
    return Machine(model, role(), 1.0, time.monotonic())


def endpoints(which):
    """Returns the endpoints of clients, of the own state and of the state of the peer."""
    if which == "primary":
        return "tcp://*:5001", "tcp://*:5003", "tcp://127.0.0.1:5004"
    return "tcp://*:5002", "tcp://*:5004", "tcp://127.0.0.1:5003"

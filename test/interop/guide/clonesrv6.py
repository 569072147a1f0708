#!/usr/bin/python3
"""The server of Clone, model 6: one of a pair. Without times to live."""

from guide_program import log, run
from binary_star import TEXTS, role
from guide_clone_server import GuideServer


class Server(GuideServer):
    HEARTBEAT = 1.0
    EXPIRY = 2.0

    def tell(self, text):
        log(text)

    def tell_state(self, before, event):
        log(TEXTS[before, event].format("as "))

    def join(self):
        self._thread.join()


def main(_):
    if role() == "primary":
        log("I: primary active, waiting for backup (passive)")
        server = Server("primary", 5556, state=5003, peer_state=5004, peer_port=5566)
    else:
        log("I: backup passive, waiting for primary (active)")
        server = Server("backup", 5566, state=5004, peer_state=5003, peer_port=5556)
    server.join()


run(main)

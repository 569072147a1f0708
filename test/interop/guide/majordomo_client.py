"""The Guide's mdcliapi: a request of a service of Majordomo, three times at most."""

import guide_program  # noqa: F401: first, it says where the others are
from guide_peers import Client  # isort: skip
import zmq

ENDPOINT = "tcp://127.0.0.1:5555"
TIMEOUT = 2.5
TRIES = 3


class MajordomoClient:
    def __init__(self, context, timeout=TIMEOUT, tries=TRIES):
        self.open = lambda: Client(context, ENDPOINT, "0.1", zmq.REQ)
        self.timeout = timeout
        self.tries = tries
        self.client = self.open()

    def request(self, service, *body):
        """The reply's body, or None."""
        for _ in range(self.tries):
            self.client.send(service, *body)
            reply = self.client.receive(self.timeout)
            if reply is not None:
                return reply.body
            self.client.close()
            self.client = self.open()
        return None

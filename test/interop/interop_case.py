"""The common part of the tests with pyzmq: sockets and processes that end with the test."""

import os
import unittest

from guide_peers import Client, EchoWorker, Worker
from zinc_programs import Broker, start_worker
import zmq


def long_part():
    """The number of the part of the long form that this run is, from 1. Returns 0 for the short form."""
    return int(os.environ.get("ZINC_LONG", "0"))


def long_run():
    """Whether this run is the long form, which takes minutes. A full test is several parts of it."""
    return long_part() != 0


def seed(number):
    """The seed of a test. Each part of the long form has another seed."""
    return number + 1_000 * max(0, long_part() - 1)


def numbers(report):
    """Parses `key=number key=flag …`."""
    flags = {"false": False, "true": True}
    return {key: flags[value] if value in flags else int(value)
            for key, value in (one.split("=") for one in report.decode().split())}


class InteropCase(unittest.TestCase):
    def setUp(self):
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, linger=0)

    def start_broker(self, *options, at="tcp://127.0.0.1:*"):
        """Starts a broker of Zinc, which must exit with 0 when the test ends."""
        broker = Broker(self, *options, at=at)
        self.addCleanup(lambda: self.assertEqual(broker.stop(), 0, "the broker did not end well"))
        return broker

    def start_worker(self, endpoint, service, version, *options):
        """Starts a worker of Zinc, which must exit with 0, too."""
        worker = start_worker(self, endpoint, service, version, *options)
        self.addCleanup(lambda: self.assertEqual(worker.stop(), 0, "the worker did not end well"))
        return worker

    def client(self, endpoint, version, socket_type=zmq.DEALER, routing_id=b""):
        client = Client(self.context, endpoint, version, socket_type, routing_id)
        self.addCleanup(client.close)
        return client

    def worker(self, endpoint, service, version, ready=True):
        worker = Worker(self.context, endpoint, service, version, ready)
        self.addCleanup(worker.close)
        return worker

    def echo_worker(self, endpoint, service, version, *timing):
        worker = EchoWorker(self.context, endpoint, service, version, *timing)
        self.addCleanup(worker.stop)
        return worker

#!/usr/bin/python3
"""A broker whose clients are known by their certificates: rules for their names, and a renewed certificate."""

import os
import socket
import ssl
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from certificates import Certificates  # noqa: E402: behind the line above
from zinc_programs import PATIENCE, Broker, run_request, start_worker  # noqa: E402

RULES = """
[services.worker]
offer = ["echo"]
[services.alice]
call = ["echo"]
"""


class CertificateRoles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.authority = Certificates(folder.name, "authority")
        self.server = self.authority.issue("server", "IP:127.0.0.1")
        self.alice = self.authority.issue("alice")
        rules = Path(folder.name, "rules.toml")
        rules.write_text(RULES, encoding="utf-8")
        self.broker = Broker(self, "--rules", str(rules), *self.authority.own(self.server), at="tls+tcp://127.0.0.1:*")
        start_worker(self, self.broker.endpoint, "echo", "0.2", *self.authority.own(self.authority.issue("worker")))

    def request(self, certificate):
        """The exit code and the output."""
        return run_request(self.broker.endpoint, "echo", "0.2", *self.authority.own(certificate), "hello")[:2]

    def shown_certificate(self):
        context = ssl.create_default_context(cafile=self.authority.file)
        context.load_cert_chain(self.alice)
        with socket.create_connection(("127.0.0.1", self.broker.port), timeout=PATIENCE) as raw, \
                context.wrap_socket(raw, server_hostname="127.0.0.1") as wire:
            return wire.getpeercert(binary_form=True)

    def test_rules_are_for_the_name_in_the_certificate(self):
        self.assertEqual(self.request(self.alice), (0, ["hello"]))
        self.assertEqual(self.request(self.authority.issue("bob")), (3, []))
        self.assertEqual(self.broker.stop(), 0)

    def test_a_renewed_certificate_is_shown_without_a_restart(self):
        before = self.shown_certificate()
        self.assertEqual(self.request(self.alice), (0, ["hello"]))
        os.replace(self.authority.issue("renewed", "IP:127.0.0.1"), self.server)
        with open(self.server, encoding="ascii") as file:
            renewed = ssl.PEM_cert_to_DER_cert(file.read().partition("-----BEGIN PRIVATE")[0].strip())
        self.assertNotEqual(before, renewed)
        # The broker looks at its files once in a second.
        end = time.monotonic() + PATIENCE
        while self.shown_certificate() != renewed:
            self.assertLess(time.monotonic(), end, "the broker still shows the old certificate")
        # The worker is still connected.
        self.assertEqual(self.request(self.alice), (0, ["hello"]))
        self.assertEqual(self.broker.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""The operations of --http-operator-file."""

import http.client
import json
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from http_case import ANY, HttpCase  # noqa: E402: behind the line above
from zinc_programs import PATIENCE, Program, request_arguments, start_worker, zinc_path  # noqa: E402


class OperatorTest(HttpCase):
    def setUp(self):
        super().setUp()
        self.file = self.write_token()

    def operate(self, web, method="GET", body=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)
        try:
            connection.request(method, "/operator", body, {"Authorization": "Bearer " + self.TOKEN, **fields})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def list(self, web):
        status, text = self.operate(web)
        self.assertEqual(status, 200, text)
        return json.loads(text)["items"]

    def check_refusals(self, web, item):
        self.assertEqual(self.operate(web, Authorization="Bearer 0123456789abcdeX")[0], 401)
        self.assertEqual(self.operate(web, "POST", item, Authorization="")[0], 401)
        self.assertEqual(self.operate(web, "POST", item, Origin="http://example.com")[0], 403)
        self.assertEqual(self.operate(web, "POST", "nothing")[0], 404)

    def test_a_drained_worker_finishes_its_request_and_gets_no_more(self):
        # The worker of the test sends no heartbeats.
        broker, web = self.start_broker("--http-operator-file", self.file, "--heartbeat", "1h")
        first = self.worker(broker.endpoint, b"slow", "0.2")
        client = Program(self, request_arguments(broker.endpoint, "slow", "0.2", "body"))
        request = first.receive_request()
        [worker] = self.list(web)
        self.assertEqual((worker["service"], worker["requests"], worker["draining"]), ("slow", 1, False))
        [shown] = web.status()["groups"]["worker"]
        self.assertEqual((worker["worker"], worker["id"]), (shown["worker"], "0." + shown["worker"]))
        self.check_refusals(web, worker["id"])
        for unknown in ("", "0", "0.", worker["worker"], worker["id"] + "0", worker["id"] + ".", "9" + worker["id"]):
            self.assertEqual(self.operate(web, "POST", unknown)[0], 404, unknown)
        self.assertEqual(self.list(web), [worker])
        self.assertEqual(self.operate(web, "POST", worker["id"]), (200, "{}"))
        self.assertEqual([one["draining"] for one in self.list(web)], [True])
        second = Program(self, request_arguments(broker.endpoint, "slow", "0.2", "later"))
        web.wait(lambda now: now["zinc_broker_waiting"] == 1)
        first.reply(request.address, b"done")
        self.assertEqual(client.read_line(), "done")
        first.receive_disconnect()
        now = web.metrics()
        self.assertEqual((now["zinc_broker_requeued_total"], now["zinc_broker_replies_total"]), (0, 1))
        self.assertEqual(self.operate(web, "POST", worker["id"])[0], 404)
        start_worker(self, broker.endpoint, "slow", "0.2")
        self.assertEqual(second.read_line(), "later")
        self.stop(broker)

    def test_a_purged_request_is_removed(self):
        broker, titanic, web = self.start_titanic("--http-operator-file", self.file)
        client = self.leave_request(broker, web)
        [request] = self.list(web)
        self.assertEqual((request["service"], request["attempts"]), ("later", 0))
        self.check_refusals(web, request["id"])
        self.assertEqual(self.operate(web, "POST", request["id"]), (200, "{}"))
        self.assertEqual(self.list(web), [])
        now = web.metrics()
        self.assertEqual(now["zinc_titanic_requests"], 0)
        self.assertEqual(now["zinc_titanic_closed_total"], 1)
        self.assertEqual(now["zinc_titanic_oldest_seconds"], 0)
        self.assertGreater(now["zinc_titanic_sync_time_seconds_count"], 1)
        client.kill()
        self.stop(titanic)

    def test_a_short_token_is_misuse(self):
        with open(self.file, "w", encoding="ascii") as file:
            file.write("short\n")
        done = subprocess.run([zinc_path(), "broker", "--bind", ANY, "--http", "0",
                               "--http-operator-file", self.file],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("at least 16 printable ASCII characters", done.stderr)


if __name__ == "__main__":
    unittest.main()

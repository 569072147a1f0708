#!/usr/bin/python3
"""--http: what the figures say equals what the components did."""

import shutil
import signal
import socket
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from http_case import ANY, HttpCase  # noqa: E402: behind the line above
from http_components import ComponentsCase  # noqa: E402
from interop_case import numbers  # noqa: E402
from zinc_programs import PATIENCE, Program, request_arguments, start_worker, zinc_path  # noqa: E402
import zmq  # noqa: E402


class BrokerTest(HttpCase):
    def test_counts_equal_the_requests_that_were_made(self):
        broker, web = self.start_broker()
        for _ in range(2):
            start_worker(self, broker.endpoint, "echo", "0.2")
        self.request(broker, "echo", "--count", "10000", "--in-flight", "50")
        now = web.metrics()
        for name, value in {
            "zinc_ready": 1,
            "zinc_broker_requests_total": 10000,
            "zinc_broker_replies_total": 10000,
            "zinc_broker_requeued_total": 0,
            "zinc_broker_errors_total": 0,
            "zinc_broker_waiting": 0,
            "zinc_broker_working": 0,
            "zinc_broker_workers": 2,
            "zinc_broker_queue_time_seconds_count": 10000,
            "zinc_broker_work_time_seconds_count": 10000,
            'zinc_broker_queue_time_seconds_bucket{le="+Inf"}': 10000,
            'zinc_service_requests_total{service="echo"}': 10000,
            'zinc_service_replies_total{service="echo"}': 10000,
            'zinc_service_queue_time_seconds_count{service="echo"}': 10000,
            'zinc_service_work_time_seconds_bucket{service="echo",le="+Inf"}': 10000,
            'zinc_service_workers{service="echo"}': 2,
        }.items():
            self.assertEqual(now[name], value, name)
        self.stop(broker)

    def test_a_killed_worker_is_seen(self):
        broker, web = self.start_broker()
        slow = start_worker(self, broker.endpoint, "slow", "0.2", "--delay", "1h")
        web.wait(lambda now: now["zinc_broker_workers"] == 1)
        client = Program(self, request_arguments(broker.endpoint, "slow", "0.2", "body"))
        web.wait(lambda now: now["zinc_broker_working"] == 1)
        slow.kill()
        now = web.wait(lambda now: now["zinc_broker_waiting"] == 1)
        self.assertEqual(now["zinc_broker_workers"], 0)
        self.assertEqual(now["zinc_broker_requeued_total"], 1)
        start_worker(self, broker.endpoint, "slow", "0.2")
        self.assertEqual(client.read_line(), "body")
        now = web.metrics()
        self.assertEqual(now["zinc_broker_replies_total"], 1)
        self.assertEqual(now["zinc_broker_queue_time_seconds_count"], 2)
        self.assertEqual(now["zinc_broker_work_time_seconds_count"], 1)
        self.assertEqual(now["zinc_broker_workers_registered_total"], 2)
        self.stop(broker)

    def test_status_metrics_and_mmi_agree(self):
        broker, web = self.start_broker()
        start_worker(self, broker.endpoint, "echo", "0.2")
        self.request(broker, "echo", "--count", "100")
        client = self.context.socket(zmq.DEALER)
        self.addCleanup(client.close, 0)
        client.rcvtimeo = int(PATIENCE * 1000)
        client.connect(broker.endpoint)
        client.send_multipart([b"MDPC02", b"\x01", b"mmi.broker", b""])
        by_mmi = numbers(client.recv_multipart()[-1])
        status = web.status()
        metrics = web.metrics()
        [record] = status["groups"]["broker"]
        self.assertEqual(record["endpoint"], broker.endpoint)
        self.assertEqual(by_mmi["requests"], 100)
        for key, value in by_mmi.items():
            self.assertEqual(record[key], value, key)
            self.assertEqual(metrics[status["figures"]["broker"][key]["metric"]], value, key)
        self.assertEqual(record["queue_time"]["count"], 100)
        bounds = status["figures"]["broker"]["queue_time"]["bounds"]
        self.assertEqual(len(record["queue_time"]["buckets"]), len(bounds) + 1)
        [service] = status["groups"]["service"]
        self.assertEqual((service["service"], service["replies"]), ("echo", 100))
        self.stop(broker)

    def test_brokers_of_several_threads_are_in_one_report(self):
        broker, endpoints, web = self.start_brokers_of_two_threads()
        for endpoint in endpoints:
            start_worker(self, endpoint, "echo", "0.2")
            done = subprocess.run(request_arguments(endpoint, "echo", "0.2", "--count", "10"),
                                  capture_output=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0)
        groups = web.status()["groups"]
        self.assertEqual([one["endpoint"] for one in groups["broker"]], endpoints)
        self.assertEqual([one["requests"] for one in groups["broker"]], [10, 10])
        self.assertEqual([one["endpoint"] for one in groups["service"]], endpoints)
        self.stop(broker)

    def test_a_draining_broker_is_not_ready(self):
        broker, web = self.start_broker()
        start_worker(self, broker.endpoint, "slow", "0.2", "--delay", "1h")
        web.wait(lambda now: now["zinc_broker_workers"] == 1)
        Program(self, request_arguments(broker.endpoint, "slow", "0.2", "body"))
        web.wait(lambda now: now["zinc_broker_working"] == 1)
        self.assertEqual(web.get("/readyz"), (200, "ready\n"))
        broker.signal(signal.SIGTERM)
        web.wait_ready(503)
        self.assertEqual(web.get("/readyz"), (503, "not ready: the broker drains\n"))
        self.assertEqual(web.get("/healthz"), (200, "alive\n"))

    def test_open_connections_do_not_delay_the_end(self):
        broker, web = self.start_broker()
        with socket.create_connection(("127.0.0.1", web.port)) as idle:
            web.get("/healthz")
            self.stop(broker)
            idle.settimeout(PATIENCE)
            self.assertEqual(idle.recv(1), b"")


class OtherComponentsTest(ComponentsCase):
    def test_a_map_server_with_a_store_reports_the_time_of_the_disk(self):
        server, web = self.serve("chp", "server", "--bind", ANY, "--store", self.path("map"))
        before = web.metrics()["zinc_chp_sync_time_seconds_count"]
        self.set_key(server, "/a")
        now = web.metrics()
        self.assertGreater(now["zinc_chp_sync_time_seconds_count"], before)
        self.assertGreater(now["zinc_chp_sync_time_seconds_sum"], 0)
        self.stop(server)

    def test_a_map_server_reports_its_keys(self):
        server, web = self.start_map()
        now = web.metrics()
        self.assertEqual(now["zinc_chp_keys"], 2)
        self.assertEqual(now["zinc_chp_updates_total"], 3)
        self.assertEqual(now["zinc_chp_active"], 1)
        self.assertEqual(now['zinc_chp_stored{state="nothing"}'], 1)
        self.assertEqual(now["zinc_chp_acknowledge_time_seconds_count"], 3)
        self.assertEqual(now["zinc_chp_sync_time_seconds_count"], 0)
        self.assertEqual(web.get("/readyz")[0], 200)
        self.stop(server)

    def test_a_node_of_a_pair_is_ready_while_it_is_active(self):
        (primary, _), (backup, backup_web) = self.start_nodes()
        primary.kill()
        backup_web.wait_ready(200)
        self.assertEqual(backup_web.metrics()["zinc_bstar_peer_alive"], 0)
        self.stop(backup)

    def test_titanic_reports_its_backlog(self):
        broker, titanic, web = self.start_titanic()
        client = self.leave_request(broker, web)
        now = web.metrics()
        self.assertEqual(now["zinc_titanic_accepted_total"], 1)
        self.assertEqual(now['zinc_titanic_service_pending{service="later"}'], 1)
        start_worker(self, broker.endpoint, "later", "0.2")
        self.assertEqual(client.read_line(), "body")
        self.assertEqual(client.wait(), 0)
        now = web.metrics()
        self.assertEqual(now["zinc_titanic_pending"], 0)
        self.assertEqual(now["zinc_titanic_answered_total"], 1)
        self.assertEqual(now["zinc_titanic_closed_total"], 1)
        self.stop(titanic)

    def test_a_proxy_reports_its_messages(self):
        proxy, web = self.start_streamer()
        now = web.metrics()
        self.assertEqual(now["zinc_proxy_frontend_received_total"], 100)
        self.assertEqual(now["zinc_proxy_frontend_received_bytes_total"], 500)
        self.assertEqual(now["zinc_proxy_backend_sent_total"], 100)
        self.stop(proxy)

    def test_a_cache_reports_its_topics(self):
        proxy, web = self.start_cache()
        self.assertEqual(web.metrics()["zinc_cache_topics"], 2)
        self.stop(proxy)


@unittest.skipUnless(shutil.which("promtool"), "needs Debian's package prometheus")
class PromtoolTest(ComponentsCase):
    def check(self, web):
        done = subprocess.run(["promtool", "check", "metrics"], input=web.get("/metrics")[1],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_it_reports_nothing(self):
        for one in self.components():
            with self.subTest(one.name):
                self.check(one.web)
        self.check(self.start_brokers_of_two_threads()[2])


class AddressTest(HttpCase):
    def run_broker(self, *words):
        return subprocess.run([zinc_path(), "broker", "--bind", ANY, *words], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)

    def test_a_malformed_address_is_misuse(self):
        done = self.run_broker("--http", "example.com:80")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'example.com:80' is not an address; give PORT", done.stderr)

    def test_an_address_in_use_is_a_failure(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            done = self.run_broker("--http", str(other.getsockname()[1]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot bind --http 127.0.0.1:", done.stderr)
        self.assertIn("choose another address", done.stderr)

    def test_an_address_that_others_can_reach_is_warned_about(self):
        process = subprocess.Popen([zinc_path(), "broker", "--bind", ANY, "--http", "*:0"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while not process.stdout.readline().startswith("http "):
            pass
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.assertIn("http without authentication", errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)

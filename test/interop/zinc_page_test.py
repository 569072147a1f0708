#!/usr/bin/python3
"""The page of --http in Chromium: what it shows equals what the component did."""

import subprocess
import sys
import unittest
from contextlib import ExitStack

sys.dont_write_bytecode = True
from chromium import Page, chromium_path  # noqa: E402: behind the line above
from http_case import Live  # noqa: E402
from http_components import ComponentsCase  # noqa: E402
from interop_case import long_run  # noqa: E402
from page_expressions import (AXES, BACKGROUND, BUTTON, FILTER, PLOTS, SAID, STATE, TABLE, WIDTH,  # noqa: E402
                              click_head, click_summary, figure, operator_cell, rows, service)
from zinc_programs import PATIENCE, reserve_ports, start_request, start_worker, zinc_path  # noqa: E402


@unittest.skipUnless(long_run(), "takes minutes: tools/test --long")
@unittest.skipUnless(chromium_path(), "needs Debian's package chromium")
class PageTest(ComponentsCase):
    def open(self, web, **options):
        page = Page(self, web.url, **options)
        page.wait("![undefined, 'connecting'].includes(" + STATE + ")", True)
        return page

    def expect_page_to_equal(self, page, web, group, keys):
        """The page shows the figures of the component, which change no more."""
        record = web.status()["groups"][group][0]
        for key in keys:
            page.wait(figure(group, key), f"{record[key]:,}")
        return record

    def test_every_component_wide_and_on_a_phone_in_the_dark(self):
        page = Page(self, "about:blank")
        for one in self.components():
            with self.subTest(one.name):
                page.show_as()
                page.open(one.web.url)
                page.wait(STATE, "ready")
                self.expect_page_to_equal(page, one.web, one.group, one.figures)
                self.assertEqual(page.evaluate(PLOTS), one.plots)
                self.assertEqual(page.evaluate(AXES), one.plots * [["10 minutes ago", "now"]])
                self.assertEqual(page.evaluate(BACKGROUND), "rgb(255, 255, 255)")
                self.assertTrue(page.evaluate(WIDTH), "the page is wider than the screen")
                page.save_screenshot(one.name)
                page.show_as(width=390, height=844, dark=True)
                self.assertEqual(page.evaluate(BACKGROUND), "rgb(13, 17, 23)")
                self.assertTrue(page.evaluate(WIDTH), "the page is wider than a phone")
                page.save_screenshot(one.name + "_phone_dark")
        self.assertEqual(page.faults, [])

    def test_a_broker_that_loses_a_worker_under_load(self):
        broker, web = self.start_broker("--service", "echo:attempts=10")
        workers = [start_worker(self, broker.endpoint, "echo", "0.2") for _ in range(3)]
        page = self.open(web)
        page.wait(figure("broker", "workers"), "3")
        client = start_request(self, broker.endpoint, "echo", "0.2", "--count", "100000", "--in-flight", "1000",
                               "--timeout", "2m")
        client.discard_output()
        # While it is suspended, the broker assigns requests to it that another worker then gets.
        page.wait(f"{figure('broker', 'replies')} !== '0'", True)
        workers[0].suspend()
        page.wait(f"Number({service('echo', 'replies')}.replaceAll(',', '')) > 20000", True)
        workers[0].kill()
        page.wait(figure("broker", "workers"), "2")
        self.assertEqual(client.wait(8 * PATIENCE), 0)
        page.wait(figure("broker", "replies"), "100,000")
        record = self.expect_page_to_equal(page, web, "broker", (
            "workers", "requests", "replies", "requeued", "expired", "waiting", "working"))
        self.assertEqual((record["requests"], record["replies"], record["workers"]), (100_000, 100_000, 2))
        self.assertGreater(record["requeued"], 0)
        self.assertEqual(page.faults, [])

    def test_a_broker(self):
        broker, web = self.start_broker()
        workers = [start_worker(self, broker.endpoint, "echo", "0.2") for _ in range(2)]
        page = self.open(web)
        page.wait(figure("broker", "workers"), "2")
        self.request(broker, "echo", "--count", "100000", "--in-flight", "100")
        page.wait(figure("broker", "replies"), "100,000")
        page.wait(service("echo", "replies"), "100,000")
        page.evaluate(click_summary("worker"))
        page.wait(rows("worker"), ["echo", "echo"])
        workers[0].kill()
        page.wait(service("echo", "workers"), "1")
        page.wait(rows("worker"), ["echo", "echo"])  # as they were when they were read
        page.evaluate("[...document.querySelectorAll('button')].find((e) => e.textContent === 'read again').click()")
        page.wait(rows("worker"), ["echo"])
        page.evaluate(click_summary("client"))
        page.wait("document.querySelector('[aria-label=\"Figures of client\"]').textContent", "none")
        self.assertEqual(page.evaluate(STATE), "ready")
        page.save_screenshot("broker_after_a_lost_worker")
        # The keyboard reaches the buttons, and the redrawn page keeps the focus.
        page.evaluate("[...document.querySelectorAll('thead button')].find((e) =>"
                      " e.textContent.startsWith('requests')).focus()")
        focused = "document.activeElement.dataset.key"
        page.wait(focused, "service requests")
        self.request(broker, "echo", "--count", "1")
        page.wait(service("echo", "replies"), "100,001")
        self.assertEqual(page.evaluate(focused), "service requests")
        self.assertEqual(page.faults, [])
        broker.stop()
        page.wait(STATE, "disconnected")

    def test_the_table_of_services(self):
        broker, web = self.start_broker()
        # The order by name differs from the order by time.
        for name, delay in (("a", "1s"), ("b", "0s"), ("c", "3s")):
            start_worker(self, broker.endpoint, name, "0.2", "--delay", delay)
            self.request(broker, name, "--count", "1")
        page = self.open(web)
        page.wait(service("c", "replies"), "1")
        page.evaluate(click_head("service", "work_time"))
        page.wait(rows("service"), ["c", "a", "b"])
        page.evaluate(click_head("service", "work_time"))
        page.wait(rows("service"), ["b", "a", "c"])
        # All rows have the same endpoint. The times are in sight without scrolling.
        heads = page.evaluate(f"[...document.querySelectorAll('{TABLE} thead th')].map((e) =>"
                              " e.textContent.split(' ')[0])")
        self.assertEqual(heads[:8], ["service", "workers", "busy", "waiting", "working", "bytes", "queue_time",
                                     "work_time"])
        client = self.client(broker.endpoint, "0.2")
        for i in range(200):
            client.send(b"%03d" % i, b"body")
        page.wait(rows("service") + ".length", 200)
        page.wait(f"document.querySelector('{TABLE}').previousElementSibling.textContent",
                  "200 of 203 rows are shown")
        page.save_screenshot("broker_of_many_services")
        self.assertEqual(page.faults, [])

    def test_each_table_has_a_filter_of_its_own(self):
        _, endpoints, web = self.start_brokers_of_two_threads()
        ten, one = (self.client(endpoints[0], "0.2") for _ in range(2))
        names = [f"service-{i}" for i in range(10)]
        for name in names:
            ten.send(name.encode(), b"body")
        one.send(b"other", b"body")
        page = self.open(web)
        page.wait(rows("service") + ".length", 11)
        page.fill(FILTER, "service-3")
        page.wait(rows("service"), ["service-3"])
        self.assertEqual(page.evaluate(rows("broker")), endpoints)
        # Ten rows need no filter, so the one that was typed does not hide them.
        one.close()
        page.wait(rows("service"), names)
        self.assertEqual(page.faults, [])

    def test_a_redraw_disturbs_nothing(self):
        broker, web = self.start_broker()
        start_worker(self, broker.endpoint, "echo", "0.2")
        client = self.client(broker.endpoint, "0.2")
        for i in range(11):
            client.send(b"service-%d" % i, b"body")
        page = self.open(web, width=390, height=844)
        page.wait(rows("service") + ".length", 12)
        page.fill(FILTER, "service-1")
        page.wait(rows("service"), ["service-1", "service-10"])
        scroll = f"document.querySelector('{TABLE}').scrollLeft"
        page.evaluate(f"document.activeElement.setSelectionRange(2, 2), {scroll} = 100")
        self.request(broker, "echo", "--count", "1")
        page.wait(figure("broker", "replies"), "1")
        self.assertTrue(page.evaluate(f"document.activeElement === document.querySelector('{FILTER}')"))
        self.assertEqual(page.evaluate("document.activeElement.selectionStart"), 2)
        self.assertEqual(page.evaluate(scroll), 100)
        page.evaluate("getSelection().selectAllChildren([...document.querySelectorAll('tbody th')].find((e) =>"
                      " e.textContent === 'service-1'))")
        self.request(broker, "echo", "--count", "1")
        page.wait(figure("broker", "replies"), "2")
        self.assertEqual(page.evaluate("getSelection().toString()"), "service-1")
        page.evaluate("getSelection().removeAllRanges()")
        page.fill(FILTER, "echo")
        page.wait(service("echo", "replies"), "2")
        self.assertEqual(page.faults, [])

    def test_a_page_above_the_limit_says_so(self):
        _, web = self.start_broker()
        with ExitStack() as others:
            for _ in range(16):
                others.enter_context(Live(web.port))
            page = self.open(web)
            self.assertEqual(page.evaluate(STATE), "no updates: the server refuses this page; close other pages")
        page.wait(STATE, "ready")
        self.assertEqual(page.evaluate(PLOTS), 4)

    def list_for_operator(self, page, token):
        page.fill("#token", token)
        page.evaluate("document.querySelector('#operator_form button').click()")

    def operate(self, page, action):
        """Lists one item, and clicks its button twice."""
        page.wait("document.getElementById('operator').hidden", False)
        page.evaluate("document.querySelector('#operator summary').click()")
        self.list_for_operator(page, self.TOKEN[:-1] + "X")
        page.wait(SAID, "401 Unauthorized; send the field Authorization: Bearer with the token of"
                        " --http-operator-file")
        self.assertEqual(page.evaluate(BUTTON + "?.textContent"), None)
        self.list_for_operator(page, self.TOKEN)
        page.wait(BUTTON + "?.textContent", action)
        page.evaluate(f"{BUTTON}.focus(), {BUTTON}.click()")
        page.wait(BUTTON + "?.textContent", f"really {action}?")
        self.assertTrue(page.evaluate(f"document.activeElement === {BUTTON}"), "the focus is lost")
        page.evaluate(BUTTON + ".click()")

    def expect_only_the_wrong_token(self, page):
        """The browser itself reports the status 401. It reports nothing that breaks the policy of the page."""
        [fault] = page.faults
        self.assertIn("the server responded with a status of 401", fault["text"])

    def test_an_operator_drains_a_worker(self):
        # The worker of the test sends no heartbeats.
        broker, web = self.start_broker("--heartbeat", "1h", "--http-operator-file", self.write_token())
        worker = self.worker(broker.endpoint, b"slow", "0.2")
        client = start_request(self, broker.endpoint, "slow", "0.2", "body")
        request = worker.receive_request()
        page = self.open(web)
        self.operate(page, "drain")
        page.wait(operator_cell("draining"), "true")
        self.assertEqual(page.evaluate(operator_cell("service")), "slow")
        self.assertEqual(page.evaluate(operator_cell("worker")), web.status()["groups"]["worker"][0]["worker"])
        page.save_screenshot("broker_operator")
        worker.reply(request.address, b"done")
        self.assertEqual(client.read_line(), "done")
        worker.receive_disconnect()
        self.list_for_operator(page, self.TOKEN)
        page.wait(SAID, "There are no workers.")
        self.expect_only_the_wrong_token(page)

    def test_an_operator_purges_a_request(self):
        broker, _, web = self.start_titanic("--http-operator-file", self.write_token())
        self.leave_request(broker, web)
        page = self.open(web)
        self.operate(page, "purge")
        page.wait(SAID, "There are no requests.")
        page.wait(figure("titanic", "requests"), "0")
        self.expect_only_the_wrong_token(page)

    def test_a_pair_of_map_servers_fails_over(self):
        ports = reserve_ports(self, 8)
        bound = [f"tcp://127.0.0.1:{ports + 3 * i}" for i in range(2)]
        state = [f"tcp://127.0.0.1:{ports + 6 + i}" for i in range(2)]
        servers = [self.serve("chp", "server", role, "--bind", bound[i], "--peer", bound[1 - i],
                              "--bstar-bind", state[i], "--bstar-connect", state[1 - i],
                              "--heartbeat", "200ms")
                   for i, role in enumerate(("--primary", "--backup"))]
        pages = [self.open(web) for _, web in servers]
        pages[0].wait(STATE, "ready")
        pages[1].wait(STATE, "not ready: the server is not active")
        pages[1].wait(figure("chp", "following"), "true")
        both = [word for one in bound for word in ("--connect", one)]
        for key in ("/a", "/b", "/c"):
            done = subprocess.run([zinc_path(), "chp", "set", key, "x", *both], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        for page in pages:
            page.wait(figure("chp", "keys"), "3")
        pages[0].save_screenshot("chp_pair")
        servers[0][0].kill()
        done = subprocess.run([zinc_path(), "chp", "set", "/d", "x", *both], capture_output=True, text=True,
                              timeout=4 * PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        pages[1].wait(STATE, "ready")
        pages[1].wait(figure("chp", "keys"), "4")
        pages[1].wait(figure("bstar", "state"), "active")
        record = self.expect_page_to_equal(pages[1], servers[1][1], "chp", ("keys", "updates"))
        self.assertEqual(record["keys"], 4)
        pages[1].save_screenshot("chp_after_failover")
        self.assertEqual(pages[1].faults, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

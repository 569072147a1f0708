#!/usr/bin/python3
"""The JavaScript client of tools/web in Chromium, and parts of it in Node.js."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from certificates import Certificates  # noqa: E402: behind the line above
from chromium import Page, chromium_path  # noqa: E402
from interop_case import long_run  # noqa: E402
from jszmq_peers import Site  # noqa: E402
from zinc_programs import (PATIENCE, Broker, Program, Server, reserve_ports, start_worker,  # noqa: E402
                           zinc_path)

ROOT = Path(__file__).resolve().parents[2]

# The test looks at the attributes of the body.
PAGE = """<!doctype html><link rel=icon href=icon.svg><body><script type=module>
import * as zinc from './zinc.js';
Object.assign(globalThis, zinc);
globalThis.show = (copy) => {
  const entries = [...copy.entries].map(([key, value]) => [key, zinc.text(value)]).sort();
  document.body.dataset.map = JSON.stringify(entries);
};
document.body.dataset.ready = 'yes';
</script>"""


@unittest.skipUnless(long_run(), "takes minutes: tools/test --long")
@unittest.skipUnless(shutil.which("node"), "needs Node.js: tools/setup --for long")
class InNode(unittest.TestCase):
    def run_tests(self, name, count):
        done = subprocess.run(["node", "--test", ROOT / "test/interop" / name], capture_output=True, text=True,
                              timeout=4 * PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"# pass {count}\n", done.stdout)

    def test_frames_and_the_copy_of_a_map(self):
        self.run_tests("zinc_js_pure.mjs", 12)

    def test_connections(self):
        self.run_tests("zinc_js_connections.mjs", 7)


@unittest.skipUnless(long_run(), "takes minutes: tools/test --long")
@unittest.skipUnless(chromium_path(), "needs Debian's package chromium")
class InChromium(unittest.TestCase):
    def setUp(self):
        self.site = Site(self)
        for name in ("zinc.js", "zws.js", "map_copy.js"):
            self.site.write(name, (ROOT / "tools/web" / name).read_text(encoding="utf-8"))
        self.site.write("icon.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")

    def open(self, html=PAGE, switches=()):
        self.site.write("index.html", html)
        return Page(self, self.site.origin + "/index.html", switches=switches)

    def opened(self, *switches):
        page = self.open(switches=switches)
        page.wait("document.body?.dataset.ready", "yes")
        return page

    def expect_no_exception(self, page):
        """The browser reports connections that failed or were closed early as well. They are expected."""
        self.assertEqual([fault for fault in page.faults if "exceptionId" in fault], [])

    def start_broker(self):
        """A broker, and its endpoint for the page."""
        broker = Broker(self, "--bind", "ws://127.0.0.1:*/mdp", "--websocket-origin", self.site.origin)
        return broker, broker.read_line().split()[1]

    def start_map(self, *words):
        """A map server for programs and for the page, and its endpoint for the page."""
        server = Server(self, [zinc_path(), "chp", "server", "--bind", "tcp://127.0.0.1:*", "--bind",
                               "ws://127.0.0.1:*/map", "--websocket-origin", self.site.origin, *words])
        return server, server.read_line().split()[1]

    def call(self, page, endpoint, body, **options):
        """The reply, or the code of the error."""
        return page.evaluate(f"callService({json.dumps(endpoint)}, 'echo', {json.dumps(body)}, {json.dumps(options)})"
                             ".then((reply) => reply.map(text), (error) => error.code)")

    def set(self, endpoints, key, value):
        words = ["set", key, value] if value else ["delete", key]
        connects = [word for one in endpoints for word in ("--connect", one)]
        done = subprocess.run([zinc_path(), "chp", *words, *connects], capture_output=True, text=True,
                              timeout=4 * PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def expect_map(self, page, **entries):
        expected = sorted(["/lamp/" + key, value] for key, value in entries.items())
        page.wait("document.body.dataset.map && JSON.parse(document.body.dataset.map)", expected)

    def follow(self, page, endpoints, subtree="/lamp/"):
        page.evaluate("globalThis.errors = []; globalThis.changes = [];"
                      f"globalThis.copy = followMap({json.dumps(endpoints)}, {json.dumps(subtree)}, (key, value) => {{"
                      " changes.push(key); show(copy); }, {pause: 50, onError: (error) => errors.push(error.code)}); 0")

    def test_calls_of_a_service(self):
        broker, endpoint = self.start_broker()
        start_worker(self, broker.endpoint, "echo", "0.1")
        page = self.opened()
        for body in (["hello"], ["", "a"], ["x" * 70_000], ["y" * 400_000]):
            self.assertEqual(self.call(page, endpoint, body), body)
        many = page.evaluate(f"Promise.all([...Array(100).keys()].map((i) => callService({json.dumps(endpoint)}, 'echo',"
                             " [String(i)]))).then((all) => all.map(([part]) => text(part)))")
        self.assertEqual(many, [str(number) for number in range(100)])
        self.expect_no_exception(page)

    def test_a_call_over_tls(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate = Certificates(folder.name, "authority").issue("server", "IP:127.0.0.1")
        broker = Broker(self, "--bind", "wss://127.0.0.1:*/mdp", "--websocket-origin", self.site.origin,
                        "--tls-certificate", certificate)
        endpoint = broker.read_line().split()[1]
        start_worker(self, broker.endpoint, "echo", "0.2")
        # The browser does not know the authority.
        page = self.opened("--ignore-certificate-errors")
        self.assertEqual(self.call(page, endpoint, ["x" * 70_000]), ["x" * 70_000])
        self.expect_no_exception(page)
        self.assertEqual(self.call(self.opened(), endpoint, ["hello"]), "closed")

    def test_failures_of_a_call(self):
        broker, endpoint = self.start_broker()
        page = self.opened()
        self.assertEqual(self.call(page, endpoint, ["no worker"], timeout=100), "timeout")
        self.assertEqual(page.evaluate(
            "(() => { const stop = new AbortController();"
            f" const call = callService({json.dumps(endpoint)}, 'echo', ['x'], {{signal: stop.signal}});"
            " stop.abort(); return call.catch((error) => error.code); })()"), "aborted")
        self.assertEqual(page.evaluate(
            f"callService({json.dumps(endpoint)}, 'echo', ['x'], {{signal: AbortSignal.abort()}})"
            ".catch((error) => error.code)"), "aborted")
        broker.kill()
        self.assertEqual(self.call(page, endpoint, ["nobody"]), "closed")

    def test_a_page_of_another_origin_is_refused(self):
        broker = Broker(self, at="ws://127.0.0.1:*/mdp")
        self.assertEqual(self.call(self.opened(), broker.endpoint, ["x"]), "closed")

    def test_a_map(self):
        server, endpoint = self.start_map()
        self.set([server.endpoint], "/lamp/kitchen", "on")
        self.set([server.endpoint], "/other", "x")
        page = self.opened()
        self.follow(page, endpoint)
        self.expect_map(page, kitchen="on")
        self.set([server.endpoint], "/lamp/hall", "off")
        self.expect_map(page, kitchen="on", hall="off")
        self.set([server.endpoint], "/lamp/kitchen", "")
        self.expect_map(page, hall="off")
        self.assertEqual(page.evaluate("changes"), ["/lamp/kitchen", "/lamp/hall", "/lamp/kitchen"])
        self.assertEqual(page.evaluate("[copy.following, errors.length]"), [True, 0])
        page.evaluate("copy.close()")
        self.assertEqual(page.evaluate("copy.following"), False)
        self.expect_no_exception(page)

    def test_a_server_that_returns_with_another_map(self):
        ports = reserve_ports(self, 6)
        at = ["--bind", f"tcp://127.0.0.1:{ports}", "--bind", f"ws://127.0.0.1:{ports + 3}/map"]
        words = [zinc_path(), "chp", "server", *at, "--websocket-origin", self.site.origin]
        server = Server(self, words)
        for key in ("kitchen", "hall"):
            self.set([server.endpoint], "/lamp/" + key, "on")
        page = self.opened()
        self.follow(page, f"ws://127.0.0.1:{ports + 3}/map")
        self.expect_map(page, kitchen="on", hall="on")
        server.kill()
        page.evaluate("document.body.dataset.map = ''")
        server = Server(self, words)
        self.set([server.endpoint], "/lamp/hall", "off")
        self.expect_map(page, hall="off")
        self.set([server.endpoint], "/lamp/attic", "on")
        self.expect_map(page, hall="off", attic="on")

    def test_a_pair_fails_over(self):
        ports = reserve_ports(self, 14)
        bound = [f"tcp://127.0.0.1:{ports + 3 * i}" for i in range(2)]
        web = [f"ws://127.0.0.1:{ports + 6 + 3 * i}/map" for i in range(2)]
        state = [f"tcp://127.0.0.1:{ports + 12 + i}" for i in range(2)]
        servers = [Program(self, [zinc_path(), "chp", "server", role, "--bind", bound[i], "--bind", web[i],
                                  "--peer", bound[1 - i], "--bstar-bind", state[i], "--bstar-connect", state[1 - i],
                                  "--heartbeat", "200ms", "--websocket-origin", self.site.origin])
                   for i, role in enumerate(("--primary", "--backup"))]
        self.set(bound, "/lamp/kitchen", "on")
        page = self.opened()
        self.follow(page, web)
        self.expect_map(page, kitchen="on")
        servers[0].kill()
        # Only the requests of the page make the backup active.
        page.evaluate("document.body.dataset.map = ''")
        self.set(bound, "/lamp/hall", "on")
        self.expect_map(page, kitchen="on", hall="on")

    def test_the_listing_of_the_documentation(self):
        broker, calls = self.start_broker()
        start_worker(self, broker.endpoint, "upper", "0.2", "--exec", "tr a-z A-Z")
        server, lamps = self.start_map()
        text = (ROOT / "docs/javascript.md").read_text(encoding="utf-8")
        listing = re.search(r"```html\n(.*?)```", text, re.DOTALL).group(1)
        for written, actual in (("ws://localhost:8080/mdp", calls), ("ws://localhost:5561/map", lamps)):
            self.assertIn(written, listing)
            listing = listing.replace(written, actual)
        page = self.open(listing.replace("<title>", "<link rel=icon href=icon.svg><title>"))
        page.wait("document.getElementById('reply')?.textContent", "HELLO")
        self.set([server.endpoint], "/lamp/kitchen", "on")
        items = "[...document.querySelectorAll('#lamps li')].map((item) => item.textContent)"
        page.wait(items, ["/lamp/kitchen is on"])
        self.set([server.endpoint], "/lamp/kitchen", "")
        page.wait(items, [])
        self.expect_no_exception(page)


if __name__ == "__main__":
    unittest.main(verbosity=2)

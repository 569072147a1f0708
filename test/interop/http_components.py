"""Every component that has --http, each with figures to show."""

from typing import NamedTuple
import subprocess

from http_case import ANY, HttpCase, Web
from zinc_programs import PATIENCE, Program, reserve_ports, start_worker, zinc_path
import zmq


class Component(NamedTuple):
    name: str
    web: Web
    plots: int
    group: str
    figures: tuple  # members of the group that do not change


class ComponentsCase(HttpCase):
    def components(self):
        """Starts them one after the other."""
        broker, web = self.start_broker()
        start_worker(self, broker.endpoint, "echo", "0.2")
        self.request(broker, "echo", "--count", "100")
        yield Component("broker", web, 4, "broker", ("replies", "workers"))
        _, web = self.start_map()
        yield Component("chp", web, 4, "chp", ("keys", "updates"))
        broker, _, web = self.start_titanic()
        self.leave_request(broker, web)
        yield Component("titanic", web, 4, "titanic", ("pending", "accepted"))
        (_, web), _ = self.start_nodes()
        yield Component("bstar", web, 1, "bstar", ("pair_epoch",))
        _, web = self.start_streamer()
        yield Component("proxy", web, 2, "proxy", ("frontend_received", "backend_sent"))
        _, web = self.start_cache()
        yield Component("cache", web, 2, "cache", ("topics",))

    def start_map(self):
        """Two keys, after three updates."""
        server, web = self.serve("chp", "server", "--bind", ANY)
        for key in ("/a", "/b", "/a"):
            self.set_key(server, key)
        return server, web

    def set_key(self, server, key):
        done = subprocess.run([zinc_path(), "chp", "set", key, "x", "--connect", server.endpoint],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def start_nodes(self):
        """A pair: the active node, then the passive one."""
        first = reserve_ports(self, 2)
        ends = [f"tcp://127.0.0.1:{first + i}" for i in range(2)]
        nodes = [self.serve("bstar", role, "--bind", ends[i], "--connect", ends[1 - i], "--heartbeat", "100ms")
                 for i, role in enumerate(("--primary", "--backup"))]
        nodes[0][1].wait_ready(200)
        nodes[1][1].wait_ready(503)
        nodes[1][1].wait(lambda now: now.get('zinc_bstar_state{state="passive"}') == 1)
        return nodes

    def start_streamer(self):
        """A proxy after 100 messages of 5 bytes."""
        proxy = Program(self, [zinc_path(), "proxy", "streamer", "--frontend", ANY, "--backend", ANY,
                               "--http", "0"])
        ends = [proxy.read_line().split()[1] for _ in range(2)]
        web = Web(proxy)
        push, pull = self.context.socket(zmq.PUSH), self.context.socket(zmq.PULL)
        for one, end in ((push, ends[0]), (pull, ends[1])):
            self.addCleanup(one.close, 0)
            one.rcvtimeo = int(PATIENCE * 1000)
            one.connect(end)
        for _ in range(100):
            push.send(b"12345")
        for _ in range(100):
            self.assertEqual(pull.recv(), b"12345")
        return proxy, web

    def start_cache(self):
        """A proxy with the last values of two topics."""
        proxy = Program(self, [zinc_path(), "proxy", "forwarder", "--last-value", "--frontend", ANY,
                               "--backend", ANY, "--http", "0"])
        frontend = proxy.read_line().split()[1]
        proxy.read_line()
        web = Web(proxy)
        pub = self.context.socket(zmq.XPUB)
        self.addCleanup(pub.close, 0)
        pub.rcvtimeo = int(PATIENCE * 1000)
        pub.connect(frontend)
        pub.recv()  # the subscription of the cache
        for topic in (b"a", b"b", b"a"):
            pub.send_multipart([topic, b"x"])
        web.wait(lambda now: now["zinc_cache_topics"] == 2)
        return proxy, web

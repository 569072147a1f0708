"""jszmq, the ZeroMQ of JavaScript, as a peer: in Node.js and in Chromium. It speaks WebSocket with ZWS2.0 only."""

import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from chromium import Page, chromium_path
from zinc_programs import PATIENCE, Program

HERE = Path(__file__).resolve().parent


def npm_folder():
    """The packages of `tools/setup --for long`, or None."""
    folder = os.environ.get("NODE_PATH") or os.path.expanduser("~/.cache/zinc-npm/node_modules")
    return folder if Path(folder, "jszmq").is_dir() and shutil.which("node") else None


def node(*words):
    """The arguments and the environment of a program of JavaScript."""
    return ["node", *map(str, words)], {"NODE_PATH": npm_folder()}


def to_hex(parts):
    return json.dumps([part.hex() for part in parts])


def from_hex(parts):
    return [bytes.fromhex(part) for part in parts]


class NodePeer:
    """A socket that connects to an endpoint, or that binds to a path if it has no endpoint."""

    def __init__(self, test, socket_type, endpoint=None, prefixes=()):
        how = ("connect", endpoint) if endpoint else ("bind", "/zws")
        arguments, environment = node(HERE / "jszmq_peer.js", socket_type, *how, *(one.hex() for one in prefixes))
        self._program = Program(test, arguments, stdin=subprocess.PIPE, environment=environment)
        test.addCleanup(self._program.process.stdin.close)
        self.endpoint = endpoint or self._program.read_line().split()[1]

    def send(self, *parts):
        self._program.process.stdin.write(to_hex(parts).encode() + b"\n")

    def receive(self, patience=PATIENCE):
        return from_hex(json.loads(self._program.read_line(patience)))


class Site:
    """A folder of files on a port of this machine: pages of one origin."""

    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder.name)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{server.server_address[1]}"

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")


def jszmq_page(test):
    """A page with jszmq."""
    site = Site(test)
    folder = npm_folder()
    subprocess.run([Path(folder, "esbuild/bin/esbuild"), HERE / "jszmq_socket.js", "--bundle", "--format=iife",
                    "--global-name=jszmq", "--platform=browser", "--define:global=globalThis",
                    "--banner:js=var process = {env: {}};", "--log-level=error",
                    f"--outfile={site.folder}/jszmq.js"], env={**os.environ, "NODE_PATH": folder},
                   timeout=4 * PATIENCE, check=True)
    site.write("icon.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    site.write("index.html", "<!doctype html><link rel=icon href=icon.svg><body><script src=jszmq.js></script>"
               "<script>document.body.title = typeof jszmq</script>")
    page = Page(test, site.origin + "/index.html")
    page.wait("document.body?.title", "object")
    return page


class PagePeer:
    """A socket in a page that has jszmq."""

    def __init__(self, page, socket_type, endpoint, prefixes=()):
        self._page = page
        self._number = page.evaluate(
            "(globalThis.sockets = globalThis.sockets || []).push("
            f"jszmq.open({json.dumps(socket_type)}, {to_hex(prefixes)})) - 1")
        self._page.evaluate(f"sockets[{self._number}].connect({json.dumps(endpoint)})")

    def send(self, *parts):
        self._page.evaluate(f"sockets[{self._number}].send({to_hex(parts)}), 0")

    def receive(self, patience=PATIENCE):
        found = self._page.evaluate(
            f"Promise.race([sockets[{self._number}].receive(),"
            f" new Promise((done) => setTimeout(() => done(null), {patience * 1000}))])")
        if found is None:
            raise AssertionError("no message in time")
        return from_hex(found)


__all__ = ["NodePeer", "PagePeer", "Site", "chromium_path", "jszmq_page", "node", "npm_folder"]

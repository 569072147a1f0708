"""The servers whose state the tests of zinc status and top read."""

import contextlib
import json
import os
import tempfile

from zinc_program import DEADLINE, run, started

# The name of a service that clears the screen of a terminal which gets it.
EVIL = "evil\x1b[2J\x9b"
EVIL_BYTES = EVIL.encode("latin-1")
EVIL_PRINTED = r"evil\x1b[2J\x9b"


def line_of(process, name):
    """The rest of the next line, which starts with this word."""
    line = process.stdout.readline()
    assert line.startswith(name + " "), line
    return line[len(name) + 1:].strip()


@contextlib.contextmanager
def broker(*words):
    """A broker, its endpoint and the URL of its figures."""
    with started("broker", "--bind", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", *words) as process:
        endpoint = line_of(process, "bound")
        yield process, endpoint, line_of(process, "http").rstrip("/")


@contextlib.contextmanager
def worker(endpoint, service):
    with started("worker", "--connect", endpoint, "--service", service) as process:
        assert run("request", "--connect", endpoint, "--service", service, "--timeout", f"{DEADLINE}s",
                   "hello").returncode == 0
        yield process


@contextlib.contextmanager
def map_server():
    """A map server: its endpoint and the URL of its figures."""
    with started("chp", "server", "--bind", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0") as process:
        lines = {}
        while "http" not in lines:
            name, _, rest = process.stdout.readline().partition(" ")
            lines[name] = rest.strip()
            assert name
        yield lines["bound"], lines["http"].rstrip("/")


@contextlib.contextmanager
def titanic(endpoint):
    """Titanic at a broker: the URL of its figures."""
    with tempfile.TemporaryDirectory() as folder, \
            started("titanic", "--connect", endpoint, "--store", os.path.join(folder, "store"),
                    "--http", "127.0.0.1:0") as process:
        url = line_of(process, "http").rstrip("/")
        assert line_of(process, "open") == "0 0"
        yield url


def json_of(*words):
    result = run(*words, "--json")
    assert (result.returncode, result.stderr) == (0, ""), result
    assert result.stdout.isascii() and result.stdout[:-1].isprintable(), result.stdout
    return json.loads(result.stdout)

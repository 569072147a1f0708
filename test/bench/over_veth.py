"""Runs bench/compare between two networks with a veth pair. Must be started in a network of its own, as by `unshare
--net`, where the loopback is down: what the ends exchange takes the pair. A workload with two processes here needs the
loopback, too. The arguments are further ones of bench/compare. Ends with 77, and the reason on stderr, if there is no
second network."""

import os
import subprocess
import sys

import from_bench  # noqa: F401: comparison is found by it
from comparison.command import main

NOT_POSSIBLE = 77
HERE, THERE = "192.0.2.1", "192.0.2.2"


def join(pid):
    for command in (["ip", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(pid)],
                    ["ip", "address", "add", f"{HERE}/24", "dev", "here"],
                    ["ip", "link", "set", "here", "up"],
                    ["nsenter", f"--target={pid}", "--net", "ip", "address", "add", f"{THERE}/24", "dev", "there"],
                    ["nsenter", f"--target={pid}", "--net", "ip", "link", "set", "there", "up"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{' '.join(command)}: {done.stderr.strip()}", file=sys.stderr)
            sys.exit(NOT_POSSIBLE)


def run():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    with subprocess.Popen(["unshare", "--net", "sh", "-c", "echo there; exec cat"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as other:
        # The process ends with its input, and its network then goes too.
        if other.stdout.readline() != "there\n":
            sys.exit(NOT_POSSIBLE)
        join(other.pid)
        return main(["--host", "there", "--shell", f"nsenter --target={other.pid} --net sh -c", "--address", HERE,
                     *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(run())

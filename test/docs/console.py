"""Runs the console listings of a page with the real programs, in a folder and a network of their own.

A listing is a block of the kind `console`. In it, `$ command` is a command that ends. The lines after it are its whole
output. `1$ command` starts a program in the terminal 1, where it runs on. The lines after it are the begin of its
output without its log, and must be complete before the next command of this terminal, or at the end of the listing. The
program then gets SIGINT. `…` in a line is any text. A line of `…` alone is any number of lines. The lines before such a
line must be complete before the next command of any terminal."""

import fcntl
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time

DEADLINE = 60
UP = 0x1 | 0x40  # IFF_UP | IFF_RUNNING
SIOCSIFFLAGS = 0x8914


def enter_own_network():
    """Starts the program again in a network of its own, where the ports of a listing are free. Returns whether it is in
    such a network."""
    if os.environ.get("ZINC_OWN_NETWORK") == "1":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", UP))
        return True
    for flags in (["--user", "--map-root-user", "--net"], ["--net"]):
        if subprocess.run(["unshare", *flags, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            os.environ["ZINC_OWN_NETWORK"] = "1"
            os.execvp("unshare", ["unshare", *flags, sys.executable, *sys.argv])
    return False


def chapters(page):
    """The chapters of a page with listings: title, and the listings as lists of (terminal or "", command, lines)."""
    found = []
    for chapter in re.split(r"^## ", page, flags=re.M)[1:]:
        listings = []
        for block in re.findall(r"^```console\n(.*?)^```", chapter, re.S | re.M):
            listings.append([])
            for line in block.splitlines():
                prompt = re.match(r"(\d?)\$ (.*)", line)
                if prompt:
                    listings[-1].append((prompt[1], prompt[2], []))
                else:
                    listings[-1][-1][2].append(line)
        if listings:
            found.append((chapter.splitlines()[0], listings))
    return found


def pattern(lines):
    """A regular expression for lines of a listing."""
    text = ""
    for line in lines:
        if line == "…":
            text += r"(?:.*\n)*?"
        else:
            text += ".*?".join(re.escape(part) for part in line.split("…")) + r"\n"
    return text


class Terminal:
    """One running program, and its output."""

    def __init__(self, command, folder, environment):
        self.command = command
        self.output = ""
        self.process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)

    def read_until(self, expected):
        """Reads until the output begins as expected, or is at its end."""
        end = time.monotonic() + DEADLINE
        while not re.match(expected, self.output):
            ready = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]
            data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not data:
                raise AssertionError(f"`{self.command}` should print\n{expected}\nand has printed\n{self.output}")
            self.output += data.decode()

    def close(self):
        """Ends the program as Ctrl-C does."""
        for number in (signal.SIGINT, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
            try:
                self.process.wait(DEADLINE if number == signal.SIGINT else None)
                break
            except subprocess.TimeoutExpired:
                continue
        self.process.stdout.close()


def play(listing, folder, environment):
    """Runs the commands of one listing. Raises AssertionError if one prints something else."""
    terminals = {}

    def complete(name):
        terminal, lines = terminals[name]
        terminal.read_until(pattern(lines))

    try:
        for name, command, lines in listing:
            if name in terminals:
                complete(name)
                terminals.pop(name)[0].close()
            if name:
                terminals[name] = Terminal(command, folder, environment), lines
                if "…" in lines:
                    terminals[name][0].read_until(pattern(lines[: lines.index("…")]))
            else:
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE,
                                      check=False)
                if not re.fullmatch(pattern(lines), done.stdout):
                    raise AssertionError(f"`{command}` should print\n{lines}\nand has printed\n{done.stdout}")
        # All programs run until each has printed its lines.
        for name in terminals:
            complete(name)
    finally:
        for terminal, _ in terminals.values():
            terminal.close()

"""A bare Debian, in which tools/package --check installs the packages."""

import os
import re
import shutil
import subprocess
from pathlib import Path

# The user of the servers.
USER = "_zinc"
DEADLINE = 60
# A client of Majordomo 0.2 that a user writes with pyzmq.
CALL = """
import sys, zmq
socket = zmq.Context.instance().socket(zmq.DEALER)
socket.linger = 0
socket.rcvtimeo = int(sys.argv[2]) * 1000
socket.connect(sys.argv[1])
socket.send_multipart([b"", b"MDPC02", b"\\x01", b"echo", b"hello"])
print(socket.recv_multipart()[-1].decode())
"""


def expect(condition, fault):
    if not condition:
        raise AssertionError(fault)


def output_of(*command, **more):
    """The output of a command. Raises AssertionError with it if the command fails."""
    # `timeout` starts a group of its own, which the system stops when it uses the terminal.
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}")
    return done.stdout


class Bare:
    """A bare Debian in a folder. Its commands begin with `enter`."""

    def __init__(self, root):
        self.root = root
        self.enter = ["/usr/sbin/chroot", root]

    def make(self):
        root = self.root
        suite = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="utf-8"))[1]
        output_of("debootstrap", "--variant=minbase", suite, root)
        # Packages come from where the machine has its own.
        for folder in ("sources.list.d", "apt.conf.d", "trusted.gpg.d"):
            shutil.copytree(Path("/etc/apt", folder), root / "etc/apt" / folder, dirs_exist_ok=True)
        for file in root.glob("etc/apt/apt.conf.d/*"):
            if "docker" in file.name:  # it removes what apt has got
                file.unlink()
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        self.run("apt-get", "update", "-q")

    def run(self, *words):
        return output_of(*self.enter, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                         "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", *map(str, words))

    def add(self, *packages):
        """Installs packages of Debian."""
        self.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *packages)

    def install(self, packages):
        folder = self.root / "packages"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for package in packages:
            shutil.copy(package, folder)
        # Without an administrator to ask, changed settings stay.
        self.add("-o", "Dpkg::Options::=--force-confold", *[f"/packages/{Path(package).name}" for package in packages])

    def start(self, words, user, folder="/", **settings):
        return subprocess.Popen(["/usr/sbin/chroot", f"--userspec={user}:{user}", str(self.root), "/usr/bin/env",
                                 f"--chdir={folder}", *words], env=settings, stdout=subprocess.PIPE, text=True)

    def call_and_look(self, endpoint):
        """Calls the service `echo` from pyzmq, and looks at it in `zinc top`."""
        reply = self.run("python3", "-c", CALL, endpoint, DEADLINE)
        expect(reply == "hello\n", f"the reply is {reply}")
        screen = self.run("/usr/bin/zinc", "top", "--connect", endpoint, "--count", "1")
        expect(re.search(r"^SERVICE .*\necho +1 ", screen, re.MULTILINE), screen)

    def has(self, path):
        return os.path.lexists(self.root / path)

    def users(self):
        return re.findall(r"^([^:]+):", (self.root / "etc/passwd").read_text(encoding="utf-8"), re.MULTILINE)

    def enabled_units(self):
        return [str(path) for path in self.root.glob("etc/systemd/system/**/*zinc*")]

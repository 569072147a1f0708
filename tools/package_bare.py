"""A bare Debian, in which tools/package --check installs the packages."""

import os
import re
import shutil
import subprocess
from pathlib import Path

# The user of the servers.
USER = "_zinc"


def output_of(*command, **more):
    """The output of a command. Raises AssertionError with it if the command fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}")
    return done.stdout


class Bare:
    """A bare Debian in a folder."""

    def __init__(self, root):
        self.root = root
        suite = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="utf-8"))[1]
        output_of("debootstrap", "--variant=minbase", suite, root)
        # Nothing may start, and packages come from where the machine has its own.
        for folder in ("sources.list.d", "apt.conf.d", "trusted.gpg.d"):
            shutil.copytree(Path("/etc/apt", folder), root / "etc/apt" / folder, dirs_exist_ok=True)
        for file in root.glob("etc/apt/apt.conf.d/*"):
            if "docker" in file.name:  # it removes what apt has got
                file.unlink()
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        self.run("apt-get", "update", "-q")

    def run(self, *words):
        return output_of("/usr/sbin/chroot", self.root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                         "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", *map(str, words))

    def install(self, packages):
        folder = self.root / "packages"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for package in packages:
            shutil.copy(package, folder)
        # Without an administrator to ask, changed settings stay.
        self.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold",
                 *[f"/packages/{Path(package).name}" for package in packages])

    def start(self, words, user, folder="/", **settings):
        return subprocess.Popen(["/usr/sbin/chroot", f"--userspec={user}:{user}", str(self.root), "/usr/bin/env",
                                 f"--chdir={folder}", *words], env=settings, stdout=subprocess.PIPE, text=True)

    def has(self, path):
        return os.path.lexists(self.root / path)

    def users(self):
        return re.findall(r"^([^:]+):", (self.root / "etc/passwd").read_text(encoding="utf-8"), re.MULTILINE)

    def enabled_units(self):
        return [str(path) for path in self.root.glob("etc/systemd/system/**/*zinc*")]

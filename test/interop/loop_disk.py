"""A disk of its own for a test: ext4 in a file, which loses its power at a command of the test."""

import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
from pathlib import Path

# Where administrators' programs are, whatever the caller's own path is.
PATH = f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"
CLONE_NEWNS = 0x00020000
# <linux/ext4.h>: _IOR('X', 125, __u32), and its argument that leaves the journal as it is on the disk.
EXT4_IOC_SHUTDOWN = 0x8004587D
EXT4_GOING_FLAGS_NOLOGFLUSH = 2


class LoopDisk:
    """Mounted for this process and its children alone, so that it goes with them, however they end."""

    def __init__(self, test, folder, mebibytes):
        self.image = Path(folder) / "disk"
        self.folder = Path(folder) / "mounted"
        self.folder.mkdir()
        reason = self._make(mebibytes)
        if reason:
            test.skipTest(f"no disk of its own, which takes root and loop devices: {reason}")
        test.addCleanup(self.unmount)

    def _make(self, mebibytes):
        if os.geteuid() != 0:
            return "not root"
        if not shutil.which("mkfs.ext4", path=PATH):
            return "no mkfs.ext4"
        with open(self.image, "wb") as file:
            file.truncate(mebibytes << 20)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNS) != 0:
            return f"no mounts of its own: {os.strerror(ctypes.get_errno())}"
        for command in (("mount", "--make-rprivate", "/"), ("mkfs.ext4", "-q", "-F", self.image)):
            done = self._run(*command)
            if done.returncode:
                return done.stderr.strip()
        try:
            self.mount()
        except OSError as fault:
            return str(fault)
        return None

    @staticmethod
    def _run(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": PATH})

    def mount(self):
        """Mounts the disk. The kernel replays the journal first."""
        done = self._run("mount", "-o", "loop", self.image, self.folder)
        if done.returncode:
            raise OSError(f"cannot mount {self.image}: {done.stderr.strip()}")

    def unmount(self):
        if os.path.ismount(self.folder):
            done = self._run("umount", self.folder)
            if done.returncode:
                raise OSError(f"cannot unmount {self.image}: {done.stderr.strip()}")

    def lose_power(self):
        """Shuts the disk down: from now on everything fails, and all data that was not flushed to the disk is
        lost."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", EXT4_GOING_FLAGS_NOLOGFLUSH))
        finally:
            os.close(folder)

"""A memory limit for one child process of a test, where the machine allows one to be set."""

import os
import time
from pathlib import Path

_MOUNTED = Path("/sys/fs/cgroup")


def _own(controllers):
    """The path of this process in the hierarchy with these controllers, or None."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if names == controllers:
            return path.lstrip("/")
    return None


def _candidates():
    """Returns the folder for the cgroup of a child, and the file that limits it. The folder is below the test's
    own cgroup, so that the limits of the test hold for the child."""
    for hierarchy, controllers, limit in ((_MOUNTED / "memory", "memory", "memory.limit_in_bytes"),
                                          (_MOUNTED, "", "memory.max")):
        path = _own(controllers)
        if path is not None:
            # In a container the name may be one of the outside.
            own = hierarchy / path
            yield own if own.is_dir() else hierarchy, limit


class MemoryCgroup:
    def __init__(self, folder):
        self._folder = folder

    @classmethod
    def make(cls, test, data):
        """None where this may not be done. `test` is whatever has an addCleanup."""
        for parent, limit in _candidates():
            folder = parent / f"zinc-test-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError:
                continue
            made = cls(folder)
            try:
                # Without the controller the file is not there, and is not made.
                with open(folder / limit, "r+", encoding="ascii") as file:
                    file.write(str(data))
            except OSError:
                made.remove()
                continue
            test.addCleanup(made.remove)
            return made
        return None

    def within(self, arguments):
        """The command that runs this one inside."""
        enter = 'echo $$ >"$0" && exec "$@"'
        return ["/bin/sh", "-c", enter, str(self._folder / "cgroup.procs"), *arguments]

    def remove(self):
        """Removes the group when it has no process any more. The kernel may delay this."""
        for _ in range(100):
            try:
                self._folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)
        raise AssertionError(f"{self._folder} is still in use")

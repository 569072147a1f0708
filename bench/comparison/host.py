"""Another host, which runs the processes that connect: the commands that reach it, and the programs there."""

import json
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from comparison import machine
from comparison.on_host import hashes

HERE = Path(__file__).resolve().parent
# The modules of this folder that run there.
MODULES = ("machine.py", "memory.py", "on_host.py")
# Seconds for a command there that is not a run.
PATIENCE = 300

# The folder goes if the programs cannot be described.
_INSTALL = ('folder=$(mktemp -d) && { tar -xf - -C "$folder" && cd "$folder" && '
            'python3 -B -m comparison.on_host --describe || { rm -rf "$folder"; exit 1; }; }')


class HostFailed(Exception):
    pass


def can_be_divided(workload):
    """Whether each contestant has processes that connect to a port of this machine. A fan-out binds to all addresses,
    because its subscribers connect to many addresses of the loopback."""
    return not workload.ipc and all(
        any(process.when_listening for process in contestant.processes)
        and not any("{bind}" in process.arguments for process in contestant.processes)
        for contestant in workload.contestants)


class Host:
    """Must be closed: that removes the programs there."""

    def __init__(self, name, shell=None, address=None):
        """`shell` is the command that runs its last argument in a shell there, and `address` the address of this
        machine for the programs there: None takes the one from which ssh came."""
        self.name = name
        self.address = address
        self.machine = None
        self._shell = shell or ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", name]
        self._folder = None

    def install(self, folder, libraries):
        """Copies the programs of this folder there, and sees that both machines have the same versions of the
        libraries."""
        (folder / "comparison").mkdir()
        for module in MODULES:
            shutil.copy2(HERE / module, folder / "comparison")
        with tempfile.TemporaryFile() as archive:
            with tarfile.open(fileobj=archive, mode="w") as tar:
                tar.add(folder, ".")
            archive.seek(0)
            said = self._output_of(shlex.join(["sh", "-c", _INSTALL]), archive)
        try:
            # A shell may greet before.
            there = json.loads(said.splitlines()[-1])
        except (IndexError, ValueError):
            raise HostFailed(f"{self.name} says `{said.strip()[-200:]}` instead of its description") from None
        self._folder = there["folder"]
        self.machine = there["machine"]
        self.address = self.address or there["address"]
        self._check(hashes(folder), there["files"], libraries)

    def command(self, program, arguments, seconds):
        """Returns the command that runs this program there, and ends it after this time."""
        words = ["python3", "-B", "-m", "comparison.on_host", str(seconds), program, *arguments]
        return [*self._shell, f"cd {shlex.quote(self._folder)} && exec {shlex.join(words)}"]

    def close(self):
        if self._folder:
            try:
                self._output_of(shlex.join(["rm", "-rf", self._folder]))
            except HostFailed as failure:
                print(f"bench/compare: cannot remove {self._folder}: {failure}", file=sys.stderr)

    def _check(self, files, files_there, libraries):
        if files != files_there:
            names = sorted(name for name in files | files_there if files.get(name) != files_there.get(name))
            raise HostFailed(f"{self.name} received other files than those here: {', '.join(names)}")
        here = machine.system(0)
        for library in libraries:
            if here[library] != self.machine[library]:
                raise HostFailed(f"the version of {library} is {here[library]} here and {self.machine[library]} on "
                                 f"{self.name}: install the same on both")
        if not self.address or ":" in self.address:
            raise HostFailed(f"which IPv4 address of this machine does {self.name} reach? Give --address")

    def _output_of(self, line, stdin=subprocess.DEVNULL):
        try:
            done = subprocess.run([*self._shell, line], stdin=stdin, capture_output=True, text=True, errors="replace",
                                  timeout=PATIENCE, check=False)
        except OSError as error:
            raise HostFailed(f"cannot start {self._shell[0]}: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise HostFailed(f"{self.name} did not answer within {PATIENCE} s") from None
        if done.returncode:
            raise HostFailed(f"{self.name} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout

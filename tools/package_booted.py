"""Steps of tools/package --check in a bare Debian that systemd has booted: what an operator does with the units."""

import os
import re
import shutil
import socket
import subprocess

from package_bare import DEADLINE, USER, expect, output_of

SERVERS = ("broker", "titanic", "chp", "proxy")
BROKER = "zinc-broker@main"
# A system that is not registered needs no systemd outside.
NSPAWN = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--link-journal=no",
          "--console=pipe"]
# A command may install packages. `timeout` is what ends it in the other namespaces.
COMMAND_DEADLINE = 5 * DEADLINE
CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1]))).close()"
# A person who types into a login shell: waits for each text, then sends the keys.
TYPE = """
import os, pty, select, sys, time
child, terminal = pty.fork()
if child == 0:
    os.execvpe("bash", ["bash", "--login"], {**os.environ, "HOME": "/root", "TERM": "dumb"})
screen, end = "", time.monotonic() + int(sys.argv[1])
for text, keys in zip(sys.argv[2::2], sys.argv[3::2]):
    while text not in screen:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"there is no {text!r} in {screen!r}")
        screen += os.read(terminal, 4096).decode()
    screen = ""
    os.write(terminal, keys.encode())
os.close(terminal)
"""


class Skipped(Exception):
    """A step, and those that need it, cannot run on this machine."""


def leader_in(message):
    """The process with the number 1 of a booted system, in a message of systemd-nspawn to its service manager."""
    found = re.search(r"^X_NSPAWN_LEADER_PID=(\d+)$", message, re.MULTILINE)
    return found and found[1]


def properties_in(text):
    """The output of `systemctl show`."""
    return dict(line.split("=", 1) for line in text.splitlines())


class Booted:
    """The steps, in their order. Each needs those before it. At the end, the system is shut down in every case."""

    def __init__(self, bare, older, packages):
        self.bare = bare
        self.older = older
        self.packages = packages
        self.machine = None
        self.id = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.machine is None:
            return
        # On this signal, systemd-nspawn shuts the system down.
        self.machine.terminate()
        try:
            self.machine.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            # The processes of the system end with this one.
            self.machine.kill()
            self.machine.wait()

    def bare_system_boots(self):
        if shutil.which("systemd-nspawn") is None:
            raise Skipped("there is no systemd-nspawn")
        try:
            output_of(*NSPAWN, "--directory", self.bare.root, "/bin/true")
        except AssertionError as fault:
            raise Skipped(f"systemd-nspawn does not run here: {fault}") from None
        self.bare.add("systemd", "systemd-sysv", "dbus", "bash-completion")
        leader = self.boot(self.bare.root.parent / "booted", self.bare.root.parent / "console")
        # Without a fork, a signal to it reaches `timeout`.
        self.bare.enter = ["nsenter", "--target", leader, "--mount", "--uts", "--ipc", "--net", "--pid", "--root",
                           "--wd", "--no-fork", "/usr/bin/timeout", "--kill-after=5", str(COMMAND_DEADLINE)]

    def boot(self, path, console):
        """Returns the process with the number 1 when all is started. The path is for the socket."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, console.open("w", encoding="utf-8") as output:
            told.settimeout(DEADLINE)
            told.bind(str(path))
            # If this program is killed, the system ends too.
            self.machine = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *NSPAWN, "--directory", str(self.bare.root), "--boot",
                 "--notify-ready=yes"], env=os.environ | {"NOTIFY_SOCKET": str(path)}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output)
            leader, ready = None, False
            try:
                while not (leader and ready):
                    message = told.recv(4096).decode()
                    leader = leader or leader_in(message)
                    ready = ready or "READY=1" in message.splitlines()
            except TimeoutError:
                raise AssertionError(f"the system does not boot:\n{console.read_text(encoding='utf-8')}") from None
        return leader

    def installation_starts_nothing(self):
        self.bare.install(sorted(self.older.glob("*.deb")))
        expect(not self.bare.enabled_units(), self.bare.enabled_units())
        running = self.running()
        expect(not running, f"these units run: {running}")

    def broker_is_active_when_it_serves(self):
        self.bare.run("install", "-d", "-o", "root", "-g", USER, "-m", "750", "/etc/zinc")
        self.configure("service = echo:attempts=2")
        self.set_arguments("broker-main", "--config /etc/zinc/broker-main.conf")
        self.bare.run("systemctl", "enable", "--now", BROKER)
        # Without waiting: an active unit has a server that serves.
        self.bare.run("python3", "-c", CONNECT, "5555")
        self.is_confined(BROKER)

    def pyzmq_calls_a_worker_that_top_shows(self):
        self.start_worker("echo")
        self.bare.call_and_look("tcp://127.0.0.1:5555")

    def reload_with_a_fault_fails_and_changes_nothing(self):
        process = self.show(BROKER)["MainPID"]
        self.configure("servce = echo:attempts=3")
        said = self.failure_of("systemctl", "reload", BROKER)
        expect("failed" in said, said)
        self.journal_has(BROKER, "broker-main.conf:2: servce: unknown name; did you mean 'service'?")
        self.is_confined(BROKER)
        expect(self.show(BROKER)["MainPID"] == process, "the broker has another process")
        self.bare.call_and_look("tcp://127.0.0.1:5555")
        self.configure("service = echo:attempts=3")
        self.bare.run("systemctl", "reload", BROKER)
        self.journal_has(BROKER, "settings reloaded: changed=service")
        expect(self.show(BROKER)["MainPID"] == process, "the broker has another process")

    def wrong_instances_fail_once(self):
        said = self.failure_of("systemctl", "start", "zinc-broker@ordres")
        expect("Assertion failed" in said, said)
        self.journal_has("zinc-broker@ordres", "with /etc/default/zinc-broker-ordres")
        self.set_arguments("broker-bad", "--bnd tcp://127.0.0.1:5565")
        said = self.failure_of("systemctl", "start", "zinc-broker@bad")
        expect("failed" in said, said)
        self.journal_has("zinc-broker@bad", "did you mean '--bind'?")
        for unit, state in (("zinc-broker@ordres", "inactive"), ("zinc-broker@bad", "failed")):
            found = self.show(unit)
            expect((found["ActiveState"], found["NRestarts"]) == (state, "0"), f"{unit}: {found}")
        (self.bare.root / "etc/default/zinc-broker-bad").unlink()
        self.bare.run("systemctl", "reset-failed")

    def killed_broker_runs_again(self):
        self.bare.run("systemctl", "kill", "--signal=KILL", BROKER)
        self.journal_has(BROKER, "Scheduled restart job, restart counter is at 1.")
        self.bare.call_and_look("tcp://127.0.0.1:5555")

    def other_servers_accept_data(self):
        self.bare.run("systemctl", "start", *[f"zinc-{server}@main" for server in SERVERS])
        for server in SERVERS:
            self.is_confined(f"zinc-{server}@main")
        self.bare.run("zinc", "chp", "set", "greeting", "hello", "--connect", "tcp://127.0.0.2:5556", "--timeout",
                      f"{DEADLINE}s")
        # No worker offers the service yet.
        self.id = self.bare.run("zinc", "request", "--service", "later", "--durable", "--leave", "--id", "new",
                                "--timeout", f"{DEADLINE}s", "hello").split()[-1]

    def upgrade_leaves_servers_running_and_a_restart_keeps_data(self):
        units = [f"zinc-{server}@main" for server in SERVERS]
        before = [self.show(unit)["MainPID"] for unit in units]
        self.bare.install(self.packages)
        after = [self.show(unit)["MainPID"] for unit in units]
        expect(before == after, "the upgrade has restarted servers")
        self.bare.call_and_look("tcp://127.0.0.1:5555")
        self.bare.run("systemctl", "restart", "zinc-*")
        for unit, old in zip(units, before):
            self.is_confined(unit)
            expect(self.show(unit)["MainPID"] != old, f"{unit} was not restarted")
        # With the settings that the newer packages have brought.
        reply = self.bare.run("zinc", "chp", "get", "greeting", "--timeout", f"{DEADLINE}s")
        expect(reply == "hello\n", f"the map has {reply}")
        self.start_worker("later")
        reply = self.bare.run("zinc", "request", "--fetch", self.id, "--wait", "--timeout", f"{DEADLINE}s")
        expect(reply == "hello\n", f"the reply of the stored request is {reply}")
        self.bare.call_and_look("tcp://127.0.0.1:5555")

    def manual_and_completion_are_found_by_name(self):
        page = self.bare.run("man", "zinc-broker")
        expect("--bind ENDPOINT" in page, page)
        self.bare.run("python3", "-c", TYPE, DEADLINE, "# ", "zinc bro\t", "ker ", "--heartb\t", "eat", "")

    def removal_stops_the_servers_and_keeps_data(self):
        self.bare.run("systemctl", "stop", "echo", "later")
        self.bare.run("apt-get", "remove", "-q", "-y", "zinc", "libzinc0.1", "libzinc-dev", "zinc-guide")
        running = self.running()
        expect(not running, f"these units run: {running}")
        expect(self.bare.has("etc/default/zinc-broker-main"), "the settings have gone")
        self.has_data()

    def purge_disables_the_broker_and_keeps_data(self):
        self.bare.run("dpkg", "--purge", "zinc")
        expect(not self.bare.enabled_units(), self.bare.enabled_units())
        expect(not self.bare.has("etc/default/zinc-broker-main"), "the settings have stayed")
        expect(USER in self.bare.users(), "the user has gone")
        self.has_data()

    def steps(self):
        return [self.bare_system_boots, self.installation_starts_nothing, self.broker_is_active_when_it_serves,
                self.pyzmq_calls_a_worker_that_top_shows, self.reload_with_a_fault_fails_and_changes_nothing,
                self.wrong_instances_fail_once, self.killed_broker_runs_again, self.other_servers_accept_data,
                self.upgrade_leaves_servers_running_and_a_restart_keeps_data,
                self.manual_and_completion_are_found_by_name, self.removal_stops_the_servers_and_keeps_data,
                self.purge_disables_the_broker_and_keeps_data]

    def configure(self, line):
        # Titanic of the older packages connects to another address.
        (self.bare.root / "etc/zinc/broker-main.conf").write_text(f"bind = tcp://*:5555\n{line}\n", encoding="utf-8")

    def set_arguments(self, instance, arguments):
        (self.bare.root / f"etc/default/zinc-{instance}").write_text(f'ARGUMENTS="{arguments}"\n', encoding="utf-8")

    def start_worker(self, service):
        self.bare.run("systemd-run", "--quiet", "--unit", service, f"--uid={USER}", "/usr/bin/zinc", "worker",
                      "--service", service)

    def show(self, unit):
        return properties_in(self.bare.run("systemctl", "show", unit, "--property",
                                           "ActiveState,MainPID,NRestarts,Type"))

    def running(self):
        return self.bare.run("systemctl", "list-units", "--plain", "--no-legend", "--state=active,activating,failed",
                             "zinc-*.service")

    def is_confined(self, unit):
        """The unit is active, and its server has no rights that the unit takes."""
        found = self.show(unit)
        expect((found["ActiveState"], found["Type"]) == ("active", "notify"), f"{unit}: {found}")
        status = self.bare.run("cat", f"/proc/{found['MainPID']}/status")
        for line in ("NoNewPrivs:\t1", "Seccomp:\t2", "CapBnd:\t0000000000000000"):
            expect(line in status.splitlines(), f"{unit} has no {line} in {status}")
        said = self.failure_of("nsenter", "--target", found["MainPID"], "--mount", "touch", "/etc/written")
        expect("Read-only file system" in said, f"{unit} may write anywhere: {said}")

    def failure_of(self, *words):
        try:
            said = self.bare.run(*words)
        except AssertionError as fault:
            return str(fault).partition(" failed:\n")[2]
        raise AssertionError(f"{words} succeeded: {said}")

    def journal_has(self, unit, text):
        """Waits for the text in the lines of the unit."""
        journal = subprocess.Popen([*self.bare.enter, "timeout", str(DEADLINE), "journalctl", "--follow",
                                    "--lines=all", "--output=cat", "--unit", unit],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        lines = []
        for line in journal.stdout:
            lines.append(line)
            if text in line:
                break
        journal.terminate()
        journal.communicate()
        expect(text in "".join(lines[-1:]), f"the journal of {unit} has no {text}:\n{''.join(lines)}")

    def has_data(self):
        for store in ("titanic-main/requests", "chp-main/map"):
            expect(self.bare.has(f"var/lib/zinc/{store}"), f"the data {store} has gone")

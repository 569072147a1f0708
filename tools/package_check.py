"""The checks of tools/package --check: lintian, the units, and the packages in a bare Debian."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import tempfile
from pathlib import Path

from package_bare import DEADLINE, USER, Bare, expect, output_of
from package_booted import Booted, Skipped
from page_links import dead_links

ROOT = Path(__file__).resolve().parent.parent
GLIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "linux-vdso.so.1"}
# The worst exposure that `systemd-analyze security` may find, of 10.
MOST_EXPOSURE = 2.0
UNITS = "lib/systemd/system"
DOCUMENTATION = "usr/share/doc/zinc"
# Pages link to these, and no package has them there. The headers are in libzinc-dev.
NOT_INSTALLED = {"chp/client_options.h", "chp/log_store.h", "chp/server.h", "chp/server_options.h", "test/fuzz",
                 "test/package/install_test.py", "tools/release_test.py", "zmtp/options.h",
                 "zmtp/socket/memory_budget.h"}


def needed_libraries(ldd):
    """The names of the libraries in the output of ldd."""
    names = [line.split()[0] for line in ldd.splitlines() if line.strip()]
    return {os.path.basename(name) for name in names}


def command_of(unit, defaults):
    """The words that systemd starts: the command line of the unit, with the arguments of its file in /etc/default."""
    [command] = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    [arguments] = re.findall(r"^ARGUMENTS=(.*)$", defaults, re.MULTILINE)
    words = []
    for word in shlex.split(command):
        words += shlex.split(shlex.split(arguments)[0]) if word == "$ARGUMENTS" else [word]
    return words


def at_any_port(words):
    """The command line with other ports, which are free, for endpoints that it binds."""
    return [word if before == "--connect" else re.sub(r"^(tcp://127\.0\.0\.1):\d+$", r"\1:*", word)
            for before, word in zip(["", *words], words)]


def exposure_of(text):
    """The number that `systemd-analyze security` gives a unit."""
    return float(re.search(r"Overall exposure level for \S+: ([\d.]+)", text)[1])


def older(packages, folder):
    """The packages with a lower version and other settings, as an upgrade finds them."""
    folder.mkdir()
    for package in packages:
        content = folder / "content"
        output_of("dpkg-deb", "--raw-extract", package, content)
        control = content / "DEBIAN/control"
        text = control.read_text(encoding="utf-8")
        version = re.search(r"^Version: (.+)$", text, re.MULTILINE)[1]
        control.write_text(text.replace(version, "0.0.1"), encoding="utf-8")
        for settings in content.glob("etc/default/*"):
            changed = settings.read_text(encoding="utf-8").replace("127.0.0.1", "127.0.0.2")
            settings.write_text(changed, encoding="utf-8")
        output_of("dpkg-deb", "--root-owner-group", "--build", content, folder)
        shutil.rmtree(content)
    return sorted(folder.glob("*.deb"))


class Checks:
    """The steps, in their order. Those in the bare system need the steps before them."""

    def __init__(self, packages, program, bare):
        self.packages = packages
        self.program = program
        self.bare = bare
        self.folder = bare.root.parent
        self.older = self.folder / "older"
        self.content = self.folder / "content"
        for package in packages:
            output_of("dpkg-deb", "--extract", package, self.content)

    def lintian_has_no_error(self):
        print(output_of("lintian", "--fail-on", "error", "--allow-root", *self.packages))

    def units(self):
        # Instances, because a template alone cannot be verified.
        for unit in sorted((self.content / UNITS).glob("zinc-*@.service")):
            instance = self.folder / unit.name.replace("@", "@main")
            # The program and its user are not on this machine.
            text = unit.read_text(encoding="utf-8").replace("/usr/bin/zinc", "/bin/true").replace(USER, "daemon")
            instance.write_text(text, encoding="utf-8")
            yield instance

    def systemd_knows_every_line_of_the_units(self):
        units = list(self.units())
        expect(len(units) == 4, f"there are the units {units}")
        for unit in units:
            said = [line for line in output_of("systemd-analyze", "verify", "--man=no", unit).splitlines()
                    if unit.name in line]
            expect(not said, said)

    def units_expose_little(self):
        for unit in self.units():
            exposure = exposure_of(output_of("systemd-analyze", "security", "--offline=true", "--no-pager", unit))
            print(unit.name, exposure)
            expect(exposure <= MOST_EXPOSURE, f"{unit.name} has {exposure}; {MOST_EXPOSURE} is the limit")

    def bare_system_runs_the_static_program(self):
        self.bare.make()
        shutil.copy(self.program, self.bare.root / "zinc")
        said = self.bare.run("/zinc", "--version").splitlines()[0]
        version = re.match(r"zinc-(.+)-linux-", self.program.name)[1]
        expect(re.fullmatch(re.escape(f"zinc {version} (") + r"[0-9a-f]{12}\)", said), f"the program says {said}")
        output_of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                  "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                  self.bare.root / "key", "-out", self.bare.root / "certificate")
        (self.bare.root / "etc/hosts").write_text("127.0.0.1 localhost\n", encoding="utf-8")
        with self.notified() as told:
            self.serve(["/zinc", "broker", "--bind", "tls+tcp://127.0.0.1:*", "--tls-certificate", "/certificate",
                        "--tls-key", "/key"], told, "root",
                       ask=lambda endpoint: self.ask(endpoint.replace("127.0.0.1", "localhost"), "/zinc", "root",
                                                     "--tls-trusted", "/certificate"))
            self.serve(["/zinc", "titanic", "--connect", "tcp://127.0.0.1:1", "--store", "/store"], told, "root")

    def packages_are_installed_without_surprise(self):
        self.bare.install(older(self.packages, self.older))
        expect(USER in self.bare.users(), "there is no user for the servers")
        expect(not self.bare.enabled_units(), self.bare.enabled_units())
        expect(not self.bare.has("var/lib/zinc"), "a folder for the data is there before the data")

    def upgrade_keeps_settings(self):
        settings = self.bare.root / "etc/default/zinc-broker-main"
        text = settings.read_text(encoding="utf-8").replace("127.0.0.2:5555", "127.0.0.1:*")
        settings.write_text(text, encoding="utf-8")
        self.bare.install(self.packages)
        expect(settings.read_text(encoding="utf-8") == text, "the upgrade has changed the settings")
        unchanged = (self.bare.root / "etc/default/zinc-proxy-main").read_text(encoding="utf-8")
        expect("127.0.0.2" not in unchanged, "the upgrade has left settings that nobody has changed")
        expect(not self.bare.enabled_units(), self.bare.enabled_units())
        version = self.bare.run("dpkg-query", "-W", "-f", "${Version}", "zinc")
        expect(version != "0.0.1", "the packages were not upgraded")

    def servers_of_the_units_serve(self):
        with self.notified() as told:
            for server in ("broker", "titanic", "chp", "proxy"):
                words = command_of(
                    (self.bare.root / UNITS / f"zinc-{server}@.service").read_text(encoding="utf-8"),
                    (self.bare.root / f"etc/default/zinc-{server}-main").read_text(encoding="utf-8"))
                folder = f"/var/lib/zinc/{server}-main"
                # As systemd does.
                self.bare.run("install", "-d", "-o", USER, "-g", USER, "-m", "700", folder)
                # As a reload does.
                said = self.bare.run("/usr/sbin/chroot", f"--userspec={USER}:{USER}", "/", *words, "--check-config")
                expect(said == "options: ok\n", f"the check before a reload says {said}")
                self.serve(at_any_port(words), told, USER, folder, self.ask if server == "broker" else None)
        expect(self.bare.has("var/lib/zinc/titanic-main/requests"), "the store of Titanic is elsewhere")
        expect(self.bare.has("var/lib/zinc/chp-main/map"), "the store of the map server is elsewhere")
        shutil.rmtree(self.bare.root / "var/lib/zinc")

    @contextlib.contextmanager
    def notified(self):
        """The socket of a service manager in the bare system."""
        run = self.bare.root / "run/zinc"
        run.mkdir()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.settimeout(DEADLINE)
            told.bind(str(run / "notify"))
            os.chmod(run / "notify", 0o666)
            yield told
        shutil.rmtree(run)

    def serve(self, words, told, user, folder="/", ask=None):
        """Starts a server, calls `ask` with its endpoint, and stops the server."""
        with self.bare.start(words, user, folder, NOTIFY_SOCKET="/run/zinc/notify") as process:
            try:
                expect(told.recv(64) == b"READY=1", f"{words} does not say that it serves")
                if ask:
                    ask(process.stdout.readline().split()[1])
                process.send_signal(signal.SIGTERM)
                expect(told.recv(64) == b"STOPPING=1", f"{words} does not say that it stops")
                expect(process.wait(DEADLINE) == 0, f"{words} ended with {process.returncode}")
            finally:
                process.kill()

    @contextlib.contextmanager
    def worker(self, endpoint, program="/usr/bin/zinc", user=USER, *options):
        with self.bare.start([program, "worker", "--connect", endpoint, "--service", "echo", *options], user) as worker:
            try:
                yield
            finally:
                worker.kill()

    def ask(self, endpoint, program="/usr/bin/zinc", user=USER, *options):
        with self.worker(endpoint, program, user, *options):
            reply = self.bare.run(program, "request", "--connect", endpoint, "--service", "echo", *options,
                                  "--timeout", f"{DEADLINE}s", "hello")
            expect(reply == "hello\n", f"the reply is {reply}")

    def pyzmq_calls_a_service_that_top_shows(self):
        self.bare.add("python3-zmq")
        with self.notified() as told:
            self.serve(["/usr/bin/zinc", "broker", "--bind", "tcp://127.0.0.1:*"], told, USER, ask=self.call_and_look)

    def call_and_look(self, endpoint):
        with self.worker(endpoint):
            self.bare.call_and_look(endpoint)

    def programs_of_the_guide_run(self):
        programs = sorted((self.bare.root / "usr/libexec/zinc/guide").iterdir())
        expect(len(programs) == 41, f"there are {len(programs)} programs of the Guide")
        for program in programs:
            self.bare.run(f"/usr/libexec/zinc/guide/{program.name}", "--help")

    def manual_completion_and_documentation_are_there(self):
        for path in ("man/man1/zinc-broker.1.gz", "bash-completion/completions/zinc", "zsh/vendor-completions/_zinc",
                     "fish/vendor_completions.d/zinc.fish"):
            expect((self.content / "usr/share" / path).is_file(), f"there is no {path}")
        self.bare.add("man-db")
        page = self.bare.run("man", "zinc-broker")
        expect("--bind ENDPOINT" in page, page)
        for unit in (self.content / UNITS).iterdir():
            [page] = re.findall(r"^Documentation=.*file:///(\S+)", unit.read_text(encoding="utf-8"), re.MULTILINE)
            expect((self.content / page).is_file(), f"{unit.name} names {page}, and there is no such file")
        dead = dead_links(self.content / DOCUMENTATION) ^ NOT_INSTALLED
        expect(not dead, f"files that pages link to: {dead}")

    def tutorial_compiles_with_what_it_names(self):
        page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
        self.bare.add(*re.search(r"^apt install (\w.*)$", page, re.MULTILINE)[1].split())
        shutil.copytree(ROOT / "test/examples", self.bare.root / "tutorial")
        commands = set(re.findall(r"^\$ (g\+\+ .*)$", page, re.M))
        self.bare.run("sh", "-c", " && ".join(["cd /tutorial", *sorted(commands)]))

    def library_is_used_by_pkg_config_and_cmake(self):
        self.bare.add("cmake", "make")
        shutil.copytree(ROOT / "test/package/consumer", self.bare.root / "consumer")
        self.bare.run("sh", "-c", "cmake -S /consumer -B /consumer/build && cmake --build /consumer/build")
        self.bare.run("/consumer/build/push_pull")
        self.bare.run("sh", "-c", "cd /consumer && g++ -std=c++20 push_pull.cc own_asio.cc -o by_pkg_config "
                                  "$(pkg-config --cflags --libs zinc-zmtp) && ./by_pkg_config")

    def removal_keeps_settings_and_data(self):
        data = self.bare.root / "var/lib/zinc/titanic-main/requests"
        data.parent.mkdir(parents=True)
        data.touch()
        # As `systemctl enable` does, and as docs/packages.md says.
        wants = self.bare.root / "etc/systemd/system/multi-user.target.wants"
        wants.mkdir(parents=True, exist_ok=True)
        (wants / "zinc-broker@main.service").symlink_to("/lib/systemd/system/zinc-broker@.service")
        self.bare.run("install", "-d", "-o", "root", "-g", USER, "-m", "750", "/etc/zinc")
        self.bare.run("install", "-o", USER, "-m", "600", "/dev/null", "/etc/zinc/key")
        self.bare.run("apt-get", "remove", "-q", "-y", "zinc", "zinc-guide", "libzinc-dev", "libzinc0.1")
        expect(not self.bare.has("usr/bin/zinc"), "the program is still there")
        expect(self.bare.has("etc/default/zinc-broker-main"), "the settings have gone")
        expect(data.exists(), "the data has gone")

    def purge_removes_settings_and_keeps_data_and_keys(self):
        self.bare.run("dpkg", "--purge", "zinc")
        left = {path.name for path in self.bare.root.glob("etc/**/*zinc*")}
        expect(left == {"zinc"}, f"these files have stayed: {left}")
        expect(self.bare.has("var/lib/zinc/titanic-main/requests"), "the data has gone")

    def another_user_cannot_read_keys_after_a_purge(self):
        self.bare.run("adduser", "--quiet", "--system", "--no-create-home", "another")
        owner = self.bare.run("stat", "-c", "%U", "/etc/zinc/key")
        expect(owner == f"{USER}\n", f"the key now belongs to {owner}")

    def purge_without_data_leaves_the_user_alone(self):
        shutil.rmtree(self.bare.root / "var/lib/zinc")
        shutil.rmtree(self.bare.root / "etc/zinc")
        self.bare.install([package for package in self.packages if "-dev_" not in str(package)])
        self.bare.run("dpkg", "--purge", "zinc", "zinc-guide", "libzinc0.1")
        expect(USER in self.bare.users(), "the user has gone")
        left = [path for top in ("etc", "usr", "var/lib") for path in self.bare.root.glob(f"{top}/**/*zinc*")]
        expect(not left, f"these files have stayed: {left}")


STEPS = ["lintian_has_no_error", "systemd_knows_every_line_of_the_units", "units_expose_little",
         "bare_system_runs_the_static_program", "packages_are_installed_without_surprise", "upgrade_keeps_settings",
         "servers_of_the_units_serve", "pyzmq_calls_a_service_that_top_shows", "programs_of_the_guide_run",
         "manual_completion_and_documentation_are_there", "tutorial_compiles_with_what_it_names",
         "library_is_used_by_pkg_config_and_cmake", "removal_keeps_settings_and_data",
         "purge_removes_settings_and_keeps_data_and_keys", "another_user_cannot_read_keys_after_a_purge",
         "purge_without_data_leaves_the_user_alone"]


def report(steps):
    """Runs all steps until one fails, or cannot run here. Returns the exit code."""
    passed, failed, skipped = 0, 0, 0
    for step in steps:
        print(f"--- {step.__name__}", flush=True)
        try:
            step()
            passed += 1
        except Skipped as reason:
            # The steps after it need it.
            skipped = len(steps) - passed
            print(f"SKIPPED //tools:package: {step.__name__} and {skipped - 1} steps after it: {reason}")
            break
        except (AssertionError, OSError, ValueError) as fault:
            failed = 1
            print(f"FAILED: {fault}", flush=True)
            break
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed


def check(packages, program):
    """Runs all steps until one fails. Returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        # For the user of the servers.
        os.chmod(folder, 0o755)
        checks = Checks(packages, program, Bare(Path(folder, "bare")))
        with Booted(checks.bare, checks.older, packages) as booted:
            return report([getattr(checks, step) for step in STEPS] + booted.steps())

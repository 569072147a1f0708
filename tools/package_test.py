#!/usr/bin/env python3
"""The pure parts of tools/package --check, and the files of tools/debian."""

import contextlib
import importlib.machinery
import importlib.util
import io
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
import package_check  # noqa: E402: found by the line above

DEBIAN = TOOLS / "debian"


def load_package():
    """tools/package as a module."""
    loader = importlib.machinery.SourceFileLoader("package", str(TOOLS / "package"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("package", loader))
    loader.exec_module(module)
    return module


package = load_package()


def servers():
    """The servers that have units."""
    return set(re.findall(r"call unit,(\w+),", (DEBIAN / "rules").read_text(encoding="utf-8")))
LDD = """\tlinux-vdso.so.1 (0x00007ffd)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f)
"""


class Libraries(unittest.TestCase):
    def test_glibc_alone(self):
        self.assertEqual(package_check.needed_libraries(LDD) - package_check.GLIBC, set())

    def test_another_one(self):
        more = LDD + "\tlibsodium.so.23 => /lib/libsodium.so.23 (0x00007f)\n\tlibmissing.so.1 => not found\n"
        self.assertEqual(package_check.needed_libraries(more) - package_check.GLIBC,
                         {"libsodium.so.23", "libmissing.so.1"})


class CommandLine(unittest.TestCase):
    def command(self, arguments):
        return package_check.command_of("[Service]\nExecStart=/usr/bin/zinc broker $ARGUMENTS\n",
                                        f"# Arguments\nARGUMENTS={arguments}\n")

    def test_arguments_are_split_at_blanks(self):
        self.assertEqual(self.command('"--bind tcp://127.0.0.1:5555"'),
                         ["/usr/bin/zinc", "broker", "--bind", "tcp://127.0.0.1:5555"])

    def test_quotes_hold_words_together(self):
        self.assertEqual(self.command("\"--service 'a b'\"")[2:], ["--service", "a b"])

    def test_there_may_be_none(self):
        self.assertEqual(self.command('""'), ["/usr/bin/zinc", "broker"])


class Older(unittest.TestCase):
    def test_has_another_version_and_other_settings(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for path, text in {"DEBIAN/control": "Package: zinc\nVersion: 0.3.1\nArchitecture: all\n"
                                                 "Maintainer: N <n@example.org>\nDescription: text\n",
                               "etc/default/zinc-broker-main": "127.0.0.1"}.items():
                (folder / "new" / path).parent.mkdir(parents=True)
                (folder / "new" / path).write_text(text, encoding="utf-8")
            package_check.output_of("dpkg-deb", "--build", folder / "new", folder / "new.deb")
            [made] = package_check.older([folder / "new.deb"], folder / "older")
            package_check.output_of("dpkg-deb", "--extract", made, folder / "content")
            self.assertEqual((folder / "content/etc/default/zinc-broker-main").read_text(encoding="utf-8"), "127.0.0.2")
            self.assertEqual(package_check.output_of("dpkg-deb", "--field", made, "Version"), "0.0.1\n")


class Ports(unittest.TestCase):
    def test_a_server_binds_free_ones_and_connects_to_the_others(self):
        words = ["zinc", "--bind", "tcp://127.0.0.1:5555", "--connect", "tcp://127.0.0.1:5556"]
        self.assertEqual(package_check.at_any_port(words),
                         ["zinc", "--bind", "tcp://127.0.0.1:*", "--connect", "tcp://127.0.0.1:5556"])


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, package, "ROOT", package.ROOT)
        package.ROOT = Path(folder.name, "tree")
        package.ROOT.mkdir()
        (package.ROOT / "page").write_text("text", encoding="utf-8")
        for words in (["init", "--quiet"], ["add", "page"], ["commit", "--quiet", "--message", "All"]):
            subprocess.run(["git", "-c", "user.name=N", "-c", "user.email=n@example.org", *words], cwd=package.ROOT,
                           check=True)
        self.source = Path(folder.name, "build")

    def names(self):
        return {path.name for path in self.source.iterdir()}

    def test_has_the_files_of_the_commit(self):
        package.export(self.source)
        self.assertEqual(self.names(), {"page", package.MARKER})

    def test_keeps_the_objects_of_an_earlier_build_alone(self):
        package.export(self.source)
        (self.source / "obj-x").mkdir()
        (self.source / "debian").mkdir()
        package.export(self.source)
        self.assertEqual(self.names(), {"page", package.MARKER, "obj-x"})

    def test_leaves_a_folder_of_others_alone(self):
        for name in ("notes", ".git"):
            with self.subTest(name):
                self.source = self.source.with_name("with" + name)
                self.source.mkdir()
                (self.source / name).touch()
                with self.assertRaisesRegex(ValueError, "no earlier build"):
                    package.export(self.source)
                self.assertEqual(self.names(), {name})

    def test_removes_nothing_from_a_checkout_with_the_marker(self):
        self.source.mkdir()
        for name in (package.MARKER, ".git"):
            (self.source / name).touch()
        with self.assertRaisesRegex(ValueError, "no earlier build"):
            package.export(self.source)
        self.assertEqual(self.names(), {package.MARKER, ".git"})

    def test_tells_the_build_its_commit(self):
        commit = package.text_of("git", "-C", package.ROOT, "rev-parse", "HEAD")
        self.assertEqual(package.environment()["ZINC_COMMIT"], commit[:12])
        self.assertIn("-DZINC_COMMIT=$(ZINC_COMMIT)", (DEBIAN / "rules").read_text(encoding="utf-8"))

    def test_removes_nothing_without_a_commit(self):
        package.export(self.source)
        (self.source / "old").touch()
        package.ROOT = package.ROOT / "none"
        with self.assertRaises(ValueError):
            package.export(self.source)
        self.assertIn("old", self.names())


class Licenses(unittest.TestCase):
    def test_are_those_of_zinc_and_of_each_library_in_the_program(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for path, text in {"LICENSE": "of Zinc", "tools/debian/control": "Build-Depends: cmake,\n libone1.2-dev,\n"
                                                                            " libtwo-dev, libtwo-more-dev\n\nPackage: libzinc-dev\n",
                               "doc/libone1.2-dev/copyright": "see /usr/share/common-licenses/Apache-2.0.",
                               "doc/libtwo-dev/copyright": "of two", "doc/libtwo-more-dev/copyright": "of two",
                               "doc/libstdc++-9-dev/copyright": "of the library",
                               "common-licenses/Apache-2.0": "the terms"}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
            with mock.patch.object(package, "SHARE", folder), mock.patch.object(package, "text_of", return_value="9"):
                file = package.write_licenses(folder, folder / "zinc-0.3.1-linux-amd64")
            self.assertEqual(file.name, "zinc-0.3.1-linux-amd64.licenses")
            self.assertEqual(re.findall("^==== (.*) ====\n\n(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE),
                             [("zinc", "of Zinc"), ("libone1.2-dev", "see /usr/share/common-licenses/Apache-2.0."),
                              ("libtwo-dev", "of two"), ("libstdc++-9-dev", "of the library"),
                              ("Apache-2.0", "the terms")])


class Run(unittest.TestCase):
    def test_a_command_that_fails_is_an_error_to_report(self):
        with self.assertRaisesRegex(ValueError, "false failed"):
            package.text_of("false")

    def test_has_the_output_without_the_end_of_the_line(self):
        self.assertEqual(package.text_of("echo", "word"), "word")


class Check(unittest.TestCase):
    def test_asks_for_root_before_it_builds(self):
        with mock.patch.object(package.os, "geteuid", return_value=1), \
                mock.patch.object(package, "run") as run, mock.patch.object(sys, "argv", ["package", "--check"]), \
                contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(package.main(), 1)
        run.assert_not_called()
        self.assertEqual(said.getvalue().splitlines()[-1], "0 passed, 1 failed")


class Scripts(unittest.TestCase):
    """The scripts of the package zinc, in a folder with systemd."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.wants = self.root / "etc/systemd/system/multi-user.target.wants"
        for path in (self.wants, self.root / "run/systemd/system", self.root / "bin"):
            path.mkdir(parents=True)
        for command in ("deluser", "systemctl"):
            file = self.root / "bin" / command
            file.write_text(f'#!/bin/sh\necho {command} "$@" >>{self.root}/commands\n', encoding="utf-8")
            file.chmod(0o755)

    def enable(self, *units):
        for unit in units:
            (self.wants / unit).symlink_to(f"/lib/systemd/system/{unit}")

    def run_script(self, name, argument):
        """Returns the commands that change the system."""
        subprocess.run(["/bin/sh", DEBIAN / name, argument], check=True,
                       env={"DPKG_ROOT": str(self.root), "PATH": f"{self.root}/bin:/usr/bin:/bin"})
        commands = self.root / "commands"
        return commands.read_text(encoding="utf-8").splitlines() if commands.exists() else []

    def purge(self):
        return self.run_script("zinc.postrm", "purge")

    def test_a_purge_removes_empty_folders_for_data(self):
        (self.root / "var/lib/zinc/broker-main").mkdir(parents=True)
        self.purge()
        self.assertEqual(list((self.root / "var/lib").iterdir()), [])

    def test_a_purge_keeps_data(self):
        data = self.root / "var/lib/zinc/titanic-main/requests"
        data.parent.mkdir(parents=True)
        data.touch()
        self.purge()
        self.assertTrue(data.exists())

    def test_a_purge_disables_the_instances_of_each_unit_and_no_other(self):
        self.enable("zinc-own.service", *[f"zinc-{server}@main.service" for server in servers()])
        self.purge()
        self.assertEqual([path.name for path in self.wants.iterdir()], ["zinc-own.service"])

    def test_a_purge_keeps_the_user_because_it_may_own_keys(self):
        self.assertEqual(self.purge(), [])

    def test_a_removal_that_failed_starts_enabled_servers_again(self):
        self.assertEqual(self.run_script("zinc.postinst", "abort-remove"), [])
        self.enable("zinc-broker@main.service", "other.service")
        self.assertEqual(self.run_script("zinc.postinst", "abort-remove"),
                         ["systemctl start --no-block zinc-broker@main.service"])


class Exposure(unittest.TestCase):
    def test_is_the_number_at_the_end(self):
        text = "  NAME DESCRIPTION EXPOSURE\nx PrivateNetwork= 0.5\n\n→ Overall exposure level for a@b.service: 1.6 OK 🙂\n"
        self.assertEqual(package_check.exposure_of(text), 1.6)


class Files(unittest.TestCase):
    def test_each_unit_has_the_settings_of_its_first_instance(self):
        self.assertEqual({file.name for file in (DEBIAN / "defaults").iterdir()},
                         {f"zinc-{server}-main" for server in servers()})

    def test_removal_stops_the_servers_of_each_unit(self):
        text = (DEBIAN / "zinc.prerm").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"'zinc-(\w+)@\*'", text)), servers())

    def test_settings_of_a_fresh_installation_serve_this_machine_alone(self):
        for file in (DEBIAN / "defaults").iterdir():
            with self.subTest(file.name):
                hosts = re.findall(r"tcp://([^:\s]+):", file.read_text(encoding="utf-8"))
                self.assertEqual(set(hosts), {"127.0.0.1"})

    def test_the_current_folder_of_a_server_is_one_where_it_may_write(self):
        text = (DEBIAN / "zinc-server@.service.in").read_text(encoding="utf-8")
        [folder] = re.findall(r"^StateDirectory=(.*)$", text, re.MULTILINE)
        self.assertIn(f"\nWorkingDirectory=%S/{folder}\n", text)

    def test_units_name_a_page_of_the_documentation(self):
        text = (DEBIAN / "zinc-server@.service.in").read_text(encoding="utf-8")
        [page] = re.findall(r"file:///usr/share/doc/zinc/(\S+)", text)
        self.assertTrue((TOOLS.parent / page).is_file())
        self.assertIn(Path(page).parent.name, (DEBIAN / "zinc.docs").read_text(encoding="utf-8").split())

    def test_links_of_the_documentation_lead_to_files_of_the_package(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, package_check.DOCUMENTATION)
            named = [f"{name} {package_check.DOCUMENTATION}"
                     for name in (DEBIAN / "zinc.docs").read_text(encoding="utf-8").splitlines()]
            named += (DEBIAN / "zinc.install").read_text(encoding="utf-8").splitlines()
            for pattern, to in [line.split() for line in named if " " in line]:
                Path(temporary, to).mkdir(parents=True, exist_ok=True)
                for file in TOOLS.parent.glob(pattern):
                    (shutil.copytree if file.is_dir() else shutil.copy)(file, Path(temporary, to, file.name))
            self.assertEqual(package_check.dead_links(folder), package_check.NOT_INSTALLED)

    def test_systemd_never_gives_up_a_server(self):
        text = (DEBIAN / "zinc-server@.service.in").read_text(encoding="utf-8")
        for line in ("StartLimitIntervalSec=0", "Restart=on-failure", "RestartSec=2s", "TimeoutStartSec=infinity"):
            self.assertIn(f"\n{line}\n", text)

    def test_a_misspelt_instance_fails_at_its_start(self):
        text = (DEBIAN / "zinc-server@.service.in").read_text(encoding="utf-8")
        [file] = re.findall(r"^EnvironmentFile=(.*)$", text, re.MULTILINE)
        self.assertIn(f"\nAssertPathExists={file}\n", text.partition("[Service]")[0])

    def test_a_reload_begins_with_a_check_of_what_a_start_would_read(self):
        text = (DEBIAN / "zinc-server@.service.in").read_text(encoding="utf-8")
        [command] = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
        self.assertEqual(re.findall(r"^ExecReload=(.*)$", text, re.MULTILINE),
                         [f"{command} --check-config", "/bin/sh -c 'kill -HUP $MAINPID'"])

    def test_a_copy_of_the_settings_has_no_file_of_the_first_instance(self):
        for file in (DEBIAN / "defaults").iterdir():
            with self.subTest(file.name):
                self.assertNotIn("-main/", file.read_text(encoding="utf-8"))

    def test_each_file_of_a_package_belongs_to_a_package(self):
        control = (DEBIAN / "control").read_text(encoding="utf-8")
        packages = set(re.findall(r"^Package: (\S+)$", control, re.MULTILINE))
        named = {re.match(r"(.*)\.(install|docs|postinst|prerm|postrm|lintian-overrides)$", file.name)
                 for file in DEBIAN.iterdir()}
        self.assertEqual({found[1] for found in named if found} - packages, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)

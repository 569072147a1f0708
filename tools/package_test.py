#!/usr/bin/env python3
"""The pure parts of tools/package --check, and the files of tools/debian."""

import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
import package_check  # noqa: E402: found by the line above

DEBIAN = TOOLS / "debian"
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


class Exposure(unittest.TestCase):
    def test_is_the_number_at_the_end(self):
        text = "  NAME DESCRIPTION EXPOSURE\nx PrivateNetwork= 0.5\n\n→ Overall exposure level for a@b.service: 1.6 OK 🙂\n"
        self.assertEqual(package_check.exposure_of(text), 1.6)


class Files(unittest.TestCase):
    def servers(self):
        rules = (DEBIAN / "rules").read_text(encoding="utf-8")
        return set(re.findall(r"call unit,(\w+),", rules))

    def test_each_unit_has_the_settings_of_its_first_instance(self):
        self.assertEqual({file.name for file in (DEBIAN / "defaults").iterdir()},
                         {f"zinc-{server}-main" for server in self.servers()})

    def test_removal_stops_the_servers_of_each_unit(self):
        text = (DEBIAN / "zinc.prerm").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"'zinc-(\w+)@\*'", text)), self.servers())

    def test_settings_of_a_fresh_installation_serve_this_machine_alone(self):
        for file in (DEBIAN / "defaults").iterdir():
            with self.subTest(file.name):
                hosts = re.findall(r"tcp://([^:\s]+):", file.read_text(encoding="utf-8"))
                self.assertEqual(set(hosts), {"127.0.0.1"})

    def test_each_file_of_a_package_belongs_to_a_package(self):
        control = (DEBIAN / "control").read_text(encoding="utf-8")
        packages = set(re.findall(r"^Package: (\S+)$", control, re.MULTILINE))
        named = {re.match(r"(.*)\.(install|docs|postinst|prerm|postrm|lintian-overrides)$", file.name)
                 for file in DEBIAN.iterdir()}
        self.assertEqual({found[1] for found in named if found} - packages, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""The program of test/package/embedded needs nothing but glibc, and has the size that docs/embedding.md says. Part of
the long form, because it compiles the sockets. To run it by hand: ZINC_LONG=1 test/package/embedded_test.py. With
ZINC_BUILDS=FOLDER the build stays there, for the next run."""

import collections
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from install_test import LONG, ROOT, run

# The row of the table of sizes, and what CMake is told.
BUILDS = {"sockets": "-DZINC_TLS=OFF", "sockets with TLS": "-DZINC_TLS=ON"}
# How far a size may be from that in the documentation: compilers and libraries differ.
BAND = 0.2

USER = """cmake_minimum_required(VERSION 3.25)
project(user CXX)
find_package(zinc REQUIRED COMPONENTS zmtp)
add_executable(push_pull ${SOURCES}/push_pull.cc)
target_link_libraries(push_pull PRIVATE zinc::zmtp)
"""

# The system calls that make threads and descriptors, with those of one io_context, a listener and a connection.
CALLS = {"clone": 0, "clone3": 0, "epoll_create1": 1, "eventfd2": 1, "timerfd_create": 1, "socket": 2, "accept4": 1}


def documented():
    """The sizes in docs/embedding.md, in kB."""
    text = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
    return {name: int(size.replace(",", "")) for name, size in re.findall(r"^\| ([^|]+) \| ([0-9,]+) kB \|", text, re.M)}


@unittest.skipUnless(LONG, "part of the long form")
class EmbeddedTest(unittest.TestCase):
    def test_program_needs_glibc_alone_and_has_its_documented_size(self):
        self.assertEqual(set(documented()), set(BUILDS))
        with tempfile.TemporaryDirectory() as folder:
            build = Path(os.environ.get("ZINC_BUILDS", folder), "embedded")
            # In one folder, because all but a few files are the same.
            for name, option in BUILDS.items():
                with self.subTest(name):
                    run("cmake", "-S", ROOT / "test/package/embedded", "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_UNITY_BUILD=ON", option)
                    run("cmake", "--build", build, "-j1")
                    program = build / "push_pull"
                    calls = run("strace", "-f", "-e", "trace=" + ",".join(CALLS), program)
                    made = collections.Counter(re.findall(r"^(\w+)\(.*= \d+$", calls, re.M))
                    self.assertEqual({call: made[call] for call in CALLS}, CALLS)
                    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", program))
                    self.assertLessEqual(set(needed), {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})
                    size = program.stat().st_size / 1000
                    print(f"{name}: {size:,.0f} kB")
                    self.assertAlmostEqual(size / documented()[name], 1, delta=BAND)
                    if option == BUILDS["sockets"]:
                        self.find_without_openssl(build, Path(folder))

    def find_without_openssl(self, build, folder):
        """CMake finds the installed sockets on a machine whose pkg-config knows libsodium alone."""
        run("cmake", "--install", build, "--prefix", folder / "prefix")
        (folder / "known").mkdir()
        shutil.copy(Path(run("pkg-config", "--variable=pcfiledir", "libsodium").strip(), "libsodium.pc"),
                    folder / "known")
        (folder / "user").mkdir()
        (folder / "user/CMakeLists.txt").write_text(USER, encoding="utf-8")
        run("cmake", "-S", folder / "user", "-B", folder / "user/build", f"-DSOURCES={ROOT}/test/package/embedded",
            f"-DCMAKE_PREFIX_PATH={folder}/prefix", env=os.environ | {"PKG_CONFIG_LIBDIR": str(folder / "known")})
        run("cmake", "--build", folder / "user/build")
        run(folder / "user/build/push_pull")


if __name__ == "__main__":
    unittest.main(verbosity=2)

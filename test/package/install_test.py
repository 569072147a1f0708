#!/usr/bin/python3
"""CMake builds Zinc and installs it into an empty prefix. Then CMake and pkg-config build programs against it, with a
file that uses Asio without macros. Part of the long form, because it compiles everything. To run it by hand:
ZINC_LONG=1 test/package/install_test.py. With ZINC_BUILDS=FOLDER the builds stay there, for the next run."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

# The source tree, because CMake builds all of it.
ROOT = Path(__file__).resolve().parent.parent.parent
CONSUMER = ROOT / "test/package/consumer"
PROGRAMS = {"push_pull": ["zmtp"], "all_components": ["chp", "bstar", "titanic", "mdp"]}
LONG = os.environ.get("ZINC_LONG", "0") != "0"


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n" + "\n".join(done.stdout.splitlines()[-50:]))
    return done.stdout


def macros_and_warnings(folder):
    """The flags of all compilations of a build that change the code or warn."""
    commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    return {flag for command in commands for flag in re.findall(r"(?<=\s)-[DUW]\S+", command["command"])}


def install(build, prefix, *options):
    run("cmake", "-S", ROOT, "-B", build, f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib",
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DCMAKE_UNITY_BUILD=ON",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
    # Bazel runs other tests at the same time.
    run("cmake", "--build", build, "-j1")
    run("cmake", "--install", build)


class Installed:
    """The tests of an installation, with static and with shared libraries."""

    @classmethod
    def setUpClass(cls):
        if not LONG:
            raise unittest.SkipTest("part of the long form")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = Path(folder.name)
        cls.prefix = cls.work / "prefix"
        build = Path(os.environ.get("ZINC_BUILDS", cls.work), cls.__name__)
        install(build, cls.prefix, *cls.options)
        cls.build = build
        cls.env = os.environ | {"PKG_CONFIG_PATH": f"{cls.prefix}/lib/pkgconfig",
                                "LD_LIBRARY_PATH": f"{cls.prefix}/lib"}

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, env=self.env).split()

    def test_no_macro_of_asio_is_set_for_the_libraries(self):
        self.assertEqual([flag for flag in macros_and_warnings(self.build) if "ASIO" in flag or "BEAST" in flag], [])

    def test_consumer_by_cmake(self):
        build = self.work / "consumer"
        run("cmake", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertEqual(macros_and_warnings(build), set())
        run("cmake", "--build", build)
        for program in PROGRAMS:
            run(build / program, env=self.env)

    def test_consumer_by_pkg_config(self):
        for program, components in PROGRAMS.items():
            modules = [f"zinc-{component}" for component in components]
            flags = self.pkg_config("--cflags", *modules)
            self.assertEqual(set(flags), {f"-I{self.prefix}/include/zinc", "-pthread"})
            libraries = self.pkg_config("--libs", *self.linking, *modules)
            run("g++", "-std=c++20", *flags, CONSUMER / f"{program}.cc", CONSUMER / "own_asio.cc", "-o",
                self.work / program, *libraries)
            run(self.work / program, env=self.env)


class StaticTest(Installed, unittest.TestCase):
    options = []
    linking = ["--static"]

    def test_program_has_the_version_of_the_libraries(self):
        version = run(self.prefix / "bin/zinc", "--version").split()[1]
        self.assertEqual(version.partition("-")[0], self.pkg_config("--modversion", "zinc-zmtp")[0])

    def test_needs_of_sources_alone_are_private(self):
        self.assertNotIn("-lsqlite3", self.pkg_config("--libs", "zinc-titanic"))
        self.assertIn("-lsqlite3", self.pkg_config("--libs", "--static", "zinc-titanic"))
        self.assertNotIn("-lsqlite3", self.pkg_config("--libs", "--static", "zinc-mdp"))


class SharedTest(Installed, unittest.TestCase):
    options = ["-DBUILD_SHARED_LIBS=ON", "-DZINC_PROGRAM=OFF"]
    linking = []

    def test_names_have_the_minor_version(self):
        names = run("readelf", "-d", self.prefix / "lib/libzinc-zmtp.so")
        self.assertIn("[libzinc-zmtp.so.0.1]", names)

    def test_commands_of_the_tutorial_compile_its_programs(self):
        shutil.copytree(ROOT / "test/examples", self.work / "tutorial")
        page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
        for command in sorted(set(re.findall(r"^\$ (g\+\+ .*)", page, re.M))):
            run("bash", "-c", command, cwd=self.work / "tutorial", env=self.env)


class ClangTest(unittest.TestCase):
    @unittest.skipUnless(LONG, "part of the long form")
    def test_clang_builds_the_sockets_and_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(os.environ.get("ZINC_BUILDS", folder), "ClangTest")
            install(build, Path(folder, "prefix"), "-DCMAKE_CXX_COMPILER=clang++-14", "-DZINC_PROGRAM=OFF",
                    "-DZINC_COMPONENTS=zmtp")
            program = Path(folder, "push_pull")
            flags = run("pkg-config", "--static", "--cflags", "--libs", "zinc-zmtp",
                        env=os.environ | {"PKG_CONFIG_PATH": f"{folder}/prefix/lib/pkgconfig"}).split()
            run("clang++-14", "-std=c++20", CONSUMER / "push_pull.cc", CONSUMER / "own_asio.cc", "-o", program, *flags)
            run(program)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""tools/release in small trees whose files agree or not, and the files of this tree."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
# Bazel runs a copy of this file beside the others.
TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
import versions  # noqa: E402: found by the line above

FILES = {
    "tools/zinc/version.h": 'inline constexpr const char* version = "0.3.1";\n',
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [0.3.1] - 2027-01-02\n\n### Added\n\n- Everything.\n\n"
                    "## [0.3.0] - 2027-01-01\n\n### Fixed\n\n- Nothing.\n",
    "tools/debian/changelog": "zinc (0.3.1) unstable; urgency=medium\n\n  * Release.\n\n"
                              " -- Name <name@example.org>  Sat, 02 Jan 2027 10:00:00 +0000\n",
    "tools/debian/control": "Source: zinc\n\nPackage: libzinc0.3\nArchitecture: any\n",
    "docs/compatibility.md": "Zinc 0.3 works with all.\n",
    "docs/cmake.md": "find_package(zinc 0.3 REQUIRED) and libzinc-zmtp.so.0.3\n",
    "README.md": "Zinc\n",
    "tools/package": 'PACKAGES = ["zinc", "libzinc0.3"]\n',
    "test/package/install_test.py": '"libzinc-zmtp.so.0.3"\n',
    "test/package/consumer/CMakeLists.txt": "find_package(zinc 0.3 REQUIRED)\n",
}


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def change(self, path, before, after):
        self.assertIn(before, FILES[path])
        self.write(path, FILES[path].replace(before, after))


class Agreement(Tree):
    def expect_fault(self, *words, faults=None):
        found = versions.faults_of(self.root) if faults is None else list(faults)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_tree_that_agrees_has_no_fault(self):
        self.assertEqual(versions.faults_of(self.root), [])
        self.assertEqual(self.faults_of_release(), [])

    def faults_of_release(self, day="2027-01-02"):
        with mock.patch.object(versions, "today", return_value=day):
            return list(versions.faults_of_release(self.root))

    def test_a_release_of_another_day(self):
        self.expect_fault("2027-01-02", "2027-01-03", faults=self.faults_of_release("2027-01-03"))

    def test_another_version_of_the_packages(self):
        self.change("tools/debian/changelog", "(0.3.1)", "(0.3.0)")
        self.expect_fault("tools/debian/changelog", "0.3.0", "0.3.1")

    def test_another_day_of_the_packages(self):
        self.change("tools/debian/changelog", "Sat, 02 Jan", "Sun, 03 Jan")
        self.expect_fault("2027-01-03", "2027-01-02")

    def test_packages_that_are_not_released(self):
        self.change("tools/debian/changelog", "unstable", "UNRELEASED")
        self.expect_fault("UNRELEASED")

    def test_a_library_of_another_minor_version(self):
        self.change("tools/debian/control", "libzinc0.3", "libzinc0.2")
        faults = versions.faults_of(self.root)
        self.assertEqual(len(faults), 2, faults)
        self.assertIn("has no package libzinc0.3", faults[0])

    def test_pages_with_another_minor_version(self):
        for path, before, after in (("docs/cmake.md", "find_package(zinc 0.3", "find_package(zinc 0.2"),
                                    ("docs/cmake.md", "libzinc-zmtp.so.0.3", "libzinc-zmtp.so.0.2"),
                                    ("README.md", "Zinc", "Zinc 0.2"),
                                    ("tools/package", "libzinc0.3", "libzinc0.2"),
                                    ("test/package/install_test.py", "libzinc-zmtp.so.0.3", "libzinc-zmtp.so.0.2"),
                                    ("test/package/consumer/CMakeLists.txt", "zinc 0.3", "zinc 0.2")):
            with self.subTest(after):
                self.change(path, before, after)
                self.expect_fault(path, after)
                self.write(path, FILES[path])

    def test_pages_with_another_version(self):
        for name in ("zinc_{}_amd64.deb", "libzinc0.3_{}_arm64.deb", "zinc-{}-linux-amd64", "$ zinc {}\n"):
            with self.subTest(name):
                self.write("docs/page.md", name.format("0.3.1"))
                self.assertEqual(versions.faults_of(self.root), [])
                self.write("docs/page.md", name.format("0.3.0"))
                self.expect_fault("docs/page.md", "0.3.0", "0.3.1")

    def test_a_page_of_compatibility_without_a_version(self):
        self.change("docs/compatibility.md", "Zinc 0.3", "Zinc")
        self.expect_fault("docs/compatibility.md", "Zinc 0.3")

    def test_a_changelog_that_is_too_long(self):
        self.change("CHANGELOG.md", "- Everything.\n", "- Everything.\n" * 59)
        self.expect_fault("61 lines", "[0.3.1]")
        self.change("CHANGELOG.md", "- Everything.\n", "- Everything.\n" * 58)
        self.assertEqual(versions.faults_of(self.root), [])

    def test_a_changelog_with_a_release_twice(self):
        self.change("CHANGELOG.md", "## [0.3.0] - 2027-01-01", "## [0.3.1] - 2027-01-02")
        with self.assertRaisesRegex(ValueError, "two sections"):
            versions.faults_of(self.root)
        self.change("CHANGELOG.md", "## [0.3.0] - 2027-01-01", "## [0.3.1] - 2027-01-01")
        self.expect_fault("0.3.1 above 0.3.1")

    def test_a_later_release_in_the_changelog_alone(self):
        for version in ("0.3.2", "0.10.0"):
            with self.subTest(version):
                self.change("CHANGELOG.md", "## [Unreleased]\n",
                            f"## [Unreleased]\n\n## [{version}] - 2027-02-01\n\n### Added\n\n- More.\n")
                self.expect_fault(f"begins with the release {version}", "0.3.1")

    def test_a_version_with_a_suffix_comes_after_the_last_release(self):
        self.change("tools/zinc/version.h", "0.3.1", "0.3.1-rc.1")
        self.change("tools/debian/changelog", "(0.3.1)", "(0.3.1~rc.1)")
        self.expect_fault("0.3.1-rc.1", "comes before it")

    def test_a_changelog_of_another_form(self):
        self.change("CHANGELOG.md", "### Added", "### New")
        self.expect_fault("### New")
        self.change("CHANGELOG.md", "## [Unreleased]\n\n", "")
        self.expect_fault("[Unreleased]")
        self.change("CHANGELOG.md", "[0.3.0] - 2027-01-01", "0.3.0")
        self.expect_fault("`0.3.0`")

    def test_a_version_that_is_none(self):
        for version in ("0.3", "v0.3.1", "0.3.1+build", "0.3.1-"):
            with self.subTest(version):
                self.change("tools/zinc/version.h", "0.3.1", version)
                with self.assertRaises(ValueError):
                    versions.faults_of(self.root)

    def test_a_version_between_releases_agrees_but_is_not_released(self):
        self.change("tools/zinc/version.h", "0.3.1", "0.3.2-dev")
        self.change("tools/debian/changelog", "(0.3.1) unstable", "(0.3.2~dev) UNRELEASED")
        self.assertEqual(versions.faults_of(self.root), [])
        self.expect_fault("suffix", faults=self.faults_of_release())

    def test_changes_without_a_release(self):
        self.change("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- More.\n")
        self.expect_fault("[Unreleased]", faults=self.faults_of_release())


class Release(Tree):
    def setUp(self):
        super().setUp()
        shutil.copy(TOOLS / "release", self.root / "tools/release")
        self.be_on("2027-01-02")
        self.git("init", "--quiet")
        self.commit()

    def be_on(self, day):
        self.write("tools/versions.py", (TOOLS / "versions.py").read_text(encoding="utf-8") +
                   f'\n\ndef today():\n    return "{day}"\n')

    def git(self, *words):
        options = ("-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "tag.gpgsign=false")
        return subprocess.run(["git", *options, *words], cwd=self.root, check=True, capture_output=True,
                              text=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "All")

    def release(self, *words):
        # A test has no identity in a configuration of its user.
        names = {f"GIT_{who}_{what}": "n@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run([sys.executable, self.root / "tools/release", *words],
                              env=names | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_makes_no_tag_unless_it_is_told_to(self):
        code, text = self.release()
        self.assertEqual((code, self.git("tag")), (0, ""), text)
        self.assertIn("v0.3.1", text)

    def test_makes_a_tag_with_the_changes(self):
        self.assertEqual(self.release("--tag"), (0, "made the tag v0.3.1\n"))
        self.assertEqual(self.git("tag", "--list", "--format=%(contents)").strip(),
                         "Zinc 0.3.1\n\n### Added\n\n- Everything.")

    def test_makes_a_tag_once(self):
        self.release("--tag")
        code, text = self.release("--tag")
        self.assertEqual(code, 1)
        self.assertIn("exists already", text)

    def test_a_version_before_a_tag_has_no_release(self):
        self.git("tag", "v0.2.9")
        self.git("tag", "v0.10.0")
        code, text = self.release("--tag")
        self.assertEqual((code, text), (1, "tools/release: the tag v0.10.0 is of a later version\n"))

    def test_a_tree_that_is_not_clean_has_no_release(self):
        self.write("new", "")
        code, text = self.release("--tag")
        self.assertEqual((code, self.git("tag")), (1, ""))
        self.assertIn("?? new", text)

    def test_a_tree_that_disagrees_has_no_release(self):
        self.change("tools/debian/changelog", "(0.3.1)", "(0.3.0)")
        self.commit()
        code, text = self.release("--tag")
        self.assertEqual((code, self.git("tag")), (1, ""))
        self.assertIn("tools/debian/changelog", text)

    def test_another_day_than_that_of_the_changelog_has_no_release(self):
        self.be_on("2027-01-03")
        self.commit()
        code, text = self.release("--tag")
        self.assertEqual((code, self.git("tag")), (1, ""))
        self.assertIn("2027-01-02", text)

    def test_other_words_are_misuse(self):
        self.assertEqual(self.release("--now")[0], 2)


class ThisTree(unittest.TestCase):
    def test_all_files_agree(self):
        # Bazel's links lead to the tree.
        self.assertEqual(versions.faults_of(TOOLS.parent), [])

    def test_each_file_with_a_version_is_there(self):
        self.assertEqual([path for path in versions.OTHERS if not (TOOLS.parent / path).is_file()], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

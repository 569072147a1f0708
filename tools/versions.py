"""The version of this tree, and the files that must agree with it. tools/zinc/version.h has it: CMake, the program and
its manual pages read it there. Debian's tools need it in tools/debian, readers in CHANGELOG.md and in docs/."""

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

HEADER = "tools/zinc/version.h"
CHANGELOG = "CHANGELOG.md"
DEBIAN = "tools/debian"
# These name the library or its version too.
OTHERS = ["tools/package", "test/package/install_test.py", "test/package/consumer/CMakeLists.txt"]
COMPATIBILITY = "docs/compatibility.md"
# Semantic versioning, without build metadata, which Git's tags and Debian's versions have no place for.
FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
MOST_LINES = 60


def read(root, path):
    return (root / path).read_text(encoding="utf-8")


def version_in(header):
    """The version in the text of version.h. Raises ValueError."""
    found = re.findall(r'version = "([^"]*)"', header)
    if len(found) != 1 or not FORM.fullmatch(found[0]):
        raise ValueError(f"{HEADER} must have one version such as 0.1.0 or 0.2.0-rc.1; it has {found}")
    return found[0]


def minor_of(version):
    return ".".join(version.split(".")[:2])


def order_of(version):
    """Orders versions. One with a suffix comes before its release."""
    *numbers, suffix = FORM.fullmatch(version).groups()
    return [int(number) for number in numbers], suffix is None


def debian_version(version):
    """The version for Debian, where a tilde comes before the release."""
    return version.replace("-", "~", 1).replace("-", ".")


def sections_of(changelog):
    """The lines of each release in the text of CHANGELOG.md, by the heading after `## `. Raises ValueError."""
    sections = {}
    for line in changelog.splitlines():
        if line.startswith("## "):
            if line[3:] in sections:
                raise ValueError(f"{CHANGELOG} has two sections {line[3:]}")
            lines = sections[line[3:]] = []
        elif sections:
            lines.append(line)
    return sections


def entry_of_debian(changelog):
    """The version, the distribution and the day of the newest entry of Debian's changelog. Raises ValueError."""
    head = re.match(r"zinc \(([^)]+)\) (\S+); urgency=\w+\n", changelog)
    date = re.search(r"^ -- .*>  (.+)$", changelog, re.MULTILINE)
    if not head or not date:
        raise ValueError(f"{DEBIAN}/changelog has no entry such as `zinc (0.1.0) unstable; urgency=medium`")
    return head[1], head[2], parsedate_to_datetime(date[1]).strftime("%Y-%m-%d")


def day_of_release(version, sections):
    """The day of a release in the headings of CHANGELOG.md, or None."""
    for heading in sections:
        if found := re.fullmatch(r"\[" + re.escape(version) + r"\] - (\d{4}-\d\d-\d\d)", heading):
            return found[1]
    return None


def releases_of(sections):
    """The versions in the headings of CHANGELOG.md."""
    found = [re.fullmatch(r"\[(.+)\] - .*", heading) for heading in sections]
    return [heading[1] for heading in found if heading and FORM.fullmatch(heading[1])]


def faults_of_order(version, sections):
    """The newest release comes first. It is this version, or this version with a suffix comes after it."""
    releases = releases_of(sections)
    for newer, older in zip(releases, releases[1:]):
        if order_of(newer) <= order_of(older):
            yield f"{CHANGELOG} has {newer} above {older}; the newest release comes first"
    newest = releases[0] if releases else None
    if "-" not in version and newest != version:
        yield f"{CHANGELOG} begins with the release {newest}; {HEADER} has {version}"
    if "-" in version and newest and order_of(version) <= order_of(newest):
        yield f"{CHANGELOG} has the release {newest}; {HEADER} has {version}, which comes before it"


def faults_of_changelog(sections):
    if list(sections)[:1] != ["[Unreleased]"]:
        yield f"{CHANGELOG} must begin with the section [Unreleased]"
    for heading, lines in sections.items():
        length = len("\n".join(lines).strip().splitlines())
        if length > MOST_LINES:
            yield f"{CHANGELOG} has {length} lines for {heading}; {MOST_LINES} are the limit"
        for line in lines:
            if line.startswith("#") and line not in [f"### {kind}" for kind in KINDS]:
                yield f"{CHANGELOG} has the heading `{line}` in {heading}; known are {', '.join(KINDS)}"
        if heading != "[Unreleased]" and not re.fullmatch(r"\[\S+\] - \d{4}-\d\d-\d\d", heading):
            yield f"{CHANGELOG} has the heading `{heading}`; the form is `[0.1.0] - 2026-11-26`"


def faults_of_debian(root, version, day):
    entry, distribution, entry_day = entry_of_debian(read(root, f"{DEBIAN}/changelog"))
    if entry != debian_version(version):
        yield f"{DEBIAN}/changelog has version {entry}; {debian_version(version)} is that of {HEADER}"
    if day and distribution == "UNRELEASED":
        yield f"{DEBIAN}/changelog says UNRELEASED; {CHANGELOG} has the release"
    if day and entry_day != day:
        yield f"{DEBIAN}/changelog has the day {entry_day}; {CHANGELOG} has {day}"
    library = f"libzinc{minor_of(version)}"
    if f"Package: {library}\n" not in read(root, f"{DEBIAN}/control"):
        yield f"{DEBIAN}/control has no package {library}"


def faults_of_docs(root, version):
    """Each version of Zinc in the documentation and in OTHERS must be that of the tree, without its suffix."""
    minor = minor_of(version)
    release = version.split("-")[0]
    named = re.compile(r"libzinc(?:-[a-z]+\.so\.)?(\d+\.\d+)|find_package\(zinc (\d+\.\d+)|\bZinc (\d+\.\d+)")
    whole = re.compile(r"zinc[a-z0-9.-]*_([^_\s]+)_[a-z0-9]+\.deb|\bzinc-(\d\S*)-linux-|\bzinc (\d+\.\d+\.\d+)")
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for path in [*pages, *sorted((root / DEBIAN).iterdir()), *[root / other for other in OTHERS]]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for form, expected in ((named, minor), (whole, release)):
                for found in form.finditer(text):
                    if expected not in found.groups():
                        yield f"{path.relative_to(root)} says `{found[0]}`; the version is {version}"
    if f"Zinc {minor}" not in read(root, COMPATIBILITY):
        yield f"{COMPATIBILITY} does not name Zinc {minor}"


def faults_of(root):
    """Where the files of the tree disagree."""
    version = version_in(read(root, HEADER))
    sections = sections_of(read(root, CHANGELOG))
    day = day_of_release(version, sections)
    return [*faults_of_changelog(sections), *faults_of_order(version, sections),
            *faults_of_debian(root, version, day), *faults_of_docs(root, version)]


def today():
    return datetime.now(timezone.utc).strftime("%Y-%m-%d")


def faults_of_release(root):
    """Further faults of a tree for a release today: a suffix, another day, or changes that belong to no release."""
    version = version_in(read(root, HEADER))
    sections = sections_of(read(root, CHANGELOG))
    if "-" in version:
        yield f"{HEADER} has {version}; give a release a version without a suffix"
    if any(line.strip() for line in sections.get("[Unreleased]", [])):
        yield f"{CHANGELOG} has lines in [Unreleased]; move them to [{version}]"
    if (day := day_of_release(version, sections)) not in (None, today()):
        yield f"{CHANGELOG} and {DEBIAN}/changelog have the day {day}; in UTC it is {today()}"

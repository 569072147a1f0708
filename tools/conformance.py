#!/usr/bin/python3
"""Says which tests show which requirement, from the requirements that tests name beside their names.

    tools/conformance.py            fails where docs/conformance.md is not of today
    tools/conformance.py --write    writes its last column anew

A test names requirements in a comment beside its name, above it or within it:

    TEST(command, ready_has_three_frames) {  // MDP-15
    def test_ready_comes_first(self):  # MDP-23, MD1-4
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TABLE = "docs/conformance.md"

ID = r"(?:MDP|MD1|MMI|Z)-\d+"
ROW = re.compile(r"^\| (%s) \| (.*) \| (\S+) \| (.*)\|$" % ID)
CC_TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P)\(\s*(\w+),\s*(\w+)\)")
PY_CLASS = re.compile(r"^class (\w+)")
PY_TEST = re.compile(r"^    def (test_\w+)\(")


def comment(line):
    return re.split(r"//|#", line, maxsplit=1)[1] if re.search(r"//|#", line) else ""


def tests_in(path):
    """(requirement, test) for each requirement in a comment within a test, or just above it."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    suite, name, above = "", None, []
    for at, line in enumerate(lines):
        if path.endswith(".py"):
            suite = PY_CLASS.match(line).group(1) if PY_CLASS.match(line) else suite
            match = PY_TEST.match(line)
            begun = f"{suite}.{match.group(1)}" if match else None
        else:
            # A long name wraps.
            match = CC_TEST.match(line + (lines[at + 1].strip() if line.rstrip().endswith(",") else ""))
            begun = f"{match.group(1)}.{match.group(2)}" if match else None
        if begun:
            name = begun
            yield from ((requirement, name) for requirement in above)
        found = re.findall(ID, comment(line))
        if re.match(r"(    )?(//|#)", line):
            above += found
        else:
            above = []
            if name:
                yield from ((requirement, name) for requirement in found)


def shown():
    """{requirement: {file: [test, …]}}"""
    found = {}
    for folder, folders, files in sorted(os.walk(os.path.join(ROOT, "test"))):
        folders.sort()
        for file in sorted(files):
            if file.endswith(("_test.cc", "_test.py")):
                path = os.path.relpath(os.path.join(folder, file), ROOT)
                for requirement, name in tests_in(path):
                    names = found.setdefault(requirement, {}).setdefault(path, [])
                    if name not in names:
                        names.append(name)
    return found


def rewrite(text, found):
    lines = []
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            requirement, what, level, _ = match.groups()
            tests = "; ".join(
                f"`{path}`: " + ", ".join(f"`{name}`" for name in names)
                for path, names in found.get(requirement, {}).items()
            )
            line = f"| {requirement} | {what} | {level} | {tests} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def faults(text, found):
    rows = [ROW.match(line).groups() for line in text.splitlines() if ROW.match(line)]
    known = {row[0] for row in rows}
    for requirement, _, level, _ in rows:
        if "M" in level and requirement not in found:
            yield f"{requirement} must be met and no test names it"
    for requirement in sorted(set(found) - known):
        path = next(iter(found[requirement]))
        yield f"{path} names {requirement}, which {TABLE} does not have"
    if rewrite(text, found) != text:
        yield f"{TABLE} is not of today; run tools/conformance.py --write"


def main():
    path = os.path.join(ROOT, TABLE)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = shown()
    if sys.argv[1:] == ["--write"]:
        text = rewrite(text, found)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif sys.argv[1:]:
        print(__doc__)
        return 2
    bad = list(faults(text, found))
    for fault in bad:
        print(fault)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""Says which tests show which requirement, from the requirements that tests name beside their names, and which
pairs of sockets are tested, from the names of those tests.

    tools/conformance.py            fails where docs/conformance.md is not of today
    tools/conformance.py --write    writes its last columns and its tables of pairs anew

A test names requirements in a comment beside its name, above it or within it:

    TEST(command, ready_has_three_frames) {  // MDP-15
    def test_ready_comes_first(self):  # MDP-23, MD1-4

The names of the pairs are asked of //test/interop:conformance_matrix_test, which has to be built.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TABLE = "docs/conformance.md"

ID = r"(?:MDP|MD1|MMI|TSP|PPP|FLP|BS|CHP|ZWS|ZAP|Z)-\d+"
ROW = re.compile(r"^\| (%s) \| (.*) \| (\S+) \| (.*)\|$" % ID)
CC_TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P)\(\s*(\w+),\s*(\w+)\)")
PY_CLASS = re.compile(r"^class (\w+)")
PY_TEST = re.compile(r"^    def (test_\w+)\(")


# Who talks to whom (RFC 28 to 31, RFC 37 "Socket-Type"), in the order of the tables.
PARTNERS = {
    "REQ": ("REP", "ROUTER"), "REP": ("REQ", "DEALER"), "DEALER": ("REP", "DEALER", "ROUTER"),
    "ROUTER": ("REQ", "DEALER", "ROUTER"), "PUB": ("SUB", "XSUB"), "XPUB": ("SUB", "XSUB"),
    "SUB": ("PUB", "XPUB"), "XSUB": ("PUB", "XPUB"), "PUSH": ("PULL",), "PULL": ("PUSH",), "PAIR": ("PAIR",),
}
MATRIX = "test/interop/conformance_matrix_test"
CELL = re.compile(r"^  \w+/((?:our|their)_\w+_binds_(?:our|their)_\w+_connects_over_\w+)\b")
PAIRS = re.compile(r"(?<=<!-- pairs -->\n).*(?=<!-- end of pairs -->)", re.S)


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


def cells():
    """The names of the tests of one pair each."""
    # Among the runfiles of a test, or for a run by hand in bazel-bin.
    for program in (MATRIX, os.path.join(ROOT, "bazel-bin", MATRIX)):
        if os.path.isfile(program):
            listed = subprocess.run([os.path.abspath(program), "--gtest_list_tests"], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            return {CELL.match(line).group(1) for line in listed.splitlines() if CELL.match(line)}
    sys.exit(f"{MATRIX} is not built: bazel build //{os.path.dirname(MATRIX)}:{os.path.basename(MATRIX)}")


def cell(binds, connects, over):
    return f"{binds}_binds_{connects}_connects_over_{over}".lower()


def needed():
    """The tables: heads, and rows of two types and the cells that they need."""
    pairs = [(one, other) for one, others in PARTNERS.items() for other in others]
    with_theirs = [(one, other, [named for over in ("tcp", "ipc")
                                 for named in (cell(f"our_{one}", f"their_{other}", over),
                                               cell(f"their_{other}", f"our_{one}", over))])
                   for one, other in pairs]
    among_ours = [(one, other, [cell(f"our_{one}", f"our_{other}", over) for over in ("tcp", "ipc", "inproc")])
                  for one, other in pairs]
    return ((("ours", "libzmq's", "tcp, ours binds", "tcp, libzmq's binds", "ipc, ours binds",
              "ipc, libzmq's binds"), with_theirs),
            (("ours binds", "ours connects", "tcp", "ipc", "inproc"), among_ours))


def pairs(tested):
    tables = []
    for head, rows in needed():
        lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        lines += [f"| {one} | {other} | " + " | ".join("✓" if name in tested else "–" for name in names) + " |"
                  for one, other, names in rows]
        tables.append("\n".join(lines) + "\n")
    return "\n" + "\n".join(tables) + "\n"


def rewrite(text, found, tested):
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
    return PAIRS.sub(pairs(tested), "\n".join(lines) + "\n")


def faults(text, found, tested):
    rows = [ROW.match(line).groups() for line in text.splitlines() if ROW.match(line)]
    known = {row[0] for row in rows}
    for requirement, _, level, _ in rows:
        if "M" in level and requirement not in found:
            yield f"{requirement} must be met and no test names it"
    for requirement in sorted(set(found) - known):
        path = next(iter(found[requirement]))
        yield f"{path} names {requirement}, which {TABLE} does not have"
    every = {name for _, rows in needed() for _, _, names in rows for name in names}
    for name in sorted(every - tested):
        yield f"{MATRIX} has no {name}"
    for name in sorted(tested - every):
        yield f"{MATRIX} has {name}, which {TABLE} has no place for"
    if not PAIRS.search(text):
        yield f"{TABLE} has no place for the pairs"
    if rewrite(text, found, tested) != text:
        yield f"{TABLE} is not of today; run tools/conformance.py --write"


def main():
    path = os.path.join(ROOT, TABLE)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found, tested = shown(), cells()
    if sys.argv[1:] == ["--write"]:
        text = rewrite(text, found, tested)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif sys.argv[1:]:
        print(__doc__)
        return 2
    bad = list(faults(text, found, tested))
    for fault in bad:
        print(fault)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

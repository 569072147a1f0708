#!/usr/bin/python3
"""Which of the Guide's programs work with which: the tables of docs/guide.md, from what zinc interop says.

    tools/guide_matrix.py              plays all drills, and fails where docs/guide.md is not of today
    tools/guide_matrix.py --write      plays all drills, and writes the tables of docs/guide.md anew
    tools/guide_matrix.py --write FILE the same from a FILE that `zinc interop --json` has written

The programs have to be built: bazel build //tools/zinc //tools/guide:programs. Takes two minutes.
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
PAGE = os.path.join(ROOT, "docs/guide.md")
THEIRS = os.path.join(ROOT, "test/interop/guide")
PLACE = re.compile(r"(?<=<!-- drills -->\n).*(?=<!-- end of drills -->)", re.S)

COMBINATIONS = (("ours", "ours"), ("ours", "theirs"), ("theirs", "ours"), ("theirs", "theirs"))
HEAD = ("server/client", "drill", "ours", "our server", "our client", "theirs")
MARKS = {"passed": "✓", "failed": "✗", "skipped": "–"}


def play(zinc, *more, theirs=THEIRS):
    """What `zinc interop` has found, and its exit code."""
    done = subprocess.run([zinc, "interop", "--theirs", theirs, "--python", sys.executable, "--json", *more],
                          stdout=subprocess.PIPE, text=True, check=False)
    return (json.loads(done.stdout) if done.stdout else None), done.returncode


def rows_of(results):
    """{(pair, drill): [mark of each combination]}, in the order of the results."""
    rows = {}
    for one in results:
        whose = [one[side]["whose"] if one[side] else None for side in ("server", "client")]
        # Who has no part in a drill is on the side of the other.
        server, client = whose[0] or whose[1], whose[1] or whose[0]
        marks = rows.setdefault((one["pair"], one["drill"]), [""] * len(COMBINATIONS))
        marks[COMBINATIONS.index((server, client))] = MARKS[one["result"]]
    return rows


def line_of(cells):
    return "| " + " | ".join(cells) + " |"


def table(rows):
    lines = [line_of(HEAD), "|---" * 2 + "|:-:" * len(COMBINATIONS) + "|"]
    lines += [line_of((f"`{pair}`", drill, *marks)) for (pair, drill), marks in rows.items()]
    return "\n" + "\n".join(lines) + "\n\n"


def rows_in(text):
    """The same of a page."""
    rows = {}
    found = PLACE.search(text)
    for line in found.group(0).splitlines() if found else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].startswith("`"):
            rows[cells[0].strip("`"), cells[1]] = cells[2:]
    return rows


def page():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def main():
    words = sys.argv[1:]
    write = words[:1] == ["--write"]
    if len(words) > 2 or (words and not write):
        print(__doc__)
        return 2
    if words[1:]:
        with open(words[1], encoding="utf-8") as file:
            found = json.load(file)
    else:
        found, _ = play(os.path.join(ROOT, "bazel-bin/tools/zinc/zinc"))
    text = page()
    today = PLACE.sub(lambda _: table(rows_of(found["results"])), text)
    if write:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(today)
    elif today != text:
        print("docs/guide.md is not of today; run tools/guide_matrix.py --write")
    return int(found["failed"] != 0 or (not write and today != text))


if __name__ == "__main__":
    sys.exit(main())

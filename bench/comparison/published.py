"""Writes the tables of docs/performance.md and README.md from the results of a comparison. Comments that name them are
around them."""

import json
import re
import shutil

from comparison.published_tables import BLOCKS

PAGES = ("docs/performance.md", "README.md")
FOLDER = "docs/performance"
RESULTS = "results.json"
OPEN_LOOP = "open_loop.json"


class Document:
    """Results, as results.json has them. `others` are older results of workloads that this file lacks, `open_loop` are
    those of bench/open_loop."""

    def __init__(self, results, others=(), open_loop=()):
        self.machine = results["machine"]
        self.falls = results["falling_ratios"]
        self.workloads = results["workloads"]
        older = {each["name"]: each for other in others for each in other["workloads"]}
        self.open_loop = open_loop
        self.by_name = {**older, **{each["name"]: each for each in self.workloads}}


def read(folder):
    """Returns the results in this folder."""
    def loaded(path):
        return json.loads(path.read_text(encoding="utf-8"))
    others = [loaded(path) for path in sorted(folder.glob("*.json")) if path.name != RESULTS]
    open_loop = loaded(folder / OPEN_LOOP)["results"] if (folder / OPEN_LOOP).exists() else ()
    return Document(loaded(folder / RESULTS), [each for each in others if "workloads" in each], open_loop)


_MARKED = re.compile(r"(<!-- (" + "|".join(BLOCKS) + r") -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def rewritten(text, document):
    """Returns the text of a page with the tables of these results. A table that was not measured stays."""
    def block(match):
        lines = BLOCKS[match[2]](document)
        return "\n".join([match[1], *lines, "", match[3]]) if lines else match[0]
    return _MARKED.sub(block, text)


def publish(source, root):
    """Copies results and charts from this folder into the tree, removes older results that these replace, and writes
    the tables. Returns the changed files."""
    results = json.loads((source / RESULTS).read_text(encoding="utf-8"))
    if results["settings"]["quick"]:
        raise ValueError("the results of --quick are no figures")
    if "other" in results["machine"]:
        raise ValueError("the tables are those of one machine, without --host")
    target = root / FOLDER
    names = [path.name for path in sorted(source.iterdir()) if path.name == RESULTS or path.suffix == ".svg"]
    if source.resolve() != target.resolve():
        for name in names:
            shutil.copyfile(source / name, target / name)
    changed = [f"{FOLDER}/{name}" for name in names]
    new = {each["name"] for each in json.loads((target / RESULTS).read_text(encoding="utf-8"))["workloads"]}
    for path in target.glob("*.json"):
        older = json.loads(path.read_text(encoding="utf-8")).get("workloads", [])
        if path.name != RESULTS and older and new.issuperset(each["name"] for each in older):
            path.unlink()
            changed.append(f"{FOLDER}/{path.name}")
    document = read(target)
    for name in PAGES:
        page = root / name
        page.write_text(rewritten(page.read_text(encoding="utf-8"), document), encoding="utf-8")
        changed.append(name)
    return changed

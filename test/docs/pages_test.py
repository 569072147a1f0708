#!/usr/bin/python3
"""The pages for readers: the index has all of them, and each link leads to a file and a heading that exist."""

import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
# The source tree, because the pages link to files everywhere.
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page_links import links, unique_anchor, without_code  # noqa: E402: found by the line above

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def anchors(page):
    """The anchors of the headings of a page, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)", without_code(page.read_text(encoding="utf-8")), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        unique_anchor(text, found)
    return found


class Pages(unittest.TestCase):
    def test_links_lead_to_files_and_headings(self):
        broken = []
        for page in PAGES:
            for link, to, anchor in links(page):
                if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
                    broken.append(f"{page.name}: {link}")
        self.assertEqual(broken, [])

    def test_files_have_the_functions_named_behind_them(self):
        missing = []
        for page in PAGES:
            text = without_code(page.read_text(encoding="utf-8"))
            for file, function in re.findall(r"`([\w/]+\.(?:cc|h))`,\s`(?:\w+::)*(\w+)\(\)`", text):
                named = ROOT / file
                if named.exists() and not re.search(rf"\b{function}\b", named.read_text(encoding="utf-8")):
                    missing.append(f"{page.name}: {function}() is not in {file}")
        self.assertEqual(missing, [])

    def test_the_index_has_each_page(self):
        index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        self.assertEqual([page.name for page in PAGES if page.name != "README.md" and f"{page.name})" not in index], [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""The HTML pages of tools/docs: each page of the tree is there, all links lead somewhere, all Markdown is rendered."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
# The source tree, because the pages link to files everywhere.
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[1:1] = [str(ROOT / "tools"), str(ROOT / "test/docs")]
from html_pages import Page, faults  # noqa: E402: found by the line above

try:
    from documentation_site import write_pages
except ModuleNotFoundError as missing:
    sys.exit(f"{missing} for this Python; tools/setup --for test installs python3-markdown-it for /usr/bin/python3")

TREE = {
    "README.md": "# Zinc\n\n[Pages](docs/README.md), [first](docs/first.md#a-b-1)\n",
    "CHANGELOG.md": "# Changes\n",
    "CONTRIBUTING.md": "# Rules\n",
    "docs/README.md": "# Pages\n\n| to `learn` | page |\n|---|---|\n| it | [one](first.md), [two](second.md) |\n",
    "docs/first.md": "# The *first* `page` & more\n\n## A: b\n\n## [a](second.md) b\n`zmtp/options.h`, `zmtp/none.h`\n",
    "docs/second.md": "# Second\n\n[a](../a.cc) ![b](b.svg) [c](https://c.org/) [d](../sub) [e](../zmtp/options.h)\n",
    "docs/b.svg": "<svg/>",
    "a.cc": "a<b>();",
    "sub/file": "",
    **{name: (ROOT / name).read_text("utf-8") for name in ("tools/reference/page.html", "tools/reference/pages.css")},
}


def write_reference(root, output):
    """Stands in for Doxygen."""
    for name in ("index", "options_8h"):
        write(output / f"reference/{name}.html", "")
    write(output / "reference/zinc.tag", f"""\
<tagfile><compound kind="file"><name>options.h</name><path>{root}/zmtp/</path><filename>options_8h.html</filename>
</compound></tagfile>""")


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


class Folder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = Path(folder.name).resolve() / "output"

    def written(self, root):
        write_reference(root, self.output)
        return write_pages(root, self.output)

    def page(self, name):
        return (self.output / name).read_text(encoding="utf-8")


class PagesOfTheTree(Folder):
    def test_have_no_faults(self):
        self.assertEqual(self.written(ROOT), "")
        self.assertEqual(faults(self.output), [])
        names = [file.stem for file in (ROOT / "docs").glob("*.md") if file.name != "README.md"]
        expected = {f"docs/{name}.html" for name in names} | {"docs/index.html", "index.html", "CHANGELOG.html"}
        self.assertEqual([name for name in expected if not (self.output / name).is_file()], [])
        listed = Page(self.output / "docs/index.html").navigation
        self.assertEqual(listed, {f"{name}.html" for name in names} | {"../CONTRIBUTING.html"})
        self.assertIn('<img src="performance/stream.svg"', self.page("docs/performance.html"))
        self.assertTrue((self.output / "docs/performance/stream.svg").is_file())


class PagesOfASmallTree(Folder):
    def setUp(self):
        super().setUp()
        self.root = self.output.parent / "root"
        for name, text in TREE.items():
            write(self.root / name, text)

    def test_links_lead_to_pages_to_the_reference_and_to_sources(self):
        self.assertEqual(self.written(self.root), "")
        self.assertEqual(faults(self.output), [])
        self.assertIn('<a href="docs/first.html#a-b-1">first</a>', self.page("index.html"))
        self.assertIn('<a href="../reference/options_8h.html"><code>zmtp/options.h</code></a>, '
                      '<code>zmtp/none.h</code>', self.page("docs/first.html"))
        self.assertIn('<a href="../a.cc.html">a</a> <img src="b.svg" alt="b" /> <a href="https://c.org/">c</a> '
                      '<a href="../sub.html">d</a> <a href="../reference/options_8h.html">e</a>',
                      self.page("docs/second.html"))
        self.assertIn("<code>a&lt;b&gt;();</code>", self.page("a.cc.html"))

    def test_the_navigation_has_the_pages_of_the_index_by_their_titles(self):
        self.written(self.root)
        navigation = re.search("<nav.*</nav>", self.page("docs/second.html"), re.S)[0]
        self.assertEqual(navigation.splitlines()[1:-1], [
            "<h2>to learn</h2>", '<a href="first.html">The first page &amp; more</a>',
            '<a href="second.html" aria-current="page">Second</a>'])

    def test_a_link_to_a_missing_file_is_a_fault(self):
        write(self.root / "docs/second.md", "# Second\n\n[gone](gone.md)\n")
        self.assertEqual(self.written(self.root), "docs/second.md: nothing is at the link gone.md\n")

    def test_planted_faults_are_found(self):
        for planted, fault in (('<a href="gone.html">x</a>', "gone.html leads to no file"),
                               ('<a href="second.html#gone">x</a>', "second.html#gone leads to no heading"),
                               ("<p>| a | b |</p>", "raw Markdown: | a | b |"), ("<p>```cpp</p>", "raw Markdown: ```"),
                               ('<i id="a-b">x</i>', "two of #a-b"), ("<p>", "</main> closes nothing"),
                               ("<script></script>", "<script> is not allowed here"),
                               ('<img src="https://c.org/x.png">', "https://c.org/x.png is loaded from elsewhere")):
            with self.subTest(planted):
                self.written(self.root)
                page = self.page("docs/first.html").replace("</main>", f"{planted}\n</main>")
                write(self.output / "docs/first.html", page)
                self.assertIn(f"docs/first.html: {fault}", faults(self.output))


if __name__ == "__main__":
    unittest.main()

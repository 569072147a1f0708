"""Finds faults in the HTML pages of tools/docs: dead links, wrong tags, and Markdown that no renderer read."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# A fence, a row of a table, a link, bold text or a heading of Markdown, in text outside of code.
MARKDOWN = re.compile(r"```|^\s*\|.*\||\]\(|\*\*|^#+ ", re.M)
VOID = {"br", "hr", "img", "link", "meta"}


class Page(HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.open, self.anchors, self.links, self.text, self.faults = [], [], [], "", []
        self.navigation = set()
        self.feed(file.read_text(encoding="utf-8"))
        self.close()
        self.faults += [f"<{tag}> stays open" for tag in self.open]
        self.faults += [f"raw Markdown: {found[0]}" for found in MARKDOWN.finditer(self.text)]
        self.faults += [f"two of #{anchor}" for anchor in set(self.anchors) if self.anchors.count(anchor) > 1]

    def handle_starttag(self, tag, attrs):
        if tag == "script" or (tag == "a" and "a" in self.open):
            self.faults.append(f"<{tag}> is not allowed here")
        if tag not in VOID:
            self.open.append(tag)
        values = dict(attrs)
        if "id" in values:
            self.anchors.append(values["id"])
        for link in (values[name] for name in ("href", "src") if name in values):
            if tag != "a" and urlsplit(link).scheme:
                self.faults.append(f"{link} is loaded from elsewhere")
            self.links.append(link)
            if "nav" in self.open:
                self.navigation.add(link)

    def handle_endtag(self, tag):
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if "code" not in self.open:
            self.text += data


def faults(folder):
    """The faults of the pages in a folder, without those of the reference."""
    files = [file for file in folder.rglob("*.html") if folder / "reference" not in file.parents]
    pages = {file: Page(file) for file in files}
    found = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            to = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not parts.scheme and not to.is_file():
                page.faults.append(f"{link} leads to no file")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].anchors:
                page.faults.append(f"{link} leads to no heading")
        found += [f"{file.relative_to(folder)}: {fault}" for fault in page.faults]
    return found

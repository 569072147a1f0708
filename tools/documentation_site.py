"""Writes the pages of documentation as HTML. A page lies where its Markdown lies in the tree, and a README.md becomes
the index.html of its folder. The API reference is in the folder `reference` beside the pages."""

import html
import re
import shutil
import xml.etree.ElementTree
from os.path import normpath, relpath
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from page_links import unique_anchor

START = Path("README.md")
INDEX = Path("docs/README.md")
STYLE = Path("tools/reference/pages.css")
LAYOUT = Path("tools/reference/page.html")
REFERENCE = "reference/index.html"
TAGS = "reference/zinc.tag"
# Browsers show these. Each other file that a page links to becomes a page.
COPIED = {".json", ".svg"}


def text_of(inline):
    return "".join(child.content for child in inline.children)


def target_in_tree(page, link):
    """The path that a link of a page leads to, and the anchor with its mark."""
    file, mark, anchor = unquote(link).partition("#")
    return Path(normpath(page.parent / file)) if file else page, mark + anchor


def listed_pages(index):
    """The head of each table of the index, and behind it the pages that the table links to."""
    for row, cell, text in zip(index, index[1:], index[2:]):
        if row.type == "tr_open" and cell.type == "th_open":
            yield text_of(text)
        elif cell.type == "td_open":
            links = [child.attrGet("href") for child in text.children if child.type == "link_open"]
            yield from (target_in_tree(INDEX, link)[0] for link in links if link.endswith(".md"))


def header_pages(root, output):
    """The pages of the reference that describe a header, by its path in the tree."""
    for file in xml.etree.ElementTree.parse(output / TAGS).iterfind("compound[@kind='file']"):
        header = Path(file.findtext("path"), file.findtext("name")).relative_to(root)
        yield header, Path("reference", file.findtext("filename"))


class Site:
    def __init__(self, root, output):
        self.root, self.output, self.faults = root, output, []
        self.layout = (root / LAYOUT).read_text("utf-8")
        self.markdown = MarkdownIt("commonmark").enable("table")
        files = [root / START, root / "CHANGELOG.md", root / "CONTRIBUTING.md", *sorted(root.glob("docs/*.md"))]
        self.pages = {file.relative_to(root): self.markdown.parse(file.read_text("utf-8")) for file in files}
        self.titles = {page: next(text_of(text) for heading, text in zip(tokens, tokens[1:])
                                  if heading.type == "heading_open") for page, tokens in self.pages.items()}
        self.listed = list(listed_pages(self.pages[INDEX]))
        self.headers = dict(header_pages(root, output))
        # Where the output has what pages link to.
        self.places = self.headers | {page: page.with_name("index.html") if page.name == "README.md" else
                                      page.with_suffix(".html") for page in self.pages}

    def anchor(self, page, place, text, current=False):
        mark = ' aria-current="page"' if current else ""
        return f'<a href="{self.way(page, place)}"{mark}>{text}</a>'

    def way(self, page, place):
        return relpath(place, self.places[page].parent)

    def write(self, page, title, body):
        header = [self.anchor(page, *to) for to in ((self.places[START], "Zinc"), (self.places[INDEX], "All pages"),
                                                    (REFERENCE, "API reference"))]
        navigation = [f"<h2>{html.escape(entry)}</h2>" if isinstance(entry, str) else self.anchor(
            page, self.places[entry], html.escape(self.titles[entry]), entry == page) for entry in self.listed]
        text = self.layout.format(title=html.escape(f"{title} - Zinc"), style=self.way(page, STYLE.name), body=body,
                                  header="\n".join(header), navigation="\n".join(navigation))
        place = self.output / self.places[page]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def take_along(self, source):
        """Writes a file or the list of a folder, which a page links to."""
        file, copied = self.root / source, source.suffix in COPIED
        self.places[source] = source if copied else Path(f"{source}.html")
        if copied:
            (self.output / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, self.output / source)
        else:
            text = "\n".join(sorted(each.name for each in file.iterdir())) if file.is_dir() else file.read_text("utf-8")
            self.write(source, source, f"<h1>{source}</h1>\n<pre><code>{html.escape(text)}</code></pre>\n")

    def target(self, page, link):
        """The link in HTML for a link in Markdown."""
        if re.match(r"\w+:", link):
            return link
        source, anchor = target_in_tree(page, link)
        if source not in self.places:
            if not (self.root / source).exists():
                self.faults.append(f"{page}: nothing is at the link {link}\n")
                return link
            self.take_along(source)
        return self.way(page, self.places[source]) + anchor

    def body(self, page):
        tokens, anchors = self.pages[page], set()
        for before, token in zip(tokens, tokens[1:]):
            if before.type == "heading_open":
                before.attrSet("id", unique_anchor(text_of(token), anchors))
            for child in token.children or []:
                for name in {"href", "src"} & child.attrs.keys():
                    child.attrSet(name, self.target(page, child.attrGet(name)))
        rendered = self.markdown.renderer.render(tokens, self.markdown.options, {})
        return re.sub(r"<code>([\w/]+\.h)</code>(?!</a>)", lambda found: self.anchor(
            page, self.headers[Path(found[1])], found[0]) if Path(found[1]) in self.headers else found[0], rendered)


def write_pages(root, output):
    """Writes all pages beside the reference, which must exist. Returns the faults of their links."""
    site = Site(root, output)
    shutil.copyfile(root / STYLE, output / STYLE.name)
    for page in site.pages:
        site.write(page, site.titles[page], site.body(page))
    return "".join(site.faults)

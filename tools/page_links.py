"""The links of pages of documentation, which are written in Markdown."""

import re


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def unique_anchor(heading, taken):
    """The anchor of a heading, as GitHub makes it. Adds it to those of the page's headings before."""
    first = anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    number = 0
    while anchor in taken:
        number += 1
        anchor = f"{first}-{number}"
    taken.add(anchor)
    return anchor


def links(page):
    """The links of a page to files: (link, file, anchor)."""
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if not re.match(r"\w+:", link):
            file, _, anchor = link.partition("#")
            yield link, (page.parent / file).resolve() if file else page, anchor


def dead_links(folder):
    """The files that links of the pages in a folder lead to and that are not there, relative to the folder."""
    folder = folder.resolve()
    return {str(to.relative_to(folder)) for page in folder.rglob("*.md") for _, to, _ in links(page) if not to.exists()}

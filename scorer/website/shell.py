"""A page of the theme with a place for a title and one for a body. Pure.

Pages are put together here and not by the theme, so that nothing foreign is ever read as Markdown.
"""

from __future__ import annotations

import re
from html import escape

from scorer.errors import DataError

TITLE = "wb-title-here"
SLOT = '<div id="wb-slot"><h1>wb-slot</h1></div>'
SHELL = "_/_/_/_/"
"""Address of the page that others are stamped from: as deep as an example, and no neighbour of any
other page, so that every link on it climbs to the root first."""
ROOT_FROM_SHELL = "../" * SHELL.count("/")


class Shell:
    """A page of the theme with a place for a title and one for a body."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.before, found, self.after = html.partition(SLOT)
        if not found or TITLE not in self.before:
            raise DataError("the theme's page has no place for a title or a body; "
                            "see scorer/website/shell.py")

    def page(self, title: str, body: str) -> str:
        """The shell with a title and a body, which may be foreign text and are not searched."""
        name = escape(title)
        return self.before.replace(TITLE, name) + body + self.after.replace(TITLE, name)

    def within(self, section: str) -> Shell:
        """The same shell with one entry of the navigation marked as the current one."""
        link = f'<li class="md-tabs__item">\n<a href="{ROOT_FROM_SHELL}{section}/"'
        marked = link.replace("md-tabs__item", "md-tabs__item md-tabs__item--active")
        return Shell(self.html.replace(link, marked))

    def moved(self, depth: int) -> Shell:
        """The same shell for pages at another depth."""
        old, new = ROOT_FROM_SHELL, "../" * depth
        return Shell(self.html.replace(old, new).replace(old[:-1] + '"', new[:-1] + '"'))


def squeezed(html: str) -> str:
    """Without empty lines and indentation; only for markup without preformatted text."""
    return _BLANKS.sub("\n", html)


_BLANKS = re.compile(r"\n\s+")


def mended(html: str) -> str:
    """A page of the theme with a name for its search dialog, which the theme leaves out."""
    return html.replace('data-md-component="search" role="dialog"',
                        'data-md-component="search" role="dialog" aria-label="Search"')

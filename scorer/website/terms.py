"""Words of the glossary in markup of ours, each linked where it first appears. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from scorer.website.text import slug

_TAG = re.compile(r"(<[^>]*>)")
_CLOSED = frozenset({"a", "bdi", "button", "code", "h1", "h2", "h3", "script", "summary", "svg"})
"""Elements in which nothing is linked."""


@lru_cache(maxsize=256)
def linked(html: str, terms: Sequence[str], root: str, before: str = "") -> str:
    """The markup with a link to the glossary at the first of each term that ``before`` has not.

    >>> linked("<p>A null, a <b>second null</b> and gates</p>", ("Gate", "Null"), "../")[:46]
    '<p>A <a href="../glossary/#null">null</a>, a <'
    """
    parts = _TAG.split(html)
    for term in sorted(terms, key=len, reverse=True):
        address = f"{root}glossary/#{slug(term)}"
        if f'"{address}"' not in before:
            _link(parts, re.compile(rf"\b{re.escape(term)}s?\b", re.IGNORECASE), address)
    return "".join(parts)


def _link(parts: list[str], term: re.Pattern[str], address: str) -> None:
    """Link the first place at which a term stands, if it stands anywhere."""
    within: list[str] = []
    for at, part in enumerate(parts):
        if part.startswith("<"):
            name = part.strip("</>").partition(" ")[0]
            if not part.startswith("</"):
                within += [name] * (name in _CLOSED)
            elif within and within[-1] == name:
                within.pop()
        elif not within and (found := term.search(part)):
            parts[at:at + 1] = [part[:found.start()], f'<a href="{address}">', found[0], "</a>",
                                part[found.end():]]
            return

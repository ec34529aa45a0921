"""Input texts with the concepts of a graph marked in them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup, escape

from scorer.site.render import trusted
from scorer.site.text import shown
from scorer.tasks.graphs.facts import BETWEEN


class MarkedText(NamedTuple):
    """One input text of an item."""

    name: str
    marked: Markup
    others: tuple[Markup, ...] = ()
    """Of a text that lists ids: the entries that the graph does not connect."""


def marked_entries(name: str, text: str, kinds: Mapping[str, str]) -> MarkedText:
    """An input text of a board whose concepts are ids: a list of ids has each that the graph
    connects on a line of its own, and the others apart.

    >>> marked_entries("given", "s1: Cats rest | s2: Dogs bark", {"s2": "k0"})
    MarkedText(name='given', marked=Markup('<mark class="k0">s2</mark>: Dogs bark'),\
 others=(Markup('s1: Cats rest'),))
    """
    if BETWEEN not in text:
        return MarkedText(name, marked_text(text, {}))
    used: list[Markup] = []
    others: list[Markup] = []
    for entry in text.split(BETWEEN):
        own, between, explanation = entry.partition(": ")
        line = marked_text(own, kinds) + between + marked_text(explanation, {})
        (used if own.lower() in kinds else others).append(line)
    return MarkedText(name, Markup("<br>").join(used), tuple(others))


def marked_text(text: str, kinds: Mapping[str, str]) -> Markup:
    """An input text with the gold concepts in it marked; everything in it is escaped.

    >>> marked_text("Cats & dogs", {"cats": "k0", "birds": "kx"})
    Markup('<mark class="k0">Cats</mark> &amp; dogs')
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        return escape(shown(text))
    owner: list[str | None] = [None] * len(text)  # the class of every character
    for concept in sorted((c for c in kinds if c), key=lambda c: (-len(c), c)):
        start = lowered.find(concept)
        while start >= 0:
            end = start + len(concept)
            if not any(owner[start:end]) and _whole(lowered, start, end):
                owner[start:end] = [kinds[concept]] * len(concept)
            start = lowered.find(concept, end)
    return _spans(text, owner)


def _whole(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not (before or after)


def _spans(text: str, owner: Sequence[str | None]) -> Markup:
    parts, start = [], 0
    for name, run in groupby(owner):
        end = start + sum(1 for _ in run)
        part = escape(shown(text[start:end]))
        parts.append(f'<mark class="{name}">{part}</mark>' if name else part)
        start = end
    return trusted("".join(parts))

"""Flag ``name``: a team whose name is another's, or could be taken for it.

Two names are taken for each other if nothing is left between them once capitals, accents, blanks
and punctuation are set aside and every character stands for all that look like it, as Unicode's
table of confusable characters has them (UTS 39, in the package homoglyphs-fork).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from scorer.boards.integrity import MOST_NAMED, Flag
from scorer.boards.submission import RESERVED

OURS = ("Whyboard", "The Whyboard authors", "The Whyboard maintainers", "Reference rows")
"""What the makers of this software may be called, besides the reserved folders."""
_MARKS = range(0x300, 0x370)
"""Accents; the marks of other scripts are parts of their letters."""


class Name(NamedTuple):
    """A name, and whose it is."""

    text: str
    whose: str
    """A clause: ``the team alice``."""


class Likeness(NamedTuple):
    """A known name that a name is, or looks like."""

    known: Name
    same: bool
    """Whether they differ in capitals and blanks at most."""

    def __str__(self) -> str:
        return f"{'is' if self.same else 'looks like'} that of {self.known.whose}"


def reserved() -> list[Name]:
    """The names that only the makers of this software go by."""
    return [Name(text, "the maintainers") for text in (*RESERVED, *OURS)]


def alike(names: Iterable[str], known: Iterable[Name]) -> list[Likeness]:
    """The known names that any of some names is or looks like; each owner once, in their order."""
    wanted = set(names)
    keys = set().union(*map(_keys, wanted))
    written = {_written(name) for name in wanted}
    matches: dict[str, Likeness] = {}
    for name in known:
        if not keys.isdisjoint(_keys(name.text)):
            same = _written(name.text) in written
            if name.whose not in matches or same:
                matches[name.whose] = Likeness(name, same)
    return list(matches.values())


def name_flag(names: Sequence[str], known: Sequence[Name]) -> Flag:
    """``names``: what a team goes by. ``known``: the names of everybody else."""
    matches = alike(names, known)
    return Flag("name", bool(matches), len(matches), len({name.whose for name in known}),
                tuple(f"The name {match}." for match in matches[:MOST_NAMED]))


def _written(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


@cache
def _keys(name: str) -> frozenset[str]:
    """Names that share one can be taken for each other: as they are written, and in small letters,
    for a capital I looks like a small l.

    >>> sorted(_keys("The Wh\\u0443board Authors") & _keys("thewhyboard-authors"))
    ['thewhyboardauthors']
    """
    keys = set()
    plain = unicodedata.normalize("NFKC", name)
    for text in (plain, plain.casefold()):
        letters = unicodedata.normalize("NFD", text)
        skeleton = "".join(_stands_for().get(letter, letter) for letter in letters)
        folded = "".join(unicodedata.normalize("NFD", skeleton.casefold()).split())
        bare = "".join(letter for letter in folded if unicodedata.category(letter)[0] in "LMN"
                       and ord(letter) not in _MARKS)
        keys.add(bare or folded)  # a name may be signs alone
    return frozenset(keys)


@cache
def _stands_for() -> Mapping[str, str]:
    """For each character that looks like others the one text that stands for them all.

    The table names for that text all that look like it, for each of these that text alone. Letters
    written from the right stand between marks of direction in it.
    """
    import homoglyphs_fork

    content = resources.files(homoglyphs_fork).joinpath("confusables.json").read_text("utf-8")
    listed: dict[str, list[str]] = json.loads(content.replace("\\u200e", "").replace("\u200e", ""))
    return {letter: others[0] for letter, others in listed.items()
            if len(others) == 1 and (len(listed[others[0]]) > 1 or others[0] > letter)}

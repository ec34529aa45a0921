"""What the files of an ``annotations`` folder are, by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from scorer.people import closing, forms, people
from scorer.people.batches import KEY_SUFFIX, SUFFIX, is_name
from scorer.people.records import LOGIN, Form

_SUFFIXES = {KEY_SUFFIX: "key", closing.SUFFIX: "closing", SUFFIX: "batch"}
"""What files below ``batches`` are, by how their names end."""


class Place(NamedTuple):
    """What a path says of an annotator's file."""

    form: Form
    batch: str
    annotator: str
    """Empty for a file of rulings."""


def place(known: Iterable[Form], relative: PurePosixPath) -> Place | str | None:
    """What a path below the folder is: answers, the host's own (in a word), or nothing of ours.

    Host's words: ``batch``, ``key``, ``closing``, ``form``, ``people``, ``text``.
    """
    parts = relative.parts
    if not parts or ".." in parts:
        return None
    name = parts[-1]
    if parts in ((people.FILE_NAME,), ("README.md",)):
        return "people" if name == people.FILE_NAME else "text"
    if len(parts) == 2 and parts[0] == forms.FOLDER and name.endswith(".yaml"):
        return "form"
    if len(parts) == 2 and parts[0] == forms.BATCHES and name.endswith(SUFFIX):
        suffix = next(one for one in _SUFFIXES if name.endswith(one))
        return _SUFFIXES[suffix] if is_name(name.removesuffix(suffix)) else None
    form = next((one for one in known if one.folder == parts[0]), None)
    if form is None or not name.endswith(".tsv") or len(parts) != (2 if form.adjudicates else 3):
        return None
    batch = name.removesuffix(".tsv") if form.adjudicates else parts[1]
    login = "" if form.adjudicates else name.removesuffix(".tsv")
    if not is_name(batch) or (login and not _is_login(login)):
        return None
    return Place(form, batch, login) if login or form.adjudicates else None


def _is_login(name: str) -> bool:
    return re.fullmatch(LOGIN.pattern or "", name) is not None

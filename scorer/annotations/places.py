"""What the files of an ``annotations`` folder are, by their paths, and faults of the host's own.

These are batches, keys, closings and people; forms are read before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from scorer.annotations import closing, forms, keys, people
from scorer.annotations.batches import KEY_SUFFIX, SUFFIX, is_name
from scorer.annotations.records import LOGIN, Form
from scorer.errors import Problem

if TYPE_CHECKING:
    from scorer.annotations.validate import Workplace

_SUFFIXES = {KEY_SUFFIX: "key", closing.SUFFIX: "closing", SUFFIX: "batch"}
"""What files below ``batches`` are, by how their names end."""


class Place(NamedTuple):
    """What a path says of an annotator's file."""

    form: Form
    batch: str
    annotator: str
    """Empty for a file of rulings."""


def place(workplace: Workplace, relative: PurePosixPath) -> Place | str | None:
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
    form = next((one for one in workplace.forms.values() if one.folder == parts[0]), None)
    if form is None or not name.endswith(".tsv") or len(parts) != (2 if form.adjudicates else 3):
        return None
    batch = name.removesuffix(".tsv") if form.adjudicates else parts[1]
    login = "" if form.adjudicates else name.removesuffix(".tsv")
    if not is_name(batch) or (login and not _is_login(login)):
        return None
    return Place(form, batch, login) if login or form.adjudicates else None


def _is_login(name: str) -> bool:
    return re.fullmatch(LOGIN.pattern or "", name) is not None


def host_problems(workplace: Workplace, path: Path, what: str) -> Sequence[Problem]:
    """Faults of the host's own files but for forms, which are read before anything else."""
    if what == "closing":
        return _closing_problems(workplace, path)
    if what in ("batch", "key"):
        name = path.name.removesuffix(KEY_SUFFIX).removesuffix(SUFFIX)
        batch, problems = workplace.batch(name)
        if what == "key" and batch is None and not problems:
            return [Problem(str(path), 1, 1, "META-VALUE", "the key of no batch",
                            "a batch of that name", "remove it")]
        found = [] if batch is None else keys.examined(workplace.folder, name, batch)[1]
        return [*(problems if what == "batch" else ()), *found]
    return people.examined(workplace.folder)[1] if what == "people" else ()


def _closing_problems(workplace: Workplace, path: Path) -> Sequence[Problem]:
    name = path.name.removesuffix(closing.SUFFIX)
    batch, problems = workplace.batch(name)
    if batch is None:
        return problems or [Problem(str(path), 1, 1, "META-VALUE", "the closing of no batch",
                                    "a batch of that name", "remove it")]
    return [Problem(str(path), 1, 1, "META-VALUE",
                    f"answers of {login}, which are not there as they were when the batch closed",
                    "every file that it names", "bring them back, or take them out of the figures: "
                    f"scorer annotations withdraw {name} {login}")
            for login in workplace.missing(batch)]

"""Results saved below the home folder, where the next site and ``compare`` find the rows.

A submission that no site would find where it lies is copied there too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.boards.submission import (
    FILE_NAME,
    OWN,
    RESERVED,
    SUBMISSIONS,
    SubmissionName,
    place_of,
    predictions_path,
    splits_in,
)
from scorer.core.errors import DataError
from scorer.core.files import write_atomically
from scorer.core.results import Result
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from scorer.scoring.submissions import Done


class Saved(NamedTuple):
    """What became of one result."""

    name: SubmissionName
    path: Path | None
    """Where it was written; None if it was not."""
    note: str = ""
    """Why it was not."""


def describe(done: Sequence[Done], out: Path, submissions: Path) -> None:
    """Keep beside its results what a row of ours says of itself, if the repository has it not."""
    for folder in dict.fromkeys(entry.target for entry in done if entry.target.is_dir()):
        name = place_of(folder)
        if name.team == OWN and not submissions.joinpath(*name).is_dir():
            write_atomically(out.joinpath(*name) / FILE_NAME, (folder / FILE_NAME).read_bytes())


def save(done: Sequence[Done], home: Path, submissions: Path) -> list[Saved]:
    """Save results below the home folder; ``submissions``: the checkout's own.

    Nothing is saved of reserved teams, and nothing that the checkout's submission of the same name
    would hide from the site.
    """
    return [_save(entry, home, submissions) for entry in done if entry.target.is_dir()]


def _save(done: Done, home: Path, submissions: Path) -> Saved:
    name = place_of(done.target)
    theirs = submissions.joinpath(*name)
    assert done.result is not None
    if name.team in RESERVED:
        return Saved(name, None, f"not saved: {name.team} is a team that only the maintainers "
                                 "write; add --results DIR to keep its scores")
    own = done.target.resolve() == theirs.resolve()
    others = {} if own else _files(theirs)
    if others and others != _files(done.target):
        return Saved(name, None, f"not saved: {theirs} is another submission of the same name; "
                                 "rename one of them, or add --results DIR")
    try:
        if not (own or others):
            _copy(done.target, home.joinpath(SUBMISSIONS, *name))
        folder = home / "results"
        path = results.result_path(folder, *name, done.split)
        if more := _measured_more(path, done.result):
            return Saved(name, None, f"kept:  {path}: of the same predictions, and it has "
                                     f"{', '.join(more)} too; --results {folder} replaces it")
        return Saved(name, past.write(done.result, folder))
    except (DataError, OSError) as fault:
        return Saved(name, None, f"not saved: {fault}")


def _measured_more(path: Path, new: Result) -> list[str]:
    """The metrics that a saved result of the same predictions has and ``new`` has not, if all that
    both have is of one signature."""
    try:
        old = results.read(path)
    except DataError:
        return []
    was, now = ({name: value.signature for name, value in result.metrics.items()
                 if value.value is not None} for result in (old, new))
    same = old.predictions.sha256 == new.predictions.sha256 and all(
        was[name] == now[name] for name in was.keys() & now.keys())
    return [name for name in was if name not in now] if same else []


def _files(folder: Path) -> dict[str, bytes]:
    paths = [folder / FILE_NAME, *(predictions_path(folder, split) for split in splits_in(folder))]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _copy(folder: Path, to: Path) -> None:
    """Copy a submission; what it no longer has goes from an older copy."""
    if folder.resolve() == to.resolve():
        return
    wanted, there = _files(folder), _files(to)
    for name in there.keys() - wanted.keys():
        (to / name).unlink()
    for name, content in wanted.items():
        if there.get(name) != content:
            write_atomically(to / name, content)

"""Results saved below the home folder, where the next site and ``compare`` find the rows.

A submission that no site would find where it lies is copied there too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scorer.boards.submission import (
    FILE_NAME,
    OWN,
    RESERVED,
    SUBMISSIONS,
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


def describe(done: Sequence[Done], out: Path, submissions: Path) -> None:
    """Keep beside its results what a row of ours says of itself, if the repository has it not."""
    for folder in dict.fromkeys(entry.target for entry in done if entry.target.is_dir()):
        name = place_of(folder)
        if name.team == OWN and not submissions.joinpath(*name).is_dir():
            write_atomically(out.joinpath(*name) / FILE_NAME, (folder / FILE_NAME).read_bytes())


def save(done: Sequence[Done], home: Path, submissions: Path) -> tuple[list[Path], list[str]]:
    """Save results of folders below the home folder; ``submissions``: the checkout's own.

    Nothing is saved of reserved teams, and nothing that the checkout's submission of the same name
    would hide from the site. Returns where results were written, and why others were not.
    """
    paths, reasons = list[Path](), dict[str, None]()
    for entry in done:
        if entry.result is not None and entry.target.is_dir():
            try:
                saved = _save(entry.target, entry.result, home, submissions)
            except (DataError, OSError) as fault:
                saved = f"not saved: {fault}"
            if isinstance(saved, Path):
                paths.append(saved)
            else:
                reasons[saved] = None
    return paths, [*reasons]


def _save(folder: Path, result: Result, home: Path, submissions: Path) -> Path | str:
    name = place_of(folder)
    if name.team in RESERVED:
        return (f"not saved: {name.team} is a team that only the maintainers write; add "
                "--results DIR to keep its scores")
    theirs = submissions.joinpath(*name)
    own = folder.resolve() == theirs.resolve()
    others = {} if own else _files(theirs)
    if others and others != _files(folder):
        return (f"not saved: {theirs} is another submission of the same name; rename one of them, "
                "or add --results DIR")
    if not (own or others):
        _copy(folder, home.joinpath(SUBMISSIONS, *name))
    path = results.result_path(home / "results", *name, result.split)
    if more := _measured_more(path, result):
        return (f"kept:  {path}: of the same predictions, and it has {', '.join(more)} too; "
                f"--results {home / 'results'} replaces it")
    return past.write(result, home / "results")


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

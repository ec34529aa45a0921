"""Results that ``score`` saves below the home folder, so that the next site shows their rows."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scorer.records import Result
    from scorer.submission import SubmissionName


class Saved(NamedTuple):
    """One result that was saved."""

    folder: Path
    """The submission's."""
    name: SubmissionName
    split: str

    @classmethod
    def of(cls, folder: Path, result: Result) -> Saved:
        """The result of a submission's folder."""
        from scorer.submission import SubmissionName

        return cls(folder, SubmissionName(result.board, result.team, result.system), result.split)


def place(given: argparse.Namespace) -> Path:
    """Where they lie."""
    return Path(given.home) / "results"


def summary(found: Sequence[Saved], given: argparse.Namespace, baseline: str) -> str:
    """Where results were saved, and what to do next; ``baseline``: a row to compare with, if any.

    A submission that no site would find where it lies is copied below the home folder.
    """
    from scorer.errors import counted, printable
    from scorer.files import home_folder
    from scorer.results.files import result_path

    first = found[0]
    where = result_path(place(given), *first.name, first.split)
    home = "" if given.home == home_folder() else f" --home {shlex.quote(str(given.home))}"
    lines = [f"saved: {where}" if len(found) == 1 else
             f"saved: {counted(len(found), 'result')} below {place(given)}"]
    if given.boards:
        lines.append(f"next:  scorer site build{home}    # shows the row as a local preview")
    lines.append(
        f"{'      ' if given.boards else 'next: '} scorer compare {first.name.team}/"
        f"{first.name.system} {baseline or 'TEAM/SYSTEM'} --board {first.name.board} "
        f"--split {first.split}{home}")
    lines += dict.fromkeys(_copied([one.folder for one in found], given))
    return printable("\n".join(lines))


def _copied(folders: Sequence[Path], given: argparse.Namespace) -> Iterator[str]:
    """Copy submissions to where a site finds them; yields which of them it will not show, and why.
    """
    from scorer.runs.planning import place_of
    from scorer.submission import SUBMISSIONS

    for folder in folders:
        name = place_of(folder)
        ours, theirs = (top.joinpath(*name) for top in (given.home / SUBMISSIONS,
                                                         given.submissions))
        here = folder.resolve()
        if here == theirs.resolve():
            continue
        if theirs.is_dir():
            yield (f"the site shows {theirs} instead, another folder of the same name; rename one "
                   "of them")
        elif here != ours.resolve():
            _copy(folder, ours)


def _copy(folder: Path, to: Path) -> None:
    """Copy a submission's files; predictions that it no longer has go."""
    from scorer.files import write_atomically
    from scorer.submission import FILE_NAME, predictions_path, splits_in

    wanted = splits_in(folder)
    for split in splits_in(to):
        if split not in wanted:
            predictions_path(to, split).unlink()
    for path in (*(predictions_path(folder, split) for split in wanted), folder / FILE_NAME):
        write_atomically(to / path.name, path.read_bytes())

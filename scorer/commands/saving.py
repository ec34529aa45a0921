"""Results that ``score`` saves below the home folder, so that the next site shows their rows."""

from __future__ import annotations

import argparse
import shlex
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scorer.records import Result
    from scorer.runs.rescoring import Keeper
    from scorer.submission import SubmissionName


class Saved(NamedTuple):
    """One result that is saved."""

    name: SubmissionName
    split: str


def place(given: argparse.Namespace) -> Path:
    """Where they lie."""
    return Path(given.home) / "results"


class Saver:
    """Saves results of folders one by one, and none over what is not to be had again from them.

    A submission that no site would find where it lies is copied below the home folder.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._saved: list[Saved] = []
        self._at_hand: list[Saved] = []
        self._notes: dict[str, None] = {}

    def save(self, folder: Path, result: Result) -> None:
        """Save a submission's result; what stands against it is told by ``summary``."""
        from scorer.errors import DataError
        from scorer.submission import SubmissionName

        name = SubmissionName(result.board, result.team, result.system)
        try:
            why_not = _why_not(folder, name, self._given)
            if why_not:
                self._notes[f"not saved: {why_not}"] = None
                return
            _copy_for_site(folder, name, self._given)
            self._at_hand.append(Saved(name, result.split))
            kept = self._kept(result)
            if kept:
                self._notes[kept] = None
            else:
                self._write(folder, result, name)
                self._saved.append(self._at_hand[-1])
        except (DataError, OSError) as fault:
            self._at_hand = [one for one in self._at_hand if one in self._saved]
            self._notes[f"not saved: {fault}"] = None

    @cached_property
    def _keeper(self) -> Keeper:
        from scorer.runs.rescoring import Keeper

        return Keeper(place(self._given))

    def _write(self, folder: Path, result: Result, name: SubmissionName) -> None:
        from scorer.files import sweep
        from scorer.results import files as results
        from scorer.runs import error_records

        beside = place(self._given).joinpath(*name)
        sweep(beside)
        self._keeper.keep(result)
        results.write(result, self._keeper.folder)
        error_records.write(beside, *name, {}, folder)

    def _kept(self, new: Result) -> str:
        """Why the result that is saved stays; empty if it says nothing that ``new`` does not."""
        from scorer.errors import DataError
        from scorer.results import files as results

        path = results.result_path(place(self._given), new.board, new.team, new.system, new.split)
        if not path.is_file():
            return ""
        try:
            more = _measured_more(results.read(path), new)
        except DataError:
            return ""
        return (f"kept:  {path}: of the same predictions, and it has {', '.join(more)} too; "
                f"--results {place(self._given)} replaces it") if more else ""

    def summary(self, baseline: str) -> str:
        """Where results were saved and what to do next; ``baseline``: a row to compare with."""
        from scorer.errors import counted, printable
        from scorer.results.files import result_path

        lines = []
        if len(self._saved) == 1:
            name, split = self._saved[0]
            lines.append(f"saved: {result_path(place(self._given), *name, split)}")
        elif self._saved:
            lines.append(f"saved: {counted(len(self._saved), 'result')} below "
                         f"{place(self._given)}")
        lines += self._notes
        if self._at_hand:
            lines += _next(self._at_hand[0], self._given, baseline)
        return printable("\n".join(lines))


def _next(saved: Saved, given: argparse.Namespace, baseline: str) -> list[str]:
    """Commands that show a saved result here."""
    from scorer.files import home_folder

    def said(option: str, path: Path | None, default: Path) -> str:
        return "" if path in (None, default) else f" {option} {shlex.quote(str(path))}"

    (board, team, system), split = saved
    home = said("--home", given.home, home_folder())
    commands = []
    if Path("boards", board, "board.yaml").is_file():
        commands.append(f"scorer site build{home}    # shows the row as a local preview")
    if baseline:
        commands.append(f"scorer compare {team}/{system} {baseline} --board {board} "
                        f"--split {split}{said('--boards', given.boards, Path('boards'))}{home}")
    return [f"{'       ' if i else 'next:  '}{command}" for i, command in enumerate(commands)]


def _measured_more(old: Result, new: Result) -> list[str]:
    """The metrics that an earlier result measured and ``new`` did not, if nothing else differs."""
    from scorer.results.files import to_json
    from scorer.runs.rescoring import replaced

    def digests(result: Result) -> list[str | None]:
        return [result.provenance[name].get("sha256") for name in ("predictions", "gold")]

    was, now = ({name: value for name, value in result.metrics.items() if value.value is not None}
                for result in (old, new))
    same = (digests(old) == digests(new) and replaced(to_json(old), new) is None
            and all(was[name].signature == now[name].signature for name in was.keys() & now.keys()))
    return [name for name in was if name not in now] if same else []


def _why_not(folder: Path, name: SubmissionName, given: argparse.Namespace) -> str:
    """Why nothing of a folder is saved unless somebody says where; empty if it is.

    A copy that the checkout's own submission hides from the site stands against nothing.
    """
    from scorer.submission import RESERVED, SUBMISSIONS

    if name.team in RESERVED:
        return (f"{name.team} is a team that only the maintainers write; add --results DIR to keep "
                "its scores")
    ours, theirs = (top.joinpath(*name) for top in (given.home / SUBMISSIONS, given.submissions))
    for other in (theirs, ours):
        if not _is_same(folder, other):
            copied = _origin(name, given) if other == ours else ""
            hidden = bool(copied) and folder.resolve() == theirs.resolve()
            if copied != str(folder.resolve()) and not hidden:
                what = f"is a copy of {copied}," if copied else "is"
                gone = f", remove {other}" if copied and not Path(copied).is_dir() else ""
                return (f"{other} {what} another submission of the same name; rename one of them"
                        f"{gone}, or add --results DIR")
    return ""


def _is_same(folder: Path, other: Path) -> bool:
    """Whether a place is a submission's own folder, has the same files, or has none."""
    if folder.resolve() == other.resolve():
        return True
    theirs = _files(other)
    ours = _files(folder)
    return not theirs or ([path.name for path in ours] == [path.name for path in theirs] and all(
        a.read_bytes() == b.read_bytes() for a, b in zip(ours, theirs, strict=True)))


def _files(folder: Path) -> list[Path]:
    """A submission's files."""
    from scorer.submission import FILE_NAME, predictions_path, splits_in

    paths = [predictions_path(folder, split) for split in splits_in(folder)]
    return [*paths, *(path for path in [folder / FILE_NAME] if path.is_file())]


def _origin_path(name: SubmissionName, given: argparse.Namespace) -> Path:
    return Path(given.home, "copied-from").joinpath(*name)


def _origin(name: SubmissionName, given: argparse.Namespace) -> str:
    """The folder that the home folder's copy of a submission was made from; empty if unknown."""
    path = _origin_path(name, given)
    return path.read_text("utf-8", "surrogateescape") if path.is_file() else ""


def _copy_for_site(folder: Path, name: SubmissionName, given: argparse.Namespace) -> None:
    """Copy a submission to where a site finds it, unless it or the same lies there already.

    Predictions that it no longer has go from its copy.
    """
    from scorer.files import write_atomically
    from scorer.submission import SUBMISSIONS

    ours, theirs = (top.joinpath(*name) for top in (given.home / SUBMISSIONS, given.submissions))
    if folder.resolve() == theirs.resolve() or (_files(theirs) and _is_same(folder, theirs)):
        return
    same, wanted = bool(_files(ours)) and _is_same(folder, ours), _files(folder)
    if not same or not Path(_origin(name, given)).is_dir():
        write_atomically(_origin_path(name, given),
                         str(folder.resolve()).encode("utf-8", "surrogateescape"))
    if same:
        return
    for path in _files(ours):
        if path.name not in {one.name for one in wanted}:
            path.unlink()
    for path in wanted:
        write_atomically(ours / path.name, path.read_bytes())

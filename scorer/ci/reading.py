"""A submission out of git objects: its allowed files, read by the reader that everybody uses.

Only the fixed names of a submission are written, as regular files, into a folder of ours; then
``submission.read`` and ``checking.check_file`` judge them as on anybody's machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scorer import submission
from scorer.board import Board
from scorer.ci.git import FILE, Repository, TreeEntry
from scorer.ci.scope import ALLOWED, Scope, shown
from scorer.errors import MOST_SHOWN, DataError, Problem, Told
from scorer.reading.strict_yaml import LARGEST
from scorer.reading.tsv import LARGEST_FILE
from scorer.scoring.checking import CheckReport, check_file, input_texts
from scorer.submission import FILE_NAME, Submission, SubmissionName

POINTER = b"version https://git-lfs"


@dataclass
class Reading:
    """One submission as found in a commit, and every fault of it."""

    place: SubmissionName
    problems: list[Problem] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    """What a submitter reads of all faults: a fault of every row once."""
    total: int = 0
    notes: list[Problem] = field(default_factory=list)
    submission: Submission | None = None
    checks: dict[str, CheckReport] = field(default_factory=dict)
    """By split."""

    @property
    def ok(self) -> bool:
        """Whether all of it can be scored."""
        return self.total == 0 and self.submission is not None

    def rule(self) -> str:
        """The rule that the first fault breaks."""
        return self.problems[0].rule if self.problems else "META-FILE"

    def include(self, problems: Sequence[Problem], total: int,
                told: Sequence[Told] | None = None) -> None:
        """Add faults; the first 50 are kept. ``told``: what is read of them, if not each."""
        self.told += [*map(Told, problems)] if told is None else told
        self.problems += problems[: MOST_SHOWN - len(self.problems)]
        self.total += total


def read(repository: Repository, entries: Sequence[TreeEntry], place: SubmissionName, board: Board,
         home: Path, folder: Path, splits: Sequence[str] | None = None, *, reserved: bool = True,
         scoped: bool = False) -> Reading:
    """Read and judge a submission.

    ``entries``: paths of the commit, all or those of the submission. ``folder``: an empty folder
    that must live as long as the returned submission is used. ``splits``: those to judge (default:
    all it answers). ``reserved``: whether the team may be a reserved one.
    ``scoped``: whether names and modes have been judged elsewhere, and are not told again.
    """
    found = Reading(place)
    scope = Scope()
    written = extract(repository, entries, place, folder, scope)
    told = [problem for problem in scope.problems
            if not (scoped and problem.rule in ("PR-FILE", "PR-MODE"))]
    found.include(told, len(told) if scoped else scope.total)
    sent, problems = submission.read(written, reserved=True)
    kept = submission.slug_problems(place.team, place.system, shown(place.path), reserved)
    kept += [replace(problem, path=problem.path.replace(str(written), shown(place.path), 1))
             for problem in problems
             if not (scope.total and problem.rule == "META-FILE") and problem.rule != "META-SLUG"]
    found.include(kept, len(kept))
    for split in splits or submission.splits_in(written):
        if split in board.splits:
            _check(found, board, written, split, home)
    if sent is not None and found.total == 0:
        found.submission = replace(sent, board=place.board, team=place.team, system=place.system)
    return found


def _check(found: Reading, board: Board, written: Path, split: str, home: Path) -> None:
    path = submission.predictions_path(written, split)
    if not path.is_file():
        return
    try:
        texts = input_texts(board, split, home)
    except DataError:
        texts = None  # the board's data are at fault, which is not for the submitter to hear
    report, _ = check_file(board, path, split=split, texts=texts,
                           shown=f"{shown(found.place.path)}/{path.name}")
    found.checks[split] = report
    found.notes += report.notes
    found.include(report.problems, report.total, report.told)


def extract(repository: Repository, entries: Sequence[TreeEntry], place: SubmissionName,
            folder: Path, scope: Scope) -> Path:
    """Write the allowed files of a submission; returns its folder below ``folder``.

    Faults go to ``scope``.
    """
    written = folder / place.board / place.team / place.system
    if not all(_harmless(part) for part in place):
        written = folder / "board" / "team" / "system"
    written.mkdir(parents=True)
    for entry in entries:
        if not entry.path.startswith(f"{place.path}/"):
            continue
        name = entry.path.removeprefix(f"{place.path}/")
        if name not in ALLOWED:
            scope.add("PR-FILE", entry.path, ascii(name[:60]),
                      f"{FILE_NAME} or predictions.<split>.tsv")
        elif entry.mode != FILE:
            scope.add("PR-MODE", entry.path, f"mode {entry.mode}", f"mode {FILE}")
        else:
            content = _content(repository, entry, name, scope)
            if content is not None:
                (written / name).write_bytes(content)
    return written


def _content(repository: Repository, entry: TreeEntry, name: str, scope: Scope) -> bytes | None:
    most = LARGEST if name == FILE_NAME else LARGEST_FILE
    content = repository.blob(entry.oid, most)
    if content is None:
        scope.add("PR-SIZE", entry.path, f"more than {most} bytes", f"at most {most} bytes")
    elif content.startswith(POINTER):
        scope.add("PR-LFS", entry.path, "a pointer of git lfs", "the file itself")
    else:
        return content
    return None


def _harmless(part: str) -> bool:
    """Whether a folder of this name can be made anywhere."""
    return part.isascii() and part.replace("-", "").isalnum() and len(part) <= 40

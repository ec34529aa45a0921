"""What there is to say of a pull request: submissions out of git objects, and the summary of them.

Whatever lies in a submission's folder is judged by name, mode and size; only the fixed names are
written, as regular files, into a folder of ours. Then ``submission.read`` and
``checking.check_file`` judge them as on anybody's machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scorer.boards import Board, submission
from scorer.boards.golds import input_texts
from scorer.boards.submission import FILE_NAME, Submission, SubmissionName, file_advice
from scorer.core.errors import MOST_SHOWN, DataError, Problem, counted, excerpt
from scorer.core.reading.strict import LARGEST
from scorer.core.reading.tsv import LARGEST_FILE, open_file
from scorer.core.results import Result
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.git import EXECUTABLE, FILE, SUBMODULE, SYMLINK, Repository, TreeEntry
from scorer.pipeline.ci.runner import code
from scorer.pipeline.ci.scope import ALLOWED, problem, shown
from scorer.scoring.checking import check_file
from scorer.scoring.leaderboard.numbers import number, plain

_LONGEST = 400
"""Characters of what was found, and of what to do."""
POINTER = b"version https://git-lfs"
_KINDS = {EXECUTABLE: "an executable file", SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}


@dataclass
class Review:
    """What there is to say of a pull request, or of one submission in it."""

    problems: list[Problem] = field(default_factory=list)
    """The first 50 faults."""
    lines: list[Problem | str] = field(default_factory=list)
    """What is read of all faults: the first of each rule, and how many more."""
    total: int = 0
    """How many faults there are."""
    notes: list[Problem] = field(default_factory=list)
    """What is worth knowing; nothing is rejected for it."""
    name: SubmissionName | None = None
    """The one submission it is about; None if there is none, or several."""
    applies: bool = False
    """Whether the pull request changes anything that this check is about."""
    submission: Submission | None = None
    """It, or the last of several, if it can be scored."""
    results: list[Result] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    """Splits that were checked, but have no gold here."""

    @property
    def code(self) -> int:
        """The exit code: 2 if there are faults."""
        return 2 if self.total else 0

    @property
    def rule(self) -> str:
        """The rule that the first fault breaks."""
        return self.problems[0].rule if self.problems else "META-FILE"

    def refuse(self, problems: Sequence[Problem], total: int | None = None,
               lines: Sequence[Problem | str] | None = None) -> None:
        """Add faults. ``total``: how many they stand for; ``lines``: what is read of them, if not
        each."""
        kept = problems[: MOST_SHOWN - len(self.problems)]
        self.problems += kept
        self.lines += kept if lines is None else lines
        self.total += len(problems) if total is None else total

    def add(self, problems: Iterable[Problem]) -> None:
        """Add faults and notes, each once."""
        for fault in problems:
            rule = CATALOGUE.get(fault.rule)
            if rule is not None and rule.effect == "note":
                self.notes.append(fault)
            elif fault not in self.problems:
                self.refuse([fault])


def read_submission(
    repository: Repository, entries: Sequence[TreeEntry], name: SubmissionName, board: Board,
    home: Path, folder: Path, splits: Sequence[str] | None = None,
) -> Review:
    """Read and judge a submission.

    ``entries``: paths of the commit, all or those of the submission. ``folder``: an empty folder
    that must live as long as the returned submission is used. ``splits``: those to judge (default:
    all it answers).
    """
    review = Review()
    harmless = all(part.isascii() and part.replace("-", "").isalnum() and len(part) <= 40
                   for part in name)  # a folder of this name can be made anywhere
    written = folder.joinpath(*name) if harmless else folder / "board" / "team" / "system"
    written.mkdir(parents=True)
    for entry in entries:
        if entry.path.startswith(f"{name.path}/"):
            file = entry.path[len(name.path) + 1:]
            review.refuse(list(_extract(repository, entry, file, written)))
    sent, faults = submission.read(written, reserved=True)
    review.refuse(submission.slug_problems(name.team, name.system, shown(name.path), True))
    review.refuse([replace(fault, path=fault.path.replace(str(written), shown(name.path), 1))
                   for fault in faults if fault.rule != "META-SLUG"
                   and not (fault.rule == "META-FILE" and review.total)])
    for split in splits or submission.splits_in(written):
        path = submission.predictions_path(written, split)
        if split not in board.splits or not path.is_file():
            continue
        try:
            texts = input_texts(board, split, home)
        except DataError:
            texts = None  # the board's data are at fault, which is not for the submitter to hear
        predictions = open_file(path, shown=f"{shown(name.path)}/{path.name}")
        checked = check_file(board, predictions, rows=board.splits[split].rows, texts=texts)
        review.notes += checked.notes
        review.refuse(checked.problems, checked.total, checked.lines)
    if sent is not None and review.total == 0:
        review.submission = replace(sent, **name._asdict())
    return review


def _extract(repository: Repository, entry: TreeEntry, name: str, written: Path
             ) -> Iterator[Problem]:
    """Write a file of a submission by its name, if it may be there; else yield its fault."""
    if name not in ALLOWED:
        yield problem("PR-FILE", entry.path, excerpt(name),
                      f"{FILE_NAME} or predictions.<split>.tsv", file_advice(name) or "")
        return
    content = regular(repository, entry, LARGEST if name == FILE_NAME else LARGEST_FILE)
    if isinstance(content, Problem):
        yield content
    elif content.startswith(POINTER):
        yield problem("PR-LFS", entry.path, "a pointer of git lfs", "the file itself")
    else:
        (written / name).write_bytes(content)


def regular(repository: Repository, entry: TreeEntry, most: int, advice: str = "",
            ) -> bytes | Problem:
    """A file's bytes, or what is wrong with its kind or size."""
    if entry.mode != FILE:
        return problem("PR-MODE", entry.path, _KINDS.get(entry.mode, f"mode {entry.mode}"),
                       f"a regular file (mode {FILE})")
    content = repository.blob(entry.oid, most)
    return problem("PR-SIZE", entry.path, f"more than {most} bytes", f"at most {most} bytes",
                   advice) if content is None else content


def markdown(review: Review) -> str:
    """The step's summary: rule ids, paths, counts and ASCII excerpts, nothing that is alive."""
    if not (review.applies or review.total):
        return report("Nothing to validate", review, "\nThis pull request brings no submission.")
    subject = code(review.name.path) if review.name else "the pull request"
    title = f"{counted(review.total, 'error')} in {subject}" if review.total else (
        f"{subject} can be {'scored' if review.name else 'merged'}")
    lines = [line for result in review.results for line in _table(result)]
    lines += [f"\nThe split {code(split)} can be scored; its gold is not at hand here."
              for split in review.unscored]
    if review.total and review.name:
        lines.insert(0, "\nTo see faults of files on your machine: `scorer check FOLDER`.")
    return report(title, review, *lines)


def report(title: str, findings: Review, *more: str) -> str:
    """A summary with faults and notes, and further lines."""
    lines = [f"## {title}", ""]
    for line in findings.lines[:MOST_SHOWN]:  # of other rows only rule ids and numbers
        lines.append(f"- {line}" if isinstance(line, str) else _line(line))
    if len(findings.lines) >= MOST_SHOWN < findings.total:
        lines.append(f"\nThe first {MOST_SHOWN} of {findings.total} are shown.")
    if findings.notes:
        lines += ["\n### Notes\n", *map(_line, findings.notes[:MOST_SHOWN])]
    return "\n".join([*lines, *more]) + "\n"


def _line(problem: Problem) -> str:
    location = code(f"{problem.path}:{problem.line}:{problem.column}")
    sentence = [code(problem.found, _LONGEST)]
    if problem.expected:
        sentence.append(f"expected {code(problem.expected)}")
    if problem.advice:
        sentence.append(code(problem.advice, _LONGEST))
    return f"- {location} **{problem.rule}** {'; '.join(sentence)}"


def _table(result: Result) -> Iterator[str]:
    """One split: what is measured, and which constraints break."""
    yield f"\n### {result.split}: {counted(result.counts['items'], 'item')}\n"
    yield from table(result)
    rules = ", ".join(f"{rule} {count}" for rule, count in result.counts["broken"].items())
    yield f"\nItems with the right label that break a constraint: {rules or 'none'}."


def table(result: Result) -> Iterator[str]:
    """Every value with its interval, beside that of a submission that says nothing."""
    yield "| metric | value | 95 % interval | its null |\n|---|---:|---:|---:|"
    for name, value in result.metrics.items():
        numbers = [_number(number, name) for number in (value.value, value.null)]
        interval = value.interval
        bounds = "none" if interval is None or not interval.given else (
            f"{_number(interval.low, name)} to {_number(interval.high, name)}")
        yield (f"| {name} ({METRICS[name].better} is better) | {numbers[0]} | {bounds} | "
               f"{numbers[1]} |")


def _number(value: float | None, metric: str) -> str:
    """As people read it: percent, or three decimals of a distance."""
    return "not measured" if value is None else plain(number(value, METRICS[metric]))

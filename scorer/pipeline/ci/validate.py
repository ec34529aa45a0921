"""The check of a pull request, in the order in which it happens.

    event ------> PullRequest  number, base, head, author, whose branch          pull.py
    origin -----> objects      the branch's commits, without large blobs         pull.py
    base, head -> Merge        the merged tree, and two comparisons              pull.py
    paths ------> problems     one submission, predictions new, known board      pull.py
    author -----> problems     the team's owners                                 owners.py
    folder -----> Review       names, modes, sizes, every field and row          here
    likeness ---> notes        names and bytes of others                         owners.py
    files ------> problems     hidden gold, keys, whoever brings them            hidden_gold.py
    gold -------> results      metrics that need no model, beside their nulls    here
    Review -----> summary      what the submitter reads, and the exit code       here

It runs the main branch's program with a token that reads, and never checks out the branch. The
pull request is hostile: its names, bytes, modes, sizes and history. Maintainers are trusted: what
changes the program, its workflows or the settings is theirs to review, and a branch of this
repository itself is theirs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scorer.boards import Board, fetching, load_all, submission
from scorer.boards.golds import input_texts
from scorer.boards.submission import (
    FILE_NAME,
    RESERVED,
    Submission,
    SubmissionName,
    file_advice,
)
from scorer.core.errors import MOST_SHOWN, DataError, Problem, WhyboardError, counted, excerpt
from scorer.core.reading.strict import LARGEST
from scorer.core.reading.tsv import LARGEST_FILE, open_file
from scorer.core.reading.values import is_slug
from scorer.core.results import Result
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.pipeline.ci import hidden_gold, owners, pull
from scorer.pipeline.ci.git import BRANCH, Repository, TreeEntry
from scorer.pipeline.ci.pull import ALLOWED, Merge, PullRequest, problem, regular, shown
from scorer.pipeline.ci.runner import code
from scorer.scoring.checking import check_file
from scorer.scoring.leaderboard.numbers import number, plain
from scorer.scoring.submissions import Scorer

MOST_TEAMS = 3
"""Of a stranger, whose owners are looked up; one about more than one is refused in any case."""
POINTER = b"version https://git-lfs"
_LONGEST = 400
"""Characters of what was found, and of what to do."""


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
    repository: Repository, files: Iterable[TreeEntry], name: SubmissionName, board: Board,
    home: Path, folder: Path, splits: Sequence[str] | None = None,
) -> Review:
    """Judge the files of a submission by name, mode and size; only the fixed names are written, as
    regular files, into a folder of ours, and judged there as on anybody's machine.

    ``folder``: an empty folder that must live as long as the returned submission is used.
    ``splits``: those to judge (default: all it answers).
    """
    review, path = Review(), shown(name.path)
    # names of ours, but for teams that may give all tags: a stranger's may lead anywhere
    written = folder / "board" / (name.team if name.team in RESERVED else "team") / "system"
    written.mkdir(parents=True)
    for entry in files:
        review.refuse(list(_extract(repository, entry, entry.path[len(name.path) + 1:], written)))
    sent, faults = submission.read(written, reserved=True)
    review.refuse(submission.slug_problems(name.team, name.system, path, True))
    review.refuse([replace(fault, path=fault.path.replace(str(written), path, 1))
                   for fault in faults if fault.rule != "META-FILE" or not review.total])
    for split in splits or submission.splits_in(written):
        file = submission.predictions_path(written, split)
        if split not in board.splits or not file.is_file():
            continue
        try:
            texts = input_texts(board, split, home)
        except DataError:
            texts = None  # the board's data are at fault, which is not for the submitter to hear
        predictions = open_file(file, shown=f"{path}/{file.name}")
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


# ---- the check -----------------------------------------------------------------------------------


def check(repository: Repository, request: PullRequest, boards: Path, home: Path, *,
          scored: bool = False) -> Review:
    """Judge a pull request whose objects are here.

    ``scored``: whether the data of the boards that it touches are fetched, and what is sound gets
    the scores that need no model.
    """
    review, known = Review(), {board.id: board for board in load_all(boards)}
    merge = pull.merge_of(repository, request) if request.for_main else problem(
        "PR-BASE", ".", "a pull request for another branch", "one for the main branch",
        f"gh pr edit {request.number} --base {BRANCH}")
    if isinstance(merge, Problem):
        review.add([merge])
        return review
    if scored:
        touched = {name.board for name in merge.names}
        fetch_data([board for board in known.values()
                    if board.id in touched or board.hides_gold], home)
    review.applies = merge.is_submission
    with tempfile.TemporaryDirectory() as folder:
        if review.applies:
            _submissions(review, merge, known, home, Path(folder))
        hidden = [split for board in known.values() for split in hidden_gold.inputs_of(board, home)]
        review.add(hidden_gold.problems(merge, hidden, hidden_gold.FEW if review.total
                                        else hidden_gold.MOST_FILES))
        if scored and review.name is not None and not review.total:
            _score(review, known, home)
    return review


def fetch_data(boards: Iterable[Board], home: Path) -> None:
    """Bring official data that may not be committed; says which boards stay without.

    ``boards``: those that are needed, for each host may let us wait. Pinned by digest; a host that
    does not answer in time is no fault.
    """
    for board in boards:
        if not board.downloads or fetching.complete(board, home):
            continue
        try:
            fetching.fetch(board, home)
        except WhyboardError as fault:
            print(f"| without the data of {board.id}: {ascii(str(fault))[:300]}", file=sys.stderr)


def _submissions(review: Review, merge: Merge, boards: Mapping[str, Board], home: Path,
                 folder: Path) -> None:
    """The rules of submissions; a maintainers' branch may do anything to them that can be read."""
    own, names = merge.pull.own, merge.names
    if not own:
        review.add(pull.problems(merge, boards))
    for team in filter(is_slug, merge.teams if own else merge.teams[:MOST_TEAMS]):
        review.add(owners.problems(merge, team))
    if len(names) == 1:
        review.name = names[0]
    for at, name in enumerate(names if own or review.name else ()):
        if not own:
            review.add(owners.copies(merge, name))
        files = merge.files(name)
        if not files or name.board not in boards:
            continue
        one = read_submission(merge.repository, files, name, boards[name.board], home,
                              folder / str(at))
        review.refuse(one.problems, one.total, one.lines)
        review.notes += one.notes
        review.submission = one.submission
        if one.submission is not None and not own:
            review.add(owners.names(merge, name, one.submission.meta.team, boards.values()))


def _score(review: Review, boards: Mapping[str, Board], home: Path) -> None:
    """Score what has public gold, with the metrics that need no model."""
    sent = review.submission
    if sent is None:
        return  # only removed
    board = boards[sent.board]
    metrics = tuple(name for name in board.metrics if METRICS[name].model is None)
    if not metrics:
        return  # all need a model, and to the scorer none named means all
    scorer = Scorer(Models(allowed=False, home=home), home, metrics=metrics)
    for split in sent.splits:
        public = board.splits[split].gold == "public"
        try:
            wanted = scorer.gold(board, split) if public else None
        except DataError:
            wanted = None  # the official data could not be fetched: checked without them
        if wanted is None:
            review.unscored.append(split)
        else:
            scored = scorer.file(board, sent.predictions(split), split, wanted, sent)
            review.results.append(scored.result)


# ---- the summary ---------------------------------------------------------------------------------


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
        info, interval = METRICS[name], value.interval
        bounds = (interval.low, interval.high) if interval is not None and interval.given else ()
        measured, null, *ends = (
            "not measured" if one is None else plain(number(one, info))
            for one in (value.value, value.null, *bounds))
        yield (f"| {name} ({info.better} is better) | {measured} | {' to '.join(ends) or 'none'} "
               f"| {null} |")

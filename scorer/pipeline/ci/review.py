"""Everything there is to say about a pull request, and the summary in which it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from scorer.boards.submission import Submission, SubmissionName
from scorer.core.errors import MOST_SHOWN, Problem, ReportLine, counted
from scorer.core.results import Result
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.reading import Reading
from scorer.pipeline.ci.runner import code
from scorer.scoring.leaderboard.numbers import number, plain


@dataclass
class Review:
    """What every step of the check adds to."""

    name: SubmissionName | None = None
    """The one submission it is about; None if there is none, or several."""
    submits: bool = False
    """Whether it is judged as a submission."""
    problems: list[Problem] = field(default_factory=list)
    """The first 50 faults."""
    lines: list[ReportLine] = field(default_factory=list)
    """What a submitter reads of all of them."""
    total: int = 0
    """All faults, those not kept included."""
    notes: list[Problem] = field(default_factory=list)
    """What the submitter should know; nothing is rejected for it."""
    submission: Submission | None = None
    """It, or the last of several, if it can be scored."""
    results: list[Result] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    """Splits that were checked, but have no gold here."""

    @property
    def code(self) -> int:
        """The exit code: 0 for a submission that can be scored, or none at all; else 2."""
        return 2 if self.total else 0

    def add(self, problems: Iterable[Problem]) -> None:
        """Add faults and notes; what two comparisons show is told once."""
        for problem in problems:
            if CATALOGUE[problem.rule].effect == "note":
                self.notes.append(problem)
            elif problem not in self.problems:
                self.total += 1
                if len(self.problems) < MOST_SHOWN:
                    self.problems.append(problem)
                    self.lines.append(ReportLine(problem))

    def include(self, reading: Reading) -> None:
        """Add what was found in the files of a submission."""
        self.submission = reading.submission
        self.problems += reading.problems[:MOST_SHOWN - len(self.problems)]
        self.lines += reading.lines
        self.notes += reading.notes
        self.total += reading.total


def markdown(review: Review) -> str:
    """The step's summary: rule ids, paths, counts and ASCII excerpts, nothing that is alive."""
    if not (review.submits or review.total):
        lines = ["## Nothing to validate", "\nThis pull request brings no submission.",
                 *_notes(review)]
        return "\n".join(lines) + "\n"
    subject = code(review.name.path) if review.name else "the pull request"
    faults = [_report_line(line) for line in review.lines[:MOST_SHOWN]]
    if len(faults) == MOST_SHOWN < review.total:
        faults.append(f"\nThe first {MOST_SHOWN} of {review.total} are shown.")
    title = f"{counted(review.total, 'error')} in {subject}" if faults else f"{subject} can be " + (
        "scored" if review.name else "merged")
    lines = [f"## {title}", "", *faults, *_notes(review)]
    if faults and review.name:
        lines.append("\nTo see faults of files on your machine: `scorer check FOLDER`.")
    for result in review.results:
        lines += _table(result)
    lines += [f"\nThe split {code(split)} can be scored; its gold is not at hand here."
              for split in review.unscored]
    return "\n".join(lines) + "\n"


def _notes(review: Review) -> list[str]:
    notes = [_line(note) for note in review.notes[:MOST_SHOWN]]
    return ["\n### Notes\n", *notes] if notes else []


def _report_line(line: ReportLine) -> str:
    """A line; what is said of other rows is rule ids and numbers."""
    if line.problem is None:
        return f"- {line.more}"
    return _line(line.problem) + (f" ({line.more})" if line.more else "")


def _line(problem: Problem) -> str:
    location = code(f"{problem.path}:{problem.line}:{problem.column}")
    return (f"- {location} **{problem.rule}** {code(problem.found)}; expected "
            f"{code(problem.expected)}; {code(problem.advice)}")


def _table(result: Result) -> list[str]:
    """One split: every value beside that of a submission that says nothing."""
    lines = [f"\n### {result.split}: {result.counts['items']} items\n",
             "| metric | value | its null |", "|---|---:|---:|"]
    lines += [f"| {name} | {_number(value.value, name)} | {_number(value.null, name)} |"
              for name, value in result.metrics.items()]
    broken = result.counts["broken"]
    rules = ", ".join(f"{rule} {count}" for rule, count in broken.items()) or "none"
    return [*lines, f"\nItems with the right label that break a constraint: {rules}."]


def _number(value: float | None, metric: str) -> str:
    """As people read it: percent, or three decimals of a distance."""
    return "" if value is None else plain(number(value, METRICS[metric]))

"""Everything there is to say about a pull request, and the summary in which it is said."""

from __future__ import annotations

from dataclasses import dataclass, field

from scorer.boards.submission import Submission, SubmissionName
from scorer.core.errors import MOST_SHOWN, Problem, counted
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.reading import FirstFaults
from scorer.pipeline.ci.runner import code
from scorer.scoring.leaderboard.numbers import number, plain

_LONGEST = 400
"""Characters of what was found."""


@dataclass
class Review(FirstFaults):
    """What every step of a check adds to."""

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


def report(title: str, findings: FirstFaults, *more: str) -> str:
    """A summary with faults and notes, and further lines."""
    lines = [f"## {title}", ""]
    for line in findings.lines[:MOST_SHOWN]:  # of other rows only rule ids and numbers
        if line.problem is None:
            lines.append(f"- {line.more}")
        else:
            lines.append(_line(line.problem) + (f" ({line.more})" if line.more else ""))
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
        sentence.append(code(problem.advice))
    return f"- {location} **{problem.rule}** {'; '.join(sentence)}"


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

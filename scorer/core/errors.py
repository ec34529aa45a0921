"""What can go wrong, and whose fault it is.

    WhyboardError
    ├── SubmissionError   exit 2: the user's or the submission's fault; carries every Problem found
    ├── UsageError        exit 2: the command was given something it cannot use
    └── DataError         exit 3: our data, our boards or this machine's environment

``NotMeasured`` is no failure: one metric becomes null with a reason, the others are published.
Anything else that escapes is a bug: it keeps its traceback and ends with exit 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.core.rules import PROBLEM

MOST_SHOWN = 50
"""Problems written out in one report; the rest are counted."""
SHOWN_OF_A_RULE = 5
"""Problems of one rule that the report of a submission writes out."""


def excerpt(text: str, limit: int = 80) -> str:
    """Foreign text as a quoted ASCII literal of at most ``limit`` characters, safe in any log.

    >>> excerpt("naïve\\x1b[31m")
    "'na\\\\xefve\\\\x1b[31m'"
    """
    quoted = ascii(text[:limit])
    if len(text) <= limit and len(quoted) <= limit:
        return quoted
    return quoted[: limit - 1] + quoted[0] + "..."


def printable(text: str) -> str:
    """Text that neither moves a terminal nor commands a workflow runner; lines stay lines.

    A runner obeys ``::`` at the start of a line, blanks before it or not, and ``##[`` anywhere
    (github actions/runner, src/Runner.Common/ActionCommand.cs).

    >>> printable("::error::x \\x1b[31m ##[group]y")
    '\\\\x3a:error::x \\\\x1b[31m #\\\\x23[group]y'
    """
    plain = "".join(
        letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1]
        for letter in text
    )
    return re.sub("^( *):(?=:)", r"\1\\x3a", plain, flags=re.M).replace("##[", r"#\x23[")


def counted(count: int, noun: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """The first numbers, and how many more there are.

    >>> numbered("line", [4]), numbered("line", [4, 9, 17]), numbered("line", range(1, 9))
    ('line 4', 'lines 4, 9, 17', 'lines 1, 2, 3, 4, 5 and 3 more')
    """
    shown = ", ".join(map(str, numbers[:SHOWN_OF_A_RULE]))
    more = len(numbers) - SHOWN_OF_A_RULE
    return f"{noun}{'s' if numbers[1:] else ''} {shown}{f' and {more} more' if more > 0 else ''}"


@dataclass(frozen=True, order=True)
class Problem:
    """One fault at one place: what was found, what was expected, what to do."""

    path: str
    line: int
    column: int
    rule: str
    found: str
    expected: str
    advice: str

    def __str__(self) -> str:
        return printable(PROBLEM.format_map(vars(self))).replace("\n", r"\n")


class WhyboardError(Exception):
    """Base of all errors that are shown to a person without a traceback."""

    exit_code = 1

    def __str__(self) -> str:
        return printable(super().__str__())


class UsageError(WhyboardError):
    """A command or function was called with something it cannot use."""

    exit_code = 2


class DataError(WhyboardError):
    """Our data, our boards or the environment are not as they must be."""

    exit_code = 3


class SubmissionError(WhyboardError):
    """A submission cannot be accepted; ``problems`` holds the first 50, ``total`` counts all."""

    exit_code = 2

    def __init__(
        self, problems: Sequence[Problem], total: int | None = None, text: str | None = None
    ) -> None:
        """``text``: what a person reads, if it is not the report of the problems."""
        self.problems = tuple(problems[:MOST_SHOWN])
        self.total = len(problems) if total is None else total
        self._text = text
        super().__init__(report(self.problems, self.total) if text is None else text)

    def __reduce__(self) -> tuple[type[SubmissionError], tuple[object, ...]]:
        return type(self), (self.problems, self.total, self._text)


def report(problems: Sequence[Problem], total: int) -> str:
    """The lines a person reads: every problem shown, then the total."""
    lines = [str(problem) for problem in problems[:MOST_SHOWN]]
    shown = len(lines)
    lines.append(counted(total, "error") + (f", the first {shown} shown" if shown < total else ""))
    return "\n".join(lines)


def summary(problems: Sequence[Problem], by_rule: Mapping[str, int], rows: int = 0,
            ) -> list[Problem | str]:
    """What a submitter reads: of each rule the first problems, and how many more there are.

    ``by_rule`` counts every problem. Of a rule that has as many as the file has ``rows``, and
    those are many, only the first is written out.
    """
    lines: list[Problem | str] = []
    shown = Counter[str]()
    most = {rule: 1 if count == rows > SHOWN_OF_A_RULE else SHOWN_OF_A_RULE
            for rule, count in by_rule.items()}
    for problem in problems:
        rule = problem.rule
        shown[rule] += 1
        if shown[rule] <= most[rule]:
            lines.append(problem)
        elif shown[rule] == most[rule] + 1:
            lines.append(f"{by_rule[rule] - most[rule]} more {rule}")
    rest = {rule: count - shown[rule] for rule, count in sorted(by_rule.items())
            if shown[rule] <= most[rule]}
    return lines + [f"{count} more {rule}" for rule, count in rest.items() if count]


def refusal(count: int) -> str:
    """The last line after errors.

    >>> refusal(1)
    'NOT accepted: 1 error'
    """
    return f"NOT accepted: {counted(count, 'error')}"


class NotMeasured(Exception):
    """A metric cannot be measured here; the message is the reason that is published with null."""

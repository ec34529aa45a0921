"""Everything the pipeline tells or is told by a workflow runner; nothing else writes there.

Text of strangers reaches a runner only as ASCII excerpts: in a log line after a prefix of ours, or
in a code span of the summary; never in an output.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scorer.core.errors import MOST_SHOWN, DataError, Problem, WhyboardError


def output(name: str, value: str | int) -> None:
    """Set an output of this step: a fixed name, a value of ours that is one word.

    Without a runner the line goes to standard output.
    """
    _append("GITHUB_OUTPUT", f"{name}={value}")


def summary(markdown: str) -> None:
    """Add to this step's summary."""
    _append("GITHUB_STEP_SUMMARY", markdown)


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if not path:
        print(text if variable == "GITHUB_OUTPUT" else plain(text))
        return
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def annotate(problems: Sequence[Problem], kind: str = "error") -> None:
    """Put at most 50 problems beside the lines they speak of."""
    for problem in problems[:MOST_SHOWN]:
        message = problem.found if not problem.expected else (
            f"{problem.found}; expected {problem.expected}; {problem.advice}")
        location = f"file={_property(problem.path)},line={problem.line},col={problem.column}"
        print(f"::{kind} {location},title={_property(problem.rule)}::{_message(message)}")


def _message(text: str) -> str:
    return ascii_text(text).replace("%", "%25").replace("##[", "# #[")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def say(text: str) -> None:
    """A line of log that no text of a stranger can turn into a command."""
    print(plain(text))


def plain(text: str) -> str:
    """Every line with a prefix that no runner takes for a command.

    >>> plain("::error::x")
    '| ::error::x'
    """
    lines = (ascii_text(line).replace("##[", "# #[") for line in text.split("\n"))
    return "\n".join(f"| {line}" for line in lines)


def ascii_text(text: str) -> str:
    """Text in printable ASCII; everything else is written as its escape.

    >>> ascii_text("na\\u00efve\\n")
    'na\\\\xefve\\\\n'
    """
    return "".join(letter if " " <= letter <= "~" else ascii(letter)[1:-1] for letter in text)


def code(text: str, limit: int = 160) -> str:
    """Text as a code span of Markdown that it cannot leave.

    >>> code("a`@org/team`")
    "`a'@org/team'`"
    """
    inside = ascii_text(text)[:limit].replace("`", "'").strip() or " "
    return f"`{inside}`"


def event() -> Any:
    """The event that started this run. Raises DataError if there is none to read."""
    try:
        return json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())
    except (KeyError, OSError, ValueError, RecursionError) as fault:
        raise DataError(f"GITHUB_EVENT_PATH: no event to read ({type(fault).__name__})") from fault


def value_at(document: Any, *names: str) -> Any:
    """A value deep inside an event, or None."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


class TryAgain(WhyboardError):
    """The machine or the network failed; nothing is recorded and the next run takes it up."""

    exit_code = 75


CODES = {
    "SCORER-FAULT": "The scorer failed on this submission; a new version of it tries again.",
    "SCORER-TIME": "Scoring this submission took too long.",
    "SCORER-KILLED": "Scoring this submission ended the process that did it, twice.",
    "GOLD-SCORE": "The scorer failed on this submission; nothing is said about it.",
    "GOLD-TIME": "Scoring this submission took too long.",
    "SCORER-GAVE-UP": "The scoring machine failed three times on this submission.",
    "RESULT-MISSING": "The result has no such file or a file that is too large.",
    "RESULT-FORMAT": "The result is not of the published format.",
    "RESULT-KEY": "The result is not that of the files on the main branch.",
    "RESULT-RANGE": "The result holds a number that cannot be.",
    "RESULT-DIFFERS": "The result says something else than its scores of items.",
    "RESULT-GATE": "An item that failed a gate has a score of its own.",
    "RESULT-LEAK": "The result holds what a hidden split must not show.",
}
"""Public codes of ``error`` outcomes. What a code says never depends on gold."""

"""One hint where nearly every graph of a file is written wrong in the same way.

A program that writes ``;`` without a space, or a model that wraps its graphs in Markdown, gets 0
for every item. The hint shows the slip in the first such row and names its characters; the graphs
are scored as they are. Every search here takes time linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.core.errors import Problem, counted
from scorer.core.messages import SLIPS
from scorer.core.reading.characters import OTHER_SPACES, named
from scorer.core.reading.tsv import note
from scorer.core.rules import lookup
from scorer.tasks.base import Answer
from scorer.tasks.graphs.graph_items import Prediction

FEWEST_ROWS = 5
"""Rows from which on something can be called systematic."""
MOST_LETTERS, MOST_NAMED = 12, 3
"""Of a slip: characters shown, and those named."""
QUOTES = "\"'`*_\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"
SEPARATORS = ",|:/\uff0c\u3001\u2192"
"""What stands between parts where no semicolon does."""

_SPACE = f"[ {OTHER_SPACES}]"
_BETWEEN = re.compile(r"\)([^()]+)\(")
_SEMICOLON = re.compile("[;\uff1b]")
_ODD = re.compile(f"(?<={_SPACE});|;(?! )|;(?= {_SPACE})|\uff1b")
"""A semicolon with anything but one space behind it, or with one before it."""
_INSTEAD = re.compile(f"[{SEPARATORS}]|->")
_QUOTE = re.compile(f"[(;\uff1b]{_SPACE}*([{QUOTES}])")
_INSIDE = re.compile(f"[^;\uff1b]([{OTHER_SPACES}])(?![;\uff1b])")
_SPACES = re.compile(_SPACE)


class Slip(NamedTuple):
    """A departure of one graph from its form."""

    kind: str
    """A key of ``SLIPS``."""
    start: int
    """Zero-based position in the text."""
    text: str


def notes(shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
    """The hint, where one rule is broken in more than 90 % of the rows."""
    rules = Counter(rule for answer in answers for rule in _rules(answer))
    firsts = Counter(answer.found.broken[0].rule for answer in answers if answer.found.broken)
    broken = [rule for rule, count in rules.items() if _most(count, len(answers))]
    if not broken:
        return
    graphs = counted(len(answers), "graph")
    tables = [{slip.kind: slip for slip in _slips(answer.prediction.graph.text)}
              for answer in answers]
    counts = {kind: sum(kind in table for table in tables) for kind in SLIPS}
    kinds = [kind for kind, count in counts.items() if _most(count, len(answers))]
    if kinds:
        first = {kind: next(table for table in tables if kind in table)[kind] for kind in kinds}
        position = next(index for index, table in enumerate(tables) if kinds[0] in table)
        row = answers[position].row
        slips = ", ".join(f"{SLIPS[kind].format(text=_worded(first[kind].text))} in {counts[kind]}"
                          for kind in kinds)
        column = row.column(len(row.fields) - 1) + first[kinds[0]].start
        yield note(shown, row.line, "EG-SLIP", column, slips=slips, graphs=graphs)
        return
    causes = [rule for rule in broken if rule != "EG-SYNTAX"]
    if causes:
        cause = min(causes, key=lambda rule: (-firsts[rule], -rules[rule], rule))
        row, _, findings = next(answer for answer in answers if cause in _rules(answer))
        detail = next(finding.detail for finding in findings.broken if finding.rule == cause)
        yield note(shown, row.line, "EG-SLIP rule", row.column(len(row.fields) - 1), "rule",
                   rule=cause, count=rules[cause], graphs=graphs, detail=detail.removesuffix("."),
                   advice=lookup(cause).advice)


def _most(count: int, rows: int) -> bool:
    return rows >= FEWEST_ROWS and count * 10 > rows * 9


def _rules(answer: Answer[Prediction]) -> set[str]:
    """The constraints that a graph breaks, and whether it has the exact form."""
    broken = {finding.rule for finding in answer.found.broken}
    return broken | {finding.rule for finding in answer.found.strict if finding.rule == "EG-SYNTAX"}


def _slips(text: str) -> Iterator[Slip]:
    """The first slip of each kind."""
    opening, closing = text.find("("), text.rfind(")")
    if text and opening < 0:
        yield Slip("open", 0, text[0])
    if opening > 0:
        yield Slip("before", 0, text[:opening])
    if 0 <= closing < len(text) - 1:
        yield Slip("after", closing + 1, text[closing + 1 :])
    separator = _separator(text)
    if separator is not None:
        yield separator
    for kind, pattern in (("between", _BETWEEN), ("quotes", _QUOTE), ("inside", _INSIDE)):
        match = pattern.search(text)
        if match is not None:
            yield Slip(kind, match.start(1), match[1])


def _separator(text: str) -> Slip | None:
    """The first separator of parts that is not a semicolon and a space."""
    match = (_ODD if _SEMICOLON.search(text) else _INSTEAD).search(text)
    if match is None:
        return None
    start, end = match.span()
    while start > 0 and _SPACES.match(text[start - 1]):
        start -= 1
    while end < len(text) and _SPACES.match(text[end]):
        end += 1
    return Slip("parts", start, text[start:end])


def _worded(text: str) -> str:
    """A piece of a graph and the names of its signs; of one sign its name alone."""
    if len(text) == 1 and not text.isalnum():
        return named(text)
    cut = text[:MOST_LETTERS]
    signs = [letter for letter in dict.fromkeys(cut) if not letter.isalnum()][:MOST_NAMED]
    names = f" ({', '.join(map(named, signs))})" if signs else ""
    return f'"{cut}{"..." if len(text) > len(cut) else ""}"{names}'

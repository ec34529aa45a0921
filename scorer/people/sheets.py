r"""Annotators' files: lines ``#key<TAB>value``, a line of columns, a line an item.

Bytes become a ``Sheet`` here, with every fault of form reported; what the answers say is checked
against the batch in ``validate.py``. A cell spells a tab, a line end and a backslash ``\t``, ``\n``
and ``\\``. Short rows count as padded, for editors cut tabs off; empty lines are passed over.

There is one wording of rules for the command, pull requests and pages: ``rules.tsv``, where
``{name}`` stands for a value, and a word after a rule's id tells apart what the rule may say. The
constraints of graphs and their sentences are those of ``tasks/graphs``, of facts, as annotators
call edges.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import MOST_SHOWN, Problem, excerpt, printable, summary
from scorer.core.reading.tsv import File, Problems, characters_welcome, read_lines
from scorer.people.records import COMMENT, MOST_COMMENT, Form

HEADER = ("format", "batch", "batch_sha256", "guideline", "annotator", "exported")
MOST_ROWS = 10_000
"""Rows of a file that are looked at."""
MOST_BYTES = 1_000_000
"""Bytes of an annotator's file."""
TEXTS: Mapping[str, str] = dict(line.split("\t") for line in Path(__file__).with_name(
    "rules.tsv").read_text("utf-8").splitlines())
"""What each rule says."""
WARNINGS = frozenset({"ANN-ITEM-MISSING", "TSV-BOM"})
"""Rules that refuse nothing, beside those with -W- in their ids."""


def warns(rule: str) -> bool:
    """Whether a rule is reported and refuses nothing.

    >>> warns("CSK-W-Q4-POS"), warns("ANN-ITEM-MISSING"), warns("EG-CYCLE")
    (True, True, False)
    """
    return "-W-" in rule or rule in WARNINGS


class RuleText(NamedTuple):
    """A rule that answers break, in words, before anybody knows where."""

    rule: str
    text: str
    about: str = ""
    """What of the answers breaks it: a question, a triplet, a fact's number or a count."""


def said(which: str, about: object = "", **values: object) -> RuleText:
    """What a rule says of some values; ``which``: its id, and perhaps a word of TEXTS.

    >>> said("CSK-VALUE", "q4", q="q4", v="5", allowed="1, 2, 3, x")
    RuleText(rule='CSK-VALUE', text='q4: "5" is not one of 1, 2, 3, x.', about='q4')
    """
    return RuleText(which.partition(" ")[0], TEXTS[which].format_map(values), str(about))


class RuleFault(Problem):
    """A rule that a line of a file breaks; ``found`` is the whole sentence."""

    def __str__(self) -> str:
        line = f"{self.path}:{self.line}: {self.rule} {self.found}"
        return printable(line).replace("\n", r"\n")

    @property
    def warns(self) -> bool:
        """Whether it refuses nothing."""
        return warns(self.rule)


@dataclass
class SheetFaults:
    """Collects what is wrong with one file: of each rule the first are kept, all are counted."""

    path: str
    kept: list[RuleFault] = field(default_factory=list)
    by_rule: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    """Rows of the file."""

    def say(self, line: int, what: RuleText) -> None:
        """Record what a line breaks."""
        self.by_rule[what.rule] += 1
        if self.by_rule[what.rule] <= MOST_SHOWN:
            self.kept.append(RuleFault(self.path, line, 1, what.rule, what.text, "", ""))

    def of_file(self, which: str, **values: object) -> None:
        """Record what the file as a whole breaks: a rule of ``said`` and its values."""
        self.say(1, said(which, **values))

    @property
    def errors(self) -> int:
        """How many faults refuse the file."""
        return sum(count for rule, count in self.by_rule.items() if not warns(rule))

    @property
    def warnings(self) -> int:
        """How many do not."""
        return self.by_rule.total() - self.errors

    def lines(self) -> list[Problem | str]:
        """What a person reads: of each rule the first, and how many more."""
        return summary(sorted(self.kept), self.by_rule, self.rows)


class SheetRow(NamedTuple):
    """One row as it was read: its line in the file, and its cells by column."""

    number: int
    cells: Mapping[str, str]


class Sheet(NamedTuple):
    """A file whose form is sound enough to look at its answers."""

    header: Mapping[str, str]
    rows: tuple[SheetRow, ...]


def read(content: bytes, form: Form, faults: SheetFaults) -> Sheet | None:
    """The rows of a file, or None where they cannot be told apart; every fault is recorded."""
    try:
        content.decode()
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        faults.say(line, said("ANN-ENCODING", n=wrong.start + 1))
        return None
    table = read_lines(File(content, faults.path, MOST_BYTES))
    if table.problems.total:
        [problem] = table.problems.kept
        faults.say(1, said("ANN-EMPTY") if problem.rule == "TSV-EMPTY" else _of_reading(problem))
        return None
    characters = Problems(faults.path, most=MOST_BYTES)
    texts = [text if characters_welcome(number, text, characters) else ""
             for number, text in enumerate(map(bytes.decode, table.lines), start=1)]
    for problem in (*table.notes, *characters.kept):
        if problem.rule != "TSV-CRLF":
            faults.say(problem.line, _of_reading(problem))
    columns = next((position for position, text in enumerate(texts)
                    if text and not text.startswith("#")), len(texts))
    pairs = [text[1:].partition("\t")[::2] for text in texts[:columns] if text]
    if (keys := [key for key, _ in pairs]) != [*HEADER]:
        faults.of_file("ANN-HEADER", keys=", ".join(HEADER), got=_first(keys, 2 * len(HEADER)))
    rows = _rows(texts[columns:], columns + 1, form.columns, faults)
    return None if rows is None else Sheet(dict(pairs), rows)


def _of_reading(problem: Problem) -> RuleText:
    """A fault of bytes or characters, which reading tells in its own words, as one sentence."""
    return RuleText(problem.rule, f"{problem.found}; expected {problem.expected}; "
                    f"{problem.advice}.")


def _first(names: Sequence[str], most: int) -> str:
    return ", ".join(map(plain, names[:most])) or "none"


def _rows(texts: Sequence[str], first: int, columns: Sequence[str], faults: SheetFaults,
          ) -> tuple[SheetRow, ...] | None:
    """The rows below the line of columns; ``first``: the number of that line."""
    named = texts[0].split("\t") if texts else []
    if named != [*columns]:
        faults.say(first, said("ANN-COLUMNS", cols=", ".join(columns),
                               got=_first(named, 2 * len(columns))))
        return None
    if len(texts) > MOST_ROWS + 1:
        faults.say(first + MOST_ROWS + 1, said("ANN-ROWS", n=len(texts) - 1, m=MOST_ROWS))
        return None
    rows = []
    for number, text in enumerate(texts[1:], start=first + 1):
        if not text.strip("\t"):
            continue
        faults.rows += 1
        cells = text.split("\t")
        if len(cells) > len(columns):
            faults.say(number, said("ANN-CELLS", n=len(cells), m=len(columns)))
            continue
        spelled = {column: unescaped(cell)
                   for column, cell in zip_longest(columns, cells, fillvalue="")}
        unknown = {column: odd for column, (_, odd) in spelled.items() if odd is not None}
        for column, odd in unknown.items():
            faults.say(number, said("ANN-ESCAPE", c=plain(odd), col=column))
        if not unknown:
            rows.append(SheetRow(number, {column: cell for column, (cell, _) in spelled.items()}))
    if not faults.rows:
        faults.say(first, said("ANN-EMPTY"))
    return tuple(rows)


_ESCAPE = re.compile(r"\\(.|$)", re.DOTALL)
_UNESCAPED = {"t": "\t", "n": "\n", "\\": "\\"}


def unescaped(cell: str) -> tuple[str, str | None]:
    r"""What a cell spells, and the character of its first unknown escape.

    >>> unescaped(r"a\tb\\n"), unescaped(r"a\x")
    (('a\tb\\n', None), ('a\\x', 'x'))
    """
    unknown = (match[1] for match in _ESCAPE.finditer(cell) if match[1] not in _UNESCAPED)
    return _ESCAPE.sub(lambda match: _UNESCAPED.get(match[1], match[0]), cell), next(unknown, None)


def plain(text: str) -> str:
    """Foreign text in a message: short, and nothing that moves a terminal."""
    shown = excerpt(text, 60)
    return shown[1:-1] if shown.endswith(("'", '"')) else shown


def comment_of(row: SheetRow, faults: SheetFaults) -> str:
    """The comment of a row; one that is too long is a fault."""
    comment = row.cells[COMMENT].strip()
    if len(comment) > MOST_COMMENT:
        faults.say(row.number, said("ANN-TEXT", col=COMMENT, n=len(comment), m=MOST_COMMENT))
    return comment

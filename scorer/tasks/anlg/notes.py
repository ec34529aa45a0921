"""What is told of the texts of a whole file: which are empty, and where ROUGE-L sees spaces.

ROUGE-L of the released evaluation splits a text at every single U+0020 SPACE. So a space at an end
or beside another one adds an empty word, and any other space character joins two words. The other
metrics split as people do. Nothing is repaired: the score is that of the text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scorer.errors import Problem, counted, numbered
from scorer.messages import SPACES
from scorer.reading.characters import OTHER_SPACES, named
from scorer.reading.tsv import Row, note
from scorer.tasks.anlg.records import Prediction
from scorer.tasks.base import Answer

_OTHER = re.compile(f"[{OTHER_SPACES}]")


def notes(shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
    """The empty texts of a file, and the spaces of the others."""
    total = counted(len(answers), "text")
    empty = [row for row, prediction, _ in answers if not prediction.text.strip()]
    if empty:
        yield _note(shown, "ART-EMPTY", empty, "file", texts=f"{len(empty)} of {total}")
    rows: list[Row] = []
    kinds: dict[str, int] = {}
    for row, prediction, _ in answers:
        found = _spaces(prediction.text) if prediction.text.strip() else []
        rows += [row] if found else []
        for kind in found:
            kinds[kind] = kinds.get(kind, 0) + 1
    if rows:
        said = ", ".join(f"{kind} in {kinds[kind]}" for kind in sorted(kinds))
        yield _note(shown, "ART-SPACES", rows, kinds=f"{said} of {total}")


def _spaces(text: str) -> list[str]:
    """What is odd about the spaces of a text, each thing once."""
    kinds = {"start": text.startswith(" "), "end": text.endswith(" "),
             "double": "  " in text.strip(" ")}
    others = dict.fromkeys(_OTHER.findall(text))
    return [*(SPACES[kind] for kind, there in kinds.items() if there), *map(named, others)]


def _note(shown: str, fault: str, rows: Sequence[Row], hint: str = "", **values: str) -> Problem:
    first = min(rows, key=lambda row: row.line)
    lines = numbered("line", sorted(row.line for row in rows))
    return note(shown, first.line, fault, first.column(0), hint, lines=lines, **values)

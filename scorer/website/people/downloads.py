"""What pages below ``human/`` show as files: JSON in full precision, and TSV for spreadsheets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.website.text import csv_cell

PLACE = "data/human/"
_BREAKS = re.compile(r"[\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
ESTIMATE = ("value", "n", "low", "high", "method", "note")

Cell = str | int | float | bool | None


class Download(NamedTuple):
    """Two files with the same numbers."""

    name: str
    """Without a suffix, below PLACE."""
    document: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Paths and words."""
        return (f"{PLACE}{self.name}.json", "JSON"), (f"{PLACE}{self.name}.tsv", "TSV")

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of each."""
        text = json.dumps(self.document, ensure_ascii=False, allow_nan=False, indent=1)
        yield f"{PLACE}{self.name}.json", f"{text}\n".encode()
        yield f"{PLACE}{self.name}.tsv", tsv(self.columns, self.rows)


def tsv(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bytes:
    """A table that no spreadsheet takes for a program: texts that begin like a formula get an
    apostrophe, and none breaks a line. Numbers stay as they are; undefined ones are empty.

    >>> tsv(["a", "b"], [["=1+1", -0.5], ["x\\ty", None]]).decode()
    "a\\tb\\n'=1+1\\t-0.5\\nx y\\t\\n"
    """
    lines = [columns, *([_cell(one) for one in row] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _BREAKS.sub(" ", csv_cell(value)) if isinstance(value, str) else repr(value)


def estimate(one: Any) -> tuple[Cell, ...]:
    """The cells of an estimate, as ESTIMATE names them; those of none are empty."""
    if one is None:
        return (None, None, None, None, "", "")
    low, high = one.ci or (None, None)
    return (one.value, one.n, low, high, one.method, one.note)

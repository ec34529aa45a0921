"""Results as files: ``<split>.json`` and, where gold is public, ``<split>.items.tsv``.

In their place the pipeline's publisher writes ``<split>.error.json`` if there is no result.

The formats are a contract: ``schema`` 1 of ``scorer/core/results.py``, and the table of
``items.py``. Keys are sorted, numbers keep full precision (round in templates), a metric that was
not measured is ``{"value": null, "reason": ...}``. Read into pandas: a row for each metric of each
result.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from scorer.core.errors import DataError, UsageError
from scorer.core.files import json_bytes, write_together
from scorer.core.reading.documents import Document, One, Positive, Sha256, problems
from scorer.core.reading.schema import schema_of
from scorer.core.reading.values import Optional
from scorer.core.results import SCHEMA, Result, pandas_for
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import items as tables


def from_json(document: Any, items: bytes = b"", shown: str = "items.tsv") -> Result:
    """The Result of a document and the bytes of its items, whose name is ``shown`` in errors.

    Raises DataError if either is none, or of another schema.
    """
    if isinstance(document, Mapping) and document.get("schema") != SCHEMA:
        raise DataError(f"a result of schema {document.get('schema')!r}; this program reads "
                        f"schema {SCHEMA}: score the submission again")
    try:
        result = Result.model_validate(document)
    except ValidationError as fault:
        raise _no_result(problems(fault)) from fault
    return result.replace(items=tables.from_bytes(items, result.metrics, shown) if items else ())


def from_bytes(document: bytes, items: bytes = b"", shown: str = "items.tsv") -> Result:
    """The same of the files' contents."""
    try:
        read: Any = json.loads(document)
    except (ValueError, RecursionError) as fault:
        raise _no_result(f"{type(fault).__name__}: {fault}") from fault
    return from_json(read, items, shown)


def _no_result(what: str) -> DataError:
    return DataError(f"not a result ({what}); score the submission again")


def result_path(folder: Path, board: str, team: str, system: str, split: str) -> Path:
    """Where a result lies below a folder of results."""
    return folder / board / team / system / f"{split}.json"


def items_path(path: Path) -> Path:
    """Where the items of the result at ``path`` lie."""
    return path.with_suffix(".items.tsv")


def find(folders: Iterable[Path], board: str, team: str, system: str, split: str) -> Path | None:
    """Where a result lies: in the first folder that has it with its items, else without them."""
    paths = [result_path(folder, board, team, system, split) for folder in folders]
    there = [path for path in paths if path.is_file()]
    return next((path for path in there if items_path(path).is_file()), next(iter(there), None))


def write(result: Result, folder: Path) -> list[Path]:
    """Write a result below ``folder``: ``<board>/<team>/<system>/<split>.json`` and its items.

    Items are written first, so that a result is never seen without them. Returns the paths.
    """
    path = result_path(folder, result.board, result.team, result.system, result.split)
    files = {}
    if result.items and result.gold.public:
        files[items_path(path)] = items_bytes(result)
    files[path] = json_bytes(result.to_json())
    write_together(files)
    return [*files]


def items_bytes(result: Result) -> bytes:
    """The bytes of ``<split>.items.tsv``."""
    return tables.to_bytes(result.metrics, result.items)


def read(path: Path) -> Result:
    """Read ``<split>.json`` with its items, if there are any. Raises DataError if it is broken."""
    try:
        content, items = path.read_bytes(), b""
        if items_path(path).is_file():
            with items_path(path).open("rb") as file:
                items = file.read(tables.LARGEST + 1)  # of more it is said that they are too many
        return from_bytes(content, items, items_path(path).name)
    except OSError as fault:
        raise DataError(f"{path}: {_no_result(f'{type(fault).__name__}: {fault}')}") from fault
    except DataError as fault:
        raise DataError(f"{path}: {fault}") from fault


def remove(path: Path) -> None:
    """Remove the result at ``path``, then its items; nothing happens if there is none."""
    path.unlink(missing_ok=True)
    items_path(path).unlink(missing_ok=True)


def schema() -> dict[str, Any]:
    """The JSON Schema of ``<split>.json``."""
    return schema_of(Result, "Result of one submission on one split (<split>.json), schema 1")


MOST_ATTEMPTS = 3
"""Runs in which the scoring machine may fail on a submission."""
Word = Annotated[str, Field(pattern="^[A-Z0-9-]{3,60}$")]


class Unscored(Document):
    """Why a merged submission has no result: ``<split>.error.json``.

    Only the publisher writes it, and removes it when the submission is scored. It counts the runs
    that tried one key; other predictions, another board, gold or scorer begin anew.
    """

    schema_: One = Field(alias="schema")
    key: Sha256 = Field(description="Of all that its numbers depend on but models.")
    attempts: Positive = Field(description="Runs that tried it.")
    code: Optional[Word] = Field(None, description="Of the error that ended it.")
    rule: Optional[Word] = Field(None, description="The rule that rejected it.")

    @property
    def final(self) -> bool:
        """Whether no run tries it again by itself; else the machine failed, fewer than three
        times.
        """
        return bool(self.code or self.rule)


def unscored_schema() -> dict[str, Any]:
    """The JSON Schema of ``<split>.error.json``."""
    return schema_of(Unscored, "Why a merged submission has no result (<split>.error.json), "
                               "schema 1")


COLUMNS = (
    "board", "board_version", "split", "team", "system", "metric", "value", "low", "high",
    "interval", "n", "passed", "n_passed", "flagged", "null", "lift", "p_versus_null",
    "clustered_se", "reason", "signature", "key",
)
"""Documented in docs/results.md."""


def load_results(folder: str | os.PathLike[str]) -> Any:
    """Every result below a folder (``<board>/<team>/<system>/<split>.json``) in one DataFrame.

    One row for each metric of each result, in the order of the paths; the columns are ``COLUMNS``.
    What was not measured has NaN as its value, and a reason. Raises UsageError if there is no such
    folder, DataError if a file is no result, or without pandas (extra ``site``).
    """
    top = Path(folder)
    if not top.is_dir():
        raise UsageError(f"{top} is no folder of results; name one such as results")
    pd = pandas_for("a DataFrame of results")
    rows: list[tuple[Any, ...]] = []
    for path in sorted(top.glob("*/*/*/*.json")):
        if path.name.endswith(".error.json"):
            continue
        try:
            result = from_bytes(path.read_bytes())
        except DataError as fault:
            raise DataError(f"{path}: {fault}") from fault
        for name, value in result.metrics.items():
            interval, versus = value.interval, value.versus_null
            lift = METRICS[name].lift(value) if name in METRICS else value.lift
            rows.append((
                result.board, result.board_version, result.split, result.team, result.system, name,
                value.value, *((interval.low, interval.high, interval.method) if interval
                               else (None, None, None)),
                value.n, value.passed.value, value.passed.n, value.flagged, value.null, lift,
                versus.p if versus else None, value.clustered_se, value.reason, value.signature,
                getattr(result, "key", None)))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = ["value", "low", "high", "passed", "null", "lift", "p_versus_null", "clustered_se"]
    return frame.astype(dict.fromkeys(numbers, "float64"))

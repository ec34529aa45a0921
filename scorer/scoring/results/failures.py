"""Why there is no result: ``error.json`` of a run here, ``<split>.error.json`` of the pipeline.

The first lies beside the submission's results, says nothing of the machine or the time, and goes
when the submission scores again. The second only the publisher writes, and removes when the
submission is scored: it counts the runs that tried one key; other predictions, another board, gold
or scorer begin anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from scorer._version import __version__
from scorer.core.errors import printable
from scorer.core.files import json_bytes, write_atomically
from scorer.core.reading.documents import Document, One, Positive, Sha256
from scorer.core.reading.schema import schema_of
from scorer.core.reading.values import Optional
from scorer.core.results import ScorerVersion

FILE_NAME = "error.json"
MOST_ATTEMPTS = 3
"""Runs in which the scoring machine may fail on a submission."""
Word = Annotated[str, Field(pattern="^[A-Z0-9-]{3,60}$")]

_PATH = re.compile(r"(?<![\w.~:/\\-])(?:[A-Za-z]:)?[/\\~](?:[^\s:;,'\"()]*[/\\])?(?=[^\s:;,'\"()])")
"""The folders of an absolute path; its last name stays."""


class FailedSplit(Document):
    """What failed, and whose fault it is."""

    split: str | None = Field(
        description="The split that failed; null: the submission as a whole.")
    predictions: Sha256 | None = Field(
        description="SHA-256 of the predictions that were tried; null with split null.")
    code: Literal["submission", "data", "memory", "timeout", "crash", "bug"]
    exit_code: int = Field(
        ge=1, le=3, description="2 the submission's, 3 our data or machine, 1 a bug.")
    message: str = Field(min_length=1, description="For a person; no paths.")


class ErrorRecord(Document):
    """Why a submission could not be scored: ``error.json``."""

    schema_: One = Field(alias="schema")
    board: str = Field(description="Board id.")
    team: str = Field(description="Folder name of the team.")
    system: str = Field(description="Folder name of the system.")
    scorer: ScorerVersion
    errors: list[FailedSplit] = Field(min_length=1)


def without_paths(text: str, folder: Path) -> str:
    """A message without the folders of this machine.

    >>> without_paths("a/b/p.tsv:3:1 TSV-LABEL; see a/b", Path("a/b"))
    'p.tsv:3:1 TSV-LABEL; see b'
    >>> without_paths("/home/x/data/dev.tsv: cannot be read (C:\\\\t\\\\y) and/or 1/2", Path("a"))
    'dev.tsv: cannot be read (y) and/or 1/2'
    """
    paths = {str(folder), str(folder.absolute()), str(folder.resolve())}
    for path in sorted(paths, key=len, reverse=True):
        whole = rf"(?<![\w./\\-]){re.escape(path)}"
        text = re.sub(f"{whole}/", "", text)
        text = re.sub(rf"{whole}(?![\w-])", lambda _: folder.name, text)
    return printable(_PATH.sub("", text))


def write(folder: Path, board: str, team: str, system: str, errors: Sequence[FailedSplit]) -> None:
    """Write ``error.json`` in a submission's folder of results, or remove it if nothing failed."""
    if not errors:
        folder.joinpath(FILE_NAME).unlink(missing_ok=True)
        return
    record = ErrorRecord(schema=1, board=board, team=team, system=system,
                         scorer=ScorerVersion(version=__version__),
                         errors=sorted(errors, key=lambda error: error.split or ""))
    write_atomically(folder / FILE_NAME, json_bytes(record.to_json()))


class Unscored(Document):
    """Why a submission has no result."""

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


def schema() -> dict[str, Any]:
    """The JSON Schema of ``error.json``."""
    return schema_of(ErrorRecord, "Why a submission could not be scored when it was last tried "
                                  "(error.json), schema 1")


def unscored_schema() -> dict[str, Any]:
    """The JSON Schema of ``<split>.error.json``."""
    return schema_of(Unscored, "Why a merged submission has no result (<split>.error.json), "
                               "schema 1")

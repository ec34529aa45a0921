"""``error.json``: why a submission could not be scored when it was last tried.

It lies beside the submission's results, says nothing of the machine or the time, and goes when the
submission scores again. The format is a contract: ``ErrorRecord``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from scorer._version import __version__
from scorer.engines.outcomes import Failure
from scorer.errors import printable
from scorer.files import json_bytes, write_atomically
from scorer.reading.documents import Document, One, Sha256
from scorer.reading.schema import schema_of
from scorer.results.documents import ScorerVersion

FILE_NAME = "error.json"

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


@dataclass(frozen=True)
class Tried:
    """One failed attempt: the predictions' digest (None with no split), and why."""

    predictions: str | None
    failure: Failure


def to_json(
    board: str, team: str, system: str, failed: Mapping[str | None, Tried], folder: Path
) -> dict[str, Any]:
    """The document of ``error.json``; ``failed`` by split, None for the submission as a whole.

    ``folder`` is the submission's: paths below it are shortened to what lies in it.
    """
    errors = [
        FailedSplit(split=split, predictions=tried.predictions, code=tried.failure.code,
                    exit_code=tried.failure.exit_code,
                    message=without_paths(tried.failure.message, folder))
        for split, tried in sorted(failed.items(), key=lambda one: one[0] or "")
    ]
    return ErrorRecord(schema=1, board=board, team=team, system=system,
                       scorer=ScorerVersion(version=__version__), errors=errors).to_json()


def without_paths(text: str, folder: Path) -> str:
    """A message without the folders of this machine.

    >>> without_paths("a/b/p.tsv:3:1 TSV-LABEL; see a/b", Path("a/b"))
    'p.tsv:3:1 TSV-LABEL; see b'
    >>> without_paths("/home/x/data/dev.tsv: cannot be read (C:\\\\t\\\\y) and/or 1/2", Path("a"))
    'dev.tsv: cannot be read (y) and/or 1/2'
    """
    places = {str(folder), str(folder.absolute()), str(folder.resolve())}
    for place in sorted(places, key=len, reverse=True):
        whole = rf"(?<![\w./\\-]){re.escape(place)}"
        text = re.sub(f"{whole}/", "", text)
        text = re.sub(rf"{whole}(?![\w-])", lambda _: folder.name, text)
    return printable(_PATH.sub("", text))


def write(
    place: Path, board: str, team: str, system: str, failed: Mapping[str | None, Tried],
    folder: Path,
) -> None:
    """Write ``error.json`` in a submission's folder of results, or remove it if nothing failed."""
    path = place / FILE_NAME
    if failed:
        write_atomically(path, json_bytes(to_json(board, team, system, failed, folder)))
    else:
        path.unlink(missing_ok=True)


def schema() -> dict[str, Any]:
    """The JSON Schema of ``error.json``."""
    return schema_of(ErrorRecord, "Why a submission could not be scored when it was last tried "
                                  "(error.json), schema 1")

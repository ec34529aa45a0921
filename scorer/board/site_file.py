"""The boards that a site is about, in order: ``boards/site.yaml``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import SubmissionError
from scorer.reading.fields import Choice, Field, Integer, ListOf, Record, load

FILE_NAME = "site.yaml"


@dataclass(frozen=True)
class SiteFile:
    """What a site says of its boards."""

    schema: int
    boards: tuple[str, ...]


def declaration(known: Sequence[str]) -> Record:
    """The fields of site.yaml where these boards may be named."""
    return Record((
        Field("schema", Integer(1, 1), "Version of this format."),
        Field("boards", ListOf(Choice(tuple(known)), 1), "The main boards by their ids, in the "
              "order of the front page. Others that are not for practice follow as guests."),
    ), SiteFile)


def main_boards(folder: Path, known: Sequence[str]) -> tuple[str, ...] | None:
    """Ids of the main boards in their order; None if a folder of boards has no such file.

    ``known``: ids of boards that are not for practice. Raises SubmissionError with every problem.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    found, problems = load(declaration(known), path.read_bytes(), str(path))
    if problems:
        raise SubmissionError(problems)
    return tuple(found.boards)

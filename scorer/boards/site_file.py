"""The boards that a site is about, in order: ``boards/site.yaml``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from scorer.core.errors import SubmissionError
from scorer.core.reading.schema import load
from scorer.core.reading.values import Choice, Integer, Items

FILE_NAME = "site.yaml"


@dataclass(frozen=True)
class SiteFile:
    """What a site says of its boards."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    boards: Annotated[tuple[Annotated[str, Choice((), "known")], ...], Items(1),
                      "The main boards by their ids, in the order of the front page. Others that "
                      "are not for practice follow as guests."]


def main_boards(folder: Path, known: Sequence[str]) -> tuple[str, ...] | None:
    """Ids of the main boards in their order; None if a folder of boards has no such file.

    ``known``: ids of boards that are not for practice. Raises SubmissionError with every problem.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    site, problems = load(SiteFile, path.read_bytes(), str(path), known=known)
    if problems:
        raise SubmissionError(problems)
    return tuple(site.boards)

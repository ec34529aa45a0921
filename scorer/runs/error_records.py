"""``error.json``: why a submission could not be scored when it was last tried.

It lies beside the submission's results, says nothing of the machine or the time, and goes when the
submission scores again. The format is a contract: ``schemas/error.schema.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from scorer._version import __version__
from scorer.engines.answers import Failure
from scorer.errors import printable
from scorer.files import json_bytes, write_atomically

SCHEMA = 1
FILE_NAME = "error.json"

_PATH = re.compile(r"(?<![\w.~:/\\-])(?:[A-Za-z]:)?[/\\~](?:[^\s:;,'\"()]*[/\\])?(?=[^\s:;,'\"()])")
"""The folders of an absolute path; its last name stays."""


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
    return {
        "schema": SCHEMA,
        "board": board,
        "team": team,
        "system": system,
        "scorer": {"version": __version__},
        "errors": [
            {
                "split": split,
                "predictions": tried.predictions,
                "code": tried.failure.code,
                "exit_code": tried.failure.exit_code,
                "message": without_paths(tried.failure.message, folder),
            }
            for split, tried in sorted(failed.items(), key=lambda one: one[0] or "")
        ],
    }


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
    text = resources.files("scorer").joinpath("schemas/error.schema.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document

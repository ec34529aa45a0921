"""Every file format of ours as a JSON Schema with an address that stays: ``schemas/<name>.json``.

What people write is declared in Python and read by the same declaration; what the program writes is
described in ``scorer/schemas``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from scorer import board, submission
from scorer.reading.fields import schema_document
from scorer.tasks.registry import TASKS, AnyTask


@dataclass(frozen=True)
class Format:
    """One file format."""

    name: str
    file: str
    """Which files are of it."""
    about: str
    document: Callable[[], Mapping[str, Any]]
    """Makes the JSON Schema (draft 2020-12)."""
    lines: bool = False
    """Whether each line of such a file is a document."""

    @property
    def path(self) -> str:
        """Where the site offers it."""
        return f"schemas/{self.name}.json"


def _shipped(name: str) -> Callable[[], Mapping[str, Any]]:
    def read() -> Mapping[str, Any]:
        text = resources.files("scorer").joinpath(f"schemas/{name}.schema.json").read_text("utf-8")
        document: Mapping[str, Any] = json.loads(text)
        return document

    return read


def _board(task: AnyTask) -> Format:
    def make() -> Mapping[str, Any]:
        return schema_document(board.declaration(task), f"board.yaml of the task {task.name}")

    return Format(f"board.{task.name}", "boards/<board>/board.yaml",
                  f"A board of the task {task.title.lower()}.", make)


FORMATS = (
    Format("submission", "submissions/<board>/<team>/<system>/submission.yaml",
           "What a team says of its system.",
           lambda: schema_document(submission.META, "submission.yaml")),
    *map(_board, TASKS.values()),
    Format("result", "results/<board>/<team>/<system>/<split>.json",
           "One submission on one split: values, intervals, signatures, digests.",
           _shipped("result")),
    Format("items", "results/<board>/<team>/<system>/<split>.items.jsonl",
           "A line for every item of a split with public gold: verdict and scores.",
           _shipped("items"), lines=True),
    Format("past", "results/<board>/<team>/<system>/<split>.past.jsonl",
           "A line for every result that was replaced: its values, and what they depended on.",
           _shipped("past"), lines=True),
    Format("error", "results/<board>/<team>/<system>/error.json",
           "Why a submission could not be scored when it was last tried.", _shipped("error")),
    Format("status", "data/status.json",
           "The state of every submission, as `scorer ci status` prints it.", _shipped("status")),
    Format("ledger", "ledger/<board>.jsonl",
           "A line for everything that became of a submission.", _shipped("ledger"), lines=True),
    Format("owners", "ledger/owners.jsonl",
           "A line for every team: the numeric account that it belongs to.", _shipped("owners"),
           lines=True),
)
"""In the order of the site's page."""

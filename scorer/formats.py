"""Every file format of ours as a JSON Schema with an address that stays: ``schemas/<name>.json``.

Each is generated from the declaration that its files are read or written by: ``reading/fields.py``
for what people write, ``codec.py`` for what the program writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scorer import board, submission
from scorer import pipeline_documents as pipeline
from scorer.codec import schema_of
from scorer.reading.fields import schema_document
from scorer.results import files as results
from scorer.results import past
from scorer.runs import error_records
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


def _of(kind: Any, title: str) -> Callable[[], Mapping[str, Any]]:
    return lambda: schema_of(kind, title)


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
           results.schema),
    Format("items", "results/<board>/<team>/<system>/<split>.items.jsonl",
           "A line for every item of a split with public gold: verdict and scores.",
           results.items_schema, lines=True),
    Format("past", "results/<board>/<team>/<system>/<split>.past.jsonl",
           "A line for every result that was replaced: its values, and what they depended on.",
           past.schema, lines=True),
    Format("error", "results/<board>/<team>/<system>/error.json",
           "Why a submission could not be scored when it was last tried.", error_records.schema),
    Format("status", "data/status.json",
           "The state of every submission, as `scorer ci status` prints it.",
           _of(pipeline.StatusDocument,
               "The state of every submission (data/status.json), schema 1")),
    Format("ledger", "ledger/<board>.jsonl",
           "A line for everything that became of a submission.",
           _of(pipeline.LedgerLine,
               "What became of a submission (a line of ledger/<board>.jsonl), schema 1"),
           lines=True),
    Format("owners", "ledger/owners.jsonl",
           "A line for every team: the numeric account that it belongs to.",
           _of(pipeline.OwnerLine, "Whose team it is (a line of ledger/owners.jsonl), schema 1"),
           lines=True),
)
"""In the order of the site's page."""

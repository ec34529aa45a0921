"""Every file format of ours as a JSON Schema with an address that stays: ``schemas/<name>.json``.

Each is generated from the record that its files are read or written by (``schema_of``).
Of the status only the shape is here; what it means is in ``scorer/pipeline/ci/queue.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from scorer import boards as board
from scorer.boards import submission
from scorer.boards.published import Published as PublishedElsewhere
from scorer.core.reading.schema import schema_of
from scorer.people.published import PUBLISHED, PublishedDocument
from scorer.people.records import Form
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard, past
from scorer.site.reading.states import StatusDocument
from scorer.tasks.registry import TASKS, AnyTask


@dataclass(frozen=True)
class Format:
    """One file format."""

    name: str
    file: str
    """Which files are of it."""
    about: str
    document: Callable[[], Mapping[str, Any]]
    """Makes the JSON Schema (draft 2020-12) of such a file, or of each line of a ``.jsonl``."""

    @property
    def path(self) -> str:
        """Where the site offers it."""
        return f"schemas/{self.name}.json"


def _board(task: type[AnyTask]) -> Format:
    return Format(f"board.{task.name}", "boards/<board>/board.yaml",
                  f"A board of the task {task.title.lower()}.", lambda: schema_of(
                      board.declaration(task), f"board.yaml of the task {task.name}"))


def _published(entry: PublishedDocument) -> Format:
    return Format(entry.name, entry.file, entry.about, lambda: schema_of(entry.kind, entry.title))


FORMATS = (
    Format("submission", "submissions/<board>/<team>/<system>/submission.yaml",
           "What a team says of its system.",
           partial(schema_of, submission.Meta, "submission.yaml")),
    *map(_board, TASKS.values()),
    Format("published", "boards/<board>/published.yaml",
           "Numbers published elsewhere, with their sources.",
           partial(schema_of, PublishedElsewhere, "published.yaml")),
    Format("result", "results/<board>/<team>/<system>/<split>.json",
           "One submission on one split: values, intervals, signatures, digests.",
           results.schema),
    Format("leaderboard", "results/<board>/leaderboard.<split>.json",
           "What the results of one split say together: rows, ranks, pairs and the verdict.",
           leaderboard.schema),
    Format("past", "results/<board>/<team>/<system>/<split>.past.jsonl",
           "A line for every result that was replaced: its values, and what they depended on.",
           past.schema),
    Format("unscored", "results/<board>/<team>/<system>/<split>.error.json",
           "Why a merged submission has no result, and how many runs tried it.",
           results.unscored_schema),
    *map(_published, PUBLISHED),
    Format("form", "annotations/forms/<kind>.yaml",
           "A form: what annotators see of an item and are asked.",
           partial(schema_of, Form, "A form")),
    Format("status", "data/status.json",
           "The state of every submission, as `scorer ci status` prints it.",
           partial(schema_of, StatusDocument,
                   "The state of every submission (data/status.json), schema 1")),
)
"""In the order of the site's page."""

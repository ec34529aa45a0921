"""How far batches are answered."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from scorer.annotations import people
from scorer.annotations.records import Batch
from scorer.annotations.validate import Workplace


class Coverage(NamedTuple):
    """What is handed in of one batch, in numbers; nothing of what was answered."""

    batch: str
    kind: str
    status: str
    items: int
    needed: int
    annotators: int
    """Annotators with a sound file."""
    answers: int
    finished: int
    """Items with as many answers as are needed."""
    refused: int
    """Files with errors."""
    simulated: tuple[str, ...] = ()
    """Those of the annotators who are simulated."""


def coverage(workplace: Workplace, batch: Batch) -> Coverage:
    """How far one batch is answered."""
    annotations = workplace.annotations(batch)
    counts = Counter(item for one in annotations for item in one.answers)
    finished = sum(count >= batch.needed for count in counts.values())
    return Coverage(batch.name, batch.kind, batch.status, len(batch.items), batch.needed,
                    len(annotations), counts.total(), finished,
                    len(workplace.files(batch)) - len(annotations), people.simulated(
                        workplace.people, [one.annotator for one in annotations]))

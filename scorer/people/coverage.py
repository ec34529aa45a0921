"""How far batches are answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scorer.people import people
from scorer.people.records import Batch
from scorer.people.validate import ROOT, Workplace


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
    """Files with errors; of a closed batch those that count."""
    late: tuple[str, ...] = ()
    """Whose files do not count, for the batch closed without them as they are."""
    simulated: tuple[str, ...] = ()
    """Those of the annotators who are simulated."""


def coverage(workplace: Workplace, batch: Batch) -> Coverage:
    """How far one batch is answered."""
    annotations, late = workplace.annotations(batch), workplace.late(batch)
    counts = Counter(item for one in annotations for item in one.answers)
    finished = sum(count >= batch.needed for count in counts.values())
    return Coverage(batch.name, batch.kind, batch.status, len(batch.items), batch.needed,
                    len(annotations), counts.total(), finished,
                    len(workplace.counted(batch)) - len(annotations),
                    tuple(path.stem for path in late), people.simulated(
                        workplace.people, [one.annotator for one in annotations]))


def late_answers(annotations: Path) -> Iterator[str]:
    """Files of closed batches that count nowhere, and answers that counted and are gone: a line
    each. Raises SubmissionError for a faulty form.
    """
    workplace = Workplace(annotations)
    for batch in workplace.batches():
        for path in workplace.late(batch):
            yield (f"{ROOT}/{path.relative_to(annotations).as_posix()}: batch {batch.name} closed "
                   "without it as it is, so it counts nowhere")
        for login in workplace.missing(batch):
            yield (f"{workplace.forms[batch.kind].path(batch.name, login)}: counted when batch "
                   f"{batch.name} closed, and is not there as it was")

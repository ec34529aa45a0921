"""How far batches are answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from scorer.core.errors import counted
from scorer.people import people
from scorer.people.records import Batch
from scorer.people.validate import Workplace, check_file


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
    counts = Counter(item for annotation in annotations for item in annotation.answers)
    finished = sum(count >= batch.needed for count in counts.values())
    return Coverage(batch.name, batch.kind, batch.status, len(batch.items), batch.needed,
                    len(annotations), counts.total(), finished,
                    len(workplace.counted(batch)) - len(annotations),
                    tuple(path.stem for path in late), people.simulated(
                        workplace.people, [annotation.annotator for annotation in annotations]))


def uncounted(workplace: Workplace, batch: Batch) -> Iterator[str]:
    """Files of a batch that count nowhere, and answers that counted and are gone: a line each."""
    def path(login: str) -> str:
        return workplace.forms[batch.kind].path(batch.name, login)

    missing = workplace.missing(batch)
    for login in missing:
        yield (f"{path(login)}: counted when batch {batch.name} closed, and is not there as it "
               "was")
    for late in workplace.late(batch):
        if late.stem not in missing:
            yield (f"{path(late.stem)}: batch {batch.name} closed without it as it is, so it "
                   "counts nowhere")
    sound = {annotation.annotator for annotation in workplace.annotations(batch)}
    for file in workplace.counted(batch):
        if file.stem not in sound:
            errors = counted(check_file(workplace, file).faults.errors, "error")
            yield (f"{path(file.stem)}: {errors}, so it counts nowhere; run: scorer annotations "
                   "validate")

"""What people were asked and said, from the folder ``annotations`` of the checkout.

Whatever is faulty there is left out with a warning that names it: a form, a batch, its key, or an
annotator's file. What is left is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scorer.core.errors import DataError
from scorer.people import batches, coverage
from scorer.people.aggregation import votes_on_systems
from scorer.people.published import HAMLET, HUMAN_FOLDER
from scorer.people.records import OPEN
from scorer.people.validate import ROOT, Workplace
from scorer.people.verdicts import SplitVotes
from scorer.site.reading.reader import SiteReader
from scorer.site.records import (
    Annotations,
    BoardView,
    ClosedBatch,
    OpenBatch,
    SplitPeople,
    SplitView,
)

if TYPE_CHECKING:
    from scorer.boards.policy import HumanRanking
    from scorer.people.documents import HumanResults
    from scorer.people.hamlet import HamletResults
    from scorer.people.verdicts import Judged


def read_annotations(reader: SiteReader, boards: Sequence[BoardView], commit: str | None,
                     ) -> Annotations:
    """Everything below the folder; nothing without it.

    ``boards``: with the results of systems that people judged. ``commit``: what is shown.
    """
    folder = reader.root / ROOT
    if not folder.is_dir():
        return Annotations()
    store: Workplace | None = reader.attempt(partial(Workplace, folder))
    if store is None:
        return Annotations()
    for name in batches.names_in(folder):
        reader.attempt(partial(_sound, store, name))
    people = reader.attempt(lambda: store.people)
    if people is None:  # so nobody's files can be judged
        return Annotations(tuple(OpenBatch(store.forms[entry.kind], entry)
                                 for entry in store.batches() if entry.status == OPEN))
    for batch in store.batches():
        for line in coverage.uncounted(store, batch):
            reader.warn(line)
    closed = tuple(_closed(store))
    results = reader.attempt(partial(_aggregated, store, boards, commit)) if closed else None
    systems: dict[str, SplitVotes] = (votes_on_systems(store, partial(_result, boards)) if results
                                      else {})
    return Annotations(
        tuple(OpenBatch(store.forms[entry.kind], entry, coverage.coverage(store, entry),
                        tuple(path.stem for path in store.files(entry)))
              for entry in store.batches() if entry.status == OPEN), closed, results, people,
        systems, _hamlet(reader) if closed else None)


def _hamlet(reader: SiteReader) -> HamletResults | None:
    """What fooled a label model: ``results/human/hamlet.json``."""
    from scorer.people.hamlet import HamletResults

    results: HamletResults | None = reader.document(
        f"{HUMAN_FOLDER}/{HAMLET}", HamletResults.read, "annotations hamlet")[1]
    return results


def with_people(board: BoardView, answers: Annotations) -> BoardView:
    """A board with what people said of its systems."""
    return replace(board, splits=tuple(_with_people(view, answers) for view in board.splits))


def _with_people(view: SplitView, answers: Annotations) -> SplitView:
    name = f"{view.board.id}-{view.name}"
    if answers.results is None or name not in answers.results.verdicts:
        return view
    return replace(view, people=SplitPeople(
        **vars(answers.systems[name]), verdicts=answers.results.verdicts[name]))


def _sound(store: Workplace, name: str) -> None:
    """Read a batch and its key; one with faults is left out. Raises DataError with these."""
    _, problems = store.batch(name)
    try:
        if problems:
            raise DataError("\n".join(map(str, problems)))
        store.origins(name)
    except DataError:
        store.leave_out(name)
        raise


def _closed(store: Workplace) -> Iterator[ClosedBatch]:
    for batch in store.batches():
        if batch.status != OPEN and not batch.training:
            yield ClosedBatch(store.forms[batch.kind], batch, coverage.coverage(store, batch),
                              tuple(store.annotations(batch)), store.origins(batch.name),
                              store.rulings(batch))


def _aggregated(store: Workplace, boards: Sequence[BoardView], commit: str | None) -> HumanResults:
    from scorer.people.aggregation import aggregated
    from scorer.people.verdicts import rules_of

    def rule(split: str) -> HumanRanking:
        name = split.rpartition("-")[0]
        return rules_of(next((board.board for board in boards if board.board.id == name), None))

    return aggregated(store, partial(_result, boards), rule, commit)


def _result(boards: Sequence[BoardView], split: str, system: str) -> Judged | None:
    from scorer.people.verdicts import judged

    entry = next((entry for board in boards for view in board.splits
                  if f"{board.board.id}-{view.name}" == split
                  for entry in view.entries if entry.key == system), None)
    return judged(entry.result) if entry is not None and entry.result.items else None

"""Stages: what becomes of items that annotators vote on, write graphs for, judge and refine.

Forms say of which others their batches are made. Such a batch names its items in its key
(``<batch>:<item>``), so that the way of a graph can be followed back. A stage counts once
``needed`` annotators have answered, and so many of them, the first, count. A graph is correct if
more than half of these votes give it its item's own label; every other graph goes to refinement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from typing import NamedTuple

from scorer.core.errors import UsageError
from scorer.core.reading.tsv import rows_bytes
from scorer.core.records import Edge, Share
from scorer.people import agreement, organisers
from scorer.people.answered import NONE, AnsweredItem, decided
from scorer.people.documents import Author, LabelVotes, Round
from scorer.people.records import (
    ANSWER,
    DISAGREEMENT,
    GRAPH,
    LABEL,
    MAJORITY,
    TEXT,
    WRITTEN,
    Batch,
    Form,
    Origin,
    Stage,
)
from scorer.people.validate import Workplace

ROUND, VOTES = "round", "votes"
"""Fields of an item that is refined: which round it is, and the votes on its graph."""
CORRECT, WRONG, PENDING = "correct", "wrong", "pending"
STANCE, VERIFY = "stance", "verify"
"""Forms whose votes decide labels, and graphs."""
KEPT = ("support", "counter")
"""The labels with which an item goes on."""
REFINER_SHARE, REFINER_GRAPHS = 0.8, 10
"""Who has at least so many verified graphs, of which such a share is correct, may refine."""


def counting(workplace: Workplace, batch: Batch) -> list[AnsweredItem]:
    """The items of a batch in its order with no more answers than are needed, the first.

    Votes of a system's own team on its graphs are left out before they are counted.
    """
    judges = workplace.forms[batch.kind].graph is None
    return [item._replace(answers=dict(islice((
        (login, answers) for login, answers in item.answers.items()
        if not judges or organisers.may_judge(workplace.people, login, item.origin.system)),
        batch.needed))) for item in workplace.items(batch)]


@dataclass(frozen=True)
class History:
    """The graphs of one item over its rounds, the last one last."""

    texts: tuple[str, ...]
    """The item's texts and labels, in the order of its form."""
    wanted: str
    """The label that its graph should have."""
    graphs: tuple[str, ...]
    labels: tuple[str, ...]
    """What voters found each of the graphs to be; the last may be missing."""
    topic: str = ""
    """What the item is about, where a key on its way says so."""
    places: tuple[AnsweredItem, ...] = ()
    """Where its graphs were written and judged, in order."""

    @property
    def state(self) -> str:
        """``correct`` if the last graph was found to have the label, ``wrong`` if not, ``pending``
        where voters are still needed."""
        if len(self.labels) < len(self.graphs):
            return PENDING
        return CORRECT if self.labels[-1] == self.wanted else WRONG


class Stages:
    """Every batch of a folder but for training, and which item was made of which."""

    def __init__(self, workplace: Workplace) -> None:
        """Read every batch with its answers and its key."""
        self.workplace = workplace
        self.places = {entry.source: entry for batch in workplace.batches() if not batch.training
                       for entry in counting(workplace, batch)}
        self.made_of: dict[str, list[AnsweredItem]] = {}
        for entry in self.places.values():
            self.made_of.setdefault(entry.origin.source, []).append(entry)

    def of(self, batch: str) -> list[AnsweredItem]:
        """The items of a batch in its order."""
        return [entry for entry in self.places.values() if entry.batch.name == batch]

    def way(self, source: str) -> Iterator[AnsweredItem]:
        """An item and those that it was made of, as far as batches of the folder have them."""
        seen: set[str] = set()
        while source in self.places and source not in seen:
            seen.add(source)
            yield self.places[source]
            source = self.places[source].origin.source

    def topic(self, entry: AnsweredItem) -> str:
        """What its item is about, as its key or that of a batch before it says."""
        return next((step.origin.topic for step in self.way(entry.source) if step.origin.topic), "")

    def histories(self) -> list[History]:
        """The way of every item that a graph was first written for, in the order of batches."""
        return [self._history(entry) for entry in self.places.values()
                if entry.graph and entry.form.label
                and not any(stage.takes == DISAGREEMENT for stage in entry.form.after)]

    def _history(self, first: AnsweredItem) -> History:
        graphs, labels, steps = [], [], []
        written: AnsweredItem | None = first
        while written is not None:
            graphs.append(written.graph)
            steps.append(written)
            made = self.made_of.get(written.source, ())
            judged, label = next(((item, item.label) for item in made
                                  if item.form.graph is None and item.label), (None, None))
            if judged is None or label is None:
                break
            labels.append(label)
            steps.append(judged)
            made = self.made_of.get(judged.source, ())
            written = next((item for item in made if item.graph), None)
        texts = first.item.texts
        shown = [texts[part.name] for part in first.form.item
                 if part.kind in (TEXT, LABEL) and part.name in texts]
        return History(tuple(shown), texts[first.form.label], tuple(graphs), tuple(labels),
                       self.topic(first), tuple(steps))


class ItemCandidate(NamedTuple):
    """An item that a batch may have."""

    origin: Origin
    values: Mapping[str, str]
    """Texts and columns by name."""
    triplets: tuple[Edge, ...] = ()
    nodes: Mapping[str, str] = {}
    counts: Mapping[str, Mapping[str, int]] = {}


def written(entry: AnsweredItem, topic: str = "") -> list[ItemCandidate]:
    """Every item that annotators wrote as an answer to one, theirs together; each text on one line,
    as items of batches are."""
    return [ItemCandidate(
        Origin(source=f"{entry.source}:{author}:{number}", authors=(author,), topic=topic,
               label=entry.item.texts.get(made.label, made.label)),
        {name: " ".join(str(answers[key]).split()) for name, key in made.texts.items()})
        for author, answers in entry.answers.items()
        for number, made in enumerate(entry.form.written, start=1)]


def derived(stages: Stages, batch: str, form: Form) -> list[ItemCandidate]:
    """The items of a batch that go on to a form, as the form says.

    Raises UsageError where no stage leads from the batch to the form.
    """
    entries = stages.of(batch)
    kind = entries[0].batch.kind if entries else "no such name"
    stage = next((link for link in form.after if link.kind == kind), None)
    if stage is None:
        ways = ", ".join(f"{link.kind} to {other.kind}"
                         for other in stages.workplace.forms.values() for link in other.after)
        raise UsageError(f"no stage leads from a batch of {kind} to {form.kind}; these do: {ways}")
    candidates: list[ItemCandidate] = []
    for entry in entries:
        texts, label = entry.item.texts, entry.label if stage.takes == MAJORITY else None
        if label and label in stage.keep:
            candidates.append(ItemCandidate(Origin(source=entry.source),
                                            {**texts, stage.named: label}))
        elif stage.takes == ANSWER and entry.graph:
            candidates.append(ItemCandidate(
                Origin(source=entry.source, label=texts.get(entry.form.label, ""),
                       authors=_authors(entry)), {**texts, GRAPH: entry.graph}))
        elif stage.takes == WRITTEN:
            candidates += written(entry, stages.topic(entry))
        elif stage.takes == DISAGREEMENT:
            candidates += _disputed(stages, stage, entry)
    return candidates


def _authors(entry: AnsweredItem) -> tuple[str, ...]:
    """Everybody who wrote a version of its graph, up to what is handed in for it."""
    return tuple(dict.fromkeys(entry.origin.authors if entry.form.graph is None else (
        *entry.origin.authors, *entry.answers)))


def _disputed(stages: Stages, stage: Stage, entry: AnsweredItem) -> Iterator[ItemCandidate]:
    """The graph of an item that voters do not give the item's label, for its next round."""
    written = stages.places.get(entry.origin.source)
    if written is None or written.form.label not in written.item.texts:
        raise UsageError(f"item {entry.item.id} was not made of a graph that annotators wrote, so "
                         "its texts are not known; take a batch of such graphs")
    texts, label = written.item.texts, entry.label
    wanted = texts[written.form.label]
    if label is not None and label != wanted:
        number = int(texts.get(ROUND, "1")) + 1
        values = {**texts, **entry.item.texts, stage.named: label, ROUND: str(number)}
        yield ItemCandidate(
            Origin(source=entry.source, label=wanted, authors=_authors(entry)), values,
            counts={VOTES: dict(sorted(Counter(entry.votes).items()))})


def ragged(histories: Sequence[History]) -> bytes:
    """A row an item: its texts and label, and its graph of every round."""
    return rows_bytes((*history.texts, *history.graphs) for history in histories)


def correct(histories: Sequence[History]) -> bytes:
    """A row an item whose last graph was found correct: its texts, its label and that graph."""
    return rows_bytes((*item.texts, item.graphs[-1]) for item in histories if item.state == CORRECT)


# ---- tables: what becomes of items over rounds of verification ---------------------------------


def label_votes(items: Sequence[Sequence[str]], needed: int) -> LabelVotes:
    """The table of the first stage.

    ``items``: the votes on each, in the order in which they were handed in. Agreement is of the
    first ``needed`` votes of items that have them, but for alpha, which is of all votes.
    """
    labels = Counter(decided(votes, needed) for votes in items)
    first = agreement.measured([votes[:needed] for votes in items if len(votes) >= needed])
    every = agreement.measured(items)
    return LabelVotes(
        items=len(items), votes=sum(map(len, items)),
        kept={label: labels[label] for label in KEPT},
        dropped={label: labels[label] for label in sorted(filter(None, labels))
                 if label != NONE and label not in KEPT},
        no_majority=labels[NONE], pending=labels[None],
        agreement=first.model_copy(update={"alpha": every.alpha}))


def rounds_table(items: Sequence[tuple[str, Sequence[str | None]]]) -> list[Round]:
    """A row for each round that any item reached, as in the paper's Table 2: states after it.

    ``items``: of each its own label, and what is ``decided`` of its graph of each round. An item
    once correct stays so. The other label that items may have is ``crossed``, no such label
    ``incorrect``.
    """
    rows = []
    for number in range(1, max((len(rounds) for _, rounds in items), default=0) + 1):
        states = Counter(_state(wanted, [*rounds, *[None] * number][:number])
                         for wanted, rounds in items)
        crossed = {f"{own}>{label}": states[f"{own}>{label}"]
                   for own, label in permutations(KEPT, 2)}
        known = states.total() - states[PENDING]
        rows.append(Round(
            round=number, decided=known, correct=states[CORRECT],
            ci=_wilson(states[CORRECT], known), crossed=crossed, incorrect=states[WRONG],
            no_majority=states[NONE], pending=states[PENDING]))
    return rows


def _state(wanted: str, rounds: Sequence[str | None]) -> str:
    state = PENDING
    for label in rounds:
        if label is None:
            return PENDING
        if label == wanted:
            return CORRECT
        state = NONE if label == NONE else f"{wanted}>{label}" if label in KEPT else WRONG
    return state


def authors(graphs: Iterable[tuple[str, str, str | None]]) -> dict[str, Author]:
    """How often each author's graphs were found correct, by name; of each graph its author, its
    item's own label and what is ``decided`` of it."""
    outcomes: dict[str, list[bool | None]] = {}
    for author, wanted, label in graphs:
        outcomes.setdefault(author, []).append(None if label is None else label == wanted)
    table = {}
    for name, verdicts in sorted(outcomes.items()):
        correct = verdicts.count(True)
        verified = correct + verdicts.count(False)
        table[name] = Author(
            graphs=len(verdicts), verified=verified, correct=correct,
            ci=_wilson(correct, verified),
            may_refine=verified >= REFINER_GRAPHS and correct / verified >= REFINER_SHARE)
    return table


def _wilson(count: int, n: int) -> list[int | float] | None:
    bounds = Share(count, n).interval
    return None if bounds is None else list(bounds)

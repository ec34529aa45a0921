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
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple

from scorer.core.errors import UsageError
from scorer.core.records import Share
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
    votes = workplace.forms[batch.kind].graph is None
    items = []
    for item in workplace.items(batch):
        logins = [login for login in item.answers if not votes or organisers.may_judge(
            workplace.people, login, item.origin.system)]
        items.append(item._replace(
            answers={login: item.answers[login] for login in logins[:batch.needed]}))
    return items


@dataclass(frozen=True)
class History:
    """The way of one item over its rounds: its graph is written, then judged, then mended ..."""

    steps: tuple[AnsweredItem, ...]
    topic: str
    """What the item is about, where a key on its way says so."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The item's texts and labels, in the order of its form."""
        first = self.steps[0]
        return tuple(first.item.texts[part.name] for part in first.form.item
                     if part.kind in (TEXT, LABEL) and part.name in first.item.texts)

    @property
    def wanted(self) -> str:
        """The label that its graph should have."""
        return self.steps[0].item.texts[self.steps[0].form.label]

    @property
    def graphs(self) -> tuple[str, ...]:
        """The graph of each round, the last one last."""
        return tuple(step.graph for step in self.steps if step.graph)

    @property
    def state(self) -> str:
        """``correct`` if the last graph was found to have the label, ``wrong`` if not, ``pending``
        where voters are still needed."""
        last = self.steps[-1]
        if last.graph:
            return PENDING
        return CORRECT if last.label == self.wanted else WRONG


class Stages:
    """Which item was made of which; batches to learn on have no part in it."""

    def __init__(self, workplace: Workplace) -> None:
        """A batch is read, with its answers and its key, once it is asked about."""
        self.workplace = workplace
        self._items: dict[str, dict[str, AnsweredItem]] = {}

    def _by_source(self, batch: str) -> Mapping[str, AnsweredItem]:
        if batch not in self._items:
            known, _ = self.workplace.batch(batch)
            items = [] if known is None or known.training else counting(self.workplace, known)
            self._items[batch] = {item.source: item for item in items}
        return self._items[batch]

    def of(self, batch: str) -> list[AnsweredItem]:
        """The items of a batch in its order; none where there is no such batch."""
        return [*self._by_source(batch).values()]

    def find(self, source: str) -> AnsweredItem | None:
        """The item that a key names, if it is one of a batch."""
        return self._by_source(source.partition(":")[0]).get(source)

    @cached_property
    def made_of(self) -> Mapping[str, list[AnsweredItem]]:
        """The items of every batch, by what they were made of."""
        found: dict[str, list[AnsweredItem]] = {}
        for batch in self.workplace.batches():
            for item in self.of(batch.name):
                found.setdefault(item.origin.source, []).append(item)
        return found

    def way(self, source: str) -> Iterator[AnsweredItem]:
        """An item and those that it was made of, as far as batches of the folder have them."""
        seen: set[str] = set()
        while source not in seen and (item := self.find(source)) is not None:
            seen.add(source)
            yield item
            source = item.origin.source

    def topic(self, item: AnsweredItem) -> str:
        """What an item is about, as its key or that of a batch before it says."""
        return next((step.origin.topic for step in self.way(item.source) if step.origin.topic), "")

    def histories(self) -> list[History]:
        """The way of every item that a graph was first written for, in the order of batches."""
        return [History(tuple(self._steps(item)), self.topic(item))
                for batch in self.workplace.batches() for item in self.of(batch.name)
                if item.graph and item.form.label
                and not any(stage.takes == DISAGREEMENT for stage in item.form.after)]

    def _steps(self, step: AnsweredItem | None) -> Iterator[AnsweredItem]:
        """An item with a graph, what was decided of it, the graph that was mended then ..."""
        while step is not None:
            yield step
            made = self.made_of.get(step.source, ())
            step = next((item for item in made if (
                item.form.graph is None and item.label if step.graph else item.graph)), None)


class ItemCandidate(NamedTuple):
    """An item that a batch may have."""

    origin: Origin
    values: Mapping[str, Any]
    """Texts and columns by name; triplets, and votes by value."""


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
    items = stages.of(batch)
    kind = items[0].batch.kind if items else "no such name"
    stage = next((link for link in form.after if link.kind == kind), None)
    if stage is None:
        ways = ", ".join(f"{link.kind} to {other.kind}"
                         for other in stages.workplace.forms.values() for link in other.after)
        raise UsageError(f"no stage leads from a batch of {kind} to {form.kind}; these do: {ways}")
    return [candidate for item in items for candidate in _going_on(stages, stage, item)]


def _going_on(stages: Stages, stage: Stage, item: AnsweredItem) -> Iterator[ItemCandidate]:
    """What an item becomes at a stage: nothing, or one item, or all that were written."""
    texts, origin, label = item.item.texts, item.origin, item.label
    if stage.takes == WRITTEN:
        yield from written(item, stages.topic(item))
    elif stage.takes == ANSWER and item.graph:
        authors = tuple(dict.fromkeys((*origin.authors, *item.answers)))
        yield ItemCandidate(
            Origin(source=item.source, label=texts.get(item.form.label, ""), authors=authors),
            {**texts, GRAPH: item.graph})
    elif stage.takes == MAJORITY and label in stage.keep:
        yield ItemCandidate(Origin(source=item.source), {**texts, stage.named: str(label)})
    elif stage.takes == DISAGREEMENT:
        drawn = stages.find(origin.source)
        if drawn is None or drawn.form.label not in drawn.item.texts:
            raise UsageError(f"item {item.item.id} was not made of a graph that annotators wrote, "
                             "so its texts are not known; take a batch of such graphs")
        before = drawn.item.texts
        wanted = before[drawn.form.label]
        if label is not None and label != wanted:
            number = int(before.get(ROUND, "1")) + 1
            yield ItemCandidate(
                Origin(source=item.source, label=wanted, authors=origin.authors),
                {**before, **texts, stage.named: label, ROUND: str(number),
                 VOTES: dict(sorted(Counter(item.votes).items()))})


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
    """What an item is after some rounds: those behind a correct or a missing one do not count."""
    last = next((label for label in rounds if label in (None, wanted)), rounds[-1])
    if last in (None, wanted):
        return CORRECT if last else PENDING
    return NONE if last == NONE else f"{wanted}>{last}" if last in KEPT else WRONG


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

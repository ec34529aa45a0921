"""Items of batches with what annotators say of them: all figures are counted on these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from scorer.people.records import (
    CHOICE,
    GRAPH,
    NOT_ASKED,
    TRIPLETS,
    Answers,
    Batch,
    Form,
    Item,
    Origin,
    Question,
)

MEASURED = (CHOICE, TRIPLETS)
"""Kinds of answers with values that people may agree on."""
NONE = "none"
"""The label of votes without a majority."""
NOWHERE = Origin(source="")
"""Where an item comes from of which no key says it."""

Vote = TypeVar("Vote", bound=Hashable)


def majority(votes: Iterable[Vote | None]) -> Vote | None:
    """What more than half of the votes say; None if nothing.

    >>> majority(["support", "support", "counter"]), majority(["support", "counter"])
    ('support', None)
    """
    ballots = [vote for vote in votes if vote is not None]
    value, count = Counter(ballots).most_common(1)[0] if ballots else (None, 0)
    return value if 2 * count > len(ballots) else None


def decided(votes: Sequence[str], needed: int) -> str | None:
    """What more than half of the first ``needed`` votes say, NONE if nothing; None while there are
    fewer. ``votes``: in the order in which they count.

    >>> [decided(votes, 3) for votes in ("SS", "SSCCCC", "SCI")]
    [None, 'S', 'none']
    """
    return (majority(votes[:needed]) or NONE) if len(votes) >= needed else None


class Unit(NamedTuple):
    """What several annotators said of the same: the smallest thing on which they can agree."""

    source: str
    """Its item, as a key names it."""
    name: str
    """The triplet; empty for the whole item."""
    question: Question
    votes: Mapping[str, str]
    """By annotator, of those who were asked."""

    @property
    def key(self) -> tuple[str, str, str]:
        """How rulings name it: item, triplet and question."""
        return self.source, self.name, self.question.id

    @property
    def sure(self) -> dict[str, str]:
        """The votes of those who can tell."""
        return {login: vote for login, vote in self.votes.items()
                if vote not in self.question.unsure}


class AnsweredItem(NamedTuple):
    """An item of a batch, where it comes from, and what is handed in for it."""

    form: Form
    batch: Batch
    item: Item
    origin: Origin = NOWHERE
    answers: Mapping[str, Answers] = {}
    """By annotator, those first that count first."""
    comments: Mapping[str, str] = {}
    """By annotator, of those who wrote one."""

    @property
    def source(self) -> str:
        """How a key names it."""
        return f"{self.batch.name}:{self.item.id}"

    @property
    def logins(self) -> tuple[str, ...]:
        """Everybody who has part in it: who answered, and the authors of its graph."""
        return (*self.answers, *self.origin.authors)

    def given(self, question: str) -> dict[str, str | tuple[str, ...]]:
        """The answers to a question by annotator, of those who were asked it."""
        return {login: answers[question] for login, answers in self.answers.items()
                if question in answers}

    def units(self, question: Question) -> list[Unit]:
        """What annotators say of each unit that one of them gave a value: triplets by their ids,
        or the whole item. ``question``: one that is MEASURED."""
        names = self.item.triplet_ids if question.answer == TRIPLETS else ("",)
        given = self.given(question.id).items()
        votes = [{login: value for login, answer in given
                  if (value := answer if isinstance(answer, str) else answer[index]) != NOT_ASKED}
                 for index in range(len(names))]
        return [Unit(self.source, name, question, values)
                for name, values in zip(names, votes, strict=True) if values]

    @property
    def votes(self) -> tuple[str, ...]:
        """Answers to the form's first question with one choice, in their order."""
        asked = [question.id for question in self.form.questions if question.answer == CHOICE]
        return tuple(str(vote) for name in asked[:1] for vote in self.given(name).values())

    @property
    def label(self) -> str | None:
        """What is decided of it by these votes: NONE without a majority, None while some are
        missing."""
        return decided(self.votes, self.batch.needed)

    @property
    def graph(self) -> str:
        """The graph that was handed in first; empty if there is none."""
        return next((str(graph) for question in self.form.questions if question.answer == GRAPH
                     for graph in self.given(question.id).values()), "")


def grouped(items: Iterable[AnsweredItem], names: Callable[[AnsweredItem], Iterable[str]],
            ) -> dict[str, list[AnsweredItem]]:
    """Items below each of their names, sorted by these."""
    groups: dict[str, list[AnsweredItem]] = {}
    for item in items:
        for name in names(item):
            groups.setdefault(name, []).append(item)
    return dict(sorted(groups.items()))


def by_system(items: Iterable[AnsweredItem]) -> dict[str, list[AnsweredItem]]:
    """Items by the system whose answer they show; empty where no key names one."""
    return grouped(items, lambda item: [item.origin.system])

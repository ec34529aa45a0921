"""Single items with everything that people said of them, without their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.people import people
from scorer.people.people import Person
from scorer.people.records import CHOICE, NOT_ASKED, Annotation, Item, Origin, Question
from scorer.site.records import ClosedBatch

DISPUTED, FURTHER = 5, 5
"""Items on which people differ most, and further ones, that a page shows."""


class SampleItem(NamedTuple):
    """An item of a closed batch, and those who answered it."""

    batch: ClosedBatch
    item: Item
    sheets: tuple[Annotation, ...]

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return self.batch.origins.get(self.item.id, Origin(source=""))

    def answers(self, question: Question) -> list[str | tuple[str, ...]]:
        """What each said who was asked a question, sorted, so that the order names nobody."""
        return sorted(given[question.id] for sheet in self.sheets
                      if question.id in (given := sheet.answers[self.item.id]))

    @property
    def comments(self) -> list[str]:
        """What annotators wrote beside their answers, in the same way."""
        return sorted(filter(None, (sheet.comments.get(self.item.id, "") for sheet in self.sheets)))

    def votes(self, question: Question, triplet: int | None = None) -> list[tuple[int, str, int]]:
        """Votes for each value of a question that somebody gave: its place in the form, what it
        says, and how many. ``triplet``: the position of the one that is asked about."""
        answers = self.answers(question)
        if triplet is not None:
            answers = [answer[triplet] for answer in answers if triplet < len(answer)]
        counts = Counter(value for answer in answers for value in (
            [answer] if isinstance(answer, str) else answer) if value != NOT_ASKED)
        words = {value.key: value.text for value in question.values}
        if question.topics:
            words = {topic.key: topic.text for topic in self.batch.batch.topics} | words
        keys = [*words, *sorted(counts.keys() - words)]
        return [(place, words.get(key, key), counts[key])
                for place, key in enumerate(keys) if counts[key]]

    def edges(self, field: str) -> list[Edge]:
        """The graph in one of its fields."""
        return list(Graph(self.item.texts.get(field, "")).edges)

    @property
    def disputed(self) -> float:
        """The share of pairs of votes that differ, mean over questions."""
        shares = []
        for question in self.batch.form.questions:
            votes = [vote for vote in self.answers(question) if vote not in question.unsure]
            pairs = [vote != other for vote, other in combinations(votes, 2)]
            if pairs and question.answer == CHOICE:
                shares.append(sum(pairs) / len(pairs))
        return sum(shares) / len(shares) if shares else 0.0

    def simulated(self, known: Mapping[str, Person]) -> bool:
        """Whether a program had part in it."""
        return bool(people.simulated(known, [
            *(sheet.annotator for sheet in self.sheets), *self.origin.authors]))


def samples(closed: Iterable[ClosedBatch]) -> list[SampleItem]:
    """Every item of some batches of one form that anybody answered, in order."""
    return [SampleItem(batch, item, sheets) for batch in closed for item in batch.batch.items
            if (sheets := tuple(sheet for sheet in batch.annotations if item.id in sheet.answers))]


def shown(pool: Sequence[SampleItem]) -> list[SampleItem]:
    """Those that a page shows: the most disputed, then the first others, each in order."""
    most = sorted(range(len(pool)), key=lambda at: (-pool[at].disputed, at))
    first = [at for at in most[:DISPUTED] if pool[at].disputed > 0]
    others = [at for at in range(len(pool)) if at not in first]
    return [pool[at] for at in (*first, *others[:DISPUTED + FURTHER - len(first)])]

"""Humans against a model, offline: which items that annotators wrote does a label model get wrong?

After HAMLET of Saha et al. (EMNLP 2021, section 3 and appendix A.3, after Nie et al. 2020). There
the model answers while somebody writes; here batches are handed in, the model reads them, and a new
batch asks again for what it saw through. A round is a batch of prompts with the batches that asked
again; tries are counted over them, three in the first round and four later, as in the paper.

A fooled model counts once people's majority on a closed batch gives the item the label that it was
to have: whoever writes the opposite of what was asked fools nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from scorer.core.errors import UsageError, excerpt
from scorer.core.reading.schema import Count, Document, Positive
from scorer.people import organisers
from scorer.people.answered import AnsweredItem
from scorer.people.records import CLOSED, Origin
from scorer.people.stages import ItemCandidate, Stages, written

FIRST_TRIES, LATER_TRIES = 3, 4
BEFORE = "before"
"""The field of an item that shows the last try, where the form has one."""
BETWEEN = " / "
"""Between the texts of a try there."""
Judge = Callable[[Sequence[Sequence[str]]], Sequence[str]]
"""The labels that a model gives to items, each a sequence of texts."""
COUNTS, UNVERIFIED, REFUSED, SEEN_THROUGH = (
    "fooled", "fooled, not verified yet", "fooled, refused by people", "not fooled")


class Tally(Document):
    """How prompts ended."""

    prompts: Count
    tries: Count
    fooled: Count = Field(description="Prompts that fooled the model; people confirm the label.")
    not_verified: Count = Field(description="That fooled it, and no closed batch says more.")
    refused: Count = Field(description="That fooled it, but people give them another label.")
    not_fooled: Count


class Attempt(Document):
    """One item that somebody wrote, what a model said of it, and what people did."""

    batch: str
    item: str
    prompt: str = Field(description="What all tries have in common: the item of the round's first "
                                    "batch, the author, and which of the items of an answer.")
    author: str
    number: Positive = Field(description="Which try it is.")
    texts: dict[str, str]
    target: str = Field(description="The label that it was to have.")
    said: str = Field(description="The model's.")
    people: str | None = Field(description="The majority's; null as long as there is none.")
    state: Literal["fooled", "fooled, not verified yet", "fooled, refused by people", "not fooled"]

    @property
    def fooled(self) -> bool:
        """Whether the model gave it another label."""
        return self.said != self.target


class HamletRound(Tally):
    """A batch of prompts, with those that asked again."""

    round: Positive
    batch: str
    most_tries: Positive
    late: Count = Field(description="Tries beyond; they are not counted.")
    authors: dict[str, Tally]
    attempts: list[Attempt]

    @property
    def batches(self) -> frozenset[str]:
        """Every batch that was answered in it."""
        return frozenset((self.batch, *(attempt.batch for attempt in self.attempts)))

    @property
    def fooling(self) -> list[Attempt]:
        """The tries that fooled the model, those that count first."""
        states = (COUNTS, UNVERIFIED, REFUSED)
        return sorted((attempt for attempt in self.attempts if attempt.state != SEEN_THROUGH),
                      key=lambda attempt: states.index(attempt.state))

    @property
    def ends(self) -> list[Attempt]:
        """Of each prompt the first try that fooled the model, else the last one."""
        return _ends(self.attempts)


class HamletResults(Document):
    """Rounds of people against a label model."""

    format: Literal["hamlet/1"]
    system: str = Field(description="Which model it was.")
    simulated: list[str] = Field(description="Authors whose texts a program wrote.")
    rounds: list[HamletRound]


def _ends(attempts: Sequence[Attempt]) -> list[Attempt]:
    ends: dict[str, Attempt] = {}
    for attempt in attempts:
        if attempt.prompt not in ends or not ends[attempt.prompt].fooled:
            ends[attempt.prompt] = attempt
    return [*ends.values()]


def tries_of(number: int) -> int:
    """How many tries a round allows.

    >>> tries_of(1), tries_of(2), tries_of(3)
    (3, 4, 4)
    """
    return FIRST_TRIES if number == 1 else LATER_TRIES


def round_of(stages: Stages, batch: str, number: int, judge: Judge) -> HamletRound:
    """What a model makes of a batch of prompts. Raises UsageError if nobody writes items there."""
    items = stages.of(batch)
    if not items or not items[0].form.written:
        ways = ", ".join(kind for kind, form in stages.workplace.forms.items() if form.written)
        raise UsageError(f"batch {excerpt(batch)}: no batch in which people write items; name one "
                         f"of these forms: {ways}")
    earlier = stages.find(items[0].origin.source.rpartition(":")[0])
    if earlier is not None and earlier.form.written:
        raise UsageError(f"batch {batch} asks again for items of {earlier.batch.name}; name that "
                         "one, and the tries of both are read")
    tries: list[tuple[str, AnsweredItem, int, ItemCandidate]] = []
    late = 0
    for item in items:
        for author in item.answers:
            for count, place in enumerate(_tries(stages, item, author), start=1):
                if count > tries_of(number):
                    late += 1
                    continue
                tries += [(f"{item.source}:{author}:{at}", place, count, made)
                          for at, made in enumerate(_own(place, author), start=1)]
    labels = judge([[*made.values.values()] for *_, made in tries])
    attempts = []
    for (prompt, place, count, made), label in zip(tries, labels, strict=True):
        target, [author] = made.origin.label, made.origin.authors
        votes = (voted.label for voted in stages.made_of.get(made.origin.source, ())
                 if voted.batch.status == CLOSED)
        majority = next(filter(None, votes), None)
        state: Any = (SEEN_THROUGH if label == target else UNVERIFIED if majority is None
                      else COUNTS if majority == target else REFUSED)
        attempts.append(Attempt(
            batch=place.batch.name, item=place.item.id, prompt=prompt, author=author, number=count,
            texts=dict(made.values), target=target, said=label, people=majority, state=state))
    authors = {author: _tally([attempt for attempt in attempts if attempt.author == author])
               for author in sorted({attempt.author for attempt in attempts})}
    return HamletRound(round=number, batch=batch, most_tries=tries_of(number), late=late,
                       authors=authors, attempts=attempts, **dict(_tally(attempts)))


def _tally(attempts: Sequence[Attempt]) -> Tally:
    ends = _ends(attempts)
    states: list[str] = [end.state for end in ends]
    return Tally(prompts=len(ends), tries=len(attempts), fooled=states.count(COUNTS),
                 not_verified=states.count(UNVERIFIED), refused=states.count(REFUSED),
                 not_fooled=states.count(SEEN_THROUGH))


def _tries(stages: Stages, prompt: AnsweredItem, author: str) -> Iterator[AnsweredItem]:
    """Where an author answered a prompt: in its own batch, then in those that asked again."""
    place: AnsweredItem | None = prompt
    seen: set[str] = set()
    while place is not None and place.source not in seen:
        yield place
        seen.add(place.source)
        place = next((later for later in stages.made_of.get(_asked_again(place, author), ())
                      if author in later.answers), None)


def _asked_again(place: AnsweredItem, author: str) -> str:
    """How a key names an item that asks somebody again for what they wrote."""
    return f"{place.source}:{author}"


def _own(place: AnsweredItem, author: str) -> list[ItemCandidate]:
    return [made for made in written(place) if author in made.origin.authors]


def again(stages: Stages, hamlet: HamletRound) -> list[ItemCandidate]:
    """Prompts that never fooled the model, wholly or in part, with tries left."""
    candidates: dict[tuple[str, str], ItemCandidate] = {}
    for last in hamlet.ends:
        if last.fooled or last.number >= hamlet.most_tries:
            continue
        prompt = stages.find(f"{last.batch}:{last.item}")
        assert prompt is not None
        texts = dict.fromkeys(text for made in _own(prompt, last.author)
                              for text in made.values.values())
        candidates[prompt.source, last.author] = ItemCandidate(
            Origin(source=_asked_again(prompt, last.author), authors=(last.author,),
                   topic=stages.topic(prompt)),
            {**prompt.item.texts, BEFORE: BETWEEN.join(texts)})
    return [*candidates.values()]


def document(rounds: Sequence[HamletRound], system: str, stages: Stages) -> HamletResults:
    """Everything as a document. ``system``: which model it was."""
    authors = [author for entry in rounds for author in entry.authors]
    return HamletResults(format="hamlet/1", system=system, rounds=list(rounds),
                         simulated=[*organisers.simulated(stages.workplace.people, authors)])

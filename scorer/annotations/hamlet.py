"""Humans against a model, offline: which items that annotators wrote does a label model get wrong?

After HAMLET of Saha et al. (EMNLP 2021, section 3 and appendix A.3, after Nie et al. 2020). There
the model answers while somebody writes; here batches are handed in, the model reads them, and a new
batch asks again for what it saw through. A round is a batch of prompts with the batches that asked
again; tries are counted over them, three in the first round and four later, as in the paper.

A fooled model counts once people's majority on a closed batch gives the item the label that it was
to have: whoever writes the opposite of what was asked fools nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.annotations import people
from scorer.annotations.records import CLOSED
from scorer.annotations.stages import Place, Stages, Written, written
from scorer.errors import UsageError, excerpt

FIRST_TRIES, LATER_TRIES = 3, 4
BEFORE = "before"
"""The field of an item that shows the last try, where the form has one."""
BETWEEN = " / "
"""Between the texts of a try there."""
Judge = Callable[[Sequence[Sequence[str]]], Sequence[str]]
"""The labels that a model gives to items, each a sequence of texts."""
COUNTS, UNVERIFIED, REFUSED, SEEN_THROUGH = (
    "fooled", "fooled, not verified yet", "fooled, refused by people", "not fooled")


class Attempt(NamedTuple):
    """One item that somebody wrote, what a model said of it, and what people did."""

    batch: str
    item: str
    prompt: str
    """What all tries have in common: the item of the round's first batch, the author, and which of
    the items of an answer it is."""
    author: str
    number: int
    """Which try it is, from 1."""
    texts: Mapping[str, str]
    target: str
    """The label that it was to have."""
    said: str
    """The label that the model gave it."""
    people: str | None
    """The label that more than half gave it; None as long as no closed batch says so."""

    @property
    def fooled(self) -> bool:
        """Whether the model gave it another label."""
        return self.said != self.target

    @property
    def state(self) -> str:
        """One of COUNTS, UNVERIFIED, REFUSED, SEEN_THROUGH."""
        if not self.fooled:
            return SEEN_THROUGH
        return (UNVERIFIED if self.people is None else
                COUNTS if self.people == self.target else REFUSED)


@dataclass(frozen=True)
class HamletRound:
    """A batch of prompts with those that asked again."""

    number: int
    batch: str
    attempts: tuple[Attempt, ...]
    """By prompt, tries in order."""
    late: int
    """Tries beyond those that are allowed; they are not counted."""

    @property
    def most_tries(self) -> int:
        """How many a round allows."""
        return tries_of(self.number)

    @property
    def ends(self) -> list[Attempt]:
        """Of each prompt the first try that fooled the model, else the last one."""
        found: dict[str, Attempt] = {}
        for one in self.attempts:
            if one.prompt not in found or not found[one.prompt].fooled:
                found[one.prompt] = one
        return [*found.values()]


def tries_of(number: int) -> int:
    """How many tries a round allows.

    >>> tries_of(1), tries_of(2), tries_of(3)
    (3, 4, 4)
    """
    return FIRST_TRIES if number == 1 else LATER_TRIES


class _Answered(NamedTuple):
    """An answer to a prompt, first or later."""

    place: Place
    author: str
    number: int
    root: Place


def round_of(stages: Stages, batch: str, number: int, judge: Judge) -> HamletRound:
    """What a model makes of a batch of prompts. Raises UsageError if nobody writes items there."""
    places = stages.of(batch)
    if not places or not places[0].form.written:
        ways = ", ".join(kind for kind, form in stages.workplace.forms.items() if form.written)
        raise UsageError(f"batch {excerpt(batch)}: "
                         f"{'its form asks nobody to write items' if places else 'no such batch'}; "
                         f"name one of these forms: {ways}")
    if places[0].batch.training:
        raise UsageError(f"batch {batch} is for training; nothing is handed in")
    origin = stages.workplace.origins(batch).get(places[0].item.id)
    earlier = stages.places.get(origin.source.rpartition(":")[0]) if origin else None
    if earlier is not None and earlier.form.written:
        raise UsageError(f"batch {batch} asks again for items of {earlier.batch.name}; name that "
                         "one, and the tries of both are read")
    answered = [one for place in places for one in _answered(stages, place)]
    allowed = [one for one in answered if one.number <= tries_of(number)]
    found = [(one, made, at) for one in allowed
             for at, made in enumerate(_own(one), start=1)]
    labels = judge([[*made.texts.values()] for _, made, _ in found])
    return HamletRound(number, batch, tuple(
        Attempt(one.place.batch.name, one.place.item.id,
                f"{one.root.source}:{one.author}:{at}", one.author, one.number, made.texts,
                made.label, said, _majority(stages, made))
        for (one, made, at), said in zip(found, labels, strict=True)),
        late=len(answered) - len(allowed))


def _answered(stages: Stages, root: Place) -> Iterator[_Answered]:
    """The tries at one prompt, author by author."""
    for author, _ in root.answers:
        at, number = root, 1
        seen: set[str] = set()
        while at.source not in seen:
            seen.add(at.source)
            yield _Answered(at, author, number, root)
            later = next((one for one in stages.made_of.get(_asked_again(at, author), ())
                          if author in {name for name, _ in one.answers}), None)
            if later is None:
                break
            at, number = later, number + 1


def _asked_again(place: Place, author: str) -> str:
    """How a key names an item that asks somebody again for what they wrote."""
    return f"{place.source}:{author}"


def _own(one: _Answered) -> list[Written]:
    return [made for made in written(one.place) if made.author == one.author]


def _majority(stages: Stages, made: Written) -> str | None:
    """What people found of it to be, on closed batches."""
    judged = (one for one in stages.made_of.get(made.source, ())
              if one.whole and one.batch.status == CLOSED)
    return next((one.label for one in judged), None)


class Again(NamedTuple):
    """An item that is asked for again."""

    source: str
    author: str
    texts: Mapping[str, str]
    """The prompt's, and the last try."""
    topic: str


def again(stages: Stages, one: HamletRound) -> list[Again]:
    """Prompts that never fooled the model, wholly or in part, with tries left."""
    found: dict[tuple[str, str], Again] = {}
    for last in one.ends:
        if last.fooled or last.number >= one.most_tries:
            continue
        place = stages.places[f"{last.batch}:{last.item}"]
        tried = [made for made in written(place) if made.author == last.author]
        texts = dict.fromkeys(text for made in tried for text in made.texts.values())
        found[place.source, last.author] = Again(_asked_again(place, last.author), last.author, {
            **place.item.texts, BEFORE: BETWEEN.join(texts)}, stages.topic(place))
    return [*found.values()]


def document(rounds: Sequence[HamletRound], system: str, stages: Stages) -> dict[str, Any]:
    """Everything as JSON. ``system``: which model it was."""
    authors = sorted({one.author for found in rounds for one in found.attempts})
    return {
        "format": "hamlet/1", "system": system,
        "simulated": [*people.simulated(stages.workplace.people, authors)],
        "rounds": [{"round": found.number, "batch": found.batch, "most_tries": found.most_tries,
                    "late": found.late, **_counts(found.attempts, found.ends),
                    "authors": {author: _counts(
                        [one for one in found.attempts if one.author == author],
                        [one for one in found.ends if one.author == author])
                        for author in authors
                        if any(one.author == author for one in found.attempts)},
                    "attempts": [{**one._asdict(), "texts": dict(one.texts), "state": one.state}
                                 for one in found.attempts]}
                   for found in rounds],
    }


def _counts(attempts: Sequence[Attempt], ends: Sequence[Attempt]) -> dict[str, int]:
    """Prompts, tries, and how prompts ended."""
    states = [one.state for one in ends]
    return {"prompts": len(ends), "tries": len(attempts),
            "fooled": states.count(COUNTS), "not_verified": states.count(UNVERIFIED),
            "refused": states.count(REFUSED), "not_fooled": states.count(SEEN_THROUGH)}

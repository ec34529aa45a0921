"""Graphs that annotators wrote, round by round, with what each refinement changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scorer.core.records import Edge
from scorer.people import graphs, people
from scorer.people.people import Person
from scorer.people.records import GRAPH
from scorer.people.round_table import VERIFY, decided
from scorer.people.stages import way
from scorer.site.records import ClosedBatch

MOST = 6
"""Items that a page shows."""
LABEL = "label"
KEPT, ADDED, REMOVED = "kept", "extra", "missing"
"""What became of a fact, as marks of drawings are called."""
Place = tuple[str, str]
"""A batch and an item of it."""


class StoryRound(NamedTuple):
    """The graph of one round and what voters found."""

    facts: tuple[tuple[str, Edge], ...]
    """What became of each fact since the round before, and the fact."""
    votes: tuple[tuple[str, int], ...]
    label: str | None
    """What more than half of the first votes that are needed say; None if nothing."""


class Story(NamedTuple):
    """An item with its graphs, the first one first."""

    texts: tuple[str, ...]
    wanted: str
    rounds: tuple[StoryRound, ...]
    simulated: bool


class _Verified(NamedTuple):
    batch: ClosedBatch
    item: str
    earlier: int
    """How often the graph was verified before, in another version."""


def stories(closed: Iterable[ClosedBatch], known: Mapping[str, Person]) -> list[Story]:
    """Items whose graph was refined and verified again, by the names of their batches."""
    places = {(one.batch.name, item.id): one for one in closed for item in one.batch.items}
    found: dict[Place, list[_Verified]] = {}
    for (name, item), batch in sorted(places.items()):
        if batch.batch.kind == VERIFY and batch.origins.get(item) and batch.origins[item].authors:
            way = _way(places, (name, item))
            earlier = sum(places[one].batch.kind == VERIFY for one in way[1:] if one in places)
            found.setdefault(way[-1], []).append(_Verified(batch, item, earlier))
    return [_story(sorted(rounds, key=lambda one: one.earlier), way, places, known)
            for way, rounds in found.items() if len(rounds) > 1]


def _way(places: Mapping[Place, ClosedBatch], start: Place) -> list[Place]:
    """An item and those that it was made of, to the one that its graph was first written for."""
    origins = {name: batch.origins for (name, _), batch in places.items()}
    found = []
    for here in way(lambda name: origins.get(name, {}), *start):
        form = places[here].form if here in places else None
        found.append(here)
        if form is None or (form.graph is not None and not form.before):
            break
    return found


def _story(rounds: list[_Verified], root: Place, places: Mapping[Place, ClosedBatch],
           known: Mapping[str, Person]) -> Story:
    last = rounds[-1]
    origin = last.batch.origins[last.item]
    first = places.get(root, last.batch)
    texts = first.batch.by_id[root[1]].texts if root in places else {}
    shown = [texts[one.name] for one in first.form.item
             if one.kind == "text" and one.name in texts]
    if not shown:
        item = last.batch.batch.by_id[last.item]
        shown = [item.texts[one.name] for one in last.batch.form.item
                 if one.kind == "text" and one.name in item.texts]
    made = []
    before: tuple[Edge, ...] | None = None
    for one in rounds:
        facts, _ = graphs.read(one.batch.batch.by_id[one.item].texts[GRAPH])
        made.append(_round(one, before, facts))
        before = facts
    logins = [login for one in rounds for login in (
        *one.batch.origins[one.item].authors,
        *(given.annotator for given in one.batch.annotations if one.item in given.answers))]
    return Story(tuple(shown), origin.label, tuple(made), bool(people.simulated(known, logins)))


def _round(one: _Verified, before: tuple[Edge, ...] | None, facts: tuple[Edge, ...],
           ) -> StoryRound:
    votes = [str(given.answers[one.item][LABEL]) for given in one.batch.annotations
             if LABEL in given.answers.get(one.item, {})]
    changed = graphs.diff(facts if before is None else before, facts)
    marked = [(KEPT if fact in changed.kept else ADDED, fact) for fact in facts]
    marked += [(REMOVED, fact) for fact in changed.removed]
    return StoryRound(tuple(marked), tuple(sorted(Counter(votes).items())),
                      decided(votes, one.batch.batch.needed).label)

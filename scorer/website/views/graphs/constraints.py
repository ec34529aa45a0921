"""Every constraint of a board in a few words, and whether a graph keeps it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scorer.records import Finding
from scorer.rules import text_rule
from scorer.tasks.graphs.records import Settings


class Constraint(NamedTuple):
    """What a graph must be, and the rules that say when it is not."""

    words: str
    rules: tuple[str, ...]


class Kept(NamedTuple):
    """One constraint and whether a graph keeps it."""

    words: str
    kept: bool


def constraints(settings: Settings) -> Iterator[Constraint]:
    """The constraints of a board, in the order of its rules."""
    rules = settings.graph
    least = f"{rules.least_edges} edges or more"
    yield Constraint(least, ("EG-FEW-FACTS",))
    if rules.most_edges is not None:
        yield Constraint(f"{rules.most_edges} edges or fewer", ("EG-MANY-FACTS",))
    yield Constraint("edges of three parts", ("EG-PARTS", "EG-EMPTY"))
    yield Constraint("known relations", ("EG-REL",))
    if rules.concept_words is not None:
        yield Constraint(f"concepts of {rules.concept_words} words or fewer", ("EG-LONG",))
    if rules.connected:
        yield Constraint("connected", ("EG-DISCONNECTED",))
    if rules.acyclic:
        yield Constraint("no circle", ("EG-CYCLE", "EG-SELF"))
    for text in settings.texts:
        if text.concepts:
            words = f"{text.concepts} concepts of the {text.name}"
            yield Constraint(words, (text_rule(text.name),))


def kept(settings: Settings, broken: Iterable[Finding]) -> tuple[Kept, ...]:
    """Every constraint of a board, and whether it is among those that a graph breaks."""
    found = {finding.rule for finding in broken}
    return tuple(Kept(one.words, found.isdisjoint(one.rules)) for one in constraints(settings))

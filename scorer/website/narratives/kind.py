"""Narratives as kinds of examples: which hypothesis a system takes, or what it writes."""

from __future__ import annotations

from scorer.analyses.stories import AgainstReferences
from scorer.website.kind import ExampleKind
from scorer.website.narratives import checker_facts, choices, facets, stories

CHOICES = ExampleKind(
    name="choices",
    answers="choices",
    golds="labels",
    null="",
    stages=lambda view: lambda gold, row: choices.Stage(view.board.settings, gold, row),
    legend=lambda view: {},
    listed=choices.listed,
    anatomy=choices.anatomy,
    statistics=choices.statistics,
    told=choices.Outcome | None,
    dataset=choices.dataset,
    answer=lambda settings, prediction: prediction.label,
    references=lambda settings, gold: [gold.label],
    browsing=facets.CHOICES,
    checked=checker_facts.LABELS,
)
STORIES = ExampleKind(
    name="stories",
    answers="texts",
    golds="references",
    null="a copy of an observation",
    stages=lambda view: lambda gold, row: stories.Stage(gold, row),
    legend=lambda view: {"systems": bool(view.comparable)},
    listed=stories.listed,
    anatomy=stories.anatomy,
    statistics=stories.statistics,
    told=AgainstReferences | None,
    dataset=stories.dataset,
    answer=lambda settings, prediction: prediction.text,
    references=lambda settings, gold: list(gold.references),
    browsing=facets.GENERATED,
    checked=checker_facts.TEXTS,
)

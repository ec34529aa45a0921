"""aNLG as an example view: what a system writes."""

from __future__ import annotations

from scorer.website.views.base import ExampleKind
from scorer.website.views.texts import checker_facts, example, facets

KIND = ExampleKind(
    name="texts",
    answers="texts",
    golds="references",
    null="a copy of an observation",
    stages=lambda view: lambda gold, row: example.Stage(gold, row),
    legend=lambda view: {"systems": bool(view.comparable)},
    listed=example.listed,
    anatomy=example.anatomy,
    statistics=example.statistics,
    dataset=example.dataset,
    answer=lambda settings, prediction: prediction.text,
    references=lambda settings, gold: list(gold.references),
    browsing=facets.BROWSING,
    checked=checker_facts.CHECKED,
)

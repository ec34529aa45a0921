"""aNLI as an example view: which hypothesis a system takes."""

from __future__ import annotations

from scorer.website.views.base import ExampleKind
from scorer.website.views.choices import checker_facts, example, facets

KIND = ExampleKind(
    name="choices",
    answers="choices",
    golds="labels",
    null="",
    stages=lambda view: lambda gold, row: example.Stage(view.board.settings, gold, row),
    legend=lambda view: {},
    listed=example.listed,
    anatomy=example.anatomy,
    statistics=example.statistics,
    dataset=example.dataset,
    answer=lambda settings, prediction: prediction.label,
    references=lambda settings, gold: [gold.label],
    browsing=facets.BROWSING,
    checked=checker_facts.CHECKED,
)

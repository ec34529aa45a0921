"""Explanation graphs as a kind of example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scorer.tasks.graphs.records import Gold, Prediction, Settings
from scorer.website.records import SplitView
from scorer.website.views.base import ExampleKind, Listed
from scorer.website.views.graphs import anatomy, checker_facts, dataset, facets
from scorer.website.views.graphs.diff import MEANINGS, SYMBOLS
from scorer.website.views.graphs.example import Stage
from scorer.website.views.graphs.judge_lines import importance
from scorer.website.views.graphs.pairs import matcher


def _stages(view: SplitView) -> Callable[[Any, int], Stage]:
    match = matcher() if view.comparable else None
    return lambda gold, row: Stage(view.board.settings, gold, row, view.judges, match)


def _legend(view: SplitView) -> Mapping[str, Any]:
    return {"texts": view.board.settings.texts, "systems": bool(view.comparable),
            "symbols": SYMBOLS, "meanings": MEANINGS,
            "judged": any(importance(item) for entry in view.comparable
                          for item in entry.result.items)}


def answer(label: str | None, graph: str) -> str:
    """A label and a graph as a line of a predictions file has them."""
    return graph if label is None else f"{label}\t{graph}"


def _answer(settings: Settings, prediction: Prediction) -> str:
    return answer(prediction.label, prediction.graph)


def _references(settings: Settings, gold: Gold) -> list[str]:
    return [answer(gold.label, graph) for graph in gold.graphs]


KIND = ExampleKind(
    name="graphs",
    answers="graphs",
    golds="graphs",
    null="the same labels with meaningless graphs",
    stages=_stages,
    legend=_legend,
    listed=lambda settings, gold: Listed(gold.texts, gold.label),
    anatomy=anatomy.anatomy,
    statistics=anatomy.statistics,
    dataset=dataset.described,
    answer=_answer,
    references=_references,
    browsing=facets.BROWSING,
    checked=checker_facts.CHECKED,
    parts_note="as in Tables 7 and 8 of the ExplaGraphs paper",
    scripted=True,
)

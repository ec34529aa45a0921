"""The pages of judges: what each is made from, how it judges, what it said on boards. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorer.core.reading.values import plain
from scorer.models.judge_card import Card, Evaluation
from scorer.scoring.judging import gated
from scorer.site.page import Page
from scorer.site.records import SiteView
from scorer.site.text import isolated, minus

READS = {
    "seca": "The belief in lower case, and the graph alone: its edges in depth-first order, "
            "written (concept; relation; concept). It does not see the argument. It says which "
            "stance the graph makes it infer, or that the graph is incorrect.",
    "ea": "Belief and argument, and the facts of the graph as sentences: once all of them, and "
          "once without each edge. It says how sure it is of each stance; an edge counts as "
          "important if the judge is less sure of the gold label without it.",
}
IN_THE_CARD = ("files", "examples", "settings", "epochs", "versions", "seconds", "command")
"""What a card says at length of how its judge was made: the page leads to the card for it."""


def judge_pages(site: SiteView) -> Iterator[Page]:
    """The list of judges, then one page a card."""
    context = {"judges": site.judges.known}
    yield Page("judges/", "Judges", "judges.html", context, nav=True)
    for known in site.judges.known:
        card = known.card
        yield Page(known.path, f"{isolated(known.name)}, {known.metric} judge", "judge.html", {
            "known": known, "card": card, "gated": gated(card.judge), "reads": READS[card.judge],
            "sheets": [_sheet(card, evaluation) for evaluation in card.evaluations],
            "views": [view for view in site.splits if any(
                (judge := view.judges.behind(entry.result, known.metric)) is not None
                and judge.known is known for entry in view.entries)],
            "made": [(plain(str(name)), words(value))
                     for part in (card.base, card.data, card.training)
                     for name, value in part.items()
                     if name not in IN_THE_CARD and value not in (None, "", {}, [])],
            "command": words(card.training.get("command", "")),
        })


def _sheet(card: Card, evaluation: Evaluation) -> tuple[Evaluation, list[str], list[str]]:
    """An evaluation with the columns and the rows of its confusion matrix: labels given, and labels
    that graphs of the set have, both in the judge's order."""
    answers = {label for row in evaluation.confusion.values() for label in row}
    expected = [*card.labels, *sorted(evaluation.confusion.keys() - {*card.labels})]
    return (evaluation, [*card.labels, *sorted(answers - {*card.labels})],
            [label for label in expected if label in evaluation.confusion])


def words(value: Any) -> str:
    """Any value of a card as people read it.

    >>> words({"rank": 8, "kinds": ["gold", "natural"], "bf16": False})
    'rank 8, kinds gold natural, bf16 no'
    >>> words(0.00005), words(1234567), words(["python", "-m", "scorer"])
    ('5e-05', '1,234,567', 'python -m scorer')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return minus(f"{value:,}" if abs(value) > 9999 else str(value))
    if isinstance(value, float):
        return minus(f"{value:.6g}")
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {words(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(words, value))
    return "" if value is None else str(value)

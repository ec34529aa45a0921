"""How graph labels are shown: the given graph drawn, the label, what the graph did to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scorer.boards import Board
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views import base
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.example import MarkedText, graph_card, marked_text
from scorer.site.views.graphs.layout import lay_out
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.graph_labels import task
from scorer.tasks.graph_labels.task import Gold, Prediction, Settings
from scorer.tasks.graphs.facts import places
from scorer.tasks.graphs.task import listed

EFFECTS = {(True, False): "The graph put it right.", (False, True): "The graph put it wrong.",
           (True, True): "Right with and without the graph.",
           (False, False): "Wrong with and without the graph."}


class LabelExample(base.ShownExample):
    """One item of a split."""

    def context(self) -> Mapping[str, Any]:
        """The texts with the graph's concepts marked, the graph, and the label."""
        graph, statements = self.gold.graph, self.gold.statements
        kinds = {name: svg.kind(places(name, statements)) for name in graph.concepts}
        return {
            "texts": [MarkedText(name, marked_text(content, kinds)) for name, content
                      in zip(self.settings.texts, statements, strict=True)],
            "label": self.gold.label, "label_name": self.settings.labels.name,
            "golds": [graph_card(graph, lay_out(graph.edges), kinds, "The given graph",
                                 self.settings.negated, {})],
        }

    def card(self, entry: Entry) -> Mapping[str, Any]:
        """The label that a system gives, and the one it gives without the graph."""
        answer: Prediction = entry.predictions[self.row - 1]
        right, without_right = (label == self.gold.label for label in (answer.label,
                                                                       answer.without))
        return {"entry": entry, "answer": answer, "right": right, "without_right": without_right,
                "effect": "" if answer.without is None else EFFECTS[right, without_right]}


class GraphLabelView(base.ExampleView):
    """Texts and a graph, and what label systems give them."""

    name = "graph_labels"
    shared = "graphs"
    answers = "labels"
    golds = "labels"
    null = "the system's own labels without the graph, where it reports them"
    rule_prefix = "TSV-"
    checker_script = "graph_labels"
    checker_metrics = ("accuracy",)

    def example(self, settings: Settings, gold: Gold, row: int) -> LabelExample:
        return LabelExample(settings, gold, row)

    def listed(self, gold: Gold) -> base.Listed:
        return base.Listed(gold.statements, gold.label)

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        """What shapes and dashes of the drawing mean."""
        return {"texts": split.board.settings.texts, "systems": False,
                "negates": bool(split.board.settings.opposites)}

    def worked_item(self) -> base.WorkedItem:
        """The first item of the practice board, right with its graph and wrong without it."""
        board, [gold, *_] = base.practice("graph-stance-practice")
        settings: Settings = board.settings
        other = next(label for label in settings.labels.values if label != gold.label)
        [card] = LabelExample(settings, gold, 1).context()["golds"]
        return base.WorkedItem(
            board, [gold], [Prediction(gold.label, other)],
            tuple(zip(settings.texts, gold.statements, strict=True)),
            (f"{settings.labels.name}: gold {gold.label}, predicted {gold.label}",),
            drawings=(("The given graph", card["drawing"]),))

    def right(self, board: Board) -> str:
        return f"the gold {board.settings.labels.name}"

    def statistics(self, split: SplitView, entry: Entry) -> base.Confusion | None:
        """The confusion, and what the graph did, where predictions and gold are at hand."""
        if not entry.predictions or len(entry.predictions) != len(split.golds):
            return None
        labels = split.board.settings.labels.values
        pairs = [*zip(split.golds, entry.predictions, strict=True)]
        confusion = Counter((gold.label, answer.label) for gold, answer in pairs)
        effects = Counter(EFFECTS[answer.label == gold.label, answer.without == gold.label]
                          for gold, answer in pairs if answer.without is not None)
        taken = {label: f"said {label}" for label in labels}
        if any(answer.label == NO_ANSWER for answer in entry.predictions):
            taken[NO_ANSWER] = "no answer"
        return base.Confusion(
            labels, taken,
            {label: {other: confusion[label, other] for other in taken} for label in labels},
            tuple((text, effects[text]) for text in EFFECTS.values()) if effects else ())

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        """What can be counted of the splits at hand."""
        return {"described": {name: task.describe(board.settings, golds)
                              for name, golds in board.public_golds()}}

    def text_prefixes(self, board: Board) -> Sequence[str | None]:
        """A search finds the graph; no list shows it."""
        return [*[""] * len(board.settings.texts), None]

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """The labels, the second column, and what stands for no answer."""
        settings: Settings = board.settings
        return {"name": settings.labels.name, "labels": list(settings.labels.values),
                "listed": listed(settings.labels), "without": settings.without,
                "no_answer": NO_ANSWER}

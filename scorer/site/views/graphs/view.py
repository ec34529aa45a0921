"""How explanation graphs are shown: examples, what a system gets wrong, the data of a board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scorer.boards import Board, boards_folder, load
from scorer.core.graph import Graph, concepts
from scorer.core.rules import SYNTAX, lookup, text_rule
from scorer.site.boards.anatomy import Gate, RuleCount
from scorer.site.browsing.facets import annotated
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.render import trusted
from scorer.site.views.base import ExampleView, Listed, WorkedItem
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.example import GraphExample
from scorer.site.views.graphs.layout import lay_over
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.graphs import graph_statistics
from scorer.tasks.graphs.constraints import MOST_CULPRITS, MOST_OF_A_RULE, MOST_SYNTAX
from scorer.tasks.graphs.diff import diff, history
from scorer.tasks.graphs.facts import gold_facts
from scorer.tasks.graphs.graph_items import Gold, Prediction, Settings
from scorer.tasks.graphs.task import FEWEST_GRAPHS, NOTATION, listed
from scorer.tasks.partitions import Statistic, by_value

GOLD = Gold(("cats are good pets", "cats purr at home"), "support",
            (Graph("(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"),))
PREDICTION = Prediction("support", Graph(
    "(cats; is a; pets)(cats; capable of; purr)(purr; at location; warm home)"
    "(pets; desires; warm home)"))


class GraphView(ExampleView):
    """Drawings of gold and predicted graphs, edge by edge."""

    name = "graphs"
    answers = "graphs"
    golds = "graphs"
    between = "\t"
    null = "the same labels with meaningless graphs"
    front_page = True
    rule_prefix = "EG-"
    checker_script = "graphs"
    checker_metrics = ("SA", "StCA")

    def worked_item(self) -> WorkedItem:
        """An item of our own, with the right label and a graph that keeps every constraint of the
        practice board, which comes with the program."""
        board = load("explagraphs-practice", boards_folder())
        settings: Settings = board.settings
        assert settings.labels is not None
        edges = PREDICTION.graph.edges
        gates = [f"{len(edges)} edges; at least {settings.graph.least_edges} are asked for"]
        for text, content in zip(settings.texts, GOLD.texts, strict=True):
            named = [name for name in concepts(edges) if name in content]
            gates.append(f"concepts in the {text.name}: {', '.join(named)}; at least "
                         f"{text.concepts} are asked for")
        gates.append("connected, without a cycle, every relation known")
        example = GraphExample(settings, GOLD, 1)
        [gold], [layout] = example.golds, example.layouts
        changes = diff(gold, edges)
        drawing = svg.render(
            lay_over(layout, edges), edges, example.kinds_of(concepts([*gold, *edges])),
            "The prediction of the example", statuses=[mark.status for mark in changes.marks],
            negated=settings.graph.negated,
            ghosts=[(gold[i], layout.routes[i]) for i in changes.missing])
        names = [text.name for text in settings.texts]
        return WorkedItem(
            board, [GOLD], [PREDICTION], tuple(zip(names, GOLD.texts, strict=True)),
            (f"{settings.labels.name}: gold {GOLD.label}, predicted {PREDICTION.label}",),
            tuple(gates), (("Gold", example.gold_card(0)["drawing"]),
                           ("Prediction", trusted(drawing))))

    def example(self, settings: Settings, gold: Gold, row: int) -> GraphExample:
        return GraphExample(settings, gold, row)

    def listed(self, gold: Gold) -> Listed:
        return Listed(gold.texts, gold.label)

    def legend(self, split: SplitView) -> Mapping[str, Any]:
        settings: Settings = split.board.settings
        return {"texts": [text.name for text in settings.texts],
                "systems": bool(split.comparable), "negates": bool(settings.graph.negated)}

    def front_page_row(self, golds: Sequence[Gold]) -> int:
        """A branching gold graph of medium size among the first, else the first graph."""
        return next((index for index, gold_fact in enumerate(gold_facts(golds[:60]))
                     if len(gold_fact.edges) == 5 and gold_fact.depth == 3), 0)

    def gates(self, split: SplitView, entry: Entry) -> Iterator[Gate]:
        """The label, the structure and, where a judge was asked, what convinced it."""
        counts, task = entry.result.counts, split.board.task
        if task.passed not in counts:
            return
        label = split.board.settings.labels
        items, passed = counts["items"], counts[task.passed]
        wrong = counts.get("stance_incorrect", 0)

        yield Gate("items of the split", items, 0, "", "")
        if label:
            yield Gate(f"with the right {label.name}", items - wrong, wrong, "",
                       annotated(split, entry, "stance_incorrect"))
        yield Gate("with a correct structure too", passed, items - wrong - passed,
                   annotated(split, entry, task.passed),
                   annotated(split, entry, "struct_incorrect"))
        convinced = graph_statistics.convincing(entry.result.items)
        if entry.result.items and convinced is not None:
            right, wrong_rows = convinced
            yield Gate("whose graph convinces the judge too", len(right), len(wrong_rows),
                       "", "", wrong_rows if split.golds else ())

    def broken_rules(self, split: SplitView, entry: Entry, strict: bool) -> Iterator[RuleCount]:
        """Rules by how often they were broken, as the result counts them."""
        which = "strict" if strict else "broken"
        items = entry.result.items if split.golds else ()
        by_rule = graph_statistics.strict(items) if strict else graph_statistics.broken(items)
        counts: dict[str, int] = entry.result.counts.get(which, {})
        texts = {text_rule(text.name): text for text in split.board.settings.texts}
        for rule, times in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            words, broken = lookup(rule).text, by_rule.get(rule, graph_statistics.Broken((), ()))
            if rule in texts:
                words = (f"Fewer than {texts[rule].concepts} different concepts occur in the "
                         f"{texts[rule].name}.")
            yield RuleCount(
                rule, words, times, len(broken.alone), broken.rows,
                "" if strict else annotated(split, entry, "struct_incorrect", rule))

    def right(self, board: Board) -> str:
        labels = board.settings.labels
        graph = "a graph that breaks no constraint"
        return f"the gold {labels.name} and {graph}" if labels else graph

    def annotations(self, board: Board) -> Mapping[str, str]:
        labels = board.settings.labels
        return {"stance_incorrect": f"wrong {labels.name if labels else 'label'}",
                "struct_incorrect": "broken constraint", "struct_correct": "right"}

    def statistics(self, split: SplitView, entry: Entry) -> object:
        """Its graphs beside gold, where both are at hand."""
        if not entry.predictions or len(entry.result.items) != len(split.golds):
            return None
        return graph_statistics.against_gold(split.golds, entry.predictions, entry.result.items)

    def dataset(self, board: BoardView) -> Mapping[str, Any]:
        """The paper's Tables 1 and 3 and Figure 5, and rounds; nothing of data not at hand."""
        settings: Settings = board.settings
        sizes, graphs = {}, {}
        for name, golds in board.public_golds():
            labels = settings.labels.values if settings.labels else ()
            sizes[name] = [Statistic("items", len(golds)),
                           *by_value([gold.label for gold in golds], labels)]
            graphs[name] = graph_statistics.describe(gold_facts(golds))
        uses = graph_statistics.relation_use(
            settings, [gold for view in board.splits for gold in view.golds])
        return {
            "described": sizes, "graphs": graphs, "uses": uses,
            "relations": sorted(uses[0].relations, key=lambda name: -uses[0].relations[name]),
            "refinements": [(view, history(view.refined)) for view in board.splits if view.refined],
        }

    def checker_facts(self, board: Board) -> Mapping[str, Any]:
        """Texts, labels (None without), constraints, and how much of a graph is told."""
        settings: Settings = board.settings
        return {
            "texts": [asdict(text) for text in settings.texts],
            "labels": settings.labels and {
                **asdict(settings.labels), "listed": listed(settings.labels),
                "no_answer": NO_ANSWER},
            "graph": {name: value for name, value in asdict(settings.graph).items()
                      if name != "negated"},
            "fewest_graphs": FEWEST_GRAPHS, "notation": NOTATION,
            "limits": {"of_a_rule": MOST_OF_A_RULE, "culprits": MOST_CULPRITS,
                       "syntax": MOST_SYNTAX},
            "syntax": SYNTAX,
        }

    def checker_rules(self, board: Board) -> Sequence[str]:
        """The rules of graphs; each text of the board has its own."""
        return [*super().checker_rules(board),
                *(text_rule(text.name) for text in board.settings.texts)]

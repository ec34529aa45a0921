"""The task: texts and a graph are given; which label do they have?

One gate: the predicted label must equal gold (``wrong``), else ``right``. A predictions file may
have a second column: the label that the same system gives without the graph. It is the system's
own null, and what the graph adds is the difference (``metrics/accuracy.py``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from scorer.core.errors import Problem, excerpt
from scorer.core.graph import Graph
from scorer.core.reading.tsv import File, Problems, ReadTable, Row, read_rows
from scorer.core.records import Findings
from scorer.tasks import answers
from scorer.tasks.answers import NO_ANSWER, no_answer, unanswered_note
from scorer.tasks.base import Answer, MetricUse, Misfit, Texts, repeated
from scorer.tasks.graph_labels.graph_label_items import (
    BASELINES,
    GRAPH,
    Gold,
    Prediction,
    Settings,
    partitions,
)
from scorer.tasks.graphs.graph_items import folded
from scorer.tasks.graphs.task import (
    check_gold_graph,
    check_label,
    label_misfits,
    relation_misfits,
)
from scorer.tasks.labelled import LabelTask, both_labels
from scorer.tasks.partitions import Partition


def _both(gold: Gold, prediction: Prediction) -> tuple[str, str, str | None]:
    """The gold label, the label predicted, and that without the graph."""
    return gold.label, prediction.label, prediction.without


class GraphLabels(LabelTask[Settings, Gold, Prediction]):
    """A label for some texts and a graph about them."""

    name = "graph_labels"
    title = "Graph labels"
    settings_type = Settings
    metrics = (
        MetricUse("graph-lift", _both),
        MetricUse("accuracy", both_labels),
    )
    baselines = BASELINES
    null_answered = True
    null_words = "its own labels without the graph"
    answer_forms = (answers.WHOLE, answers.LINES)

    @property
    def label_column(self) -> str:
        return self.settings.labels.name

    @property
    def labels(self) -> Sequence[str]:
        return self.settings.labels.values

    # ---- files --------------------------------------------------------------------------------

    @property
    def input_columns(self) -> Sequence[str]:
        return (*self.settings.texts, GRAPH)

    def compared(self, column: str, text: str) -> str | frozenset[Hashable]:
        """A graph as its edges, whatever their order."""
        value = super().compared(column, text)
        return frozenset(Graph(str(value)).pieces) if column == GRAPH else value

    @property
    def gold_columns(self) -> tuple[Sequence[str], int]:
        return (*self.settings.texts, GRAPH, self.settings.labels.name), 0

    @property
    def further_columns(self) -> Sequence[str]:
        return (self.settings.without,)

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """An item; its graph must be edges of three parts each."""
        *statements, text, _ = row.fields
        graph, index = Graph(text), len(statements)
        sound = check_gold_graph(graph, row, index, problems)
        known = check_label(self.settings.labels, row, index + 1, problems)
        return Gold(tuple(statements), graph, row.fields[-1]) if known and sound else None

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """One label or two, each of which may be NO_ANSWER, which equals no gold label."""
        names = (self.settings.labels.name, self.settings.without)
        wrong = [index for index, label in enumerate(row.fields) if label != NO_ANSWER
                 and not check_label(self.settings.labels, row, index, problems, names[index])]
        return None if wrong else Prediction(*row.fields)

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        return (prediction.label, *([] if prediction.without is None else [prediction.without]))

    def read_table(
        self, file: File, *, rows: int | None = None,
        texts: Texts | None = None,
    ) -> ReadTable:
        """Labels in the order of the items; every row has as many as the first, one or two."""
        two = b"\t" in file.content.partition(b"\n")[0]
        columns = [*self.prediction_columns,
                   *(self.further_columns if two else [])]
        return read_rows(file, columns, rows=rows, empty=self.empty_line)

    # ---- settings and gates -------------------------------------------------------------------

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        """A column that is called as the last one, a label that means no answer, a relation with
        two opposites."""
        columns = [*dict.fromkeys(self.gold_columns[0]), self.settings.without]
        faults = [*repeated("columns", columns), *label_misfits(self.settings.labels)]
        named = [name for pair in self.settings.opposites for name in (pair.relation, pair.negated)]
        faults += [Misfit(f"relation {excerpt(name)} twice in opposites", "each relation once",
                          "remove one of the entries")
                   for name in dict.fromkeys(named) if named.count(name) > 1]
        return faults + relation_misfits(named)

    def null(self, gold: Gold, prediction: Prediction) -> Prediction | None:
        """What the same system says without the graph; None where its file lacks it."""
        without = prediction.without
        return None if without is None else Prediction(without, without)

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """A row without an answer is reported, with the graph or without; it is wrong there."""
        flaws = super().diagnose(texts, prediction)
        return flaws._replace(
            strict=(*flaws.strict, *no_answer(self.settings.without, prediction.without)))

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        yield from super().notes(shown, answers)
        yield from unanswered_note(shown, self.settings.without, len(answers), [
            answer.row for answer in answers if answer.prediction.without == NO_ANSWER], 1)

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return partitions(self.settings, golds)

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> str:
        """The folded first text, as for explanation graphs."""
        return folded(gold.statements[0])

"""The task: some texts and two hypotheses are given; which one is right, and why?

One gate: the predicted label must equal gold (``wrong``), else ``right``. Metrics of texts see all
explanations, whatever the label; ``joint-ROUGE-L`` sees those behind the gate, others score 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from scorer.core.errors import excerpt
from scorer.core.reading.tsv import Problems, Row
from scorer.core.records import Finding
from scorer.tasks import written
from scorer.tasks.anli.task import LABEL, LISTED, check_choice
from scorer.tasks.answers import AnswerColumn, titled
from scorer.tasks.base import Content, MetricUse, Misfit, repeated
from scorer.tasks.explained_choices.explained_items import BASELINES, Prediction, Settings
from scorer.tasks.labelled import RIGHT, LabelTask, both_labels
from scorer.tasks.text_items import LABELS, Gold
from scorer.tasks.written import WrittenTask, text_and_references

EXPLANATION = "explanation"
"""The column of the text."""


class ExplainedChoices(
    WrittenTask[Settings, Prediction], LabelTask[Settings, Gold, Prediction]
):
    """The label of one of two hypotheses, and a text that says why."""

    name = "explained_choices"
    title = "Explained choices"
    settings_type = Settings
    label_column, labels = LABEL, LABELS
    prediction_columns = (LABEL, EXPLANATION)
    metrics = (
        MetricUse("accuracy", both_labels, label_only=True),
        MetricUse("joint-ROUGE-L", text_and_references, gate=RIGHT),
        *(MetricUse[Gold, Prediction](name, text_and_references) for name in (
            "BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr", "BERTScore",
            "BLEU-letters", "ROUGE-L-recall")),
    )
    baselines = BASELINES
    text_column, text_place = EXPLANATION, 1
    null_words = "a copied explanation"
    gold_words = MappingProxyType({
        "gold_label": lambda gold: gold.label, "gold_text": lambda gold: gold.references[0]})

    # ---- files --------------------------------------------------------------------------------

    @property
    def input_columns(self) -> Sequence[str]:
        return (*self.settings.given, *self.settings.choices)

    @property
    def before_texts(self) -> Sequence[str]:
        return (*self.input_columns, LABEL)

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """An item; no column may be empty."""
        index, before = len(self.input_columns), len(self.settings.given)
        wrong = written.empty_columns(row, problems)
        if row.fields[index] not in LABELS:
            problems.add(row.line, row.column(index), "TSV-GOLD",
                         f"label {excerpt(row.fields[index])}", LISTED)
            wrong = True
        return None if wrong else Gold(row.fields[:before], row.fields[before:index],
                                       row.fields[index], row.fields[index + 1:])

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """A label, or that there is none, and a text; every fault of the row is reported."""
        label = check_choice(row, 0, problems)
        fits = written.check_text(row, 1, problems)
        return Prediction(label, row.fields[1]) if label and fits else None

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        return prediction.label, prediction.text

    # ---- models that answer in words -----------------------------------------------------------

    @property
    def answer_columns(self) -> Sequence[AnswerColumn]:
        return [AnswerColumn(LABEL, LABELS),
                AnswerColumn(EXPLANATION, missing="", wrong=written.too_long)]

    @property
    def prompt_words(self) -> Mapping[str, str]:
        """The names of both columns, the labels and what they stand for, how long a text may be."""
        return {**super().prompt_words,
                "choices": " or ".join(map(titled, self.settings.choices)),
                "answer": EXPLANATION, "answer_title": titled(EXPLANATION),
                "most_words": str(written.MOST_WORDS)}

    # ---- settings, the gate and the null ------------------------------------------------------

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        """Two columns of one name, a null that is none of the given texts."""
        columns = [*self.input_columns, *self.prediction_columns]
        return [*repeated("columns", columns), *super().misfits(metrics)]

    def column(self, row: Row, finding: Finding) -> int:
        """The label's column for no label, else that of the text."""
        return row.column(0 if finding.rule == "TSV-NO-ANSWER" else 1)

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> tuple[str, ...]:
        return gold.given

    def content(self, prediction: Prediction) -> Content:
        """The label, and the text's pairs of neighbouring words."""
        return Content(prediction.label, written.word_pairs(prediction.text))

    def gold_predictions(self, gold: Gold) -> Sequence[Prediction]:
        return [Prediction(gold.label, text) for text in gold.references]

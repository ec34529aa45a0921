"""The task: some texts and two hypotheses are given; which one is right, and why?

One gate: the predicted label must equal gold (``wrong``), else ``right``. Metrics of texts see all
explanations, whatever the label; ``joint-ROUGE-L`` sees those behind the gate, others score 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scorer.errors import Problem, excerpt
from scorer.reading.tsv import Problems, Row
from scorer.records import Finding, Findings
from scorer.tasks import written
from scorer.tasks.anli.records import LABELS
from scorer.tasks.anli.task import LABEL, LISTED, check_choice
from scorer.tasks.answers import Column, titled
from scorer.tasks.base import Answer, Content, Fitted, MetricUse, Misfit, WithNull
from scorer.tasks.explained_choices.baselines import BASELINES
from scorer.tasks.explained_choices.records import Gold, Prediction, Settings
from scorer.tasks.labelled import RIGHT, LabelTask, both_labels

EXPLANATION = "explanation"
"""The column of the text."""


def _texts(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[str, tuple[str, ...]]:
    return prediction.text, gold.references


def _content(label: str, text: str) -> Content:
    return Content(label, written.word_pairs(text))


class ExplainedChoices(
    LabelTask[Settings, Gold, Prediction], WithNull[Settings, Gold, Prediction]
):
    """The label of one of two hypotheses, and a text that says why."""

    name = "explained_choices"
    title = "Explained choices"
    settings = Settings
    metrics = (
        MetricUse("accuracy", both_labels, label_only=True),
        MetricUse("joint-ROUGE-L", _texts, gate=RIGHT),
        *(MetricUse(name, _texts) for name in (
            "BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr", "BERTScore",
            "BLEU-letters", "ROUGE-L-recall")),
    )
    baselines = BASELINES
    units = "word pairs"
    null_words = "a copied explanation"
    gold_names = ("gold_label", "gold_text")

    def label_column(self, settings: Settings) -> str:
        """Always the same."""
        return LABEL

    # ---- files --------------------------------------------------------------------------------

    def input_columns(self, settings: Settings) -> Sequence[str]:
        """What is given, and the hypotheses."""
        return (*settings.given, *settings.choices)

    def gold_columns(self, settings: Settings) -> tuple[Sequence[str], int]:
        """The input, the label and one explanation or more."""
        further = [f"{EXPLANATION} {number}" for number in range(2, settings.most_references + 1)]
        return (*self.input_columns(settings), LABEL, EXPLANATION, *further), len(further)

    def prediction_columns(self, settings: Settings) -> Sequence[str]:
        """The label and the explanation."""
        return LABEL, EXPLANATION

    def read_gold(self, settings: Settings, row: Row, problems: Problems) -> Gold | None:
        """An item; no column may be empty."""
        place, before = len(self.input_columns(settings)), len(settings.given)
        faults = [(index, "an empty column", "a text")
                  for index, text in enumerate(row.fields) if not text.strip()]
        if row.fields[place] not in LABELS:
            faults.append((place, f"label {excerpt(row.fields[place])}", LISTED))
        for index, found, expected in faults:
            problems.add(row.line, row.column(index), "TSV-GOLD", found, expected)
        return None if faults else Gold(row.fields[:before], row.fields[before:place],
                                        row.fields[place], row.fields[place + 1:])

    def read_prediction(
        self, settings: Settings, row: Row, problems: Problems
    ) -> Prediction | None:
        """A label, or that there is none, and a text; every fault of the row is told."""
        label = check_choice(row, 0, problems)
        fits = written.check_text(row, 1, problems)
        return Prediction(label, row.fields[1]) if label and fits else None

    def write_prediction(self, settings: Settings, prediction: Prediction) -> Sequence[str]:
        """The label and the text."""
        return prediction.label, prediction.text

    def gold_count(self, gold: Gold) -> int:
        """How many explanations the item has."""
        return len(gold.references)

    def first_golds(self, gold: Gold, most: int) -> Gold:
        """The item with its first explanations alone."""
        return replace(gold, references=gold.references[:most])

    # ---- models that answer in words -----------------------------------------------------------

    def answer_columns(self, settings: Settings) -> Sequence[Column]:
        """The label, and the text; none is an empty one."""
        return [Column(LABEL, LABELS), Column(EXPLANATION, missing="", wrong=written.too_long)]

    def prompt_words(self, settings: Settings) -> Mapping[str, str]:
        """The names of both columns, the labels and what they stand for, how long a text may be."""
        return {"label": LABEL, "label_title": titled(LABEL), "labels": LISTED,
                "choices": " or ".join(map(titled, settings.choices)),
                "answer": EXPLANATION, "answer_title": titled(EXPLANATION),
                "most_words": str(written.MOST_WORDS)}

    def gold_words(self, settings: Settings, gold: Gold) -> Mapping[str, str]:
        """The label and the first explanation."""
        return {"gold_label": gold.label, "gold_text": gold.references[0]}

    # ---- settings, the gate and the null ------------------------------------------------------

    def with_texts(self, settings: Settings, names: Sequence[str]) -> Settings:
        """What is given has other names; the null copies the first, unless it is still there."""
        null = settings.null if settings.null in names else names[0]
        return replace(settings, given=tuple(names), null=null)

    def misfits(self, settings: Settings, metrics: Sequence[str]) -> list[Misfit]:
        """Two columns of one name, a null that is none of the given texts."""
        columns = [*self.input_columns(settings), *self.prediction_columns(settings)]
        found = [Misfit(f"two columns {name}", "columns of different names", "rename one of them")
                 for name in dict.fromkeys(columns) if columns.count(name) > 1]
        if settings.null not in settings.given:
            found.append(Misfit(f"the null {settings.null}", "one of: " + ", ".join(settings.given),
                                "name a given text"))
        return found

    def fitted(self, settings: Settings, rows: Sequence[Sequence[str]]) -> Fitted[Settings]:
        """The settings with as many explanations as the longest row has."""
        most = max((len(row) for row in rows), default=0) - len(self.input_columns(settings)) - 1
        if most < 1:
            return Fitted(settings)
        return Fitted(replace(settings, most_references=most), (f"explanations: {most} at most",))

    def diagnose(
        self, settings: Settings, texts: Sequence[str], prediction: Prediction
    ) -> Findings:
        """A row without a label or a text is told; it is scored as it is."""
        found = super().diagnose(settings, texts, prediction)
        return found._replace(strict=(*found.strict, *written.no_text(prediction.text)))

    def column(self, settings: Settings, row: Row, finding: Finding) -> int:
        """The label's column for no label, else that of the text."""
        return row.column(0 if finding.rule == "TSV-NO-ANSWER" else 1)

    def notes(
        self, settings: Settings, shown: str, answers: Sequence[Answer[Prediction]]
    ) -> Iterator[Problem]:
        """The rows without a label, the empty texts, and spaces that only ROUGE-L sees."""
        yield from super().notes(settings, shown, answers)
        yield from written.notes(shown, answers, 1)

    def null(self, settings: Settings, gold: Gold, prediction: Prediction) -> Prediction:
        """The same label, and a copy of a given text: fluent, on the topic, and no explanation."""
        return replace(prediction, text=gold.given[settings.given.index(settings.null)])

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, settings: Settings, gold: Gold) -> tuple[str, ...]:
        """Items about the same given texts."""
        return gold.given

    def content(self, settings: Settings, prediction: Prediction) -> Content:
        """The label, and the text's pairs of neighbouring words."""
        return _content(prediction.label, prediction.text)

    def gold_contents(self, settings: Settings, gold: Gold) -> Sequence[Content]:
        """The same of every explanation."""
        return [_content(gold.label, text) for text in gold.references]

    def gold_predictions(self, settings: Settings, gold: Gold) -> Sequence[Prediction]:
        """The label with every explanation."""
        return [Prediction(gold.label, text) for text in gold.references]

    def gold_lengths(self, settings: Settings, gold: Gold) -> Mapping[str, Sequence[int]]:
        """Words of every explanation."""
        return {"words of an explanation": [len(text.split()) for text in gold.references]}

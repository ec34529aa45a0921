"""Tasks of texts. Which of two hypotheses explains what happened between two observations (aNLI)?
What happened (aNLG)? Which of two hypotheses is right, and why (explained choices)?

Where a hypothesis is chosen, one gate: the predicted label must equal gold (``wrong``), else
``right``. Metrics of texts see all of them, whatever the label; ``joint-ROUGE-L`` sees those behind
the gate, others score 0.

The official evaluator of aNLI (github allenai/mosaic-leaderboard, anli/evaluator/eval.py) compares
two files of labels line by line. A file that is accepted here gets its number there too; what it
would count as wrong without a word is refused here with its line: empty lines, 0 and 1 for 1 and 2.

The metrics of aNLG are those of the released evaluation (github
allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py), which pools references by both
observations. It leaves out contexts without a text; here every context must have one. Its ROUGE-L
splits a text at every single U+0020 SPACE, so a space at an end or beside another one adds an empty
word, and any other space character joins two. Nothing is repaired: a text is scored as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

from scorer.core.errors import Problem, UsageError, counted, excerpt
from scorer.core.reading.characters import OTHER_SPACES
from scorer.core.reading.tsv import File, Problems, ReadTable, Row
from scorer.core.records import Counts, Finding, Findings, Verdict
from scorer.core.rules import DETAILS
from scorer.tasks import answers
from scorer.tasks.answers import NO_ANSWER, AnswerColumn, note_of_rows, titled, with_article
from scorer.tasks.base import Answer, Content, Endings, MetricUse, Misfit, Texts, repeated
from scorer.tasks.labelled import RIGHT, LabelTask, both_labels
from scorer.tasks.partitions import Partition
from scorer.tasks.texts import art_files, items, rows
from scorer.tasks.texts.art_files import JSON_BEGINS, context_id
from scorer.tasks.texts.items import GIVEN, LABELS, MOST_LETTERS, MOST_WORDS, Gold, Prediction

LABEL = "label"
"""The column of the hypothesis that is chosen."""
LISTED = " or ".join(LABELS)
"""The labels as a message lists them."""
NUMBERS = ("0", "1.0", "2.0")
"""What programs write that count from 0 or compute with labels."""
EMPTY, ANSWERED = "empty", "answered"
_ODD_SPACE = re.compile(f"^ | $|  |[{OTHER_SPACES}]")
_WORD_METRICS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr", "BERTScore")


def text_and_references(gold: Gold, prediction: Prediction) -> tuple[str, tuple[str, ...]]:
    """The text of a system and the texts by people, as the metrics of texts take them."""
    return prediction.text, gold.references


class TextTask(LabelTask[Any, Gold, Prediction]):
    """Given texts, and what is said about them: which of two hypotheses is right, a text that is
    measured against texts by people, or both. The null of a text copies a given one: fluent, on the
    topic, and says nothing new."""

    label_column = LABEL
    labels: Sequence[str] = LABELS
    text_column: ClassVar[str] = ""
    """What an answer calls its text; empty where none is written."""
    gold_column: ClassVar[str] = ""
    """What gold calls each of its texts."""
    golds: ClassVar[str] = "references"
    units: ClassVar[str] = "word pairs"

    # ---- files --------------------------------------------------------------------------------

    @property
    def input_columns(self) -> Sequence[str]:
        choices = self.settings.choices if self.labels else ()
        return (*self.id_columns, *self.settings.given, *choices)

    @property
    def gold_columns(self) -> tuple[Sequence[str], int]:
        """The inputs, the label where one is chosen, and texts by people where one is written."""
        columns = [*self.input_columns, *[LABEL] * bool(self.labels)]
        if not self.text_column:
            return columns, 0
        further = [f"{self.gold_column} {number}"
                   for number in range(2, self.settings.most_references + 1)]
        return [*columns, self.gold_column, *further], len(further)

    @property
    def prediction_columns(self) -> Sequence[str]:
        return (*super().prediction_columns, *[self.text_column] * bool(self.text_column))

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """An item. Texts may be empty where none is written: of labels alone they are."""
        before, ids, width = problems.total, len(self.id_columns), len(self.input_columns)
        given = ids + len(self.settings.given)
        for index, text in enumerate(row.fields if self.text_column else ()):
            if not text.strip():
                problems.add(row.line, row.column(index), "TSV-GOLD", "an empty column", "a text")
        label = row.fields[width] if self.labels else ""
        if self.labels and label not in LABELS:
            problems.add(row.line, row.column(width), "TSV-GOLD", f"label {excerpt(label)}", LISTED)
        if problems.total > before:
            return None
        return Gold(row.fields[ids:given], row.fields[given:width], label,
                    row.fields[width + bool(self.labels):], row.fields[:ids])

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """A label, or that there is none, without blanks around it, as the official evaluator reads
        it; and a text, which may be empty. Every fault of the row is reported."""
        before = problems.total
        label = text = ""
        if self.labels:
            label = row.fields[0].strip()
            if label not in (*LABELS, NO_ANSWER):
                problems.say(row.line, row.column(0), "TSV-LABEL",
                             "numbers" if label in NUMBERS else "", name=LABEL,
                             value=excerpt(row.fields[0]), labels=LISTED)
        if self.text_column:
            text = row.fields[-1]
            if items.too_long(text):
                problems.say(row.line, row.column(len(row.fields) - 1), "ART-LONG",
                             letters=MOST_LETTERS, most=MOST_WORDS,
                             characters=counted(len(text), "character"),
                             words=counted(len(text.split()), "word"))
        return Prediction(label, text) if problems.total == before else None

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        text = [prediction.text] * bool(self.text_column)
        return (*super().write_prediction(prediction), *text)

    # ---- models that answer in words -----------------------------------------------------------

    def unfit(self, text: str) -> str:
        """Why a text can be no answer's, in words; empty if it can."""
        return items.too_long(text)

    @property
    def answer_columns(self) -> Sequence[AnswerColumn]:
        text = AnswerColumn(self.text_column, missing="", wrong=self.unfit)
        return [*super().answer_columns, *[text] * bool(self.text_column)]

    @property
    def prompted(self) -> bool:
        """Those of ART speak of two observations."""
        return bool(self.settings.given == GIVEN)

    @property
    def prompt_words(self) -> Mapping[str, str]:
        """The names of the columns, the labels and what they stand for, how long a text may be."""
        text = {"answer": self.text_column, "answer_title": titled(self.text_column),
                "most_words": str(MOST_WORDS)} if self.text_column else {}
        return {**super().prompt_words, **text}

    # ---- settings -----------------------------------------------------------------------------

    def with_texts(self, names: Sequence[str]) -> Any:
        """What is given has other names; the null copies the first, unless it is still there."""
        changes: dict[str, Any] = {"given": tuple(names)}
        if self.text_column and self.settings.null not in names:
            changes["null"] = names[0]
        return replace(self.settings, **changes)

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        given = self.settings.given
        if not self.text_column or self.settings.null in given:
            return []
        return [Misfit(f"the null {self.settings.null}", "one of: " + ", ".join(given),
                       "name a given text")]

    def fitted(self, rows: Sequence[Sequence[str]]) -> tuple[Any, tuple[str, ...]]:
        """The settings with as many texts as the longest row has."""
        columns, further = self.gold_columns
        most = max(map(len, rows), default=0) - (len(columns) - further - 1)
        if not self.text_column or most < 1:
            return self.settings, ()
        return (replace(self.settings, most_references=most),
                (f"{self.gold_column}s: {most} at most",))

    # ---- gates --------------------------------------------------------------------------------

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """A text without a word is reported, and scored as it is."""
        empty = bool(self.text_column) and not prediction.text.strip()
        return Findings(strict=(*super().diagnose(texts, prediction).strict,
                                *[Finding("ART-EMPTY", DETAILS["ART-EMPTY"])] * empty))

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        """The rows without a label, the empty texts, and spaces that only ROUGE-L sees."""
        yield from super().notes(shown, answers)
        if self.text_column:
            yield from notes(shown, [(row, prediction.text) for row, prediction, _ in answers])

    def column(self, row: Row, finding: Finding) -> int:
        """The label's column for no label, else that of the text."""
        return row.column(0 if finding.rule == "TSV-NO-ANSWER" else len(row.fields) - 1)

    def null(self, gold: Gold, prediction: Prediction) -> Prediction | None:
        """The answer with a copy of a given text; None without a text."""
        if not self.text_column:
            return None
        copied = gold.given[self.settings.given.index(self.settings.null)]
        return replace(prediction, text=copied)

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> tuple[str, ...]:
        """Items about the same texts: a split of aNLI has several pairs of hypotheses for them."""
        return gold.given

    def content(self, prediction: Prediction) -> Content:
        """The label, and the text's pairs of neighbouring words in lower case."""
        return Content(prediction.label or None, items.word_pairs(prediction.text))

    def gold_predictions(self, gold: Gold) -> Sequence[Prediction]:
        return [Prediction(gold.label, text) for text in gold.references]

    def gold_lengths(self, gold: Gold) -> Mapping[str, Sequence[int]]:
        if not self.text_column:
            return {}
        name = f"words of {with_article(self.gold_column)}"
        return {name: [len(text.split()) for text in gold.references]}


class AbductiveInference(TextTask):
    """The label of one of two hypotheses."""

    name = "anli"
    title = "Abductive inference"
    settings_type = items.ChoiceSettings
    golds = ""
    metrics = (MetricUse("accuracy", both_labels, label_only=True),)
    baselines = MappingProxyType({row.name: row for row in rows.CHOICES})
    needs_inputs = "ids"
    key = art_files.ITEM[0]
    id_columns = art_files.ITEM[:1]
    answer_forms = (answers.WHOLE, answers.LINES)

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return items.partitions_of_choices(self.settings, golds)

    def read_table(
        self, file: File, *, rows: int | None = None,
        texts: Texts | None = None,
    ) -> ReadTable:
        """Labels in the order of the items, or with the items' ids before them."""
        ids = None
        if texts is not None:
            ids = [(text[0],) for text in texts] if all(text and text[0] for text in texts) else []
        return art_files.read_plain_or_keyed(
            file, self.key, self.prediction_columns, ids, rows, self.empty_line)

    def gold_of(self, files: Mapping[str, bytes]) -> bytes:
        """Gold of our own columns, or of labels alone, whose texts are then empty."""
        content = super().gold_of(files)
        if b"\t" in content:
            return content
        texts = b"\t" * len(art_files.ITEM)
        return b"".join(texts + line.strip(b" \t") + b"\n" for line in art_files.lines_of(content))

    def endings(self, texts: Sequence[str]) -> Endings:
        """The first observation, and each hypothesis with the second one behind it; of one or of
        many given texts, all of them and each hypothesis."""
        _, *context, first, second = texts
        before, behind = ((context[0], f" {context[1]}") if len(context) == len(GIVEN)
                          else (" ".join(context), ""))
        return Endings(before, tuple(f"{text}{behind}" for text in (first, second)),
                       tuple((label,) for label in LABELS))

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        return repeated("slices", self.settings.slice_names)

    def tally(self, golds: Sequence[Gold], verdicts: Sequence[Verdict]) -> Counts:
        """The confusion, gold by predicted label, and items and right answers of every slice.

        Where items have no answer, the confusion has NO_ANSWER as one more prediction.
        """
        missing = (NO_ANSWER,) if any(answer.strict for answer in verdicts) else ()
        confusion = {label: dict.fromkeys((*LABELS, *missing), 0) for label in LABELS}
        slices = {name: {"items": 0, RIGHT: 0} for name in self.settings.slice_names}
        for gold, verdict in zip(golds, verdicts, strict=True):
            right = verdict.annotation == RIGHT
            other = NO_ANSWER if verdict.strict else LABELS[1 - LABELS.index(gold.label)]
            confusion[gold.label][gold.label if right else other] += 1
            for name in items.slices_of(self.settings, gold):
                slices[name]["items"] += 1
                slices[name][RIGHT] += right
        return {"confusion": confusion, "slices": slices}

    def item_words(self, gold: Gold) -> Mapping[str, str]:
        return dict(zip(("plausible", "implausible"), gold.hypotheses, strict=True))


class AbductiveGeneration(TextTask):
    """A text between two observations, measured against every reference of its context."""

    name = "anlg"
    title = "Abductive generation"
    settings_type = items.TextSettings
    labels = ()
    text_column, gold_column = "hypothesis", "reference"
    annotations = (EMPTY, ANSWERED)
    meanings = MappingProxyType({EMPTY: "the text is empty", ANSWERED: "there is a text"})
    gold_words = MappingProxyType({"gold_text": lambda gold: gold.references[0]})
    metrics = tuple(MetricUse(name, text_and_references) for name in _WORD_METRICS)
    baselines = MappingProxyType({row.name: row for row in rows.TEXTS})
    needs_inputs = "ids"
    key = "context_id"
    reads_json = True
    per_reference = True
    null_words = "a copied observation"
    empty_line = "text"

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return items.partitions_of_texts(golds)

    def read_table(
        self, file: File, *, rows: int | None = None,
        texts: Texts | None = None,
    ) -> ReadTable:
        """Texts in the order of the contexts or with ids before them, or official JSON lines.

        An id is the context's one-based number, or ``context_id`` of it.
        """
        official = self.settings.given == GIVEN
        if official and file.content.lstrip(b"\xef\xbb\xbf \r\n").startswith(
                tuple(map(str.encode, JSON_BEGINS))):
            return art_files.generations(file, rows, texts)
        ids = None
        if texts is not None:
            ids = [(str(number), context_id(*text)) for number, text in enumerate(texts, start=1)]
        return art_files.read_plain_or_keyed(
            file, self.key, self.prediction_columns, ids, rows, self.empty_line)

    def gold_of(self, files: Mapping[str, bytes]) -> bytes:
        """Gold of our own columns, or of observations and references."""
        if set(files) == {"source", "references"}:
            return art_files.contexts_with_references(files["source"], files["references"])
        if set(files) != {"gold"}:
            raise UsageError("name both --gold-source and --gold-references, or one file with "
                             "--gold")
        return files["gold"]

    def unfit(self, text: str) -> str:
        """A file that begins as JSON is read as that."""
        if text.startswith(JSON_BEGINS):
            return "begins as an object of JSON, which no row can"
        return super().unfit(text)

    def annotation(self, gold: Gold, prediction: Prediction, flaws: Findings) -> str:
        return EMPTY if flaws.strict else ANSWERED


class ExplainedChoices(TextTask):
    """The label of one of two hypotheses, and a text that says why."""

    name = "explained_choices"
    title = "Explained choices"
    settings_type = items.ExplainedSettings
    text_column = gold_column = "explanation"
    gold_words = MappingProxyType({
        "gold_label": lambda gold: gold.label, "gold_text": lambda gold: gold.references[0]})
    metrics = (
        MetricUse("accuracy", both_labels, label_only=True),
        MetricUse("joint-ROUGE-L", text_and_references, gate=RIGHT),
        *(MetricUse[Gold, Prediction](name, text_and_references)
          for name in (*_WORD_METRICS, "BLEU-letters", "ROUGE-L-recall")),
    )
    baselines = MappingProxyType({row.name: row for row in rows.EXPLAINED})
    null_words = "a copied explanation"

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return items.partitions_of_explained(self.settings, golds)

    @property
    def prompted(self) -> bool:
        return True

    @property
    def prompt_words(self) -> Mapping[str, str]:
        return {**super().prompt_words, "choices": " or ".join(map(titled, self.settings.choices))}


# ---- the form of texts -----------------------------------------------------------------------


def notes(shown: str, texts: Sequence[tuple[Row, str]]) -> Iterator[Problem]:
    """The empty texts of a file, the spaces of the others, and the form of nearly all; ``texts``:
    each with its row, of which it is the last column."""
    def of_rows(rule: str, rows: Sequence[Row], hint: str = "") -> Problem:
        return note_of_rows(shown, rule, rows, -1, hint,
                            texts=f"{len(rows)} of {counted(len(texts), 'text')}")

    empty = [row for row, text in texts if not text.strip()]
    spaced = [row for row, text in texts if text.strip() and _ODD_SPACE.search(text)]
    framed = [row for number, (row, text) in enumerate(texts) if _framed(text, number)]
    if empty:
        yield of_rows("ART-EMPTY", empty, "file")
    if spaced:
        yield of_rows("ART-SPACES", spaced)
    if len(texts) > 1 and 10 * len(framed) >= 9 * len(texts):
        yield of_rows("ART-FORM", framed)


def _framed(text: str, index: int) -> bool:
    """Whether a text stands in quotes, or behind its number from 0 or 1 and a separator."""
    numbers = tuple(f"{number}{mark}" for number in (index, index + 1) for mark in ",;|")
    return text.startswith(numbers) or (len(text) > 1 and text[0] == text[-1] == '"')

"""The task: two observations and two hypotheses; which hypothesis explains what happened between?

One gate: the predicted label must equal gold (``wrong``), else ``right``. The official evaluator
(github allenai/mosaic-leaderboard, anli/evaluator/eval.py) compares two files of labels line by
line and looks only at their numbers of lines. A file that is accepted here gets its number there
too; what it would count as wrong without a word is refused here with its line: empty lines, 0 and
1 for 1 and 2, anything else that is no label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scorer.core.errors import excerpt
from scorer.core.reading.tsv import File, Problems, ReadTable, Row
from scorer.core.records import Counts, Verdict
from scorer.tasks import answers, art_files
from scorer.tasks.anli.anli_items import BASELINES, Prediction, Settings, slices_of
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.base import Endings, MetricUse, Misfit, Texts, gold_alone, repeated
from scorer.tasks.labelled import RIGHT, LabelTask, both_labels
from scorer.tasks.text_items import GIVEN, LABELS, Gold

LISTED = " or ".join(LABELS)
"""The labels as a message lists them."""
NUMBERS = ("0", "1.0", "2.0")
"""What programs write that count from 0 or compute with labels."""
KEY, LABEL = "story_id", "label"


def check_choice(row: Row, index: int, problems: Problems) -> str | None:
    """The label of a column, or that there is none, without blanks around it.

    None after recording the problem.
    """
    label = row.fields[index].strip()
    if label in LABELS or label == NO_ANSWER:
        return label
    problems.say(row.line, row.column(index), "TSV-LABEL", "numbers" if label in NUMBERS else "",
                 name=LABEL, value=excerpt(row.fields[index]), labels=LISTED)
    return None


class AbductiveInference(LabelTask[Settings, Gold, Prediction]):
    """The label of one of two hypotheses."""

    name = "anli"
    title = "Abductive inference"
    settings_type = Settings
    label_column, labels = LABEL, LABELS
    metrics = (MetricUse("accuracy", both_labels, label_only=True),)
    baselines = BASELINES
    needs_inputs = "ids"
    key = KEY
    id_columns = art_files.ITEM[:1]
    answer_forms = (answers.WHOLE, answers.LINES)

    # ---- files --------------------------------------------------------------------------------

    @property
    def input_columns(self) -> Sequence[str]:
        return KEY, *self.settings.given, *self.settings.choices

    @property
    def gold_columns(self) -> tuple[Sequence[str], int]:
        return (*self.input_columns, LABEL), 0

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        if row.fields[-1] not in LABELS:
            problems.add(row.line, row.column(len(row.fields) - 1), "TSV-GOLD",
                         f"label {excerpt(row.fields[-1])}", LISTED)
            return None
        return Gold(row.fields[1:-3], row.fields[-3:-1], row.fields[-1], ids=row.fields[:1])

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """A label, or that there is none; blanks around it are left out, as the official evaluator
        does."""
        label = check_choice(row, 0, problems)
        return Prediction(label) if label else None

    def read_table(
        self, file: File, *, rows: int | None = None,
        texts: Texts | None = None,
    ) -> ReadTable:
        """Labels in the order of the items, or with the items' ids before them."""
        ids = None
        if texts is not None:
            ids = [(text[0],) for text in texts] if all(text and text[0] for text in texts) else []
        return art_files.read_plain_or_keyed(
            file, KEY, self.prediction_columns, ids, rows, self.empty_line)

    def gold_of(self, files: Mapping[str, bytes]) -> bytes:
        """Gold of our own columns, or of labels alone, whose texts are then empty."""
        content = gold_alone(files)
        if b"\t" in content:
            return content
        texts = b"\t" * len(art_files.ITEM)
        return b"".join(texts + line.strip(b" \t") + b"\n" for line in art_files.lines_of(content))

    # ---- models that answer in words -----------------------------------------------------------

    @property
    def prompted(self) -> bool:
        """They speak of two observations."""
        return self.settings.given == GIVEN

    def endings(self, texts: Sequence[str]) -> Endings:
        """The first observation, and each hypothesis with the second one behind it; of one or of
        many given texts, all of them and each hypothesis."""
        _, *context, first, second = texts
        before, behind = ((context[0], f" {context[1]}") if len(context) == len(GIVEN)
                          else (" ".join(context), ""))
        return Endings(before, tuple(f"{text}{behind}" for text in (first, second)),
                       tuple((label,) for label in LABELS))

    # ---- settings and gates -------------------------------------------------------------------

    def with_texts(self, names: Sequence[str]) -> Settings:
        """What is given has other names; the two hypotheses keep theirs."""
        return replace(self.settings, given=tuple(names))

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
            for name in slices_of(self.settings, gold):
                slices[name]["items"] += 1
                slices[name][RIGHT] += right
        return {"confusion": confusion, "slices": slices}

    def item_words(self, gold: Gold) -> Mapping[str, str]:
        return dict(zip(("plausible", "implausible"), gold.hypotheses, strict=True))

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> tuple[str, ...]:
        """Items about the same observations: a split has several pairs of hypotheses for them."""
        return gold.given

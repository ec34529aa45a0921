"""The task: two observations; write what happened between them.

No gate: every text is measured against every reference of its context. The metrics are those of
the released evaluation (github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py),
which pools references by both observations. It leaves out contexts without a text; here every
context must have one. A text is kept as it is, blanks at its ends included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from scorer.core.errors import UsageError
from scorer.core.reading.tsv import File, Problems, ReadTable, Row
from scorer.core.records import Findings
from scorer.tasks import art_files, written
from scorer.tasks.anlg.anlg_items import BASELINES, Prediction, Settings
from scorer.tasks.answers import AnswerColumn
from scorer.tasks.art_files import JSON_BEGINS, context_id
from scorer.tasks.base import Content, MetricUse, Texts
from scorer.tasks.text_items import GIVEN, Gold
from scorer.tasks.written import WrittenTask, text_and_references

EMPTY, ANSWERED = "empty", "answered"
KEY = "context_id"


def _no_text(text: str) -> str:
    """Why a text cannot be scored: it is too long, or a file that begins so is read as JSON."""
    if text.startswith(JSON_BEGINS):
        return "begins as an object of JSON, which no row can"
    return written.too_long(text)


class AbductiveGeneration(WrittenTask[Settings, Prediction]):
    """A text between two observations."""

    name = "anlg"
    title = "Abductive generation"
    settings_type = Settings
    prediction_columns = ("hypothesis",)
    annotations = (EMPTY, ANSWERED)
    meanings = MappingProxyType({EMPTY: "the text is empty", ANSWERED: "there is a text"})
    metrics = tuple(
        MetricUse(name, text_and_references)
        for name in ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr",
                     "BERTScore")
    )
    baselines = BASELINES
    needs_inputs = "ids"
    key = KEY
    reads_json = True
    per_reference = True
    text_column = "reference"
    null_words = "a copied observation"
    empty_line = "text"

    # ---- files --------------------------------------------------------------------------------

    @property
    def input_columns(self) -> Sequence[str]:
        return self.settings.given

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """A context; none of its references may be empty."""
        if written.empty_columns(row, problems):
            return None
        width = len(self.settings.given)
        return Gold(row.fields[:width], references=row.fields[width:])

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """A text; only one that is too long is a fault."""
        return Prediction(row.fields[0]) if written.check_text(row, 0, problems) else None

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        return (prediction.text,)

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
            file, KEY, self.prediction_columns, ids, rows, self.empty_line)

    def inputs_by_line(self, content: bytes) -> Sequence[Sequence[str]]:
        """The observations of every line, of JSON lines or tab-separated ones."""
        return art_files.observations(content)

    def gold_of(self, files: Mapping[str, bytes]) -> bytes:
        """Gold of our own columns, or of observations and references."""
        if set(files) == {"source", "references"}:
            return art_files.contexts_with_references(files["source"], files["references"])
        if set(files) != {"gold"}:
            raise UsageError("name both --gold-source and --gold-references, or one file with "
                             "--gold")
        return files["gold"]

    # ---- models that answer in words -----------------------------------------------------------

    @property
    def answer_columns(self) -> Sequence[AnswerColumn]:
        return [AnswerColumn("hypothesis", missing="", wrong=_no_text)]

    @property
    def prompted(self) -> bool:
        """They speak of two observations."""
        return self.settings.given == GIVEN

    @property
    def prompt_words(self) -> Mapping[str, str]:
        return {"answer": "hypothesis", "answer_title": "Hypothesis",
                "most_words": str(written.MOST_WORDS)}

    # ---- the gate -----------------------------------------------------------------------------

    def annotation(self, gold: Gold, prediction: Prediction, flaws: Findings) -> str:
        return EMPTY if flaws.strict else ANSWERED

    # ---- comparing answers --------------------------------------------------------------------

    def content(self, prediction: Prediction) -> Content:
        """The text's pairs of neighbouring words in lower case; of one word, that."""
        return Content(None, written.word_pairs(prediction.text))

    def gold_predictions(self, gold: Gold) -> tuple[Prediction, ...]:
        return tuple(map(Prediction, gold.references))

"""The task: two observations; write what happened between them.

No gate: every text is measured against every reference of its context. The metrics are those of
the released evaluation (github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py),
which pools references by both observations. It leaves out contexts without a text; here every
context must have one. A text is kept as it is, blanks at its ends included.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from scorer.core.errors import MOST_SHOWN, UsageError, counted, excerpt
from scorer.core.messages import GENERATION
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import File, Problems, ReadTable, Row, note, read_lines, text_of
from scorer.core.records import Findings
from scorer.tasks import art_files, written
from scorer.tasks.anlg.anlg_items import Gold, Prediction, Settings
from scorer.tasks.anlg.baselines import BASELINES
from scorer.tasks.answers import AnswerColumn
from scorer.tasks.base import Content, MetricUse, Texts
from scorer.tasks.written import WrittenTask, text_and_references

EMPTY, ANSWERED = "empty", "answered"
JSON_BEGINS = ('{"', "{ ")
"""How a file of official JSON lines begins; behind blanks and empty lines."""
LINES_A_CONTEXT = 5
"""Lines of an official file for one context, one for each reference: about."""
MOST_LEVELS = 100
"""Of a JSON record. How many more a program can read differs from one to the next."""
KEY, CONTEXT = "context_id", "context"
"""What messages call an id: of a file with ids, and of official JSON lines."""


def context_id(*texts: str) -> str:
    """An id that any program can make: SHA-1 of the given texts with a tab between.

    >>> context_id("It rained.", "Ann was wet.")
    '5281244cebca28a6bf89b8dfe73f77eec3860398'
    """
    return hashlib.sha1("\t".join(texts).encode(), usedforsecurity=False).hexdigest()


def _generations(file: File, rows: int | None, texts: Texts | None) -> ReadTable:
    """The official format: records with ``"generations": {"<model>": ["one text"]}``.

    A context that is answered on several lines has the answer of the last one, as there.
    """
    source = read_lines(file, rows=None if rows is None else rows * LINES_A_CONTEXT)
    notes, problems = list(source.notes), source.problems
    answers: list[tuple[str, Row]] = []
    models: dict[str, int] = {}
    latest: dict[str, str] = {}
    problems.rows = len(source.lines) or None
    for number, line in enumerate(source.lines, start=1):
        answer = _generation(number, line, models, problems)
        if answer is None:
            continue
        name, text = answer
        if latest.setdefault(name, text) != text:
            notes.append(note(file.shown, number, "ART-LAST"))
            latest[name] = text
        answers.append((name, Row(number, (text,))))
    if len(models) > 1:
        problems.say(max(models.values()), 1, "ART-JSON models",
                     models=counted(len(models), "model key"))
    if texts is None:
        answers = list({name: (name, row) for name, row in answers}.values())
    table = ReadTable(tuple(row for _, row in answers), tuple(notes[:MOST_SHOWN]), problems,
                      len(answers) if source.lines else None)
    ids = None if texts is None else [(context_id(*text),) for text in texts]
    return art_files.in_order(table, answers, ids, CONTEXT, again=True)


def _generation(
    number: int, line: bytes, models: dict[str, int], problems: Problems
) -> tuple[str, str] | None:
    """The context's id and the text of one line; ``models`` takes the key's first line."""
    decoded = text_of(number, line, problems)
    if decoded is None:
        return None
    try:
        record = json.loads(decoded, parse_int=float)  # of any length, unlike int
        obs1, obs2 = record["obs1"], record["obs2"]
        [(model, [text])] = record["generations"].items()
        sound = all(isinstance(value, str) for value in (obs1, obs2, model, text))
        sound = sound and isinstance(record["generations"][model], list) and _shallow(record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        problems.say(number, 1, "ART-JSON", record=GENERATION)
        return None
    if "\t" in text or unwelcome_character(text) is not None:
        problems.say(number, 1, "ART-TEXT", value=excerpt(text))
        return None
    models.setdefault(model, number)
    return context_id(_plain(obs1), _plain(obs2)), text


def _shallow(record: Any) -> bool:
    """Whether a record has at most MOST_LEVELS of lists and objects in each other."""
    level = [record]
    for _ in range(MOST_LEVELS):
        level = [inner for outer in level if isinstance(outer, (dict, list))
                 for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return not any(isinstance(inner, (dict, list)) for inner in level)


def _plain(text: str) -> str:
    """Text that can be encoded, whatever a JSON escape made."""
    return text.encode(errors="replace").decode()


def _no_text(text: str) -> str:
    """Why a text cannot be scored: it is too long, or a file that begins so is read as JSON."""
    if text.startswith(JSON_BEGINS):
        return "begins as an object of JSON, which no row can"
    return written.too_long(text)


class AbductiveGeneration(WrittenTask[Settings, Gold, Prediction]):
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
        texts, references = row.fields[:width], row.fields[width:]
        more = texts if width != len(art_files.GIVEN) else ()
        return Gold(texts[0], texts[-1] if texts[1:] else "", references, more)

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
        official = self.settings.given == art_files.GIVEN
        if official and file.content.lstrip(b"\xef\xbb\xbf \r\n").startswith(
                tuple(map(str.encode, JSON_BEGINS))):
            return _generations(file, rows, texts)
        ids = None
        if texts is not None:
            ids = [(str(number), context_id(*text))
                   for number, text in enumerate(texts, start=1)]
        columns = self.prediction_columns
        refusal = None if rows is None else art_files.repeated_contexts(file, rows)
        if refusal is not None:
            return refusal
        return art_files.read_plain_or_keyed(file, KEY, columns, ids, rows,
                                             self.empty_line)

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
        return self.settings.given == art_files.GIVEN

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

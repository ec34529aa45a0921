"""What a model is asked, and what its answers score: the items of a split, messages, our metrics.

Scores are those of ``scorer score``: of an item when its answer comes, of the split from all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer import boards
from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import Golds, needed_texts
from scorer.boards.prompts import (
    CHOICES,
    MOST_EXAMPLES,
    SEED,
    Message,
    Prompt,
    PromptExamples,
    learned_from,
    messages,
    prompt_of,
)
from scorer.core.errors import UsageError, excerpt
from scorer.core.files import sha256
from scorer.core.reading.tsv import Problems, Row
from scorer.core.records import ItemResult
from scorer.models.registry import Models
from scorer.scoring.evaluate import Session
from scorer.scoring.submissions import Scorer


@dataclass(frozen=True)
class AskedItems:
    """The items of a split, numbered from 1 as in every file."""

    board: Board
    split: str
    texts: tuple[tuple[str, ...], ...]
    """The input columns of every item."""
    gold: Golds | None
    """None where the gold is not public: nothing can be scored then."""

    @property
    def digest(self) -> str:
        """SHA-256 of the texts, the same wherever the same items are asked."""
        return sha256(json.dumps(self.texts, ensure_ascii=True).encode())


def read_items(name: str, split: str, home: Path, *, boards_folder: Path | None = None,
               with_gold: bool = True) -> AskedItems:
    """The items of a split. Raises UsageError for an unknown one, DataError if not at hand."""
    board = boards.load(name, boards_folder)
    described = board.split(split)
    texts = needed_texts(board, split, home)
    gold = None
    if with_gold and described.gold == "public":
        gold = Scorer(Models(allowed=False, home=home), home, boards_folder).gold(board, split)
    return AskedItems(board, split, texts, gold)


@dataclass(frozen=True)
class Asking:
    """What a model is asked, and how."""

    items: AskedItems
    prompt: Prompt
    examples: PromptExamples

    def messages(self, number: int) -> tuple[Message, ...]:
        """What the model reads for one item, by its number."""
        texts = self.items.texts[number - 1]
        return messages(self.prompt, self.items.board, texts, self.examples.chosen(texts))

    def described(self) -> Mapping[str, Any]:
        """What a log must say for its answers to become a submission; JSON."""
        board = self.items.board
        return {
            "whyboard": __version__, "board": board.id, "board_version": board.version,
            "split": self.items.split, "items": len(self.items.texts),
            "inputs_sha256": self.items.digest,
            "prompt": {"name": self.prompt.name, "version": self.prompt.version,
                       "digest": self.prompt.digest},
            "examples": {"count": self.examples.count, "choice": self.examples.choice},
        }


def asking(board: str, split: str, *, prompt: str | None = None, examples: int | None = None,
           choice: str | None = None, seed: int = SEED, learn_from: Path | None = None, home: Path,
           boards_folder: Path | None = None, with_gold: bool = True) -> Asking:
    """Read everything that is asked.

    ``prompt``: the board's first if None; ``examples``, ``choice``: how many and which, the
    prompt's own if None; ``learn_from``: where examples are taken from, if not from train. Raises
    UsageError for what there is not, DataError for data that are not at hand.
    """
    items = read_items(board, split, home, boards_folder=boards_folder, with_gold=with_gold)
    chosen = prompt_of(items.board, prompt)
    count = chosen.examples if examples is None else examples
    if not 0 <= count <= MOST_EXAMPLES:
        raise UsageError(f"examples={count}: expected 0 to {MOST_EXAMPLES}")
    if choice not in (None, *CHOICES):
        raise UsageError(f"choice={excerpt(str(choice))}: expected {' or '.join(CHOICES)}")
    if not count and learn_from is not None:
        raise UsageError(f"prompt {chosen.name} shows no examples, so {learn_from} gives none; say "
                         "how many are to be shown")
    golds = learned_from(items.board, home, learn_from) if count else ()
    return Asking(items, chosen, PromptExamples(items.board, golds, chosen, count, choice=choice,
                                                seed=seed))


class ItemScorer:
    """The metrics of a board over one split with public gold."""

    def __init__(self, board: Board, gold: Golds, metrics: tuple[str, ...], models: Models
                 ) -> None:
        """``metrics``: all of the board's if empty. Raises UsageError for one that it has not."""
        self._board, self._gold_id = board, gold.id
        self._session = Session(board, models, models.tag, metrics)
        self._golds = dict(zip(gold.rows, gold.items, strict=True))

    def item(self, number: int, columns: Sequence[str]) -> ItemResult:
        """An answer in the columns of a predictions file, to an item by its number."""
        return self._session.item(number, self._golds[number], self._prediction(columns))

    def split(self, answers: Mapping[int, Sequence[str]]) -> dict[str, float]:
        """Metric -> its value for these items, in the board's order.

        ``answers``: their columns, by the items' numbers.
        """
        numbers = sorted(answers)
        if not numbers:
            return {}
        values = self._session.evaluate(
            Golds.of([self._golds[number] for number in numbers], self._gold_id),
            [self._prediction(answers[number]) for number in numbers],
            split="given", with_null=False).metrics
        return {name: metric.value for name, metric in values.items() if metric.value is not None}

    def _prediction(self, columns: Sequence[str]) -> Any:
        """What columns say that an answer was read into."""
        return self._board.task.read_prediction(Row(1, tuple(columns)), Problems("<answer>"))

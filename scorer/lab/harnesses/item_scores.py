"""Our scores inside a harness: of one answer when it comes, of the split when all are there.

Both are those of ``scorer score``. An item is measured once; the metrics of the split take the
items' numbers, and only those that need all items at once measure them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scorer.boards import Board
from scorer.core.errors import DataError
from scorer.core.reading.tsv import Problems, Row
from scorer.core.records import ItemResult, ItemScore
from scorer.lab.harnesses.asking import Items
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.evaluate import Session
from scorer.scoring.submissions import SplitGold
from scorer.scoring.summary import total


@dataclass
class ItemScorer:
    """The metrics of a board over one split with public gold."""

    board: Board
    gold: SplitGold
    metrics: tuple[str, ...]
    """Those asked for; all of the board's if empty."""
    models: Models
    _session: Session = field(init=False)
    _golds: dict[int, Any] = field(init=False)

    @classmethod
    def of(cls, items: Items, metrics: Sequence[str], models: Models) -> ItemScorer | None:
        """None where the gold is not public. Raises UsageError for a metric not of the board."""
        if items.gold is None:
            return None
        return cls(items.board, items.gold, tuple(metrics), models)

    def __post_init__(self) -> None:
        self._session = Session(self.board, self.models, self.models.tag, self.metrics)
        self._golds = dict(zip(self.gold.rows, self.gold.items, strict=True))

    def item(self, number: int, columns: Sequence[str]) -> ItemResult:
        """An answer in the columns of a predictions file, to an item by its number.

        Raises DataError for columns that are no prediction.
        """
        return self._session.item(number, self._golds[number], prediction(self.board, columns))

    def split(
        self, scores: Mapping[int, Mapping[str, ItemScore]], answers: Mapping[int, Sequence[str]]
    ) -> dict[str, float]:
        """Metric -> its value for these items, in the board's order.

        ``scores``: what ``item`` measured, by the items' numbers. ``answers``: their columns.
        """
        numbers = sorted(scores)
        whole = self._whole(numbers, answers)
        values = {}
        for name in self.metrics or self.board.metrics:
            if name in whole:
                values[name] = whole[name]
            elif numbers and all(name in scores[number] for number in numbers):
                values[name] = total(METRICS[name], [scores[number][name] for number in numbers])
        return values

    def _whole(
        self, numbers: Sequence[int], answers: Mapping[int, Sequence[str]]
    ) -> dict[str, float]:
        """The metrics that take all items at once."""
        names = tuple(name for name in self.metrics or self.board.metrics if METRICS[name].whole)
        if not names or not numbers:
            return {}
        result = Session(self.board, self.models, self.models.tag, names).evaluate(
            [self._golds[number] for number in numbers],
            [prediction(self.board, answers[number]) for number in numbers],
            split="given", gold_id=self.gold.id, with_null=False,
        )
        return {name: one.value for name, one in result.metrics.items() if one.value is not None}


def prediction(board: Board, columns: Sequence[str]) -> Any:
    """What the columns of a row say. Raises DataError where they are no prediction."""
    problems = Problems("<answer>")
    found = board.task.read_prediction(Row(1, tuple(columns)), problems)
    if found is None or problems.total:
        raise DataError("; ".join(map(str, problems.kept)) or "the answer is no prediction")
    return found

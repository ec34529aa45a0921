"""Both sides on one file of predictions, and how far they differ."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import Board
from scorer.boards.golds import gold_files
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.scoring.submissions import Scorer

TOLERANCE = 1e-6
MATCHED = ("G-BLEU", "G-ROUGE-2")
METRICS = ("SA", "StCA", *MATCHED, "GED")
PASSED = "struct_correct"


class Difference(NamedTuple):
    """How far two sides differ on some items."""

    items: int
    annotations: int
    """Items that they annotate differently."""
    passed: int
    """Items that both let pass, whose values are compared."""
    greatest: Mapping[str, float]
    """By metric: the greatest difference of any item's value, or of its precision or recall."""

    def within(self, tolerance: float) -> bool:
        """Whether nothing differs by more, and something was compared."""
        return not self.annotations and self.passed > 0 and all(
            value <= tolerance for value in self.greatest.values())

    def __str__(self) -> str:
        values = ", ".join(f"{name} {value:.2g}" for name, value in self.greatest.items())
        return (f"{self.items} items, {self.annotations} annotated differently, {self.passed} "
                f"passed; greatest difference: {values}")


def ours(board: Board, predictions: Path, gold: Path) -> Result:
    """What we say of a file of predictions, without a model."""
    scorer = Scorer(Models(allowed=False), Path(), metrics=METRICS, with_null=False)
    return scorer.file(board, predictions, "dev", gold_files(board, {"gold": gold})).result


def released(
    python: str, checkout: Path, predictions: Path, gold: Path, relations: Path, out: Path, *,
    two_golds: bool = False,
) -> dict[str, Any]:
    """What the released code says of it. Raises RuntimeError with its words if it fails."""
    ran = subprocess.run(
        [python, "-W", "ignore", str(Path(__file__).with_name("released.py")), str(checkout),
         str(predictions), str(gold), str(relations), str(out),
         *(["--two-golds"] if two_golds else [])],
        capture_output=True, text=True, check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"the released code failed:\n{ran.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


def difference(result: Result, theirs: Mapping[str, Any]) -> Difference:
    """Item by item. Raises ValueError if the sides do not have as many items."""
    annotations = [(item.verdict.annotation, other)
                   for item, other in zip(result.items, theirs["annotation"], strict=True)]
    passed = [place for place, pair in enumerate(annotations) if pair == (PASSED, PASSED)]
    positions = {row: place for place, row in enumerate(
        row for row, (_, other) in enumerate(annotations) if other == PASSED)}
    greatest = {"GED": _greatest(
        [(item.scores["GED"].value, other)
         for item, other in zip(result.items, theirs["GED"], strict=True)])}
    for name in MATCHED:
        pairs: list[tuple[float, float]] = []
        for row in passed:
            score, place = result.items[row].scores[name], positions[row]
            pairs += [(value, theirs[name][part][place])
                      for part, value in (("f1", score.value), *score.parts.items())
                      if part in theirs[name]]
        greatest[name] = _greatest(pairs)
    return Difference(len(annotations), sum(a != b for a, b in annotations), len(passed), greatest)


def summed(found: Sequence[Difference]) -> Difference:
    """Over several sets."""
    names = dict.fromkeys(name for one in found for name in one.greatest)
    return Difference(
        sum(one.items for one in found), sum(one.annotations for one in found),
        sum(one.passed for one in found),
        {name: max(one.greatest[name] for one in found) for name in names},
    )


def _greatest(pairs: Sequence[tuple[float, float]]) -> float:
    return max((abs(one - other) for one, other in pairs), default=0.0)

"""The library: check and score predictions given as plain lists, for a training loop."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scorer import boards
from scorer.boards import Board
from scorer.core.errors import UsageError
from scorer.core.files import home_folder
from scorer.core.reading.tsv import File
from scorer.scoring.checking import CheckReport, check_file, plain_bytes

if TYPE_CHECKING:
    from scorer.core.results import Result

Rows = Sequence[Sequence[str]]


def _board(board: str | os.PathLike[str] | Board) -> Board:
    return board if isinstance(board, Board) else boards.load(Path(board))


def check(
    predictions: Rows, *, board: str | os.PathLike[str] | Board = "explagraphs",
    inputs: Rows | None = None,
) -> CheckReport:
    """Whether predictions can be scored, and what their graphs break.

    ``predictions``: one row an item, in the board's columns: ``(stance, graph)`` for ExplaGraphs.
    ``inputs``: rows that begin with the item's texts, ``(belief, argument, ...)``; without them
    nothing is said about concepts in the texts. Raises UsageError for an unknown board.

    >>> report = check([("support", "(cats; is a; pets)")])
    >>> report.ok, [finding.rule for finding in report.broken[0]]
    (True, ['EG-FEW-FACTS'])
    >>> [problem] = check([("Support", "()")]).problems
    >>> problem.rule, problem.found, problem.advice
    ('TSV-LABEL', "stance 'Support'", "write 'support', exactly")
    """
    described = _board(board)
    width = len(described.task.input_columns)
    texts = [tuple(row)[:width] for row in inputs] if inputs is not None else None
    for number, row in enumerate(texts or (), start=1):
        if len(row) < width:
            raise UsageError(f"<inputs>: row {number} has {len(row)} texts, expected {width}")
    file = File(plain_bytes(predictions, "<predictions>"), "<predictions>")
    return check_file(described, file, texts=texts)


def score(
    predictions: Rows, golds: Rows, *, board: str | os.PathLike[str] | Board = "explagraphs",
    metrics: Sequence[str] | None = None, null: bool = False, models: bool = False,
) -> Result:
    """Score predictions against golds.

    ``predictions``: one row an item, ``(stance, graph)`` for ExplaGraphs. ``golds``: the same
    items, ``(belief, argument, stance, graph)`` or with a second graph. ``metrics``: ids, all of
    the board's if None. ``null``: score the stance-matched null too. ``models``: load
    models for the metrics that need one; else those are None with a reason.

    Returns a Result: ``.metrics[id].value``, ``.items``, ``.signature()``. Means run over all
    items. Raises SubmissionError (with every fault) if rows cannot be read.

    >>> gold = ("cats are good pets", "cats purr at home", "support",
    ...         "(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)")
    >>> result = score([(gold[2], gold[3])], [gold], metrics=["SA", "StCA", "GED"])
    >>> [(name, value.value) for name, value in result.metrics.items()]
    [('SA', 1.0), ('StCA', 1.0), ('GED', 0.0)]
    """
    from scorer.boards.golds import gold_file
    from scorer.models.registry import Models
    from scorer.scoring.submissions import Scorer

    described = _board(board)
    gold = gold_file(described, File(plain_bytes(golds, "<golds>"), "<golds>"))
    answers = File(plain_bytes(predictions, "<predictions>"), "<predictions>")
    scorer = Scorer(Models(allowed=models), home_folder(), metrics=tuple(metrics or ()),
                    with_null=null)
    return scorer.file(described, answers, "given", gold).result

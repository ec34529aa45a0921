"""People's answers to the items of a split, beside gold, systems and systems' probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.boards import Board
from scorer.boards.golds import Golds, read_golds
from scorer.boards.item_files import LabelCounts, read_answers, read_probabilities
from scorer.boards.others import probabilities_path
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.people.documents import Estimate
from scorer.people.sureness import by_sureness, from_people, sureness
from scorer.people.sureness_document import (
    FORMAT,
    CalibrationDocument,
    ReliabilityDocument,
    SurenessDocument,
)
from scorer.scoring.results import files
from scorer.scoring.results.ranks import item_scores
from scorer.statistics.calibration import calibration

NOBODY = "the board names no answers of people to this split"
NO_PROBABILITIES = "no system's probabilities for this split are at hand"


class Scores(NamedTuple):
    """Whether each of a system's labels is gold's."""

    values: Sequence[float]
    """1 or 0 for every item."""
    predictions: str
    """The digest of the file."""


def at_hand(board: Board, split: str, home: Path) -> bool:
    """Whether a split's gold is there, with people's answers or a system's probabilities."""
    return board.data_file(split, home) is not None and bool(
        board.answers_file(split, home) or probabilities_files(board, split, home))


def probabilities_files(board: Board, split: str, home: Path) -> dict[str, Path]:
    """The files with systems' probabilities for a split, by system."""
    folder = home / "data" / board.id
    before, after = probabilities_path("*", split).split("*")
    return {str(path.relative_to(folder)).removeprefix(before).removesuffix(after): path
            for path in sorted(folder.glob(f"{before}*{after}"))}


def scores_in(results: Path, board: Board, split: str) -> dict[str, Scores]:
    """The label scores of every result below a folder that has those of all items.

    Raises DataError for a result that cannot be read.
    """
    metric, found = board.label_metric, {}
    for path in sorted((results / board.id).glob(f"*/*/{split}.json")):
        result = files.read(path)
        values = item_scores(result, metric, board.splits[split].rows) if metric else ()
        if len(values):
            found[f"{result.team}/{result.system}"] = Scores(
                values, result.predictions.sha256)
    return found


def document(board: Board, split: str, home: Path, scores: Mapping[str, Scores],
             ) -> SurenessDocument:
    """How sure people and systems are of a split's labels.

    Raises DataError if gold is not at hand, and with every fault of a file.
    """
    path = board.data_file(split, home)
    if path is None:
        raise DataError(f"{board.id} {split}: gold not on this machine; run: {board.how_to_bring}")
    golds = read_golds(board, split, path)
    gold = _places(board, golds)
    people = _people(board, split, home, golds)
    counts = None if people is None else np.array(people.counts, dtype=np.int64)
    probabilities = {
        system: _calibration(rows, file, gold, counts)
        for system, file in probabilities_files(board, split, home).items()
        if (rows := read_probabilities(board, system, split, home)) is not None}
    return SurenessDocument(
        format=FORMAT, board=board.id, board_version=board.version, split=split,
        gold_sha256=golds.sha256,
        people=None if people is None or counts is None else sureness(
            counts, gold.tolist(), [people.labels.index(one) for one in people.named],
            digest=_digest(board, split, home)),
        people_note="" if people is not None else NOBODY,
        systems={} if counts is None else {
            system: by_sureness(counts, one.values, one.predictions)
            for system, one in scores.items()},
        probabilities=probabilities,
        probabilities_note="" if probabilities else NO_PROBABILITIES)


def _places(board: Board, golds: Golds) -> NDArray[np.int64]:
    """The place of each item's label among the board's."""
    contents = (board.task.gold_contents(one)[0] for one in golds.items)
    return np.array([board.labels.index(one.label or "") for one in contents], dtype=np.int64)


def _people(board: Board, split: str, home: Path, golds: Golds) -> LabelCounts | None:
    if board.splits[split].answers is None:
        return None
    path = board.answers_file(split, home)
    if path is None:
        raise DataError(f"{board.id} {split}: people's answers not on this machine; "
                        f"run: scorer data fetch {board.id}")
    return read_answers(board, split, path, [item.texts for item in golds.items])


def _digest(board: Board, split: str, home: Path) -> str:
    path = board.answers_file(split, home)
    assert path is not None
    return sha256_file(path)


def _calibration(rows: Sequence[Sequence[float]], file: Path, gold: NDArray[np.int64],
                 people: NDArray[np.int64] | None) -> CalibrationDocument:
    """Of some probabilities, which may miss the sum 1 by a rounding."""
    found = np.array(rows)
    found /= found.sum(axis=1, keepdims=True)
    one, n = calibration(found, gold), len(rows)
    apart, divergence = (None, None) if people is None else from_people(people, found)
    return CalibrationDocument(
        probabilities_sha256=sha256_file(file), items=n,
        accuracy=Estimate.of(one.accuracy, n, one.accuracy_interval), confidence=one.confidence,
        ece=one.error, brier=Estimate.of(one.brier, n, one.brier_interval),
        bins=[ReliabilityDocument(**bin_._asdict()) for bin_ in one.bins],
        jensen_shannon=apart, kullback_leibler=divergence)

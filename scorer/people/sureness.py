"""How sure people are of each item's label, and what that means for gold, systems and their
probabilities.

``counts`` of shape (items, labels) say how many people gave each label. Every interval is one over
items: it says what other items of the same kind would give, never what other people would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.boards import Board
from scorer.boards.golds import needed_golds
from scorer.boards.item_files import read_answers, read_probabilities
from scorer.boards.others import probabilities_path
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.people.agreement import measured_counts
from scorer.people.documents import (
    BinDocument,
    CalibrationDocument,
    Estimate,
    MajorityDocument,
    PeopleDocument,
    ReliabilityDocument,
    SurenessDocument,
    SystemDocument,
)
from scorer.scoring.results import files
from scorer.scoring.results.ranks import item_scores
from scorer.statistics import ALPHA, TIE
from scorer.statistics.calibration import calibration, distances
from scorer.statistics.comparison import coin_tail
from scorer.statistics.intervals import mean, proportion

PARTS = 4
"""So many bins of equal width divide the entropies that answers can have."""
DRAWN = (3, 5)
"""The sizes of small groups of people whose majority is held against gold."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def sureness(counts: Counts, gold: Sequence[int], named: Sequence[int] = (), *,
             digest: str) -> PeopleDocument:
    """What ``counts`` say of ``gold``, the place of each item's right label.

    ``named``: the places of the labels that the source takes for the majority's; left out, ties
    count by halves (by thirds of three labels, and so on). ``digest``: of the file of answers.
    """
    sizes = counts.sum(axis=1)
    rows = counts.tolist()
    whole = (np.equal(named, gold).astype(float) if len(named)
             else expected_right(rows, gold, None))
    single = expected_right(rows, gold, 1)
    fewest = int(sizes.min())
    at, edges = bins_of(counts)
    return PeopleDocument(
        answers_sha256=digest, items=len(rows), answers=int(sizes.sum()),
        right=sum(row[right] for row, right in zip(rows, gold, strict=True)),
        raters=[fewest, int(sizes.max())], tied=sum(row.count(max(row)) > 1 for row in rows),
        unclear=sum(map(unclear, rows)), one=estimate(single),
        majorities=[MajorityDocument(people=n, right=estimate(expected_right(rows, gold, n)))
                    for n in dict.fromkeys((*DRAWN, fewest)) if n <= fewest],
        majority=estimate(whole), agreement=measured_counts(counts),
        bins=[BinDocument(low=low, high=high, items=one.n, one=one, majority=majority)
              for (low, high), one, majority in zip(
                  pairwise(edges), by_bin(at, single), by_bin(at, whole), strict=True)])


def bins_of(counts: Counts) -> tuple[Counts, list[float]]:
    """The bin of each item, from 0, and the edges of the PARTS bins.

    Both are of the entropy of its answers, in bits: 0 where all are equal, log2 of the number of
    labels where all labels are as frequent.
    """
    from scipy.stats import entropy

    edges = np.linspace(0, math.log2(counts.shape[1]), PARTS + 1)
    at = np.searchsorted(edges, entropy(counts, base=2, axis=1) + TIE, side="right") - 1
    return np.clip(at, 0, PARTS - 1), edges.tolist()


def unclear(counts: Sequence[int]) -> bool:
    """Whether people do not say which of the two most frequent labels is right: a two-sided sign
    test between these is not significant at 5 %.

    >>> unclear([60, 40]), unclear([61, 39])
    (True, False)
    """
    most, next_ = sorted(counts, reverse=True)[:2]
    return 2 * coin_tail(next_, most + next_) > ALPHA


def expected_right(rows: Sequence[Sequence[int]], gold: Sequence[int], n: int | None) -> Floats:
    """Of each item, the probability that the majority of ``n`` people gives gold's label.

    They are drawn without replacement from those who answered (a multivariate hypergeometric
    distribution); None: all of them. Of t labels that are equally frequent each is taken with
    probability 1 / t. All draws are counted.
    """
    return np.array([_expected(tuple(row), right, sum(row) if n is None else n)
                     for row, right in zip(rows, gold, strict=True)])


@lru_cache(maxsize=4096)
def _expected(counts: tuple[int, ...], right: int, n: int) -> float:
    every = math.comb(sum(counts), n)
    return math.fsum(
        math.prod(map(math.comb, counts, drawn)) / every / drawn.count(drawn[right])
        for drawn in _draws(counts, n) if drawn[right] == max(drawn))


def _draws(counts: tuple[int, ...], n: int) -> Iterator[tuple[int, ...]]:
    """Every way in which ``n`` answers may be divided among the labels."""
    first, *rest = counts
    if not rest:
        yield (n,)
        return
    for some in range(max(0, n - sum(rest)), min(first, n) + 1):
        yield from ((some, *others) for others in _draws(tuple(rest), n - some))


def estimate(values: Sequence[float] | Floats) -> Estimate:
    """The mean over items: Wilson's interval if all are 0 or 1, else that of a mean."""
    numbers = [float(value) for value in values]
    n, total = len(numbers), math.fsum(numbers)
    if not n:
        return Estimate.undefined(0, "no items")
    counted = all(number in (0, 1) for number in numbers)
    return Estimate.of(total / n, n, proportion(int(total), n) if counted else mean(numbers))


def by_bin(at: Counts, values: Floats) -> list[Estimate]:
    """The mean of each bin. ``at``: the bin of each item."""
    return [estimate(values[at == index]) for index in range(PARTS)]


def by_sureness(counts: Counts, values: Sequence[float], digest: str) -> SystemDocument:
    """A system's accuracy, all and by the bins of people's answers.

    ``values``: of each item 1 where the system's label is gold's, else 0. ``digest``: of its
    predictions.
    """
    at, _ = bins_of(counts)
    return SystemDocument(predictions_sha256=digest, whole=estimate(values),
                          bins=by_bin(at, np.asarray(values)))


# ---- the answers to a split --------------------------------------------------------------------

NOBODY = "the board names no answers of people to this split"
NO_PROBABILITIES = "no system's probabilities for this split are at hand"


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


def document(board: Board, split: str, home: Path, results: Path) -> SurenessDocument:
    """How sure people and systems are of a split's labels. ``results``: a folder with systems'.

    Raises DataError if gold is not at hand, and with every fault of a file.
    """
    golds = needed_golds(board, split, home)
    contents = (board.task.gold_contents(item)[0] for item in golds.items)
    gold = np.array([board.labels.index(answer.label or "") for answer in contents], dtype=np.int64)
    people, counts, systems = None, None, {}
    if board.splits[split].answers is not None:
        answers = board.answers_file(split, home)
        if answers is None:
            raise DataError(f"{board.id} {split}: people's answers not on this machine; "
                            f"run: scorer data fetch {board.id}")
        known = read_answers(board, split, answers, [item.texts for item in golds.items])
        counts = np.array(known.counts, dtype=np.int64)
        people = sureness(counts, gold.tolist(),
                          [known.labels.index(label) for label in known.named],
                          digest=sha256_file(answers))
        systems = _systems(board, split, results, counts)
    probabilities = {
        system: _calibration(np.array(rows), file, gold, counts)
        for system, file in probabilities_files(board, split, home).items()
        if (rows := read_probabilities(board, system, split, home)) is not None}
    return SurenessDocument(
        format="sureness/1", board=board.id, board_version=board.version, split=split,
        gold_sha256=golds.sha256, people=people, people_note="" if people else NOBODY,
        systems=systems, probabilities=probabilities,
        probabilities_note="" if probabilities else NO_PROBABILITIES)


def _systems(board: Board, split: str, results: Path, counts: Counts) -> dict[str, SystemDocument]:
    """Of every system with label scores of all items."""
    systems = {}
    for path in sorted((results / board.id).glob(f"*/*/{split}.json")):
        result = files.read(path)
        scores = item_scores(result, board.label_metric or "", board.splits[split].rows)
        if len(scores):
            systems[f"{result.team}/{result.system}"] = by_sureness(
                counts, scores, result.predictions.sha256)
    return systems


def _calibration(probabilities: Floats, file: Path, gold: Counts, people: Counts | None,
                 ) -> CalibrationDocument:
    """Of some probabilities, which may miss the sum 1 by a rounding."""
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    fit, n = calibration(probabilities, gold), len(gold)
    far = (None, None) if people is None else [Estimate.of(float(values.mean()), n, mean(
        values.tolist(), within=(0.0, math.inf))) for values in distances(people, probabilities)]
    return CalibrationDocument(
        probabilities_sha256=sha256_file(file), items=n,
        accuracy=Estimate.of(fit.accuracy, n, fit.accuracy_interval), confidence=fit.confidence,
        ece=fit.error, brier=Estimate.of(fit.brier, n, fit.brier_interval),
        bins=[ReliabilityDocument(**bin_._asdict()) for bin_ in fit.bins],
        jensen_shannon=far[0], kullback_leibler=far[1])

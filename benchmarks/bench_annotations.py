"""How often prediction-powered intervals hold what people would say of all graphs; how wide.

    python -m benchmarks.bench_annotations

Made-up verdicts, seeded: a system of which people accept a share of 398 graphs, a judge that is
right on a share of them (or more often on right graphs than on wrong ones, or the other way), and
people who read a random sample. Only counts are drawn, since nothing else matters.

Comparisons of two equal systems draw every item: the systems, and the judge's verdicts on them, err
on the same items or each on its own, and people read the first of the same shuffled rows that
passed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.records import NORMAL
from scorer.people.powered import Sums, Verdicts, bounds, power_tuned, side, t_of
from scorer.statistics.intervals import t_factor

N = 398
RUNS = 20_000
LABELLED = (50, 100, 200)
ACCURACIES = (0.5, 0.65, 0.75, 0.9)
TRUTHS = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)
LEANINGS = (0.0, -0.1, 0.1, -0.25, 0.25)
"""A judge of accuracy a is right on a + d of the right graphs and on a - d of the wrong ones."""
PASSING = (1.0, 0.5)
HARSH = 0.25
"""So much less often the judge accepts right graphs of the system that it is biased against."""
PAIRS = 5_000
EQUAL = (0.1, 0.35, 0.6, 0.9)
"""What people accept of either of two equal systems; half of it where half of it fails a gate."""
ALIKE = (0.0, 0.7)
"""How far two systems, and the judge's verdicts on them, err on the same items: the correlation of
what decides about an item."""
BETTER = 0.15
"""What one system is better by where it is."""


def run() -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note."""
    start = time.process_time()
    source = np.random.default_rng(20)
    rows = [*_coverage(source), *_bias(source), *_comparisons(source)]
    return [*rows, _row("the whole simulation", time.process_time() - start, None, "s", "CPU")]


class _World(NamedTuple):
    """What one case is, and what intervals made of it."""

    truth: float
    accuracy: float
    leaning: float
    held: float
    """How often our interval holds the truth."""
    usual: float
    """How often 1.96 standard errors do, as in ppi_py."""
    width: float
    """Mean width over that of Wilson's interval of people's verdicts alone."""
    weight: float
    off: float
    """Mean value less the truth."""


def _coverage(source: np.random.Generator) -> Iterator[dict[str, Any]]:
    for labelled, accuracy in product(LABELLED, ACCURACIES):
        worlds = [_world(source, labelled, truth, accuracy, leaning)
                  for truth, leaning in product(TRUTHS, LEANINGS)
                  if accuracy - abs(leaning) >= 0 and accuracy + abs(leaning) <= 1]
        least = min(worlds, key=lambda one: one.held)
        yield _row(
            f"coverage, {labelled} labels, judge right on {accuracy:.0%}: least",
            least.held, min(one.usual for one in worlds), "share",
            f"{len(worlds)} worlds; mean {np.mean([one.held for one in worlds]):.3f}; least at "
            f"{least.truth:.0%} right and leaning {least.leaning:+.2f}; theirs: 1.96 se, as ppi_py")
        even = [one for one in worlds if one.leaning == 0]
        yield _row(
            f"width, {labelled} labels, judge right on {accuracy:.0%}, over people alone",
            float(np.mean([one.width for one in even])), None, "ratio",
            f"of Wilson's interval of the same labels; {min(one.width for one in even):.2f} to "
            f"{max(one.width for one in even):.2f}; mean weight of the judge "
            f"{np.mean([one.weight for one in even]):.2f}")
        yield _row(
            f"bias, {labelled} labels, judge right on {accuracy:.0%}: greatest",
            max(abs(one.off) for one in worlds), None, "share",
            f"without a leaning: {max(abs(one.off) for one in even):.4f}")
    for labelled in LABELLED:
        worlds = [_world(source, labelled, truth, accuracy, leaning, passing=0.5)
                  for truth, accuracy, leaning in product(TRUTHS, ACCURACIES, LEANINGS)
                  if accuracy - abs(leaning) >= 0 and accuracy + abs(leaning) <= 1]
        yield _row(f"coverage, {labelled} labels, half of the graphs fail a gate: least",
                   min(one.held for one in worlds), None, "share",
                   f"{len(worlds)} worlds; mean {np.mean([one.held for one in worlds]):.3f}")


def _drawn(source: np.random.Generator, labelled: int, truth: float, right: float, wrong: float,
           passing: float = 1.0) -> Sums:
    """Counts of RUNS systems. ``right``, ``wrong``: how often the judge is right on either."""
    passed = source.binomial(N, passing, RUNS)
    n = np.minimum(labelled, passed)
    shares = [truth * right, truth * (1 - right), (1 - truth) * (1 - wrong), (1 - truth) * wrong]
    both, people, judge, _ = source.multinomial(n, shares).T
    others = passed - n
    more = source.binomial(others, shares[0] + shares[2])
    y, f = (both + people).astype(float), (both + judge).astype(float)
    return Sums(n, y, y, f, f, both.astype(float), others, more.astype(float), more.astype(float))


def _world(source: np.random.Generator, labelled: int, truth: float, accuracy: float,
           leaning: float, passing: float = 1.0) -> _World:
    sums = _drawn(source, labelled, truth, accuracy + leaning, accuracy - leaning, passing)
    _, low, high = bounds(sums, N)
    tuned = power_tuned(sums)
    share = (sums.n + sums.others) / N
    reach = NORMAL * np.sqrt(share**2 * tuned.variance
                             + tuned.value**2 * share * (1 - share) / N)
    middle, asked = share * tuned.value, passing * truth
    alone = _wilson_width(sums.y, sums.n)
    return _World(truth, accuracy, leaning, float(((low <= asked) & (asked <= high)).mean()),
                  float((abs(middle - asked) <= reach).mean()),
                  float((high - low).mean() / alone.mean()), float(tuned.weight.mean()),
                  float(middle.mean()) - asked)


def _wilson_width(count: NDArray[Any], n: NDArray[Any]) -> NDArray[Any]:
    z, p = NORMAL, count / n
    found: NDArray[Any] = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / 4 / n**2) * 2
    return found


def _bias(source: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Two equal systems, and a judge that is harsh with right graphs of the second."""
    truth = 0.6
    for labelled, accuracy in product(LABELLED, ACCURACIES):
        ways = [(accuracy, accuracy), (max(0.0, accuracy - HARSH), accuracy)]
        pair = [_drawn(source, labelled, truth, *one) for one in ways]
        alone = [(one.f + one.g) / N for one in pair]
        called = _apart(alone, [p * (1 - p) / N for p in alone])
        tuned = [power_tuned(one) for one in pair]
        ours = _apart([one.value for one in tuned], [one.variance for one in tuned])
        _, low, high = bounds(pair[1], N)
        yield _row(f"equal systems called unequal, {labelled} labels, judge right on "
                   f"{accuracy:.0%}, harsh with one", ours, called, "share",
                   f"theirs: the judge alone; the harshly judged one's interval holds the truth "
                   f"in {((low <= truth) & (truth <= high)).mean():.3f}")


def _apart(values: list[NDArray[Any]], variances: list[NDArray[Any]]) -> float:
    """How often two values lie more than 1.96 standard errors of their difference apart."""
    reach = NORMAL * np.sqrt(sum(variances, start=np.zeros(RUNS)))
    return float((abs(values[0] - values[1]) > reach).mean())


class _Pair(NamedTuple):
    """Two systems, PAIRS times."""

    truths: tuple[float, float]
    right: tuple[float, float]
    """How often the judge is right on right graphs of each."""
    wrong: float
    """How often it is right on wrong ones."""
    passing: tuple[float, float]
    alike: float

    def __str__(self) -> str:
        """Such as ``60% right, half of one failing a gate, the judge harsh with one``."""
        return ", ".join(filter(None, (
            f"{self.truths[1] * self.passing[1]:.0%} right",
            "half of one failing a gate" if self.passing[1] < 1 else "",
            "the judge harsh with one" if self.right[0] < self.right[1] else "",
            "alike" if self.alike else "each erring on its own")))


def _comparisons(source: np.random.Generator) -> Iterator[dict[str, Any]]:
    for labelled, accuracy in product(LABELLED[:2], ACCURACIES):
        worlds = [_Pair((truth * shares[1], truth * shares[0]), (accuracy - harsh, accuracy),
                        accuracy, shares, alike)
                  for truth, shares, alike, harsh in product(
                      EQUAL, [(1.0, 1.0), (1.0, 0.5)], ALIKE, [0.0, HARSH])]
        called = np.array([_called(source, labelled, one) for one in worlds])
        greatest = worlds[int(called[:, 0].argmax())]
        yield _row(
            f"equal systems told apart by our test, {labelled} labels, judge right on "
            f"{accuracy:.0%}: most", called[:, 0].max(), called[:, 1].max(), "share",
            f"{len(worlds)} worlds; mean {called[:, 0].mean():.3f}; most with {greatest}; "
            "theirs: 1.96 standard errors")
        unequal = [_Pair((0.5, 0.5 + BETTER), (accuracy, accuracy), accuracy, (1.0, 1.0), alike)
                   for alike in ALIKE]
        found = [_called(source, labelled, one)[0] for one in unequal]
        yield _row(f"systems {100 * BETTER:.0f} points apart told apart, {labelled} labels, judge "
                   f"right on {accuracy:.0%}", found[0], None, "share",
                   f"{found[1]:.3f} where the systems err on the same items")


def _called(source: np.random.Generator, labelled: int, pair: _Pair) -> tuple[float, float]:
    """How often two systems are told apart: by our test, and by 1.96 standard errors."""
    both = list(_items(source, labelled, pair))
    one, other = map(side, both)
    least = np.minimum(one.n, other.n)
    limits = {int(n): t_factor(int(n) - 1) for n in np.unique(least)}
    limit = np.array([limits[int(n)] for n in least])
    usual = NORMAL * np.sqrt(((one.parts - other.parts) ** 2).sum(axis=-1))
    values = [found.passed.mean(axis=-1) * power_tuned(found.sums).value for found in both]
    return (float((abs(t_of(one, other)) > limit).mean()),
            float((abs(values[0] - values[1]) > usual).mean()))


def _items(source: np.random.Generator, labelled: int, pair: _Pair) -> Iterator[Verdicts]:
    shape, place = (PAIRS, N), NormalDist().inv_cdf
    common = [source.standard_normal(shape) for _ in range(3)]
    order = source.random(shape)

    def drawn(which: int, share: float) -> NDArray[np.bool_]:
        if share in (0, 1):
            return np.full(shape, bool(share))
        own = source.standard_normal(shape)
        found: NDArray[np.bool_] = (np.sqrt(pair.alike) * common[which]
                                    + np.sqrt(1 - pair.alike) * own < place(share))
        return found

    for truth, right, passing in zip(pair.truths, pair.right, pair.passing, strict=True):
        passed, people = drawn(0, passing), drawn(1, truth)
        luck = np.sqrt(pair.alike) * common[2] + np.sqrt(1 - pair.alike) * (
            source.standard_normal(shape))
        judge = np.where(people, luck < place(right), luck >= place(pair.wrong))
        turn = np.where(passed, order, 2.0)
        read = passed & (turn <= np.sort(turn, axis=-1)[:, labelled - 1:labelled])
        yield Verdicts(passed, read, (people & read).astype(float), (judge & passed).astype(float))


def _row(name: str, ours: float, theirs: float | None, unit: str, note: str) -> dict[str, Any]:
    ratio = None if theirs is None or not theirs or unit != "s" else theirs / ours
    return {"name": name, "ours": ours, "theirs": theirs, "ratio": ratio, "unit": unit,
            "note": note}


if __name__ == "__main__":
    for line in run():
        theirs = "" if line["theirs"] is None else f" ({line['theirs']:.3f})"
        print(f"{line['name']:75} {line['ours']:.3f}{theirs}  {line['note']}")

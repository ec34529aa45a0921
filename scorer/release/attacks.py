"""What an attacker learns under each policy, measured on labels drawn by lot.

One attacker, n items with two labels, one released number a submission: the share of right labels.
He may send as often as the attack needs unless the policy is called after a limit. Every attack
ends with his guess of all labels; what is measured is the share of them that is right. Chance is a
half. Runs are independent and computed together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.release.ladder import is_better
from scorer.release.policy import finest

Bits = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Rules:
    """A policy as the attacks need it."""

    name: str
    grid: str | None = None
    """A step in points; None: full precision."""
    near_duplicate: int = 0
    """Percent of the rows."""
    ladder: bool = False
    most: int | None = None
    """How many submissions there may be."""


def policies(items: int) -> tuple[Rules, ...]:
    """The policies that are compared: each rule alone, then the default and its options."""
    default = finest(items)
    return (
        Rules("full precision"),
        *(Rules(f"grid of {grid} points", grid) for grid in ("0.1", "0.5", "1", "2.5", "5")),
        Rules("near-duplicate rule, full precision", None, 1),
        Rules(f"default without the limit ({default} points, near-duplicates)", default, 1),
        Rules("default for a year (53 submissions)", default, 1, most=53),
        Rules(f"Ladder, {default} points", default, ladder=True),
        Rules("default with the Ladder, without the limit", default, 1, ladder=True),
    )


class Oracle:
    """Answers submissions by the rules; the state of ``runs`` attackers, each of his own gold."""

    def __init__(self, gold: Bits, rules: Rules) -> None:
        """``gold``: runs by items."""
        self._gold, self._rules = gold, rules
        self._sent: list[Bits] = []
        self._best: Numbers | None = None

    @property
    def used_up(self) -> bool:
        """Whether no further submission is answered."""
        return self._rules.most is not None and len(self._sent) >= self._rules.most

    def ask(self, labels: Bits) -> Numbers:
        """One released value a run for ``labels``, runs by items; NaN where none is released."""
        if self.used_up:
            return np.full(len(labels), np.nan)
        right = (labels == self._gold).astype(np.float64)
        told = ~self._near(labels)
        self._sent.append(labels)
        if self._rules.ladder:
            told &= self._improves(right, told)
        return np.where(told, self._rounded(right.sum(-1)), np.nan)

    def _near(self, labels: Bits) -> Bits:
        near = np.zeros(len(labels), bool)
        fewest = self._rules.near_duplicate * labels.shape[-1] / 100
        for earlier in self._sent if fewest else ():
            near |= (labels != earlier).sum(-1) < fewest
        return near

    def _improves(self, right: Numbers, told: Bits) -> Bits:
        if self._best is None:
            self._best = np.full_like(right, -1)
        first = self._best[:, 0] < 0
        better: Bits = first | is_better(right, self._best)
        self._best = np.where((better & told)[:, None], right, self._best)
        return better

    def _rounded(self, counts: Numbers) -> Numbers:
        """Shares of right labels on the grid, ties upwards: as ``grid.rounded``, in integers."""
        n = self._gold.shape[-1]
        if self._rules.grid is None:
            return np.asarray(counts / n)
        width = Fraction(self._rules.grid) / 100 * n
        steps = (2 * counts * width.denominator + width.numerator) // (2 * width.numerator)
        return np.asarray(steps * float(Fraction(self._rules.grid) / 100))


def flip_one(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """Send a file, then the same with one label flipped, for every row.

    A rise says the flipped label is right, a fall that the first one was. Where a run sees changes
    in one direction only, no change means the other. What stays open is guessed.
    """
    base = chance.random(gold.shape) < 0.5
    return _flips(base, Oracle(gold, rules), gold, chance)


def flip_from_a_boundary(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """First flip one label after the other until the value moves, then flip one from there.

    Next to a boundary of the grid a single label moves the value, however coarse the grid is.
    """
    oracle = Oracle(gold, rules)
    labels = chance.random(gold.shape) < 0.5
    base, found = labels.copy(), np.zeros(len(gold), bool)
    before = oracle.ask(labels)
    for row in range(gold.shape[1]):
        flipped = labels.copy()
        flipped[:, row] ^= True
        after = oracle.ask(flipped)
        with np.errstate(invalid="ignore"):
            moved = ~found & (np.abs(after - before) > 1e-9)
        base[moved] = labels[moved]
        found |= moved
        labels, before = flipped, np.where(np.isnan(after), before, after)
        if found.all():
            break
    return _flips(base, oracle, gold, chance)


def _flips(base: Bits, oracle: Oracle, gold: Bits, chance: np.random.Generator) -> float:
    start = oracle.ask(base)
    changes = np.full(gold.shape, np.nan)
    for row in range(gold.shape[1]):
        if oracle.used_up:
            break
        labels = base.copy()
        labels[:, row] ^= True
        changes[:, row] = oracle.ask(labels) - start
    with np.errstate(invalid="ignore"):
        rise, fall = np.asarray(changes > 1e-9), np.asarray(changes < -1e-9)
    same = ~np.isnan(changes) & ~rise & ~fall
    rises, falls = rise.any(-1, keepdims=True), fall.any(-1, keepdims=True)
    flipped = rise | (same & falls & ~rises)
    kept = fall | (same & rises & ~falls)
    guess = np.where(flipped, ~base, np.where(kept, base, chance.random(gold.shape) < 0.5))
    return float((guess == gold).mean())


def majority_vote(
    gold: Bits, rules: Rules, chance: np.random.Generator, submissions: int = 400
) -> float:
    """Send random labels, then let the files vote: for their labels where better than chance."""
    oracle = Oracle(gold, rules)
    votes = np.zeros(gold.shape)
    for _ in range(submissions):
        labels = chance.random(gold.shape) < 0.5
        value = oracle.ask(labels)
        weight = np.nan_to_num(np.sign(np.round(value - 0.5, 12)))
        votes += weight[:, None] * np.where(labels, 1.0, -1.0)
    votes += (chance.random(gold.shape) - 0.5) / 2  # ties by lot
    return float(((votes > 0) == gold).mean())


def climb_by_blocks(
    gold: Bits, rules: Rules, chance: np.random.Generator, submissions: int = 400
) -> float:
    """Flip a few rows at once, as few as are no near-duplicate, and keep them if the value rises.

    Under the Ladder any value that is released at all is a rise.
    """
    oracle = Oracle(gold, rules)
    base = chance.random(gold.shape) < 0.5
    best = oracle.ask(base)
    size = max(2, math.ceil(rules.near_duplicate * gold.shape[1] / 100))
    for _ in range(submissions - 1):
        labels = base.copy()
        labels[:, chance.permutation(gold.shape[1])[:size]] ^= True
        value = oracle.ask(labels)
        told = ~np.isnan(value)
        rose = told if rules.ladder else told & (np.nan_to_num(value) > best + 1e-9)
        base[rose], best[rose] = labels[rose], value[rose]
    return float((base == gold).mean())


ATTACKS: dict[str, Callable[[Bits, Rules, np.random.Generator], float]] = {
    "flip one": flip_one,
    "flip one from a boundary": flip_from_a_boundary,
    "majority of 400": majority_vote,
    "climb in 400": climb_by_blocks,
}


def measure(
    rules: Rules, *, items: int = 400, runs: int = 20, seed: int = 0
) -> dict[str, float]:
    """The share of labels that each attack recovers under some rules, over all runs."""
    found = {}
    for name, attack in ATTACKS.items():
        chance = np.random.default_rng(seed)
        gold = chance.random((runs, items)) < 0.5
        found[name] = attack(gold, rules, chance)
    return found


def table(*, items: int = 400, runs: int = 20, seed: int = 0) -> str:
    """Every attack under every policy, as a Markdown table of shares of labels recovered."""
    head: list[Any] = ["policy", *ATTACKS]
    lines = [head, ["---"] * len(head)]
    for rules in policies(items):
        found = measure(rules, items=items, runs=runs, seed=seed)
        lines.append([rules.name, *(f"{value:.3f}" for value in found.values())])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)

"""How many hidden labels attackers find, by what is released and how often.

    python -m benchmarks.attacks_on_hidden_gold --runs 100

prints a Markdown table. Labels are made up, two kinds, seeded; a guess is right for half of them.
An attacker sends files, is told a value of each, and ends with a guess of all labels; the table has
the share that is right, the mean over independent attackers. Where the number of values is not
limited an attack sends as many as help it: 400, or 100 where each file depends on the answers so
far.

- *flip one*: one file, then each label flipped alone.
- *from a boundary*: the same, after moving to where the rounded value changes.
- *coin weighing*: sets of flips whose exact counts tell every label (Cantor and Mills 1966).
- *random designs*: files that differ in half their rows, decoded by ridge regression; each further
  metric counts a random half of the rows, those whose graphs the attacker left sound.
- *least known*: sound graphs only in the rows of which the answers so far say least.

Chosen rows are those whose graphs alone are sound: a gated metric then counts nothing else.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from scorer.boards.policy import Policy, chosen

Bits = NDArray[np.bool_]
Numbers = NDArray[np.float64]
WITHOUT_LIMIT = 400
IN_TURN = 100
"""Files that an attack sends where nothing limits it and each depends on the answers so far."""
UNCERTAIN = 0.4
"""Share of the rows, those least known, that such a file is about."""
LEAST_NOISE = 0.01
"""Variance in items squared of an exact count: it keeps equations solvable."""


@dataclass(frozen=True)
class Released:
    """What attackers are told."""

    name: str
    items: int = 400
    grid: float = 0.0
    """The step of a value, as a share; 0: full precision."""
    most: int | None = None
    """How many values there are in all."""
    values: int = 1
    """How many metrics of a file have a value."""

    @property
    def files(self) -> int:
        """How many files are answered."""
        return WITHOUT_LIMIT if self.most is None else self.most // self.values

    @property
    def noise(self) -> float:
        """The variance that rounding adds to a count, in items squared."""
        return max((self.grid * self.items) ** 2 / 12, LEAST_NOISE)


def default(name: str, items: int = 400, owners: int = 1, **changes: int) -> Released:
    """A year under the default policy, or one that differs from it in a few fields."""
    policy = Policy(**changes)  # type: ignore[arg-type]  # grid is not among the changes
    grid = chosen(policy, items)
    assert grid is not None
    a_year = (365 // policy.wait + 1) * policy.values
    return Released(name, items, float(grid) / 100, a_year * owners, policy.values)


ROWS = (
    Released("full precision, no limit"),
    Released("grid of 1 point, no limit", grid=0.01),
    Released("full precision, 14 values", most=14),
    Released("0.5 points, weekly for a year", grid=0.005, most=53),
    default("**default, one year**"),
    default("two metrics a submission, one year", values=2),
    default("five metrics a submission, one year", values=5),
    default("default, two years or two owners", owners=2),
    default("default, five owners", owners=5),
    default("default, ten owners", owners=10),
    Released("default, 50 chosen rows of 400", 50, 4 / 50, 14),
    Released("default, 200 chosen rows of 400", 200, 4 / 200, 14),
    default("default, 40 rows", items=40),
    default("default, 100 rows", items=100),
    default("default, 1,000 rows", items=1000),
)


@dataclass
class Oracle:
    """Attackers who know nothing of each other, each before labels of his own."""

    gold: Bits
    """Attackers by items."""
    released: Released
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.released.files

    def ask(self, labels: Bits, gates: Bits | None = None) -> Numbers:
        """How many labels are right behind each gate, metrics by attackers, as the values say.

        ``gates``: metrics by attackers by items; all rows if None.
        """
        assert self.left > 0
        self.left -= 1
        counts = ((labels == self.gold) & (True if gates is None else gates)).sum(-1)
        found = counts.astype(float) if gates is not None else counts[None].astype(float)
        step = self.released.grid * self.released.items
        return np.asarray(np.floor(found / step + 0.5) * step) if step else found


def _design(labels: Bits, gates: Bits) -> Numbers:
    """A file as a linear form of labels that are 1 or -1."""
    return np.where(gates, np.where(labels, 0.5, -0.5), 0.0)


def _gates(released: Released, like: Bits, rng: np.random.Generator) -> Bits:
    gates: Bits = rng.random((released.values, *like.shape)) < 0.5
    gates[0] = True
    return gates


def flip_one(gold: Bits, released: Released, rng: np.random.Generator) -> Bits:
    """A rise says the flipped label is right, a fall that the first one was."""
    oracle, base = Oracle(gold, released), rng.random(gold.shape) < 0.5
    return _flips(base, oracle, rng)


def from_a_boundary(gold: Bits, released: Released, rng: np.random.Generator) -> Bits:
    """Flip one label after the other until the value moves, then flip each from there."""
    oracle, labels = Oracle(gold, released), rng.random(gold.shape) < 0.5
    if released.most is None:
        oracle.left += WITHOUT_LIMIT
    base, moved = labels.copy(), np.zeros(len(gold), bool)
    before = oracle.ask(labels)[0]
    for row in range(min(oracle.left, gold.shape[1])):
        flipped = labels.copy()
        flipped[:, row] ^= True
        after = oracle.ask(flipped)[0]
        here = ~moved & (after != before)
        base[here] = labels[here]
        moved |= here
        labels, before = flipped, after
        if moved.all():
            break
    return _flips(base, oracle, rng)


def _flips(base: Bits, oracle: Oracle, rng: np.random.Generator) -> Bits:
    guess = rng.random(base.shape) < 0.5
    if oracle.left == 0:
        return guess
    start, change = oracle.ask(base)[0], np.full(base.shape, np.nan)
    for row in range(min(oracle.left, base.shape[1])):
        labels = base.copy()
        labels[:, row] ^= True
        change[:, row] = oracle.ask(labels)[0] - start
    rise, fall, same = change > 0, change < 0, change == 0
    rises, falls = rise.any(-1, keepdims=True), fall.any(-1, keepdims=True)
    flipped, kept = rise | (same & falls & ~rises), fall | (same & rises & ~falls)
    return np.where(flipped, ~base, np.where(kept, base, guess))


def coin_weighing(gold: Bits, released: Released, rng: np.random.Generator) -> Bits:
    """2**k - 1 exact counts tell of more than twice as many rows for k = 6."""
    oracle, (runs, items) = Oracle(gold, released), gold.shape
    base = rng.random(gold.shape) < 0.5
    start, right, at = oracle.ask(base)[0], np.full((items, runs), 0.5), 0
    while at < items and oracle.left > 0:
        sets = _weighings((oracle.left + 1).bit_length() - 2)[:, :items - at]
        falls = []
        for rows in sets:
            labels = base.copy()
            labels[:, at:at + len(rows)] ^= rows
            falls.append(start - oracle.ask(labels)[0])
        sums = np.rint((np.array(falls) + sets.sum(1)[:, None]) / 2)
        found = _weighed(sums)[:items - at]
        right[at:at + len(found)] = found
        at += len(found)
    return np.where(right.T < 0.5, ~base, base)


def _weighings(level: int) -> Bits:
    """Sets of rows, 2**(level + 1) - 1 by rows, whose sizes among any rows tell which these are."""
    if level == 0:
        return np.ones((1, 1), bool)
    half = _weighings(level - 1)
    sets, rows = half.shape
    return np.block([[half, half, np.eye(sets, dtype=bool)],
                     [half, ~half, np.zeros((sets, sets), bool)],
                     [np.zeros((1, rows), bool), np.ones((1, rows), bool),
                      np.zeros((1, sets), bool)]])


def _weighed(sums: Numbers) -> Numbers:
    """The rows, 0 or 1, from their sums over the sets of ``_weighings``; columns are attackers."""
    if len(sums) == 1:
        return sums
    sets = len(sums) // 2
    one, other = sums[:sets], sums[sets:-1] - sums[-1]
    odd = (one + other) % 2
    return np.concatenate([_weighed((one + other - odd) / 2), _weighed((one - other - odd) / 2),
                           odd])


def random_designs(gold: Bits, released: Released, rng: np.random.Generator) -> Bits:
    """Rows of a Hadamard matrix, signs and order drawn; the best linear guess of all labels."""
    oracle, (runs, items) = Oracle(gold, released), gold.shape
    signs = hadamard(1 << max(oracle.left, items).bit_length()) > 0
    columns = np.array([rng.permutation(len(signs))[:items] for _ in range(runs)])
    flips = rng.random(gold.shape) < 0.5
    asked, answers = [], []
    for row in signs[1 + rng.permutation(len(signs) - 1)[:oracle.left]]:
        labels, gates = row[columns] ^ flips, _gates(released, gold, rng)
        answers += list(oracle.ask(labels, gates) - gates.sum(-1) / 2)
        asked += list(_design(labels, gates))
    designs, counts = np.stack(asked, 1), np.stack(answers, 1)
    turned = designs.transpose(0, 2, 1)
    within = designs @ turned + released.noise * np.eye(designs.shape[1])
    return (turned @ np.linalg.solve(within, counts[..., None]))[..., 0] > 0


def least_known(gold: Bits, released: Released, rng: np.random.Generator) -> Bits:
    """Means and covariances of the labels after each answer choose the next file."""
    oracle, (runs, items) = Oracle(gold, released), gold.shape
    means = np.zeros(gold.shape)
    spread = np.broadcast_to(np.eye(items, dtype=np.float32), (runs, items, items)).copy()
    for _ in range(oracle.left if released.most is not None else IN_TURN):
        known = np.abs(means) + 1e-9 * rng.random(means.shape)
        gates = _gates(released, gold, rng)
        gates &= known <= np.quantile(known, UNCERTAIN, axis=1, keepdims=True)
        labels = rng.random(means.shape) < 0.5
        counts = oracle.ask(labels, gates) - gates.sum(-1) / 2
        for design, count in zip(_design(labels, gates), counts, strict=True):
            along = (spread @ design[..., None].astype(np.float32))[..., 0].astype(float)
            doubt = (design * along).sum(-1) + released.noise
            means += along * ((count - (design * means).sum(-1)) / doubt)[:, None]
            thin = (along / np.sqrt(doubt)[:, None]).astype(np.float32)
            spread -= thin[:, :, None] * thin[:, None, :]
    return means > 0


ATTACKS: dict[str, Callable[[Bits, Released, np.random.Generator], Bits]] = {
    "flip one": flip_one,
    "from a boundary": from_a_boundary,
    "coin weighing": coin_weighing,
    "random designs": random_designs,
    "least known": least_known,
}


def measure(released: Released, runs: int) -> dict[str, float]:
    """The share of labels that each attack finds; fewer attackers before large splits."""
    found = {}
    for name, attack in ATTACKS.items():
        rng = np.random.default_rng(0)
        gold = rng.random((max(1, runs * 400 // max(released.items, 400)), released.items)) < 0.5
        found[name] = float((attack(gold, released, rng) == gold).mean())
    return found


def table(runs: int) -> Iterator[str]:
    """The lines of the Markdown table."""
    yield f"| what is released | rows | values | {' | '.join(ATTACKS)} |"
    yield "|" + " --- |" * (3 + len(ATTACKS))
    for released in ROWS:
        shares = " | ".join(f"{share:.3f}" for share in measure(released, runs).values())
        most = "any" if released.most is None else released.most
        yield f"| {released.name} | {released.items:,} | {most} | {shares} |"


def run(runs: int = 20) -> list[dict[str, Any]]:
    """The strongest attack on each, for the table of all benchmarks."""
    lines = []
    for released in ROWS:
        found = measure(released, runs)
        best = max(found, key=lambda attack: found[attack])
        lines.append({"name": f"recovered: {released.name.strip('*')}", "ours": found[best],
                      "theirs": None, "ratio": None, "unit": "share",
                      "note": f"{best}; {runs} attackers"})
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks_on_hidden_gold",
                                     description="How many hidden labels attackers find.")
    parser.add_argument("--runs", type=int, default=20, help="attackers (default: 20)")
    for line in table(parser.parse_args().runs):
        print(line, flush=True)

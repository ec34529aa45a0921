"""Attacks on hidden labels, measured on labels drawn by lot.

One attacker, n items with two labels. He may send as often as the attack needs unless the policy is
called after a limit. Every attack ends with his guess of all labels; what is measured is the share
of them that is right. Chance is a half.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import hadamard

from scorer.hidden.release.beliefs import Beliefs, design, ridge
from scorer.hidden.release.oracle import Bits, Numbers, Oracle, Rules

ASKED = 400
"""How many submissions are sent where there is no limit."""
ASKED_IN_TURN = 100
"""The same for attacks that choose each after the answers to all earlier ones."""
ASKED_ABOUT = 0.4
"""Share of the rows, those least known, that such an attack asks about."""


def _submissions(rules: Rules, asked: int = ASKED) -> int:
    return asked if rules.submissions is None else min(asked, rules.submissions)


def _share(guess: Bits, gold: Bits) -> float:
    return float((guess == gold).mean())


def _counts(values: Numbers, gates: Bits) -> Numbers:
    """Released shares as counts of right labels less half the rows that count."""
    return np.asarray(values * gates.shape[-1] - gates.sum(-1) / 2)


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
    return _share(guess, gold)


def climb_by_blocks(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """Flip a few rows at once, as few as are no near-duplicate, and keep them if the value rises.

    Under the Ladder any value that is released at all is a rise.
    """
    oracle = Oracle(gold, rules)
    base = chance.random(gold.shape) < 0.5
    best = oracle.ask(base)
    size = max(2, math.ceil(rules.near_duplicate * gold.shape[1] / 100))
    for _ in range(_submissions(rules) - 1):
        labels = base.copy()
        labels[:, chance.permutation(gold.shape[1])[:size]] ^= True
        value = oracle.ask(labels)
        told = ~np.isnan(value)
        rose = told if rules.ladder else told & (np.nan_to_num(value) > best + 1e-9)
        base[rose], best[rose] = labels[rose], value[rose]
    return _share(base, gold)


def random_designs(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """Send rows of a Hadamard matrix, signs and order by lot, and decode by ridge regression.

    Any two files differ in about half their rows. The first metric counts all rows, each further
    one a half of them that is drawn anew for every submission.
    """
    oracle, (runs, items) = Oracle(gold, rules), gold.shape
    sent = _submissions(rules)
    signs = hadamard(1 << max(sent, items).bit_length()) > 0
    columns = np.array([chance.permutation(len(signs))[:items] for _ in range(runs)])
    flips = chance.random(gold.shape) < 0.5
    designs, answers = [], []
    for row in signs[1 + chance.permutation(len(signs) - 1)[:sent]]:
        labels = row[columns] ^ flips
        gates = chance.random((rules.values, *gold.shape)) < 0.5
        gates[0] = True
        answers += list(_counts(oracle.ask_gated(labels, gates), gates))
        designs += list(design(labels, gates))
    means = ridge(np.stack(designs, 1), np.stack(answers, 1), rules.width(items))
    return _share(means > 0, gold)


def least_known(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """Ask each time about the rows of which the answers so far say least.

    Their graphs are made sound, all others' not; a further metric counts half of them. Under the
    Ladder, which a file with few sound graphs would not pass, all rows count, labels that are
    believed are mostly kept, and that nothing is released is an answer too.
    """
    oracle, (runs, items), width = Oracle(gold, rules), gold.shape, rules.width(gold.shape[1])
    beliefs, best = Beliefs(runs, items), np.zeros(gold.shape)
    for _ in range(_submissions(rules, ASKED_IN_TURN)):
        labels, gates = _next_question(beliefs.means, rules, chance)
        asked = design(labels, gates)
        values = _counts(oracle.ask_gated(labels, gates), gates)
        for one, answers in zip(asked, values, strict=True):
            beliefs.learn(one, answers, width)
        if rules.ladder:
            told, gain = ~np.isnan(values[0]), asked[0] - best
            first = ~best.any(-1)
            beliefs.learn_at_most(gain, np.where(told | first, np.nan,
                                                 np.sqrt((gain != 0).sum(-1))))
            best[told] = asked[0][told]
    return _share(beliefs.means > 0, gold)


def _next_question(
    means: Numbers, rules: Rules, chance: np.random.Generator
) -> tuple[Bits, Bits]:
    """Labels, runs by items, and gates, metrics by runs by items."""
    gates = chance.random((rules.values, *means.shape)) < 0.5
    gates[0] = True
    if rules.ladder:
        return means + 0.3 * chance.standard_normal(means.shape) > 0, gates
    known = np.abs(means) + 1e-9 * chance.random(means.shape)
    gates &= known <= np.quantile(known, ASKED_ABOUT, axis=1, keepdims=True)
    return chance.random(means.shape) < 0.5, gates


def block_by_block(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """Begin with graphs that are all broken, and make one block of them sound after the other.

    A gated metric rises by the right labels of each block, which the Ladder takes for progress.
    """
    oracle, (_, items), asked = Oracle(gold, rules), gold.shape, _submissions(rules)
    size = max(2, math.ceil(rules.near_duplicate * items / 100), math.ceil(items / asked))
    labels = chance.random(gold.shape) < 0.5
    gates = np.zeros((rules.values, *gold.shape), bool)
    designs, answers = [], []
    for end in range(size, items + size, size):
        gates[..., :end] = True
        answers.append(_counts(oracle.ask_gated(labels, gates.copy()), gates)[0])
        designs.append(design(labels, gates[0]))
    means = ridge(np.stack(designs, 1), np.stack(answers, 1), rules.width(items))
    return _share(np.where(means == 0, labels, means > 0), gold)

def coin_weighing(gold: Bits, rules: Rules, chance: np.random.Generator) -> float:
    """Flip sets of rows of the first file from whose counts each row follows (Cantor, Mills 1966).

    2**k - 1 counts tell of more than twice as many rows for k = 6, of three times as many for
    k = 7. They must be exact: to two items at most, because a flip of one row moves a count by one,
    and the parity of the first count is one more thing to guess.
    """
    oracle, (runs, items) = Oracle(gold, rules), gold.shape
    base = chance.random(gold.shape) < 0.5
    start, right = oracle.ask(base), np.full((items, runs), np.nan)
    left, at = _submissions(rules) - 1, 0
    while at < items and left > 0:
        sets = _weighings((left + 1).bit_length() - 2)
        falls = []
        for rows in sets:
            labels = base.copy()
            labels[:, at:at + len(rows)] ^= rows[:items - at]
            falls.append((start - oracle.ask(labels)) * items)
        flipped = np.array([rows[:items - at].sum() for rows in sets])[:, None]
        both = [_weighed(_sums(np.array(falls), flipped, rules.width(items), odd))[:items - at]
                for odd in (False, True)]
        wrong = [np.isin(coins, (0, 1), invert=True).sum(0) for coins in both]
        found = np.where(wrong[0] <= wrong[1], *both)
        right[at:at + len(found)] = found
        left, at = left - len(sets), at + len(found)
    guess = np.where(right.T < 0.5, ~base, base)
    return _share(guess, gold)


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
    """The rows, 0 or 1, from their sums over the sets of ``_weighings``; columns are runs."""
    if len(sums) == 1:
        return sums
    sets = len(sums) // 2
    one, other = sums[:sets], sums[sets:-1] - sums[-1]
    odd = (one + other) % 2
    return np.concatenate([_weighed((one + other - odd) / 2), _weighed((one - other - odd) / 2),
                           odd])


def _sums(falls: Numbers, flipped: Numbers, width: float, odd: bool) -> Numbers:
    """How many of the flipped rows were right, from how far counts fell.

    Where a grid of two items lies between an odd and an even count, it is off by one: upwards for
    the odd one. ``odd``: whether the first count is taken for odd.
    """
    tie = (flipped % 2) * (width > 1) * (-1 if odd else 1)
    return np.rint((falls + tie + flipped) / 2)


ATTACKS: dict[str, Callable[[Bits, Rules, np.random.Generator], float]] = {
    "flip one": flip_one,
    "flip from a boundary": flip_from_a_boundary,
    "climb": climb_by_blocks,
    "coin weighing": coin_weighing,
    "random designs": random_designs,
    "least known": least_known,
    "block by block": block_by_block,
}

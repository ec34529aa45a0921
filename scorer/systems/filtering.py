"""Dual adversarial filtering: of several hypotheses a context, the pair that is hard to tell apart.

Algorithm 1 of Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020. In each round an
adversary learns from a part of the contexts; in the other part, a pair that it tells apart is
exchanged with probability t_i for another pair of the same context that it tells apart less well.

To the letter the algorithm goes on where nothing is left to find: then it keeps the pairs that the
chance weights of an adversary get wrong, and a learner that says the contrary would be right. So
here a round changes nothing unless its adversary is better than a coin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.intp]
    Values = NDArray[np.float64]

FOLDS = 10


class Pool(NamedTuple):
    """The hypotheses of one context, by their places among all."""

    plausible: tuple[int, ...]
    implausible: tuple[int, ...]


class Pair(NamedTuple):
    """The two hypotheses that stand for a context, by their places among all."""

    plausible: int
    implausible: int


class Adversary(Protocol):
    """What learns to tell plausible hypotheses from implausible ones."""

    def __call__(self, plausible: Places, implausible: Places) -> Values:
        """How plausible each of all hypotheses is, learned from these pairs; any unit."""


@dataclass(frozen=True)
class FilterSettings:
    """What decides a run beside its data and its adversary."""

    rounds: int = 50
    first: float = 1.0
    """Temperature t_s that the rounds come from."""
    last: float = 0.2
    """Temperature t_e that they go to."""
    learned_from: float = 0.8
    """Share of the contexts that the adversary learns from in a round; the paper names none."""
    level: float | None = 0.01
    """A round exchanges pairs only if the exact binomial p-value of its adversary's right answers
    against a coin is below this; None: always, which is Algorithm 1 to the letter."""
    seed: int = 5


class Round(NamedTuple):
    """What happened in one round."""

    number: int
    temperature: float
    asked: int
    """Contexts that the adversary had not learned from."""
    right: int
    """Those of them whose pair it told apart, before any was exchanged."""
    exchanged: int


def temperature(number: int, settings: FilterSettings) -> float:
    """The share of pairs told apart that round ``number``, from 0, may exchange.

    >>> [round(temperature(number, FilterSettings()), 6) for number in (0, 25, 49)]
    [0.99999, 0.981618, 0.224615]
    """
    late = 0.3 * (number - 3 * settings.rounds / 4)
    return settings.last + (settings.first - settings.last) / (1 + math.exp(late))


def first_pairs(pools: Sequence[Pool]) -> list[Pair]:
    """The first plausible and the first implausible hypothesis of each context."""
    return [Pair(pool.plausible[0], pool.implausible[0]) for pool in pools]


def rounds(
    pools: Sequence[Pool], pairs: list[Pair], adversary: Adversary, settings: FilterSettings,
) -> Iterator[Round]:
    """Run the rounds one by one; ``pairs`` is changed in place, one pair a context."""
    import numpy as np

    chance = np.random.default_rng(settings.seed)
    learned = round(settings.learned_from * len(pools))
    for number in range(settings.rounds):
        order = chance.permutation(len(pools))
        plausible = adversary(*_columns(pairs, order[:learned]))
        asked, heat = order[learned:], temperature(number, settings)
        one, other = _columns(pairs, asked)
        leads = plausible[one] - plausible[other]
        right = int((leads > 0).sum())
        exchanged = 0
        if settings.level is None or _by_a_coin(right, len(asked)) < settings.level:
            for place, lead in zip(asked, leads, strict=True):
                harder = _harder(pools[place], plausible, lead)
                if chance.random() <= heat and lead >= 0 and harder:
                    pairs[place] = harder[chance.integers(len(harder))]
                    exchanged += 1
        yield Round(number, heat, len(asked), right, exchanged)


def _by_a_coin(right: int, asked: int) -> float:
    """How likely a coin is right at least so often.

    >>> _by_a_coin(4, 4), _by_a_coin(0, 3)
    (0.0625, 1.0)
    """
    return float(sum(math.comb(asked, count) for count in range(right, asked + 1)) / 2**asked)


def _harder(pool: Pool, plausible: Values, lead: float) -> list[Pair]:
    """Every pair of a context that the adversary tells apart less well."""
    return [Pair(one, other) for one in pool.plausible for other in pool.implausible
            if plausible[one] - plausible[other] < lead]


def told_apart(pairs: Sequence[Pair], adversary: Adversary, seed: int) -> float:
    """How many pairs an adversary tells apart that learned from the others: a share, 0 to 1.

    Each tenth of the contexts is asked about by one that learned from the other nine; a pair of
    equal plausibility counts a half.
    """
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(pairs))
    found = 0.0
    for fold in range(min(FOLDS, len(pairs))):
        asked = order[fold::FOLDS]
        plausible = adversary(*_columns(pairs, np.setdiff1d(order, asked)))
        one, other = _columns(pairs, asked)
        found += float(np.heaviside(plausible[one] - plausible[other], 0.5).sum())
    return found / len(pairs)


def _columns(pairs: Sequence[Pair], places: Places) -> tuple[Places, Places]:
    import numpy as np

    chosen = np.array([pairs[place] for place in places], dtype=np.intp).reshape(-1, 2)
    return chosen[:, 0], chosen[:, 1]

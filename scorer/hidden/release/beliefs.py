"""What answers say about labels: the best linear guess, all at once or answer by answer.

A label is +1 or -1, at first as likely the one as the other. An answer is a count of right labels:
with ``design`` +1/2 or -1/2 for a row that counts with that label, and 0 for one that does not, it
is ``design . labels`` and half the rows that count.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from scorer.hidden.release.oracle import Bits, Numbers

LEAST_NOISE = 0.01
"""Variance in items squared that is taken for none: it keeps equations solvable."""


def noise(width: float) -> float:
    """The variance that rounding to a grid of ``width`` items adds, in items squared."""
    return max(width**2 / 12, LEAST_NOISE)


def design(labels: Bits, gate: Bits) -> Numbers:
    """A question as a linear form: 1/2 or -1/2 where the gate is open, 0 elsewhere."""
    return np.where(gate, np.where(labels, 0.5, -0.5), 0.0)


def ridge(designs: Numbers, answers: Numbers, width: float) -> Numbers:
    """The labels' means, runs by items, given all answers.

    ``designs``: runs by answers by items. ``answers``: runs by answers, counts less half the rows
    that count; NaN for no value. The ridge is the variance of the rounding.
    """
    told = ~np.isnan(answers)
    known = np.where(told[..., None], designs, 0.0)
    turned = known.transpose(0, 2, 1)
    within = known @ turned + noise(width) * np.eye(designs.shape[1])
    return np.asarray(turned @ np.linalg.solve(within, np.nan_to_num(answers)[..., None]))[..., 0]


class Beliefs:
    """Means and covariances of the labels of several runs, after any number of answers."""

    def __init__(self, runs: int, items: int) -> None:
        """Nothing is known: means of 0, variances of 1."""
        self.means = np.zeros((runs, items))
        self._spread = np.broadcast_to(np.eye(items, dtype=np.float32), (runs, items, items)).copy()

    def learn(self, asked: Numbers, answers: Numbers, width: float) -> None:
        """Take in answers, one a run, as in ``ridge``; where there is none, nothing changes.

        ``asked``: runs by items.
        """
        along, expected, doubt = self._seen_along(asked)
        doubt = doubt + noise(width)
        known = ~np.isnan(answers)
        surprise = np.where(known, answers - expected, 0.0)
        self._move(along, surprise / doubt, known / doubt)

    def learn_at_most(self, asked: Numbers, limits: Numbers) -> None:
        """Take in that answers are at most ``limits``, one a run; where NaN, nothing changes.

        The moments of a normal distribution that is cut off there.
        """
        along, expected, doubt = self._seen_along(asked)
        known = ~np.isnan(limits) & (doubt > LEAST_NOISE)
        spread = np.sqrt(np.maximum(doubt, LEAST_NOISE))
        z = np.where(known, (limits - expected) / spread, 0.0)
        ratio = np.exp(-z**2 / 2) / math.sqrt(2 * math.pi) / np.maximum(ndtr(z), 1e-12)
        self._move(along, np.where(known, -ratio / spread, 0.0),
                   np.where(known, ratio * (ratio + z) / spread**2, 0.0))

    def _seen_along(self, asked: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Covariances with an answer, its mean and its variance."""
        along = (self._spread @ asked[..., None].astype(np.float32))[..., 0].astype(np.float64)
        return along, (asked * self.means).sum(-1), (asked * along).sum(-1)

    def _move(self, along: Numbers, shift: Numbers, sure: Numbers) -> None:
        self.means += along * shift[:, None]
        thin = along.astype(np.float32)
        self._spread -= (sure.astype(np.float32)[:, None] * thin)[:, :, None] * thin[:, None, :]

"""Pairs of scores, tested: each metric by itself, then corrected together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.core.errors import UsageError
from scorer.core.results import Interval
from scorer.lab.logs.pairing import Paired
from scorer.statistics import ALPHA, FEWEST, intervals
from scorer.statistics.comparison import Comparison, compare, verdict
from scorer.statistics.paired import permutation_p
from scorer.statistics.pairwise import holm


@dataclass(frozen=True)
class Tested:
    """One metric of two logs."""

    paired: Paired
    found: Comparison
    a: Interval
    b: Interval
    clusters: int | None
    """How many; None where samples are taken by themselves."""
    p_holm: float
    """``found.p``, corrected for as many metrics as were compared."""

    def verdict(self) -> str:
        """One sentence; the corrected p decides."""
        if self.found.better is not None and self.p_holm > ALPHA:
            return (f"no significant difference: {self.found.better} is ahead by itself "
                    f"(p = {self.found.p:.3f}), not among all metrics (Holm {self.p_holm:.3f})")
        if self.clusters is not None and self.found.n >= FEWEST and self.found.better is None:
            return f"no significant difference between {self.clusters} clusters"
        return verdict(self.found)


def tested(pairs: Sequence[Paired]) -> list[Tested]:
    """Every metric; scores that are all 0 or 1 get McNemar's test. Raises UsageError."""
    found = [_one(pair) for pair in pairs]
    corrected = holm([one.found.p for one in found])
    return [replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True)]


def _one(pair: Paired) -> Tested:
    binary = {*pair.a, *pair.b} <= {0.0, 1.0}
    found = compare(pair.a, pair.b, binary=binary, better="higher" if pair.higher else "lower")
    if pair.clusters is None:
        return Tested(pair, found, _interval(pair.a, binary), _interval(pair.b, binary), None,
                      found.p)
    keys, places = np.unique(np.array(pair.clusters), return_inverse=True)
    if len(keys) < 2:
        raise UsageError("--cluster: every sample has the same value; name another field")
    apart = np.array(pair.a) - np.array(pair.b)
    p = permutation_p(np.bincount(places, weights=apart).astype(np.float64))
    by = [_clustered(values, pair.clusters) for values in (apart.tolist(), pair.a, pair.b)]
    low, high = by[0].low, by[0].high
    reach = (high - low) / 2 if low is not None and high is not None else 0.0
    found = replace(found, interval=by[0], test="permutation", p=p, p_mid=None, effect=None,
                    needed=reach)
    return Tested(pair, found, by[1], by[2], len(keys), p)


def _interval(values: Sequence[float], binary: bool) -> Interval:
    if binary:
        return intervals.of_items(values, binary=True)
    inside = min(values) >= 0 and max(values) <= 1
    return intervals.mean(values, within=(0.0, 1.0) if inside else (-math.inf, math.inf))


def _clustered(values: Sequence[float], clusters: Sequence[str]) -> Interval:
    """The t interval of a mean by the clustered standard error, with clusters - 1 degrees."""
    found = intervals.clustered(values, clusters)
    middle = math.fsum(values) / len(values)
    if not found.se:
        return intervals.none("every cluster has the same score")
    reach = intervals.t_factor(found.clusters) * found.se
    return intervals.made(middle - reach, middle + reach, "t", f"{found.clusters} clusters")

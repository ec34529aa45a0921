"""Several tests of one family, corrected together."""

from __future__ import annotations

from collections.abc import Sequence


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected together: the smallest times their number, the next times one less ...

    S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 1979.

    >>> holm([.03, .01, .5])
    [0.06, 0.03, 0.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected, highest = [1.0] * len(values), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, values[index] * (len(values) - place)))
        corrected[index] = highest
    return corrected

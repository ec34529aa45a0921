"""A count of a whole, and how sure it is: Wilson's interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

NORMAL = 1.959963984540054
"""How many standard errors a two-sided normal interval of 95 % reaches."""


@dataclass(frozen=True)
class Share:
    """``count`` of ``n``, with a 95 % Wilson interval; all None of an empty set."""

    count: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper bound.

        With z the normal quantile and p = count / n::

            (2 n p + z^2 -+ z * sqrt(4 n p (1 - p) + z^2)) / (2 n + 2 z^2)
        """
        if not self.n:
            return None
        n, p, z = self.n, self.count / self.n, NORMAL
        whole = 2 * (n + z**2)
        middle = (2 * n * p + z**2) / whole
        margin = z / whole * math.sqrt(4 * n * p * (1 - p) + z**2)
        return (middle - margin if self.count else 0.0,
                middle + margin if self.count < n else 1.0)

    def __str__(self) -> str:
        """Such as ``.612 (.548 to .672; 139 of 227)``."""
        if self.value is None or self.interval is None:
            return "not measured (no items)"
        low, high = self.interval
        return f"{short(self.value)} ({short(low)} to {short(high)}; {self.count} of {self.n})"


def short(share: float) -> str:
    """Three decimals, as pages print shares: ``.612``."""
    return f"{share:.3f}".removeprefix("0")

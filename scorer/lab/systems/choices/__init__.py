"""Systems that choose between two hypotheses of what happened between two observations."""

from __future__ import annotations

from collections.abc import Sequence


def as_four(texts: Sequence[str]) -> tuple[str, str, str, str]:
    """What is given as two texts, and the two hypotheses; of several given, the others are one.

    >>> as_four(["premise", "cause", "one", "other"]), as_four(["premise", "one", "other"])[:2]
    (('premise', 'cause', 'one', 'other'), ('premise', ''))
    """
    first, *given, one, other = texts
    return first, " ".join(given), one, other

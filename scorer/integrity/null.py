"""Flag ``null``: metrics on which a submission is not better than answers that say nothing."""

from __future__ import annotations

from collections.abc import Mapping

from scorer.integrity.flag import Flag


def null(better: Mapping[str, bool]) -> Flag:
    """``better``: for each tested metric, whether the value is significantly above its null's."""
    worse = [metric for metric, is_better in better.items() if not is_better]
    return Flag(
        "null", "Not better than its null", bool(worse), len(worse), len(better), (),
        (f"Not better: {', '.join(worse)}.",) if worse else (),
        "On these metrics the answers cannot be told from, or are worse than, the same labels with "
        "answers that say nothing.",
        "That the answers are worthless: a metric that such answers win may be the one to doubt.",
    )

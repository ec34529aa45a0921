"""How often: the day on which each submission's values may be released."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from scorer.hidden.release.history import Entry


def release_days(entries: Sequence[Entry], days: int) -> list[datetime.date]:
    """For each entry the day of its release: its merge, or ``days`` after its owner's last one.

    ``entries``: in the order of the merges. An owner's submissions wait in a queue; nothing is
    lost. Every entry depends on its owner's earlier ones only.
    """
    last: dict[int, datetime.date] = {}
    found = []
    for entry in entries:
        day = entry.day
        if entry.owner in last:
            day = max(day, last[entry.owner] + datetime.timedelta(days=days))
        last[entry.owner] = day
        found.append(day)
    return found

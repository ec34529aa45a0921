"""Ways to divide the items of a split, such as by label or by depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Dimension(NamedTuple):
    """One way to divide the items of a split."""

    name: str
    parts: Mapping[str, tuple[int, ...]]
    """Rows by part, in the order to show them; a part without items is kept."""
    title: str = ""
    """How people read the name, where it alone does not say it."""

    @property
    def overlapping(self) -> bool:
        """Whether an item is in several parts."""
        rows = [row for part in self.parts.values() for row in part]
        return len(set(rows)) < len(rows)


def parts(names: Sequence[str], found: Iterable[Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Rows by name; ``found`` are the names of each item, of which unknown ones do not count."""
    rows: dict[str, list[int]] = {name: [] for name in names}
    for row, chosen in enumerate(found, start=1):
        for name in rows.keys() & set(chosen):
            rows[name].append(row)
    return {name: tuple(members) for name, members in rows.items()}

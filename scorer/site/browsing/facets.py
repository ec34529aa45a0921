"""Facets: by what examples can be told apart in the browser, as data. Pure.

A facet is a question with a fixed list of answers. What the questions are is known to the task
(``Partition``, of each task) and to ``outcomes.py``; files and scripts of the browser know
facets only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from scorer.core.reading.values import plain
from scorer.core.records import ItemResult
from scorer.site.records import BoardView, Entry, SplitView
from scorer.tasks.partitions import Partition, values_of

Answers = Sequence[Sequence[str]]
"""For each example in order, the values of a facet that it has; none where nothing is known."""

UNKNOWN = "-"
"""Stands in a column for an example of which a facet says nothing."""
_FIRST = ord("0")
"""The character of a facet's first value; those of the others follow."""


@dataclass(frozen=True)
class Facet:
    """One question, and the answers there are."""

    id: str
    """Its name in addresses."""
    name: str
    """What pages call it."""
    values: tuple[str, ...]
    """In the order they are shown; as they stand in addresses."""
    labels: tuple[str, ...] = ()
    """How people read the values, where addresses say it otherwise."""
    number: bool = False
    """Whether values are whole numbers, of which a range is chosen."""
    note: str = ""
    """What its words mean."""
    first: str = ""
    """The words of its first value in a check box above the list; a facet of one value stands only
    there."""
    several: bool = False
    """Whether an example may have more than one value."""
    long: bool = False
    """Whether only the commonest values are shown at first."""
    tag: str = ""
    """How the list says an example's value, with ``{}`` in its place; empty where it does not."""
    system: Literal["", "a", "b"] = ""
    """The chosen system that it is about, if it is about one; ``b`` is about both."""
    metrics: tuple[tuple[str, int], ...] = ()
    """Metrics by whose scores of an item A and B are compared, and 1 or, where lower is better, -1;
    the first until another one is chosen."""
    own_null: str = ""
    """What is said where B is the null of A and so A is never better."""

    def known(self) -> dict[str, Any]:
        """What the script is told of it; what is false or empty is left out."""
        return {name: value for name, value in asdict(self).items()
                if value or name in ("id", "name", "values")}

    def column(self, answers: Answers) -> str:
        """A character an example, or characters with blanks between them where it is ``several``.

        >>> Facet("depth", "Depth", ("3", "5")).column([("5",), (), ("3",)])
        '1-0'
        >>> Facet("relation", "Relation", ("is a", "causes"), several=True).column(
        ...     [("is a", "causes"), (), ("causes",)])
        '01  1'
        """
        codes = {value: chr(_FIRST + i) for i, value in enumerate(self.values)}
        if self.several:
            return " ".join("".join(codes[value] for value in found) for found in answers)
        return "".join(codes[found[0]] if found else UNKNOWN for found in answers)


@dataclass(frozen=True)
class GoldFacet:
    """A facet that is the same whatever systems are chosen, with its answers."""

    facet: Facet
    answers: Mapping[str, Answers]
    """By the name of the split; a split of which nothing is known is not there."""


def of_gold(board: BoardView, partitions: Iterable[Partition[Any]]) -> list[GoldFacet]:
    """A facet for each partition, in the splits whose gold is there."""
    known = [*partitions]
    found = {view.name: values_of(known, view.golds) for view in board.splits if view.golds}
    return [GoldFacet(Facet(one.id, one.name, one.values, number=one.number, several=one.several,
                            long=one.long, tag=one.tag),
                      {name: columns[place] for name, columns in found.items()})
            for place, one in enumerate(known)]


@dataclass(frozen=True)
class SystemFacet:
    """A facet about what system A made of the examples, from the items of its result."""

    facet: Facet
    answers: Callable[[Sequence[ItemResult]], Answers]


@dataclass(frozen=True)
class PairFacet:
    """Two systems, example by example."""

    facet: Facet
    """Its first value: A is better; its second: B is. Then ties; if there are two values of these,
    the last one is for ties at 0. Where it has metrics, their scores decide, else ``score``."""
    score: Callable[[ItemResult], float | None]
    """How well a system does, more is better; None if that was not measured."""
    next: str
    """The button that leads to the next example where the first of two systems is better."""


# ---- addresses ---------------------------------------------------------------------------------


def browser_path(board: str) -> str:
    """Where the example browser of a board is, relative to the site's root."""
    return f"boards/{board}/examples/"


def search(view: SplitView, *chosen: tuple[str, str], entry: Entry | None = None) -> str:
    """Where the browser shows the chosen examples of a split, relative to the site's root.

    ``chosen`` are facets with a value each; ``entry`` is the system that *got* and *broke* speak
    of. Empty where the browser cannot show them: no public gold, or no predictions at hand.
    """
    if not view.golds or (entry is not None and entry not in view.comparable):
        return ""
    system = [("a", entry.key)] if entry else []
    query = urlencode([*system, ("split", view.name), *chosen])
    return f"{browser_path(view.board.id)}?{query}"


def annotated(view: SplitView, entry: Entry, annotation: str, rule: str = "") -> str:
    """Where the browser shows what got an annotation, and broke a rule."""
    broke = [("broke", rule)] if rule else []
    return search(view, ("got", plain(annotation)), *broke, entry=entry)

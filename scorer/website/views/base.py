"""How the items of a task are shown: what every page asks of a kind of example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.website.boards.anatomy import Anatomy
from scorer.website.browsing.checked import Checked
from scorer.website.browsing.facets import Browsing
from scorer.website.records import BoardView, Entry, SplitView


class Stage(ABC):
    """One item of a split: everything that the parts of its page share."""

    @abstractmethod
    def context(self) -> Mapping[str, Any]:
        """What ``example.html`` of the kind shows of the item and its gold."""

    @abstractmethod
    def card(self, entry: Entry) -> Any:
        """What ``card.html`` shows of a system that has predictions for the split."""

    def data(self, card: Any) -> Mapping[str, Any]:
        """What scripts need of a card besides its text; of gold where it is None."""
        return {}


class Listed(NamedTuple):
    """One item in a list of examples."""

    texts: tuple[str, ...]
    tag: str | None
    """A word beside them, such as the label."""


@dataclass(frozen=True)
class ExampleKind:
    """One kind of example. Its templates are in ``templates/<name>/``:

    - ``example.html`` and ``card.html``: an item with its gold, what one system made of it;
    - ``legend.html``: how to read both;
    - ``rules.html``: what an answer has to be, for the page about a board;
    - ``statistics.html``: a system's answers as a whole;
    - ``dataset.html``: the data of a board.
    """

    name: str
    answers: str
    """What systems make of items, as a plural."""
    golds: str
    """What an item can have several of, as a plural."""
    null: str
    """What an answer that says nothing is; empty where there is no such thing."""
    stages: Callable[[SplitView], Callable[[Any, int], Stage]]
    """``(split) -> (gold, one-based row) -> Stage``."""
    legend: Callable[[SplitView], Mapping[str, Any]]
    """What ``legend.html`` needs."""
    listed: Callable[[Any, Any], Listed]
    """``(settings, gold)``."""
    anatomy: Callable[[SplitView, Entry], Anatomy]
    """As much as can be told: without items the counts, with hidden gold nothing."""
    statistics: Callable[[SplitView, Entry], Any]
    """What ``statistics.html`` shows of a system; None if nothing can be told."""
    dataset: Callable[[BoardView], Mapping[str, Any]]
    """What ``dataset.html`` needs besides what every board has."""
    answer: Callable[[Any, Any], str]
    """``(settings, prediction)`` -> the answer as one line of text."""
    references: Callable[[Any, Any], list[str]]
    """``(settings, gold)`` -> gold answers in the same form."""
    browsing: Browsing
    """By what its items can be found."""
    checked: Checked
    """What the checker page must know."""
    parts_note: str = ""
    """Where the breakdown of a system comes from."""
    scripted: bool = False
    """Whether gold has ``Stage.data`` too."""

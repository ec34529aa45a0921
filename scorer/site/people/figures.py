"""Numbers of people's answers as pages show them. Undefined values have words, never NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.people.documents import (
    BinDocument,
    CalibrationDocument,
    Estimate,
    Pair,
    Powered,
    SurenessDocument,
)
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.render import correlation, fraction

NO_VARIATION = "n/a (no variation)"
NO_PAIR = "n/a (no unit with two ratings)"
UNDEFINED = "undefined"
_WORDS = {"no variation": NO_VARIATION, "no unit with two votes": NO_PAIR}


@dataclass(frozen=True)
class OfSplit:
    """Figures of one split."""

    view: SplitView

    @property
    def title(self) -> str:
        """The board and the split."""
        return f"{self.view.board.title} {self.view.name}"

    @property
    def name(self) -> str:
        """The same in addresses and files."""
        return f"{self.view.board.id}-{self.view.name}"


class Figure(NamedTuple):
    """One number of a table."""

    text: str
    defined: bool = True
    interval: str = ""
    n: int | None = None
    """What it is of, where that stands beside it."""


def counted_share(estimate: Estimate) -> Figure:
    """A share, in percent, with what it is of."""
    return share(estimate)._replace(n=None if estimate.value is None else estimate.n)


def share(estimate: Estimate) -> Figure:
    """A share, in percent."""
    return _figure(estimate, fraction)


def coefficient(estimate: Estimate | None) -> Figure:
    """A coefficient of agreement; None where units differ in their number of votes."""
    return _figure(estimate, correlation)


def decimals(number: Estimate | None) -> Figure:
    """A number that is no share."""
    return _figure(None if number is None or number.value is None else number, "{:.3f}".format)


def _figure(estimate: Estimate | None, text: Callable[[float], str]) -> Figure:
    if estimate is None:
        return Figure("\u2013", defined=False)
    if estimate.value is None:
        return Figure(_WORDS.get(estimate.note, UNDEFINED), defined=False)
    return Figure(text(estimate.value), True, _interval(estimate.ci, text))


def powered(estimate: Powered) -> Figure:
    """A share of all items."""
    if estimate.value is None:
        return Figure("n/a (fewer than ten verdicts)", defined=False)
    return Figure(fraction(estimate.value), True, _interval(estimate.ci, fraction), estimate.items)


def _interval(bounds: Sequence[float] | None, text: Callable[[float], str]) -> str:
    return " to ".join(text(float(end)) for end in bounds or ())


def kappa(pair: Pair) -> Figure:
    """Cohen's kappa of two annotators."""
    if pair.kappa is None:
        return Figure(NO_VARIATION, defined=False)
    return Figure(correlation(float(pair.kappa)))


def matrix(pairs: Sequence[Pair]) -> Mapping[str, Mapping[str, Pair]]:
    """The pairs of each annotator by the other one's name."""
    table: dict[str, dict[str, Pair]] = {}
    for pair in pairs:
        first, second = pair.annotators
        table.setdefault(first, {})[second] = table.setdefault(second, {})[first] = pair
    return dict(sorted(table.items()))


# ---- how sure people and systems are of labels ---------------------------------------------------


@dataclass(frozen=True)
class SureSplit(OfSplit):
    """What is known of one split."""

    found: SurenessDocument

    @property
    def said(self) -> str:
        """In a line."""
        people = self.found.people
        if people is None or people.one.value is None or people.majority.value is None:
            return ""
        return (f"one person gives gold's label {fraction(people.one.value)} % of the time, the "
                f"majority {fraction(people.majority.value)} %; {people.unclear} of "
                f"{people.items:,} items are unclear to people")

    @property
    def lines(self) -> Iterator[tuple[str, Entry | None, Estimate, list[Estimate]]]:
        """Shares of right labels, on all items, then by how sure people are: of people, then of
        systems, the best first. None without people."""
        people = self.found.people
        if people is None:
            return
        *some, last = people.majorities
        yield "One person", None, people.one, [group.one for group in people.bins]
        for majority in some:
            yield f"Majority of {majority.people} people", None, majority.right, []
        yield (f"Majority of {last.people} people", None, people.majority,
               [group.majority for group in people.bins])
        entries = {entry.key: entry for entry in self.view.entries}
        for key, system in sorted(self.found.systems.items(),
                                  key=lambda item: -(item[1].whole.value or 0)):
            yield entries[key].title, entries[key], system.whole, system.bins

    @property
    def calibrated(self) -> list[tuple[str, Entry | None, CalibrationDocument]]:
        """What systems' probabilities are worth, by the systems' titles."""
        entries = {row.system: row for row in self.view.entries if row.kind == "third-party"}
        titles = {row.system: row.title for row in self.view.board.third_party}
        return [(titles.get(name, name), entries.get(name), document)
                for name, document in sorted(self.found.probabilities.items(),
                                             key=lambda known: -(known[1].accuracy.value or 0))]


def sure_splits(site: SiteView) -> tuple[SureSplit, ...]:
    """The splits with such figures, those with people's answers first."""
    splits = [SureSplit(view, view.sure) for board in site.boards for view in board.splits
              if view.sure is not None]
    return tuple(sorted(splits, key=lambda split: split.found.people is None))


def bits(group: BinDocument) -> str:
    """The edges of a bin."""
    return f"{group.low:.2f} to {group.high:.2f} bits"

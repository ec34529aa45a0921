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


def counted_share(one: Estimate) -> Figure:
    """A share, in percent, with what it is of."""
    return share(one)._replace(n=None if one.value is None else one.n)


def share(one: Estimate) -> Figure:
    """A share, in percent."""
    return _figure(one, fraction)


def coefficient(one: Estimate | None) -> Figure:
    """A coefficient of agreement; None where units differ in their number of votes."""
    return _figure(one, correlation)


def decimals(one: Estimate | None) -> Figure:
    """A number that is no share."""
    return _figure(None if one is None or one.value is None else one, "{:.3f}".format)


def _figure(one: Estimate | None, text: Callable[[float], str]) -> Figure:
    if one is None:
        return Figure("\u2013", defined=False)
    if one.value is None:
        return Figure(_WORDS.get(one.note, UNDEFINED), defined=False)
    return Figure(text(one.value), True, _interval(one.ci, text))


def powered(one: Powered) -> Figure:
    """A share of all items."""
    if one.value is None:
        return Figure("n/a (fewer than ten verdicts)", defined=False)
    return Figure(fraction(one.value), True, _interval(one.ci, fraction), one.items)


def _interval(bounds: Sequence[float] | None, text: Callable[[float], str]) -> str:
    return " to ".join(text(float(end)) for end in bounds or ())


def kappa(one: Pair) -> Figure:
    """Cohen's kappa of two annotators."""
    if one.kappa is None:
        return Figure(NO_VARIATION, defined=False)
    return Figure(correlation(float(one.kappa)))


def matrix(pairs: Sequence[Pair]) -> Mapping[str, Mapping[str, Pair]]:
    """The pairs of each annotator by the other one's name."""
    found: dict[str, dict[str, Pair]] = {}
    for pair in pairs:
        first, second = pair.annotators
        found.setdefault(first, {})[second] = found.setdefault(second, {})[first] = pair
    return dict(sorted(found.items()))


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
        yield "One person", None, people.one, [one.one for one in people.bins]
        for one in some:
            yield f"Majority of {one.people} people", None, one.right, []
        yield (f"Majority of {last.people} people", None, people.majority,
               [one.majority for one in people.bins])
        entries = {entry.key: entry for entry in self.view.entries}
        for key, system in sorted(self.found.systems.items(),
                                  key=lambda one: -(one[1].whole.value or 0)):
            yield entries[key].title, entries[key], system.whole, system.bins

    @property
    def calibrated(self) -> list[tuple[str, Entry | None, CalibrationDocument]]:
        """What systems' probabilities are worth, by the systems' titles."""
        entries = {one.system: one for one in self.view.entries if one.kind == "third-party"}
        titles = {row.system: row.title for row in self.view.board.third_party}
        return [(titles.get(name, name), entries.get(name), one)
                for name, one in sorted(self.found.probabilities.items(),
                                        key=lambda known: -(known[1].accuracy.value or 0))]


def sure_splits(site: SiteView) -> tuple[SureSplit, ...]:
    """The splits with such figures, those with people's answers first."""
    found = [SureSplit(view, view.sure) for board in site.boards for view in board.splits
             if view.sure is not None]
    return tuple(sorted(found, key=lambda one: one.found.people is None))


def bits(one: BinDocument) -> str:
    """The edges of a bin."""
    return f"{one.low:.2f} to {one.high:.2f} bits"

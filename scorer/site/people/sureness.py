"""How sure people and systems are of labels, as pages say it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.site.people.figures import ESTIMATE, Cell, OfSplit, estimate
from scorer.site.records import Entry, SiteView
from scorer.site.render import fraction

if TYPE_CHECKING:
    from scorer.people.documents import BinDocument, CalibrationDocument, Estimate, SurenessDocument


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


COLUMNS = ("split", "what", "name", "bin", *ESTIMATE)


def rows(splits: Sequence[SureSplit]) -> list[Sequence[Cell]]:
    """Every estimate for a spreadsheet; the bins of probabilities are in the JSON."""
    return [(split.name, *row) for split in splits for row in _rows(split.found)]


def _rows(found: SurenessDocument) -> Iterator[tuple[Cell, ...]]:
    people = found.people
    if people is not None:
        yield ("people", "one person", "all", *estimate(people.one))
        yield ("people", "majority of all", "all", *estimate(people.majority))
        for some in people.majorities:
            yield ("people", f"majority of {some.people}, ties by halves", "all",
                   *estimate(some.right))
        for bin_ in people.bins:
            yield ("people", "one person", bits(bin_), *estimate(bin_.one))
            yield ("people", "majority of all", bits(bin_), *estimate(bin_.majority))
        for name, system in found.systems.items():
            yield ("system", name, "all", *estimate(system.whole))
            for bin_, one in zip(people.bins, system.bins, strict=True):
                yield ("system", name, bits(bin_), *estimate(one))
    for name, of in found.probabilities.items():
        for what, estimates in (("accuracy", of.accuracy), ("Brier score", of.brier),
                           ("Jensen-Shannon distance", of.jensen_shannon),
                           ("KL divergence", of.kullback_leibler)):
            yield (what, name, "all", *estimate(estimates))
        yield ("ECE", name, "all", of.ece, of.items, None, None, "none", "")

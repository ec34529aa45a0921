"""How sure people and systems are of labels, as pages say it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.website.people.downloads import ESTIMATE, Cell, estimate
from scorer.website.people.figures import Figure, coefficient, share
from scorer.website.records import SiteView, SplitView
from scorer.website.render import fraction

if TYPE_CHECKING:
    from scorer.annotations.documents import EstimateDocument
    from scorer.annotations.sureness_document import BinDocument, SurenessDocument


class SureLine(NamedTuple):
    """Shares of right labels: on all items, then by how sure people are."""

    title: str
    path: str
    """The system's page; empty for people."""
    whole: Figure
    bins: tuple[Figure, ...]
    kind: str = "human"
    """Of a system the kind of its row."""


class Calibrated(NamedTuple):
    """One system's probabilities."""

    name: str
    title: str
    path: str
    figures: tuple[Figure, ...]
    """Accuracy, mean confidence, ECE, Brier score, and both distances to people's answers."""
    bins: tuple[tuple[str, int, str, str], ...]
    """Of the bins with items: their edges, items, mean confidence and accuracy."""


class SureSplit(NamedTuple):
    """What is known of one split."""

    view: SplitView
    found: SurenessDocument
    lines: tuple[SureLine, ...]
    """People, then systems, the best first; none without people."""
    agreement: tuple[tuple[str, Figure], ...]
    calibrated: tuple[Calibrated, ...]

    @property
    def title(self) -> str:
        """The board and the split."""
        return f"{self.view.board.title} {self.view.name}"

    @property
    def anchor(self) -> str:
        """Its place on the page."""
        return f"{self.view.board.id}-{self.view.name}"

    @property
    def said(self) -> str:
        """In a line."""
        people = self.found.people
        if people is None or people.one.value is None or people.majority.value is None:
            return ""
        return (f"one person gives gold's label {fraction(people.one.value)} % of the time, the "
                f"majority {fraction(people.majority.value)} %; {people.unclear} of "
                f"{people.items:,} items are unclear to people")


def sure_splits(site: SiteView) -> tuple[SureSplit, ...]:
    """The splits with such figures, those with people's answers first."""
    found = [_split(view, view.sure) for board in site.boards for view in board.splits
             if view.sure is not None]
    return tuple(sorted(found, key=lambda one: one.found.people is None))


def _split(view: SplitView, found: SurenessDocument) -> SureSplit:
    people = found.people
    agreement = () if people is None else tuple(
        (name, made(one)) for name, made, one in (
            ("Pairs of answers that agree, %", share, people.agreement.raw),
            ("Krippendorff's alpha", coefficient, people.agreement.alpha),
            ("Fleiss's kappa", coefficient, people.agreement.fleiss)) if one is not None)
    return SureSplit(view, found, tuple(_lines(view, found)), agreement,
                     tuple(_calibrated(view, found)))


def _lines(view: SplitView, found: SurenessDocument) -> Iterator[SureLine]:
    people = found.people
    if people is None:
        return
    *some, last = people.majorities
    yield SureLine("One person", "", share(people.one),
                   tuple(share(one.one) for one in people.bins))
    for one in some:
        yield SureLine(f"Majority of {one.people} people", "", share(one.right), ())
    yield SureLine(f"Majority of {last.people} people", "", share(people.majority),
                   tuple(share(one.majority) for one in people.bins))
    entries = {entry.key: entry for entry in view.entries}
    for key, system in sorted(found.systems.items(), key=lambda one: -(one[1].whole.value or 0)):
        yield SureLine(entries[key].title, _path(view, entries[key].slug), share(system.whole),
                       tuple(map(share, system.bins)), entries[key].kind)


def _path(view: SplitView, slug: str) -> str:
    return f"boards/{view.board.id}/systems/{slug}/"


def _calibrated(view: SplitView, found: SurenessDocument) -> Iterator[Calibrated]:
    entries = {entry.system: entry for entry in view.entries if entry.kind == "third-party"}
    titles = {row.system: row.title for row in view.board.third_party}
    for name, one in sorted(found.probabilities.items(),
                            key=lambda known: -(known[1].accuracy.value or 0)):
        entry = entries.get(name)
        yield Calibrated(
            name, titles.get(name, name), _path(view, entry.slug) if entry else "",
            (share(one.accuracy)._replace(n=None), Figure(fraction(one.confidence)),
             Figure(_decimals(one.ece)), *map(_plain, (
                 one.brier, one.jensen_shannon, one.kullback_leibler))),
            tuple((f"{_decimals(bin_.low, 2)} to {_decimals(bin_.high, 2)}", bin_.items,
                   fraction(bin_.confidence), fraction(bin_.accuracy))
                  for bin_ in one.bins if bin_.confidence is not None
                  and bin_.accuracy is not None))


def _plain(one: EstimateDocument | None) -> Figure:
    """A number that is no share."""
    if one is None or one.value is None:
        return Figure("\N{EN DASH}", defined=False)
    told = f"{_decimals(one.ci[0])} to {_decimals(one.ci[1])}" if one.ci else ""
    return Figure(_decimals(one.value), True, told)


def _decimals(value: float, places: int = 3) -> str:
    return f"{value:.{places}f}"


def bits(one: BinDocument) -> str:
    """The edges of a bin."""
    return f"{one.low:.2f} to {one.high:.2f} bits"


COLUMNS = ("split", "what", "name", "bin", *ESTIMATE)


def rows(splits: Sequence[SureSplit]) -> list[Sequence[Cell]]:
    """Every estimate for a spreadsheet; the bins of probabilities are in the JSON."""
    return [(split.anchor, *row) for split in splits for row in _rows(split.found)]


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
        for what, told in (("accuracy", of.accuracy), ("Brier score", of.brier),
                           ("Jensen-Shannon distance", of.jensen_shannon),
                           ("KL divergence", of.kullback_leibler)):
            yield (what, name, "all", *estimate(told))
        yield ("ECE", name, "all", of.ece, of.items, None, None, "none", "")

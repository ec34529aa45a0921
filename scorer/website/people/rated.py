"""Which metric agrees with people's ratings of gold answers, as pages say it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.website.people.downloads import ESTIMATE, Cell, estimate
from scorer.website.people.figures import Figure, coefficient, share
from scorer.website.records import SiteView, SplitView
from scorer.website.render import correlation
from scorer.website.text import for_readers

if TYPE_CHECKING:
    from scorer.annotations.documents import (
        AnswerAgreementDocument,
        EstimateDocument,
        RatedGoldsDocument,
        WithinDocument,
    )

COUNTS, OTHERS, BEST = "counts", "against_others", "against_best"
TITLES = {COUNTS: "Numbers that need no metric", OTHERS: "Metrics, against all other answers",
          BEST: "Metrics, against the answer rated highest"}

RATINGS = "people's ratings"


class RatedLine(NamedTuple):
    """One metric, or a number beside metrics, beside people's ratings."""

    name: str
    title: str
    """A metric's id, or what is counted."""
    is_metric: bool
    figures: tuple[Figure, ...]
    """Given the controls, of pairs that match, Spearman and tau-b within items, over items, and the
    share of pairs; none of what is not measured or the same for every answer."""
    says: str
    found: AnswerAgreementDocument


class RatedSplit(NamedTuple):
    """Every metric beside the ratings of one split's gold answers."""

    view: SplitView
    found: RatedGoldsDocument
    half: Figure
    ceiling: Figure
    parts: Mapping[str, tuple[RatedLine, ...]]
    """By COUNTS, OTHERS and BEST; most agreement given the controls first."""

    @property
    def title(self) -> str:
        """The board and the split."""
        return f"{self.view.board.title} {self.view.name}"

    @property
    def unmeasured(self) -> dict[str, str]:
        """Why metrics have no figures here, by metric."""
        return {name: for_readers(one.note) for name, one in self.found.against_others.items()
                if one.within is None}

    @property
    def controls(self) -> str:
        """What is held fixed, in words."""
        return " and ".join(self.named(name) for name in self.found.controls)

    def named(self, name: str) -> str:
        """What a number beside metrics counts."""
        return {"parts": self.view.board.task.units, "words": "words",
                "overlap": "share of words from the item"}.get(name, name)


class OnSplit(NamedTuple):
    """What one metric's page says of one data set."""

    split: RatedSplit
    lines: tuple[tuple[str, RatedLine], ...]
    """By what answers are scored against; last what agrees best without a metric."""
    follows: str


def rated_splits(site: SiteView) -> tuple[RatedSplit, ...]:
    """The splits with ratings, in the order of boards."""
    return tuple(_split(view, view.rated) for board in site.boards for view in board.splits
                 if view.rated is not None)


def _split(view: SplitView, found: RatedGoldsDocument) -> RatedSplit:
    one = RatedSplit(view, found, coefficient(found.within_half), coefficient(found.ceiling), {})
    return one._replace(parts={
        part: tuple(sorted((_line(one, name, agreement)
                            for name, agreement in getattr(found, part).items()), key=_place))
        for part in TITLES})


def _line(split: RatedSplit, name: str, one: AnswerAgreementDocument) -> RatedLine:
    within = one.within
    figures = () if within is None or _constant(within) else (*map(coefficient, (
        within.partial, within.matched, within.spearman, within.tau_b, within.overall)),
        share(within.pairwise)._replace(n=None))
    return RatedLine(name, name if name in METRICS else split.named(name), name in METRICS,
                     figures, _says(one), one)


def _place(line: RatedLine) -> tuple[bool, float]:
    within = line.found.within
    value = within.partial.value if within is not None else None
    return value is None, -(value or 0.0)


def _says(one: AnswerAgreementDocument) -> str:
    """In a few words, for a table."""
    if one.within is None:
        return "not measured"
    given = one.within.partial
    if given.value is None:
        return "the same for every answer" if _constant(one.within) else "nothing but length"
    if given.ci is None:
        return f"not measured: {given.note}"
    if given.ci[0] > 0:
        return "agrees" if not _below(one.within.spearman) else "agrees once length is fixed"
    return "disagrees" if given.ci[1] < 0 else "no agreement shown"


def _constant(within: WithinDocument) -> bool:
    return within.spearman.value is None


def _below(one: EstimateDocument) -> bool:
    return one.ci is not None and one.ci[1] < 0


def told(one: EstimateDocument) -> str:
    """A number with its interval, in a sentence."""
    if one.value is None:
        return "undefined"
    low, high = one.ci or (None, None)
    ends = "" if low is None or high is None else f" [{correlation(low)}, {correlation(high)}]"
    return f"{correlation(float(one.value))}{ends}"


# ---- what follows --------------------------------------------------------------------------


def largest(splits: Sequence[RatedSplit]) -> list[RatedSplit]:
    """Of each board the split with the most ratings."""
    found: dict[str, RatedSplit] = {}
    for one in splits:
        known = found.get(one.view.board.id)
        if known is None or one.found.ratings > known.found.ratings:
            found[one.view.board.id] = one
    return list(found.values())


def column_notes(splits: Sequence[RatedSplit]) -> dict[str, str]:
    """What follows for each column, by metric: a sentence for each board with ratings."""
    notes: dict[str, list[str]] = {}
    for split in largest(splits):
        for line in split.parts[OTHERS]:
            if said := _follows(split, line):
                notes.setdefault(line.name, []).append(f"on {split.title}, {said}")
    return {name: " ".join(found) for name, found in notes.items()}


def _follows(split: RatedSplit, line: RatedLine) -> str:
    """In one sentence; empty for what is not measured or the same for every answer."""
    within = line.found.within
    if within is None or within.partial.ci is None:
        return ""
    given, plain = within.partial, within.spearman
    said = f"with {split.controls} held fixed, {_verdict(given, RATINGS)}"
    if _sign(plain) != _sign(given):
        said += f"; with nothing held fixed, {_verdict(plain, 'them')}"
    return f"{said}."


def _verdict(one: EstimateDocument, whom: str) -> str:
    words = {1: f"it agrees with {whom}", -1: f"it disagrees with {whom}",
             0: f"no agreement with {whom} is shown"}
    return f"{words[_sign(one)]}, {told(one)}"


def _sign(one: EstimateDocument) -> int:
    low, high = one.ci or (0.0, 0.0)
    return int(low > 0) - int(high < 0)


def front_finding(split: RatedSplit) -> str:
    """What follows for the columns of boards, in a few sentences; empty without figures."""
    counts = _measured(split, COUNTS, "spearman")
    metrics = _measured(split, OTHERS, "partial")
    if not counts or not metrics:
        return ""
    first, plain = counts[0][0], counts[0][1].spearman
    best = max((found.spearman.value or 0.0 for _, found in metrics), default=0.0)
    some = " that was measured" if split.unmeasured else ""
    more = f", more than any metric{some}" if (plain.value or 0.0) > best else ""
    what = first.title if first.name == "overlap" else f"number of {first.title}"
    listed = ", ".join(f"{line.name} {told(found.partial)}" for line, found in metrics)
    return (f"People gave {split.found.ratings:,} ratings to {split.found.answers:,} answers. "
            f"Within an item, they correlate most with the {what}: {told(plain)}{more}. "
            f"Among answers of equal length ({split.controls} held fixed): {listed}.")


def _measured(split: RatedSplit, part: str, by: str) -> list[tuple[RatedLine, WithinDocument]]:
    """Lines with a value and its interval, the greatest first."""
    found = [(line, line.found.within) for line in split.parts[part]
             if line.found.within is not None and getattr(line.found.within, by).ci is not None]
    return sorted(found, key=lambda one: -(getattr(one[1], by).value or 0.0))


# ---- a metric's page and the download ------------------------------------------------------


def of_metric(splits: Sequence[RatedSplit], metric: str) -> Iterator[OnSplit]:
    """How far one metric agrees with each data set that measured it."""
    for split in splits:
        lines = [(TITLES[part], line) for part in (OTHERS, BEST)
                 for line in split.parts[part] if line.name == metric]
        if lines:
            best = _measured(split, COUNTS, "spearman")[:1]
            yield OnSplit(split, (*lines, *((TITLES[COUNTS], line) for line, _ in best)),
                          _follows(split, lines[0][1]))


COLUMNS = ("split", "scored", "metric", "better", "measure", *ESTIMATE, "answers", "items",
           "threshold")


def rows(splits: Sequence[RatedSplit]) -> list[Sequence[Cell]]:
    """Everything for a spreadsheet."""
    from scorer.annotations.documents import WITHIN_MEASURES

    return [(f"{split.view.board.id}-{split.view.name}", part, line.name, line.found.better,
             measure, *estimate(getattr(within, measure)), within.answers, within.items,
             within.threshold if measure == "pairwise" else None)
            for split in splits for part, lines in split.parts.items() for line in lines
            if (within := line.found.within) is not None for measure in WITHIN_MEASURES]

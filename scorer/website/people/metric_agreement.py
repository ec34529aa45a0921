"""Which metric agrees with people: the numbers of ``human/metrics/``, a table a split. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.website.people.downloads import ESTIMATE, Cell, estimate
from scorer.website.people.figures import Figure, coefficient, share
from scorer.website.records import SiteView, SplitView

if TYPE_CHECKING:
    from scorer.annotations.documents import EstimateDocument, MetaDocument, MetricAgreementDocument

MEASURES = ("accuracy", "tau_b", "spearman", "pairwise", "system_tau_b", "system_spearman",
            "system_pairwise")
CONSTANT = "no variation"


class MetricLine(NamedTuple):
    """One metric beside people."""

    metric: MetricInfo
    found: MetricAgreementDocument
    accuracy: Figure | None
    tau_b: Figure
    spearman: Figure
    pairwise: Figure
    within: Figure
    """tau-b of several systems' graphs for one item."""
    system: Figure
    says: str
    """What follows, in a few words."""


class SplitLines(NamedTuple):
    """Every metric of one split beside the people who read its graphs."""

    view: SplitView
    found: MetaDocument
    reliability: Figure
    lines: tuple[MetricLine, ...]
    simulated: bool

    @property
    def few(self) -> str:
        """Why systems are not compared; empty if they are."""
        return next((line.found.system_tau_b.note for line in self.lines
                     if "fewer than" in line.found.system_tau_b.note), "")


def has_any(site: SiteView) -> bool:
    """Whether people read graphs of a system whose items' scores are at hand."""
    return any(_known(view) for view in _views(site))


def split_lines(site: SiteView) -> Iterator[SplitLines]:
    """A table for each split whose systems people read."""
    from scorer.annotations.documents import MetaDocument
    from scorer.annotations.judged import metrics_beside_people

    for view in filter(_known, _views(site)):
        assert view.people is not None
        found = MetaDocument.of(metrics_beside_people(
            view.people.votes, {entry.key: entry.result for entry in view.entries},
            view.board.metrics))
        yield SplitLines(view, found, coefficient(found.half),
                         tuple(sorted((_line(name, one) for name, one in found.metrics.items()),
                                      key=_place)), bool(view.people.simulated))


def _views(site: SiteView) -> Iterator[SplitView]:
    return (view for board in site.boards for view in board.splits if view.people is not None)


def _known(view: SplitView) -> bool:
    assert view.people is not None
    return any(one.judged is not None and one.read for one in view.people.votes.values())


def _line(name: str, one: MetricAgreementDocument) -> MetricLine:
    return MetricLine(
        METRICS[name], one, None if one.accuracy is None else share(one.accuracy),
        coefficient(one.tau_b), coefficient(one.spearman), share(one.pairwise),
        coefficient(one.within.tau_b), coefficient(one.system_tau_b), _says(one.tau_b))


def _says(tau: EstimateDocument) -> str:
    if tau.value is None:
        return ("the same for every graph that passed" if tau.note == CONSTANT
                else "not measured")
    if tau.ci is None:
        return f"not measured: {tau.note}"
    if tau.ci[0] > 0:
        return "agrees"
    return "disagrees" if tau.ci[1] < 0 else "no agreement shown"


def _place(line: MetricLine) -> tuple[bool, float]:
    """Most agreement first; metrics that say the same of all graphs last."""
    value = line.found.tau_b.value
    return value is None, -(value or 0.0)


COLUMNS = ("split", "metric", "better", "measure", *ESTIMATE, "rated", "systems", "threshold",
           "simulated")


def rows(splits: Sequence[SplitLines]) -> list[Sequence[Cell]]:
    """The same for a spreadsheet."""
    found: list[Sequence[Cell]] = []
    for one in splits:
        name = f"{one.view.board.id}-{one.view.name}"
        for line in one.lines:
            measures = {name: getattr(line.found, name) for name in MEASURES}
            measures["within_tau_b"] = line.found.within.tau_b
            for measure, value in measures.items():
                if value is not None:
                    found.append((name, line.metric.id, line.found.better, measure,
                                  *estimate(value), line.found.rated, line.found.systems,
                                  line.found.threshold if measure == "pairwise" else None,
                                  one.simulated))
    return found

"""Which metric agrees with people: the numbers of ``human/metrics/``, a table a split. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.website.people.downloads import ESTIMATE, Cell, estimate
from scorer.website.records import SiteView, SplitView

if TYPE_CHECKING:
    from scorer.annotations.documents import Estimate, MetaDocument, MetricAgreement

MEASURES = ("accuracy", "tau_b", "spearman", "pairwise", "system_tau_b", "system_spearman",
            "system_pairwise")
CONSTANT = "no variation"


class SplitAgreement(NamedTuple):
    """Every metric of one split beside the people who read its graphs."""

    view: SplitView
    found: MetaDocument
    simulated: bool

    @property
    def name(self) -> str:
        """Board and split."""
        return f"{self.view.board.id}-{self.view.name}"

    @property
    def metrics(self) -> list[tuple[str, MetricAgreement]]:
        """Most agreement first; metrics that say the same of all graphs last."""
        return sorted(self.found.metrics.items(), key=lambda one: (
            one[1].tau_b.value is None, -(one[1].tau_b.value or 0.0)))

    @property
    def few(self) -> str:
        """Why systems are not compared; empty if they are."""
        notes = [one.system_tau_b.note for one in self.found.metrics.values()]
        return next((note for note in notes if "fewer than" in note), "")


def has_any(site: SiteView) -> bool:
    """Whether people read graphs of a system whose items' scores are at hand."""
    return any(True for _ in _read(site))


def split_agreements(site: SiteView) -> Iterator[SplitAgreement]:
    """A table for each split whose systems people read."""
    from scorer.annotations.judged import metrics_beside_people

    for view in _read(site):
        assert view.people is not None
        found = metrics_beside_people(
            view.people.votes, {entry.key: entry.result for entry in view.entries},
            view.board.metrics)
        yield SplitAgreement(view, found, bool(view.people.simulated))


def _read(site: SiteView) -> Iterator[SplitView]:
    return (view for board in site.boards for view in board.splits
            if view.people is not None and any(
                one.judged is not None and one.read for one in view.people.votes.values()))


def says(tau: Estimate) -> str:
    """What follows from a metric's agreement, in a few words."""
    if tau.value is None:
        return ("the same for every graph that passed" if tau.note == CONSTANT
                else "not measured")
    if tau.ci is None:
        return f"not measured: {tau.note}"
    if tau.ci[0] > 0:
        return "agrees"
    return "disagrees" if tau.ci[1] < 0 else "no agreement shown"


COLUMNS = ("split", "metric", "better", "measure", *ESTIMATE, "rated", "systems", "threshold",
           "simulated")


def rows(splits: Sequence[SplitAgreement]) -> Iterator[Sequence[Cell]]:
    """The same for a spreadsheet."""
    for split in splits:
        for name, one in split.metrics:
            measures = {measure: getattr(one, measure) for measure in MEASURES}
            measures["within_tau_b"] = one.within.tau_b
            for measure, value in measures.items():
                if value is not None:
                    yield (split.name, name, one.better, measure, *estimate(value), one.rated,
                           one.systems, one.threshold if measure == "pairwise" else None,
                           split.simulated)

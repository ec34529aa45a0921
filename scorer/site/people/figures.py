"""What pages say of figures about people: which metric agrees with their ratings of gold answers
and with their verdicts on systems' graphs, and how sure they are of labels. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from scorer.people import documents
from scorer.people.documents import AnswerAgreementDocument, Estimate
from scorer.people.verdicts import SplitVotes
from scorer.site.records import Entry, SiteView, SplitView
from scorer.site.render import correlation

TITLES = {"counts": "Numbers that need no metric",
          "against_others": "Metrics, against all other answers",
          "against_best": "Metrics, against the answer rated highest"}
"""Fields of a document of ratings, as parts of a table."""


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


@dataclass(frozen=True)
class RatedSplit(OfSplit):
    """Every metric beside the ratings of one split's gold answers."""

    found: documents.RatedGoldsDocument

    @cached_property
    def parts(self) -> Mapping[str, list[tuple[str, AnswerAgreementDocument]]]:
        """What agrees how far, by the fields of TITLES; most agreement given the controls first."""
        return {part: sorted(getattr(self.found, part).items(), key=lambda line: _falling(
            line[1].within.partial if line[1].within else None)) for part in TITLES}

    @property
    def controls(self) -> str:
        """What is held fixed, in words."""
        return " and ".join(self.named(name) for name in self.found.controls)

    def named(self, name: str) -> str:
        """What a number beside metrics counts; a metric has its own name."""
        return {"parts": self.view.board.task.units, "words": "words",
                "overlap": "share of words from the item"}.get(name, name)


def _falling(estimate: Estimate | None) -> tuple[bool, float]:
    value = estimate.value if estimate is not None else None
    return value is None, -(value or 0.0)


def says(estimate: Estimate | None) -> str:
    """What follows from a correlation with people, in a few words."""
    if estimate is None or estimate.ci is None:
        return "not measured"
    return {1: "agrees", 0: "no agreement shown", -1: "disagrees"}[_sign(estimate)]


def described(estimate: Estimate) -> str:
    """A number with its interval, in a sentence."""
    if estimate.value is None:
        return "undefined"
    ends = f" [{', '.join(map(correlation, estimate.ci))}]" if estimate.ci else ""
    return f"{correlation(estimate.value)}{ends}"


def column_notes(site: SiteView) -> dict[str, str]:
    """What follows for each column, by metric: a sentence for each board with ratings, of the split
    with most."""
    notes: dict[str, list[str]] = {}
    for board in site.boards:
        splits = [RatedSplit(view, view.rated) for view in board.splits if view.rated is not None]
        for split in sorted(splits, key=lambda split: -split.found.ratings)[:1]:
            for name, agreement in split.parts["against_others"]:
                if sentence := _follows(split, agreement):
                    notes.setdefault(name, []).append(f"on {split.title}, {sentence}")
    return {name: " ".join(sentences) for name, sentences in notes.items()}


def _follows(split: RatedSplit, agreement: AnswerAgreementDocument) -> str:
    """In one sentence; empty for what is not measured or the same for every answer."""
    if agreement.within is None or agreement.within.partial.ci is None:
        return ""
    partial = agreement.within.partial
    verdict = {1: "it agrees with people's ratings", -1: "it disagrees with people's ratings",
               0: "no agreement with people's ratings is shown"}[_sign(partial)]
    return f"with {split.controls} held fixed, {verdict}, {described(partial)}."


def _sign(estimate: Estimate) -> int:
    low, high = estimate.ci or (0.0, 0.0)
    return int(low > 0) - int(high < 0)


# ---- verdicts on systems' graphs --------------------------------------------------------------


@dataclass(frozen=True)
class SplitAgreement(OfSplit):
    """Every metric of one split beside the people who read its graphs."""

    people: SplitVotes

    @cached_property
    def found(self) -> documents.MetaDocument:
        """The figures of the split."""
        from scorer.people.metric_agreement import metrics_beside_people

        return metrics_beside_people(self.people.votes, self.view.board.metrics)

    @property
    def metrics(self) -> list[tuple[str, documents.MetricAgreement]]:
        """Most agreement first; metrics that say the same of all graphs last."""
        return sorted(self.found.metrics.items(), key=lambda line: _falling(line[1].tau_b))

    @property
    def few(self) -> str:
        """Why systems are not compared; empty if they are."""
        notes = [metric.system_tau_b.note for metric in self.found.metrics.values()]
        return next((note for note in notes if "fewer than" in note), "")


# ---- how sure people and systems are of labels ---------------------------------------------------


@dataclass(frozen=True)
class SureSplit(OfSplit):
    """What is known of one split."""

    found: documents.SurenessDocument

    @property
    def people(self) -> Iterator[tuple[str, Estimate, list[Estimate]]]:
        """Shares of right labels, on all items, then by how sure people are: of one person, then of
        majorities."""
        people = self.found.people
        if people is None:
            return
        *some, last = people.majorities
        yield "One person", people.one, [group.one for group in people.bins]
        for majority in some:
            yield f"Majority of {majority.people} people", majority.right, []
        yield (f"Majority of {last.people} people", people.majority,
               [group.majority for group in people.bins])

    @property
    def lines(self) -> Iterator[tuple[str, Entry | None, Estimate, list[Estimate]]]:
        """The same of people, then of systems, the best first."""
        for title, whole, bins in self.people:
            yield title, None, whole, bins
        entries = {entry.key: entry for entry in self.view.entries}
        for key, system in sorted(self.found.systems.items(),
                                  key=lambda item: -(item[1].whole.value or 0)):
            yield entries[key].title, entries[key], system.whole, system.bins

    @property
    def calibrated(self) -> list[tuple[str, Entry | None, documents.CalibrationDocument]]:
        """What systems' probabilities are worth, by the systems' titles."""
        entries = {row.system: row for row in self.view.entries if row.kind == "third-party"}
        titles = {row.system: row.title for row in self.view.board.third_party}
        return [(titles.get(name, name), entries.get(name), document)
                for name, document in sorted(self.found.probabilities.items(),
                                             key=lambda known: -(known[1].accuracy.value or 0))]

"""What the pages below ``human/`` and their downloads are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from scorer.people.documents import HumanResults
from scorer.people.hamlet import HamletRound
from scorer.people.records import GOLD, GRAPH
from scorer.site.people import items, rated
from scorer.site.people.figures import SureSplit, sure_splits
from scorer.site.people.rated import RatedSplit, SplitAgreement
from scorer.site.records import BoardView, ClosedBatch, SiteView, SplitView

PAGE = "human/"
SURENESS, ROUNDS, AGREEMENT, HAMLET, METRICS = (
    f"{PAGE}{name}/" for name in ("sureness", "rounds", "agreement", "hamlet", "metrics"))
CSK = "csk"
RESERVED = ("agreement", "hamlet", "items", "metrics", "rounds", "sureness")
"""Names below ``human/`` that no form may take."""


class HumanPageLink(NamedTuple):
    """A page below ``human/``."""

    path: str
    title: str
    kind: str = ""
    """The form that it is about, if it is about one."""


class NamedSystem(NamedTuple):
    """A system whose output people judged."""

    title: str
    path: str
    """Its page; empty if it has none here."""


@dataclass(frozen=True)
class HumanPages:
    """What the pages are made of."""

    site: SiteView

    @cached_property
    def closed(self) -> dict[str, list[ClosedBatch]]:
        """Closed batches with answers by kind."""
        groups: dict[str, list[ClosedBatch]] = {}
        for batch in self.site.annotations.closed:
            if batch.annotations:
                groups.setdefault(batch.batch.kind, []).append(batch)
        return groups

    @property
    def results(self) -> HumanResults | None:
        """The document; None without closed batches."""
        return self.site.annotations.results

    @property
    def numbers(self) -> HumanResults:
        """The same on pages that there are with closed batches alone."""
        assert self.results is not None
        return self.results

    @cached_property
    def anonymous(self) -> dict[str, str]:
        """Names of systems whose team may not be named, by their keys."""
        return {entry.key: entry.name for board in self.site.boards for view in board.splits
                for entry in view.entries if entry.anonymous}

    @cached_property
    def _systems(self) -> dict[str, NamedSystem]:
        systems = {name: NamedSystem(title, "") for name, title in (
            ("", "not of a system"), (GOLD, GOLD))}
        boards = {batch.batch.board for batches in self.closed.values() for batch in batches}
        for view in (view for board in self.site.boards if board.board.id in boards
                     for view in board.splits):
            for entry in view.entries:
                systems.setdefault(entry.key, NamedSystem(
                    entry.title, view.system_path(entry)))
        return systems

    def system(self, key: str) -> NamedSystem:
        """The system of a key of a batch."""
        return self._systems.get(key) or NamedSystem(self.anonymous.get(key, key), "")

    @cached_property
    def refined(self) -> list[tuple[BoardView, SplitView]]:
        """Splits with a history of refinement."""
        return [(board, view) for board in self.site.boards for view in board.splits
                if view.refined]

    def path(self, kind: str) -> str:
        """The page of a form."""
        return f"{PAGE}{f'form-{kind}' if kind in RESERVED else kind}/"

    @cached_property
    def links(self) -> tuple[HumanPageLink, ...]:
        """All pages, in the order of the tabs."""
        tabs = [HumanPageLink(PAGE, "Overview")]
        if self.sure:
            tabs.append(HumanPageLink(SURENESS, "How sure people are"))
        if self.rated or rated.has_verdicts(self.site):
            tabs.append(HumanPageLink(METRICS, "Metrics"))
        if self.results is not None:
            tabs += [HumanPageLink(self.path(kind), batches[0].form.title, kind)
                     for kind, batches in self.closed.items() if self.has_page(kind)]
        if self.refined or (self.results is not None and self.results.rounds):
            tabs.append(HumanPageLink(ROUNDS, "Rounds"))
        if self.results is not None and self.results.questions:
            tabs.append(HumanPageLink(AGREEMENT, "Agreement"))
        if self.hamlet:
            tabs.append(HumanPageLink(HAMLET, "People against a model"))
        return tuple(tabs)

    @cached_property
    def hamlet(self) -> list[HamletRound]:
        """The rounds against a model whose batches are all closed."""
        results = self.site.annotations.hamlet
        closed = {batch.batch.name for batch in self.site.annotations.closed}
        return [entry for entry in results.rounds if entry.batches <= closed] if results else []

    @cached_property
    def metrics(self) -> tuple[SplitAgreement, ...]:
        """Every metric beside people, split by split."""
        return tuple(rated.split_agreements(self.site))

    @cached_property
    def rated(self) -> tuple[RatedSplit, ...]:
        """Every metric beside ratings of gold answers, split by split."""
        return rated.rated_splits(self.site)

    @cached_property
    def sure(self) -> tuple[SureSplit, ...]:
        """How sure people and systems are of labels, split by split."""
        return sure_splits(self.site)

    def has_page(self, kind: str) -> bool:
        """Whether a form has a page of its own: what is asked there has values."""
        return bool(kind == CSK and self.numbers.csk) or kind in self.numbers.values

    def samples(self, kind: str) -> dict[str, Any]:
        """Items of a form for a page, with their systems."""
        pool = items.samples(self.closed[kind], self.site.annotations.people)
        return {"samples": items.shown(pool), "all": len(pool),
                "systems": {sample.system: self.system(sample.system) for sample in pool}}

    def unnamed(self, kind: str) -> str:
        """What the items are for which keys name no system."""
        authors = any(origin.authors and not origin.system for batch in self.closed[kind]
                      for origin in batch.origins.values())
        shown = {field.kind for field in self.closed[kind][0].form.item}
        made = "graphs" if GRAPH in shown else "texts"
        return f"{made} of annotators" if authors else self.system("").title

    def publish(self, value: Any) -> Any:
        """A document without the teams that may not be named."""
        if not self.anonymous:
            return value
        if isinstance(value, Mapping):
            return {self.publish(key): self.publish(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.publish(part) for part in value]
        if isinstance(value, str):
            for key, name in self.anonymous.items():
                value = value.replace(key, name)
        return value

    def part(self, *keys: str) -> dict[str, Any]:
        """Some keys of the document, as a file of its own."""
        document = self.numbers.to_json()
        return self.publish({key: document[key] for key in (  # type: ignore[no-any-return]
            "format", "generated_from", *keys, "simulated") if key in document})

"""The pages below ``human/``: what people were asked, and what came out. Pure.

Every number is one of ``human-results/1``; what is not in it is counted from closed batches. Of
open batches there is nothing but how far they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

from scorer.core.files import json_bytes
from scorer.core.graph import Graph
from scorer.people import organisers
from scorer.people.answered import NONE, AnsweredItem
from scorer.people.documents import HumanResults, MetaResults
from scorer.people.hamlet import Attempt, HamletRound
from scorer.people.published import HUMAN_RESULTS
from scorer.people.records import CHOICE, GOLD, NOT_ASKED, Question
from scorer.people.stages import STANCE, VERIFY
from scorer.site.page import Page
from scorer.site.people import figures
from scorer.site.records import AskedBatch, SiteView

PAGE = "human/"
SURENESS, ROUNDS, AGREEMENT, HAMLET, METRICS = (
    f"{PAGE}{name}/" for name in ("sureness", "rounds", "agreement", "hamlet", "metrics"))
DATA = "data/human/"
CSK = "csk"
METRIC_GROUPS = (
    ("Arguments", (("plausible", "plausible", "Q2"),
                   ("implicit", "connected by implicit knowledge", "Q3"))),
    ("Recall of that knowledge", (("recall_full", "all of it", "Q4"),
                                  ("recall_any", "all or part of it", "Q4"))),
    *((title, ((f"{kind}_micro", "of all triplets (micro)", "Q5"),
               (f"{kind}_macro", "mean over answers (macro)", "Q5")))
      for kind, title in (("precision", "Precision: positive triplets"),
                          ("in_context", "In context: positive or neutral"),
                          ("unrelated", "Unrelated"), ("contradicting", "Contradicting"))),
    ("Together", (("f1", "F1 of recall (all or part) and precision (macro); our own", ""),)),
)
"""Rows of the table: metric, words, question. A metric with NEGATED at its end stands beside."""
NEGATED = "_negated"
MOST_FOOLING = 100
"""Texts of a round that fooled a model, of those that a page shows."""


class TitledLink(NamedTuple):
    """A page below ``human/``, or a system whose output people judged."""

    title: str
    path: str = ""
    """Its page; empty if it has none here."""
    kind: str = ""
    """The form that the page is about, if it is about one."""


@dataclass(frozen=True)
class HumanPages:
    """What the pages are made of."""

    site: SiteView

    @cached_property
    def closed(self) -> dict[str, list[AskedBatch]]:
        """Closed batches with answers by kind."""
        groups: dict[str, list[AskedBatch]] = {}
        for batch in self.site.annotations.closed if self.results else ():
            if batch.items:
                groups.setdefault(batch.batch.kind, []).append(batch)
        return groups

    @property
    def results(self) -> HumanResults | None:
        """The document; None without closed batches."""
        return self.site.annotations.results

    @cached_property
    def anonymous(self) -> dict[str, str]:
        """Names of systems whose team may not be named, by their keys."""
        return {entry.key: entry.name for view in self.site.splits for entry in view.entries
                if entry.anonymous}

    @cached_property
    def _systems(self) -> dict[str, TitledLink]:
        systems = {"": TitledLink("not of a system"), GOLD: TitledLink(GOLD)}
        boards = {batch.batch.board for batches in self.closed.values() for batch in batches}
        for view in self.site.splits:
            for entry in view.entries if view.board.id in boards else ():
                systems.setdefault(entry.key, TitledLink(entry.title, view.system_path(entry)))
        return systems

    def system(self, key: str) -> TitledLink:
        """The system of a key of a batch."""
        return self._systems.get(key) or TitledLink(self.anonymous.get(key, key))

    def path(self, kind: str) -> str:
        """The page of a form; empty if it has none, for nothing asked there has values."""
        results = self.results
        if results is None or not (kind in results.values or (kind == CSK and results.csk)):
            return ""
        path = f"{PAGE}{kind}/"
        return f"{PAGE}form-{kind}/" if path in _PAGES else path

    @cached_property
    def links(self) -> tuple[TitledLink, ...]:
        """All pages, in the order of the tabs."""
        tabs = [TitledLink("Overview", PAGE)]
        if self.sure:
            tabs.append(TitledLink("How sure people are", SURENESS))
        if self.rated or self.metrics:
            tabs.append(TitledLink("Metrics", METRICS))
        tabs += [TitledLink(batches[0].form.title, path, kind)
                 for kind, batches in self.closed.items() if (path := self.path(kind))]
        if self.results and self.results.rounds:
            tabs.append(TitledLink("Rounds", ROUNDS))
        if self.results and self.results.questions:
            tabs.append(TitledLink("Agreement", AGREEMENT))
        if self.hamlet:
            tabs.append(TitledLink("People against a model", HAMLET))
        return tuple(tabs)

    @cached_property
    def hamlet(self) -> list[HamletRound]:
        """The rounds against a model whose batches are all closed."""
        results = self.site.annotations.hamlet
        closed = {batch.batch.name for batch in self.site.annotations.closed}
        return [entry for entry in results.rounds if entry.batches <= closed] if results else []

    @cached_property
    def metrics(self) -> list[figures.SplitAgreement]:
        """Every metric beside people, of each split with graphs of a system that people read, whose
        items' scores are at hand."""
        return [figures.SplitAgreement(view, view.people) for view in self.site.splits
                if view.people and any(vote.judged is not None and vote.read
                                       for vote in view.people.votes.values())]

    @cached_property
    def rated(self) -> list[figures.RatedSplit]:
        """Every metric beside ratings of gold answers, split by split."""
        return [figures.RatedSplit(view, view.rated) for view in self.site.splits if view.rated]

    @cached_property
    def sure(self) -> list[figures.SureSplit]:
        """How sure people and systems are of labels, those with people's answers first."""
        splits = [figures.SureSplit(view, view.sure) for view in self.site.splits if view.sure]
        return sorted(splits, key=lambda split: split.found.people is None)

    def documents(self) -> Iterator[tuple[str, Any]]:
        """What the pages give as files: each by its path."""
        if self.results is not None:
            yield f"{DATA}{HUMAN_RESULTS}", self.results.to_json()
        if self.rated or self.metrics:
            yield f"{DATA}metrics.json", MetaResults(
                format="metric-agreement/1",
                splits={split.name: split.found for split in self.metrics},
                simulated=[split.name for split in self.metrics if split.people.simulated],
                rated={split.name: split.found for split in self.rated}).to_json()
        if self.sure:
            yield f"{DATA}sureness.json", {
                split.name: split.found.to_json() for split in self.sure}


def people_pages(site: SiteView) -> Iterator[Page]:
    """Every page below ``human/``; the overview is always there."""
    known = HumanPages(site)
    for link in known.links:
        part, title, own = _PAGES.get(link.path) or (
            "human-form.html", f"{link.title} What people say", partial(_form_context, link.kind))
        yield Page(link.path, title, "human-page.html",
                   partial(_context, known, link.path, part, title, own), nav=link.path == PAGE)


def people_files(site: SiteView) -> Iterator[tuple[str, bytes]]:
    """The documents that the pages are made of, without the teams that may not be named."""
    known = HumanPages(site)
    for path, document in known.documents():
        content = json_bytes(document)
        for key, name in known.anonymous.items():
            content = content.replace(key.encode(), name.encode())
        yield path, content


def _context(known: HumanPages, here: str, part: str, title: str,
             own: Callable[[HumanPages], dict[str, Any]]) -> dict[str, Any]:
    return {"links": known.links, "here": here, "part": part, "title": title,
            "results": known.results, "system": known.system, "whole": f"{DATA}{HUMAN_RESULTS}",
            **own(known)}


# ---- the overview ------------------------------------------------------------------------------


def _line(known: HumanPages, kind: str) -> dict[str, Any]:
    """One form in the overview: where its page is, and how much was answered."""
    batches = known.closed[kind]
    form, names = batches[0].form, {batch.batch.name for batch in batches}
    items = [item for batch in batches for item in batch.items]
    path = known.path(kind)
    if not path and form.graph is not None and known.results and known.results.rounds:
        path = ROUNDS
    elif not path and any(entry.batches & names for entry in known.hamlet):
        path = HAMLET
    return {"form": form, "path": path, "answers": sum(len(item.answers) for item in items),
            "items": sum(len(batch.batch.items) for batch in batches),
            "annotators": len({login for item in items for login in item.answers}),
            "simulated": any(batch.coverage.simulated for batch in batches)}


# ---- single items, without the names of those who answered ---------------------------------------


def vote_counts(item: AnsweredItem, question: Question, triplet: int | None = None,
                ) -> list[tuple[int, str, int]]:
    """Votes for each value of a question that somebody gave: its place in the form, what it says,
    and how many. ``triplet``: the position of the one that is asked about."""
    answers = list(item.given(question.id).values())
    if triplet is not None:
        answers = [answer[triplet] for answer in answers if triplet < len(answer)]
    counts = Counter(value for answer in answers for value in (
        [answer] if isinstance(answer, str) else answer) if value != NOT_ASKED)
    words = {value.key: value.text for value in question.values}
    if question.topics:
        words = {topic.key: topic.text for topic in item.batch.topics} | words
    keys = [*words, *sorted(counts.keys() - words)]
    return [(place, words.get(key, key), counts[key])
            for place, key in enumerate(keys) if counts[key]]


def dispute(item: AnsweredItem) -> float:
    """The share of pairs of votes that differ, 0 to 1, mean over questions; 0 without pairs."""
    shares = []
    for question in item.form.questions:
        answers = [one for one in item.given(question.id).values() if one not in question.unsure]
        pairs = [answer != other for answer, other in combinations(answers, 2)]
        if pairs and question.answer == CHOICE:
            shares.append(sum(pairs) / len(pairs))
    return sum(shares) / len(shares) if shares else 0.0


def most_disputed(pool: Sequence[AnsweredItem]) -> list[AnsweredItem]:
    """Those that a page shows: the five most disputed, then the first others, ten in all."""
    most = sorted(range(len(pool)), key=lambda at: (-dispute(pool[at]), at))
    first = [at for at in most[:5] if dispute(pool[at]) > 0]
    others = [at for at in range(len(pool)) if at not in first]
    return [pool[at] for at in (*first, *others)[:10]]


# ---- single pages ------------------------------------------------------------------------------


def _form_context(kind: str, known: HumanPages) -> dict[str, Any]:
    form = known.closed[kind][0].form
    pool = [item for batch in known.closed[kind] for item in batch.items]
    return {"kind": kind, "form": form, "STANCE": STANCE, "VERIFY": VERIFY,
            "csk": CSK, "groups": METRIC_GROUPS, "negated": NEGATED,
            "programs": partial(organisers.simulated, known.site.annotations.people),
            "samples": most_disputed(pool), "all": len(pool), "votes": vote_counts, "graph": Graph}


def _texts(known: HumanPages, turn: Attempt) -> list[str]:
    """The texts of an attempt, in the order of the form by which they were written."""
    form = next(batch.form for batch in known.site.annotations.closed
                if batch.batch.name == turn.batch)
    order = [name for made in form.written for name in made.texts]
    return [turn.texts[name] for name in dict.fromkeys((*order, *turn.texts)) if name in turn.texts]


_PAGES: dict[str, tuple[str, str, Callable[[HumanPages], dict[str, Any]]]] = {
    PAGE: ("human-overview.html", "What people say", lambda known: {
        "answered": [split for split in known.sure if split.found.people],
        "rated": known.rated, "rating": figures, "sureness_page": SURENESS,
        "metrics_page": METRICS, "open": known.site.annotations.open,
        "lines": [_line(known, kind) for kind in known.closed]}),
    SURENESS: ("human-sureness.html", "How sure people are", lambda known: {
        "splits": known.sure, "rated": known.rated, "metrics_page": METRICS,
        "whole": f"{DATA}sureness.json"}),
    ROUNDS: ("human-rounds.html", "Rounds of collecting and refining", lambda _: {}),
    AGREEMENT: ("human-agreement.html", "Agreement of annotators", lambda known: {
        "forms": {kind: batches[0].form for kind, batches in known.closed.items()}, "csk": CSK}),
    HAMLET: ("human-hamlet.html", "People against a model", lambda known: {
        "hamlet": known.site.annotations.hamlet, "rounds": known.hamlet, "most": MOST_FOOLING,
        "texts": partial(_texts, known), "NONE": NONE}),
    METRICS: ("human-metrics.html", "Which metric agrees with people", lambda known: {
        "splits": known.metrics, "rated": known.rated, "rating": figures,
        "whole": f"{DATA}metrics.json"}),
}
"""Template, title and context of the pages that are about no single form."""

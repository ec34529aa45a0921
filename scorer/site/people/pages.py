"""The pages below ``human/``: what people were asked, and what came out. Pure.

Every number is one of ``human-results/1``; what is not in it is counted from closed batches. Of
open batches there is nothing but how far they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

from scorer.core.files import json_bytes
from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answered import NONE, AnsweredItem
from scorer.people.documents import HumanResults, MetaResults
from scorer.people.hamlet import Attempt, HamletRound
from scorer.people.organisers import Person
from scorer.people.published import HUMAN_RESULTS
from scorer.people.records import CHOICE, GOLD, NOT_ASKED, Question
from scorer.people.stages import STANCE, VERIFY
from scorer.site.page import Page
from scorer.site.people import figures
from scorer.site.records import AskedBatch, SiteView, SplitView

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
DISPUTED, FURTHER = 5, 5
"""Items on which people differ most, and further ones, that a page shows."""


class HumanPageLink(NamedTuple):
    """A page below ``human/``."""

    path: str
    title: str
    kind: str = ""
    """The form that it is about, if it is about one."""


class NamedSystem(NamedTuple):
    """A system whose output people judged."""

    title: str
    path: str = ""
    """Its page; empty if it has none here."""


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
    def _systems(self) -> dict[str, NamedSystem]:
        systems = {"": NamedSystem("not of a system"), GOLD: NamedSystem(GOLD)}
        boards = {batch.batch.board for batches in self.closed.values() for batch in batches}
        for view in self.site.splits:
            for entry in view.entries if view.board.id in boards else ():
                systems.setdefault(entry.key, NamedSystem(entry.title, view.system_path(entry)))
        return systems

    def system(self, key: str) -> NamedSystem:
        """The system of a key of a batch."""
        return self._systems.get(key) or NamedSystem(self.anonymous.get(key, key))

    def path(self, kind: str) -> str:
        """The page of a form; empty if it has none, for nothing asked there has values."""
        results = self.results
        if results is None or not (kind in results.values or (kind == CSK and results.csk)):
            return ""
        path = f"{PAGE}{kind}/"
        return f"{PAGE}form-{kind}/" if path in _PAGES else path

    @cached_property
    def links(self) -> tuple[HumanPageLink, ...]:
        """All pages, in the order of the tabs."""
        tabs = [HumanPageLink(PAGE, "Overview")]
        if self.sure:
            tabs.append(HumanPageLink(SURENESS, "How sure people are"))
        if self.rated or self._read:
            tabs.append(HumanPageLink(METRICS, "Metrics"))
        tabs += [HumanPageLink(path, batches[0].form.title, kind)
                 for kind, batches in self.closed.items() if (path := self.path(kind))]
        if self.results and self.results.rounds:
            tabs.append(HumanPageLink(ROUNDS, "Rounds"))
        if self.results and self.results.questions:
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
    def metrics(self) -> list[figures.SplitAgreement]:
        """Every metric beside people, split by split."""
        return [figures.split_agreement(view) for view in self._read]

    @property
    def _read(self) -> list[SplitView]:
        """The splits with graphs of a system that people read, whose items' scores are at hand."""
        return [view for view in self.site.splits if view.people and any(
            vote.judged is not None and vote.read for vote in view.people.votes.values())]

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
                simulated=[split.name for split in self.metrics if split.simulated],
                rated={split.name: split.found for split in self.rated}).to_json()
        if self.sure:
            yield f"{DATA}sureness.json", {
                split.name: split.found.to_json() for split in self.sure}


def people_pages(site: SiteView) -> Iterator[Page]:
    """Every page below ``human/``; the overview is always there."""
    known = HumanPages(site)
    yield Page(PAGE, "What people say", "human-overview.html",
               partial(_context, known, PAGE, _overview), nav=True)
    for link in known.links[1:]:
        template, title, context = _PAGES.get(link.path) or (
            "human-csk.html" if link.kind == CSK else "human-form.html",
            f"{link.title} What people say", partial(_form_context, link.kind))
        yield Page(link.path, title, template, partial(_context, known, link.path, context))


def people_files(site: SiteView) -> Iterator[tuple[str, bytes]]:
    """The documents that the pages are made of, without the teams that may not be named."""
    known = HumanPages(site)
    for path, document in known.documents():
        content = json_bytes(document)
        for key, name in known.anonymous.items():
            content = content.replace(key.encode(), name.encode())
        yield path, content


def _context(known: HumanPages, here: str, own: Callable[[HumanPages], dict[str, Any]],
             ) -> dict[str, Any]:
    return {"links": known.links, "here": here, "results": known.results, "system": known.system,
            "whole": f"{DATA}{HUMAN_RESULTS}", **own(known)}


# ---- the overview ------------------------------------------------------------------------------


def _overview(known: HumanPages) -> dict[str, Any]:
    lines = [_line(known, kind) for kind in known.closed]
    return {"published": list(_published(known)), "open": known.site.annotations.open,
            "lines": [line for line in lines if not line["simulated"]],
            "rehearsed": [line for line in lines if line["simulated"]]}


def _published(known: HumanPages) -> Iterator[tuple[str, str, str, int, int, str]]:
    """What real people said of data sets, as others published it: answers to items, then ratings of
    gold answers. Title, page, what people gave, items, answers, what came out."""
    for sure in known.sure:
        found, answers = sure.found.people, sure.view.split.answers
        if found is not None and answers is not None:
            yield (sure.title, f"{SURENESS}#{sure.name}", f"labels of items ({answers.title})",
                   found.items, found.answers, sure.said)
    for split in known.rated:
        yield (split.title, f"{METRICS}#{split.name}", "ratings of gold answers",
               split.found.items, split.found.ratings,
               f"a metric could agree with people up to {figures.described(split.found.ceiling)}")


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


class SampleItem(NamedTuple):
    """An item that somebody answered, as pages show it."""

    answered: AnsweredItem

    def answers(self, question: Question) -> list[str | tuple[str, ...]]:
        """What each said who was asked a question, sorted, so that the order names nobody."""
        return sorted(self.answered.given(question.id).values())

    @property
    def comments(self) -> list[str]:
        """What annotators wrote beside their answers, in the same way."""
        return sorted(self.answered.comments.values())

    def votes(self, question: Question, triplet: int | None = None) -> list[tuple[int, str, int]]:
        """Votes for each value of a question that somebody gave: its place in the form, what it
        says, and how many. ``triplet``: the position of the one that is asked about."""
        answers = self.answers(question)
        if triplet is not None:
            answers = [answer[triplet] for answer in answers if triplet < len(answer)]
        counts = Counter(value for answer in answers for value in (
            [answer] if isinstance(answer, str) else answer) if value != NOT_ASKED)
        words = {value.key: value.text for value in question.values}
        if question.topics:
            words = {topic.key: topic.text for topic in self.answered.batch.topics} | words
        keys = [*words, *sorted(counts.keys() - words)]
        return [(place, words.get(key, key), counts[key])
                for place, key in enumerate(keys) if counts[key]]

    def edges(self, field: str) -> list[Edge]:
        """The graph in one of its fields."""
        return list(Graph(self.answered.item.texts.get(field, "")).edges)

    @property
    def disputed(self) -> float:
        """The share of pairs of votes that differ, mean over questions."""
        shares = []
        for question in self.answered.form.questions:
            votes = [vote for vote in self.answers(question) if vote not in question.unsure]
            pairs = [vote != other for vote, other in combinations(votes, 2)]
            if pairs and question.answer == CHOICE:
                shares.append(sum(pairs) / len(pairs))
        return sum(shares) / len(shares) if shares else 0.0

    def simulated(self, known: Mapping[str, Person]) -> bool:
        """Whether a program had part in it."""
        return bool(organisers.simulated(known, self.answered.logins))


def most_disputed(pool: Sequence[SampleItem]) -> list[SampleItem]:
    """Those that a page shows: the most disputed, then the first others, each in order."""
    most = sorted(range(len(pool)), key=lambda at: (-pool[at].disputed, at))
    first = [at for at in most[:DISPUTED] if pool[at].disputed > 0]
    others = [at for at in range(len(pool)) if at not in first]
    return [pool[at] for at in (*first, *others[:DISPUTED + FURTHER - len(first)])]


# ---- single pages ------------------------------------------------------------------------------


def _form_context(kind: str, known: HumanPages) -> dict[str, Any]:
    form = known.closed[kind][0].form
    pool = [SampleItem(item) for batch in known.closed[kind] for item in batch.items]
    return {"kind": kind, "form": form, "STANCE": STANCE, "VERIFY": VERIFY,
            "groups": METRIC_GROUPS, "negated": NEGATED,
            "people": known.site.annotations.people,
            "samples": most_disputed(pool), "all": len(pool)}


def _texts(known: HumanPages, turn: Attempt) -> list[str]:
    """The texts of an attempt, in the order of the form by which they were written."""
    form = next(batch.form for batch in known.site.annotations.closed
                if batch.batch.name == turn.batch)
    order = [name for made in form.written for name in made.texts]
    return [turn.texts[name] for name in dict.fromkeys((*order, *turn.texts)) if name in turn.texts]


_PAGES: dict[str, tuple[str, str, Callable[[HumanPages], dict[str, Any]]]] = {
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

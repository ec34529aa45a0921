"""The pages below ``human/``: what people were asked, and what came out. Pure.

Every number is one of ``human-results/1``; what is not in it is counted from closed batches. Of
open batches there is nothing but how far they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.annotations.agreement import MOST_PAIRED
from scorer.annotations.published import HUMAN_RESULTS
from scorer.annotations.records import CHOICE, Form
from scorer.annotations.round_table import LABELS, VERIFY
from scorer.annotations.stages import NONE
from scorer.errors import counted
from scorer.files import json_bytes
from scorer.tasks.graphs.refinement import history
from scorer.website.page import Page
from scorer.website.people import figures, stories, sureness, tables
from scorer.website.people.downloads import PLACE
from scorer.website.people.figures import agreement_row, matrix
from scorer.website.people.known import (
    AGREEMENT,
    CSK,
    HAMLET,
    METRICS,
    PAGE,
    ROUNDS,
    SURENESS,
    Link,
    People,
)
from scorer.website.people.rated import TITLES
from scorer.website.records import SiteView
from scorer.website.render import fraction

if TYPE_CHECKING:
    from scorer.annotations.documents import HumanResults
    from scorer.annotations.hamlet_results import AttemptDocument, HamletRoundDocument

WHOLE = f"{PLACE}{HUMAN_RESULTS}"
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
TOPIC_METRICS = ("recall_full", "recall_any", "precision_micro", "precision_macro")


class FormLine(NamedTuple):
    """One form in the overview."""

    form: Form
    path: str
    items: int
    annotators: int
    answers: int
    simulated: bool
    said: str
    """What came out, in a line."""


def people_pages(site: SiteView) -> Iterator[Page]:
    """Every page below ``human/``; the overview is always there."""
    known = People(site)
    lines = list(_lines(known))
    yield Page(PAGE, "What people say", "human-overview.html",
               _base(known, PAGE) | {
                   "published": list(_published(known)), "open": site.annotations.open,
                   "lines": [one for one in lines if not one.simulated],
                   "rehearsed": [one for one in lines if one.simulated], "whole": WHOLE}, nav=True)
    for link in known.links[1:]:
        template, title, context = _PAGES.get(link.path) or (
            ("human-csk.html", link.title, _csk_context) if link.kind == CSK
            else ("human-form.html", f"{link.title} What people say", _form_context))
        yield Page(link.path, title, template, partial(context, known, link))


def people_files(site: SiteView) -> Iterator[tuple[str, bytes]]:
    """The downloads of every page."""
    known = People(site)
    if known.results is not None:
        yield WHOLE, json_bytes(known.publish(known.results.to_json()))
    for one in tables.every(known):
        yield from one.files()


def _base(known: People, here: str) -> dict[str, Any]:
    return {"links": known.links, "here": here, "results": known.results,
            "figures": figures, "system": known.system}


# ---- the overview ------------------------------------------------------------------------------


class PublishedLine(NamedTuple):
    """What real people said of a data set, as others published it."""

    title: str
    path: str
    what: str
    items: int
    answers: int
    said: str


def _published(known: People) -> Iterator[PublishedLine]:
    """Answers to items, then ratings of gold answers."""
    for sure in known.sure:
        people, answers = sure.found.people, sure.view.split.answers
        if people is not None and answers is not None:
            yield PublishedLine(sure.title, f"{SURENESS}#{sure.anchor}",
                                f"labels of items ({answers.title})", people.items, people.answers,
                                sure.said)
    for rated in known.rated:
        yield PublishedLine(
            rated.title, f"{METRICS}#{rated.view.board.id}-{rated.view.name}",
            "ratings of gold answers", rated.found.items, rated.found.ratings,
            f"a metric could agree with people up to {rated.ceiling.text}")


def _lines(known: People) -> Iterator[FormLine]:
    results = known.results
    if results is None:
        return
    for kind, batches in known.closed.items():
        answers = [one for batch in batches for one in batch.annotations]
        yield FormLine(
            batches[0].form, _path_of(known, kind, batches[0].form),
            sum(len(batch.batch.items) for batch in batches),
            len({one.annotator for one in answers}), sum(len(one.answers) for one in answers),
            any(batch.coverage.simulated for batch in batches),
            _said_of_rounds(_rounds_of(known, kind))
            or _said(results, kind, batches[0].form, sum(len(one.answers) for one in answers)))


def _path_of(known: People, kind: str, form: Form) -> str:
    if known.has_page(kind):
        return known.path(kind)
    if form.graph is not None:
        return ROUNDS if ROUNDS in (link.path for link in known.links) else ""
    return HAMLET if _rounds_of(known, kind) else ""


def _rounds_of(known: People, kind: str) -> list[HamletRoundDocument]:
    """The rounds in which a model read what people wrote in batches of a form."""
    names = {one.batch.name for one in known.closed[kind]}
    return [one for one in known.hamlet if one.batches & names]


def _said(results: HumanResults, kind: str, form: Form, answers: int) -> str:
    if kind == CSK and results.csk:
        recall, precision = (_range(found[name] for found in results.csk.values())
                             for name in ("recall_any", "precision_micro"))
        return f"recall (any) {recall}, precision (micro) {precision}"
    if kind == LABELS and results.labels:
        kept = sum(sum(one.kept.values()) for one in results.labels.values())
        items = sum(one.items for one in results.labels.values())
        return f"{kept} of {items} pairs kept"
    if kind == VERIFY and (results.rounds or results.verdicts):
        return _said_of_graphs(results)
    if form.graph is not None:
        return f"{counted(answers, 'graph')} written"
    if form.written:
        return f"{counted(answers * len(form.written), 'item')} written"
    question = next((one for one in form.questions if one.answer == CHOICE), None)
    if question is None or kind not in results.questions:
        return ""
    told = {value.text: results.questions[kind][question.id].counts.get(value.key, 0)
               for value in question.values if not value.unsure}
    total = sum(told.values())
    return ", ".join(f"{text}: {fraction(count / total)} %"
                     for text, count in told.items()) if total else figures.UNDEFINED


def _said_of_graphs(results: HumanResults) -> str:
    found = []
    if results.verdicts:
        votes = _range(one.votes for split in results.verdicts.values()
                       for one in split.systems.values())
        found.append(f"votes that find a system's graphs right: {votes}")
    if results.rounds:
        last = results.rounds[-1]
        found.append(f"after round {last.round}, {last.correct} of {last.decided} graphs of "
                     "annotators are correct")
    return "; ".join(found)


def _said_of_rounds(rounds: Sequence[HamletRoundDocument]) -> str:
    fooled, items = sum(one.fooled for one in rounds), sum(one.prompts for one in rounds)
    return f"the model was fooled {fooled} of {items} times, and people agree" if rounds else ""


def _range(found: Any) -> str:
    values = [one.value for one in found if one.value is not None]
    if not values:
        return figures.UNDEFINED
    low, high = fraction(min(values)), fraction(max(values))
    return f"{low} %" if low == high else f"{low} to {high} %"


# ---- single pages ------------------------------------------------------------------------------


def _csk_context(known: People, link: Link) -> dict[str, Any]:
    results = known.results
    assert results is not None
    relations = sorted(results.csk_relations.items(), key=lambda one: (-one[1].n, one[0]))
    return _base(known, link.path) | {
        "title": link.title, "systems_found": [known.system(key) for key in results.csk],
        "groups": METRIC_GROUPS, "negated": NEGATED, "topic_metrics": TOPIC_METRICS,
        "relations": relations,
        "questions": [one for one in known.closed[CSK][0].form.questions if one.values],
        "form": known.closed[CSK][0].form, "download": tables.of_csk(known),
        "items_download": tables.of_items(known, CSK), **known.samples(CSK)}


def _form_context(known: People, link: Link) -> dict[str, Any]:
    results, kind = known.results, link.kind
    assert results is not None
    form = known.closed[kind][0].form
    verdicts = results.verdicts if kind == VERIFY else {}
    return _base(known, link.path) | {
        "kind": kind, "form": form, "title": link.title,
        "questions": [question for question in form.questions
                      if question.id in results.values[kind]],
        "labels": results.labels if kind == LABELS else {}, "verdicts": verdicts,
        "unnamed": known.unnamed(kind),
        "download": tables.of_form(known, kind),
        "items_download": tables.of_items(known, kind), **known.samples(kind)}


def _agreement_context(known: People, link: Link) -> dict[str, Any]:
    results = known.results
    assert results is not None
    parts = []
    for kind, found in results.questions.items():
        form = known.closed[kind][0].form
        if not found:
            continue  # nothing to choose is asked there
        rows = [agreement_row(form.by_id[name].label, form.by_id[name].text, one.agreement,
                              one.unsure) for name, one in found.items()]
        if kind == CSK and results.csk_outcome is not None:
            rows.append(agreement_row("outcome", "How far annotators came: the first answer other "
                                      "than yes, or that to Q4", results.csk_outcome))
        parts.append({"kind": kind, "form": form, "rows": rows,
                      "matrices": [matrix(form.by_id[name].label, one.pairs)
                                   for name, one in found.items() if one.pairs]})
    return _base(known, link.path) | {
        "parts": parts, "download": tables.of_agreement(known), "most_paired": MOST_PAIRED}


class Pairs(NamedTuple):
    """What became of the pairs that were voted on."""

    voted: int
    kept: int
    pending: int


class Past(NamedTuple):
    """A history of refinement without votes."""

    board: Any
    view: Any
    rows: tuple[tuple[int, int, Mapping[str, int], int, int | None], ...]
    """Graphs, items with so many, those by label, items with as many or fewer, and how many of
    the graphs of this round are the one before."""
    labels: tuple[str, ...]
    items: int


def _past(board: Any, view: Any) -> Past:
    found = history(view.refined)
    labels = {item.row: item.label or "" for item in view.refined}
    names = tuple(dict.fromkeys(label for label in labels.values() if label))
    unchanged = {one.number: len(one.unchanged) for one in found.rounds}
    rows, done = [], 0
    for number, items in found.rows_by_graphs.items():
        done += len(items)
        rows.append((number, len(items),
                     {name: sum(labels[row] == name for row in items) for name in names},
                     done, unchanged.get(number)))
    return Past(board, view, tuple(rows), names, len(view.refined))


def _rounds_context(known: People, link: Link) -> dict[str, Any]:
    results = known.results
    rounds = results.rounds if results is not None else []
    labels = list(results.labels.values()) if results is not None else []
    told = stories.stories(known.site.annotations.closed, known.site.annotations.people)
    return _base(known, link.path) | {
        "stories": told[:stories.MOST], "all": len(told),
        "rounds": rounds, "crossings": list(rounds[0].crossed) if rounds else [],
        "authors": results.authors if results is not None else {},
        "pairs": Pairs(sum(one.items for one in labels),
                       sum(sum(one.kept.values()) for one in labels),
                       sum(one.pending for one in labels)) if labels else None,
        "past": [_past(board, view) for board, view in known.refined],
        "download": tables.of_rounds(known) if rounds else None}


def _hamlet_context(known: People, link: Link) -> dict[str, Any]:
    return _base(known, link.path) | {"hamlet": known.site.annotations.hamlet,
                                      "rounds": known.hamlet, "most": MOST_FOOLING,
                                      "texts": partial(_texts, known), "NONE": NONE}


def _texts(known: People, one: AttemptDocument) -> list[str]:
    """The texts of an attempt, in the order of the form by which they were written."""
    form = next(found.form for found in known.site.annotations.closed
                if found.batch.name == one.batch)
    order = [name for made in form.written for name in made.texts]
    return [one.texts[name] for name in dict.fromkeys((*order, *one.texts)) if name in one.texts]


def _sureness_context(known: People, link: Link) -> dict[str, Any]:
    return _base(known, link.path) | {"splits": known.sure, "rated": known.rated,
                                      "metrics_page": METRICS, "bits": sureness.bits,
                                      "download": tables.of_sureness(known)}


def _metrics_context(known: People, link: Link) -> dict[str, Any]:
    return _base(known, link.path) | {
        "splits": known.metrics, "rated": known.rated, "titles": TITLES,
        "download": tables.of_metrics(known) if known.metrics else None,
        "ratings_download": tables.of_ratings(known) if known.rated else None}


_PAGES = {
    SURENESS: ("human-sureness.html", "How sure people are", _sureness_context),
    ROUNDS: ("human-rounds.html", "Rounds of collecting and refining", _rounds_context),
    AGREEMENT: ("human-agreement.html", "Agreement of annotators", _agreement_context),
    HAMLET: ("human-hamlet.html", "People against a model", _hamlet_context),
    METRICS: ("human-metrics.html", "Which metric agrees with people", _metrics_context),
}
"""Template, title and context of the pages that are about no single form."""

"""The pages below ``human/``: what people were asked, and what came out. Pure.

Every number is one of ``human-results/1``; what is not in it is counted from closed batches. Of
open batches there is nothing but how far they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from scorer.core.errors import counted
from scorer.core.files import json_bytes
from scorer.people.documents import MOST_PAIRED, HumanResults
from scorer.people.hamlet import Attempt, HamletRound
from scorer.people.published import HUMAN_RESULTS
from scorer.people.records import CHOICE, Form
from scorer.people.stages import LABELS, NONE, VERIFY
from scorer.site.page import Page
from scorer.site.people import downloads, figures, items, rated
from scorer.site.people.downloads import PLACE
from scorer.site.people.known import (
    AGREEMENT,
    CSK,
    HAMLET,
    METRICS,
    PAGE,
    ROUNDS,
    SURENESS,
    HumanPageLink,
    HumanPages,
)
from scorer.site.records import SiteView, SplitView
from scorer.site.render import fraction
from scorer.tasks.graphs.diff import history

Context = Callable[[HumanPages, HumanPageLink], dict[str, Any]]
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


def people_pages(site: SiteView) -> Iterator[Page]:
    """Every page below ``human/``; the overview is always there."""
    known = HumanPages(site)
    lines = [_line(known, kind) for kind in known.closed] if known.results is not None else []
    yield Page(PAGE, "What people say", "human-overview.html",
               _base(known, PAGE) | {
                   "published": list(_published(known)), "open": site.annotations.open,
                   "lines": [line for line in lines if not line["simulated"]],
                   "rehearsed": [line for line in lines if line["simulated"]],
                   "whole": WHOLE}, nav=True)
    for link in known.links[1:]:
        template, title, context = _PAGES.get(link.path) or (
            ("human-csk.html", link.title, _csk_context) if link.kind == CSK
            else ("human-form.html", f"{link.title} What people say", _form_context))
        yield Page(link.path, title, template, partial(_whole_context, known, link, context))


def people_files(site: SiteView) -> Iterator[tuple[str, bytes]]:
    """The downloads of every page."""
    known = HumanPages(site)
    if known.results is not None:
        yield WHOLE, json_bytes(known.publish(known.results.to_json()))
    for link in known.links[1:]:
        for _, download in downloads.downloads(known, link):
            yield from download.files()


def _whole_context(known: HumanPages, link: HumanPageLink, context: Context) -> dict[str, Any]:
    return (_base(known, link.path) | dict(downloads.downloads(known, link))
            | context(known, link))


def _base(known: HumanPages, here: str) -> dict[str, Any]:
    return {"links": known.links, "here": here, "results": known.results,
            "figures": figures, "system": known.system, "download": None, "ratings_download": None}


# ---- the overview ------------------------------------------------------------------------------


def _published(known: HumanPages) -> Iterator[tuple[str, str, str, int, int, str]]:
    """What real people said of data sets, as others published it: answers to items, then ratings of
    gold answers. Title, page, what people gave, items, answers, what came out."""
    for sure in known.sure:
        people, answers = sure.found.people, sure.view.split.answers
        if people is not None and answers is not None:
            yield (sure.title, f"{SURENESS}#{sure.name}", f"labels of items ({answers.title})",
                   people.items, people.answers, sure.said)
    for split in known.rated:
        yield (split.title, f"{METRICS}#{split.name}", "ratings of gold answers",
               split.found.items, split.found.ratings,
               f"a metric could agree with people up to {split.ceiling.text}")


def _line(known: HumanPages, kind: str) -> dict[str, Any]:
    """One form in the overview: where its page is, how much was answered, what came out."""
    batches, rounds, path = known.closed[kind], _rounds_of(known, kind), ""
    form = batches[0].form
    answers = [annotation for batch in batches for annotation in batch.annotations]
    count = sum(len(sheet.answers) for sheet in answers)
    if known.has_page(kind):
        path = known.path(kind)
    elif form.graph is not None:
        path = ROUNDS if ROUNDS in (link.path for link in known.links) else ""
    elif rounds:
        path = HAMLET
    if rounds:
        fooled, items = (sum(values) for values in zip(
            *((entry.fooled, entry.prompts) for entry in rounds), strict=True))
        outcome = f"the model was fooled {fooled} of {items} times, and people agree"
    else:
        outcome = _said(known.numbers, kind, form, count)
    return {"form": form, "path": path, "said": outcome, "answers": count,
            "items": sum(len(batch.batch.items) for batch in batches),
            "annotators": len({sheet.annotator for sheet in answers}),
            "simulated": any(batch.coverage.simulated for batch in batches)}


def _rounds_of(known: HumanPages, kind: str) -> list[HamletRound]:
    """The rounds in which a model read what people wrote in batches of a form."""
    names = {batch.batch.name for batch in known.closed[kind]}
    return [entry for entry in known.hamlet if entry.batches & names]


def _said(results: HumanResults, kind: str, form: Form, answers: int) -> str:
    if kind == CSK and results.csk:
        recall, precision = (_range(scores[name] for scores in results.csk.values())
                             for name in ("recall_any", "precision_micro"))
        return f"recall (any) {recall}, precision (micro) {precision}"
    if kind == LABELS and results.labels:
        kept = sum(sum(label.kept.values()) for label in results.labels.values())
        items = sum(label.items for label in results.labels.values())
        return f"{kept} of {items} pairs kept"
    if kind == VERIFY and (results.rounds or results.verdicts):
        return _said_of_graphs(results)
    if form.graph is not None:
        return f"{counted(answers, 'graph')} written"
    if form.written:
        return f"{counted(answers * len(form.written), 'item')} written"
    question = next((candidate for candidate in form.questions if candidate.answer == CHOICE), None)
    if question is None or kind not in results.questions:
        return ""
    counts = {value.text: results.questions[kind][question.id].counts.get(value.key, 0)
               for value in question.values if not value.unsure}
    total = sum(counts.values())
    return ", ".join(f"{text}: {fraction(count / total)} %"
                     for text, count in counts.items()) if total else figures.UNDEFINED


def _said_of_graphs(results: HumanResults) -> str:
    parts = []
    if results.verdicts:
        votes = _range(system.votes for split in results.verdicts.values()
                       for system in split.systems.values())
        parts.append(f"votes that find a system's graphs right: {votes}")
    if results.rounds:
        last = results.rounds[-1]
        parts.append(f"after round {last.round}, {last.correct} of {last.decided} graphs of "
                     "annotators are correct")
    return "; ".join(parts)


def _range(estimates: Any) -> str:
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    if not values:
        return figures.UNDEFINED
    low, high = fraction(min(values)), fraction(max(values))
    return f"{low} %" if low == high else f"{low} to {high} %"


# ---- single pages ------------------------------------------------------------------------------


def _csk_context(known: HumanPages, link: HumanPageLink) -> dict[str, Any]:
    results, form = known.numbers, known.closed[CSK][0].form
    relations = sorted(results.csk_relations.items(), key=lambda item: (-item[1].n, item[0]))
    return {"title": link.title, "groups": METRIC_GROUPS, "negated": NEGATED,
            "topic_metrics": TOPIC_METRICS, "relations": relations, "form": form,
            "questions": [entry for entry in form.questions if entry.values], **known.samples(CSK)}


def _form_context(known: HumanPages, link: HumanPageLink) -> dict[str, Any]:
    results, kind = known.numbers, link.kind
    form = known.closed[kind][0].form
    return {"kind": kind, "form": form, "title": link.title,
            "questions": [question for question in form.questions
                          if question.id in results.values[kind]],
            "labels": results.labels if kind == LABELS else {},
            "verdicts": results.verdicts if kind == VERIFY else {},
            "unnamed": known.unnamed(kind), **known.samples(kind)}


def _rounds_context(known: HumanPages, link: HumanPageLink) -> dict[str, Any]:
    results = known.results
    listed = items.stories(known.site.annotations.closed, known.site.annotations.people)
    return {"stories": listed[:items.MOST_STORIES], "all": len(listed),
            "rounds": results.rounds if results is not None else [],
            "authors": results.authors if results is not None else {},
            "labels": list(results.labels.values()) if results is not None else [],
            "past": [(board, view, *_past(view)) for board, view in known.refined]}


def _past(view: SplitView) -> tuple[list[str], list[tuple[int, int, list[int], int, int | None]]]:
    """A history of refinement without votes: its labels, and by the number of graphs the items with
    so many, those by label, items with as many or fewer, and how many graphs of this round are the
    one before."""
    record, labels = history(view.refined), {item.row: item.label or "" for item in view.refined}
    names = [name for name in dict.fromkeys(labels.values()) if name]
    unchanged = {entry.number: len(entry.unchanged) for entry in record.rounds}
    rows, done = [], 0
    for number, same in record.rows_by_graphs.items():
        done += len(same)
        rows.append((number, len(same), [sum(labels[row] == name for row in same)
                                         for name in names], done, unchanged.get(number)))
    return names, rows


def _texts(known: HumanPages, turn: Attempt) -> list[str]:
    """The texts of an attempt, in the order of the form by which they were written."""
    form = next(batch.form for batch in known.site.annotations.closed
                if batch.batch.name == turn.batch)
    order = [name for made in form.written for name in made.texts]
    return [turn.texts[name] for name in dict.fromkeys((*order, *turn.texts)) if name in turn.texts]


_PAGES: dict[str, tuple[str, str, Context]] = {
    SURENESS: ("human-sureness.html", "How sure people are", lambda known, _: {
        "splits": known.sure, "rated": known.rated, "metrics_page": METRICS,
        "bits": figures.bits}),
    ROUNDS: ("human-rounds.html", "Rounds of collecting and refining", _rounds_context),
    AGREEMENT: ("human-agreement.html", "Agreement of annotators", lambda known, _: {
        "forms": {kind: batches[0].form for kind, batches in known.closed.items()},
        "csk": CSK, "most_paired": MOST_PAIRED}),
    HAMLET: ("human-hamlet.html", "People against a model", lambda known, _: {
        "hamlet": known.site.annotations.hamlet, "rounds": known.hamlet, "most": MOST_FOOLING,
        "texts": partial(_texts, known), "NONE": NONE}),
    METRICS: ("human-metrics.html", "Which metric agrees with people", lambda known, _: {
        "splits": known.metrics, "rated": known.rated, "titles": rated.TITLES,
        "says": rated.verdict_says, "rating": rated}),
}
"""Template, title and context of the pages that are about no single form."""

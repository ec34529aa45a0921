"""What pages below ``human/`` show as files: JSON in full precision, and TSV for spreadsheets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.people.round_table import LABELS, VERIFY
from scorer.site.people import rated, samples, sureness
from scorer.site.people.figures import ESTIMATE, Cell, estimate
from scorer.site.people.known import AGREEMENT, CSK, METRICS, ROUNDS, SURENESS, Link, People
from scorer.site.text import csv_cell

PLACE = "data/human/"
_BREAKS = re.compile(r"[\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


class Download(NamedTuple):
    """Two files with the same numbers."""

    name: str
    """Without a suffix, below PLACE."""
    document: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Paths and words."""
        return (f"{PLACE}{self.name}.json", "JSON"), (f"{PLACE}{self.name}.tsv", "TSV")

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of each."""
        text = json.dumps(self.document, ensure_ascii=False, allow_nan=False, indent=1)
        yield f"{PLACE}{self.name}.json", f"{text}\n".encode()
        yield f"{PLACE}{self.name}.tsv", tsv(self.columns, self.rows)


def tsv(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bytes:
    """A table that no spreadsheet takes for a program: texts that begin like a formula get an
    apostrophe, and none breaks a line. Numbers stay as they are; undefined ones are empty.

    >>> tsv(["a", "b"], [["=1+1", -0.5], ["x\\ty", None]]).decode()
    "a\\tb\\n'=1+1\\t-0.5\\nx y\\t\\n"
    """
    lines = [columns, *([_cell(one) for one in row] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _BREAKS.sub(" ", csv_cell(value)) if isinstance(value, str) else repr(value)


# ---- what each page gives ----------------------------------------------------------------------


def every(known: People) -> Iterator[Download]:
    """Every download of every page."""
    for link in known.links[1:]:
        yield from downloads(known, link).values()


def downloads(known: People, link: Link) -> dict[str, Download]:
    """What a page gives, by the names of its template."""
    return dict(_of_page(known, link))


def _of_page(known: People, link: Link) -> Iterator[tuple[str, Download]]:
    if link.path == SURENESS:
        yield "download", _of_sureness(known)
    elif link.path == METRICS and known.metrics:
        yield "download", _of_metrics(known)
    if link.path == METRICS and known.rated:
        yield "ratings_download", _of_ratings(known)
    if link.path == ROUNDS and known.results is not None and known.results.rounds:
        yield "download", _of_rounds(known)
    if link.path == AGREEMENT:
        yield "download", _of_agreement(known)
    if link.kind:
        yield "download", _of_csk(known) if link.kind == CSK else _of_form(known, link.kind)
        yield "items_download", _of_items(known, link.kind)


def _of_csk(known: People) -> Download:
    """Metrics of commonsense knowledge by system, topic and relation."""
    results = known.numbers
    rows: list[Sequence[Cell]] = []
    for key, groups in (("csk", results.csk), ("csk_topics", results.csk_topics)):
        for name, metrics in groups.items():
            simulated = results.is_simulated(key, name)
            rows += [(key, known.publish(name), metric, *estimate(one), simulated)
                     for metric, one in metrics.items()]
    rows += [("csk_relations", name, "precision", *estimate(one),
              results.is_simulated("csk_relations", name))
             for name, one in results.csk_relations.items()]
    return Download("csk", known.part(
        "csk", "csk_votes", "csk_topics", "csk_topic_votes", "csk_relations", "csk_outcome"
        ) | ({"settled": {CSK: known.part("settled")["settled"][CSK]}}
             if CSK in results.settled else {}),
        ("table", "name", "metric", *ESTIMATE, "simulated"), rows)


def _of_form(known: People, kind: str) -> Download:
    """Shares of each value of a form, by question and system."""
    results = known.numbers
    rows = [(name, known.publish(system), value, *estimate(one), found.answers, found.unsure,
             results.is_simulated("values", f"{kind}:{system}"))
            for name, systems in results.values[kind].items()
            for system, found in systems.items() for value, one in found.shares.items()]
    document = known.part("values", "settled", "labels", "verdicts", "questions")
    document |= {key: {kind: document[key][kind]} for key in ("values", "questions")}
    document["settled"] = {name: one for name, one in document["settled"].items() if name == kind}
    if kind != LABELS:
        document.pop("labels")
    if kind != VERIFY:
        document.pop("verdicts")
    return Download(f"forms/{kind}", document, (
        "question", "system", "answer", *ESTIMATE, "answers", "unsure", "simulated"), rows)


def _of_agreement(known: People) -> Download:
    """Every measure of agreement, and each pair of annotators."""
    results = known.numbers
    rows: list[Sequence[Cell]] = []
    for kind, questions in results.questions.items():
        simulated = results.is_simulated("questions", kind)
        for name, one in questions.items():
            found = one.agreement
            units = (found.units, found.excluded, *found.raters)
            for measure, value in (("raw", found.raw), ("alpha", found.alpha),
                                   ("alpha_ordinal", found.alpha_ordinal),
                                   ("fleiss", found.fleiss)):
                if value is not None:
                    rows.append((kind, name, measure, "", "", *units, *estimate(value), simulated))
            rows += [(kind, name, "cohen", *pair.annotators, pair.n, 0, 2, 2, pair.kappa, pair.n,
                      None, None, "none", "", simulated) for pair in one.pairs]
    return Download("agreement", known.part("questions", "csk_outcome"), (
        "form", "question", "measure", "annotator", "other", "units", "excluded", "fewest",
        "most", *ESTIMATE, "simulated"), rows)


def _of_rounds(known: People) -> Download:
    """The table of rounds."""
    results = known.numbers
    crossings = list(results.rounds[0].crossed)
    rows = [(one.round, one.decided, one.correct, *(one.ci or (None, None)),
             *(one.crossed[name] for name in crossings), one.incorrect, one.no_majority,
             one.pending, results.is_simulated("rounds", str(one.round)))
            for one in results.rounds]
    return Download("rounds", known.part("rounds", "authors"), (
        "round", "decided", "correct", "low", "high", *crossings, "incorrect", "no_majority",
        "pending", "simulated"), rows)


def _of_metrics(known: People) -> Download:
    """Every metric beside people."""
    from scorer.people.documents import MetaResults

    document = MetaResults(
        format="metric-agreement/1", splits={one.name: one.found for one in known.metrics},
        simulated=[one.name for one in known.metrics if one.simulated], rated={})
    return Download("metrics", known.publish(document.to_json()), rated.VERDICT_COLUMNS,
                    [*rated.verdict_rows(known.metrics)])


def _of_ratings(known: People) -> Download:
    """Every metric beside ratings of gold answers."""
    from scorer.people.documents import MetaResults

    document = MetaResults(
        format="metric-agreement/1", splits={}, simulated=[],
        rated={one.name: one.found for one in known.rated})
    return Download("ratings", document.to_json(), rated.COLUMNS, rated.rows(known.rated))


def _of_sureness(known: People) -> Download:
    """How sure people and systems are of labels."""
    document = {one.name: known.publish(one.found.to_json()) for one in known.sure}
    return Download("sureness", document, sureness.COLUMNS, sureness.rows(known.sure))


def _of_items(known: People, kind: str) -> Download:
    """Every item of closed batches with the votes on it, names left out."""
    found = samples.samples(known.closed[kind], known.site.annotations.people)
    rows: list[Sequence[Cell]] = []
    items = []
    for one in found:
        system = known.anonymous.get(one.system, one.system)
        head = (one.batch, one.item, system)
        units = [("", one.votes), *((f"t{number:02}", triplet.votes)
                                    for number, triplet in enumerate(one.triplets, 1))]
        rows += [(*head, unit, votes.question, value.key, value.n, one.simulated)
                 for unit, given in units for votes in given for value in votes.values]
        rows += [(*head, "", question, text, 1, one.simulated)
                 for question, texts in one.sentences for text in texts]
        rows += [(*head, "", "comment", text, 1, one.simulated) for text in one.comments]
        items.append({
            "batch": one.batch, "item": one.item, "system": system, "annotators": one.annotators,
            "simulated": one.simulated,
            "votes": [{"unit": unit, "question": votes.question,
                       "counts": {value.key: value.n for value in votes.values}}
                      for unit, given in units for votes in given],
            "texts": [{"question": question, "answers": list(texts)}
                      for question, texts in one.sentences],
            "comments": list(one.comments)})
    return Download(f"items/{kind}", {"format": "human-items/1", "form": kind, "items": items}, (
        "batch", "item", "system", "unit", "question", "answer", "count", "simulated"), rows)

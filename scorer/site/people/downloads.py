"""What pages below ``human/`` give as files: JSON in full precision, and TSV for spreadsheets."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from scorer.people.documents import MetaResults
from scorer.people.stages import LABELS, VERIFY
from scorer.site.people import items
from scorer.site.people.known import (
    AGREEMENT,
    CSK,
    METRICS,
    ROUNDS,
    SURENESS,
    HumanPageLink,
    HumanPages,
)
from scorer.site.text import csv_cell

PLACE = "data/human/"
ESTIMATE = ("value", "n", "low", "high", "method", "note")
_BREAKS = re.compile(r"[\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


class TableDownload(NamedTuple):
    """A document, and its figures as a table."""

    name: str
    """Without a suffix, below PLACE."""
    document: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: Callable[[], Iterable[Mapping[str, Any]]]

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Paths and words."""
        return (f"{PLACE}{self.name}.json", "JSON"), (f"{PLACE}{self.name}.tsv", "TSV")

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of each."""
        text = json.dumps(self.document, ensure_ascii=False, allow_nan=False, indent=1)
        yield f"{PLACE}{self.name}.json", f"{text}\n".encode()
        yield f"{PLACE}{self.name}.tsv", tsv(self.columns, self.rows())


def figures(name: str, document: Mapping[str, Any], columns: tuple[str, ...], *paths: str,
            simulated: str = "") -> TableDownload:
    """A table of the records at paths of a document. ``simulated``: what the document calls a
    figure that may be simulated, with columns in braces."""
    if simulated:
        columns = (*columns, "simulated")
    return TableDownload(name, document, columns, partial(_rows, document, paths, simulated))


def _rows(document: Mapping[str, Any], paths: Sequence[str], simulated: str,
          ) -> Iterator[Mapping[str, Any]]:
    known = document.get("simulated", [])
    for path in paths:
        table = path.partition("/")[0]
        names = known["figures"].get(table, ()) if isinstance(known, Mapping) else known
        for row in records(document, path.split("/"), {"table": table}):
            yield {"simulated": simulated.format_map(defaultdict(str, row)) in names, **row}


def records(document: Any, path: Sequence[str], known: Mapping[str, Any],
            ) -> Iterator[dict[str, Any]]:
    """The records at a path of a document, each with the plain values of all above it.

    A step in braces is any key, or a number in a list from 1, and fills the column of that name. As
    the last step it stands for records alone that hold no others.

    >>> [*records({"a": {"x": {"n": 1, "b": {"value": 2, "ci": None}}}}, ["a", "{name}", "b"], {})]
    [{'name': 'x', 'n': 1, 'value': 2, 'low': None, 'high': None}]
    """
    if isinstance(document, list):
        document = dict(enumerate(document, 1))
    if not isinstance(document, Mapping):
        return
    known = {**known, **{key: value for key, value in document.items()
                         if key != "ci" and not isinstance(value, (Mapping, list))}}
    if "ci" in document:
        known["low"], known["high"] = document["ci"] or (None, None)
    if "annotators" in document:
        known["annotators"] = ", ".join(document["annotators"])
    if not path:
        yield known
        return
    step, *rest = path
    for key, part in document.items():
        if step == key:
            yield from records(part, rest, known)
        elif step[0] == "{" and (rest or (isinstance(part, Mapping) and not any(
                isinstance(value, Mapping) for value in part.values()))):
            yield from records(part, rest, {**known, step[1:-1]: key})


def tsv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A table that no spreadsheet takes for a program: texts that begin like a formula get an
    apostrophe, and none breaks a line. Numbers stay as they are; undefined ones are empty.

    >>> tsv(["a", "b"], [{"a": "=1+1", "b": -0.5}, {"a": "x\\ty"}]).decode()
    "a\\tb\\n'=1+1\\t-0.5\\nx y\\t\\n"
    """
    lines = [columns, *([_cell(row.get(name)) for name in columns] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _BREAKS.sub(" ", csv_cell(value)) if isinstance(value, str) else repr(value)


# ---- what each page gives ----------------------------------------------------------------------


def downloads(known: HumanPages, link: HumanPageLink) -> Iterator[tuple[str, TableDownload]]:
    """What a page gives, by the names of its template."""
    if link.path == SURENESS:
        people, system = "{split}/people", "{split}/systems/{system}"
        yield "download", figures(
            "sureness", {split.name: known.publish(split.found.to_json()) for split in known.sure},
            ("split", "system", "what", "people", "bin", "items", *ESTIMATE, "confidence", "ece"),
            f"{people}/{{what}}", f"{people}/majorities/{{}}/right",
            f"{people}/bins/{{bin}}/{{what}}", f"{system}/{{what}}", f"{system}/bins/{{bin}}",
            "{split}/probabilities/{system}/{what}")
    elif link.path == METRICS and known.metrics:
        yield "download", _of_metrics(known)
    if link.path == METRICS and known.rated:
        yield "ratings_download", _of_ratings(known)
    if link.path == ROUNDS and known.results is not None and known.results.rounds:
        yield "download", figures(
            "rounds", known.part("rounds", "authors"),
            ("round", "decided", "correct", "low", "high", *known.results.rounds[0].crossed,
             "incorrect", "no_majority", "pending"), "rounds/{}/crossed", simulated="{round}")
    if link.path == AGREEMENT:
        yield "download", figures(
            "agreement", known.part("questions", "csk_outcome"),
            ("table", "form", "question", "measure", "units", "excluded", *ESTIMATE,
             "annotators", "kappa"),
            "questions/{form}/{question}/agreement/{measure}", "csk_outcome/{measure}",
            "questions/{form}/{question}/pairs/{}", simulated="{form}")
    if link.kind:
        yield "download", _of_csk(known) if link.kind == CSK else _of_form(known, link.kind)
        yield "items_download", _of_items(known, link.kind)


def _of_csk(known: HumanPages) -> TableDownload:
    """Metrics of commonsense knowledge by system, topic and relation."""
    document = known.part("csk", "csk_votes", "csk_topics", "csk_topic_votes", "csk_relations",
                          "csk_outcome")
    if CSK in known.numbers.settled:
        document["settled"] = {CSK: known.part("settled")["settled"][CSK]}
    return figures("csk", document, ("table", "name", "metric", *ESTIMATE), "csk/{name}/{metric}",
                   "csk_topics/{name}/{metric}", "csk_relations/{name}", simulated="{name}")


def _of_form(known: HumanPages, kind: str) -> TableDownload:
    """Shares of each value of a form, by question and system."""
    document = known.part("values", "settled", "labels", "verdicts", "questions")
    document |= {key: {kind: document[key][kind]} for key in ("values", "questions")}
    document["settled"] = {name: part for name, part in document["settled"].items() if name == kind}
    if kind != LABELS:
        document.pop("labels")
    if kind != VERIFY:
        document.pop("verdicts")
    return figures(
        f"forms/{kind}", document,
        ("question", "system", "answer", *ESTIMATE, "answers", "unsure"),
        "values/{form}/{question}/{system}/shares/{answer}", simulated="{form}:{system}")


def _of_metrics(known: HumanPages) -> TableDownload:
    """Every metric beside people."""
    document = MetaResults(
        format="metric-agreement/1", splits={split.name: split.found for split in known.metrics},
        simulated=[split.name for split in known.metrics if split.simulated], rated={})
    return figures(
        "metrics", known.publish(document.to_json()),
        ("split", "metric", "better", "within", "measure", *ESTIMATE, "rated", "systems", "answers",
         "items", "threshold"), "splits/{split}/metrics/{metric}/{measure}",
        "splits/{split}/metrics/{metric}/{within}/{measure}", simulated="{split}")


def _of_ratings(known: HumanPages) -> TableDownload:
    """Every metric beside ratings of gold answers."""
    document = MetaResults(
        format="metric-agreement/1", splits={}, simulated=[],
        rated={split.name: split.found for split in known.rated})
    return figures(
        "ratings", document.to_json(),
        ("split", "scored", "metric", "better", "measure", *ESTIMATE, "answers", "items",
         "threshold"), "rated/{split}/{scored}/{metric}/within/{measure}")


def _of_items(known: HumanPages, kind: str) -> TableDownload:
    """Every item of closed batches with the votes on it, names left out."""
    listed = [_item(known, sample) for sample in items.samples(
        known.closed[kind], known.site.annotations.people)]

    def rows() -> Iterator[Mapping[str, Any]]:
        """A row for each value with votes, and for each text."""
        for item in listed:
            for votes in item["votes"]:
                about = item | {"unit": votes["unit"], "question": votes["question"]}
                for answer, count in votes["counts"].items():
                    yield about | {"answer": answer, "count": count}
            for asked in (*item["texts"], {"question": "comment", "answers": item["comments"]}):
                for text in asked["answers"]:
                    yield item | {"question": asked["question"], "answer": text, "count": 1}

    return TableDownload(
        f"items/{kind}", {"format": "human-items/1", "form": kind, "items": listed},
        ("batch", "item", "system", "unit", "question", "answer", "count", "simulated"), rows)


def _item(known: HumanPages, entry: items.SampleItem) -> dict[str, Any]:
    units = [("", entry.votes), *((f"t{number:02}", triplet.votes)
                                  for number, triplet in enumerate(entry.triplets, 1))]
    return {
        "batch": entry.batch, "item": entry.item,
        "system": known.anonymous.get(entry.system, entry.system), "annotators": entry.annotators,
        "simulated": entry.simulated,
        "votes": [{"unit": unit, "question": votes.question,
                   "counts": {value.key: value.n for value in votes.values}}
                  for unit, questions in units for votes in questions],
        "texts": [{"question": question, "answers": list(texts)}
                  for question, texts in entry.sentences],
        "comments": list(entry.comments)}

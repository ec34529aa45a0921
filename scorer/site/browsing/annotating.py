"""Pages for annotators: the list of batches, a page for each, and those on which maintainers settle
where annotators of a closed batch disagree. Pure.

The pages (``site/assets/annotate/``) judge answers by the very facts that ``scorer annotations
validate`` uses; only the procedure is written twice, and tests hold both sides to the same answers.
Where items come from is no part of it, and of an open batch nothing is said but how far it is.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from scorer.core.errors import MOST_SHOWN, SHOWN_OF_A_RULE
from scorer.core.reading.tsv import PACKED
from scorer.core.records import Edge
from scorer.core.rules import CATALOGUE, FACT_DETAILS, FAULTS, HINTS, PROBLEM
from scorer.people import organisers
from scorer.people.answered import MEASURED
from scorer.people.answers import read_graph
from scorer.people.disputes import disputes, written
from scorer.people.records import CLOSED, LOGIN, MOST_COMMENT, Batch, Form, Item
from scorer.people.sheets import MOST_BYTES, MOST_ROWS, TEXTS, WARNINGS
from scorer.people.validate import MOST_NAMED
from scorer.site.browsing.checker import characters
from scorer.site.page import Page
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import Annotations, AskedBatch
from scorer.site.views.graphs.layout import lay_out
from scorer.site.views.graphs.svg import EXTERNAL, SEVERAL, render
from scorer.tasks.graphs.constraints import MOST_CULPRITS, MOST_OF_A_RULE

_READING = ("TSV-BOM", "TSV-CONTROL", "TSV-CR", "TSV-CRLF", "TSV-EMPTY", "TSV-ENCODING",
            "TSV-INVISIBLE", "TSV-SIZE")
"""Rules about bytes and characters that annotators' files may break."""
PAGE = "annotate/"
ADJUDICATE = f"{PAGE}adjudicate/"
ORIGIN_KINDS = {"premise": "k0", "conclusion": "k1", "both": SEVERAL, "neither": EXTERNAL}
ORIGIN_MARKS = {"premise": "P", "conclusion": "C", "both": "PC", "neither": "\u2013"}
"""How a drawing shows where a concept comes from: the class of its box, and in letters."""


def pages(batches: Sequence[AskedBatch], repository: SiteRepository) -> Iterator[Page]:
    """A page for each batch. That of a closed one stays for the drafts that it left in browsers,
    and tells pages that were open meanwhile."""
    known = facts() if batches else {}
    for entry in batches:
        yield Page(f"{PAGE}{entry.batch.name}/", f"{entry.form.title}: {entry.batch.name}",
                   "annotate.html", {
                       "form": entry.form, "closed": entry.batch.status == CLOSED,
                       "simulated": bool(entry.coverage.simulated),
                       "known": {
                           "form": asdict(entry.form), "batch": batch(entry.batch), "facts": known,
                           "files": list(entry.files),
                           **destination(repository)}})


def destination(repository: SiteRepository) -> dict[str, str]:
    """Where files are handed in; no repository if GitHub does not have it."""
    return {"branch": "main", "repository": repository.name if repository.github else "",
            "server": repository.url.removesuffix(f"/{repository.name}")}


def facts() -> dict[str, Any]:
    """What every page for annotators knows."""
    return {
        "texts": dict(TEXTS),
        "warnings": sorted(WARNINGS),
        "login": LOGIN.pattern,
        "limits": {"bytes": MOST_BYTES, "file": MOST_BYTES, "rows": MOST_ROWS,
                   "comment": MOST_COMMENT, "named": MOST_NAMED, "shown": MOST_SHOWN,
                   "first": SHOWN_OF_A_RULE},
        "own": {"limits": {"of_a_rule": MOST_OF_A_RULE, "culprits": MOST_CULPRITS}},
        "packed": {name: list(start) for name, start in PACKED.items()},
        "rules": {rule: {"advice": CATALOGUE[rule].advice} for rule in _READING},
        "wording": {"problem": PROBLEM,
                    "faults": {key: fault._asdict() for key, fault in FAULTS.items()
                               if key.partition(" ")[0] in _READING},
                    "hints": {key: text for key, text in HINTS.items()
                              if key.partition(" ")[0] in _READING},
                    "details": dict(FACT_DETAILS)},
        "characters": characters(),
    }


def files(batches: Sequence[AskedBatch]) -> Iterator[tuple[str, bytes]]:
    """The drawings of each batch's triplets as a script, which pages fetch once one is wanted.

    No JSON, for browsers fetch none from ``file:`` addresses.
    """
    for entry in batches:
        if drawings := {item.id: drawn(item) for item in entry.batch.items if item.triplets}:
            text = json.dumps(drawings)
            yield f"{PAGE}{entry.batch.name}/drawings.js", f"window.wbDrawings = {text};\n".encode()


def batch(of: Batch, *, drawings: bool = False) -> dict[str, Any]:
    """A batch as JSON, without where its items come from; perhaps with ``drawings`` of triplets."""
    texts = (text for entry in of.items for text in entry.texts.values())
    triplets = (fact for entry in of.items for fact in entry.triplets)
    relations = {fact[1] for fact in (
        *triplets, *(fact for text in texts for fact in read_graph(text)[0]))}
    return {"batch": of.name, "kind": of.kind, "guideline": of.guideline, "status": of.status,
            "needed": of.needed, "sha256": of.sha256, "training": of.training, "board": of.board,
            "licence": of.licence, "topics": [asdict(topic) for topic in of.topics],
            "glosses": {relation: gloss(relation) for relation in sorted(relations)},
            "items": [asdict(entry) | ({"drawing": drawn(entry)} if drawings else {})
                      for entry in of.items]}


def drawn(of: Item) -> str:
    """The drawing of an item's triplets as markup that is escaped; empty if it has none.

    Edges and their labels stand in the order of the triplets.
    """
    if not of.triplets:
        return ""
    names: dict[str, str] = {}
    """What stands in the drawing for each concept: its words, and where it comes from."""
    for concept in dict.fromkeys(c for fact in of.triplets for c in (fact.source, fact.target)):
        mark = ORIGIN_MARKS[of.nodes.get(concept, "neither")]
        name = f"{concept.replace('_', ' ')} ({mark})"
        names[concept] = f"{concept} ({mark})" if name in names.values() else name
    edges = [Edge(names[fact.source], fact.relation, names[fact.target]) for fact in of.triplets]
    kinds = {name: ORIGIN_KINDS[of.nodes.get(concept, "neither")]
             for concept, name in names.items()}
    return render(lay_out(edges), edges, kinds, "The triplets")


@cache
def _glosses() -> Mapping[str, Sequence[str]]:
    """How ``relations.tsv`` reads a relation, and its negation, by its name in lower case."""
    lines = Path(__file__).with_name("relations.tsv").read_text("utf-8").split("\n")
    return {name.lower(): words for name, *words in (line.split("\t") for line in lines if line)}


def gloss(relation: str) -> str:
    """What stands for a relation between two concepts in a sentence; empty if it is not known.

    Own words for the relations of ConceptNet (named in its ``conceptnet5/relations.py``), which
    those of ExplaGraphs are written-out forms of: ``IsA`` and ``is a`` are one.

    >>> gloss("IsA"), gloss("is a"), gloss("not has a"), gloss("NotDesires")
    ('is a kind of', 'is a kind of', 'does not have', 'does not want')
    >>> gloss("synonym of"), gloss("is not a"), gloss("likes")
    ('means the same as', 'is not a kind of', '')
    """
    key = "".join(relation.lower().replace("_", " ").split())
    key = {"synonymof": "synonym", "antonymof": "antonym", "isnota": "notisa"}.get(key, key)
    if key in _glosses():
        return _glosses()[key][0]
    negated = _glosses().get(key.removeprefix("not"))
    return negated[1] if negated and key.startswith("not") else ""


# ---- the list of batches -------------------------------------------------------------------------


def list_page(batches: Annotations, pages: Collection[str], boards: Collection[str]) -> Page:
    """The page. ``pages``: those of batches that the site has; ``boards``: names of the boards that
    it shows.

    Forms to learn on come by how much of them is new to a beginner: texts alone first, many
    questions last. Who writes a graph has judged some before.
    """
    def newness(pair: tuple[Form, object]) -> tuple[int, bool, int]:
        form = pair[0]
        drawn = any(field.kind in ("graph", "triplets") for field in form.item)
        return len(form.questions) + 2 * (form.graph is not None), drawn, len(form.item)

    training = [entry for entry in batches.open if entry.batch.training]
    return Page(PAGE, "Annotate", "annotations.html", {
        "training": sorted(_by_form(training), key=newness),
        "open": _by_form([entry for entry in batches.open if not entry.batch.training]),
        "closed": _by_form(batches.closed), "path": PAGE, "pages": pages, "boards": boards,
        "licences": sorted({entry.batch.licence for entry in batches.open if entry.batch.licence}),
    }, nav=True)


def _by_form(batches: Sequence[AskedBatch]) -> list[tuple[Form, list[AskedBatch]]]:
    forms = {entry.form.kind: entry.form for entry in batches}
    return [(form, [entry for entry in batches if entry.form.kind == kind])
            for kind, form in forms.items()]


# ---- disagreements -------------------------------------------------------------------------------


def adjudication_pages(closed: Sequence[AskedBatch], repository: SiteRepository) -> Iterator[Page]:
    """A page for each closed batch that somebody answered and whose answers may be compared."""
    batches = [record for record in closed if record.items
               and any(question.answer in MEASURED for question in record.form.questions)]
    known = facts() if batches else {}
    for entry in batches:
        yield Page(f"{ADJUDICATE}{entry.batch.name}/", f"Adjudicate: {entry.batch.name}",
                   "adjudicate.html", {
                       "batch": entry.batch, "simulated": entry.coverage.simulated,
                       "known": {**disputed(entry), "facts": known, **destination(repository)}})


def disputed(closed: AskedBatch) -> dict[str, Any]:
    """What the page knows of a batch, and of nobody's name: the items in dispute, their units and
    votes, what was settled."""
    units = disputes(closed.items)
    items = {unit.item for unit in units}
    whole = batch(closed.batch, drawings=True)
    return {
        "form": asdict(next(kind for kind in organisers.forms_of().values() if kind.adjudicates)),
        "asked": asdict(closed.form),
        "batch": {**whole, "items": [entry for entry in whole["items"] if entry["id"] in items]},
        "units": [unit._asdict() for unit in units],
        "written": {item.item.id: texts for item in closed.items
                    if item.item.id in items and (texts := written(item))},
        "rulings": [asdict(replace(ruling, by="")) for ruling in closed.rulings],
    }

"""Pages on which maintainers settle where annotators of a closed batch disagree.

They know the units in dispute and their votes, and nobody's name; of an open batch there is none.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from scorer.people import forms
from scorer.people.disputes import disputes, written
from scorer.people.figures import MEASURED
from scorer.people.records import Form
from scorer.site.browsing import annotating
from scorer.site.page import Page
from scorer.site.reading.repository import Repository
from scorer.site.records import ClosedBatch

PAGE = f"{annotating.PAGE}adjudicate/"


def pages(closed: Sequence[ClosedBatch], repository: Repository) -> Iterator[Page]:
    """A page for each closed batch that somebody answered and whose answers may be compared."""
    asked = [one for one in closed if one.annotations
             and any(question.answer in MEASURED for question in one.form.questions)]
    facts = annotating.facts() if asked else {}
    for one in asked:
        yield Page(f"{PAGE}{one.batch.name}/", f"Adjudicate: {one.batch.name}", "adjudicate.html", {
            "batch": one.batch, "simulated": one.coverage.simulated,
            "known": {**known(one), "facts": facts, **annotating.destination(repository)}})


def known(closed: ClosedBatch) -> dict[str, Any]:
    """What the page knows of a batch: the items in dispute, their units, what was settled."""
    found = disputes(closed.form, closed.batch, closed.annotations)
    texts = written(closed.form, closed.batch, closed.annotations)
    items = {one.item for one in found}
    batch = annotating.batch(closed.batch, drawings=True)
    return {
        "form": annotating.form(_rulings_form()), "asked": annotating.form(closed.form),
        "batch": {**batch, "items": [one for one in batch["items"] if one["id"] in items]},
        "units": [one._asdict() for one in found],
        "written": {item: said for item, said in texts.items() if item in items},
        "rulings": [asdict(replace(one, by="")) for one in closed.rulings],
    }


def _rulings_form() -> Form:
    return next(form for form in forms.forms_of().values() if form.adjudicates)

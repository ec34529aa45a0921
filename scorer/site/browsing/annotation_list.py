"""The page of all batches: what annotators may answer, how far each is, and what was closed.

It counts and says nothing of what was answered. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from scorer.people.records import Form
from scorer.site.page import Page
from scorer.site.records import Annotations, ClosedBatch, OpenBatch

Batches = list[tuple[Form, list[OpenBatch | ClosedBatch]]]
"""The batches of each form."""


def list_page(path: str, asked: Annotations, pages: Collection[str],
              boards: Collection[str]) -> Page:
    """The page. ``pages``: those of batches that the site has; ``boards``: names of the boards that
    it shows."""
    return Page(path, "Annotate", "annotations.html", {
        "training": sorted(_by_form([one for one in asked.open if one.batch.training]),
                           key=lambda one: _hard(one[0])),
        "open": _by_form([one for one in asked.open if not one.batch.training]),
        "closed": _by_form(asked.closed), "path": path, "pages": pages, "boards": boards,
        "licences": sorted({one.batch.licence for one in asked.open if one.batch.licence}),
    }, nav=True)


def _by_form(found: Sequence[OpenBatch | ClosedBatch]) -> Batches:
    forms = {one.form.kind: one.form for one in found}
    return [(form, [one for one in found if one.form.kind == kind])
            for kind, form in forms.items()]


def _hard(form: Form) -> tuple[int, bool, int]:
    """How much of a form is new to a beginner: texts alone come first, many questions last. Who
    writes a graph has judged some before."""
    drawn = [one for one in form.item if one.kind in ("graph", "triplets")]
    return len(form.questions) + 2 * (form.graph is not None), bool(drawn), len(form.item)

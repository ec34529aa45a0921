"""The page of all batches: what annotators may answer, how far each is, and what was closed.

It counts and says nothing of what was answered. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from scorer.annotations.coverage import Coverage
from scorer.annotations.records import Batch, Form
from scorer.website.page import Page
from scorer.website.records import Annotations, ClosedBatch, OpenBatch


class ListedBatch(NamedTuple):
    """One batch as a line of the page."""

    batch: Batch
    coverage: Coverage | None
    page: str
    """Where it is answered; empty if the site has no page for its questions."""
    board: str
    """Its board's page; empty if the site does not show that."""
    settled: str = ""
    """Where maintainers settle what annotators disagree on; empty for an open batch."""

    @property
    def simulated(self) -> bool:
        """Whether a simulated annotator answered it."""
        return self.coverage is not None and bool(self.coverage.simulated)


class FormBatches(NamedTuple):
    """The batches of one form."""

    form: Form
    batches: tuple[ListedBatch, ...]


def list_page(path: str, asked: Annotations, pages: Collection[str],
              boards: Collection[str]) -> Page:
    """The page. ``pages``: those of batches that the site has; ``boards``: names of the boards that
    it shows."""
    def listed(found: Sequence[OpenBatch | ClosedBatch]) -> list[FormBatches]:
        forms = {one.form.kind: one.form for one in found}
        return [FormBatches(form, tuple(
            ListedBatch(one.batch, one.coverage,
                        own if (own := f"{path}{one.batch.name}/") in pages else "",
                        f"boards/{one.batch.board}/" if one.batch.board in boards else "",
                        ruled if (ruled := f"{path}adjudicate/{one.batch.name}/") in pages else "")
            for one in found if one.form.kind == kind)) for kind, form in forms.items()]

    return Page(path, "Annotate", "annotations.html", {
        "training": sorted(listed([one for one in asked.open if one.batch.training]),
                           key=lambda one: _hard(one.form)),
        "open": listed([one for one in asked.open if not one.batch.training]),
        "closed": listed(asked.closed),
        "licences": sorted({one.batch.licence for one in asked.open if one.batch.licence}),
    }, nav=True)


def _hard(form: Form) -> tuple[int, bool, int]:
    """How much of a form is new to a beginner: texts alone come first, many questions last. Who
    writes a graph has judged some before."""
    drawn = [one for one in form.item if one.kind in ("graph", "triplets")]
    return len(form.questions) + 2 * (form.graph is not None), bool(drawn), len(form.item)

"""Numbers of people's answers as pages show them. Undefined values have words, never NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.website.render import correlation, fraction

if TYPE_CHECKING:
    from scorer.annotations.documents import (
        AgreementDocument,
        EstimateDocument,
        PairDocument,
        PoweredDocument,
    )

NO_VARIATION = "n/a (no variation)"
NO_PAIR = "n/a (no unit with two ratings)"
UNDEFINED = "undefined"
_WORDS = {"no variation": NO_VARIATION, "no unit with two votes": NO_PAIR}


class Figure(NamedTuple):
    """One number of a table."""

    text: str
    defined: bool = True
    interval: str = ""
    n: int | None = None


def share(one: EstimateDocument) -> Figure:
    """A share, in percent."""
    return _figure(one, fraction)


def coefficient(one: EstimateDocument | None) -> Figure:
    """A coefficient of agreement; None where units differ in their number of votes."""
    if one is None:
        return Figure("\u2013", defined=False)
    return _figure(one, correlation)._replace(n=None)


def _figure(one: EstimateDocument, text: Callable[[float], str]) -> Figure:
    if one.value is None:
        return Figure(_WORDS.get(one.note, UNDEFINED), defined=False)
    told = f"{text(one.ci[0])} to {text(one.ci[1])}" if one.ci else ""
    return Figure(text(one.value), True, told, one.n)


def powered(one: PoweredDocument) -> Figure:
    """A share of all items."""
    if one.value is None:
        return Figure("n/a (fewer than ten verdicts)", defined=False)
    told = f"{fraction(one.ci[0])} to {fraction(one.ci[1])}" if one.ci else ""
    return Figure(fraction(one.value), True, told, one.items)


class AgreementRow(NamedTuple):
    """How far people agree on one question."""

    name: str
    text: str
    units: int
    excluded: int
    votes: str
    """Votes of a unit: fewest and most."""
    raw: Figure
    alpha: Figure
    ordinal: Figure | None
    fleiss: Figure
    unsure: int | None = None


def agreement_row(name: str, text: str, one: AgreementDocument, unsure: int | None = None,
                  ) -> AgreementRow:
    """The row of a question."""
    low, high = one.raters
    return AgreementRow(
        name, text, one.units, one.excluded, f"{low}" if low == high else f"{low} to {high}",
        share(one.raw)._replace(n=None), coefficient(one.alpha),
        coefficient(one.alpha_ordinal) if one.alpha_ordinal else None, coefficient(one.fleiss),
        unsure)


class Matrix(NamedTuple):
    """Cohen's kappa of every two annotators."""

    question: str
    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], tuple[Figure, int]]
    """By two names, in both orders: kappa, and units that both voted on."""


def matrix(question: str, pairs: Sequence[PairDocument]) -> Matrix:
    """The matrix of a question's pairs."""
    cells = {}
    for one in pairs:
        first, second = one.annotators
        kappa = Figure(NO_VARIATION, defined=False) if one.kappa is None else Figure(
            correlation(float(one.kappa)))
        cells[first, second] = cells[second, first] = (kappa, one.n)
    return Matrix(question, tuple(sorted({name for pair in cells for name in pair})), cells)

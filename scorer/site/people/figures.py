"""Numbers of people's answers as pages show them. Undefined values have words, never NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.site.records import SplitView
from scorer.site.render import correlation, fraction

if TYPE_CHECKING:
    from scorer.people.documents import Estimate, Pair, Powered

NO_VARIATION = "n/a (no variation)"
NO_PAIR = "n/a (no unit with two ratings)"
UNDEFINED = "undefined"
ESTIMATE = ("value", "n", "low", "high", "method", "note")
Cell = str | int | float | bool | None
_WORDS = {"no variation": NO_VARIATION, "no unit with two votes": NO_PAIR}


@dataclass(frozen=True)
class OfSplit:
    """Figures of one split."""

    view: SplitView

    @property
    def title(self) -> str:
        """The board and the split."""
        return f"{self.view.board.title} {self.view.name}"

    @property
    def name(self) -> str:
        """The same in addresses and files."""
        return f"{self.view.board.id}-{self.view.name}"


class Figure(NamedTuple):
    """One number of a table."""

    text: str
    defined: bool = True
    interval: str = ""
    n: int | None = None
    """What it is of, where that stands beside it."""


def counted_share(one: Estimate) -> Figure:
    """A share, in percent, with what it is of."""
    return share(one)._replace(n=None if one.value is None else one.n)


def share(one: Estimate) -> Figure:
    """A share, in percent."""
    return _figure(one, fraction)


def coefficient(one: Estimate | None) -> Figure:
    """A coefficient of agreement; None where units differ in their number of votes."""
    return _figure(one, correlation)


def decimals(one: Estimate | None) -> Figure:
    """A number that is no share."""
    return _figure(None if one is None or one.value is None else one, "{:.3f}".format)


def _figure(one: Estimate | None, text: Callable[[float], str]) -> Figure:
    if one is None:
        return Figure("\u2013", defined=False)
    if one.value is None:
        return Figure(_WORDS.get(one.note, UNDEFINED), defined=False)
    return Figure(text(one.value), True, _interval(one.ci, text))


def powered(one: Powered) -> Figure:
    """A share of all items."""
    if one.value is None:
        return Figure("n/a (fewer than ten verdicts)", defined=False)
    return Figure(fraction(one.value), True, _interval(one.ci, fraction), one.items)


def _interval(bounds: Sequence[float] | None, text: Callable[[float], str]) -> str:
    return " to ".join(text(float(end)) for end in bounds or ())


def kappa(one: Pair) -> Figure:
    """Cohen's kappa of two annotators."""
    if one.kappa is None:
        return Figure(NO_VARIATION, defined=False)
    return Figure(correlation(float(one.kappa)))


def matrix(pairs: Sequence[Pair]) -> Mapping[str, Mapping[str, Pair]]:
    """The pairs of each annotator by the other one's name."""
    found: dict[str, dict[str, Pair]] = {}
    for one in pairs:
        first, second = one.annotators
        found.setdefault(first, {})[second] = found.setdefault(second, {})[first] = one
    return dict(sorted(found.items()))


def estimate(one: Any) -> tuple[Cell, ...]:
    """The cells of an estimate, as ESTIMATE names them; those of none are empty."""
    if one is None:
        return (None, None, None, None, "", "")
    low, high = one.ci or (None, None)
    return (one.value, one.n, low, high, one.method, one.note)

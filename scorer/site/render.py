"""Templates and numbers: one strict environment that escapes everything, one rounding rule."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.runtime import Macro
from markupsafe import Markup

from scorer.boards.reading import is_open
from scorer.core.reading.values import plain
from scorer.core.rules import lookup
from scorer.metrics.catalogue import FOOLED_BY, METRICS
from scorer.scoring.leaderboard.numbers import Scale, number, p_text, rank_text
from scorer.site.text import MINUS, for_readers, minus, shown, slug
from scorer.site.views.graphs.svg import SYMBOLS

VIEWS = Path(__file__).parent / "views"
"""Each example view has its templates beside it."""
NOTHING = "\u2013"
SIGNS = {"better": "\u25b2", "worse": "\u25bc", "same": "\u2248", "equal": "=", "": ""}
"""What stands before a difference, by its test's outcome."""


@cache
def environment(*folders: Path) -> Environment:
    """The only template environment: undefined names are errors, everything is escaped.

    The first folder that has a template gives it; those of example views come last. Compiled
    templates are cached with temporary files.
    """
    engine = Environment(
        loader=FileSystemLoader([*folders, VIEWS]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=_Cache(),
    )
    engine.filters |= {"shown": shown, "slug": slug, "score": score, "share": share,
                       "fraction": fraction, "filled": filled, "correlation": correlation,
                       "p": p_text, "ranks": rank_text, "interval": interval, "plain": plain,
                       "minus": minus, "for_readers": for_readers,
                       "once": lru_cache(maxsize=2048)(_made)}
    engine.globals |= {"metric_page": metric_page, "fooled_by": FOOLED_BY, "signs": SIGNS,
                       "marks": SYMBOLS,
                       "rule_page": lambda rule: lookup(rule).page}
    return engine


class _Cache(FileSystemBytecodeCache):
    """Compiled templates by what they say, wherever they lie; a disk that is full keeps none."""

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str,
                   ) -> Bucket:
        return super().get_bucket(environment, name, self.get_source_checksum(source), source)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _made(macro: Macro, *values: Hashable) -> Markup:
    """What an imported macro makes of values. As the filter "once" it is called once for the same:
    most lines of most cards are a line of the card before."""
    return trusted(macro(*values))


def score(value: float | None, metric: Scale | str, signed: bool = False) -> str:
    """A value of a metric or a column as people read it, a dash without one.

    A metric that is not known any more has three decimals.

    >>> score(0.4949748743718593, "accuracy"), score(0.6471448844, "GED")
    ('49.5', '0.647')
    >>> score(0.2, "GED", signed=True), score(-0.1, "accuracy") == MINUS + "10.0"
    ('+0.200', True)
    >>> score(0.5, "G-OLD"), score(-0.5, "G-OLD", signed=True) == MINUS + "0.500"
    ('0.500', True)
    """
    if value is None:
        return NOTHING
    if isinstance(metric, str):
        if metric not in METRICS:
            return minus(f"{value:+.3f}" if signed else f"{value:.3f}")
        metric = METRICS[metric]
    return number(value, metric, signed)


def interval(bounds: Sequence[float] | None, metric: Scale, between: str = " to ") -> str:
    """The two ends of an interval; empty without one."""
    return between.join(number(float(end), metric) for end in bounds or ())


def correlation(value: float) -> str:
    """A correlation with two decimals.

    >>> correlation(0.723), correlation(-0.991) == MINUS + ".99", correlation(1.0)
    ('.72', True, '1.00')
    """
    text = f"{abs(value):.2f}".removeprefix("0")
    return MINUS + text if value < -0.005 else text


def share(part: int, whole: int) -> str:
    """A count as a percentage.

    >>> share(197, 398)
    '49.5 %'
    """
    return f"{100 * part / whole:.1f} %" if whole else NOTHING


def fraction(value: float) -> str:
    """A share of a judge's card, 0 to 1, in percent with one decimal, as scores have it.

    >>> fraction(0.6123), fraction(1.0)
    ('61.2', '100.0')
    """
    return f"{value * 100:.1f}"


def filled(text: str) -> Markup | str:
    """A text of a board; one that somebody has still to write is marked as such."""
    if not is_open(text):
        return text
    return Markup('<mark class="wb-open">{}</mark>').format(text)


def trusted(html: str) -> Markup:
    """Markup of ours, in which everything foreign was escaped when it was made."""
    return Markup(html)  # noqa: S704  # only called on output of our templates and of svg.py


def metric_page(metric: str) -> str:
    """Where a metric is explained, relative to the site's root.

    >>> metric_page("G-BERTScore[minilm-l6]")
    'metrics/g-bertscore-minilm-l6/'
    """
    return f"metrics/{slug(metric)}/"

"""What a metric says of itself: its name, direction, range, source, denominator, worked example.

Every metric's file holds its ``MetricInfo`` below its code; ``catalogue`` lists them. The site and
the checker read them too, so a metric's file imports nothing heavy before a score is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from scorer.core.errors import DataError
from scorer.core.records import BEST, FIRST, ItemScore

if TYPE_CHECKING:
    from scorer.core.results import MetricValue


MetricFunction = Callable[..., Sequence[ItemScore]]
"""Takes a sequence of what ``MetricUse.select`` gives and keyword options; returns one score each.
"""
Total = Callable[[Mapping[str, Any]], Any]
"""Sums of the parts of some items -> the metric's value for these items; arrays of sums of many
sets of items -> an array of values."""

WHOLE_SPLIT = "a number of the whole split, no mean over items"
"""Why a metric with ``MetricInfo.total`` is never released and has no mean over what passed."""

RELEASED = "github swarnaHub/ExplaGraphs, commit 67ecab1"
ANLG = ("github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py, which runs "
        "coco-caption's scorers without their tokeniser")
BHAGAVATULA = "Bhagavatula et al.: Abductive Commonsense Reasoning. ICLR 2020"
SAHA = "Saha, Yadav, Bauer and Bansal: ExplaGraphs. EMNLP 2021"
VERSIONS = "nltk 3.10.4, rouge_score 0.1.2, bert_score 0.3.13, networkx 3.6.1, scipy 1.17.1"


MADE_ANSWERS = ("The judge's probabilities were made for this page; what they lead to was computed "
                "by the scorer.")


class Arithmetic(NamedTuple):
    """How the value of one item comes about."""

    steps: tuple[str, ...]
    """One line each; the last one gives the value."""
    value: float
    """What the lines give."""
    made: str = ""
    """Which numbers were made for the page, if any."""


@dataclass(frozen=True)
class MetricInfo:
    """What a reader must know to read one column."""

    id: str
    title: str
    better: Literal["higher", "lower"]
    summary: str
    """One sentence: what it measures."""
    definition: str
    """How one item's number is made, and what the mean runs over."""
    source: str
    """The code or paper that defines it."""
    citation: str
    function: MetricFunction | None = None
    """What computes it; None if this version does not."""
    missing: str = ""
    """What this version would need for it, where it does not compute it."""
    parts: tuple[str, ...] = ()
    """Names of the numbers beside the value."""
    signature: tuple[str, ...] = ()
    """What distinguishes this implementation; completed at scoring time."""
    encoder: str | None = None
    """Name of the encoder in ``encoders``, if it needs one."""
    judge: str | None = None
    """Name of the judge in ``judges``, if it needs one."""
    lexicon: str | None = None
    """Name of the lexicon it looks words up in, if it does."""
    total: Total | None = None
    """Makes the value of the sums of all items' parts; None where it is the mean of theirs."""
    counts: tuple[str, ...] = ()
    """Names of the parts that ``total`` needs the sums of."""
    whole: bool = False
    """Whether an item's score depends on the others: the function then gets all items at once."""
    explain: Callable[..., Arithmetic] | None = None
    """``(items, score, **options)`` -> how the score of the first item comes about, for the page of
    the metric. What asks an encoder has none."""
    stand_in: Callable[[Sequence[Any]], Mapping[str, Any]] | None = None
    """``(items)`` -> the options by which something made takes the place of a model there."""
    flagged: str = "bounds"
    """What to call items whose number is not exact."""
    flags: tuple[str, ...] = ()
    """Why an item's number may be none of its model's: of metrics with a model."""
    highest: float = 1.0
    """No value is above this."""
    lowest: float = 0.0
    """No value is below this."""
    graded: bool = True
    """Whether it grades graphs; such a metric also gets a mean over the graphs that passed."""
    binary: bool = False
    """Whether one item's score is 0 or 1, so that the value is a proportion."""
    difference: bool = False
    """Whether one item's score is the difference of two scores of 0 or 1: -1, 0 or 1."""
    instead: tuple[str, str] | None = None
    """Where it is not measured, tables show another metric less that of a reference row, by their
    ids; nothing is ordered by that."""
    group: Literal["core", "plausibility", "people"] = "core"
    """Whether it says if an answer is right, how close it is to gold, or what people say."""

    def uncomputed(self) -> str:
        """Why this version does not compute it; empty if it does."""
        if self.function is not None:
            return ""
        needs = f": {self.missing}" if self.missing else ""
        return f"this version of the scorer does not compute {self.id}{needs}"

    @property
    def model(self) -> str | None:
        """Name of the model or lexicon it needs, if any."""
        return self.encoder or self.judge or self.lexicon

    @property
    def role(self) -> str:
        """The keyword by which the function takes that."""
        return "encoder" if self.encoder else "judge" if self.judge else "lexicon"

    def compute(self, items: Sequence[Any], *, over: object = BEST, **options: Any
                ) -> list[ItemScore]:
        """One score for each item. Raises LookupError if this version does not compute it.

        ``over``: one of OVER, for items that are (prediction, gold answers).
        """
        if self.function is None:
            raise LookupError(self.uncomputed())
        if over == BEST:
            return list(self.function(items, **options))
        apart = [[(predicted, (gold,)) for gold in (golds[:1] if over == FIRST else golds)]
                 for predicted, golds in items]
        scores = iter(self.function([pair for pairs in apart for pair in pairs], **options))
        return [_mean([next(scores) for _ in pairs]) for pairs in apart]

    def worked(self, items: Sequence[Any], **options: Any) -> Arithmetic | None:
        """The worked example of the first item; None if nobody wrote one.

        A judge's few numbers are made for the page, which says so, and all that follows from them
        is the metric's. Raises DataError where the lines give another value than the metric.
        """
        if self.function is None or self.explain is None:
            return None
        options |= self.stand_in(items) if self.stand_in else {}
        score = self.compute(items if self.whole else items[:1], **options)[0]
        example = self.explain(items, score, **options)
        if abs(example.value - score.value) > 1e-6:
            raise DataError(f"the worked example of {self.id} gives {example.value}, the metric "
                            f"{score.value}")
        return example._replace(value=score.value,
                                made=MADE_ANSWERS if self.judge else example.made)

    def lift(self, value: MetricValue) -> float | None:
        """By how much a value is better than its null, as people read it: positive is better, also
        where lower values are. None without a null."""
        gain = value.lift
        return gain if gain is None or self.better == "higher" else 0.0 - gain


def _mean(scores: Sequence[ItemScore]) -> ItemScore:
    """The mean of values and of parts; a flag of one is a flag of it.

    >>> _mean([ItemScore(1.0, {"recall": 0.5}), ItemScore(0.5, {"recall": 0.0})])
    ItemScore(value=0.75, parts={'recall': 0.25}, flag=None)
    """
    if len(scores) == 1:
        return scores[0]
    return ItemScore(fmean(score.value for score in scores),
                     {name: fmean(score.parts[name] for score in scores)
                      for name in scores[0].parts},
                     next((score.flag for score in scores if score.flag is not None), None))


# ---- portions -------------------------------------------------------------------------------
#
# A file may hold 8 MiB, and what its texts become in memory is a hundred times that. Answers do
# not depend on the portions (docs/decisions/008-models-are-sources.md); a usual submission is one.

Item = TypeVar("Item")

READ_AT_ONCE = 2**20
"""Characters that a judge reads: their tokens take some 140 MB. EA reads 0.8 million
of dev gold."""
KEPT_AT_ONCE = 2**18
"""Characters of sentences whose vectors or counts are kept: some 500 MB of a small encoder's
vectors where sentences are short. Those of dev gold and predictions have 0.13 million."""


def portions(
    items: Sequence[Item], characters: Callable[[Item], int], most: int
) -> Iterator[list[Item]]:
    """The items in order, in portions of at most ``most`` characters, or of one item.

    >>> list(portions(["ab", "c", "defg", "h"], len, most=3))
    [['ab', 'c'], ['defg'], ['h']]
    """
    portion: list[Item] = []
    total = 0
    for item in items:
        size = characters(item)
        if portion and total + size > most:
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += size
    if portion:
        yield portion

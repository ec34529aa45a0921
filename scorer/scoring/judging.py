"""Who judged a number, whether that judge is known, and whether it may order rows. Pure.

A judge is found by the twelve digits of its weights' digest that end the judge's part of a
signature. What a fit judge is, its card says (``scorer/models/judge_card.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from scorer.core.records import Share
from scorer.core.results import MetricValue, Result
from scorer.metrics.catalogue import METRICS
from scorer.models.judge_card import GOLD, INCORRECT, REFUSED, Card, Fitness
from scorer.models.known import JUDGES

_TAG = re.compile(r"judge:([a-z0-9]+)-(?:.*-)?([0-9a-f]{12})")


@dataclass(frozen=True)
class KnownJudge:
    """A judge with a card, and its page."""

    card: Card
    path: str
    """Where its page is, relative to the site's root."""
    source: Path = Path()
    """The file of the card."""

    @property
    def name(self) -> str:
        """What pages call it."""
        return self.card.name or self.card.weights[:12]

    @property
    def metric(self) -> str:
        """The column it judges."""
        return next(info.id for info in METRICS.values() if info.judge == self.card.judge)

    @cached_property
    def fitness(self) -> Fitness | None:
        """The gate's verdict; None for a judge that is never ranked by."""
        return self.card.fitness

    @property
    def fit(self) -> bool:
        """Whether it may order rows."""
        return self.fitness is not None and self.fitness.fit


def gated(judge: str) -> bool:
    """Whether numbers of such judges order rows if the judge passes the gate; else they never do.

    >>> gated("seca"), gated("ea")
    (True, False)
    """
    return INCORRECT in JUDGES[judge].labels


class JudgeRef(NamedTuple):
    """The judge behind one number: what the signature says, and its card if there is one."""

    tag: str
    """The judge's part of the signature."""
    digest: str
    known: KnownJudge | None

    @property
    def name(self) -> str:
        """What pages call it: the card's name, else the digits of its digest."""
        return self.known.name if self.known else self.digest


@dataclass(frozen=True)
class Judges:
    """Every judge with a card."""

    known: tuple[KnownJudge, ...] = ()

    def of(self, metric: str) -> tuple[KnownJudge, ...]:
        """Those that a metric asks for."""
        return tuple(judge for judge in self.known if judge.card.judge == METRICS[metric].judge)

    def behind(self, result: Result, metric: str) -> JudgeRef | None:
        """The judge that made a result's number; None if no judge made it, or there is none."""
        value = result.metrics.get(metric)
        judge = METRICS[metric].judge
        if judge is None or value is None or value.value is None:
            return None
        parts = (part for part in value.signature.split("|") if part.startswith("judge:"))
        tag = next(parts, result.models.get(judge, ""))
        named = _TAG.fullmatch(tag)
        if named is None or named[1] != judge:
            return JudgeRef(tag, "of unknown identity", None)
        known = (entry for entry in self.of(metric) if entry.card.weights.startswith(named[2]))
        return JudgeRef(tag, named[2], next(known, None))


NOBODY = Judges()
"""Where no judge has a card."""

State = Literal["ranks", "judge-unfit", "judge-no-card", "judges-differ", "never-ranked"]
WHY_NOT: Mapping[State, str] = {
    "judge-unfit": "its judge model failed our accuracy test",
    "judge-no-card": "its judge model has no card",
    "judges-differ": "different judges scored it",
    "never-ranked": "we never rank by it",
}
"""Why a column does not order rows, to follow *would rank, but*."""


class Standing(NamedTuple):
    """Whether a judged column may order the rows of a table, and who judged it."""

    state: State
    judges: tuple[JudgeRef, ...]
    """Without repeats, in the order of the rows."""

    @property
    def ranks(self) -> bool:
        """Whether it may order rows."""
        return self.state == "ranks"

    @property
    def doubted(self) -> bool:
        """Whether some judge may have seen what it was measured on."""
        return any(ref.known and ref.known.card.may_have_seen for ref in self.judges)

    @property
    def because(self) -> str:
        """Why it does not order rows; empty if it does."""
        return WHY_NOT.get(self.state, "")


def standing(metric: str, results: Iterable[Result], judges: Judges) -> Standing | None:
    """How a judged column stands; None for a column that nobody judged."""
    all_refs = [judges.behind(result, metric) for result in results]
    refs = tuple({ref.tag: ref for ref in all_refs if ref is not None}.values())
    if not refs:
        return None
    known = refs[0].known
    state: State = (
        "never-ranked" if not gated(METRICS[metric].judge or "") else
        "judges-differ" if len(refs) > 1 else
        "judge-no-card" if known is None else
        "ranks" if known.fit else "judge-unfit")
    return Standing(state, refs)


# ---- the band ----------------------------------------------------------------------------------
#
# What a judged metric would be by people, if its judge errs as often as its card says. Rogan and
# Gladen: Estimating prevalence from the results of a screening test. American Journal of
# Epidemiology 107, 1978. A judge that accepts a share r of the graphs that people accept, and a
# share w of those that they refuse, accepts q = r * t + w * (1 - t) of graphs of which a share t is
# right; so t = (q - w) / (r - w).
#
# Errors are taken label by label: accepted graphs and refused ones need not have the same mix of
# labels, and over both labels together even a judge that always gives one of them seems to know one
# kind from the other. A clone has no gold, so the band holds for every mix of labels.

Bounds = tuple[float, float]
"""A range; of values that the judge's errors allow: no sampling of items is in it."""


class JudgeErrors(NamedTuple):
    """How many graphs of one label a judge accepts: 95 % Wilson intervals from its card."""

    right: Bounds
    """Of graphs that people accepted: the share that it gives their label (sensitivity)."""
    wrong: Bounds
    """The same of graphs that people refused (1 less specificity)."""


def judge_band(value: MetricValue, passing: MetricValue | None, judge: JudgeRef | None,
               ) -> Bounds | str | None:
    """What a metric would be by people, if the judge errs as its card says; or why there is no such
    range. None where no errors are known.

    ``passing``: the same row's share of answers that passed the gates.
    """
    card = judge.known.card if judge and judge.known else None
    errors = errors_of(card) if card else {}
    if not errors or not passing or passing.value is None or value.passed.value is None:
        return None
    if card and card.may_have_seen:
        return ("unbounded: this judge may have seen the graphs that its errors were counted on, "
                "so it may err more often on others")
    n = value.passed.n
    return band(Share(round(value.passed.value * n), n), passing.value, errors)


def errors_of(card: Card) -> dict[str, JudgeErrors]:
    """A judge's errors by label as its card has them; none if the card lacks one of the two sets.

    Accepted is what the metric counts: given the item's own label. So of a refused graph only that
    answer is an error, not the other label; the card's set of rejected graphs has those counts.
    """
    gold, refused = card.evaluation(GOLD), card.evaluation(REFUSED)
    if INCORRECT not in card.labels or gold is None or refused is None:
        return {}
    rates = {label: (gold.recall(label).interval, refused.recall(label).interval)
             for label in gold.confusion}
    return {label: JudgeErrors(right, wrong) for label, (right, wrong) in rates.items()
            if right is not None and wrong is not None}


def band(accepted: Share, share: float, errors: Mapping[str, JudgeErrors]) -> Bounds | str:
    """The band beside a value, in the unit of the column: over all items, for any mix of labels.

    ``accepted``: how many of the graphs that passed every gate the judge accepted. ``share``: how
    many of all items those are, 0 to 1 (the gate metric). There is no band where the judge may be
    no better than chance within a label (``unbounded: why``) or accepted what its errors cannot
    make (``none fits: why``).

    The least that can be right is where all right and all wrong graphs have those labels of which
    the judge accepts most; the most, where they have those of which it accepts least.
    """
    for label, rates in errors.items():
        if rates.right[0] <= rates.wrong[1]:
            return ("unbounded: this judge may be no better than chance on graphs of label "
                    f"{label}")
    least = [min(low for low, _ in rates) for rates in zip(*errors.values(), strict=True)]
    most = [max(high for _, high in rates) for rates in zip(*errors.values(), strict=True)]
    q = accepted.count / accepted.n
    low, high = (min(1.0, max(0.0, (q - wrong) / (right - wrong)))
                 for right, wrong in (most, least))
    if low == high:
        return ("none fits: the judge accepted more, or fewer, than its known errors make of any "
                "graphs; on this row it errs in another way")
    return share * low, share * high

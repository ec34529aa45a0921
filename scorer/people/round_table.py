"""Collect, judge, refine: what becomes of items over rounds of verification.

An item's graph of a round is correct if more than half of the first ``needed`` votes give it the
item's own label; every other graph goes to refinement. Items whose votes are not all there are
pending: shown, and counted nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from scorer.core.share import Share
from scorer.people import agreement
from scorer.people.agreement import majority
from scorer.people.documents import Author, LabelVotes, Round

LABELS, VERIFY = "stance", "verify"
"""Forms whose votes decide labels, and graphs."""
KEPT = ("support", "counter")
"""The labels with which an item goes on."""
CORRECT, INCORRECT, NO_MAJORITY, PENDING = "correct", "incorrect", "no majority", "pending"
REFINER_SHARE = Fraction(4, 5)
REFINER_GRAPHS = 10
"""Who has at least so many verified graphs, of which such a share is correct, may refine."""


class Decision(NamedTuple):
    """What the votes on one item or graph come to."""

    done: bool
    """Whether all that are needed are there."""
    label: str | None
    """What more than half of the first that are needed say; None if nothing, or if not done."""


def decided(votes: Sequence[str], needed: int) -> Decision:
    """What votes come to, in the order in which they were handed in.

    >>> decided(["support", "support", "counter", "counter"], 3)
    Decision(done=True, label='support')
    """
    first = list(votes[:needed])
    return Decision(True, majority(first)) if len(first) == needed else Decision(False, None)


def label_votes(items: Sequence[Sequence[str]], needed: int, kept: Sequence[str]) -> LabelVotes:
    """The table of the first stage.

    ``items``: the votes on each, in the order in which they were handed in. ``kept``: the labels
    with which an item goes on. Agreement is of the first ``needed`` votes of items that have them,
    but for alpha, which is of all votes.
    """
    decisions = [decided(votes, needed) for votes in items]
    labels = Counter(label for done, label in decisions if done)
    first = agreement.measured([votes[:needed] for votes, (done, _) in
                                zip(items, decisions, strict=True) if done])
    every = agreement.measured(items)
    return LabelVotes(
        items=len(items), votes=sum(map(len, items)),
        kept={label: labels[label] for label in kept},
        dropped={label: count for label, count in sorted(labels.items(), key=str)
                 if label is not None and label not in kept},
        no_majority=labels[None], pending=sum(not done for done, _ in decisions),
        agreement=first.model_copy(update={"alpha": every.alpha}))


class ItemRounds(NamedTuple):
    """The votes on one item's graphs, round by round."""

    wanted: str
    """The item's own label."""
    rounds: Sequence[Decision]
    """Of the graph of each round."""


def rounds_table(items: Sequence[ItemRounds], labels: Sequence[str]) -> list[Round]:
    """A row for each round that any item reached, as in the paper's Table 2: states after it.

    ``labels``: those that items may have. An item once correct stays so. Another of the labels is
    ``crossed``, no label that an item may have ``incorrect``.
    """
    rows = []
    for number in range(1, max((len(item.rounds) for item in items), default=0) + 1):
        states = Counter(_state(item, number, labels) for item in items)
        crossed = {f"{own}>{label}": states[f"{own}>{label}"] for own in labels for label in labels
                   if own != label}
        known = states.total() - states[PENDING]
        rows.append(Round(
            round=number, decided=known, correct=states[CORRECT],
            ci=_wilson(states[CORRECT], known), crossed=crossed, incorrect=states[INCORRECT],
            no_majority=states[NO_MAJORITY], pending=states[PENDING]))
    return rows


def _state(item: ItemRounds, number: int, labels: Sequence[str]) -> str:
    state = PENDING
    for index in range(number):
        if index >= len(item.rounds) or not item.rounds[index].done:
            return PENDING
        label = item.rounds[index].label
        if label == item.wanted:
            return CORRECT
        state = (NO_MAJORITY if label is None else f"{item.wanted}>{label}" if label in labels
                 else INCORRECT)
    return state


def authors(graphs: Iterable[tuple[str, str, Decision]]) -> dict[str, Author]:
    """How often each author's graphs were found correct, by name; of each graph its author, its
    item's own label and what the votes on it come to."""
    outcomes: dict[str, list[bool | None]] = {}
    for author, wanted, votes in graphs:
        outcomes.setdefault(author, []).append(votes.label == wanted if votes.done else None)
    return {name: _author(graphs) for name, graphs in sorted(outcomes.items())}


def _author(graphs: Sequence[bool | None]) -> Author:
    verified = sum(graph is not None for graph in graphs)
    correct = sum(graph is True for graph in graphs)
    return Author(
        graphs=len(graphs), verified=verified, correct=correct, ci=_wilson(correct, verified),
        may_refine=verified >= REFINER_GRAPHS and Fraction(correct, verified) >= REFINER_SHARE)


def _wilson(count: int, n: int) -> list[int | float] | None:
    bounds = Share(count, n).interval
    return None if bounds is None else list(bounds)

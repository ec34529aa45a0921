"""Collect, judge, refine: what becomes of items over rounds of verification.

An item's graph of a round is correct if more than half of the first ``needed`` votes give it the
item's own label; every other graph goes to refinement. Items whose votes are not all there are
pending: shown, and counted nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from scorer.annotations import agreement
from scorer.annotations.agreement import Agreement, majority
from scorer.share import Share

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


class LabelVotes(NamedTuple):
    """What became of items whose label was voted on."""

    items: int
    votes: int
    kept: Mapping[str, int]
    """Items by their label, of those labels that are kept."""
    dropped: Mapping[str, int]
    """Items by their label, of the others."""
    no_majority: int
    pending: int
    agreement: Agreement
    """Of the first ``needed`` votes of items that have them; nominal alpha is of all votes."""


def label_votes(items: Sequence[Sequence[str]], needed: int, kept: Sequence[str]) -> LabelVotes:
    """The table of the first stage.

    ``items``: the votes on each, in the order in which they were handed in. ``kept``: the labels
    with which an item goes on.
    """
    found = [decided(votes, needed) for votes in items]
    labels = Counter(label for done, label in found if done)
    first = agreement.measured([votes[:needed] for votes, (done, _) in
                                zip(items, found, strict=True) if done])
    every = agreement.measured(items)
    return LabelVotes(
        len(items), sum(map(len, items)), {label: labels[label] for label in kept},
        {label: count for label, count in sorted(labels.items(), key=str)
         if label is not None and label not in kept},
        labels[None], sum(not done for done, _ in found),
        first._replace(nominal=every.nominal),
    )


class ItemRounds(NamedTuple):
    """The votes on one item's graphs, round by round."""

    wanted: str
    """The item's own label."""
    rounds: Sequence[Decision]
    """Of the graph of each round."""


class RoundRow(NamedTuple):
    """A round in the layout of the paper's Table 2: states after it, as counts of ``decided``."""

    round: int
    decided: int
    """Items whose state after this round is known: the whole of which shares are."""
    correct: int
    """In this round or an earlier one."""
    crossed: Mapping[tuple[str, str], int]
    """Items of which more than half gave another of the labels: by (own, given)."""
    incorrect: int
    """Items of which more than half gave no label that an item may have."""
    no_majority: int
    pending: int

    @property
    def share_correct(self) -> Share:
        """Of the items that are decided."""
        return Share(self.correct, self.decided)


def rounds_table(items: Sequence[ItemRounds], labels: Sequence[str]) -> list[RoundRow]:
    """A row for each round that any item reached; ``labels``: those that items may have."""
    rows = []
    for number in range(1, max((len(one.rounds) for one in items), default=0) + 1):
        states = Counter(_state(one, number, labels) for one in items)
        crossed = {(own, given): states[f"{own}>{given}"] for own in labels for given in labels
                   if own != given}
        rows.append(RoundRow(number, states.total() - states[PENDING], states[CORRECT], crossed,
                             states[INCORRECT], states[NO_MAJORITY], states[PENDING]))
    return rows


def _state(item: ItemRounds, number: int, labels: Sequence[str]) -> str:
    state = PENDING
    for place in range(number):
        if place >= len(item.rounds) or not item.rounds[place].done:
            return PENDING
        given = item.rounds[place].label
        if given == item.wanted:
            return CORRECT
        state = (NO_MAJORITY if given is None else f"{item.wanted}>{given}" if given in labels
                 else INCORRECT)
    return state


class AuthorRow(NamedTuple):
    """How often one author's graphs were found correct."""

    author: str
    graphs: int
    verified: int
    correct: Share
    """Of those that are verified."""

    @property
    def may_refine(self) -> bool:
        """Whether others' graphs may be given to this author to refine."""
        return (self.verified >= REFINER_GRAPHS
                and Fraction(self.correct.count, self.verified) >= REFINER_SHARE)


def authors(graphs: Iterable[tuple[str, str, Decision]]) -> list[AuthorRow]:
    """The statistics of authors, by name; of each graph its author, its item's own label and what
    the votes on it come to."""
    counted: dict[str, list[bool | None]] = {}
    for author, wanted, found in graphs:
        counted.setdefault(author, []).append(found.label == wanted if found.done else None)
    return [AuthorRow(name, len(found), n := sum(one is not None for one in found),
                      Share(sum(one is True for one in found), n))
            for name, found in sorted(counted.items())]

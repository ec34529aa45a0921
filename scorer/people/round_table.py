"""Collect, judge, refine: what becomes of items over rounds of verification.

An item's graph of a round is correct if more than half of the first ``needed`` votes give it the
item's own label; every other graph goes to refinement. Items whose votes are not all there are
pending: shown, and counted nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

from scorer.core.records import Share
from scorer.people import agreement
from scorer.people.agreement import majority
from scorer.people.documents import Author, LabelVotes, Round

LABELS, VERIFY = "stance", "verify"
"""Forms whose votes decide labels, and graphs."""
KEPT = ("support", "counter")
"""The labels with which an item goes on."""
NONE = "none"
"""The label of votes without a majority."""
CORRECT, INCORRECT, NO_MAJORITY, PENDING = "correct", "incorrect", "no majority", "pending"
REFINER_SHARE, REFINER_GRAPHS = 0.8, 10
"""Who has at least so many verified graphs, of which such a share is correct, may refine."""


def decided(votes: Sequence[str], needed: int) -> str | None:
    """What more than half of the first ``needed`` votes say, NONE if nothing; None while there are
    fewer. ``votes``: in the order in which they count.

    >>> decided(["support", "support", "counter", "counter"], 3)
    'support'
    """
    return (majority(votes[:needed]) or NONE) if len(votes) >= needed else None


def label_votes(items: Sequence[Sequence[str]], needed: int) -> LabelVotes:
    """The table of the first stage.

    ``items``: the votes on each, in the order in which they were handed in. Agreement is of the
    first ``needed`` votes of items that have them, but for alpha, which is of all votes.
    """
    labels = Counter(decided(votes, needed) for votes in items)
    first = agreement.measured([votes[:needed] for votes in items if len(votes) >= needed])
    every = agreement.measured(items)
    return LabelVotes(
        items=len(items), votes=sum(map(len, items)),
        kept={label: labels[label] for label in KEPT},
        dropped={label: labels[label] for label in sorted(filter(None, labels))
                 if label != NONE and label not in KEPT},
        no_majority=labels[NONE], pending=labels[None],
        agreement=first.model_copy(update={"alpha": every.alpha}))


def rounds_table(items: Sequence[tuple[str, Sequence[str | None]]]) -> list[Round]:
    """A row for each round that any item reached, as in the paper's Table 2: states after it.

    ``items``: of each its own label, and what is ``decided`` of its graph of each round. An item
    once correct stays so. The other label that items may have is ``crossed``, no such label
    ``incorrect``.
    """
    rows = []
    for number in range(1, max((len(rounds) for _, rounds in items), default=0) + 1):
        states = Counter(_state(wanted, [*rounds, *[None] * number][:number])
                         for wanted, rounds in items)
        crossed = {f"{own}>{label}": states[f"{own}>{label}"]
                   for own, label in permutations(KEPT, 2)}
        known = states.total() - states[PENDING]
        rows.append(Round(
            round=number, decided=known, correct=states[CORRECT],
            ci=_wilson(states[CORRECT], known), crossed=crossed, incorrect=states[INCORRECT],
            no_majority=states[NO_MAJORITY], pending=states[PENDING]))
    return rows


def _state(wanted: str, rounds: Sequence[str | None]) -> str:
    state = PENDING
    for label in rounds:
        if label is None:
            return PENDING
        if label == wanted:
            return CORRECT
        state = (NO_MAJORITY if label == NONE else f"{wanted}>{label}" if label in KEPT
                 else INCORRECT)
    return state


def authors(graphs: Iterable[tuple[str, str, str | None]]) -> dict[str, Author]:
    """How often each author's graphs were found correct, by name; of each graph its author, its
    item's own label and what is ``decided`` of it."""
    outcomes: dict[str, list[bool | None]] = {}
    for author, wanted, label in graphs:
        outcomes.setdefault(author, []).append(None if label is None else label == wanted)
    table = {}
    for name, verdicts in sorted(outcomes.items()):
        correct = verdicts.count(True)
        verified = correct + verdicts.count(False)
        table[name] = Author(
            graphs=len(verdicts), verified=verified, correct=correct,
            ci=_wilson(correct, verified),
            may_refine=verified >= REFINER_GRAPHS and correct / verified >= REFINER_SHARE)
    return table


def _wilson(count: int, n: int) -> list[int | float] | None:
    bounds = Share(count, n).interval
    return None if bounds is None else list(bounds)

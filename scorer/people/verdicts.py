"""People's verdicts on a system's graphs: how many are right, how sure that is, what may be ranked.

A graph is right in the eyes of an annotator who gives it the label that its item has, without
having seen that. An item counts the share of its votes that do, so that no rule for ties is
needed; the share of items with a majority stands beside it. People read a random sample of the
items that passed every gate; the others count 0 for people as for a judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from scorer.boards.policy import HumanRanking
from scorer.people import agreement
from scorer.people.agreement import majority
from scorer.people.bootstrap import of_ratio
from scorer.people.documents import Agreement, Estimate, Powered, VerdictDocument
from scorer.people.prediction_powered import people_alone, powered


class Verified(NamedTuple):
    """What people said of one item of one system."""

    item: Any
    """The item's name in the gold file, such as its row."""
    wanted: str
    """The label that a right graph has."""
    votes: tuple[str, ...]
    """Those that count, in their order."""
    done: bool = True
    """Whether they are as many as its batch needs."""


def human_verdict(read: Sequence[Verified], *, passed: int | None = None, items: int = 0,
                  by_judge: Mapping[Any, float] | None = None, **more: Any) -> VerdictDocument:
    """What people say of one system.

    ``passed``: how many of its ``items`` passed every gate, if known; all in ``read`` did.
    ``by_judge``: its verdict, 0 or 1, on each of those that passed. ``more``: other keys of the
    record. Raises KeyError for an item in ``read`` that the judge did not read.
    """
    given, people = [one for one in read if one.votes], shares(read)
    if passed is not None:
        more["all_items"] = people_alone(people, passed, items)
    if by_judge is not None:
        more["powered"] = powered(people, by_judge, items)
    return VerdictDocument(
        votes=votes_right(read),
        majority=of_ratio({one.item: [(int(majority(one.votes) == one.wanted), 1)]
                           for one in given}),
        agreement=agreement.measured([one.votes for one in given]), **more)


def votes_right(read: Sequence[Verified]) -> Estimate:
    """Votes that find the graph right, of all votes. One vote an item: Wilson's interval; several:
    bootstrap over items."""
    return of_ratio({one.item: [(int(vote == one.wanted), 1) for vote in one.votes]
                     for one in read if one.votes})


def shares(read: Sequence[Verified]) -> dict[Any, float]:
    """The share of its votes that find an item right, by item; items without votes are left out."""
    return {one.item: float(Fraction(sum(vote == one.wanted for vote in one.votes),
                                     len(one.votes))) for one in read if one.votes}


def agreement_of(read: Sequence[Verified]) -> Agreement:
    """How far people agree on several systems' graphs: on those that have all their votes."""
    return agreement.measured([one.votes for one in read if one.done])


def why_not_ranked(rows: Mapping[str, Powered], together: Agreement, rule: HumanRanking,
                   simulated: Sequence[str] = (), unfinished: Mapping[str, int] = {},
                   ) -> tuple[str, ...]:
    """Why a prediction-powered column may not order these rows; nothing if it may.

    ``rows``: by name, those that would be ranked. ``together``: agreement on all their graphs.
    ``simulated``: simulated annotators whose votes are among them, of whom there must be none.
    ``unfinished``: by name, graphs that were drawn and lack votes. There must be none: else
    annotators, by what they answer and leave out, choose the sample that chance has drawn.
    A row of which people read every graph that passed has enough.
    """
    few = [f"{name} has {row.verified}" for name, row in rows.items()
           if row.verified < min(rule.verified, row.passed)]
    found = [] if rows else ["no row has people's verdicts"]
    if few:
        found.append(f"each row needs {rule.verified} graphs verified by people: "
                     f"{', '.join(few[:3])}{' ...' if len(few) > 3 else ''}")
    if lacking := [f"{name} on {count}" for name, count in unfinished.items() if count]:
        found.append(f"votes are missing on graphs that were drawn: {', '.join(lacking[:3])}"
                     f"{' ...' if len(lacking) > 3 else ''}")
    kappa = None if together.fleiss is None else together.fleiss.value
    if kappa is None:
        least, most = together.raters
        why = ", for batches need different numbers of votes" if least != most else ""
        found.append(f"Fleiss's kappa of the votes is not defined{why}, "
                     f"and it must be {rule.agreement:g} at least")
    elif kappa < rule.agreement:
        found.append(f"annotators agree too little: Fleiss's kappa is {kappa:.3f}, "
                     f"and it must be {rule.agreement:g} at least")
    if simulated:
        found.append(f"votes are simulated: those of {', '.join(simulated[:3])}"
                     f"{' ...' if len(simulated) > 3 else ''}")
    return tuple(found)

"""What orders the rows of a leaderboard, people's verdicts included. Pure."""

from __future__ import annotations

from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.order import ByPeople, Ordering, value_of
from scorer.scoring.leaderboard.order import ordering as ordering_of
from scorer.website.boards.people_columns import PeopleColumns, people_columns
from scorer.website.records import Entry, SplitView, official


def ordering(view: SplitView, people: PeopleColumns | None) -> Ordering:
    """As results order the rows; before a judge's metric the same as people correct it."""
    by_people = (ByPeople(people.corrects, people.powered.id, "; ".join(people.why_not))
                 if people and people.powered else None)
    return ordering_of(view.board, [entry.result for entry in official(view.entries)], view.judges,
                       [entry.result for entry in view.entries], by_people)


def ranked(view: SplitView) -> list[Entry]:
    """A split's entries by what orders them, the unmeasured last; equal ones by name."""
    people = people_columns(view)
    metric = ordering(view, people).metric
    if metric is None:
        return sorted(view.entries, key=lambda entry: entry.key)
    sign = -1 if metric not in METRICS or METRICS[metric].better == "higher" else 1

    def place(entry: Entry) -> tuple[bool, float, str]:
        value = (value_of(entry.result, metric) if metric in METRICS or people is None
                 else people.value(entry.key))
        return value is None, sign * (value or 0.0), entry.key

    return sorted(view.entries, key=place)

"""Can you trust this? Each condition is stated either way. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.boards.submission import OWN
from scorer.scoring.results.leaderboard import Condition, LeaderboardRows
from scorer.statistics import FEWEST


def conditions(board: LeaderboardRows) -> list[Condition]:
    """Every condition in a fixed order, whether it holds or not."""
    return list(_conditions(board))


def _conditions(board: LeaderboardRows) -> Iterator[Condition]:
    enough = board.items >= FEWEST
    yield Condition(code="items", holds=enough, text=(
        f"{board.items:,} items, {'enough' if enough else 'too few'} to compare systems ("
        f"{FEWEST} needed)"))
    by = board.order.by or ""
    systems = [row for row in board.rows if row.kind in ("scored", "third-party")
               and not row.withdrawn]
    lacking = [row for row in systems if row.unranked == "no scores of items"]
    scored = board.gold == "public" and bool(systems) and not lacking
    yield Condition(code="item-scores", holds=scored, text=(
        "every system has scores of items" if scored else
        "no system is scored here" if not systems else
        "gold is not public, so nobody sees scores of items" if board.gold != "public" else
        f"{len(lacking)} of {len(systems)} systems have no scores of items"))
    unfit = [entry.id for entry in board.order.passed_over
             if entry.code not in ("people", "unmeasured")]
    column = next((candidate for candidate in board.columns if candidate.id == by), None)
    judged = column is not None and column.judge is not None
    yield Condition(code="judge", holds=not judged, text=(
        f"ordered by a judge model, {by}" if judged else
        f"people correct the judge that orders the rows, {by}" if column and column.people else
        "no judge model orders the rows" + (f" ({', '.join(unfit)} not used)" if unfit else "")))
    words = [value.vs_null.verdict for row in systems
             if (value := row.values.get(by)) and value.vs_null]
    beat = words.count("better")
    yield Condition(code="null", holds=beat > 0 or board.null is None, text=(
        f"systems that beat their null: {beat} of {len(words)}" if words else
        "no system is compared with a null here" if board.null else
        "this task has no answer that says nothing"))
    hidden = board.gold == "hidden"
    yield Condition(code="public-gold", holds=hidden, text=(
        "gold is hidden" if hidden else "gold is public, so systems may have been trained on it"))
    own = sum(row.key.startswith(f"{OWN}/") for row in systems)
    yield Condition(code="own-rows", holds=not own, text=(
        f"systems made by this site: {own} of {len(systems)}" if own else
        "no system here is made by this site"))

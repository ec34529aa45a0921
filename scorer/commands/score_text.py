"""What ``score`` prints of a result: its values, what broke, and how far it is from baselines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scorer.commands.compare import compared, same_items, saved_at, why_not
from scorer.commands.options import number, p_equals

if TYPE_CHECKING:
    from scorer.board import Board
    from scorer.records import Result
    from scorer.statistics.comparison import Comparison

MOST_RULES = 5
"""Broken rules that are named."""


class Against(NamedTuple):
    """The reference row that a result is held against."""

    name: str
    """``reference/<system>``."""
    text: str


def table(result: Result) -> str:
    """A result as text: one line a metric."""
    from scorer.metrics.catalogue import METRICS

    title = "/".join(part for part in (result.board, result.team, result.system) if part)
    counts = result.counts
    lines = [
        f"{title} {result.split}: {counts['items']} items, "
        + ", ".join(f"{n} {name}" for name, n in counts.items()
                    if isinstance(n, int) and name != "items"),
        *(f"  {name}: " + "; ".join(
            f"{row} " + " ".join(f"{column} {n}" for column, n in cells.items())
            for row, cells in table.items())
          for name, table in counts.items()
          if not isinstance(table, int) and name not in ("broken", "strict")),
        f"  {'metric':24}{'value':>9}{'P':>9}{'R':>9}{'passed':>9}{'null':>9}{'lift':>9}",
    ]
    for value in result.metrics.values():
        if value.value is None:
            lines.append(f"  {value.metric:24}{'-':>9}  not measured: {value.reason}")
            continue
        cells = (value.value, value.parts.get("precision"), value.parts.get("recall"),
                 value.passed, value.null, METRICS[value.metric].lift(value))
        shown = "".join(f"{'' if cell is None else number(cell, value.metric):>9}"
                        for cell in cells[:-1])
        if (lift := cells[-1]) is not None:
            shown += f"{number(lift, value.metric, signed=True):>9}"
        flagged = f"  {value.flagged} {METRICS[value.metric].flagged}" if value.flagged else ""
        lines.append(f"  {value.metric:24}{shown}{flagged}")
    return "\n".join(lines)


def broken_rules(result: Result) -> str:
    """The rules that most items break, in a line; empty if none is broken."""
    from scorer.errors import counted

    broken = result.counts.get("broken", {})
    if not isinstance(broken, Mapping) or not any(broken.values()):
        return ""
    found = sorted((-n, rule) for rule, n in broken.items() if n)
    more = f" and {counted(len(found) - MOST_RULES, 'rule')} more" if found[MOST_RULES:] else ""
    named = ", ".join(f"{rule} in {counted(-n, 'item')}" for n, rule in found[:MOST_RULES])
    return f"  broken most: {named}{more}; scorer check shows the rows"


def ranking_metric(board: Board, result: Result) -> str | None:
    """The first metric, ranking ones first, that has a value of every item."""
    names = dict.fromkeys([*board.ranking, *board.metrics])
    return next((name for name in names if not why_not(name, result, result)), None)


def against_null(result: Result, metric: str) -> str:
    """The difference to the submission's own null; empty if there is no test of it."""
    from scorer.errors import counted
    from scorer.metrics.catalogue import METRICS
    from scorer.scoring.null_finding import lift_verdict
    from scorer.statistics import FEWEST

    value = result.metrics[metric]
    lift = METRICS[metric].lift(value)
    if lift is None or value.versus_null is None:
        return ""
    word = lift_verdict(value, METRICS[metric])
    said = {"same": "no significant difference",
            "untested": f"no verdict: {counted(value.n, 'item')}, fewer than {FEWEST}"}
    return (f"  {metric} against its null: {number(lift, metric, signed=True)}, "
            f"{p_equals(value.versus_null.p)}: "
            f"{said.get(word, word)}")


def against_baseline(
    board: Board, result: Result, metric: str, folders: Sequence[Path]
) -> Against | None:
    """The difference to the best reference row that saw no gold and has its items at hand.

    None if there is no such row, or its items are not those of the result.
    """
    from scorer.errors import DataError
    from scorer.metrics.catalogue import METRICS
    from scorer.results.files import from_bytes, items_path, read
    from scorer.statistics.comparison import verdict
    from scorer.submission import REFERENCE

    found = {}
    for name, baseline in board.task.baselines.items():
        path = saved_at(folders, board, (REFERENCE, name), result.split)
        if path and items_path(path).is_file() and name != result.system and not (
                baseline.saw_gold or baseline.against):
            with suppress(DataError, OSError):
                other = from_bytes(path.read_bytes())
                if not why_not(metric, result, other):
                    found[name] = other.metrics[metric].value or 0.0, path
    if not found:
        return None
    best = max if METRICS[metric].better == "higher" else min
    name = best(found, key=lambda one: found[one][0])
    key = f"{REFERENCE}/{name}"
    try:
        other = read(found[name][1])
    except DataError:
        return None
    if why_not(metric, result, other) or not same_items(result, other):
        return None
    one = compared(metric, result, other)
    said = verdict(one, a="this row", b=key, number=lambda value: number(value, metric))
    return Against(key, f"  {metric} against {key}, the best baseline here: "
                        f"{number(lead(one, metric), metric, signed=True)}, "
                        f"{p_equals(one.p)}: {said}")


def lead(one: Comparison, metric: str) -> float:
    """How much better the first of two is; negative where it is worse."""
    from scorer.metrics.catalogue import METRICS

    return one.difference if METRICS[metric].better == "higher" else -one.difference


def legend(result: Result) -> Iterator[str]:
    """What the words of its table mean, those that stand there."""
    from scorer.metrics.catalogue import METRICS
    from scorer.tasks.registry import TASKS

    values = result.metrics.values()
    flagged = {METRICS[value.metric].flagged for value in values if value.flagged}
    yield ("value: over all items; one that fails a gate gets the worst score; in percent, "
           "distances from 0 to 1")
    for there, words in (
        (any(value.parts for value in values), "P, R: precision and recall"),
        (any(value.passed is not None for value in values),
         "passed: over the items that passed every gate; never ranked"),
        (any(value.null is not None for value in values),
         "null: the same submission with answers that say nothing; lift: how much better it is"),
        ("bounds" in flagged, "bounds: items whose score is a bound"),
        (flagged - {"bounds"}, "refused, not judged: items without a judge's answer; they count 0"),
    ):
        if there:
            yield words
    yield from (f"{name}: {words}" for name, words in TASKS[result.task].meanings.items())

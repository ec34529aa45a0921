"""Where systems stand on a leaderboard, from its committed document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands.options import number, p_equals

if TYPE_CHECKING:
    from scorer.board import Board
    from scorer.records import Result
    from scorer.results.leaderboard import LeaderboardDocument


def document(board: Board, split: str, folders: Sequence[Path]) -> LeaderboardDocument | None:
    """The document of a split in the first folder of results that has one of this version."""
    from scorer.results.leaderboard import path_of, read

    there = (path for folder in folders if (path := path_of(folder, board.id, split)).is_file())
    found = (read(path) for path in there)
    return next((one for one in found if one.board_version == board.version), None)


def ranks(first: int, last: int) -> str:
    """A rank interval in words."""
    return str(first) if first == last else f"{first} to {last}"


def between(known: LeaderboardDocument, a: str, b: str) -> str:
    """What the leaderboard says of two systems; empty where it does not have both."""
    rows = {row.key: row for row in known.rows}
    if a not in rows or b not in rows or known.order.by is None:
        return ""
    by = known.order.by
    said = [f"{name} ranks {ranks(*row.rank)}" if row.rank else f"{name} has no rank"
            for name, row in (("A", rows[a]), ("B", rows[b]))]
    p = known.p_of(a, b)
    corrected = "" if p is None else f"; {p_equals(p)} by Holm"
    return f"  on the leaderboard, by {by}: {', '.join(said)}{corrected}"


def placed(board: Board, result: Result, folders: Sequence[Path]) -> str:
    """The ranks that a result would have among the ranked rows; empty where nobody has one."""
    known = document(board, result.split, folders)
    if known is None or known.order.by is None or known.order.by not in result.metrics:
        return ""
    return _placed(known.order.by, result, dict(_ranked(known, folders)),
                   {row.key: row.title or row.key for row in known.rows})


def _ranked(known: LeaderboardDocument, folders: Sequence[Path]) -> Iterator[tuple[str, Result]]:
    """The results of its ranked rows, as far as their scores of items are at hand."""
    from scorer.results.files import items_path, read, result_path

    for row in known.rows:
        team, _, system = row.key.partition("/")
        paths = (result_path(folder, known.board, team, system, known.split) for folder in folders)
        path = next((one for one in paths if items_path(one).is_file()), None)
        if row.rank and path:
            yield row.key, read(path)


def _placed(metric: str, result: Result, others: Mapping[str, Result], titles: Mapping[str, str],
            ) -> str:
    from scorer.errors import counted
    from scorer.metrics.catalogue import METRICS
    from scorer.results.ranks import compared_row, comparison_groups

    info, n = METRICS[metric], len(result.items)
    own = f"{result.team}/{result.system}" if result.team else "this file"
    rows = {key: one for key, one in others.items() if key != own and metric in one.metrics}
    groups = comparison_groups(
        [compared_row(key, key, one, metric, n, withdrawn=False)
         for key, one in [*rows.items(), (own, result)]], info)
    group = next((one for one in groups if own in one.eligible), None)
    if group is None or len(group.eligible) < 2 or own not in group.ranks.holm:
        return ""
    rank, at = group.ranks.holm[own], group.eligible.index(own)
    near = [f"{word} {titles.get(key, key)} ({number(value, metric)})" for word, key in (
        ("below", group.eligible[at - 1] if at else ""),
        ("above", group.eligible[at + 1] if at + 1 < len(group.eligible) else ""))
        if key and (value := rows[key].metrics[metric].value) is not None]
    return (f"  beside the {counted(len(rows), 'ranked system')} here it would rank "
            f"{ranks(rank.first, rank.last)} by {metric}, {' and '.join(near)}; it has no rank "
            "until it is published")

"""Where systems stand on a leaderboard, from its committed document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands.options import number, p_equals

if TYPE_CHECKING:
    from scorer.board import Board
    from scorer.records import Result
    from scorer.results.leaderboard import LeaderboardDocument


def document(board: Board, split: str, folders: Sequence[Path]) -> LeaderboardDocument | None:
    """The document of a split in the first folder of results that has one of this version."""
    from scorer.results.leaderboard import read

    there = (path for folder in folders if (path := path_of(folder, board, split)).is_file())
    found = (read(path) for path in there)
    return next((one for one in found if one.board_version == board.version), None)


def path_of(folder: Path, board: Board, split: str) -> Path:
    """Where a split's document lies below a folder of results."""
    return folder / board.id / f"leaderboard.{split}.json"


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
    there = (path for folder in folders if (path := path_of(folder, board, result.split)).is_file())
    # As plain JSON: reading the whole document would make every score slower.
    known: Any = next(map(json.loads, map(Path.read_bytes, there)), {})
    if known.get("board_version") != board.version or known["order"]["by"] not in result.metrics:
        return ""
    ranked = {row["key"]: row.get("title", row["key"]) for row in known["rows"] if "rank" in row}
    return _placed(known["order"]["by"], result, dict(_results(result, ranked, folders)), ranked)


def _results(result: Result, ranked: Iterable[str], folders: Sequence[Path],
             ) -> Iterator[tuple[str, Result]]:
    """The results of ranked rows, as far as their scores of items are at hand."""
    from scorer.results.files import items_path, read, result_path

    for key in ranked:
        team, _, system = key.partition("/")
        paths = (result_path(folder, result.board, team, system, result.split)
                 for folder in folders)
        path = next((one for one in paths if items_path(one).is_file()), None)
        if path:
            yield key, read(path)


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

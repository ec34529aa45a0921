"""Whose turn is when on hidden splits: the files that ever came to the main branch, in merge order.

What git keeps is the whole record: scoring and publishing read the same days from it.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

from scorer.boards import Board
from scorer.pipeline.ci import gold, owners
from scorer.pipeline.ci.git import FILE, Repository, Touch, TreeEntry
from scorer.pipeline.ci.scope import answered, team_of
from scorer.pipeline.hidden.release import Turn, release

Touches = Mapping[str, Sequence[Touch]]
"""What the main branch did to each path that ever was below ``submissions``."""


def release_days(boards: Iterable[Board], entries: Sequence[TreeEntry], touches: Touches,
                 repository: Repository) -> dict[str, datetime.date]:
    """For each file of a hidden split that is on the main branch: the day of its value.

    ``entries``: what is there now. Other bytes that a path had before have a day of their own.
    """
    present = {(entry.path, entry.oid) for entry in entries}
    found: dict[str, datetime.date] = {}
    for board in boards:
        for split in board.splits:
            if gold.is_hidden(board, split):
                merged = turns(board, split, touches, repository)
                days = release(merged, board.release.wait)
                found |= {turn.path: day for turn, day in zip(merged, days, strict=True)
                          if (turn.path, turn.oid) in present}
    return found


def turns(board: Board, split: str, touches: Touches, repository: Repository) -> list[Turn]:
    """Every file that came to a split, in merge order; the same bytes at the same path once.

    A team's owners are all that it ever had up to then: whoever is taken out of its file still
    shares its budget.
    """
    merged = _merged(touches)
    files = repository.blobs([touch.oid for path, touch in merged if team_of(path)])
    known: dict[str, frozenset[str | int]] = {}
    found: dict[tuple[str, str], Turn] = {}
    for path, touch in merged:
        if team := team_of(path):
            known[team] = known.get(team, frozenset((team,))) | owners.accounts(files[touch.oid])
        elif (answer := answered(path)) and (answer[0].board, answer[1]) == (board.id, split):
            name = answer[0].team
            turn = Turn(path, touch.oid, datetime.date.fromisoformat(touch.date[:10]),
                        known.get(name, frozenset((name,))))
            found.setdefault((path, touch.oid), turn)
    return list(found.values())


def _merged(touches: Touches) -> list[tuple[str, Touch]]:
    """Every file that came to the branch, in its order; owners first in each commit."""
    written = [(path, touch) for path, each in touches.items() for touch in each
               if touch.mode == FILE]
    return sorted(written, key=lambda entry: (entry[1].number, answered(entry[0]) is not None,
                                              entry[0]))

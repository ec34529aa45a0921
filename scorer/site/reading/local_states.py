"""What the files of a checkout tell of its submissions, where no pipeline told more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import fsencode
from pathlib import Path

from scorer.boards import Board, submission
from scorer.boards.submission import RESERVED, SUBMISSIONS, Meta
from scorer.scoring.checking import CheckReport, check_file
from scorer.scoring.results.files import result_path
from scorer.site.reading.reader import Reader
from scorer.site.reading.states import PREVIEW, Moment, SplitState, States, ordered
from scorer.site.records import BoardView, Entry

SplitKey = tuple[str, str, str, str]
"""Board, team, system and split."""
Shown = Mapping[SplitKey, Entry]
"""The rows of every leaderboard."""


def local_states(reader: Reader, boards: Sequence[BoardView], commit: str | None) -> States:
    """The state of every submission and every row, as far as files tell."""
    shown = {(board.board.id, entry.team, entry.system, view.name): entry
             for board in boards for view in board.splits for entry in view.entries}
    known = {board.board.id: board.board for board in boards}
    found = {state.key: state for state in _sent(reader, known, shown)}
    rows = (_state(reader, entry.folder, key, *_of_row(reader, key, entry), entry)
            for key, entry in shown.items() if key not in found)
    return States(commit or "", ordered([*found.values(), *rows]), {}, local=True)


def _sent(reader: Reader, boards: Mapping[str, Board], shown: Shown) -> Iterator[SplitState]:
    """Every split of what lies in the folder of submissions."""
    for folder in submission.find(reader.root / SUBMISSIONS):
        board, team, system = (fsencode(name).decode(errors="replace")
                               for name in folder.parts[-3:])
        sent, problems = submission.read(folder, reserved=True)
        meta = sent.meta if sent else None
        anonymous = meta is None or meta.anonymous(reader.day)  # what cannot be read may ask for it
        title = meta.system if meta and not anonymous else ""
        for split in submission.splits_in(folder):
            key = (board, team, system, split)
            entry = shown.get(key)
            if entry is not None:
                outcome = _of_row(reader, key, entry)
            elif problems:
                outcome = ("rejected", problems[0].rule)
            else:
                committed = reader.is_committed(submission.predictions_path(folder, split))
                outcome = _unscored(reader, boards.get(board), folder, split, meta, committed)
            state = _state(reader, folder, key, *outcome, entry)
            yield state if entry else replace(state, title=title, anonymous=anonymous)


def _of_row(reader: Reader, key: SplitKey, entry: Entry) -> tuple[str, str]:
    """The state of what has a row, and what to say of it."""
    kind: str = entry.kind
    if kind == "preview" or not result_path(reader.root / "results", *key).is_file():
        return PREVIEW, ""
    if entry.about.withdrawn:
        return "withdrawn", entry.about.withdrawn
    return "scored" if entry.team in RESERVED else "published", ""


def _unscored(reader: Reader, board: Board | None, folder: Path, split: str, meta: Meta | None,
              committed: bool) -> tuple[str, str]:
    """The state of what has no row."""
    if board is None or split not in board.splits:
        return "received", "no such board or split"
    if meta is not None and meta.withdrawn:
        return "withdrawn", meta.withdrawn
    path = submission.predictions_path(folder, split)
    checked: tuple[CheckReport, object] | None = reader.attempt(
        partial(check_file, board, path, split=split))
    if checked is not None and not checked[0].ok:
        return "rejected", checked[0].problems[0].rule
    if board.splits[split].gold == "reported":
        return "valid", "waiting for gold"
    return ("queued", "") if committed else (PREVIEW, "not scored yet")


def _state(reader: Reader, folder: Path, key: SplitKey, state: str, reason: str,
           entry: Entry | None) -> SplitState:
    merged = Moment(reader.commit_of(submission.predictions_path(folder, key[3])), "")
    published = Moment(entry.commit, "") if entry and state in ("scored", "published") else None
    return SplitState(*key, state, reason, 0, merged, published)

"""Leaderboard documents from results on disk, and onto it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scorer.boards import Board, boards_folder, known_boards, load, published
from scorer.boards.submission import FILE_NAME, Meta, read_meta
from scorer.core.errors import SubmissionError
from scorer.core.files import write_atomically
from scorer.models import judge_card
from scorer.scoring.judging import Judges, KnownJudge
from scorer.scoring.leaderboard.about import ScoredRow, about
from scorer.scoring.leaderboard.columns import PeopleOf, nobody
from scorer.scoring.leaderboard.make import leaderboard
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument


def write(folder: Path, boards: Path | None, submissions: Path, only: str | None = None,
          people: PeopleOf = nobody) -> list[Path]:
    """Write the document of every split with results; returns their paths.

    ``folder``: of results. ``boards``: None for those that come with the program. ``only``: one
    board. ``people``: what people said of rows. Documents of splits without results
    are removed. Raises DataError for a result that cannot be read, SubmissionError for a
    description.
    """
    written: list[Path] = []
    for name in known_boards(boards or boards_folder()):
        if only in (None, name) and (folder / name).is_dir():
            made = dict(of_board(load(name, boards), folder, submissions, people))
            for path in (folder / name).glob("leaderboard.*.json"):
                if path not in made:
                    path.unlink()
            for path, document in made.items():
                write_atomically(path, documents.to_bytes(document))
            written += made
    return written


def of_board(board: Board, folder: Path, submissions: Path, people: PeopleOf = nobody
             ) -> Iterator[tuple[Path, LeaderboardDocument]]:
    """The documents of a board's splits with results, and where they lie."""
    # The judges that come with the program: what a clone has.
    judges = Judges(tuple(KnownJudge(card, "") for card in judge_card.find([judge_card.EMBEDDED])))
    for split in board.splits:
        rows = []
        for path in sorted((folder / board.id).glob(f"*/*/{split}.json")):
            team, system = path.parts[-3:-1]
            files = descriptions(submissions / board.id / team / system, path)
            result = results.read(path)
            rows.append(ScoredRow(
                about(board, result, description(files[0]) if files else None), result))
        if rows:
            yield (documents.path_of(folder, board.id, split),
                   leaderboard(board, split, rows, judges, published.load(board),
                               people(board, split, rows)))


def descriptions(folder: Path, result: Path) -> list[Path]:
    """The files in which a row says what it is, the one that counts first: in its submission's
    folder, and beside its result, where the repository may not have the predictions. What lies
    there as a link is none, as in the pipeline: it may lead anywhere."""
    return [file for file in (folder / FILE_NAME, result.with_name(FILE_NAME))
            if file.is_file() and not file.is_symlink()]


def description(file: Path) -> Meta:
    """What a row says of itself in a file. Raises SubmissionError."""
    meta, problems = read_meta(file, str(file))
    if meta is None:
        raise SubmissionError(problems)
    return meta

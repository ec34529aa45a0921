"""The leaderboard documents of the main branch, with what is about to be published."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase

from scorer.boards import Board
from scorer.boards.submission import FILE_NAME, Meta
from scorer.core.errors import WhyboardError
from scorer.core.reading import schema
from scorer.people.leaderboard import people_in
from scorer.people.validate import ROOT
from scorer.pipeline.ci.main_branch import RESULTS, Main
from scorer.pipeline.ci.runner import say
from scorer.pipeline.ci.scope import TOP
from scorer.scoring.leaderboard.files import Place, of_split
from scorer.scoring.leaderboard.order import PeopleOf
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents


def outdated(main: Main, files: Mapping[str, bytes]) -> list[str]:
    """Boards whose documents may change: their results are in ``files``, or results, descriptions,
    the board itself or people's answers changed since the documents were written."""
    return [name for name in sorted(main.boards)
            if any(path.startswith(f"{RESULTS}/{name}/") for path in files) or _changed(main, name)]


def _changed(main: Main, board: str) -> bool:
    """Whether anything that a board's documents follow from is younger than they are."""
    written = [path for path in main.results
               if documents.is_path(path) and path.startswith(f"{RESULTS}/{board}/")]
    if not written:
        return any(path.startswith(f"{RESULTS}/{board}/") for path in main.results)
    git = main.repository.run
    since = git("log", "-1", "--format=%H", main.commit, "--", *written).stdout.decode().strip()
    sources = (f"{RESULTS}/{board}", f"{TOP}/{board}", f"boards/{board}", ROOT)
    return bool(git("diff-tree", "-r", "--quiet", "--no-renames", since, main.commit, "--",
                    *sources, check=False).returncode)


def leaderboards(main: Main, files: Mapping[str, bytes], boards: Collection[str]
                 ) -> dict[str, bytes]:
    """The documents of some boards that change; ``files`` count before those of the branch.

    A board with a result that cannot be read keeps what it has, which the log says.
    """
    made: dict[str, bytes] = {}
    people = people_in(main.folder.parent / ROOT)
    for board in (main.boards[name] for name in sorted(boards)):
        try:
            made |= dict(_of_board(main, files, board, people))
        except WhyboardError as fault:
            say(f"{RESULTS}/{board.id}: its leaderboards stay as they are: {fault}")
    return {path: content for path, content in made.items() if content != main.result_bytes(path)}


def _of_board(main: Main, files: Mapping[str, bytes], board: Board, people: PeopleOf
              ) -> Iterator[tuple[str, bytes]]:
    metas = _metas(main, board)
    for split in board.splits:
        paths = sorted(path for path in main.results.keys() | files.keys()
                       if fnmatchcase(path, f"{RESULTS}/{board.id}/*/*/{split}.json"))
        items = {path: path.removesuffix(".json") + ".items.tsv" for path in paths}
        contents = {**main.results_bytes([*paths, *items.values()]), **files}
        rows = {_row_of(path): results.from_bytes(contents[path], contents.get(items[path], b""),
                                                  path) for path in paths}
        if rows:
            yield (f"{RESULTS}/{board.id}/leaderboard.{split}.json",
                   documents.to_bytes(of_split(board, split, rows, metas, people)))


def _metas(main: Main, board: Board) -> dict[Place, Meta]:
    """What each row says of itself: in its submission, else beside its results."""
    metas: dict[Place, Meta] = {}
    for path in main.results:
        if fnmatchcase(path, f"{RESULTS}/{board.id}/*/*/{FILE_NAME}"):
            meta, _ = schema.load(Meta, main.result_bytes(path), path)
            if meta is not None:
                metas[_row_of(path)] = meta
    return metas | {(name.team, name.system): meta for name, meta in main.descriptions.items()
                    if name.board == board.id}


def _row_of(path: str) -> Place:
    return path.split("/")[2], path.split("/")[3]

"""The leaderboard documents of the main branch, with what is about to be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from scorer.annotations.leaderboard import people_in
from scorer.annotations.validate import ROOT
from scorer.board import Board
from scorer.ci.main_branch import RESULTS, Main
from scorer.ci.runner import say
from scorer.errors import WhyboardError
from scorer.reading import fields
from scorer.results import files as results
from scorer.results import leaderboard as documents
from scorer.scoring.leaderboard.files import Place, of_split
from scorer.scoring.leaderboard.people import PeopleOf
from scorer.submission import FILE_NAME, META, Meta, SubmissionName


def leaderboards(main: Main, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The documents that change; ``files`` count before those of the branch.

    They follow from results, and from what people answered, boards and descriptions say, so any
    push may change them. A board with a result that cannot be read keeps what it has, which the
    log says.
    """
    found: dict[str, bytes] = {}
    people = people_in(main.folder.parent / ROOT)
    for _, board in sorted(main.boards.items()):
        try:
            found |= dict(_of_board(main, files, board, people))
        except WhyboardError as fault:
            say(f"{RESULTS}/{board.id}: its leaderboards stay as they are: {fault}")
    return {path: content for path, content in found.items() if content != main.result_bytes(path)}


def _of_board(main: Main, files: Mapping[str, bytes], board: Board, people: PeopleOf
              ) -> Iterator[tuple[str, bytes]]:
    metas = _metas(main, board)
    for split in board.splits:
        paths = sorted(path for path in main.results.keys() | files.keys()
                       if fnmatchcase(path, f"{RESULTS}/{board.id}/*/*/{split}.json"))
        rows = {_place(path): results.from_bytes(
            _content(main, files, path),
            _content(main, files, path.removesuffix(".json") + ".items.tsv"), path)
            for path in paths}
        if rows:
            yield (f"{RESULTS}/{board.id}/leaderboard.{split}.json",
                   documents.to_bytes(of_split(board, split, rows, metas, people)))


def _metas(main: Main, board: Board) -> dict[Place, Meta]:
    """What each row's owner says of it; else what lies beside its results."""
    found: dict[Place, Meta] = {}
    for path in main.results:
        if fnmatchcase(path, f"{RESULTS}/{board.id}/*/*/{FILE_NAME}"):
            meta, _ = fields.load(META, main.result_bytes(path), path)
            if meta is not None:
                found[_place(path)] = meta
    foreign = main.disowned
    for one in main.descriptions:
        if one.place.board == board.id and one not in foreign:
            found[one.place.team, one.place.system] = one.meta
    return {place: replace(meta, withdrawn=main.withdrawn.get(SubmissionName(board.id, *place)))
            for place, meta in found.items()}


def _content(main: Main, files: Mapping[str, bytes], path: str) -> bytes:
    return files[path] if path in files else main.result_bytes(path)


def _place(path: str) -> Place:
    return path.split("/")[2], path.split("/")[3]

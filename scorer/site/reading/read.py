"""Boards, gold and judges' cards from folders into views, with rows as ``rows`` and people's
answers as ``people`` reads them.

A file that does not fit is left out with a warning that names it; it never stops the site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from scorer._version import __version__
from scorer.boards import Board, errata, known_boards, load, published
from scorer.boards.errata import Erratum
from scorer.boards.golds import input_texts, read_golds
from scorer.boards.reading import described, main_boards, open_lines
from scorer.core.errors import DataError, SubmissionError
from scorer.core.reading.tsv import open_file, read_rows
from scorer.models import judge_card
from scorer.models.judge_card import Card
from scorer.scoring.judging import Judges, KnownJudge
from scorer.scoring.results import leaderboard as documents
from scorer.site.reading import repository
from scorer.site.reading.people import agreements, read_annotations, sureness, with_people
from scorer.site.reading.repository import SiteReader
from scorer.site.reading.rows import entries, with_answers
from scorer.site.reading.states import UNKNOWN, States
from scorer.site.records import SHOWN_ROWS, BoardView, SiteView, SplitView
from scorer.site.text import slug
from scorer.tasks.graphs.diff import RefinedItem, read_rounds, round_columns

NOBODYS = "The items of this split may not be shown here."


def read_site(root: Path, home: Path, known_states: States | None = None,
              rows: int = SHOWN_ROWS, processes: int = 1) -> SiteView:
    """Everything there is below a checkout and a home folder.

    ``known_states``: what became of every submission, if a document says so. ``rows``: so
    many of a split have their answers to single items shown. ``processes``: so many read at once.
    """
    head = repository.commit(root)
    reader = SiteReader(root.resolve(), home.resolve(), known_states=known_states,
                        day=repository.day_of_commit(root),
                        rows=rows, processes=processes)
    reader.judges = read_judges([path for folder in (reader.home / "judges", judge_card.EMBEDDED)
                                 for path in sorted(folder.glob(f"*/{judge_card.FILE}"))],
                                reader.warn)
    boards = []
    for name in known_boards(root / "boards"):
        board = reader.attempt(load, root / "boards" / name)
        if board is not None:
            boards.append(_board(reader, board))
    boards = in_order(boards, main_boards(root / "boards", [
        view.board.id for view in boards if not view.board.practice]))
    annotations = read_annotations(reader, boards, head)
    boards = [replace(board, splits=tuple(_ordered(reader, view) for view in board.splits))
              for board in (with_people(board, annotations) for board in boards)]
    fields = [field for view in boards for field in described(root, view.board)]
    fields += [f"{page}:{line}: a text is still to be filled in"
               for page, line in open_lines(root)]
    return SiteView(tuple(boards), __version__, head, tuple(reader.warnings), tuple(fields),
                    reader.judges, known_states or UNKNOWN, annotations)


def in_order(boards: Sequence[BoardView], main: Sequence[str] | None) -> list[BoardView]:
    """Main boards in their order, then guests and practice boards, each by title."""
    order = {board: index for index, board in enumerate(main or ())}
    views = [replace(view, guest=main is not None and view.board.id not in order)
             for view in boards]
    return sorted(views, key=lambda view: (view.board.practice,
                                           order.get(view.board.id, len(order)), view.board.title))


def _ordered(reader: SiteReader, view: SplitView) -> SplitView:
    """A split with the document of its leaderboard, rows in its order, and what is shown of their
    answers."""
    if not view.has_rows:
        return view
    path = documents.path_of(reader.root / "results", view.board.id, view.name)
    view = replace(view, written=reader.attempt(documents.read, path) if path.is_file() else None)
    return with_answers(reader, replace(
        view, written=view.document,
        entries=tuple(view.by_key[row.key] for row in view.document.rows)))


def _board(reader: SiteReader, board: Board) -> BoardView:
    corrections = reader.attempt(_errata, board) or ()
    rated = agreements(reader, board)
    elsewhere = reader.attempt(published.load, board) or published.NOTHING
    splits = (replace(_split(reader, board, name), rated=rated.get(name), published=elsewhere)
              for name in board.splits)
    return BoardView(board, tuple(splits), corrections, elsewhere)


def _errata(board: Board) -> tuple[Erratum, ...]:
    corrections, problems = errata.read(board)
    if problems:
        raise SubmissionError(problems)
    return corrections


def _split(reader: SiteReader, board: Board, name: str) -> SplitView:
    split = board.splits[name]
    view = SplitView(board, name, judges=reader.judges, shown_rows=reader.rows)
    path = board.data_file(name, reader.home)
    digest = None
    if split.gold == "hidden":
        view = replace(view, missing="The gold of this split is hidden: only totals are shown.")
    elif split.gold == "reported":
        view = replace(view, missing=(
            "The gold of this split is not public and not ours, so nothing is scored here: the "
            "rows below are numbers published elsewhere."))
    elif path is None:
        view = replace(view, missing=NOBODYS if board.examples == "private" else (
            "This copy of the site was built without the data of this split, so it shows none of "
            "its examples."
            + ("" if reader.known_states else f" To fetch them: scorer data fetch {board.id}")))
    else:
        golds = reader.attempt(read_golds, board, name, path)
        if golds is None:
            return replace(view, missing="The gold file could not be read.")
        digest = golds.sha256
        if board.examples == "private":
            view = replace(view, missing=NOBODYS)
        else:
            view = replace(view, golds=golds.items, errata=golds.errata,
                           committed=path.is_relative_to(board.folder))
    if split.gold != "public" and path is not None and board.examples == "public":
        view = replace(view, committed=path.is_relative_to(board.folder), inputs=reader.attempt(
            input_texts, board, name, reader.home) or ())
    if board.examples == "public":
        view = replace(view, refined=reader.attempt(_refined, reader, board, name) or ())
    view = replace(view, entries=tuple(entries(reader, view, digest)))
    return replace(view, sure=sureness(reader, board, name, view.entries))


def _refined(reader: SiteReader, board: Board, split: str) -> tuple[RefinedItem, ...]:
    """The graphs of every round of a split, if the board's data have such a file."""
    name = f"refinement_graphs_{split}.tsv"
    candidates = (board.folder / "data" / name, reader.home / "data" / board.id / name)
    path = next((candidate for candidate in candidates if candidate.is_file()), None)
    if path is None:
        return ()
    columns, optional = round_columns(board.settings)
    table = read_rows(open_file(path), columns, optional=optional)
    if table.problems.total:
        raise DataError(f"{path}: not a file of refinement rounds of {board.id}")
    return read_rounds(board.settings, [row.fields for row in table.rows])


# ---- cards of judges -----------------------------------------------------------------------------


def read_judges(files: Iterable[Path], warn: Callable[[str], None]) -> Judges:
    """Every judge with a sound card, in order of metric and name; the first card of one counts."""
    judges: dict[tuple[str, str], tuple[Card, Path]] = {}
    for path in files:
        try:
            card = judge_card.read(path.parent)
        except DataError as fault:
            warn(str(fault))
            continue
        first, other = judges.setdefault((card.judge, card.weights), (card, path))
        if first != card:
            warn(f"{path}: another card of the judge of {other}, which is shown")
    ordered = sorted(judges.values(), key=lambda pair: (pair[0].judge != "seca", pair[0].judge,
                                                        pair[0].name, pair[0].weights))
    return Judges(tuple(_with_paths(ordered)))


def _with_paths(ordered: Sequence[tuple[Card, Path]]) -> Iterator[KnownJudge]:
    """Each at an address of its own, with at most 60 characters of its name."""
    taken: set[str] = set()
    for card, source in ordered:
        name = slug(card.name)[:60].strip("-") or card.weights[:12]
        address = name if name.startswith(f"{card.judge}-") else f"{card.judge}-{name}"
        if address in taken:
            address = f"{address}-{card.weights[:12]}"
        taken.add(address)
        yield KnownJudge(card, f"judges/{address}/", source)

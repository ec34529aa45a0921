"""Boards, gold, submissions and results from folders into views. The only reader of the site.

A file that does not fit is left out with a warning that names it; it never stops the site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from scorer import errata, past, results
from scorer._version import __version__
from scorer.analyses import refinement
from scorer.analyses.refinement import RefinedItem
from scorer.board import FILE_NAME as BOARD_FILE
from scorer.board import Board, known_boards, load
from scorer.checking import input_texts
from scorer.errata import Erratum
from scorer.errors import DataError, SubmissionError, WhyboardError
from scorer.files import sha256, sha256_file
from scorer.golds import read_golds
from scorer.records import Result
from scorer.signature import parts
from scorer.submission import FILE_NAME, REFERENCE, THIRD_PARTY, Meta
from scorer.submission import read as read_submission
from scorer.tsv import open_file, read_file
from scorer.website.cards import places as card_files
from scorer.website.cards import read_judges
from scorer.website.judging import Judges
from scorer.website.ranking import ranked
from scorer.website.revision import commit, day_of_commit, last_changes
from scorer.website.views import BoardView, Entry, Kind, SiteView, SplitView

REFINEMENT = "refinement_graphs_{split}.tsv"
"""The file with the graphs of every round, where a data set has one."""
NOBODYS = "The items of this split are not shown: nobody here has the right to."
KIND_OF: dict[str, Kind] = {REFERENCE: "reference", THIRD_PARTY: "third-party"}
"""Team folders that are not teams."""


@dataclass
class _Reader:
    """Where to look, and what was left out."""

    root: Path
    home: Path
    warnings: list[str] = field(default_factory=list)
    judges: Judges = field(default_factory=Judges)
    day: str | None = None
    """The day of the commit that is shown; None if nothing tells it."""
    changed: Mapping[str, str] = field(default_factory=dict)
    """The commit that last changed each result of the checkout, by its path."""
    archived: str = ""
    """The commit that an unpacked archive was made from, which has all of its results."""

    def attempt(self, what: Callable[[], Any]) -> Any:
        """The value of a call, or None after noting why there is none."""
        try:
            return what()
        except WhyboardError as fault:
            self.warn(str(fault))
            return None

    def warn(self, text: str) -> None:
        """Note what was left out, once, with paths as they are in the folders."""
        for place in (self.root, self.home):
            text = text.replace(f"{place}/", "")
        if text not in self.warnings:
            self.warnings.append(text)

    def places(self) -> tuple[Path, ...]:
        """The home folder, where results were computed just now, then the checkout."""
        return tuple(dict.fromkeys((self.home, self.root)))

    def commit_of(self, path: Path) -> str:
        """The commit that last changed a result of the checkout; empty if nothing tells it."""
        inside = path.is_relative_to(self.root)
        return (self.changed.get(path.relative_to(self.root).as_posix(), self.archived)
                if inside else "")

    def submission(self, board: str, team: str, system: str) -> Path:
        """A submission's folder: in the checkout if it is there, else in the home folder."""
        folders = [place / "submissions" / board / team / system
                   for place in reversed(self.places())]
        return next((folder for folder in folders if folder.is_dir()), folders[-1])


def read_site(root: Path, home: Path, cards: Sequence[Path] = ()) -> SiteView:
    """Everything there is below a checkout and a home folder.

    ``cards`` are further folders of judges' cards; they count before those of the home folder.
    """
    reader = _Reader(root.resolve(), home.resolve(), day=day_of_commit(root),
                     changed=last_changes(root, "results"),
                     archived="" if (root / ".git").exists() else commit(root) or "")
    files = card_files([folder.resolve() for folder in cards], reader.home)
    reader.judges = read_judges(files, reader.warn)
    boards = []
    for name in known_boards(root / "boards"):
        board = reader.attempt(partial(load, root / "boards" / name))
        if board is not None:
            boards.append(_board(reader, board))
    boards.sort(key=lambda view: (view.board.practice, view.board.title))
    return SiteView(tuple(boards), __version__, commit(root), tuple(reader.warnings),
                    reader.judges)


def _board(reader: _Reader, board: Board) -> BoardView:
    found = reader.attempt(partial(_errata, board)) or ()
    return BoardView(board, tuple(_split(reader, board, name) for name in board.splits), found)


def _errata(board: Board) -> tuple[Erratum, ...]:
    found, problems = errata.read(board)
    if problems:
        raise SubmissionError(problems)
    return found


def _split(reader: _Reader, board: Board, name: str) -> SplitView:
    split = board.splits[name]
    said = sha256_file(board.folder / BOARD_FILE)
    view = SplitView(board, name, judges=reader.judges, digest=said)
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
            "The data of this split have not been fetched, so this copy of the site shows none of "
            f"its examples. To fetch them: scorer data fetch {board.id}"))
    else:
        found = reader.attempt(partial(read_golds, board, name, path))
        if found is None:
            return replace(view, missing="The gold file could not be read.")
        digest = found.sha256
        if board.examples == "private":
            view = replace(view, missing=NOBODYS)
        else:
            view = replace(view, golds=found.items, digest=said + digest, errata=found.errata,
                           committed=path.is_relative_to(board.folder))
    if split.gold != "public" and path is not None and board.examples == "public":
        view = replace(view, inputs=reader.attempt(
            partial(input_texts, board, name, reader.home)) or ())
    view = replace(view, refined=reader.attempt(partial(_refined, reader, board, name)) or ())
    entries = list(_entries(reader, view, digest))
    return replace(view, entries=tuple(ranked(board, entries, reader.judges)))


def _refined(reader: _Reader, board: Board, split: str) -> tuple[RefinedItem, ...]:
    """The graphs of every round of a split, if the board's data have such a file."""
    name = REFINEMENT.format(split=split)
    places = (board.folder / "data" / name, reader.home / "data" / board.id / name)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return ()
    columns, optional = refinement.columns(board.settings)
    table = read_file(path, columns, optional=optional)
    if table.problems.total:
        raise DataError(f"{path}: not a file of refinement rounds of {board.id}")
    return refinement.read_items(board.settings, [row.fields for row in table.rows])


def _entries(reader: _Reader, view: SplitView, digest: str | None) -> Iterator[Entry]:
    """One entry for each system that has a result for this split, wherever the result lies."""
    board, split = view.board, view.name
    found: dict[tuple[str, str], list[Path]] = {}
    for place in reader.places():
        for path in sorted((place / "results" / board.id).glob(f"*/*/{split}.json")):
            found.setdefault((path.parent.parent.name, path.parent.name), []).append(path)
    for (team, system), paths in sorted(found.items()):
        folder = reader.submission(board.id, team, system)
        entry = _best_entry(reader, view, folder, paths, digest)
        if entry is not None:
            yield replace(_described(reader, board, entry), folder=folder,
                          committed=folder.is_relative_to(reader.root / "submissions"))


def _best_entry(
    reader: _Reader, view: SplitView, folder: Path, paths: Sequence[Path], digest: str | None,
) -> Entry | None:
    """One submission's entry from all results there are for it, with its predictions."""
    file = folder / f"predictions.{view.name}.tsv"
    wanted = sha256_file(file) if file.is_file() else None
    found = [(path, result) for path in paths
             if (result := _result(reader, path, digest)) is not None]
    fitting = [one for one in found if _digest(one[1]) == wanted]
    if wanted is not None and found and not fitting:
        reader.warn(f"{file}: not the file that was scored, so its row is left out; score it again")
        return None
    if not found:
        return None
    path, result = _together(fitting or found)
    team, system = path.parent.parent.name, path.parent.name
    entry = Entry(team, system, KIND_OF.get(team, "scored"), _words(system), _words(team),
                  result=result, result_path=path, past=_past(reader, paths),
                  digest=_digest_of(paths, wanted), commit=reader.commit_of(path))
    if not fitting or not result.items:
        return entry
    predictions = reader.attempt(partial(_read_predictions, view, file))
    if predictions is None or len(predictions) != len(result.items):
        return entry
    return replace(entry, predictions=tuple(predictions))


def _digest_of(paths: Sequence[Path], predictions: str | None) -> str:
    """Of all results there are for one submission, their items, and its predictions."""
    files = [file for path in paths for file in (path, results.items_path(path))]
    return sha256(repr([predictions, *(sha256_file(file) for file in files if file.is_file())]
                       ).encode())


def _past(reader: _Reader, paths: Sequence[Path]) -> tuple[past.Past, ...]:
    """The past values of one submission, from the first place that has any."""
    found = (reader.attempt(partial(past.read, path)) for path in paths)
    return tuple(next((one for one in found if one), ()))


def _result(reader: _Reader, path: Path, digest: str | None) -> Result | None:
    """A result, if it can be read and is against the gold with this digest."""
    result: Result | None = reader.attempt(partial(_signed, path))
    if result is None or digest in (None, result.provenance.get("gold", {}).get("sha256")):
        return result
    reader.warn(f"{path}: scored against another gold file; score it again")
    return None


def _signed(path: Path) -> Result:
    """A result whose signatures can be taken apart."""
    result = results.read(path)
    try:
        for value in result.metrics.values():
            if value.signature:
                parts(value.signature)
    except DataError as fault:
        raise DataError(f"{path}: {fault}") from fault
    return result


def _together(found: Sequence[tuple[Path, Result]]) -> tuple[Path, Result]:
    """The result that measures most, with the items of another one if that has the same values.

    Items of a board whose data may not be committed lie in the home folder, while numbers that
    need a model may lie in the checkout only.
    """
    measured = [{name: value.value for name, value in result.metrics.items()
                 if value.value is not None} for _, result in found]
    best = max(range(len(found)), key=lambda i: (len(measured[i]), bool(found[i][1].items)))
    path, result = found[best]
    for (_, other), values in zip(found, measured, strict=True):
        shared = values.keys() & measured[best].keys()
        same = all(abs(values[name] - measured[best][name]) < 1e-6 for name in shared)
        if other.items and not result.items and same and _digest(other) == _digest(result):
            result = replace(result, items=other.items)
    return path, result


def _digest(result: Result) -> str | None:
    digest: str | None = result.provenance.get("predictions", {}).get("sha256")
    return digest


def _described(reader: _Reader, board: Board, entry: Entry) -> Entry:
    """The entry as its submission.yaml describes it, else as board.yaml or its folder does."""
    folder = reader.submission(board.id, entry.team, entry.system)
    if (folder / FILE_NAME).is_file():
        meta = reader.attempt(partial(_meta, folder))
        if meta is not None:
            return _with_meta(entry, meta, reader.day)
    for other in board.third_party if entry.kind == "third-party" else ():
        if other.system == entry.system:
            facts = (("licence of the predictions", other.licence),)
            return replace(entry, title=other.title, by="predictions by others",
                           description=other.description, date=other.date,
                           links=(other.source,), facts=facts, saw_dev_gold=other.saw_dev_gold)
    return entry


def _meta(folder: Path) -> Meta:
    found, problems = read_submission(folder, reserved=True)
    if found is None:
        raise SubmissionError(problems)
    return found.meta


_FACTS = ("models", "parameters", "decoding", "training_data", "seeds", "licence")


def _with_meta(entry: Entry, meta: Meta, day: str | None) -> Entry:
    facts = []
    for name in _FACTS:
        value = getattr(meta, name)
        if value:
            told = ", ".join(value) if isinstance(value, tuple) else value
            facts.append((name.replace("_", " "), told))
    entry = replace(
        entry, description=meta.description, date=meta.date, facts=tuple(facts),
        saw_dev_gold=meta.saw_dev_gold, withdrawn=meta.withdrawn or "",
    )
    if meta.anonymous(day):
        return replace(entry, by=f"anonymous until {meta.anonymous_until}", anonymous=True)
    return replace(entry, title=meta.system, by=meta.team, links=meta.links)


def _words(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def _read_predictions(view: SplitView, path: Path) -> list[Any]:
    board, task, settings = view.board, view.board.task, view.board.settings
    texts = [gold.texts for gold in view.golds]
    table = task.read_table(settings, open_file(path), texts=texts)
    found = [task.read_prediction(settings, row, table.problems) for row in table.rows]
    if table.problems.total:
        raise DataError(f"{path}: not a predictions file of {board.id}")
    return found

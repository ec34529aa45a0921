"""A board: one public leaderboard as data, read from ``boards/<board>/board.yaml``.

The declaration below is the strict reader, the JSON Schema (``scorer board schema``) and the
documentation (``scorer board docs``) in one. A research group adds a benchmark of explanation
graphs by adding such a folder, without touching Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer import fields, strict_yaml
from scorer.errors import Problem, SubmissionError, UsageError, excerpt
from scorer.fields import (
    LINK,
    Choice,
    Date,
    Field,
    Flag,
    Integer,
    Link,
    ListOf,
    MapOf,
    Number,
    Record,
    Text,
    https,
    slug,
)
from scorer.metrics.catalogue import METRICS
from scorer.release.policy import AUTO, FEWEST_ITEMS, GRIDS, Policy, chosen
from scorer.tasks import TASKS, Task

FILE_NAME = "board.yaml"
LARGEST_GOLD = 256 * 1024 * 1024
"""A gold file of more bytes is not read."""


@dataclass(frozen=True)
class Download:
    """One file that ``scorer data fetch`` brings, at a fixed digest."""

    path: str
    """Relative to the board's data folder."""
    url: str
    sha256: str
    title: str


@dataclass(frozen=True)
class SourceFile:
    """One official file of a split, as the user has it."""

    role: str
    """What the task takes it for."""
    name: str
    sha256: str | None = None


@dataclass(frozen=True)
class Import:
    """Official files of which ``scorer data import`` makes the file of one split."""

    split: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True)
class ThirdParty:
    """Predictions made by others that we score: a row *scored here, predictions by others*."""

    system: str
    path: str
    split: str
    title: str
    description: str
    source: Link
    licence: str
    date: str
    saw_dev_gold: bool


@dataclass(frozen=True)
class Split:
    """One split of a board."""

    file: str | None
    """The gold (or input) file, relative to the board's data folder; None if there is none."""
    rows: int
    gold: str
    """``public``, ``hidden`` or ``reported`` (only numbers published elsewhere)."""
    sha256: str | None = None
    golds: int = 1
    """Gold graphs or references per item, at most."""
    gold_hmac: str | None = None
    """What `scorer gold seal` printed for hidden gold; None while the split waits for gold."""
    test_set: str | None = None
    """Which items these are, where others are published under the split's name."""


@dataclass(frozen=True)
class Reported:
    """Numbers published elsewhere for one split; shown as *reported*, never as scored here."""

    split: str
    source: Link
    note: str
    columns: tuple[str, ...]
    """Column names: metric ids, or ``<metric> precision`` and ``<metric> recall``."""
    scale: float
    """The published values are divided by this: 100 for percentages."""
    unscaled: tuple[str, ...]
    """Columns already in the metric's unit."""
    rows: tuple[ReportedRow, ...]
    test_set: str | None = None
    """The items they are for, if not those of the split."""


@dataclass(frozen=True)
class ReportedRow:
    """One published row."""

    system: str
    by: str
    values: tuple[float, ...]
    date: str | None = None
    human: bool = False


@dataclass(frozen=True)
class Board:
    """Everything that belongs to one benchmark; see the declaration for the meanings."""

    schema: int
    id: str
    version: str
    task_name: str
    title: str
    summary: str
    licence: str
    attribution: str
    links: tuple[Link, ...]
    citation: str
    metrics: tuple[str, ...]
    ranking: tuple[str, ...]
    practice: bool
    splits: Mapping[str, Split]
    settings: Any
    examples: str = "public"
    """``public``, or ``private``: no item may be shown."""
    downloads: tuple[Download, ...] = ()
    imports: tuple[Import, ...] = ()
    third_party: tuple[ThirdParty, ...] = ()
    reported: tuple[Reported, ...] = ()
    release: Policy = field(default_factory=Policy)
    folder: Path = field(default=Path(), compare=False)

    @property
    def task(self) -> Task:
        """The task this board is of."""
        return TASKS[self.task_name]

    def split(self, name: str) -> Split:
        """A split by its name. Raises UsageError naming those there are."""
        if name not in self.splits:
            raise UsageError(f"board {self.id} has no split {excerpt(name)}; "
                             f"choose one of: {', '.join(self.splits)}")
        return self.splits[name]

    @property
    def how_to_bring(self) -> str:
        """The command that brings its data."""
        how = f"import {self.id} --from DIR" if self.imports else f"fetch {self.id}"
        return f"scorer data {how}"

    def data_file(self, split: str, home: Path) -> Path | None:
        """Where a split's file lies: embedded beside board.yaml, or fetched; None if not there."""
        name = self.split(split).file
        if name is None:
            return None
        places = (self.folder / "data" / name, home / "data" / self.id / name)
        return next((place for place in places if place.is_file()), None)


_DIGEST = Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (SHA-256)")
_PATH = Text(120, r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*",
             "a relative path without ..")
_METRIC = Choice(tuple(METRICS))
_SPLIT_NAME = Choice(("train", "dev", "test"))

RELEASE = Record((
    Field("grid", Choice((AUTO, *GRIDS)), "Released values are multiples of this many points; "
          "auto: the finest that is at least 2 / rows.", False, AUTO),
    Field("days", Integer(0, 366), "Days between two releases to one owner.", False, 7),
    Field("near_duplicate", Integer(0, 100), "Percent of the rows: a submission that differs from "
          "an earlier one in fewer has no value released.", False, 1),
    Field("ladder", Flag(), "Whether only significant improvements over the owner's best have "
          "values released.", False, False),
), Policy)


def declaration(task: Task) -> Record:
    """The fields of board.yaml for a task."""
    roles = tuple(dict.fromkeys(role for together in task.gold_roles for role in together))
    return Record((
        Field("schema", Integer(1, 1), "Version of this format."),
        Field("id", slug(), "The board's name; equals the folder's."),
        Field("version", Text(20, r"[0-9]+(?:\.[0-9]+)*", "a version such as 1.0"),
              "Changes whenever a value here changes a score; part of every result's key."),
        Field("task", Choice(tuple(TASKS)), "The kind of work."),
        Field("title", Text(80), "The name people read."),
        Field("summary", Text(600, lines=True), "One or two sentences for the site."),
        Field("licence", Text(600, lines=True), "What may be done with the data; shown wherever "
              "they are."),
        Field("attribution", Text(300), "One line under every example."),
        Field("links", ListOf(LINK, 0, 20), "Paper, code, data.", False, ()),
        Field("citation", Text(3000, lines=True), "BibTeX to cite when the board is used."),
        Field("metrics", ListOf(_METRIC, 1, 40), "The columns, in order."),
        Field("ranking", ListOf(_METRIC, 1, 5), "Rows are ordered by the first of these that any "
              "scored row has and, if a judge gives it, one judge that is fit gave all of it."),
        Field("practice", Flag(), "Whether this board is for rehearsal only: no rank numbers, no "
              "significance.", False, False),
        Field("splits", MapOf(Record((
            Field("file", _PATH, "The file, relative to the board's data folder.", False),
            Field("rows", Integer(1, 10**6), "Number of items: the denominator of every metric."),
            Field("gold", Choice(("public", "hidden", "reported")), "Whether gold is public, "
                  "hidden, or only reported numbers are shown."),
            Field("sha256", _DIGEST, "Digest of the file.", False),
            Field("golds", Integer(1, 100), "Gold graphs or references per item, at most.",
                  False, 1),
            Field("gold_hmac", Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (HMAC-SHA256)"),
                  "Hidden gold: what `scorer gold seal` printed. Leave out while there is none.",
                  False),
            Field("test_set", slug(), "Which items these are, where others are published under "
                  "the split's name.", False),
        ), Split), Text(10, "train|dev|test", "train, dev or test"), least=1), "The splits."),
        Field("settings", task.settings, f"What the task *{task.title.lower()}* asks of a board."),
        Field("examples", Choice(("public", "private")), "Whether pages may show the items of "
              "splits with public gold.", False, "public"),
        Field("downloads", ListOf(Record((
            Field("path", _PATH, "Where it is put, relative to the board's data folder."),
            Field("url", https(), "Where it comes from, at a fixed commit."),
            Field("sha256", _DIGEST, "Digest of the file."),
            Field("title", Text(120), "What it is."),
        ), Download), 0, 50), "Files that `scorer data fetch` brings.", False, ()),
        Field("imports", ListOf(Record((
            Field("split", _SPLIT_NAME, "The split they make."),
            Field("files", ListOf(Record((
                Field("role", Choice(roles), "What the task takes it for."),
                Field("name", Text(80, r"[A-Za-z0-9][A-Za-z0-9._-]*", "a file's name"),
                      "What it is called, in a folder or inside a zip file."),
                Field("sha256", _DIGEST, "Its digest. Leave out if nobody knows it; then the "
                      "split's own digest decides.", False),
            ), SourceFile), 1, 5), "They are needed together."),
        ), Import), 0, 20), "Official files that `scorer data import` takes from the user. Of "
            "several entries for a split, the first whose files are there is taken.", False, ()),
        Field("third_party", ListOf(Record((
            Field("system", slug(), "The row's folder name."),
            Field("path", _PATH, "The downloaded predictions file."),
            Field("split", _SPLIT_NAME, "The split it answers."),
            Field("title", Text(80), "The row's name."),
            Field("description", Text(600, lines=True), "What it is."),
            Field("source", LINK, "Where the predictions come from."),
            Field("licence", Text(200), "Their licence."),
            Field("date", Date(), "When they were published."),
            Field("saw_dev_gold", Flag(), "Whether dev gold was used in making them."),
        ), ThirdParty), 0, 20), "Predictions by others that are scored here.", False, ()),
        Field("reported", ListOf(Record((
            Field("split", _SPLIT_NAME, "The split the numbers are for."),
            Field("source", LINK, "Where they were published."),
            Field("note", Text(300, lines=True), "What to know about them."),
            Field("columns", ListOf(Text(60), 1, 40), "Metric ids, or `<metric> precision` and "
                  "`<metric> recall`."),
            Field("scale", Number(), "Published values are divided by this: 100 for percentages."),
            Field("unscaled", ListOf(Text(60), 0, 40), "Columns already in the metric's unit.",
                  False, ()),
            Field("rows", ListOf(Record((
                Field("system", Text(80), "The system's name."),
                Field("by", Text(120), "Whose it is."),
                Field("values", _Values(), "One number a column."),
                Field("date", Date(), "When it was published.", False),
                Field("human", Flag(), "Whether people did it.", False, False),
            ), ReportedRow), 1, 100), "The rows."),
            Field("test_set", slug(), "The items they are for, if not those of the split.", False),
        ), Reported), 0, 20), "Numbers published elsewhere.", False, ()),
        Field("release", RELEASE, "What is released of values measured on hidden gold.", False,
              Policy()),
    ), _make)


@dataclass(frozen=True)
class _Values:
    """A list of decimal numbers, equal ones allowed."""

    def read(self, node: strict_yaml.Node, complain: fields.Complain) -> tuple[Any, ...] | None:
        if not isinstance(node.value, list) or not node.value:
            complain(node, "META-VALUE", "no list", self.describe(), "write [1.0, 2.0]")
            return None
        return tuple(Number().read(entry, complain) for entry in node.value)

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "number"}, "minItems": 1}

    def describe(self) -> str:
        return "a list of decimal numbers"


def _make(**values: Any) -> Board:
    return Board(task_name=values.pop("task"), **values)


def read(folder: Path) -> tuple[Board | None, list[Problem]]:
    """Read ``folder/board.yaml``: the board or None, and every problem found."""
    path = folder / FILE_NAME
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise UsageError(f"{path}: cannot be read ({fault.strerror}); "
                         "name a board or a folder with a board.yaml") from fault
    root, problems = strict_yaml.read(content, str(path))
    if root is None:
        return None, problems
    task = _task_of(root, str(path), problems)
    if task is None:
        return None, problems
    board, problems = fields.load(declaration(task), content, str(path))
    if board is None:
        return None, problems
    board = _placed(board, folder)
    problems = [Problem(str(path), 1, 1, "META-VALUE", *said) for said in _contradictions(board)]
    return (None if problems else board), problems


def _task_of(root: strict_yaml.Node, path: str, problems: list[Problem]) -> Task | None:
    named = root.value.get("task") if isinstance(root.value, dict) else None
    if named is not None and isinstance(named.value, str) and named.value in TASKS:
        return TASKS[named.value]
    place = named or root
    problems.append(Problem(path, place.line, place.column, "META-VALUE", "no known task",
                            "task: one of " + ", ".join(TASKS), "name the task"))
    return None


def _placed(board: Board, folder: Path) -> Board:
    values = {name: getattr(board, name) for name in board.__dataclass_fields__}
    return Board(**values | {"folder": folder})


def _contradictions(board: Board) -> list[tuple[str, str, str]]:
    """What each field allows by itself but the whole does not: (found, expected, advice)."""
    found = []
    if board.id != board.folder.resolve().name:
        found.append((f"id {board.id}", f"the folder's name {board.folder.resolve().name}",
                      "rename one of them"))
    usable = {use.metric for use in board.task.metrics}
    for metric in [*board.metrics, *board.ranking]:
        if metric not in usable:
            found.append((f"metric {metric}", f"a metric of {board.task_name}", "remove it"))
    found += [(f"ranking metric {metric}", "one of the board's metrics", "add it to metrics")
              for metric in board.ranking if metric not in board.metrics]
    found += board.task.contradictions(board.settings, board.metrics)
    columns, _ = board.task.gold_columns(board.settings)
    found += [(f"two columns {name}", "columns of different names", "rename one of them")
              for name in dict.fromkeys(columns) if list(columns).count(name) > 1]
    found += [(f"split {name} with public gold and no file", "a file", "name its file")
              for name, split in board.splits.items()
              if split.gold == "public" and split.file is None]
    found += [fault for name, split in board.splits.items()
              for fault in _contradictions_of_hidden(board, name, split)]
    found += [(f"third-party predictions for {row.split}", "a split of the board",
               "add it to splits") for row in board.third_party if row.split not in board.splits]
    found += [(f"an import for {one.split}", "a split of the board", "add it to splits")
              for one in board.imports if one.split not in board.splits]
    for one in board.imports:
        given = tuple(file.role for file in one.files)
        if given not in board.task.gold_roles:
            known = " or ".join(" + ".join(together) for together in board.task.gold_roles)
            found.append((f"an import of {' + '.join(given)}", known, "name all roles, in order"))
    for table in board.reported:
        found += _contradictions_of_table(board, table)
    return found


def _contradictions_of_hidden(board: Board, name: str, split: Split) -> list[tuple[str, str, str]]:
    """The same for the hidden gold of one split."""
    if split.gold_hmac is None:
        return []
    if split.gold != "hidden":
        return [(f"gold_hmac of split {name}", "gold: hidden", "remove gold_hmac")]
    if chosen(board.release, split.rows) is not None:
        return []
    if split.rows < FEWEST_ITEMS:
        return [(f"hidden gold of {split.rows} rows in split {name}", f"at least {FEWEST_ITEMS}",
                 "make the gold public, or add items")]
    return [(f"a grid of {board.release.grid} points for {split.rows} rows in split {name}",
             "at least 2 / rows", "write grid: auto")]


def _contradictions_of_table(board: Board, table: Reported) -> list[tuple[str, str, str]]:
    """The same for one table of reported numbers."""
    found = [(f"{len(row.values)} values for {excerpt(row.system)}", f"{len(table.columns)} values",
              "write one value a column")
             for row in table.rows if len(row.values) != len(table.columns)]
    known = {*METRICS} | {f"{info.id} {part}" for info in METRICS.values() for part in info.parts}
    found += [(f"reported column {excerpt(column)}", "a metric, or one and precision or recall",
               "mend the name") for column in table.columns if column not in known]
    found += [(f"unscaled column {excerpt(column)}", "one of the columns", "add it to columns")
              for column in table.unscaled if column not in table.columns]
    if table.split not in board.splits:
        found.append((f"numbers reported for {table.split}", "a split of the board",
                      "add it to splits"))
    if table.scale <= 0:
        found.append((f"scale {table.scale}", "a number above 0", "write 1 or 100"))
    return found


def boards_folder() -> Path:
    """The boards that come with this program: in a checkout, or carried in the wheel."""
    carried = Path(__file__).parent / "_boards"
    return carried if carried.is_dir() else Path(__file__).parent.parent / "boards"


def load(name_or_path: str | Path, folder: Path | None = None) -> Board:
    """A board by its name (looked up in ``folder``) or by the path of its folder.

    Raises SubmissionError with every problem if board.yaml is wrong, UsageError if there is none.
    """
    place = folder or boards_folder()
    path = Path(name_or_path)
    if not (path / FILE_NAME).is_file():
        path = place / str(name_or_path)
    if not (path / FILE_NAME).is_file():
        known = ", ".join(known_boards(place)) or "none"
        raise UsageError(f"no board {excerpt(str(name_or_path))}; choose one of: {known}, "
                         "or give the path of a folder with a board.yaml")
    board, problems = read(path)
    if board is None:
        raise SubmissionError(problems)
    return board


def known_boards(folder: Path) -> list[str]:
    """The names of the boards in a folder."""
    return sorted(path.parent.name for path in folder.glob(f"*/{FILE_NAME}"))


def for_task(name: str, folder: Path | None = None) -> str:
    """A board's name for a task's name: its first board that is not for practice; else the name.

    >>> for_task("explanation_graphs")
    'explagraphs'
    """
    if name not in TASKS:
        return name
    place = folder or boards_folder()
    described = [load(known, place) for known in known_boards(place)]
    fitting = [board.id for board in described if board.task_name == name and not board.practice]
    return fitting[0] if fitting else name

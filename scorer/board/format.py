"""The format of ``board.yaml``: strict reader, JSON Schema and documentation in one declaration.

``scorer board schema`` prints the second, ``scorer board docs`` the third.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scorer.board.policy import AUTO, GRIDS, Policy
from scorer.board.records import (
    Board,
    Download,
    Import,
    Reported,
    ReportedRow,
    SourceFile,
    Split,
    ThirdParty,
)
from scorer.metrics.catalogue import METRICS
from scorer.reading import fields, strict_yaml
from scorer.reading.fields import (
    LINK,
    Choice,
    Date,
    Field,
    Flag,
    Integer,
    ListOf,
    MapOf,
    Number,
    Record,
    Text,
    https,
    slug,
)
from scorer.records import SPLITS
from scorer.tasks.registry import TASKS, AnyTask

_DIGEST = Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (SHA-256)")
_PATH = Text(120, r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*",
             "a relative path without ..")
_METRIC = Choice(tuple(METRICS))
_SPLIT_NAME = Choice(SPLITS)


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


SPLIT = Record((
    Field("file", _PATH, "The file, relative to the board's data folder.", False),
    Field("rows", Integer(1, 10**6), "Number of items: the denominator of every metric."),
    Field("gold", Choice(("public", "hidden", "reported")), "Whether gold is public, hidden, or "
          "only reported numbers are shown."),
    Field("sha256", _DIGEST, "Digest of the file.", False),
    Field("golds", Integer(1, 100), "Gold graphs or references per item, at most.", False, 1),
    Field("gold_hmac", Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (HMAC-SHA256)"),
          "Hidden gold: what `scorer gold seal` printed. Leave out while there is none.", False),
    Field("test_set", slug(), "Which items these are, where others are published under "
          "the split's name.", False),
), Split)

DOWNLOAD = Record((
    Field("path", _PATH, "Where it is put, relative to the board's data folder."),
    Field("url", https(), "Where it comes from, at a fixed commit."),
    Field("sha256", _DIGEST, "Digest of the file."),
    Field("title", Text(120), "What it is."),
), Download)

THIRD_PARTY = Record((
    Field("system", slug(), "The row's folder name."),
    Field("path", _PATH, "The downloaded predictions file."),
    Field("split", _SPLIT_NAME, "The split it answers."),
    Field("title", Text(80), "The row's name."),
    Field("description", Text(600, lines=True), "What it is."),
    Field("source", LINK, "Where the predictions come from."),
    Field("licence", Text(200), "Their licence."),
    Field("date", Date(), "When they were published."),
    Field("saw_dev_gold", Flag(), "Whether dev gold was used in making them."),
), ThirdParty)

REPORTED = Record((
    Field("split", _SPLIT_NAME, "The split the numbers are for."),
    Field("source", LINK, "Where they were published."),
    Field("note", Text(300, lines=True), "What to know about them."),
    Field("columns", ListOf(Text(60), 1, 40), "Metric ids, or `<metric> precision` and "
          "`<metric> recall`."),
    Field("scale", Number(), "Published values are divided by this: 100 for percentages."),
    Field("unscaled", ListOf(Text(60), 0, 40), "Columns already in the metric's unit.", False, ()),
    Field("rows", ListOf(Record((
        Field("system", Text(80), "The system's name."),
        Field("by", Text(120), "Whose it is."),
        Field("values", _Values(), "One number a column."),
        Field("date", Date(), "When it was published.", False),
        Field("human", Flag(), "Whether people did it.", False, False),
    ), ReportedRow), 1, 100), "The rows."),
    Field("test_set", slug(), "The items they are for, if not those of the split.", False),
), Reported)

RELEASE = Record((
    Field("grid", Choice((AUTO, *GRIDS)), "Released values are multiples of this many points "
          "(hundredths of a metric's greatest value), at least 2 / rows; auto: the finest that is "
          "at least 4 / rows.", False, AUTO),
    Field("days", Integer(0, 366), "Days for each value released to an owner: two "
          "submissions of one owner are released days * values apart.", False, 28),
    Field("near_duplicate", Integer(0, 100), "Percent of the rows: a submission that differs from "
          "an earlier one in fewer has no value released.", False, 1),
    Field("ladder", Flag(), "Whether only significant improvements over the owner's best have "
          "values released.", False, False),
    Field("values", Integer(1, 5), "How many metrics of a submission have a value released, those "
          "of the ranking first.", False, 1),
), Policy)


def declaration(task: AnyTask) -> Record:
    """The fields of board.yaml for a task."""
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
        Field("splits", MapOf(SPLIT, Text(10, "|".join(SPLITS), "train, dev or test"), least=1),
              "The splits."),
        Field("settings", task.settings, f"What the task *{task.title.lower()}* asks of a board."),
        Field("examples", Choice(("public", "private")), "Whether pages may show the items of "
              "splits with public gold.", False, "public"),
        Field("downloads", ListOf(DOWNLOAD, 0, 50), "Files that `scorer data fetch` brings.",
              False, ()),
        Field("imports", ListOf(_import(task), 0, 20), "Official files that `scorer data import` "
              "takes from the user. Of several entries for a split, the first whose files are "
              "there is taken.", False, ()),
        Field("third_party", ListOf(THIRD_PARTY, 0, 20), "Predictions by others that are scored "
              "here.", False, ()),
        Field("reported", ListOf(REPORTED, 0, 20), "Numbers published elsewhere.", False, ()),
        Field("release", RELEASE, "What is released of values measured on hidden gold.", False,
              Policy()),
    ), _make)


def _import(task: AnyTask) -> Record:
    """One entry of ``imports``: which roles files may have is for the task to say."""
    roles = tuple(dict.fromkeys(role for together in task.gold_roles for role in together))
    return Record((
        Field("split", _SPLIT_NAME, "The split they make."),
        Field("files", ListOf(Record((
            Field("role", Choice(roles), "What the task takes it for."),
            Field("name", Text(80, r"[A-Za-z0-9][A-Za-z0-9._-]*", "a file's name"),
                  "What it is called, in a folder or inside a zip file."),
            Field("sha256", _DIGEST, "Its digest. Leave out if nobody knows it; then the "
                  "split's own digest decides.", False),
        ), SourceFile), 1, 5), "They are needed together."),
    ), Import)


def _make(**values: Any) -> Board:
    return Board(task_name=values.pop("task"), **values)

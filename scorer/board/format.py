"""The format of ``board.yaml``: strict reader, JSON Schema and documentation in one declaration.

``scorer board schema`` prints the second, ``scorer board docs`` the third.
"""

from __future__ import annotations

from typing import Any

from scorer.board.policy import AUTO, GRIDS, HumanRanking, Policy
from scorer.board.recipes import Recipe
from scorer.board.records import (
    DIGEST,
    SPLIT_NAME,
    Acknowledged,
    Board,
    Download,
    Import,
    SourceFile,
    Split,
)
from scorer.metrics.catalogue import METRICS
from scorer.reading.fields import (
    LINK,
    Choice,
    Field,
    Integer,
    ListOf,
    MapOf,
    Number,
    Record,
    Text,
    YesNo,
    record_of,
    slug,
)
from scorer.records import SPLITS
from scorer.tasks.registry import TASKS, AnyTask

_METRIC = Choice(tuple(METRICS))


RELEASE = Record((
    Field("grid", Choice((AUTO, *GRIDS)), "Released values are multiples of this many points "
          "(hundredths of a metric's greatest value), at least 2 / rows; auto: the finest that is "
          "at least 4 / rows.", False, AUTO),
    Field("days", Integer(0, 366), "Days for each value released to an owner: two "
          "submissions of one owner are released days * values apart.", False, 28),
    Field("values", Integer(1, 5), "How many metrics of a submission have a value released, those "
          "of the ranking first.", False, 1),
), Policy)


PEOPLE = Record((
    Field("verified", Integer(10, 100_000), "Items of each ranked row that people must have "
          "verified, of those that passed every gate; all of them, if there are fewer.", False, 50),
    Field("agreement", Number(1.0), "Fleiss's kappa of their votes must be at least this.", False,
          0.4),
), HumanRanking)


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
        Field("question", Text(160), "What a system is asked, in one short question for the front "
              "page; without it the summary stands there.", False, ""),
        Field("licence", Text(600, lines=True), "What may be done with the data; shown wherever "
              "they are."),
        Field("attribution", Text(300), "One line under every example."),
        Field("links", ListOf(LINK, 0, 20), "Paper, code, data.", False, ()),
        Field("citation", Text(3000, lines=True), "BibTeX to cite when the board is used."),
        Field("metrics", ListOf(_METRIC, 1, 40), "The columns, in order."),
        Field("ranking", ListOf(_METRIC, 1, 5), "Rows are ordered by the first of these that any "
              "scored row has and, if a judge gives it, one judge that is fit gave all of it."),
        Field("columns", ListOf(_METRIC, 1, 5), "The columns that the leaderboard shows at first; "
              "left out: what orders the rows, then the first metrics.", False, ()),
        Field("practice", YesNo(), "Whether this board is for rehearsal only: no rank numbers, no "
              "significance.", False, False),
        Field("splits", MapOf(record_of(Split), Text(10, "|".join(SPLITS), "train, dev or test"),
                              least=1), "The splits."),
        Field("settings", task.settings, f"What the task *{task.title.lower()}* asks of a board."),
        Field("examples", Choice(("public", "private")), "Whether pages may show the items of "
              "splits with public gold.", False, "public"),
        Field("downloads", ListOf(record_of(Download), 0, 50),
              "Files that `scorer data fetch` brings.", False, ()),
        Field("import", ListOf(record_of(Recipe), 0, 20), "How files of ours are made of the "
              "downloads, in the same run.", False, ()),
        Field("imports", ListOf(_import(task), 0, 20), "Official files that `scorer data import` "
              "takes from the user. Of several entries for a split, the first whose files are "
              "there is taken.", False, ()),
        Field("acknowledged", ListOf(record_of(Acknowledged), 0, 60), "Rules that public gold "
              "breaks all the same. Without such an entry, `scorer board check` fails.", False, ()),
        Field("release", RELEASE, "What is released of values measured on hidden gold.", False,
              Policy()),
        Field("people", PEOPLE, "When rows may be ordered by prediction-powered values: a judge's "
              "verdicts on all items, corrected by people's on some.", False, HumanRanking()),
    ), _make)


def _import(task: AnyTask) -> Record:
    """One entry of ``imports``: which roles files may have is for the task to say."""
    roles = tuple(dict.fromkeys(role for together in task.gold_roles for role in together))
    return Record((
        Field("split", SPLIT_NAME, "The split they make."),
        Field("files", ListOf(Record((
            Field("role", Choice(roles), "What the task takes it for."),
            Field("name", Text(80, r"[A-Za-z0-9][A-Za-z0-9._-]*", "a file's name"),
                  "What it is called, in a folder or inside a zip file."),
            Field("sha256", DIGEST, "Its digest. Leave out if nobody knows it; then the "
                  "split's own digest decides.", False),
        ), SourceFile), 1, 5), "They are needed together."),
    ), Import)


def _make(**values: Any) -> Board:
    return Board(task_name=values.pop("task"), recipes=values.pop("import"), **values)

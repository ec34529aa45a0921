"""How ``import:`` of board.yaml is written: which files a board's own are made of, and how.

``importing.py`` follows a recipe. Paths name fields: names and places (from 0) with dots between.
The forms of others.yaml are written in the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Annotated

from scorer.core.errors import counted
from scorer.core.reading.values import Choice, Internal, Items, Optional, Text, YesNo

KEY = "@key"
"""The path of a record's own name in a mapping, or else its number from 1."""
OUTER = "@record"
"""Where ``each`` of a source takes records out of others: the path of the one around a record."""
WHOLE = "."
"""The path of a value itself."""
JSONL, JSON, LINES, TSV, CSV, INPUTS = "jsonl", "json", "lines", "tsv", "csv", "inputs"
ITEM, REFERENCE = "item", "reference"
TEXT, LISTING, TRIPLES, STEPS = "text", "listing", "triples", "steps"

_STEP = "[A-Za-z0-9_-][A-Za-z0-9._-]*"
RelativePath = Annotated[str, Text(120, f"{_STEP}(?:/{_STEP})*", "a relative path without ..")]
Field = Annotated[str, Text(
    200, r"\.|[^.\s]+(?:\.[^.\s]+){0,9}",
    "a path such as a.0.b (at most 10 parts), or . for the value itself")]
_Name = Annotated[str, Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")]
_Words = Annotated[str, Text(60)]
_BRACKETS = re.compile(r"\{([a-z0-9_]+)\}")
_Range = Annotated[str, Text(20, r"[1-9][0-9]{0,6}(?:-[1-9][0-9]{0,6})?",
                             "a line's number, or first-last")]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of the source's own, and where its records are."""

    file: Annotated[RelativePath, "One of the downloads, by its path. Left out in others.yaml "
                    "alone: there it is the file that the system names."] = ""
    format: Annotated[str, Choice((JSONL, JSON, LINES, TSV, CSV, INPUTS)),
                      "jsonl: a record of JSON a line; json: one value; lines: a text a line; tsv: "
                      "tab-separated columns, which places name; csv: columns with commas between; "
                      "inputs, in others.yaml alone and without `file`: the items of the split by "
                      "the names of their input columns, never gold."]
    records: Annotated[Optional[Field], "json: the list of records, or a mapping of which each "
                       "value is one. Left out: the whole file is it."] = None
    each: Annotated[Optional[Field], "jsonl, json: a list or a mapping within a record, of which "
                    "every entry is a record; paths that begin with `@record` lead into the one "
                    "around it."] = None
    header: Annotated[bool, YesNo(), "tsv, csv: whether the first line names the columns."] = False
    quotes: Annotated[bool, YesNo(), "tsv: whether fields may stand in double quotes, as programs "
                      "write them that write CSV. Those of csv always may."] = False
    without: Annotated[tuple[_Range, ...], Items(0, 20), "lines: those that are left out, such as "
                       "`14310-14313`."] = ()

    @property
    def left_out(self) -> frozenset[int]:
        """The numbers of the lines that are left out."""
        spans = ([int(end) for end in span.split("-")] for span in self.without)
        return frozenset(number for ends in spans for number in range(ends[0], ends[-1] + 1))


@dataclass(frozen=True)
class Join:
    """Records of another file that belong to those of the first."""

    name: Annotated[_Name, "Paths that begin with `@` and this name lead into them."]
    source: Annotated[Source, "The file."]
    key: Annotated[tuple[Field, ...], Items(1, 5, single=True), "The field of its records that "
                   "names them, or a list of several; `@key` is a record's name in a mapping, or "
                   "its number."]
    matches: Annotated[tuple[Field, ...], Items(1, 5, single=True), "The field of a record of the "
                       "first file that has that name, or as many."]
    optional: Annotated[bool, YesNo(), "Whether a record may have none: what is taken from it is "
                        "missing then, and a column's `default` stands there. Otherwise that is an "
                        "error."] = False
    more: Annotated[bool, YesNo(), "others.yaml: whether the file may have records that belong to "
                    "no item. Otherwise that is an error."] = False


@dataclass(frozen=True)
class Where:
    """A condition on records."""

    field: Annotated[Field, "The field."]
    values: Annotated[tuple[Annotated[str, Text(200)], ...], Items(1, 100),
                      "What it may be; records with another value are left out."]


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How a text writes steps from some nodes to one: ``a & b -> c: its text; c -> d``."""

    before: Annotated[str | None, Text(60), "What stands before the first step, if it does."] = None
    relation: Annotated[_Words, "The relation from each premise to the conclusion."]
    loose: Annotated[bool, YesNo(), "Whether a step that cannot be read stands as an edge of one "
                     "part, which breaks the rules of every board: for predictions. Otherwise it "
                     "is an error."] = False


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """Where the texts of a graph's nodes are, whose edges name them by ids."""

    field: Annotated[Field, "The list of nodes, or a mapping of ids to nodes: in the record, or "
                     "in an entry of `each`."]
    id: Annotated[Field, "The id within a node; `@key` is its name in a mapping, or its number "
                  "from 1."] = "id"
    text: Annotated[Field, "The text within a node, or `.` for the node itself."] = "text"
    ids: Annotated[bool, YesNo(), "Whether concepts are written as `id: text`, for a board with "
                   "`nodes: id`; else as the text alone."] = False


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the file that is made; several, where ``each`` is given."""

    name: Annotated[_Name, "What messages call it."]
    field: Annotated[Field, "The field it is taken from, within an entry of `each`."]
    form: Annotated[str, Choice((TEXT, LISTING, TRIPLES, STEPS)), "text: as it is; listing: a "
                    "list, or a mapping as `name: text`, with ` | ` between; triples: a list of "
                    "edges, as a graph; steps: a text of steps, as a graph."] = TEXT
    after: Annotated[Optional[_Words], "text: what stands before it in the field, the last time "
                     "that it does; a field without it is an error."] = None
    each: Annotated[Optional[Field], "A list of which every entry makes a column: gold "
                    "answers."] = None
    highest_first: Annotated[Optional[Field], "A number of the entries of `each`, by which they "
                             "are ordered; equal ones stay in their order."] = None
    values: Annotated[Mapping[Annotated[str, Text(200)], Annotated[str, Text(200)]], Items(0, 100),
                      "text: what the source writes, and what we write; others are an "
                      "error."] = made_by(default_factory=dict)
    words: Annotated[bool, YesNo(), "triples: whether relations such as HasProperty are written as "
                     "has property."] = False
    parts: Annotated[tuple[Field, ...], Items(0, 3), "triples: source, relation and target within "
                     "an edge, if not 0, 1 and 2. listing: the text within an entry, or what "
                     "stands before `: ` and the text."] = ()
    nodes: Annotated[Optional[Nodes], "triples: where the texts of nodes are, if edges have their "
                     "ids."] = None
    steps: Annotated[Optional[Steps], "steps: how they are written."] = None
    default: Annotated[str | None, Text(200), "What stands there where the field is missing, null "
                       "or empty. Left out: that is an error."] = None
    optional: Annotated[bool, YesNo(), "Whether a row has no such column where the field is "
                        "missing, null or empty: for gold answers, whose number differs, and for "
                        "texts that a system did not write."] = False


@dataclass(frozen=True, kw_only=True)
class Check:
    """What a field must say, so that a record is known to be the item's in its place."""

    field: Annotated[Field, "The field."]
    equals: Annotated[str | None, Text(300), "What it must be. `{place}` stands for the item's "
                      "number from 0, and the name of an input column in such brackets for the "
                      "item's text."] = None
    begins: Annotated[str | None, Text(300), "What it must begin with, in the same way."] = None

    @property
    def names(self) -> list[str]:
        """What stands in brackets."""
        return _BRACKETS.findall(self.equals or self.begins or "")

    def expected(self, values: Mapping[str, str]) -> str:
        """What the field must be or begin with; ``values``: what stands for each of ``names``.

        >>> Check(field="id", equals="dev.{place}").expected({"place": "0"})
        'dev.0'
        """
        return _BRACKETS.sub(lambda name: values[name[1]], self.equals or self.begins or "")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One file that is made of the source's own."""

    to: Annotated[RelativePath, "The file, relative to the board's data folder: that of a split, "
                  "of its ratings or its answers, or the path of predictions by others."]
    source: Annotated[Source, "Where records come from; each makes a row."]
    join: Annotated[tuple[Join, ...], Items(0, 5), "Records of other files that belong to "
                    "them."] = ()
    where: Annotated[tuple[Where, ...], Items(0, 5), "Which records make rows; left out: all."] = ()
    rows: Annotated[Optional[RelativePath], "A file in the board's folder with the number of a "
                    "record a line, from 1: these records make rows, in this order. For splits "
                    "that others drew."] = None
    columns: Annotated[tuple[Column, ...], Items(1, 20), "The columns, in order."]

    split: Internal[str | None] = None
    """The split whose items its rows must answer, one each, in their order: predictions."""
    checks: Internal[tuple[Check, ...]] = ()
    one_a: Internal[str] = ITEM
    """What each record is for: an item, or a gold answer of one, in their order."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where it takes records from."""
        return (self.source, *(join.source for join in self.join))

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of every file that it needs."""
        return tuple(dict.fromkeys(entry.file for entry in self.sources if entry.format != INPUTS))


# ---- what each field allows by itself, but the whole does not ------------------------------------

Misfits = Iterator[tuple[str, str, str]]
"""Of each: what was found, what is expected, what to do."""
_PARTS = {TRIPLES: (0, 3), LISTING: (0, 1, 2)}
"""How many parts a column of a form may name."""


def of_recipe(recipe: Recipe) -> Misfits:
    """What of a recipe cannot be followed."""
    for column in recipe.columns:
        if column.form == STEPS and column.steps is None:
            yield (f"column {column.name} of form steps without steps", "how they are written",
                   "add steps")
    for column in recipe.columns:
        if len(column.parts) not in _PARTS.get(column.form, (0,)):
            yield (f"{counted(len(column.parts), 'part')} in column {column.name} of form "
                   f"{column.form}", "three for triples, one or two for a listing, none for "
                   "another form", "mend parts")
    for join in recipe.join:
        if len(join.key) != len(join.matches):
            yield (f"{counted(len(join.key), 'field')} in key and {len(join.matches)} in matches "
                   f"of join {join.name}", "as many in both", "mend one of them")
    for name, times in Counter(join.name for join in recipe.join).items():
        if times > 1:
            yield f"two joins {name}", "joins of different names", "rename one of them"
    for check in recipe.checks:
        if (check.equals is None) == (check.begins is None):
            yield f"a check of {check.field}", "equals or begins, one of them", "mend the check"
    for_others = recipe.split is not None
    if any(source.format == INPUTS for source in recipe.sources[for_others:]):
        yield ("a source of format inputs", "that format in others.yaml alone, for the first "
               "source", "name a file and its format")
    if not for_others and not all(source.file or source.format == INPUTS
                                  for source in recipe.sources):
        yield f"a source of {recipe.to} without a file", "one of the downloads", "name it: file"

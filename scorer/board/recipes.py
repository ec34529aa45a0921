"""How ``import:`` of board.yaml is written: which files a board's own are made of, and how.

``importing.py`` follows a recipe. Paths name fields: names and places (from 0) with dots between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Annotated

from scorer.reading.fields import Choice, Integer, ListOf, MapOf, Text, YesNo, record_of

KEY = "@key"
"""The path of a record's own name in a mapping, or else its number from 1."""
OUTER = "@record"
"""Where ``each`` of a source takes records out of others: the path of the one around a record."""
WHOLE = "."
"""The path of a value itself."""
JSONL, JSON, TSV, CSV = "jsonl", "json", "tsv", "csv"
TEXT, LISTING, TRIPLES, STEPS = "text", "listing", "triples", "steps"

PATH = Text(120, r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*",
            "a relative path without ..")
_FIELD = Text(200, r"\.|[^.\s]+(?:\.[^.\s]+){0,9}",
              "names or places with dots between, 10 at most, or . for the value itself")
_NAME = Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")
_WORDS = Text(60)
_SIGN = Text(10, r"\S(?:.*\S)?", "1 to 10 characters")


@dataclass(frozen=True)
class Source:
    """A file of the source's own, and where its records are."""

    file: Annotated[str, PATH, "One of the downloads, by its path."]
    format: Annotated[str, Choice((JSONL, JSON, TSV, CSV)), "jsonl: a record of JSON a line; "
                      "json: one value; tsv: tab-separated columns, which places name; csv: "
                      "columns with commas between."]
    records: Annotated[str | None, _FIELD, "json: the list of records, or a mapping of which each "
                       "value is one. Left out: the whole file is it."] = None
    each: Annotated[str | None, _FIELD, "jsonl, json: a list or a mapping within a record, of "
                    "which every entry is a record; paths that begin with `@record` lead into the "
                    "one around it."] = None
    header: Annotated[bool, YesNo(), "tsv, csv: whether the first line names the columns."] = False
    quotes: Annotated[bool, YesNo(), "tsv: whether fields may stand in double quotes, as programs "
                      "write them that write CSV. Those of csv always may."] = False


@dataclass(frozen=True)
class Join:
    """Records of another file that belong to those of the first."""

    name: Annotated[str, _NAME, "Paths that begin with `@` and this name lead into them."]
    source: Annotated[Source, record_of(Source), "The file."]
    key: Annotated[str, _FIELD, "The field of its records that names them; `@key` is a record's "
                   "name in a mapping, or its number."]
    matches: Annotated[str, _FIELD, "The field of a record of the first file that has that name."]
    optional: Annotated[bool, YesNo(), "Whether a record may have none: what is taken from it is "
                        "missing then, and a column's `default` stands there. Otherwise that is "
                        "an error."] = False


@dataclass(frozen=True)
class Where:
    """A condition on records."""

    field: Annotated[str, _FIELD, "The field."]
    values: Annotated[tuple[str, ...], ListOf(Text(200), 1, 100), "What it may be; records with "
                      "another value are left out."]


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How a text writes steps from some nodes to one: ``a & b -> c: its text; c -> d``."""

    between: Annotated[str, _SIGN, "Between steps."] = ";"
    arrow: Annotated[str, _SIGN, "Between a step's premises and its conclusion."] = "->"
    premises: Annotated[str, _SIGN, "Between premises."] = "&"
    before: Annotated[str | None, Text(60), "What stands before the first step, if it does."] = None
    relation: Annotated[str, _WORDS, "The relation from each premise to the conclusion."]
    loose: Annotated[bool, YesNo(), "Whether a step that cannot be read stands as an edge of one "
                     "part, which breaks the rules of every board: for predictions. Otherwise it "
                     "is an error."] = False


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the file that is made; several, where ``each`` is given."""

    name: Annotated[str, _NAME, "What messages call it."]
    field: Annotated[str, _FIELD, "The field it is taken from, within an entry of `each`."]
    form: Annotated[str, Choice((TEXT, LISTING, TRIPLES, STEPS)), "text: as it is; listing: a "
                    "list, or a mapping as `name: text`, with ` | ` between; triples: a list of "
                    "edges, as a graph; steps: a text of steps, as a graph."] = TEXT
    each: Annotated[str | None, _FIELD, "A list of which every entry makes a column: gold "
                    "answers."] = None
    highest_first: Annotated[str | None, _FIELD, "A number of the entries of `each`, by which "
                             "they are ordered; equal ones stay in their order."] = None
    most: Annotated[int | None, Integer(1, 100), "Entries of `each` that are taken, at "
                    "most."] = None
    values: Annotated[Mapping[str, str], MapOf(Text(200), Text(200), 0, 100),
                      "text: what the source writes, and what we write; others are an error."
                      ] = made_by(default_factory=dict)
    relations: Annotated[Mapping[str, str], MapOf(_WORDS, _WORDS, 0, 500),
                         "triples: what the source calls relations, and what the board does; "
                         "others are an error. Left out: they stay as they are."
                         ] = made_by(default_factory=dict)
    words: Annotated[bool, YesNo(), "triples: whether relations such as HasProperty are written as "
                     "has property."] = False
    parts: Annotated[tuple[str, ...], ListOf(_FIELD, 0, 3), "triples: source, relation and target "
                     "within an edge, if not 0, 1 and 2. listing: the text within an entry, or "
                     "what stands before `: ` and the text."] = ()
    steps: Annotated[Steps | None, record_of(Steps), "steps: how they are written."] = None
    default: Annotated[str | None, Text(200), "What stands there where the field is missing, null "
                       "or empty. Left out: that is an error."] = None
    optional: Annotated[bool, YesNo(), "Whether a row has no such column where the field is "
                        "missing, null or empty: for gold answers, whose number differs, and for "
                        "texts that a system did not write."] = False


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One file that is made of the source's own."""

    to: Annotated[str, PATH, "The file, relative to the board's data folder: that of a split, of "
                  "its ratings or its answers, or the path of predictions by others."]
    source: Annotated[Source, record_of(Source), "Where records come from; each makes a row."]
    join: Annotated[tuple[Join, ...], ListOf(record_of(Join), 0, 5), "Records of other files that "
                    "belong to them."] = ()
    where: Annotated[tuple[Where, ...], ListOf(record_of(Where), 0, 5), "Which records make rows; "
                     "left out: all."] = ()
    rows: Annotated[str | None, PATH, "A file in the board's folder with the number of a record a "
                    "line, from 1: these records make rows, in this order. For splits that others "
                    "drew."] = None
    columns: Annotated[tuple[Column, ...], ListOf(record_of(Column), 1, 20), "The columns, in "
                       "order."]

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of every file that it needs."""
        return tuple(dict.fromkeys([self.source.file, *(one.source.file for one in self.join)]))

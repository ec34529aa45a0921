"""Every rule about annotators' files: its id, its sentence, and whether it refuses.

There is one wording for the command, pull requests and pages. ``{name}`` stands for a value. A word
after a rule's id tells apart what the rule may say. The constraints of graphs are those of
``tasks/graphs``; here they are said of facts, as annotators call edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scorer.core.errors import Problem, printable

MOST_BYTES = 1_000_000
"""Bytes of an annotator's file."""
_FORM_RULES = {
    "VALUE": '{q}: "{v}" is not one of {allowed}.',
    "MISSING": "{q} must be answered because {reason}.",
    "SKIPPED": "{q} must be empty because {reason}.",
    "TRIPLET-COUNT": "{q} has {n} ratings; the item has {m} triplets.",
    "TRIPLET-MISSING": "{q}: triplet {t} has no rating.",
    "TRIPLET-UNKNOWN": "{q}: the item has no triplet {t}.",
}
"""Rules that every form has, under its own prefix."""

TEXTS: Mapping[str, str] = {
    "ANN-PATH": "File name must be annotations/{{kind}}/{{batch}}/{{annotator}}.tsv, got {path}.",
    "ANN-LINK": "{path} is a link or no regular file. Commit the file itself.",
    "ANN-MIXED": "{path} is not an annotator's to change: a pull request with answers holds its "
                 "author's own answers and nothing else.",
    "ANN-MANY": "{n} files of answers change; at most {most} are read. Open several pull requests.",
    "ANN-ENCODING": "File is not UTF-8 text (byte {n}).",
    "ANN-SIZE": "File has {n} bytes; the limit is {most}.",
    "ANN-HEADER missing": 'Header line "#{key}" is missing.',
    "ANN-HEADER order": 'Header line "#{key}" is out of order.',
    "ANN-HEADER unknown": 'Header line "#{key}" is unknown.',
    "ANN-FORMAT": 'Unknown format "{v}"; expected "{w}" for this folder.',
    "ANN-GUIDELINE": 'The header says guideline "{v}"; the batch has "{w}".',
    "ANN-EXPORTED": '"{v}" is no time in UTC such as 2026-11-21T03:50:00Z.',
    "ANN-BATCH": 'Batch "{b}" does not exist.',
    "ANN-BATCH folder": 'Batch "{b}" does not match the folder "{f}".',
    "ANN-BATCH faulty": 'Batch "{b}" has faults of its own, so these answers were not checked.',
    "ANN-BATCH-CHANGED": "The batch file has changed since this page was opened (sha256 {a}, now "
                         "{b}). Reload the page, check your answers and export again.",
    "ANN-BATCH-CLOSED": 'Batch "{b}" is closed; new files are not accepted.',
    "ANN-BATCH-CLOSED gone": 'Batch "{b}" is closed and its answers are in figures. Ask a '
                             "maintainer to withdraw them.",
    "ANN-W-LATE": 'Batch "{b}" closed without this file as it is; it counts nowhere.',
    "ANN-BATCH-OPEN": 'Batch "{b}" is open; only closed batches are adjudicated.',
    "ANN-BATCH-TRAINING": 'Batch "{b}" is for training; its answers are not handed in.',
    "ANN-ANNOTATOR": 'The header says "{a}" but the file is named "{f}".',
    "ANN-AUTHOR": 'The pull request was opened by "{u}"; it may only change files named {u}.tsv.',
    "ANN-SIMULATED": '"{u}" is the name of a simulated annotator; a person may not hand in '
                     "answers under it.",
    "ANN-COLUMNS": "Expected the columns {cols}, got {got}.",
    "ANN-ROWS": "File has {n} rows; at most {m} are read.",
    "ANN-CELLS": "Row has {n} cells; at most {m} are allowed.",
    "ANN-ITEM-UNKNOWN": 'Item "{i}" is not in the batch.',
    "ANN-ITEM-DUP": 'Item "{i}" appears twice (first in line {l}).',
    "ANN-ITEM-MISSING": "{k} of {n} items have no answer: {first}.",
    "ANN-EMPTY": "The file contains no answers.",
    "ANN-ESCAPE": 'Unknown escape "\\{c}" in column {col}.',
    "ANN-TEXT": "{col} has {n} characters; the limit is {m}.",
    "ANN-WORDS": "{col} has {n} words; the limit is {m}.",
    "ANN-SELF": "{u} wrote item {i} and must not judge it.",
    "ANN-W-OWN": "{u} settles item {i} and answered it too. Let somebody else settle it.",
    **{f"{family}-{rule}": text for family in ("ANN", "CSK")
       for rule, text in _FORM_RULES.items()},
    "ANN-NEG-MISSING": "{q}: triplet {t} is rated {v} in {of} and needs an answer here.",
    "ANN-NEG-UNEXPECTED": '{q}: triplet {t} is not rated {v} in {of}, so {q} must have "-" there.',
    "CSK-NEG-MISSING": "{q}: triplet {t} is rated {v} in {of} and needs a rating of its negation.",
    "CSK-NEG-UNEXPECTED": '{q}: triplet {t} is not rated {v} in {of}, so {q} must have "-" there.',
    "EG-FEW-FACTS": "The graph has {n} facts; it needs {least} to {most}.",
    "EG-MANY-FACTS": "The graph has {n} facts; it needs {least} to {most}.",
    "EG-SYNTAX": "The graph is not of the form (concept; relation; concept)(…): {where}.",
    "EG-EMPTY": "Fact {i}: a concept is empty.",
    "EG-CHAR": "Fact {i}: concepts must not contain ( ) ; or tabs.",
    "EG-LONG": 'Fact {i}: "{c}" has {n} words; at most {most} are allowed.',
    "EG-REL": 'Fact {i}: "{r}" is not one of the {count} relations.',
    "EG-SELF": 'Fact {i} connects "{c}" with itself.',
    "EG-DUP": "Fact {i} repeats fact {j}.",
    "EG-DISCONNECTED": "The graph falls into {k} parts: {parts}. Connect them.",
    "EG-CYCLE": "The facts form a cycle: {cycle}. Remove one of them.",
    "EG-TEXT-CONCEPTS": "Only {n} concept(s) occur word for word in the {text}; at least {least} "
                        "are needed.",
    "EG-W-INSIDE": '"{c}" occurs in the {text} only inside a longer word.',
    "EG-LABEL": '"{v}" is not one of {allowed}.',
    "EG-REASON": "Label incorrect needs at least one reason; other labels none.",
    "EG-SELF-VERIFY": "{u} wrote (a version of) the graph of item {i} and must not verify it.",
    "EG-SELF-REFINE": "{u} wrote (a version of) the graph of item {i} and must not refine it.",
    "EG-W-NOCHANGE": "The refined graph of {i} equals the old one.",
    "EG-ROLE": '{u} is not listed with role "{role}" in annotators.yml.',
}
"""What each rule says."""
WARNINGS = frozenset({"ANN-ITEM-MISSING", "TSV-BOM"})
"""Rules that refuse nothing, beside those with -W- in their ids."""


def warns(rule: str) -> bool:
    """Whether a rule is told and refuses nothing.

    >>> warns("CSK-W-Q4-POS"), warns("ANN-ITEM-MISSING"), warns("EG-CYCLE")
    (True, True, False)
    """
    return "-W-" in rule or rule in WARNINGS


class Said(NamedTuple):
    """A rule that answers break, in words, before anybody knows where."""

    rule: str
    text: str
    about: str = ""
    """What of the answers breaks it: a question, a triplet, a fact's number or a count."""


def said(which: str, about: object = "", **values: object) -> Said:
    """What a rule says of some values; ``which``: its id, and perhaps a word of TEXTS.

    >>> said("CSK-VALUE", "q4", q="q4", v="5", allowed="1, 2, 3, x")
    Said(rule='CSK-VALUE', text='q4: "5" is not one of 1, 2, 3, x.', about='q4')
    """
    return Said(which.partition(" ")[0], TEXTS[which].format_map(values), str(about))


class Fault(Problem):
    """A rule that a line of a file breaks; ``found`` is the whole sentence."""

    def __str__(self) -> str:
        line = f"{self.path}:{self.line}: {self.rule} {self.found}"
        return printable(line).replace("\n", r"\n")

    @property
    def warns(self) -> bool:
        """Whether it refuses nothing."""
        return warns(self.rule)


def fault(path: str, line: int, what: Said) -> Fault:
    """What a line breaks."""
    return Fault(path, line, 1, what.rule, what.text, "", "")


def of_reading(problem: Problem) -> Said:
    """A fault of characters, which reading tells in its own words, as one sentence."""
    return Said(problem.rule, f"{problem.found}; expected {problem.expected}; {problem.advice}.")

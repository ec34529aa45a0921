"""What the checker page knows: a board's rules, the words of every message, inputs and labels.

The page judges a predictions file in the browser (``site/assets/check.js``) by the very facts and
sentences that ``scorer check`` uses; they are data here, so that only the procedure is written
twice. Tests hold both to the same answers. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any
from unicodedata import category

from scorer.board import Board
from scorer.characters import CONTROLS, UNWELCOME
from scorer.errors import MOST_SHOWN
from scorer.rules import CATALOGUE, lookup, text_rule
from scorer.tasks.explanation_graphs import listed
from scorer.tasks.graph_findings import MOST_CULPRITS, MOST_OF_A_RULE, MOST_SYNTAX
from scorer.tsv import LARGEST_FIELD, LARGEST_FILE, SPARE_LINES
from scorer.website.kinds import GRAPHS, kind_of
from scorer.website.page import Page
from scorer.website.views import SiteView, SplitView
from scorer.wording import DETAILS, FAULTS, HINTS, PROBLEM, SYNTAX

PAGE = "check/"


def page(site: SiteView) -> Page:
    """The page that reads these facts."""
    splits = [view for board in site.boards for view in board.splits]
    chosen = next((view for view in splits if view.name == "dev"), splits[0] if splits else None)
    context = {"boards": site.boards, "chosen": chosen}
    return Page(PAGE, "Check a file", "checker.html", context, nav=True)


def facts(board: Board) -> dict[str, Any]:
    """Everything about a board that judging a predictions file of it takes, but for the items."""
    settings = board.settings
    rules = settings.graph
    return {
        "schema": 1,
        "board": board.id,
        "columns": list(board.task.prediction_columns(settings)),
        "texts": [asdict(text) for text in settings.texts],
        "labels": settings.labels and {
            "name": settings.labels.name, "values": list(settings.labels.values),
            "listed": listed(settings.labels)},
        "graph": {
            "relations": list(rules.relations), "acyclic": rules.acyclic,
            "connected": rules.connected, "concept_words": rules.concept_words,
            "least_edges": rules.least_edges, "most_edges": rules.most_edges,
            "strict_most_edges": rules.strict_most_edges},
        "annotations": list(board.task.annotations),
        "splits": {name: {"rows": split.rows} for name, split in board.splits.items()},
        "limits": {
            "file": LARGEST_FILE, "field": LARGEST_FIELD, "spare_lines": SPARE_LINES,
            "shown": MOST_SHOWN, "of_a_rule": MOST_OF_A_RULE, "culprits": MOST_CULPRITS,
            "syntax": MOST_SYNTAX},
        "rules": _rules(board),
        "wording": {
            "problem": PROBLEM, "hints": HINTS, "details": DETAILS, "syntax": SYNTAX,
            "faults": {key: fault._asdict() for key, fault in FAULTS.items()}},
        "characters": {
            "controls": _escaped(CONTROLS.pattern), "unwelcome": _escaped(UNWELCOME.pattern),
            "unassigned": unassigned()},
    }


def _rules(board: Board) -> dict[str, dict[str, str]]:
    """The rules of predictions files by id; each text of the board has its own."""
    names = [rule for rule in CATALOGUE if rule.startswith(("TSV-", "EG-"))]
    names += [text_rule(text.name) for text in board.settings.texts]
    return {name: {"effect": rule.effect, "advice": rule.advice, "page": rule.page}
            for name in names for rule in [lookup(name)]}


def items(view: SplitView) -> dict[str, Any] | None:
    """The input texts of a split and, where gold is public, its labels; None without inputs."""
    if view.golds:
        labels = [gold.label for gold in view.golds] if view.board.settings.labels else None
        return {"texts": [gold.texts for gold in view.golds], "gold": True, "labels": labels}
    if view.inputs:
        return {"texts": view.inputs, "gold": False, "labels": None}
    return None


def files(site: SiteView) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that the page fetches: its path below the site's root, and what is in it."""
    for board in site.boards:
        if kind_of(board.board) is not GRAPHS:
            continue
        splits = {view.name: items(view) for view in board.splits}
        known = facts(board.board)
        for name, found in splits.items():
            known["splits"][name]["items"] = found is not None
            if found is not None:
                yield f"{PAGE}{board.board.id}/{name}.json", found
        yield f"{PAGE}{board.board.id}.json", known


# ---- characters, as a regular expression of the browser writes them ------------------------------


def _escaped(character_class: str) -> str:
    r"""A character class in ASCII.

    >>> _escaped("[a-\u00e9]")
    '[\\u{61}-\\u{e9}]'
    """
    return "".join(letter if letter in "[]-" else f"\\u{{{ord(letter):x}}}"
                   for letter in character_class)


@cache
def unassigned() -> str:
    """The class of code points that this Python's Unicode does not know.

    A newer browser knows more letters than the program; on the page they count as the program
    counts them: no letters, without a lower case, and escaped in messages.
    """
    unknown = bytes(category(chr(code)) == "Cn" for code in range(0x110000))
    runs = re.finditer(b"\x01+", unknown)
    return "[" + "".join(f"\\u{{{r.start():x}}}-\\u{{{r.end() - 1:x}}}" for r in runs) + "]"

"""What the checker page knows: a board's rules, the words of every message, inputs and labels.

The page judges a predictions file in the browser (``checker_scripts.py``) by the very facts and
sentences that ``scorer check`` uses; they are data here, so that only the procedure is written
twice. What it must know of one task lies beside the task's view (``views/<view>/``). Tests hold
both sides to the same answers. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any
from unicodedata import category

from scorer.board import Board
from scorer.errors import MOST_SHOWN, SHOWN_OF_A_RULE
from scorer.messages import DETAILS, FAULTS, HINTS, PROBLEM
from scorer.reading.characters import CONTROLS, NAMES, UNWELCOME
from scorer.reading.forms import MOST_LINES, SEPARATORS
from scorer.reading.tsv import HEADERS, LARGEST_FIELD, LARGEST_FILE, PACKED, SPARE_LINES
from scorer.rules import CATALOGUE, lookup
from scorer.website.browsing import checker_scripts
from scorer.website.page import Page
from scorer.website.records import SiteView, SplitView
from scorer.website.views.registry import view_of

PAGE = "check/"


def page(site: SiteView) -> Page:
    """The page that reads these facts."""
    splits = [view for board in site.boards for view in board.splits]
    chosen = next((view for view in splits if view.name == "dev"), splits[0] if splits else None)
    return Page(PAGE, "Check a file", "checker.html", {"boards": site.boards, "chosen": chosen},
                nav=True, modules=tuple(checker_scripts.modules()))


def facts(board: Board) -> dict[str, Any]:
    """Everything about a board that judging a predictions file of it takes, but for the items."""
    task, settings = board.task, board.settings
    example_view = view_of(board)
    return {
        "schema": 2,
        "board": board.id,
        "task": task.name,
        "inputs": list(task.input_columns(settings)),
        "columns": list(task.prediction_columns(settings)),
        "annotations": list(task.annotations),
        "constrained": task.constrained,
        "needs_inputs": task.needs_inputs,
        "empty_line": task.empty_line,
        "metrics": list(board.metrics),
        "gate": task.gate_metric,
        "measured": [metric for metric in example_view.checker_metrics if metric in board.metrics],
        "splits": {name: {"rows": split.rows} for name, split in board.splits.items()},
        "limits": {"file": LARGEST_FILE, "field": LARGEST_FIELD, "spare_lines": SPARE_LINES,
                   "shown": MOST_SHOWN, "first": SHOWN_OF_A_RULE},
        "key": task.key,
        "headers": HEADERS,
        "forms": {"separators": SEPARATORS, "json": task.reads_json, "most_lines": MOST_LINES},
        "packed": {name: list(start) for name, start in PACKED.items()},
        "rules": _rules(board),
        "wording": {"problem": PROBLEM, "hints": HINTS, "details": DETAILS,
                    "faults": {key: fault._asdict() for key, fault in FAULTS.items()}},
        "characters": characters(),
        "own": example_view.checker_facts(board),
    }


def _rules(board: Board) -> dict[str, dict[str, str]]:
    """The rules of predictions files by id."""
    names = [*(rule for rule in CATALOGUE if rule.startswith("TSV-")),
             *view_of(board).checker_rules(board)]
    return {name: {"effect": rule.effect, "advice": rule.advice, "page": rule.page}
            for name in names for rule in [lookup(name)]}


def items(view: SplitView) -> dict[str, Any] | None:
    """The input texts of a split and, where gold is public, its labels.

    None without inputs, and where the board's examples may not be shown.
    """
    if view.board.examples == "private":
        return None
    if view.golds:
        label = view_of(view.board).checker_label
        labels = [label(gold) for gold in view.golds]
        return {"texts": [gold.texts for gold in view.golds], "gold": True,
                "labels": None if None in labels else labels}
    if view.inputs:
        return {"texts": view.inputs, "gold": False, "labels": None}
    return None


def files(site: SiteView) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that the page fetches: its path below the site's root, and what is in it."""
    for board in site.boards:
        splits = {view.name: items(view) for view in board.splits}
        known = facts(board.board)
        for name, found in splits.items():
            known["splits"][name]["items"] = found is not None
            if found is not None:
                yield f"{PAGE}{board.board.id}/{name}.json", found
        yield f"{PAGE}{board.board.id}.json", known


# ---- characters, as a regular expression of the browser writes them ------------------------------


def characters() -> dict[str, Any]:
    """Which characters are refused, which this Python does not know, and what some are called."""
    return {"controls": _escaped(CONTROLS.pattern), "unwelcome": _escaped(UNWELCOME.pattern),
            "unassigned": unassigned(), "names": NAMES}


def _escaped(character_class: str) -> str:
    r"""A character class in ASCII.

    >>> _escaped("[a-\u00e9]")
    '[\\u{61}-\\u{e9}]'
    """
    return "".join(letter if letter in "[]-" else f"\\u{{{ord(letter):x}}}"
                   for letter in character_class)


@cache
def unassigned() -> str:
    """Which code points this Python's Unicode does not know: from 0 on, by turns how many it knows
    and how many it does not. Each page carries them, and as a character class they are three times
    as long.

    A newer browser knows more letters than the program; on the page they count as the program
    counts them: no letters, without a lower case, and escaped in messages.
    """
    unknown = map("Cn".__eq__, map(category, map(chr, range(0x110000))))
    return " ".join(str(len([*run])) for _, run in groupby(unknown))

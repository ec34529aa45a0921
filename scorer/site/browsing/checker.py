"""What the checker page knows: a board's rules, the words of every message, inputs and labels.

The page judges a predictions file in the browser by the very facts and
sentences that ``scorer check`` uses; they are data here, so that only the procedure is written
twice. What it must know of one task lies beside the task's view (``views/<view>/``). Tests hold
both sides to the same answers. Pure.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.core import package_data
from scorer.core.errors import MOST_SHOWN, SHOWN_OF_A_RULE
from scorer.core.reading import tsv
from scorer.core.reading.characters import CONTROLS, UNWELCOME
from scorer.core.rules import CATALOGUE, DETAILS, FAULTS, HINTS, PROBLEM, lookup
from scorer.site.page import Page
from scorer.site.records import SiteView, SplitView
from scorer.site.views.registry import VIEWS, view_of

PAGE = "check/"
SCRIPTS = "assets/check"
"""Where the scripts are, below the site's root: the general ones of ``site/``, and those in the
folder ``check/`` of a view; the one that its ``checker_script`` names exports ``judging`` and
``showing``."""
TABLE = "kinds"
"""The script that imports those of all views."""


def page(site: SiteView) -> Page:
    """The page that reads these facts."""
    chosen = next((view for view in site.splits if view.name == "dev"),
                  next(iter(site.splits), None))
    return Page(PAGE, "Check a file", "checker.html", {"boards": site.boards, "chosen": chosen},
                nav=True, modules=tuple(modules()))


def facts(board: Board) -> dict[str, Any]:
    """Everything about a board that judging a predictions file of it takes, but for the items."""
    task = board.task
    example_view = view_of(board)
    rules = [*(rule for rule in CATALOGUE if rule.startswith("TSV-")),
             *example_view.checker_rules(board)]
    return {
        "schema": 2,
        "board": board.id,
        "task": task.name,
        "inputs": list(task.input_columns),
        "columns": list(task.prediction_columns),
        "annotations": list(task.annotations),
        "constrained": task.constrained,
        "needs_inputs": task.needs_inputs,
        "empty_line": task.empty_line,
        "metrics": list(board.metrics),
        "gate": task.gate_metric,
        "measured": [metric for metric in example_view.checker_metrics if metric in board.metrics],
        "splits": {name: {"rows": split.rows} for name, split in board.splits.items()},
        "limits": {"file": tsv.LARGEST_FILE, "field": tsv.LARGEST_FIELD,
                   "spare_lines": tsv.SPARE_LINES, "shown": MOST_SHOWN, "first": SHOWN_OF_A_RULE},
        "key": task.key,
        "headers": tsv.HEADERS,
        "forms": {"separators": tsv.FORMS, "json": task.reads_json, "most_lines": tsv.MOST_LINES},
        "packed": {name: list(start) for name, start in tsv.PACKED.items()},
        "rules": {name: {"effect": rule.effect, "advice": rule.advice, "page": rule.page}
                  for name in rules for rule in [lookup(name)]},
        "wording": {"problem": PROBLEM, "hints": HINTS, "details": DETAILS,
                    "faults": {key: fault._asdict() for key, fault in FAULTS.items()}},
        "characters": characters(),
        "own": example_view.checker_facts(board),
    }


def items(view: SplitView) -> dict[str, Any] | None:
    """The input texts of a split and, where gold is public, its labels; None without inputs."""
    labels = None if None in view.labels else list(view.labels)
    return {"texts": view.texts, "gold": bool(view.golds),
            "labels": labels or None} if view.texts else None


def files(site: SiteView) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that the page fetches: its path below the site's root, and what is in it."""
    for board in site.boards:
        splits = {view.name: items(view) for view in board.splits}
        known = facts(board.board)
        for name, content in splits.items():
            known["splits"][name]["items"] = content is not None
            if content is not None:
                yield f"{PAGE}{board.board.id}/{name}.json", content
        yield f"{PAGE}{board.board.id}.json", known


# ---- characters, as a regular expression of the browser writes them ------------------------------


def characters() -> dict[str, Any]:
    """Which characters are refused."""
    return {"controls": _escaped(CONTROLS.pattern), "unwelcome": _escaped(UNWELCOME.pattern)}


def _escaped(character_class: str) -> str:
    r"""A character class in ASCII.

    >>> _escaped("[a-\u00e9]")
    '[\\u{61}-\\u{e9}]'
    """
    return "".join(letter if letter in "[]-" else f"\\u{{{ord(letter):x}}}"
                   for letter in character_class)


# ---- scripts -----------------------------------------------------------------------------------


def stage(docs: Path) -> None:
    """Put every script below ``docs``, and the table of views by task that they import."""
    folder = docs / SCRIPTS
    folder.mkdir(parents=True, exist_ok=True)
    for script in _scripts():
        shutil.copyfile(script, folder / script.name)
    scripts = {task: view.checker_script for task, view in VIEWS.items()}
    imports = (f'import * as {name} from "./{name}.js";' for name in scripts.values())
    listed = ", ".join(f"{task}: {name}" for task, name in scripts.items())
    (folder / f"{TABLE}.js").write_text("\n".join([
        "/* Every kind of task by its name: how its predictions are judged and shown. */", "",
        *imports, "", f"export const KINDS = {{ {listed} }};", ""]), "utf-8")


def modules() -> list[str]:
    """Addresses of the scripts, one importing the next: a page asks for them at once. Of all but
    ``judge.js``, which runs in a worker that asks for it."""
    names = {TABLE, *(script.stem for script in _scripts())} - {"judge"}
    return [f"{SCRIPTS}/{name}.js" for name in sorted(names)]


def _scripts() -> Iterator[Path]:
    yield from package_data.path("site").glob(f"{SCRIPTS}/*.js")
    yield from Path(__file__).parent.parent.glob("views/*/check/*.js")

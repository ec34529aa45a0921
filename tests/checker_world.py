"""A board with one split, a file for it, and what the program says of that file.

The program is the reference for the checker page: ``answer`` has the shape of the page's report.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from scorer.boards import Board, Split
from scorer.core.graph import Graph
from scorer.core.reading.tsv import File
from scorer.core.records import Finding, Verdict
from scorer.scoring.checking import check_file
from scorer.site.browsing import checker
from scorer.tasks.graph_labels import task as graph_labels
from scorer.tasks.graphs import graph_items as explanation_graphs
from scorer.tasks.texts.items import Gold

NAME = "predictions.tsv"


@dataclass(frozen=True)
class World:
    """A board, and the items of its split ``dev`` as the page fetches them; None if it cannot."""

    board: Board
    items: dict[str, Any] | None

    @property
    def rows(self) -> int:
        """How many items the split has."""
        return self.board.splits["dev"].rows

    def facts(self) -> dict[str, Any]:
        """What the page knows of the board."""
        return checker.facts(self.board)


def world_of(board: Board, texts: Sequence[Sequence[str]], labels: Sequence[str] | None,
             gold: bool = True, known: bool = True) -> World:
    """A board with these items alone."""
    split = Split(file=None, rows=len(texts), gold="public" if gold else "reported")
    items = {"texts": [list(row) for row in texts], "gold": gold,
             "labels": list(labels) if labels and gold else None}
    return World(replace(board, splits={"dev": split}), items if known else None)


@dataclass(frozen=True)
class Case:
    """One file for one world."""

    name: str
    world: str
    content: bytes


def answer(world: World, content: bytes, name: str = NAME) -> dict[str, Any]:
    """What the program says about a file, in the shape of the page's report."""
    task = world.board.task
    texts = world.items["texts"] if world.items else None
    report = check_file(world.board, File(content, name), rows=world.rows, texts=texts)
    golds = _golds(world, [one.row.place for one in report.answers]) if report.ok else None
    verdicts = golds and [task.verdict(gold, one.prediction)
                          for gold, one in zip(golds, report.answers, strict=True)]
    rows = [{"line": one.row.line, "place": one.row.place, **_answered(task, one.prediction),
             "annotation": verdicts[i].annotation if verdicts else None,
             "broken": _plain(one.found.broken), "strict": _plain(one.found.strict)}
            for i, one in enumerate(report.answers)]
    counted = _counted(world, golds, verdicts, rows) if golds and verdicts else (None, None)
    shape = {
        "total": report.total, "read": report.rows, "rows": rows,
        "problems": [vars(one) | {"text": str(one)} for one in report.problems],
        "told": [one if isinstance(one, str) else vars(one) | {"text": str(one)}
                 for one in report.lines],
        "notes": [vars(one) | {"text": str(one)} for one in report.notes],
        "scores": counted[0], "counts": counted[1],
    }
    found: dict[str, Any] = json.loads(json.dumps(shape))
    return found


def _golds(world: World, places: Sequence[int]) -> list[Any] | None:
    """The golds of some items, as far as judging needs them; None if they are not public."""
    if world.board.task.name == "anlg":
        return [Gold(("a", "b"), references=("c",)) for _ in places]  # any: a text is there or not
    if world.items is None or not world.items["gold"]:
        return None
    labels = world.items["labels"] or [None] * world.rows
    return [_gold(world.board.task.name, world.items["texts"][place - 1], labels[place - 1])
            for place in places]


def _gold(task: str, texts: Sequence[str], label: Any) -> Any:
    if task == "graph_labels":
        return graph_labels.Gold(tuple(texts[:-1]), Graph(texts[-1]), label)
    if task in ("anli", "explained_choices"):
        return Gold(tuple(texts[:-2]), tuple(texts[-2:]), label)
    return explanation_graphs.Gold(texts, label, ())


def _answered(task: Any, prediction: Any) -> dict[str, Any]:
    if isinstance(prediction, explanation_graphs.Prediction):
        return {"label": prediction.label, "graph": prediction.graph.text}
    if isinstance(prediction, graph_labels.Prediction):
        return asdict(prediction)
    text = {"text": prediction.text, "words": len(prediction.text.split())}
    return (({"label": prediction.label} if task.labels else {})
            | (text if task.text_column else {}))


def _plain(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [vars(finding) for finding in findings]


def _counted(world: World, golds: Sequence[Any], verdicts: Sequence[Verdict],
             rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, float] | None, Any]:
    """Scores, and what else the page counts."""
    task = world.board.task
    annotations = [one.annotation for one in verdicts]
    passed = annotations.count(task.passed) / world.rows
    if task.name == "anlg":
        words = [row["words"] for row in rows]
        return None, {
            "annotations": {name: annotations.count(name) for name in task.annotations},
            "words": {"least": min(words), "most": max(words), "mean": sum(words) / len(words)}}
    if task.name == "explanation_graphs":
        wrong = annotations.count(task.annotations[0])
        return {"SA": (world.rows - wrong) / world.rows, "StCA": passed}, None
    if task.name == "graph_labels":
        effects = {one: dict.fromkeys(("right", "wrong"), 0) for one in ("right", "wrong")}
        for gold, row, annotation in zip(golds, rows, annotations, strict=True):
            effects[annotation]["right" if row["without"] == gold.label else "wrong"] += 1
        two = all(row["without"] is not None for row in rows)
        return {"accuracy": passed}, {"effects": effects} if two else None
    taken = ("1", "2", *(["-"] if any(row["label"] == "-" for row in rows) else []))
    confusion = {gold: dict.fromkeys(taken, 0) for gold in ("1", "2")}
    for gold, row in zip(golds, rows, strict=True):
        confusion[gold.label][row["label"]] += 1
    return {"accuracy": passed}, {"confusion": confusion}

"""A board of any size for ``bench_site_scale``: made words, made graphs, made scores.

Nothing of it is read from a file but the form of the practice board, and a seed gives the same
board again. Gold graphs have 3 to 8 edges, or 3 short ones on a ``brief`` board: then 100,000 fit
the 8 MiB that a predictions file may have. A system leaves some edges as they are, changes words
or relations of others, and has a wrong label now and then. Scores are those of no scorer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer.core.files import sha256
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import SCHEMA, Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import files as results
from scorer.scoring.summary import summarise

BOARD, SPLIT = "made", "dev"
MEASURED = ("SA", "StCA", "G-ROUGE-L")
_FORM = Path(__file__).resolve().parent.parent / "boards" / "explagraphs-practice" / "board.yaml"
_WORDS = 4_000
_WRONG = 0.1
"""Share of items whose label is wrong."""
_CHANGED = 0.3
"""Share of edges that a system changes."""

Edge = tuple[str, str, str]


class Item(NamedTuple):
    """One gold item."""

    texts: tuple[str, str]
    label: str
    edges: tuple[Edge, ...]


def make(root: Path, examples: int, systems: int, *, brief: bool = False, seed: int = 1) -> None:
    """Write a checkout with one board, its gold, and so many submissions with results."""
    chance = random.Random(seed)  # made data, no secret
    longest = 3 if brief else 9
    words = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(3, longest)))
             for _ in range(_WORDS)]
    form = yaml.safe_load(_FORM.read_text("utf-8"))
    relations, labels = form["settings"]["graph"]["relations"], form["settings"]["labels"]["values"]
    items = [_item(chance, words, relations, labels, brief) for _ in range(examples)]
    gold = _lines([*item.texts, item.label, _string(item.edges)] for item in items)
    folder = root / "boards" / BOARD
    _write(folder / "data" / f"{SPLIT}.tsv", gold)
    form |= {
        "id": BOARD, "title": "Made", "metrics": list(MEASURED), "practice": "no",
        "splits": {SPLIT: {"file": f"{SPLIT}.tsv", "rows": examples, "gold": "public",
                           "sha256": sha256(gold)}}}
    _write(folder / "board.yaml", yaml.safe_dump(form, sort_keys=False).encode())
    for number in range(systems):
        submit(root, items, relations, labels, number, sha256(gold), seed)


def submit(root: Path, items: Sequence[Item], relations: Sequence[str], labels: Sequence[str],
           number: int, gold: str, seed: int) -> None:
    """Write one submission and its result; ``gold`` is the digest of the gold file."""
    chance = random.Random(seed * 1_000 + number)
    team, system = f"team-{number}", "made"
    rows = [(label if chance.random() > _WRONG else next(x for x in labels if x != label),
             _string(_changed(chance, edges, relations))) for _, label, edges in items]
    place = root / "submissions" / BOARD / team / system
    told = {"system": f"Made {number}", "team": f"Team {number}",
            "date": f"2026-01-{number % 28 + 1:02}", "description": "Made for a benchmark.",
            "training_data": "None.", "saw_dev_gold": "no"}
    _write(place / "submission.yaml", yaml.safe_dump(told, sort_keys=False).encode())
    predictions = _lines(rows)
    _write(place / f"predictions.{SPLIT}.tsv", predictions)
    right = [label == item.label for (label, _), item in zip(rows, items, strict=True)]
    results.write(_result(chance, team, system, right, gold, sha256(predictions)), root / "results")


def _result(chance: random.Random, team: str, system: str, right: Sequence[bool], gold: str,
            predictions: str) -> Result:
    items = tuple(
        ItemResult(row, Verdict("struct_correct" if ok else "stance_incorrect"), {
            "SA": ItemScore(float(ok)), "StCA": ItemScore(float(ok)),
            "G-ROUGE-L": _rouge(chance.random() if ok else 0.0)})
        for row, ok in enumerate(right, start=1))
    values = {
        name: summarise(METRICS[name], [item.scores[name] for item in items], right, None)
        for name in MEASURED}
    signed = {name: value.replace(signature=f"{name}|board:{BOARD}-1.0")
              for name, value in values.items()}
    n = len(items)
    counts = {"items": n, "stance_incorrect": n - sum(right), "struct_incorrect": 0,
              "struct_correct": sum(right), "broken": {}, "strict": {}}
    return Result.model_validate({
        "schema": SCHEMA, "board": BOARD, "board_version": "1.0", "task": "explanation_graphs",
        "split": SPLIT, "team": team, "system": system, "counts": counts, "metrics": {},
        "gold": {"golds": 1, "id": f"{BOARD}/{SPLIT}@{gold[:12]}", "public": True, "sha256": gold},
        "predictions": {"rows": n, "sha256": predictions}, "models": {},
        "scorer": {"version": "0.0.0"}, "key": predictions,
    }).replace(metrics=signed, items=items)


def _rouge(value: float) -> ItemScore:
    return ItemScore(value, {"precision": value, "recall": value})


def _item(chance: random.Random, words: Sequence[str], relations: Sequence[str],
          labels: Sequence[str], brief: bool) -> Item:
    """Concepts of one to three words, each edge from a concept that is there already."""
    count = 3 if brief else chance.randint(3, 8)
    found = [" ".join(chance.choices(words, k=1 if brief else chance.randint(1, 3)))
             for _ in range(count + 1)]
    places = range(1, len(found))
    edges = tuple((found[max(0, place - chance.randint(1, 2))], chance.choice(relations),
                   found[place]) for place in places)
    texts = " ".join(found[:2]), " ".join(found[1:])
    return Item(texts, chance.choice(labels), edges)


def _changed(chance: random.Random, edges: Sequence[Edge], relations: Sequence[str]
             ) -> Iterator[Edge]:
    for source, relation, target in edges:
        if chance.random() > _CHANGED:
            yield source, relation, target
        elif chance.random() < 0.5:
            yield source, chance.choice(relations), target
        else:
            yield source, relation, f"{target.partition(' ')[0]} {chance.randint(1, 9)}"


def _string(edges: Any) -> str:
    return "".join(f"({source}; {relation}; {target})" for source, relation, target in edges)


def _lines(rows: Any) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)

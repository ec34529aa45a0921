"""Cases of graph labels that the program and the checker page must answer alike."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scorer import boards
from scorer.boards.golds import read_golds
from tests.checker_world import Case, World, world_of
from tests.test_tsv import TAMPERED

LABELS = ("support", "counter")
ROWS = 6


@cache
def worlds() -> dict[str, World]:
    """The practice board: with and without items and gold."""
    board = boards.load("graph-stance-practice")
    path = board.data_file("dev", Path("nowhere"))
    assert path is not None
    golds = read_golds(board, "dev", path).items[:ROWS]
    texts, labels = [gold.texts for gold in golds], [gold.label for gold in golds]
    return {"graph labels": world_of(board, texts, labels),
            "graph labels, hidden": world_of(board, texts, labels, gold=False),
            "graph labels, unknown": world_of(board, texts, labels, known=False)}


def cases() -> Iterator[Case]:
    """All of them, the same on every run."""
    for name, content in _written():
        for world in worlds():
            yield Case(f"graph labels {name}", world, content)
    for name, (content, _) in TAMPERED.items():
        yield Case(f"tampered {name}, graph labels", "graph labels", content)
    chance = random.Random(7)
    for number in range(100):
        two = number % 2
        rows = ["\t".join(chance.choice((*LABELS, "-")) for _ in range(1 + two))
                for _ in range(ROWS)]
        yield Case(f"graph labels drawn {number}", "graph labels", "\n".join(rows).encode())


def _written() -> Iterator[tuple[str, bytes]]:
    """Files with one column, with two, and what people get wrong in them."""
    one = [LABELS[place % 2] for place in range(ROWS)]
    two = [f"{label}\t{LABELS[0]}" for label in one]
    for name, rows in (("one", one), ("two", two)):
        for end in ("\n", "\r\n"):
            for mark in ("", "\ufeff"):
                yield name, (mark + end.join(rows) + end).encode()
        for wrong in ("Support", " counter ", "supports", "", "-", "0", "support\tcounter",
                      "support", "support\t", "\tsupport", "support\tno", "no\tSUPPORT", "-\t-",
                      "support\tcounter\tsupport", "stance\tstance_without_graph", "stance"):
            yield f"{name}, {wrong!r} in row 3", "\n".join([*rows[:2], wrong, *rows[3:]]).encode()
            yield f"{name}, {wrong!r} first", "\n".join([wrong, *rows[1:]]).encode()
        for other in (rows[:-1], [*rows, rows[0]], [], [f"{row}\t" for row in rows],
                      [row.upper() for row in rows], [f"{n}\t{row}" for n, row in enumerate(rows)]):
            yield f"{name}, {len(other)} rows", "\n".join(other).encode()

"""Cases of explained choices that the program and the checker page must answer alike."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.tasks.written import MOST_LETTERS, MOST_WORDS
from tests.checker_world import Case, World, world_of
from tests.test_tsv import TAMPERED

ROWS = 6
TEXTS = ("Air cools.", "It's \u00e9t\u00e9, said Ann.", "x", "Water runs down.", "a b",
         "\U0001f600")
LABELS = ("1", "2", "2", "1", "1", "2")


@cache
def worlds() -> dict[str, World]:
    """The practice board: with and without items and gold."""
    board = boards.load("explained-practice")
    path = board.data_file("dev", Path("nowhere"))
    assert path is not None
    golds = read_golds(board, "dev", path).items[:ROWS]
    texts, labels = [gold.texts for gold in golds], [gold.label for gold in golds]
    return {"explained": world_of(board, texts, labels),
            "explained, hidden": world_of(board, texts, labels, gold=False),
            "explained, unknown": world_of(board, texts, labels, known=False)}


def cases() -> Iterator[Case]:
    """All of them, the same on every run."""
    for name, content in _written():
        for world in worlds():
            yield Case(f"explained {name}", world, content)
    for name, (content, _) in TAMPERED.items():
        yield Case(f"tampered {name}, explained", "explained", content)
    chance = random.Random(8)
    words = ("air", "Air,", '"a"', "", " ", "\u00a0", "1,", "-", "\u2003")
    for number in range(100):
        rows = ["\t".join((chance.choice(("1", "2", "-")),
                           " ".join(chance.choices(words, k=chance.randrange(5)))))
                for _ in range(ROWS)]
        yield Case(f"explained drawn {number}", "explained", "\n".join(rows).encode())


def _written() -> Iterator[tuple[str, bytes]]:
    """Files as they should be, and what people get wrong in them."""
    rows = ["\t".join(pair) for pair in zip(LABELS, TEXTS, strict=True)]
    for end in ("\n", "\r\n"):
        for mark in ("", "\ufeff"):
            yield "sound", (mark + end.join(rows) + end).encode()
    for wrong in ("0\tx", "1.0\tx", " 2 \tx", "3\tx", "\tx", "1\t", "1\t ", "-\t", "-\tx", "1", "x",
                  "1\tx\ty", "x\t1", "label\texplanation", "0\t" + "x " * (MOST_WORDS + 1),
                  "1\t" + "x" * (MOST_LETTERS + 1), "2\t" + "x " * MOST_WORDS, "1\tx  y", "1\t x",
                  "2\t\u00a0x", ""):
        yield f"{wrong[:20]!r} in row 3", "\n".join([*rows[:2], wrong, *rows[3:]]).encode()
    for other in (rows[:-1], [*rows, rows[0]], [], ["label\texplanation", *rows], list(LABELS),
                  list(TEXTS), [f'{label}\t"{text}"' for label, text in zip(
                      LABELS, TEXTS, strict=True)], ["1\t"] * ROWS, ["-\tx"] * ROWS,
                  [f"{label}\t{n},{label}" for n, label in enumerate(LABELS)],
                  [f"{row}," for row in rows]):
        yield f"{len(other)} rows", "\n".join(other).encode()

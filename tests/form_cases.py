"""Predictions in other forms than they should have, as libraries and spreadsheets write them."""

import csv
import io
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tests.checker_world import Case

Rows = Sequence[Sequence[str]]
GRAPH = "(pets; causes; happy mood)(happy mood; part of; home)(cats; is a; pets)"
TEXTS = ("Ann ran.", "It rained, all day.", "\u00e9t\u00e9", "x", 'y "z"')
SOUND: Mapping[str, tuple[str, ...]] = {
    "eight": ("support\t" + GRAPH, "counter\t" + GRAPH) * 4, "plain": (GRAPH,) * 3,
    "labels": (*"121221",), "labels, unknown": (*"121221",), "texts": TEXTS,
    "texts, unknown": TEXTS}
"""Rows that can be read, by world."""
NAMES = {"eight": ("stance", "graph"), "plain": ("graph",), "labels": ("label",),
         "texts": ("hypothesis",)}


def table(rows: Rows, *, header: Sequence[str] | None = None, index: int | None = None,
          **dialect: Any) -> bytes:
    """Rows as a library of CSV writes them, with a column that counts from ``index``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", **dialect)
    if header is not None:
        writer.writerow([*([] if index is None else [""]), *header])
    for number, row in enumerate(rows):
        writer.writerow([*([] if index is None else [str(index + number)]), *row])
    return out.getvalue().encode()


def rows_of(world: str) -> Rows:
    """The sound rows of a world, cut into columns."""
    return [line.split("\t") for line in SOUND[world]]


def cases() -> Iterator[Case]:
    """Every form in every world that has sound rows, and some that are nearly one."""
    for world in SOUND:
        rows, names = rows_of(world), NAMES[world.partition(",")[0]]
        for number, content in islice(enumerate(_written(rows, names)), len(world) % 2, None, 2):
            yield Case(f"form {number}, {world}", world, content)
    yield from _nearly()


def _written(rows: Rows, names: Sequence[str]) -> Iterator[bytes]:
    for separator in "\t,;|":
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
            for index in (None, 0, 1):
                for header in (None, names, ["label", "prediction"][-len(names):], ["(x)"]):
                    yield table(rows, header=header, index=index, delimiter=separator,
                                quoting=quoting)
    plain = "".join("\t".join(row) + "\n" for row in rows)
    yield from (plain.replace("\t", separator).encode() for separator in ",;| ")
    for end in ("\t\n", "\t\t\n", ",\n", "\t\r\n", "\r\n"):
        yield plain.replace("\n", end).encode()
        yield plain.replace("\n", end, 2).encode()
        yield plain.replace("\t", ",").replace("\n", end).encode()
    for more in ("a\t", "belief\targument\t", "a b\t", "x,"):
        yield "".join(more + line for line in plain.splitlines(True)).encode()
    for start in ("<!DOCTYPE html>\n", " <HTML>\n", "<html", "{", "[\n", "Prediction\n", "0\n",
                  "text\n", "\n", "\ufeff"):
        yield (start + plain).encode()
    yield (plain + "\n\n").encode()
    objects = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    yield "\n".join(objects).encode()
    yield ",\n".join(objects).encode()
    yield f"[{', '.join(objects)}]\n".encode()
    yield f"{json.dumps(rows)}\n".encode()
    yield "\n".join([*objects[:-1], "x"]).encode()


def _nearly() -> Iterator[Case]:
    """Pieces of quotes and separators in any order, and lines of which some have another form."""
    pieces = ['"', '""', ",", ";", "|", "\t", "support", "(a; is a; b)", "1", "2", "x", " ", "{",
              "}", "0", "graph", "'", "\u00e9", "\U0001f600"]
    for seed in range(80):
        chance = random.Random(seed)
        world = chance.choice([*SOUND])
        rows = ["".join(chance.choices(pieces, k=chance.randrange(7)))
                for _ in range(len(SOUND[world]) + chance.choice([0, 0, 0, 1, -1]))]
        yield Case(f"nearly {seed}", world, "\n".join(rows).encode())
        letters = [*table(rows_of(world), delimiter=chance.choice("\t,;|"),
                          index=chance.choice([None, 0, 1]),
                          quoting=chance.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])).decode()]
        for _ in range(chance.choice([0, 1, 2])):
            letters[chance.randrange(len(letters))] = chance.choice(pieces)
        yield Case(f"damaged form {seed}", world, "".join(letters).encode())
    sound = [f"support,{GRAPH}"] * 36 + [f"support\t{GRAPH}"] * 4
    for end in ("", "\n", "\nx", "\nsupport,x", "\n" + "x" * 30_000):
        yield Case("nine of ten", "forty", ("\n".join(sound[:-1]) + end).encode())
        yield Case("nine of ten", "forty", ("\n".join(sound) + end).encode())
        yield Case("eight of ten", "forty", ("\n".join([*sound[4:], *sound[-4:]]) + end).encode())

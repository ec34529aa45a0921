"""Cases that the program and the checker page must answer alike.

Everything is made here, and for narratives in ``checker_art_cases.py``: from the case files, from
the tables of ``test_tsv`` and ``test_check``, and by chance with fixed seeds.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.core.reading.tsv import PACKED
from scorer.tasks.graphs.graph_items import Gold, InputText, Labels
from tests import (
    checker_art_cases,
    checker_explained_cases,
    checker_graph_label_cases,
    form_cases,
)
from tests.checker_world import Case, World, world_of
from tests.fuzz_helpers import SHARDS
from tests.test_check import BREAKS, STRICT
from tests.test_tsv import CASES, HOSTILE, TAMPERED, TIRING

# ---- worlds --------------------------------------------------------------------------------------

ODD_TEXTS = (
    ("\u039f\u03b4\u03cc\u03c3 \u03a3\u039f\u03a6\u039f\u03a3 \u0130stanbul's \U0001f600 "
     "na\u00efve_x \u1e9e\ufb01ne"),
    "caf\u00e9 cafe\u0301 \u212aelvin \U00010400bc 12\u00bd3 \u3007\u4e00 e\u0378f",
    "THE end, of; (it) all",
)
"""Letters whose lower case or neighbours are where two Unicodes may differ."""

PLAIN_TEXTS = ("Cats and dogs are good pets at home", "Pets bring a happy mood to every home")


@cache
def worlds() -> dict[str, World]:
    """Every world by its name."""
    return {**graph_worlds(), **checker_art_cases.worlds(),
            **checker_graph_label_cases.worlds(), **checker_explained_cases.worlds()}


@cache
def graph_worlds() -> dict[str, World]:
    """Boards of several shapes: with and without labels, items, gold, limits."""
    practice = boards.load("explagraphs-practice")
    path = practice.data_file("dev", Path("nowhere"))
    assert path is not None
    golds: tuple[Gold, ...] = read_golds(practice, "dev", path).items
    eight = [gold.texts for gold in golds[:8]], [str(gold.label) for gold in golds[:8]]
    graph = practice.settings.graph
    plain = replace(practice, settings=replace(
        practice.settings, labels=None, texts=(InputText("question", 1), InputText("hint", 0)),
        graph=replace(graph, relations=("leads to", "part of", "parts of", "leads \u00fbp"),
                      least_edges=1, most_edges=3, strict_most_edges=None, concept_words=None,
                      acyclic=False, connected=False)))
    odd = replace(practice, settings=replace(
        practice.settings,
        texts=(InputText("first", 1), InputText("second", 2), InputText("third", 3)),
        labels=Labels("sort", ("ja", "it's", 'a "b"', "\u00e9t\u00e9")),
        graph=replace(graph, relations=(*graph.relations, "\U0001f600 is", "\uff5e is", "i\u0307s",
                                       "takes place only because somebody once said it would do"),
                      least_edges=2, strict_most_edges=3, concept_words=2)))
    return {
        "one": world_of(practice, [PLAIN_TEXTS], ["support"]),
        "two": world_of(practice, [PLAIN_TEXTS] * 2, ["support", "counter"], gold=False),
        "three, unknown": world_of(practice, [PLAIN_TEXTS] * 3, None, known=False),
        "four": world_of(practice, [PLAIN_TEXTS] * 4, ["support", "counter"] * 2),
        "eight": world_of(practice, *eight),
        "forty": world_of(practice, [PLAIN_TEXTS] * 40, ["counter"] * 40),
        "plain": world_of(plain, [PLAIN_TEXTS] * 3, None),
        "odd": world_of(odd, [ODD_TEXTS] * 4, ["ja", "it's", 'a "b"', "\u00e9t\u00e9"]),
    }


# ---- cases ---------------------------------------------------------------------------------------


def cases() -> Iterator[Case]:
    """All of them, the same on every run; but for the hostile none is large."""
    for path in sorted(CASES.glob("*/*/predictions.tsv")):
        yield Case(f"{path.parent.parent.name} {path.parent.name}", "eight", path.read_bytes())
    for name, (content, _) in TAMPERED.items():
        for world in ("one", "three, unknown"):
            yield Case(f"tampered {name}", world, content)
    for table in (BREAKS, STRICT):
        for name, (graph, *_) in table.items():
            yield Case(name, "two", f"support\t{graph}\ncounter\t{graph.upper()}".encode())
            yield Case(name, "plain", f"{graph}\n{graph[1:]}\n{graph[:-1]}\n".encode())
    for name, graph_bytes in TIRING.items():
        yield Case(name, "four", (b"support\t" + graph_bytes + b"\n") * 4)
    for number, (world, content) in enumerate(AT_LIMITS):
        yield Case(f"at a limit {number}", world, content)
    yield from form_cases.cases()
    for kind, start in PACKED.items():
        for world in ("four", "labels", "texts"):
            yield Case(f"{kind} {world}", world, start + b"\n\0\n" * 9)
    yield from _of_bytes()
    yield from _of_graphs()
    yield from _of_letters()
    yield from _of_words()
    yield from _of_slips()
    yield from checker_art_cases.cases()
    yield from checker_graph_label_cases.cases()
    yield from checker_explained_cases.cases()


LARGE = ("row 23: more than 8 MiB", "row 23: a million rows", "row 25: a million edges")
"""Of the files of megabytes, those that each reach another part of the reader."""


def hostile() -> Iterator[Case]:
    """Files of megabytes."""
    for name in LARGE:
        yield Case(name, "forty", HOSTILE[name][0]())


AT_LIMITS = (
    *(("four", b"x\n" * (2 * 4 + 1000 + more)) for more in (0, 1, 2)),
    *(("one", b"support\t" + b"x" * (2**16 + more)) for more in (0, 1)),
    *(("one", "support\t\U0001f600".encode() + b"x" * (2**16 + more)) for more in (-4, -3)),
    ("one", "\U0001f600\u00e9\t".encode() + "\u00e9".encode() * 40_000),
    ("one", "\u20ac".encode() * 22_000 + b"\t" + "\u20ac".encode() * 21_845),
    ("one", b"support\t" + "".join(map(chr, range(0xE000, 0xE000 + 60))).encode()),
    ("one", b"support\t" + "".join(map(chr, range(0xE000, 0xE000 + 49))).encode() + b"\0\x01\x02"),
    ("one", b"-\t(cats; is a; pets)"), ("two", b"-\t-\nsupport\t-"), ("plain", b"-\n-\n-\n"),
    ("odd", b"-\tx\n- \tx\n--\tx\n-\t"),
    ("one", " Stance \tGR\u0041PH\u2003".encode()),
    ("two", b"stance\tgraph\nstance\tgraph"),
    ("one", b"\tgraph"),
    ("one", b"support\t\xf0\x80\x80\x80"),
    *(("two", b"\n".join([b"support\t(" + b")(".join(
        f"c{i}; is a; c{(i + 1) % size}".encode() for i in range(size)) + b")"] * 2))
      for size in (2, 11, 12, 13, 20, 39, 40, 41, 42)),
    *(("two", b"\n".join([b"counter\t(" + b")(".join(
        f"c{i}; is a; d{i}".encode() for i in range(size)) + b")"] * 2))
      for size in (4, 5, 20, 21, 39, 40, 41, 42)),
    *(("two", ("z" * size + "\tx\n" + "\u00e9" * size + "\tx").encode())
      for size in (77, 78, 79, 80, 81)),
    ("two", b"x\ty\n" * 50), ("two", b"x\ty\n" * 51), ("two", b"x\ty\n\n" * 40),
)
"""Files at and just beyond a number that the program holds to."""

MORE = (b"support\t(cats; is a; pets)", b"counter\t", b"version https://git-lfs.github.com/spec/v1",
        b"ja", b"it's", b'a "b"', "\u00e9t\u00e9".encode(), b"JA ", b" Support", b"support counter",
        b"sort\tgraph", b"STANCE\tGraph", b"question", b"\xe2\x82", b"\xf0\x90\x80",
        b"\xf0\x9f\x98",
        b"\xc0\x80", b"\xe0\x80\x80", b"\xc3", "\u0378".encode(), "\U000f0000".encode(),
        b"''", b"\x7f", b"\xc2\xad", b"\xef\xbf\xbe", "\U0001f600".encode())


def _of_bytes() -> Iterator[Case]:
    """Pieces of hostile files in any order, and bytes of any kind."""
    names = [name for name in graph_worlds() if name != "forty"]
    for seed in range(130):
        chance = random.Random(seed)
        pieces = [chance.choice(SHARDS + MORE) for _ in range(chance.randrange(30))]
        yield Case(f"pieces {seed}", chance.choice(names), b"".join(pieces))
    for seed in range(60):
        chance = random.Random(seed)
        rows = [chance.choice(MORE) + b"\t" + chance.choice(SHARDS) * chance.randrange(5)
                for _ in range(chance.randrange(1, 6))]
        yield Case(f"rows {seed}", chance.choice(names), chance.choice([b"\n", b"\r\n"]).join(rows))
    for seed in range(60):
        chance = random.Random(seed)
        yield Case(f"bytes {seed}", chance.choice(names), chance.randbytes(chance.randrange(40)))
    for seed in range(40):
        chance = random.Random(seed)
        lead = chance.choice([0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0x80])
        tail = bytes(chance.choice([0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0x41])
                     for _ in range(chance.randrange(4)))
        content = "support\t\u00e9\U0001f600".encode() + bytes([lead]) + tail
        yield Case(f"sequence {seed}", "one", content)


CONCEPTS = ("cats", "dogs", "pets", "home", "happy mood", "at home", "og", "very very good thing",
            "", " cats", "a  b", "x(y", "a;b", "good", "pets bring a", "\u0130", "Cats")
RELATIONS = ("is a", "causes", "not desires", "not  desires", "isa", "related to", "has proprty",
             "", "IS A", "part of", "parts off", "leads to", "lead to")


def _of_graphs() -> Iterator[Case]:
    """Graphs over few concepts, so that cycles, repeats and parts are common; some are damaged."""
    for seed in range(130):
        chance = random.Random(seed)
        concepts = chance.sample(CONCEPTS, chance.randrange(2, 8))
        world = chance.choice(["four", "four", "plain", "eight"])
        rows = []
        for _ in range(worlds()[world].rows):
            edges = "".join(
                f"({chance.choice(concepts)}; {chance.choice(RELATIONS)}; "
                f"{chance.choice(concepts)})"
                for _ in range(chance.choice([1, 2, 3, 4, 5, 9, 30])))
            for _ in range(chance.choice([0, 0, 0, 1, 3])):
                place = chance.randrange(len(edges) + 1)
                rest = edges[place + chance.randrange(2):]
                edges = edges[:place] + chance.choice("();. x") + rest
            label = "" if world == "plain" else chance.choice(["support\t", "counter\t"])
            rows.append(label + edges)
        yield Case(f"graph {seed}", world, "\n".join(rows).encode())


EDGES = "(cats; is a; pets)(pets; desires; home)(home; causes; happy mood)"
SLIPS: dict[str, Callable[[str], str]] = {
    "no space after a semicolon": lambda graph: graph.replace("; ", ";"),
    "spaces around a semicolon": lambda graph: graph.replace("; ", "\u3000;  "),
    "no-break spaces after semicolons": lambda graph: graph.replace("; ", ";\u00a0"),
    "no-break spaces": lambda graph: graph.replace(" ", "\u00a0"),
    "no-break spaces in relations": lambda graph: graph.replace("is a", "is\u00a0a"),
    "a space between edges": lambda graph: graph.replace(")(", ") ("),
    "two characters of a line feed": lambda graph: graph.replace(")(", ")\\n("),
    "a colon and no semicolon": lambda graph: graph.replace("; ", " : "),
    "arrows": lambda graph: graph.replace("; ", " -> "),
    "full-width characters": lambda graph: graph.translate(
        {ord("("): 0xFF08, ord(")"): 0xFF09, ord(";"): 0xFF1B}),
    "square brackets": lambda graph: graph.translate({ord("("): "[", ord(")"): "]"}),
    "no brackets": lambda graph: graph.replace("(", "").replace(")", ""),
    "bold": lambda graph: f"**{graph}**",
    "an item of a list": lambda graph: f"- {graph}",
    "a sentence before": lambda graph: f"\U0001f600 the graph is this: {graph}",
    "a full stop": lambda graph: f"{graph}.",
    "quotes": lambda graph: f"\u201c{graph}\u201d",
    "quotes around parts": lambda graph: graph.replace("cats", '"cats"'),
    "another relation": lambda graph: graph.replace("is a", "is_a"),
    "no graph": lambda graph: "",
    "braces and a backslash": lambda graph: f"{{text}} \\ {graph}",
    "two slips": lambda graph: f" {graph}".replace("; ", ";"),
    "nothing wrong but its size": lambda graph: "(cats; is a; pets)",
}
"""What a program may do to every graph."""


def _of_slips() -> Iterator[Case]:
    """Files in which most graphs have the same slip, also of few rows, and where 9 of 10 do."""
    for name, slip in SLIPS.items():
        for world, sound in (("eight", 0), ("forty", 0), ("forty", 3), ("forty", 4), ("plain", 0),
                             ("two", 0)):
            rows = worlds()[world].rows
            label = "" if world == "plain" else "support\t"
            graphs = [EDGES] * sound + [slip(EDGES)] * (rows - sound)
            yield Case(f"{name}, {sound} sound", world,
                       "\n".join(label + graph for graph in graphs).encode())
    rng = random.Random(8)
    for seed in range(60):
        slips = rng.choices([*SLIPS.values()], k=2)
        graphs = [slips[0](slips[1](EDGES)) for _ in range(8)]
        for _ in range(rng.choice([0, 0, 1, 30])):
            graph = rng.randrange(8)
            place = rng.randrange(len(graphs[graph]) + 1)
            piece = rng.choice(["(", ")", ";", " ", "\u00a0", '"', "; ", "\U0001f600", ":"])
            graphs[graph] = graphs[graph][:place] + piece + graphs[graph][place:]
        yield Case(f"slips {seed}", "eight",
                   "\n".join(f"counter\t{graph}" for graph in graphs).encode())


LETTERS = (*"aZ1_ ';", "\u03a3", "\u03c3", "\u03c2", "\u0130", "\u0131", "\u212a", "\u1e9e",
           "\ufb01", "\u01c5", "\U00010400", "\U0001f600", "\u0378",
           "\u00a0", "\u3000", "\u0301", "\ufe0f", "\ufffd", "\uff5e", "\u02b0",
           "\u00b7", "\u2019", "\u13a0",
           "\u0660", "\u00bd", "\u3007", "\u00b2", "\u0345", "\u4e00", "\u05d0", '"', "\\")


def _of_letters() -> Iterator[Case]:
    """Graphs of letters about which Unicodes, quotings and lengths may differ."""
    labels = worlds()["odd"].board.settings.labels.values
    relations = ("I\u0307S", "\U0001f600 Is")
    for seed in range(100):
        chance = random.Random(seed)

        def word(chance: random.Random = chance) -> str:
            if chance.random() < 0.3:
                text = chance.choice(ODD_TEXTS)
                place = chance.randrange(len(text))
                return text[place : place + chance.randrange(1, 6)]
            return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(1, 5)))

        rows = []
        for number in range(4):
            edges = "".join(
                f"({word()}; {chance.choice(['is a', word(), *relations])}; {word()})"
                for _ in range(chance.randrange(1, 7)))
            loose = word() if chance.random() < 0.5 else ""
            label = word() if chance.random() < 0.03 else chance.choice([labels[number], "ja"])
            rows.append(f"{label}\t{loose}{edges}{loose * 12}")
        yield Case(f"letters {seed}", "odd", "\n".join(rows).encode())


def _of_words() -> Iterator[Case]:
    """Relations that are nearly one of the board's."""
    relations = worlds()["odd"].board.settings.graph.relations
    for seed in range(40):
        chance = random.Random(seed)
        rows = []
        for _ in range(4):
            edges = []
            for number in range(6):
                letters = list(chance.choice(relations) + chance.choice(["", "", " of", " a" * 30]))
                for _ in range(chance.randrange(4)):
                    place = chance.randrange(len(letters) + 1)
                    end = place + chance.randrange(2)
                    letters[place:end] = chance.choice(["", "x", " ", "t"])
                edges.append(f"(c{number}; {''.join(letters)}; c{number + 1})")
            rows.append("ja\t" + "".join(edges))
        yield Case(f"words {seed}", "odd", "\n".join(rows).encode())

"""Cases that the program and the checker page must answer alike.

Files that people write stand in ``cases/checker.yaml``, with what is done to them. Others are drawn
here with fixed seeds, or made of the cases of ``test_tsv`` and ``test_check``.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from scorer import boards
from scorer.boards.golds import needed_golds
from scorer.core.reading.tsv import PACKED
from scorer.tasks.graphs.graph_items import InputText, Labels
from scorer.tasks.texts.art_files import context_id
from tests import form_cases
from tests.case_files import CASES, expanded, read
from tests.checker_world import Case, World, world_of
from tests.fuzz_helpers import SHARDS
from tests.test_check import BREAKS, STRICT
from tests.test_tsv import HOSTILE, TAMPERED, TIRING

# ---- worlds --------------------------------------------------------------------------------------

WRITTEN = expanded(read("checker.yaml"))
LABELS, TEXTS, EXPLAINED, GRAPH_LABELS = WRITTEN["worlds"]
PLAIN, ODD = WRITTEN["plain"], WRITTEN["odd"]


def _dev(name: str, most: int) -> tuple[Any, list[Any], list[str]]:
    """A practice board, the texts and the labels of its first items."""
    board = boards.load(name)
    golds = needed_golds(board, "dev", Path("nowhere")).items[:most]
    return board, [gold.texts for gold in golds], [getattr(gold, "label", "") for gold in golds]


@cache
def worlds() -> dict[str, World]:
    """Every world by its name: boards of several shapes; items and gold known or not."""
    practice, eight, stances = _dev("explagraphs-practice", 8)
    anli, texts, labels = _dev("anli-practice", 6)
    anlg, contexts, _ = _dev("anlg-practice", 40)
    settings, graph = practice.settings, practice.settings.graph
    plain = replace(practice, settings=replace(
        settings, labels=None, texts=(InputText("question", 1), InputText("hint", 0)),
        graph=replace(graph, relations=tuple(PLAIN["relations"]), least_edges=1, most_edges=3,
                      strict_most_edges=None, concept_words=None, acyclic=False, connected=False)))
    odd = replace(practice, settings=replace(
        settings, labels=Labels("sort", ODD["labels"]),
        texts=(InputText("first", 1), InputText("second", 2), InputText("third", 3)),
        graph=replace(graph, relations=(*graph.relations, *ODD["relations"]), least_edges=2,
                      strict_most_edges=3, concept_words=2)))
    both = PLAIN["texts"]
    found = {
        "one": world_of(practice, [both], ["support"]),
        "two": world_of(practice, [both] * 2, ["support", "counter"], gold=False),
        "three, unknown": world_of(practice, [both] * 3, None, known=False),
        "four": world_of(practice, [both] * 4, ["support", "counter"] * 2),
        "eight": world_of(practice, eight, stances),
        "forty": world_of(practice, [both] * 40, ["counter"] * 40),
        "plain": world_of(plain, [both] * 3, None),
        "odd": world_of(odd, [ODD["texts"]] * 4, ODD["labels"]),
        "labels, odd": world_of(anli, [
            (name, *row[1:]) for name, row in zip(ODD["ids"], texts, strict=True)], labels),
        "labels, no ids": world_of(anli, [("", *row[1:]) for row in texts], labels),
        "labels, an id missing": world_of(anli, [("", *texts[0][1:]), *texts[1:]], labels),
        "labels, twice": world_of(anli, [("s", *texts[0][1:])] * 2 + texts[2:], labels),
        "texts, forty": world_of(anlg, contexts, None),
        "texts, odd": world_of(anlg, ODD["contexts"], None),
    }
    for name, board, items, answers in (
            ("labels", anli, texts, labels), ("texts", anlg, contexts[:5], None),
            ("explained", *_dev("explained-practice", 6)),
            ("graph labels", *_dev("graph-stance-practice", 6))):
        found |= {name: world_of(board, items, answers),
                  f"{name}, hidden": world_of(board, items, answers, gold=False),
                  f"{name}, unknown": world_of(board, items, answers, known=False)}
    return found


GRAPHS = ("one", "two", "three, unknown", "four", "eight", "plain", "odd")


def _texts_of(world: str) -> Any:
    """The items' texts, known to the page or not."""
    known = worlds()[world].items or worlds()[world.partition(",")[0]].items
    assert known is not None
    return known["texts"]


# ---- files that people write ---------------------------------------------------------------------

def _written() -> Iterator[Case]:
    """The files of cases/checker.yaml."""
    turn = 0
    for entry in WRITTEN["files"]:
        rows = entry.get("rows", [])
        files = [*entry.get("files", ()), *(
            [*rows[:line - 1], text, *rows[line:]]
            for line, texts in entry.get("instead", {}).items() for text in texts)]
        for lines in files:
            for form in entry.get("ends", ["lf"]):
                end = "\r\n" if "crlf" in form else "\n"
                text = "\ufeff" * ("mark" in form) + end.join(lines) + end * ("closed" in form)
                content = text.encode("latin-1" if form == "latin-1" else "utf-8")
                names = entry["worlds"]
                if "turns" in entry:
                    names = (names * 2)[turn % len(names):][:entry["turns"]]
                    turn += 1
                for world in names:
                    yield Case(f"{entry['about']}: {content[:40]!r}", world, content)


def _record(texts: Sequence[Any], text: str, model: str = "m", **options: Any) -> str:
    """A line of aNLG's official format."""
    return json.dumps({"obs1": texts[0], "obs2": texts[1], "generations": {model: [text]}},
                      **options)


def _of_records() -> Iterator[Case]:
    """Official records, with a further member or another line; contexts that are repeated."""
    for world in ("texts, unknown", "texts, odd"):
        sound = [_record(row, f"text {n}") for n, row in enumerate(_texts_of(world))]
        for number, member in enumerate(WRITTEN["members"]):
            changed = [sound[0], f"{sound[1][:-1]}, {member}}}", *sound[2:]]
            yield Case(f"member {number}", world, "\n".join(changed).encode())
        for number, line in enumerate(WRITTEN["lines"]):
            yield Case(f"line {number}", world, "\n".join([*sound, line]).encode())
            yield Case(f"line {number}, first", world, "\n".join([line, *sound]).encode())
    for number, start in enumerate(WRITTEN["starts"]):
        yield Case(f"start {number}", "texts, unknown", (start + _record("ab", "x")[1:]).encode())
    first, *others = _texts_of("texts")
    for answers in ("aa", "aba", "abb", "aab", "abab"):
        lines = [*(_record(first, text) for text in answers),
                 *(_record(row, "x") for row in others)]
        for world in TEXTS:
            yield Case(f"repeated {answers}", world, "\n".join([*lines, "\r"]).encode())


def _of_slips() -> Iterator[Case]:
    """Files in which most graphs have the same slip, also of few rows, and where 9 of 10 do."""
    slips = WRITTEN["slips"]
    edges = "(cats; is a; pets)(pets; desires; home)(home; causes; happy mood)"
    for name, slip in slips.items():
        for world, sound in (("eight", 0), ("forty", 0), ("forty", 3), ("forty", 4), ("plain", 0),
                             ("two", 0)):
            label = "" if world == "plain" else "support\t"
            graphs = [edges] * sound + [slip] * (worlds()[world].rows - sound)
            yield Case(f"{name}, {sound} sound", world,
                       "\n".join(label + graph for graph in graphs).encode())
    rng = random.Random(8)
    for seed in range(20):
        graphs = rng.choices(rng.choices([*slips.values()], k=2), k=8)
        for _ in range(rng.choice([0, 1, 30])):
            graph = rng.randrange(8)
            graphs[graph] = _changed(rng, graphs[graph], ("(", ")", ";", " ", "\u00a0", '"', "; ",
                                                          "\U0001f600", ":"))
        yield Case(f"slips {seed}", "eight",
                   "\n".join(f"counter\t{graph}" for graph in graphs).encode())


# ---- drawn ---------------------------------------------------------------------------------------

LETTERS: Sequence[str] = WRITTEN["letters"]
PIECES = (*SHARDS, *(piece.encode() for piece in WRITTEN["pieces"]))


def _changed(rng: random.Random, text: str, pieces: Sequence[str]) -> str:
    """A text with a piece put in, perhaps in place of a character."""
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(pieces) + text[place + rng.randrange(2):]


def _of_bytes() -> Iterator[Case]:
    """Pieces of hostile files in any order, bytes of any kind, and what is nearly UTF-8."""
    for seed in range(60):
        rng = random.Random(seed)
        world = rng.choice((*GRAPHS, *LABELS, *TEXTS))
        yield Case(f"pieces {seed}", world, b"".join(rng.choices(PIECES, k=rng.randrange(30))))
        yield Case(f"bytes {seed}", world, rng.randbytes(rng.randrange(40)))
        lead = rng.choice([0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0x80])
        tail = bytes(rng.choices([0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0x41],
                                 k=rng.randrange(4)))
        yield Case(f"sequence {seed}", "one",
                   "support\t\u00e9\U0001f600".encode() + bytes([lead]) + tail)


def _of_graphs() -> Iterator[Case]:
    """Graphs over few concepts, so that cycles, repeats and parts are common; or of letters about
    which Unicodes, quotings and lengths may differ, with relations that are nearly the board's."""
    near = worlds()["odd"].board.settings.graph.relations

    def word() -> str:
        if rng.random() < 0.3:
            text = rng.choice(ODD["texts"])
            place = rng.randrange(len(text))
            return text[place : place + rng.randrange(1, 6)]
        return "".join(rng.choices(LETTERS, k=rng.randrange(1, 5)))

    def relation() -> str:
        if rng.random() < 0.5:
            return rng.choice(["is a", word(), "I\u0307S", "\U0001f600 Is"])
        text = rng.choice(near) + rng.choice(["", "", " of", " a" * 30])
        for _ in range(rng.randrange(4)):
            text = _changed(rng, text, ("", "x", " ", "t"))
        return text

    def edge(world: str, concepts: Sequence[str]) -> tuple[str, ...]:
        if world == "odd":
            return word(), relation(), word()
        return rng.choice(concepts), rng.choice(WRITTEN["relations"]), rng.choice(concepts)

    for seed in range(140):
        rng = random.Random(seed)
        world = rng.choice(["four", "plain", "eight", "odd", "odd"])
        concepts = rng.sample(WRITTEN["concepts"], rng.randrange(2, 8))
        rows = []
        for number in range(worlds()[world].rows):
            graph = "".join(f"({'; '.join(edge(world, concepts))})"
                            for _ in range(rng.choice([1, 2, 3, 4, 5, 9, 30])))
            for _ in range(rng.choice([0, 0, 0, 1, 3])):
                graph = _changed(rng, graph, (*"();. x", word() * 12))
            label = word() if rng.random() < 0.03 else rng.choice(
                [ODD["labels"][number], "ja"] if world == "odd" else ["support", "counter"])
            rows.append(graph if world == "plain" else f"{label}\t{graph}")
        yield Case(f"graph {seed}", world, "\n".join(rows).encode())


def _of_answers() -> Iterator[Case]:
    """Labels and texts in order, with ids in any order, or as official records; in half of all
    files lines are changed, repeated or left out."""
    def text() -> str:
        return " ".join(rng.choices(WRITTEN["words"], k=rng.choice([0, 1, 3, 8, 20, 60, 205])))

    def lines_of(world: str) -> list[str]:
        items = _texts_of(world)
        if world in LABELS:
            return [f"{row[0]}\t{rng.choice('112-')}" for row in items]
        if world in EXPLAINED:
            return [f"{rng.choice('12-')}\t{text()}" for _ in items]
        if world in GRAPH_LABELS:
            labels = ["support", "counter", "-"]
            return ["\t".join(rng.choices(labels, k=columns)) for _ in items]
        if columns == 1:
            return [_record(row, text(), ensure_ascii=rng.random() < 0.5) for row in items]
        return [text() if plain else f"{rng.choice([number, context_id(*row)])}\t{text()}"
                for number, row in enumerate(items, 1)]

    for seed in range(320):
        rng = random.Random(seed)
        world = rng.choice([*LABELS, *TEXTS, *TEXTS, "texts, forty", *EXPLAINED[:1] * 3,
                            GRAPH_LABELS[0]])
        columns, plain = rng.choice([1, 2]), rng.random() < 0.4
        lines = lines_of(world)
        if rng.random() < 0.5:
            rng.shuffle(lines)
        for _ in range(rng.choice([0, 0, 0, 1, 2, 60])):
            place = rng.randrange(len(lines))
            kind = rng.randrange(4)
            if kind == 0:
                lines[place] = _changed(rng, lines[place], WRITTEN["pieces"])
            elif kind == 1:
                fields = lines[place].split("\t")
                fields[rng.randrange(len(fields))] = rng.choice(WRITTEN["fields"])
                lines[place] = "\t".join(fields)
            elif kind == 2:
                lines.append(lines[place])
            elif len(lines) > 1:
                del lines[place]
        head = rng.choice([*[""] * 8, "story_id\tlabel", "CONTEXT_ID\tHYPOTHESIS"])
        end = rng.choice(["\n", "\n", "\n", "\r\n"])
        mark = "\ufeff" if rng.random() < 0.1 else ""
        yield Case(f"answers {seed}", world, (
            mark + end.join([head] * bool(head) + lines) + rng.choice(["", end])).encode())


# ---- all -----------------------------------------------------------------------------------------


def cases() -> Iterator[Case]:
    """All of them, the same on every run; but for the hostile none is large."""
    for path in sorted(CASES.glob("*/*/predictions.tsv")):
        yield Case(f"{path.parent.parent.name} {path.parent.name}", "eight", path.read_bytes())
    for name, (content, _) in TAMPERED.items():
        for world in ("one", "three, unknown", "labels", "texts, unknown", "explained",
                      "graph labels"):
            yield Case(f"tampered {name}", world, content)
        for world in ("labels", "texts, unknown"):
            yield Case(f"tampered {name}, keyed", world, b"1\t" + content)
    for table in (BREAKS, STRICT):
        for name, (graph, *_) in table.items():
            yield Case(name, "two", f"support\t{graph}\ncounter\t{graph.upper()}".encode())
            yield Case(name, "plain", f"{graph}\n{graph[1:]}\n{graph[:-1]}\n".encode())
    for name, graph_bytes in TIRING.items():
        yield Case(name, "four", (b"support\t" + graph_bytes + b"\n") * 4)
    for kind, start in PACKED.items():
        for world in ("four", "labels", "texts"):
            yield Case(f"{kind} {world}", world, start + b"\n\0\n" * 9)
    yield from form_cases.cases()
    for make in (_written, _of_records, _of_slips, _of_bytes, _of_graphs,
                 _of_answers):
        yield from make()


LARGE = ("row 23: more than 8 MiB", "row 23: a million rows", "row 25: a million edges")
"""Of the files of megabytes, those that each reach another part of the reader."""


def hostile() -> Iterator[Case]:
    """Files of megabytes."""
    for name in LARGE:
        yield Case(name, "forty", HOSTILE[name][0]())

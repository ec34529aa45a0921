"""Cases that the program and the checker page must answer alike.

Files that people write stand in ``cases/checker.yaml``, with what is done to them. Others are drawn
here with fixed seeds, or made of the case files and the tables of ``test_tsv`` and ``test_check``.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from scorer import boards
from scorer.boards.golds import read_golds
from scorer.core.reading.tsv import PACKED
from scorer.tasks.art_files import context_id
from scorer.tasks.graphs.graph_items import InputText, Labels
from scorer.tasks.written import MOST_LETTERS, MOST_WORDS
from tests import form_cases
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
ODD_IDS = ("it's", 'a "b"', "\u00e9t\u00e9", "\U0001f600", "S 1", "\u0378\u202f\ufe0f")
"""Ids that are quoted, counted and escaped in several ways."""
ODD_CONTEXTS = (
    ("Ann's dog \U0001f600", "It's \u00e9t\u00e9."), ("A", "B"), ("B", "A"), ("a \"b\"", "\\"),
    ("\u03a3" * 40, "\u4e00" * 33), ("x" * 55, "y" * 64), ("x" * 54, ""), ("", ""),
)
"""Contexts whose digests take one block and more, of letters of one to four bytes."""
ODD_LABELS = ("ja", "it's", 'a "b"', "\u00e9t\u00e9")


def _dev(name: str, most: int) -> tuple[Any, list[Any], list[str]]:
    """A practice board, the texts and the labels of its first items."""
    board = boards.load(name)
    path = board.data_file("dev", Path("nowhere"))
    assert path is not None
    golds = read_golds(board, "dev", path).items[:most]
    return board, [gold.texts for gold in golds], [getattr(gold, "label", "") for gold in golds]


@cache
def worlds() -> dict[str, World]:
    """Every world by its name: boards of several shapes; items and gold known or not."""
    practice, eight, stances = _dev("explagraphs-practice", 8)
    anli, texts, labels = _dev("anli-practice", 6)
    anlg, contexts, _ = _dev("anlg-practice", 40)
    graph = practice.settings.graph
    plain = replace(practice, settings=replace(
        practice.settings, labels=None, texts=(InputText("question", 1), InputText("hint", 0)),
        graph=replace(graph, relations=("leads to", "part of", "parts of", "leads \u00fbp"),
                      least_edges=1, most_edges=3, strict_most_edges=None, concept_words=None,
                      acyclic=False, connected=False)))
    odd = replace(practice, settings=replace(
        practice.settings,
        texts=(InputText("first", 1), InputText("second", 2), InputText("third", 3)),
        labels=Labels("sort", ODD_LABELS),
        graph=replace(graph, relations=(*graph.relations, "\U0001f600 is", "\uff5e is", "i\u0307s",
                                       "takes place only because somebody once said it would do"),
                      least_edges=2, strict_most_edges=3, concept_words=2)))
    found = {
        "one": world_of(practice, [PLAIN_TEXTS], ["support"]),
        "two": world_of(practice, [PLAIN_TEXTS] * 2, ["support", "counter"], gold=False),
        "three, unknown": world_of(practice, [PLAIN_TEXTS] * 3, None, known=False),
        "four": world_of(practice, [PLAIN_TEXTS] * 4, ["support", "counter"] * 2),
        "eight": world_of(practice, eight, stances),
        "forty": world_of(practice, [PLAIN_TEXTS] * 40, ["counter"] * 40),
        "plain": world_of(plain, [PLAIN_TEXTS] * 3, None),
        "odd": world_of(odd, [ODD_TEXTS] * 4, ODD_LABELS),
        "labels, odd": world_of(anli, [(name, *row[1:]) for name, row in zip(
            ODD_IDS, texts, strict=True)], labels),
        "labels, no ids": world_of(anli, [("", *row[1:]) for row in texts], labels),
        "labels, an id missing": world_of(anli, [("", *texts[0][1:]), *texts[1:]], labels),
        "labels, twice": world_of(anli, [("s", *texts[0][1:])] * 2 + texts[2:], labels),
        "texts, forty": world_of(anlg, contexts, None),
        "texts, odd": world_of(anlg, ODD_CONTEXTS, None),
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


def _expanded(value: Any) -> Any:
    """``<x*3>`` as three x, in every string."""
    if isinstance(value, str):
        return re.sub(r"<(.{1,12}?)\*(\d+)>", lambda m: m[1] * int(m[2]), value, flags=re.DOTALL)
    if isinstance(value, list):
        return list(map(_expanded, value))
    if isinstance(value, dict):
        return {key: _expanded(inner) for key, inner in value.items()}
    return value


WRITTEN = _expanded(yaml.safe_load((CASES / "checker.yaml").read_text("utf-8")))
LABELS, TEXTS, EXPLAINED, GRAPH_LABELS = WRITTEN["worlds"]


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
        yield Case(f"start {number}", "texts, unknown",
                   (start + _record("ab", "x")[1:]).encode())
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
    for seed in range(40):
        graphs = rng.choices(rng.choices([*slips.values()], k=2), k=8)
        for _ in range(rng.choice([0, 1, 30])):
            graph = rng.randrange(8)
            graphs[graph] = _changed(rng, graphs[graph], ("(", ")", ";", " ", "\u00a0", '"', "; ",
                                                          "\U0001f600", ":"))
        yield Case(f"slips {seed}", "eight",
                   "\n".join(f"counter\t{graph}" for graph in graphs).encode())


def _at_limits() -> Iterator[Case]:
    """Files at and just beyond a number that the program holds to."""
    private = "".join(map(chr, range(0xE000, 0xE000 + 60)))
    for text in (private, private[:49] + "\0\x01\x02"):
        yield Case("fifty characters", "one", f"support\t{text}".encode())
    for size in (2, 4, 5, 11, 12, 13, 20, 21, 39, 40, 41, 42):
        for label, ends in (("support", [(i, f"c{(i + 1) % size}") for i in range(size)]),
                            ("counter", [(i, f"d{i}") for i in range(size)])):
            graph = "".join(f"(c{i}; is a; {end})" for i, end in ends)
            yield Case(f"edges {size}", "two", "\n".join([f"{label}\t{graph}"] * 2).encode())
    for more in (0, 1):
        for letter in ("x", "\U0001f600"):
            text = letter * (MOST_LETTERS + more)
            yield Case(f"letters {more}", "texts", "\n".join([text, *"abcd"]).encode())
            yield Case(f"letters {more}, keyed", "texts", "\n".join(
                f"{number}\t{line}" for number, line in enumerate([*"abcd", text], 1)).encode())
        words = ("a " * (MOST_WORDS + more)).strip()
        yield Case(f"words {more}", "texts", "\n".join([*"abcd", words]).encode())
        for kind, rows in (("labels", 6), ("texts", 5)):
            yield Case(f"lines {more}", kind, b"1\n" * (2 * rows + 1000 + more + 1))
            yield Case(f"lines {more}, keyed", kind, b"1\t1\n" * (2 * rows + 1000 + more + 1))
        records = (_record("ab", "c") + "\n").encode() * (2 * 5 * 5 + 1000 + more + 1)
        notes = "\n".join(_record(row, f"{n}") for n in range(10 + more)
                          for row in ODD_CONTEXTS[:5]).encode()
        for world in TEXTS:
            yield Case(f"lines {more}, records", world, records)
            yield Case(f"fifty notes {more}", world, notes)


def _per_reference() -> Iterator[Case]:
    """Lines that repeat the one before, more or fewer of them than a line for each reference has.
    """
    for repeats in (1, 2, 100, 101):
        for different in (5, 6):
            lines = [f"text {n}" for n in range(different) for _ in range(repeats)]
            for end in ("\n", "\r\n"):
                for world in TEXTS:
                    yield Case(f"repeats {repeats} {different}", world,
                               end.join([*lines, ""]).encode())
    for count in (7, 8, 9):
        for change in ("", "\t", "\0", "{"):
            yield Case(f"lines {count}", "texts", (change + "x\n" * count).encode())
            yield Case(f"lines {count}", "texts", "\n".join([*map(str, range(count)), change])
                       .encode())
    for size in (35, 36, 37, 40, 43, 44, 45):
        lines = [f"text {n}" for n in range(size) for _ in range(1 + n % 4)]
        yield Case(f"about forty {size}", "texts, forty", "\n".join(lines).encode())


# ---- drawn ---------------------------------------------------------------------------------------

MORE = (b"support\t(cats; is a; pets)", b"counter\t", b"version https://git-lfs.github.com/spec/v1",
        b"ja", b"it's", b'a "b"', "\u00e9t\u00e9".encode(), b"JA ", b" Support", b"support counter",
        b"sort\tgraph", b"STANCE\tGraph", b"question", b"\xe2\x82", b"\xf0\x90\x80",
        b"\xf0\x9f\x98", b"\xc0\x80", b"\xe0\x80\x80", b"\xc3", "\u0378".encode(),
        "\U000f0000".encode(), b"''", b"\x7f", b"\xc2\xad", b"\xef\xbf\xbe", "\U0001f600".encode())
OF_TEXTS = (b"1", b"2", b"0", b"2.0", b"1\n", b"2\n", b"1\t1\n", b"2\t2\n", b"3\tx\n",
            b"story_id\tlabel\n", b"context_id\thypothesis\n", b"label\n", b"s\t1", b"\tx",
            b'{"', b"{ ", b"}", b'"obs1"', b":", b"[", b"]", b'"generations"',
            _record("AB", "x").encode(), _record("AB", "y").encode() + b"\n",
            _record("BA", "").encode() + b"\n", _record("BA", "\0", "n").encode() + b"\n")


def _changed(rng: random.Random, text: str, pieces: Sequence[str]) -> str:
    """A text with a piece put in, perhaps in place of a character."""
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(pieces) + text[place + rng.randrange(2):]


def _of_pieces() -> Iterator[Case]:
    """Pieces of hostile files in any order, and bytes of any kind."""
    for seed in range(40):
        rng = random.Random(seed)
        for kind, names, pieces in (("graphs", GRAPHS, SHARDS + MORE),
                                    ("texts", (*LABELS, *TEXTS), SHARDS + OF_TEXTS)):
            yield Case(f"pieces of {kind} {seed}", rng.choice(names),
                       b"".join(rng.choices(pieces, k=rng.randrange(30))))
        rows = [rng.choice(MORE) + b"\t" + rng.choice(SHARDS) * rng.randrange(5)
                for _ in range(rng.randrange(1, 6))]
        yield Case(f"rows {seed}", rng.choice(GRAPHS), rng.choice([b"\n", b"\r\n"]).join(rows))
        yield Case(f"bytes {seed}", rng.choice(GRAPHS), rng.randbytes(rng.randrange(40)))
        lead = rng.choice([0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0x80])
        tail = bytes(rng.choices([0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0x41],
                                 k=rng.randrange(4)))
        yield Case(f"sequence {seed}", "one",
                   "support\t\u00e9\U0001f600".encode() + bytes([lead]) + tail)


CONCEPTS = ("cats", "dogs", "pets", "home", "happy mood", "at home", "og", "very very good thing",
            "", " cats", "a  b", "x(y", "a;b", "good", "pets bring a", "\u0130", "Cats")
RELATIONS = ("is a", "causes", "not desires", "not  desires", "isa", "related to", "has proprty",
             "", "IS A", "part of", "parts off", "leads to", "lead to")


def _of_graphs() -> Iterator[Case]:
    """Graphs over few concepts, so that cycles, repeats and parts are common; some are damaged."""
    for seed in range(80):
        rng = random.Random(seed)
        concepts = rng.sample(CONCEPTS, rng.randrange(2, 8))
        world = rng.choice(["four", "four", "plain", "eight"])
        rows = []
        for _ in range(worlds()[world].rows):
            graph = "".join(f"({rng.choice(concepts)}; {rng.choice(RELATIONS)}; "
                            f"{rng.choice(concepts)})"
                            for _ in range(rng.choice([1, 2, 3, 4, 5, 9, 30])))
            for _ in range(rng.choice([0, 0, 0, 1, 3])):
                graph = _changed(rng, graph, "();. x")
            label = rng.choice(["support\t", "counter\t"])
            rows.append(graph if world == "plain" else label + graph)
        yield Case(f"graph {seed}", world, "\n".join(rows).encode())


LETTERS = (*"aZ1_ ';", "\u03a3", "\u03c3", "\u03c2", "\u0130", "\u0131", "\u212a", "\u1e9e",
           "\ufb01", "\u01c5", "\U00010400", "\U0001f600", "\u0378",
           "\u00a0", "\u3000", "\u0301", "\ufe0f", "\ufffd", "\uff5e", "\u02b0",
           "\u00b7", "\u2019", "\u13a0",
           "\u0660", "\u00bd", "\u3007", "\u00b2", "\u0345", "\u4e00", "\u05d0", '"', "\\")


def _of_letters() -> Iterator[Case]:
    """Graphs of letters about which Unicodes, quotings and lengths may differ, or of relations that
    are nearly one of the board's."""
    near = worlds()["odd"].board.settings.graph.relations

    def word(rng: random.Random) -> str:
        if rng.random() < 0.3:
            text = rng.choice(ODD_TEXTS)
            place = rng.randrange(len(text))
            return text[place : place + rng.randrange(1, 6)]
        return "".join(rng.choices(LETTERS, k=rng.randrange(1, 5)))

    def relation(rng: random.Random) -> str:
        if rng.random() < 0.5:
            return rng.choice(["is a", word(rng), "I\u0307S", "\U0001f600 Is"])
        text = rng.choice(near) + rng.choice(["", "", " of", " a" * 30])
        for _ in range(rng.randrange(4)):
            text = _changed(rng, text, ("", "x", " ", "t"))
        return text

    for seed in range(60):
        rng = random.Random(seed)
        rows = []
        for label in ODD_LABELS:
            edges = "".join(f"({word(rng)}; {relation(rng)}; {word(rng)})"
                            for _ in range(rng.randrange(1, 7)))
            loose = word(rng) if rng.random() < 0.5 else ""
            label = word(rng) if rng.random() < 0.03 else rng.choice([label, "ja"])
            rows.append(f"{label}\t{loose}{edges}{loose * 12}")
        yield Case(f"letters {seed}", "odd", "\n".join(rows).encode())


WORDS = ("Ann", "ran", "home.", "\u00e9t\u00e9", "\U0001f600", "it's", "a" * 40, "", " ", "\u3000",
         "\u00a0", "\\t", '"', "\u0301", "{", "\u0378", '"x, y"', "1,")


def _of_answers() -> Iterator[Case]:
    """Labels and texts in order, with ids in any order, or as official records; some changed."""
    def text() -> str:
        return " ".join(rng.choices(WORDS, k=rng.choice([0, 1, 3, 8, 20, 60, 205])))

    for seed in range(40):
        rng = random.Random(seed)
        world = rng.choice(LABELS)
        ids = [row[0] for row in _texts_of(world)]
        rows = [[name, rng.choice("112-")] for name in ids]
        yield Case(f"labels {seed}", world, _keyed(
            rng, rows, [*ids, "1", "x", "", " s", "s" * 90, "\u202e"],
            ["0", "1.0", "2.0", "", " 1", "2 ", "3", "\u00e9"], "story_id\tlabel"))
        world = rng.choice([*TEXTS, "texts, forty"])
        contexts = [*_texts_of(world)]
        digests = [context_id(*row) for row in contexts]
        ids = [rng.choice([str(n + 1), digest]) for n, digest in enumerate(digests)]
        yield Case(f"texts {seed}", world, _keyed(
            rng, [[name, text()] for name in ids],
            [*ids, *digests, "1", "0", "01", "+1", "99", "\u0661", " 1", ""],
            ["", " ", "x" * 1001, "a " * 201, "\x0b", "\u200b"], "context_id\thypothesis"))
        yield Case(f"texts in order {seed}", world, _joined(rng, [
            text() for _ in range(len(contexts) + rng.choice([0, 0, 0, 1, -1]))]))
        few = rng.sample(("x", '"x"', '"x, y"', '"a ""b"""', '"', "x, y", '"x, "y""'),
                         k=rng.choice([1, 2, 3, 5]))
        yield Case(f"quoted {seed}", world, "\n".join(rng.choices(few, k=len(contexts))).encode())
        chosen = [*contexts, *rng.choices(contexts, k=rng.randrange(4))]
        rng.shuffle(chosen)
        if rng.random() < 0.3:
            chosen.pop()
        if rng.random() < 0.2:
            chosen.append(("somebody", "else"))
        lines = [_record(row, text(), "n" if rng.random() < 0.02 else "m",
                         ensure_ascii=rng.random() < 0.5) for row in chosen]
        yield Case(f"records {seed}", world, _joined(rng, [
            _changed(rng, line, '"{}[]:,x\\') if rng.random() < 0.03 else line for line in lines]))
        yield Case(f"explained {seed}", "explained", "\n".join(
            f"{rng.choice('12-')}\t{text()}" for _ in range(6)).encode())
        yield Case(f"graph labels {seed}", "graph labels", "\n".join(
            "\t".join(rng.choices(("support", "counter", "-"), k=1 + seed % 2))
            for _ in range(6)).encode())


def _keyed(rng: random.Random, rows: list[list[str]], ids: Sequence[str], answers: Sequence[str],
           header: str) -> bytes:
    """Rows in any order, some changed, repeated or left out: nothing in half of all files."""
    rng.shuffle(rows)
    for _ in range(rng.choice([0, 0, 0, 1, 2, 60])):
        row = rng.choice(rows)
        kind = rng.randrange(5)
        if kind == 0:
            row[0] = rng.choice(ids)
        elif kind == 1:
            row[1] = rng.choice(answers)
        elif kind == 2:
            rows.append([*row])
        elif kind == 3 and len(rows) > 1:
            rows.remove(row)
        else:
            row.append("more")
    head = rng.choice([[], [], [], [header], [header.upper()]])
    return _joined(rng, [*head, *("\t".join(row) for row in rows)])


def _joined(rng: random.Random, lines: Sequence[str]) -> bytes:
    end = rng.choice(["\n", "\n", "\n", "\r\n"])
    mark = "\ufeff" if rng.random() < 0.1 else ""
    return (mark + end.join(lines) + rng.choice(["", end])).encode()


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
    for make in (_written, _of_records, _of_slips, _at_limits, _per_reference, _of_pieces,
                 _of_graphs, _of_letters, _of_answers):
        yield from make()


LARGE = ("row 23: more than 8 MiB", "row 23: a million rows", "row 25: a million edges")
"""Of the files of megabytes, those that each reach another part of the reader."""


def hostile() -> Iterator[Case]:
    """Files of megabytes."""
    for name in LARGE:
        yield Case(name, "forty", HOSTILE[name][0]())

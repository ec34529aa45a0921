"""Cases of aNLI and aNLG that the program and the checker page must answer alike."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import read_golds
from scorer.tasks.art_files import MOST_LEVELS, context_id
from scorer.tasks.written import MOST_LETTERS, MOST_WORDS
from tests.checker_world import Case, World, world_of
from tests.fuzz_helpers import SHARDS
from tests.test_tsv import TAMPERED

# ---- worlds --------------------------------------------------------------------------------------

ODD_IDS = ("it's", 'a "b"', "\u00e9t\u00e9", "\U0001f600", "S 1", "\u0378\u202f\ufe0f")
"""Ids that are quoted, counted and escaped in several ways."""
ODD_CONTEXTS = (
    ("Ann's dog \U0001f600", "It's \u00e9t\u00e9."), ("A", "B"), ("B", "A"), ("a \"b\"", "\\"),
    ("\u03a3" * 40, "\u4e00" * 33), ("x" * 55, "y" * 64), ("x" * 54, ""), ("", ""),
)
"""Contexts whose digests take one block and more, of letters of one to four bytes."""


def _items(board: Board, most: int) -> Sequence[Any]:
    path = board.data_file("dev", Path("nowhere"))
    assert path is not None
    return read_golds(board, "dev", path).items[:most]


@cache
def worlds() -> dict[str, World]:
    """Both practice boards: with and without items, gold, ids; ids that are odd or repeated."""
    anli, anlg = boards.load("anli-practice"), boards.load("anlg-practice")
    six, forty = _items(anli, 6), _items(anlg, 40)
    texts, labels = [gold.texts for gold in six], [gold.label for gold in six]
    odd = [(name, *gold.texts[1:]) for name, gold in zip(ODD_IDS, six, strict=True)]
    twice = [(row[0] if i else "s", *row[1:]) for i, row in enumerate([texts[0], *texts])]
    contexts = [gold.texts for gold in forty]
    return {
        "labels": world_of(anli, texts, labels),
        "labels, hidden": world_of(anli, texts, labels, gold=False),
        "labels, unknown": world_of(anli, texts, labels, known=False),
        "labels, odd": world_of(anli, odd, labels),
        "labels, no ids": world_of(anli, [("", *row[1:]) for row in texts], labels),
        "labels, an id missing": world_of(anli, [("", *texts[0][1:]), *texts[1:]], labels),
        "labels, twice": world_of(anli, [twice[0], twice[0], *twice[3:]], labels),
        "texts": world_of(anlg, contexts[:5], None),
        "texts, forty": world_of(anlg, contexts, None),
        "texts, hidden": world_of(anlg, contexts[:5], None, gold=False),
        "texts, unknown": world_of(anlg, contexts[:5], None, known=False),
        "texts, odd": world_of(anlg, ODD_CONTEXTS, None),
    }


LABELS = ("labels", "labels, hidden", "labels, unknown", "labels, odd", "labels, no ids",
          "labels, an id missing", "labels, twice")
TEXTS = ("texts", "texts, hidden", "texts, unknown", "texts, odd")


def _ids(name: str) -> list[str]:
    """An id of every item: of labels the story's, of texts the number or the digest."""
    world = worlds()[name]
    rows = world.items["texts"] if world.items else worlds()[name.partition(",")[0]].items["texts"]
    return [row[0] if name in LABELS else context_id(*row) for row in rows]


def _record(obs1: Any, obs2: Any, text: Any, model: str = "m", **more: Any) -> str:
    return json.dumps({"obs1": obs1, "obs2": obs2, "generations": {model: text}, **more})


# ---- cases ---------------------------------------------------------------------------------------


def cases() -> Iterator[Case]:
    """All of them, the same on every run."""
    for name, (content, _) in TAMPERED.items():
        for world in ("labels", "texts, unknown"):
            yield Case(f"tampered {name}, {world}", world, content)
            yield Case(f"tampered {name}, {world}, keyed", world, b"1\t" + content)
    for number, (kind, content) in enumerate(_written()):
        names = LABELS if kind == "labels" else TEXTS
        for world in (names * 2)[number % len(names):][:2]:
            yield Case(f"written {kind} {number}", world, content)
    yield from _at_limits()
    yield from _per_reference()
    yield from _repeated()
    yield from _of_json()
    yield from _of_labels()
    yield from _of_texts()
    yield from _of_records()
    yield from _of_pieces()


def _written() -> Iterator[tuple[str, bytes]]:
    """Files that people write, and what they get wrong."""
    labels = ["1", "2", "1", "2", "2", "1"]
    for end in ("\n", "\r\n"):
        for mark in ("", "\ufeff"):
            for last in (end, ""):
                yield "labels", (mark + end.join(labels) + last).encode()
    for wrong in ("0", "1.0", "2.0", " 2 ", "\u20032", "3", "", "one", "'1'", "1\u00b2", "01", "-1",
                  "\uff11", "\u0661", "1 2", "0 ", "NaN", "label", "-", " - ", "--"):
        yield "labels", "\n".join([*labels[:3], wrong, *labels[4:]]).encode()
    for rows in ([], labels[:5], [*labels, "1"], ["0", "1"] * 3, ["label", *labels],
                 ["Label ", *labels], ["1\t2"] * 6, ["0"] * 60, ["\t1"] * 6, ["1\t"] * 6,
                 ["-"] * 6):
        yield "labels", "\n".join(rows).encode()
    texts = ["Ann ran.", "It rained all day.", "\u00e9t\u00e9", "x", "y z"]
    for change in ("", " ", "\u2003", " x ", "hypothesis", "{x", "x " * 250, "\U0001f600" * 990):
        yield "texts", "\n".join([change, *texts[1:]]).encode()
        yield "texts", "\r\n".join([*texts[:4], change]).encode()
    for rows in ([], texts[:4], [*texts, "x"], ["hypothesis", *texts], [""] * 5, [" "] * 5,
                 ["a b \\t c", *texts], ["x" * 70_000, *texts], ["a\tb\tc"] * 5):
        yield "texts", "\n".join(rows).encode()
    empty = [["", *texts[1:]], [*texts[:2], "", *texts[3:]], [*texts[:4], ""],
             ["", "", "x", "", ""], [*texts, ""], [*texts, "", ""], [*texts[:2], "", *texts[2:]],
             [*texts[:3], "", "x"], [line for text in texts for line in (text, "")],
             [*texts[:2], "", *texts[3:], "", ""], [*texts[:3], ""],
             [*texts, "", "x"], ["hypothesis", *texts[:4], ""]]
    spaced = [[f" {text}" for text in texts], [f"{text}  " for text in texts],
              [text.replace(" ", "  ") for text in texts], [*texts[:4], "a\u00a0b\u2003c"],
              [f"{text} " if n % 2 else f"\u3000{text}" for n, text in enumerate(texts)],
              ["\u00a0", " ", *texts[2:]]]
    for rows in [*empty, *spaced]:
        for end in ("", "\n", "\r\n"):
            yield "texts", ("\r\n" if "\r" in end else "\n").join(rows).encode() + end.encode()
    for rows in ([*labels[:3], "", *labels[4:]], [*labels, ""], [*labels[:3], "", *labels[3:]],
                 [*labels[:5], ""], [*labels[:2], "", "", "1"], ["", *labels, ""]):
        for end in ("", "\n"):
            yield "labels", "\n".join(rows).encode() + end.encode()


def _keyed(ids: Sequence[str], answers: Sequence[str], header: str = "") -> bytes:
    rows = [f"{name}\t{answer}" for name, answer in zip(ids, answers, strict=True)]
    return "\n".join([*([header] if header else []), *rows]).encode()


def _at_limits() -> Iterator[Case]:
    """Files at and just beyond a number that the program holds to."""
    for more in (0, 1):
        for letter in ("x", "\U0001f600"):
            text = letter * (MOST_LETTERS + more)
            yield Case(f"letters {more}", "texts", "\n".join([text, *"abcd"]).encode())
            yield Case(f"letters {more}, keyed", "texts", _keyed("12345", [*"abcd", text]))
        words = "a " * (MOST_WORDS + more)
        yield Case(f"words {more}", "texts", "\n".join([*"abcd", words.strip()]).encode())
        for kind, rows in (("labels", 6), ("texts", 5)):
            yield Case(f"lines {more}", kind, b"1\n" * (2 * rows + 1000 + more + 1))
            yield Case(f"lines {more}, keyed", kind, b"1\t1\n" * (2 * rows + 1000 + more + 1))
        content = (_record("a", "b", ["c"]) + "\n").encode() * (2 * 5 * 5 + 1000 + more + 1)
        for world in TEXTS:
            yield Case(f"lines {more}, records", world, content)
        content = b"\n".join(_record(*row, [f"{n}"]).encode()
                             for n in range(10 + more) for row in ODD_CONTEXTS[:5])
        for world in TEXTS:
            yield Case(f"fifty notes {more}", world, content)


def _per_reference() -> Iterator[Case]:
    """Lines that repeat the one before, more or fewer of them than a line for each reference has.
    """
    for repeats in (1, 2, 100, 101):
        for different in (5, 6):
            lines = [f"text {n}" for n in range(different) for _ in range(repeats)]
            for end in ("\n", "\r\n"):
                content = end.join([*lines, ""]).encode()
                for world in TEXTS:
                    yield Case(f"repeats {repeats} {different}", world, content)
    for lines in (7, 8, 9):
        for change in ("", "\t", "\0", "{"):
            yield Case(f"lines {lines}", "texts", (change + "x\n" * lines).encode())
            yield Case(f"lines {lines}", "texts", "\n".join([*map(str, range(lines)), change])
                       .encode())
    for size in (35, 36, 37, 40, 43, 44, 45):
        lines = [f"text {n}" for n in range(size) for _ in range(1 + n % 4)]
        yield Case(f"about forty {size}", "texts, forty", "\n".join(lines).encode())


def _repeated() -> Iterator[Case]:
    """Contexts with several texts, whose last counts; a header and nothing below it."""
    first, *others = worlds()["texts"].items["texts"]  # type: ignore[index]
    rest = [_record(*row, ["x"]) for row in others]
    for said in ("aa", "aba", "abb", "aab", "abab"):
        lines = [*(_record(*first, [text]) for text in said), *rest]
        for world in TEXTS:
            yield Case(f"repeated {said}", world, "\n".join(lines).encode())
            yield Case(f"repeated {said}, a CR after", world, ("\n".join(lines) + "\r\n").encode())
    for world, header in (("labels", "story_id\tlabel"), ("texts", "context_id\thypothesis")):
        for known in (world, f"{world}, unknown"):
            yield Case("header alone", known, header.encode())


MEMBERS = (
    '"x": NaN', '"x": -Infinity', '"x": [Infinity, {"y": NaN}]', '"x": "NaN \\" NaN"', '"x": -NaN',
    '"x": 1NaN', '"x": NaN1', '"x": +Infinity', '"x": nan', '"x": "NaN', '"x": NaN, "z": "a\\"',
    '"x": "\\"", "z": NaN', '"x": "\\\\", "z": NaN', '"NaN": 1', 'NaN: 1', '"x": NaN.5', '"x": 1.',
    '"x": 01', '"x": 1e999', '"x": -0', '"x": 1e', '"x": .5', '"x": ' + "9" * 5000, '"x": tru',
    '"x": ' + "9" * 5000 + ".0", '"x": "\x7f"', '"x": "\u2028"', '"x": "\\x"', '"x": "\\u12"',
    '"x": "\t"', '"x": "\x01"', '"x": 1,', '"x": [1,]', "'x': 1", '"x": /* */ 1', '"x"', '"x": ',
    '"x": [' * 1 + "[" * (MOST_LEVELS - 2) + "]" * (MOST_LEVELS - 2) + "]",
    '"x": [' + "[" * (MOST_LEVELS - 1) + "]" * (MOST_LEVELS - 1) + "]",
    '"x": [' + "[" * 400 + "]" * 400 + "]", '"x": ' + '{"y": ' * 300 + "1" + "}" * 300,
    '"x": [' + "[" * 5000 + "]" * 5000 + "]", '"x": ' + "[" * 50_000, '"x": "' + '\\"' * 30_000,
    '"__proto__": {"obs1": "a"}', '"obs1": "other"', '"obs1": 1', '"obs2": null', '"obs1": {}',
    '"generations": {}', '"generations": []', '"generations": null', '"generations": "m"',
    '"generations": [["m", ["x"]]]', '"generations": [["x"]]',
    '"generations": {"m": "x"}', '"generations": {"m": ["x", 1]}',
    '"generations": {"m": []}', '"generations": {"m": [1]}', '"generations": {"m": [["x"]]}',
    '"generations": {"m": {"x": 1}}', '"generations": {"m": ["x"], "n": ["x"]}',
    '"generations": {"m": ["x"], "m": ["y"]}', '"generations": {"__proto__": ["x"]}',
    '"generations": {"1": ["x"]}', '"generations": {"m": ["\\ud83d\\ude00"]}',
    '"generations": {"m": ["\\ud83d"]}', '"generations": {"m": ["\\ude00 x"]}',
    '"generations": {"m": ["a\\tb"]}', '"generations": {"m": ["a\\n"]}',
    '"generations": {"m": ["\\u0000"]}', '"generations": {"m": ["\\ufeff"]}',
    '"generations": {"m": [" "]}', '"generations": {"m": ["\\u0085"]}',
    '"generations": {"m": [""]}',
    '"obs1": "\\ud83d"', '"obs1": "\\ud83d\\ud83d\\ude00\\ude00"', '"obs1": "a\\tb\\n"',
    '"obs2": "\\u0000\U0001f600"',
)
"""Members of a record; the last of a name counts."""
LINES = ("", " ", "{}", "[]", "null", "1", '"x"', "NaN", "{", "{ ", '{"', "[" * 3000, "\ufeff{}",
         '["obs1", "obs2", "generations"]', "nonsense", "{} {}", '{"obs1": 1}\x0c', "\ud7ff")


def _of_json() -> Iterator[Case]:
    """Official records of which one has a further member, and lines that are no record."""
    for world in ("texts", "texts, unknown", "texts, odd"):
        known = (worlds()[world].items or {"texts": [("a", str(n)) for n in range(5)]})["texts"]
        sound = [_record(*row, [f"text {n}"]) for n, row in enumerate(known)]
        for number, member in enumerate(MEMBERS):
            changed = f"{sound[1][:-1]}, {member}}}"
            rows = [sound[0], changed, *sound[2:]]
            yield Case(f"member {number}", world, "\n".join(rows).encode())
        for number, line in enumerate(LINES):
            yield Case(f"line {number}", world, "\n".join([*sound, line]).encode())
            yield Case(f"line {number}, first", world, "\n".join([line, *sound]).encode())
    start = _record("a", "b", ["x"])[1:]
    for number, before in enumerate(("{", "\n{", " {", "\r\n \ufeff{", "{ ", "{  ", "{\t", "\t{",
                                     "[{", "\ufeff\ufeff{", "\u00ef{", "\u00bb{")):
        yield Case(f"start {number}", "texts, unknown", (before + start).encode())


def _of_labels() -> Iterator[Case]:
    """Labels with ids in any order, some changed, left out or repeated."""
    for seed in range(90):
        chance = random.Random(seed)
        world = chance.choice(LABELS)
        ids = _ids(world)
        rows = [[name, chance.choice("112-")] for name in ids]
        chance.shuffle(rows)
        _damage(chance, rows, [*ids, "1", "x", "", " s", "s" * 90, "\u202e"],
                ["0", "1.0", "2.0", "", " 1", "2 ", "3", "\u00e9"])
        yield Case(f"labels {seed}", world, _file(chance, rows, "story_id\tlabel"))


WORDS = ("Ann", "ran", "home.", "\u00e9t\u00e9", "\U0001f600", "it's", "a" * 40, "", " ", "\u3000",
         "\u00a0", "\\t", '"', "\u0301", "{", "\u0378")


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.choice([0, 1, 3, 8, 20, 60, 205])))


def _of_texts() -> Iterator[Case]:
    """Texts in order, or with numbers or digests in any order."""
    for seed in range(110):
        chance = random.Random(seed)
        world = chance.choice([*TEXTS, "texts, forty"])
        count = worlds()[world].rows
        if chance.random() < 0.3:
            lines = [_text(chance) for _ in range(count + chance.choice([0, 0, 0, 1, -1]))]
            yield Case(f"texts {seed}", world, _joined(chance, lines))
            continue
        if chance.random() < 0.3:
            pieces = ("x", '"x"', '"x, y"', '"a ""b"""', '"', "x, y", '"x, "y""')
            few = chance.sample(pieces, k=chance.choice([1, 2, 3, 5]))
            yield Case(f"texts {seed}", world, "\n".join(chance.choices(few, k=count)).encode())
            continue
        digests = _ids(world)
        ids = [chance.choice([str(n + 1), digests[n]]) for n in range(count)]
        rows = [[name, _text(chance)] for name in ids]
        chance.shuffle(rows)
        _damage(chance, rows, [*ids, *digests, "1", "0", "01", "+1", "99", "\u0661", " 1", ""],
                ["", " ", "x" * 1001, "a " * 201, "\x0b", "\u200b"])
        yield Case(f"texts {seed}", world, _file(chance, rows, "context_id\thypothesis"))


def _of_records() -> Iterator[Case]:
    """Official records: contexts repeated with other texts, left out, unknown; two models."""
    for seed in range(90):
        chance = random.Random(seed)
        world = chance.choice([*TEXTS, "texts, forty"])
        base = world if worlds()[world].items else "texts"
        contexts = [*worlds()[base].items["texts"]]  # type: ignore[index]
        chosen = [*contexts, *chance.choices(contexts, k=chance.randrange(4))]
        if chance.random() < 0.5:
            chance.shuffle(chosen)
        if chance.random() < 0.3:
            chosen.pop()
        if chance.random() < 0.2:
            chosen.append(("somebody", "else"))
        lines = []
        for row in chosen:
            model = "n" if chance.random() < 0.02 else "m"
            line = json.dumps({"obs1": row[0], "obs2": row[1],
                               "generations": {model: [_text(chance)]}},
                              ensure_ascii=chance.random() < 0.5)
            if chance.random() < 0.03:
                place = chance.randrange(len(line))
                line = line[:place] + chance.choice('"{}[]:,x\\') + line[place + 1:]
            lines.append(line)
        yield Case(f"records {seed}", world, _joined(chance, lines))


PIECES = (*SHARDS, b"1", b"2", b"0", b"2.0", b"1\n", b"2\n", b"1\t1\n", b"2\t2\n", b"3\tx\n",
          b"story_id\tlabel\n", b"context_id\thypothesis\n", b"label\n", b"s\t1", b"\tx",
          b'{"', b"{ ", b"}", b'"obs1"', b":", b"[", b"]", b'"generations"',
          _record("A", "B", ["x"]).encode(), _record("A", "B", ["y"]).encode() + b"\n",
          _record("B", "A", [""]).encode() + b"\n", _record("B", "A", [1]).encode(),
          _record("B", "A", ["\0"], "n").encode() + b"\n")


def _of_pieces() -> Iterator[Case]:
    """Pieces of files in any order."""
    for seed in range(130):
        chance = random.Random(seed)
        pieces = [chance.choice(PIECES) for _ in range(chance.randrange(20))]
        yield Case(f"pieces {seed}", chance.choice([*LABELS, *TEXTS]), b"".join(pieces))


def _damage(chance: random.Random, rows: list[list[str]], ids: Sequence[str],
            answers: Sequence[str]) -> None:
    """Change some rows in place: nothing in half of all files."""
    for _ in range(chance.choice([0, 0, 0, 1, 2, 60])):
        row = rows[chance.randrange(len(rows))]
        kind = chance.randrange(5)
        if kind == 0:
            row[0] = chance.choice(ids)
        elif kind == 1:
            row[1] = chance.choice(answers)
        elif kind == 2:
            rows.append([*row])
        elif kind == 3 and len(rows) > 1:
            rows.remove(row)
        else:
            row.append("more")


def _file(chance: random.Random, rows: Sequence[Sequence[str]], header: str) -> bytes:
    head = [header] if chance.random() < 0.3 else [header.upper()] if chance.random() < 0.1 else []
    return _joined(chance, [*head, *("\t".join(row) for row in rows)])


def _joined(chance: random.Random, lines: Sequence[str]) -> bytes:
    end = chance.choice(["\n", "\n", "\n", "\r\n"])
    mark = "\ufeff" if chance.random() < 0.1 else ""
    return (mark + end.join(lines) + chance.choice(["", end])).encode()

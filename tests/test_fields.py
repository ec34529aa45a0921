"""Declared fields: values, the words of every fault, the JSON Schema, the documentation."""

from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import board as boards
from scorer.errors import Problem
from scorer.reading import fields, strict_yaml
from scorer.reading.fields import (
    Choice,
    Date,
    Field,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Number,
    Record,
    Text,
    YesNo,
    https,
    slug,
)
from scorer.tasks.registry import TASKS
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside, thorough


def read(kind: Kind, written: str) -> tuple[Any, list[Problem]]:
    """A value of a field ``x``, and what is wrong with it."""
    made, problems = fields.load(record_of(kind), f"x: {written}".encode(), "f")
    return (made["x"] if made else None), problems


def record_of(kind: Kind) -> Record:
    return Record((Field("x", kind, "An x."),))


def as_json(kind: Kind, node: strict_yaml.Node) -> Any:
    """A node as the JSON value that its declaration makes of it."""
    value = node.value
    if isinstance(kind, Record) and isinstance(value, dict):
        kinds = {field.name: field.kind for field in kind.fields}
        return {name: as_json(kinds.get(name, Text()), child) for name, child in value.items()}
    if isinstance(kind, MapOf) and isinstance(value, dict):
        return {name: as_json(kind.kind, child) for name, child in value.items()}
    if isinstance(value, list):
        inner = kind.kind if isinstance(kind, ListOf) else Number()
        return [as_json(inner, child) for child in value]
    if isinstance(kind, Integer | Number | YesNo):
        made = kind.read(node, lambda *_: None)
        return value if made is None else made
    return value


def schema_accepts(record: Record, content: bytes) -> bool:
    root, _ = strict_yaml.read(content, "f")
    assert root is not None
    schema = fields.schema_document(record, "f")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema).is_valid(as_json(record, root))


ACCEPTED: list[tuple[Kind, str, Any]] = [
    (Text(5), "abc", "abc"),
    (Text(5), "12345", "12345"),
    (Text(5), "no", "no"),
    (Text(5), "null", "null"),
    (Text(9), "'# a'", "# a"),
    (Text(9), "|\n  abc\n", "abc"),
    (Text(9, lines=True), "|\n  a\n  b\n", "a\nb\n"),
    (slug(), "a", "a"),
    (slug(), "a-1-b", "a-1-b"),
    (slug(), "a" * 40, "a" * 40),
    (https(), "https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
    (https(), "https://example.org:8443", "https://example.org:8443"),
    (Integer(0, 9), "7", 7),
    (Integer(-9, 9), "-7", -7),
    (Number(), "0.50", 0.5),
    (Number(), "-3", -3.0),
    (Number(1.0), "0.4", 0.4),
    (Number(1.0), "1", 1.0),
    (YesNo(), "yes", True),
    (YesNo(), "true", True),
    (YesNo(), "no", False),
    (YesNo(), '"false"', False),
    (Date(), "2026-01-31", "2026-01-31"),
    (Date(), "2026-02", "2026-02"),
    (Choice(("a", "b")), "b", "b"),
    (ListOf(Text(5)), "[a, b]", ("a", "b")),
    (ListOf(Text(5)), "[]", ()),
    (MapOf(Integer(0, 9)), "{a: 1, b: 2}", {"a": 1, "b": 2}),
]


@pytest.mark.parametrize(("kind", "written", "wanted"), ACCEPTED)
def test_a_value_is_read_as_declared(kind: Kind, written: str, wanted: Any) -> None:
    value, problems = read(kind, written)
    assert problems == []
    assert value == wanted
    assert type(value) is type(wanted)
    assert schema_accepts(record_of(kind), f"x: {written}".encode())


TEXT = "text of 1 to 5 characters"
LIST, MAP = f"a list of 1 to 2: {TEXT}", f"names with values: {TEXT}"
FAULTS: list[tuple[Kind, str, list[tuple[str, str, str]]]] = [
    # A kind, what it expects; what was written, what is said of it, and what to do.
    (Text(5), TEXT, [
        ("abcdef", "6 characters", "shorten the text"),
        ("", "nothing", "fill it in"),
        ("'  '", "nothing", "fill it in"),
        ("[a]", "a list or mapping", "write plain text"),
        ('"a\\nb"', "several lines", "write it on one line"),
        ('"a\\eb"', "the character U+001B", "remove the character"),
        ('"\\u202e"', "the character U+202E", "remove the character"),
        ('"\\ud800"', "the character U+D800", "remove the character"),
        ("a\u200bb", "the character U+200B", "remove the character")]),
    (slug(), "1 to 40 of a-z, 0-9 and single inner hyphens", [
        *((text, ascii(text), "mend the value") for text in ("A", "-a", "a_b", "é")),
        ("a" * 41, "41 characters", "shorten the text")]),
    (https(), "an https:// link", [
        (text, repr(text), "mend the value") for text in (
            "javascript:alert(1)", "http://a.org", "file:///etc/passwd", "https://user@a.org",
            "https://a.org/a b")]),
    (Integer(0, 9), "a whole number from 0 to 9", [
        *((text, ascii(text), "write a whole number") for text in ("10", "1_0", "1.0", "\u0661")),
        ("9" * 5000, f"'{'9' * 78}'...", "write a whole number")]),
    (Number(), "a decimal number", [
        (text, repr(text), "write a decimal number") for text in (".nan", "1e400", ".inf")]),
    (YesNo(), "yes or no", [(text, repr(text), "write yes or no") for text in ("Yes", "1")]),
    (Date(), "a date, YYYY-MM-DD or YYYY-MM", [
        ("2026-02-30", "'2026-02-30'", "there is no day 30 in 2026-02"),
        ("2026-13", "'2026-13'", "there is no month 13"),
        ("31.1.2026", "'31.1.2026'", "write YYYY-MM-DD")]),
    (Choice(("a", "b")), "one of: a, b", [
        ("c", "'c'", "choose one of them"), ("{a: b}", "a mapping", "choose one of them")]),
    (ListOf(Text(5), 1, 2), LIST, [
        ("[]", "0 entries", "change their number"),
        ("[a, b, c]", "3 entries", "change their number"),
        ("a", "'a'", "write a list")]),
    (ListOf(Text(5)), "different entries", [("[a, a]", "'a' a second time",
                                            "remove the repetition")]),
    (MapOf(Text(5)), MAP, [("[a]", "a list", "write name: value lines")]),
    (MapOf(Text(5), least=1), MAP, [("{}", "0 names", "write name: value lines")]),
    (MapOf(Text(5), Text(2)), "text of 1 to 2 characters", [("{abc: d}", "3 characters",
                                                            "shorten the text")]),
    (MapOf(Text(5)), TEXT, [("{abc: ''}", "'abc': nothing", "fill it in")]),
    (Record((Field("y", Text(5), "A y."),)), "a mapping with: y", [
        ("z", "'z'", "write name: value lines")]),
]
REFUSED = [(kind, written, f"x: {found}; expected {expected}; {advice}")
           for kind, expected, cases in FAULTS for written, found, advice in cases]


# What a schema cannot say, or is not asked to: invisible characters, lines, days of a month,
# blanks at the end of a name.
BEYOND_A_SCHEMA = ("the character", "several lines", "'2026-02-30'", "'2026-13'")


@pytest.mark.parametrize(("kind", "written", "words"), REFUSED)
def test_a_value_that_is_not_allowed_is_told_with_its_field(
    kind: Kind, written: str, words: str
) -> None:
    value, problems = read(kind, written)
    assert value is None
    [problem] = problems
    assert problem.rule == "META-VALUE"
    assert str(problem).partition(" META-VALUE ")[2] == words
    assert_fit_for_a_log(str(problem))
    accepted = schema_accepts(record_of(kind), f"x: {written}".encode())
    assert accepted == any(said in words for said in BEYOND_A_SCHEMA)


IGNORABLE = [  # Default_Ignorable_Code_Point of Unicode 17, DerivedCoreProperties.txt
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]
BLANK = [(code, code) for code in (0x2800, 0x16FE4, 0x1D159)]
"""Drawn as nothing, though no property says so."""


def test_nothing_that_cannot_be_seen_stands_in_a_text() -> None:
    codes = [code for least, most in IGNORABLE + BLANK for code in range(least, most + 1)]
    let_in = [f"{code:04X}" for code in codes for text in (chr(code), f"a{chr(code)}b")
              if not read(Text(80), text)[1]]
    assert let_in == []


@pytest.mark.parametrize("text", [
    "\u2764\ufe0f lab", "\u2764\ufe0e", "\U0001f5a5\ufe0f", "na\u00efve", "\u0915\u094d\u0937",
    "\u5b66\u6821", "\U0001f469\U0001f3fd", "\u00a9\ufe0f",
], ids=ascii)
def test_what_people_write_names_with_is_text(text: str) -> None:
    assert read(Text(80), text) == (text, [])


@dataclass(frozen=True)
class Pet:
    name: str
    age: int = 1
    toys: tuple[str, ...] = ()


PET = Record((
    Field("name", Text(9), "The pet's name."),
    Field("age", Integer(0, 30), "Its age.", False, 1),
    Field("toys", ListOf(Record((Field("what", Text(9), "A toy."),))), "Its toys.", False, ()),
), Pet)


def test_a_record_is_made_with_its_defaults() -> None:
    assert fields.load(PET, b"name: Rex\n", "f") == (Pet("Rex"), [])


def test_all_faults_of_a_file_are_told_at_once_in_the_order_of_the_lines() -> None:
    written = b"age: old\nbark: loud\ntoys:\n  - what: ''\n  - who: x\n"
    made, problems = fields.load(PET, written, "f")
    assert made is None
    assert [(p.line, p.column, p.rule, p.found) for p in problems] == [
        (1, 1, "META-FIELD", "no field 'name'"),
        (1, 6, "META-VALUE", "age: 'old'"),
        (2, 1, "META-FIELD", "unknown field 'bark'"),
        (4, 11, "META-VALUE", "toys: what: nothing"),
        (5, 5, "META-FIELD", "toys: no field 'what'"),
        (5, 5, "META-FIELD", "toys: unknown field 'who'"),
    ]
    assert problems[2].expected == "one of: name, age, toys"


def test_a_file_that_is_no_mapping_is_told_so() -> None:
    for content in (b"- a\n", b"text\n", b"---\n"):
        made, [problem] = fields.load(PET, content, "f")
        assert made is None
        assert problem.expected == "a mapping with: name, age, toys"


def test_the_documentation_has_a_row_for_every_field() -> None:
    assert fields.markdown_table(PET).split("\n")[2:] == [
        "| `name` | required | text of 1 to 9 characters | The pet's name. |",
        "| `age` | optional | a whole number from 0 to 30 | Its age. |",
        "| `toys` | optional | a list of 0 to 50 mappings | Its toys. |",
        "| `toys[].what` | required | text of 1 to 9 characters | A toy. |",
        "",
    ]


def test_the_schema_refuses_unknown_and_missing_fields() -> None:
    assert schema_accepts(PET, b"name: Rex")
    assert not schema_accepts(PET, b"name: Rex\nbark: x")
    assert not schema_accepts(PET, b"age: 1")


# ---- properties ----------------------------------------------------------------------------

BOARD = boards.declaration(TASKS["explanation_graphs"])
GOOD = (boards.boards_folder() / "explagraphs-practice" / boards.FILE_NAME).read_bytes()


@thorough(25)
@given(st.data())
def test_a_board_with_some_lines_changed_is_read_or_told_what_is_wrong(data: st.DataObject) -> None:
    lines = GOOD.split(b"\n")
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        other = data.draw(st.sampled_from([b"", b"x: y", b"  - z", *lines[:40:4]]))
        lines[place : place + data.draw(st.integers(0, 3))] = [other]
    content = b"\n".join(lines)
    made, problems = fields.load(BOARD, content, "f")
    assert (made is None) == bool(problems)
    for problem in problems:
        assert_inside(problem, content)
        assert_fit_for_a_log(str(problem))

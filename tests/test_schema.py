"""Records: values, the words of every fault, the JSON Schema, the documentation."""

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import Annotated, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards
from scorer.core.errors import Problem
from scorer.core.reading import schema, strict_json, strict_yaml
from scorer.core.reading.values import (
    Choice,
    Date,
    Decimal,
    Https,
    Integer,
    Internal,
    Items,
    Optional,
    Slug,
    Text,
    YesNo,
    fault,
)
from scorer.tasks.registry import TASKS
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside, thorough

Short = Annotated[str, Text(5)]
Digit = Annotated[int, Integer(0, 9)]
Flag = Annotated[bool, YesNo()]
Day = Annotated[str, Date()]
Word = Annotated[str, Choice(("a", "b"))]
Share = Annotated[float, Decimal(1.0)]
Shorts = Annotated[tuple[Short, ...], Items(0, 2)]


@cache
def record_of(kind: Any) -> type:
    """A record with a field ``x``."""
    return make_dataclass("X", [("x", Annotated[kind, "An x."])], frozen=True)


def read(kind: Any, written: str) -> tuple[Any, list[Problem]]:
    """A value of a field ``x``, and what is wrong with it."""
    made, problems = schema.load(record_of(kind), f"x: {written}".encode(), "f")
    return (made.x if made else None), problems


def as_json(kind: schema.Schema, whole: schema.Schema, value: Any) -> Any:
    """A value of YAML as the JSON value that its schema makes of it."""
    kind = schema.resolved(kind, whole)
    if isinstance(value, dict):
        named, others = kind.get("properties", {}), kind.get("additionalProperties") or {}
        return {name: as_json(named.get(name, others), whole, one) for name, one in value.items()}
    if isinstance(value, list):
        return [as_json(kind.get("items", {}), whole, one) for one in value]
    readers = {"integer": Integer(-10**9), "number": Decimal(), "boolean": YesNo()}
    try:
        return readers[kind["type"]].read(value)
    except (KeyError, type(fault("", ""))):
        return value


def schema_accepts(kind: Any, content: bytes) -> bool:
    root, _ = strict_yaml.read(content, "f")
    assert root is not None
    document = schema.schema_of(kind, "f")
    jsonschema.Draft202012Validator.check_schema(document)
    whole = schema.described(kind)
    return jsonschema.Draft202012Validator(document).is_valid(as_json(whole, whole, root.plain()))


ACCEPTED: list[tuple[Any, str, Any]] = [
    (Short, "abc", "abc"),
    (Short, "12345", "12345"),
    (Short, "no", "no"),
    (Short, "null", "null"),
    (Short, "'# a'", "# a"),
    (Short, "|\n  abc\n", "abc"),
    (Annotated[str, Text(9, lines=True)], "|\n  a\n  b\n", "a\nb\n"),
    (Slug, "a", "a"),
    (Slug, "a-1-b", "a-1-b"),
    (Slug, "a" * 40, "a" * 40),
    (Https, "https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
    (Https, "https://example.org:8443", "https://example.org:8443"),
    (Digit, "7", 7),
    (Annotated[int, Integer(-9, 9)], "-7", -7),
    (Annotated[float, Decimal()], "0.50", 0.5),
    (Annotated[float, Decimal()], "-3", -3.0),
    (Share, "0.4", 0.4),
    (Share, "1", 1.0),
    (Flag, "yes", True),
    (Flag, "true", True),
    (Flag, "no", False),
    (Flag, '"false"', False),
    (Day, "2026-01-31", "2026-01-31"),
    (Day, "2026-02", "2026-02"),
    (Word, "b", "b"),
    (Shorts, "[a, b]", ("a", "b")),
    (Shorts, "[]", ()),
    (Annotated[tuple[Short, ...], Items(1, 9, "any")], "any", ()),
    (Annotated[tuple[Short, ...], Items(1, 9, single=True)], "a", ("a",)),
    (Annotated[tuple[Short, ...], Items(alike=True)], "[a, a]", ("a", "a")),
    (Mapping[Short, Digit], "{a: 1, b: 2}", {"a": 1, "b": 2}),
]


@pytest.mark.parametrize(("kind", "written", "wanted"), ACCEPTED)
def test_a_value_is_read_as_declared(kind: Any, written: str, wanted: Any) -> None:
    value, problems = read(kind, written)
    assert problems == []
    assert value == wanted
    assert type(value) is type(wanted)
    assert schema_accepts(record_of(kind), f"x: {written}".encode())


@dataclass(frozen=True)
class Inner:
    y: Annotated[str, Text(5), "A y."]


TEXT = "text of 1 to 5 characters"
LIST, MAP = f"a list of 1 to 2: {TEXT}", f"names with values: {TEXT}"
FAULTS: list[tuple[Any, str, list[tuple[str, str, str]]]] = [
    # A kind, what it expects; what was written, what is said of it, and what to do.
    (Short, TEXT, [
        ("abcdef", "6 characters", "shorten the text"),
        ("", "nothing", "fill it in"),
        ("'  '", "nothing", "fill it in"),
        ("[a]", "a list", "write plain text"),
        ("{a: b}", "a mapping", "write plain text"),
        ('"a\\nb"', "several lines", "write it on one line"),
        ('"a\\eb"', "the character U+001B", "remove the character"),
        ('"\\u202e"', "the character U+202E", "remove the character"),
        ('"\\ud800"', "the character U+D800", "remove the character"),
        ("a\u200bb", "the character U+200B", "remove the character")]),
    (Slug, "1 to 40 of a-z, 0-9 and single inner hyphens", [
        *((text, ascii(text), "mend the value") for text in ("A", "-a", "a_b", "é")),
        ("a" * 41, "41 characters", "shorten the text")]),
    (Https, "an https:// link", [
        (text, repr(text), "mend the value") for text in (
            "javascript:alert(1)", "http://a.org", "file:///etc/passwd", "https://user@a.org",
            "https://a.org/a b")]),
    (Digit, "a whole number from 0 to 9", [
        *((text, ascii(text), "write a whole number") for text in ("10", "1_0", "1.0", "\u0661")),
        ("9" * 5000, f"'{'9' * 78}'...", "write a whole number")]),
    (Annotated[float, Decimal()], "a decimal number", [
        (text, repr(text), "write a decimal number") for text in (".nan", "1e400", ".inf")]),
    (Flag, "yes or no", [(text, repr(text), "write yes or no") for text in ("Yes", "1")]),
    (Day, "a date, YYYY-MM-DD or YYYY-MM", [
        ("2026-02-30", "'2026-02-30'", "there is no day 30 in 2026-02"),
        ("2026-13", "'2026-13'", "there is no month 13"),
        ("31.1.2026", "'31.1.2026'", "write YYYY-MM-DD")]),
    (Word, "one of: a, b", [
        ("c", "'c'", "choose one of them"), ("{a: b}", "a mapping", "choose one of them")]),
    (Annotated[tuple[Short, ...], Items(1, 2)], LIST, [
        ("[]", "0 entries", "change their number"),
        ("[a, b, c]", "3 entries", "change their number"),
        ("a", "'a'", "write a list")]),
    (Annotated[tuple[Short, ...], Items(1, 2, "any")], f"any, or {LIST}", [
        ("a", "'a'", "write a list, or any")]),
    (Shorts, "different entries", [("[a, a]", "'a' a second time", "remove the repetition")]),
    (Mapping[Short, Short], MAP, [("[a]", "a list", "write name: value lines")]),
    (Annotated[Mapping[Short, Short], Items(1)], MAP, [
        ("{}", "0 names", "write name: value lines")]),
    (Mapping[Annotated[str, Text(2)], Short], "text of 1 to 2 characters", [
        ("{abc: d}", "3 characters", "shorten the text")]),
    (Mapping[Short, Short], TEXT, [("{abc: ''}", "'abc': nothing", "fill it in")]),
    (Inner, "a mapping with: y", [("z", "'z'", "write name: value lines")]),
]
REFUSED = [(kind, written, f"x: {found}; expected {expected}; {advice}")
           for kind, expected, cases in FAULTS for written, found, advice in cases]


# What a schema cannot say, or is not asked to: invisible characters, lines, days of a month,
# blanks at the end of a name.
BEYOND_A_SCHEMA = ("the character", "several lines", "'2026-02-30'", "'2026-13'")


@pytest.mark.parametrize(("kind", "written", "words"), REFUSED)
def test_a_value_that_is_not_allowed_is_told_with_its_field(
    kind: Any, written: str, words: str
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
class Toy:
    what: Annotated[str, Text(9), "A toy."]


@dataclass(frozen=True)
class Pet:
    name: Annotated[str, Text(9), "The pet's name."]
    age: Annotated[int, Integer(0, 30), "Its age."] = 1
    toys: Annotated[tuple[Toy, ...], Items(), "Its toys."] = ()
    best: Annotated[Optional[Toy], "Its best toy."] = None
    seen: Internal[bool] = False


def test_a_record_is_made_with_its_defaults() -> None:
    assert schema.load(Pet, b"name: Rex\n", "f") == (Pet("Rex"), [])


def test_all_faults_of_a_file_are_told_at_once_in_the_order_of_the_lines() -> None:
    written = b"age: old\nbark: loud\ntoys:\n  - what: ''\n  - who: x\n"
    made, problems = schema.load(Pet, written, "f")
    assert made is None
    assert [(p.line, p.column, p.rule, p.found) for p in problems] == [
        (1, 1, "META-FIELD", "no field 'name'"),
        (1, 6, "META-VALUE", "age: 'old'"),
        (2, 1, "META-FIELD", "unknown field 'bark'"),
        (4, 11, "META-VALUE", "toys: what: nothing"),
        (5, 5, "META-FIELD", "toys: no field 'what'"),
        (5, 5, "META-FIELD", "toys: unknown field 'who'"),
    ]
    assert problems[2].expected == "one of: name, age, toys, best"


def test_a_file_that_is_no_mapping_is_told_so() -> None:
    for content in (b"- a\n", b"text\n", b"---\n"):
        made, [problem] = schema.load(Pet, content, "f")
        assert made is None
        assert problem.expected == "a mapping with: name, age, toys, best"


def test_a_field_of_the_program_is_unknown_to_files() -> None:
    made, [problem] = schema.load(Pet, b"name: Rex\nseen: yes\n", "f")
    assert made is None
    assert str(problem) == ("f:2:1 META-FIELD unknown field 'seen'; expected one of: name, age, "
                            "toys, best; remove or rename it")
    assert "seen" not in schema.schema_of(Pet, "f")["properties"]


def test_what_does_not_fit_together_has_its_line_once_every_field_is_sound() -> None:
    def misfits(pet: Pet) -> list[schema.Misfit]:
        return [(("toys", 1, "what"), pet.toys[1].what, "another", "rename it")]

    written = b"name: Rex\ntoys:\n  - what: ball\n  - what: bone\n"
    made, [] = schema.load(Pet, written, "f")
    [problem] = schema.at_places(misfits(made), written, "f")
    assert str(problem) == "f:4:11 META-VALUE bone; expected another; rename it"


def test_json_is_read_by_the_same_record_with_the_places_of_its_values() -> None:
    def problems(text: str) -> list[str]:
        root, faults = strict_json.read(text.encode(), "f")
        return [str(one) for one in (schema.of_node(Pet, root, "f")[1] if root else faults)]

    assert problems('{"name": "Rex", "age": 3, "toys": [{"what": "ball"}]}') == []
    assert problems('{"name": 3,\n "age": "3",\n "toys": [\n  {"who": true}]}') == [
        "f:1:10 META-VALUE name: 3; expected text of 1 to 9 characters; write plain text",
        "f:2:9 META-VALUE age: '3'; expected a whole number from 0 to 30; write a whole number",
        "f:4:3 META-FIELD toys: no field 'what'; expected text of 1 to 9 characters; add it",
        "f:4:4 META-FIELD toys: unknown field 'who'; expected one of: what; remove or rename it",
    ]
    plain = "expected one plain JSON document"
    advice = "use plain keys, strings, numbers and lists"
    for text, words in {
        '{"a": 1,\n "a": 2}': f"2:2 META-VALUE the key 'a' a second time; {plain}; {advice}",
        '{"a": NaN}': f"1:7 META-VALUE the value NaN; {plain}; {advice}",
        "[" * 30 + "]" * 30: f"1:22 META-VALUE nesting deeper than 20; {plain}; {advice}",
        "9" * 5000: f"1:1 META-VALUE a number of 5000 characters; {plain}; {advice}",
        '{"a":\n x}': f"2:2 META-VALUE Expecting value; {plain}; mend the JSON",
    }.items():
        assert problems(text) == [f"f:{words}"]


def test_the_documentation_has_a_row_for_every_field() -> None:
    assert schema.markdown_table(Pet).split("\n")[2:] == [
        "| `name` | required | text of 1 to 9 characters | The pet's name. |",
        "| `age` | optional | a whole number from 0 to 30 | Its age. |",
        "| `toys` | optional | a list of 0 to 50 mappings | Its toys. |",
        "| `toys[].what` | required | text of 1 to 9 characters | A toy. |",
        "| `best` | optional | a mapping | Its best toy. |",
        "| `best.what` | required | text of 1 to 9 characters | A toy. |",
        "",
    ]


def test_a_name_that_looks_like_a_place_of_pydantic_is_a_name() -> None:
    for kind in (Mapping[Short, Short], record_of(Mapping[Short, Short])):
        for written in (b"'[key]': ''", b"x: {'[key]': ''}", b"x: {'[key]': {'[key]': ''}}"):
            made, problems = schema.load(kind, written, "f")
            assert made is None
            assert problems


def test_the_schema_refuses_unknown_and_missing_fields() -> None:
    assert schema_accepts(Pet, b"name: Rex")
    assert not schema_accepts(Pet, b"name: Rex\nbark: x")
    assert not schema_accepts(Pet, b"age: 1")


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
    made, problems = schema.load(BOARD, content, "f")
    assert (made is None) == bool(problems)
    for problem in problems:
        assert_inside(problem, content)
        assert_fit_for_a_log(str(problem))

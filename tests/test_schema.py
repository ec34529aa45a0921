"""Records: values, the words of every fault, the JSON Schema, the documentation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import Annotated, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer import boards
from scorer.core.errors import Problem
from scorer.core.reading import schema, strict
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
from tests.case_files import expanded
from tests.case_files import read as read_cases
from tests.fuzz_helpers import assert_fit_for_a_log, assert_inside, thorough

CASES = expanded(read_cases("values.yaml"))
Short = Annotated[str, Text(5)]
Digit = Annotated[int, Integer(0, 9)]


@dataclass(frozen=True)
class Inner:
    y: Annotated[str, Text(5), "A y."]


KINDS: dict[str, Any] = {
    "text of 5 at most": Short, "lines": Annotated[str, Text(9, lines=True)],
    "name of a folder": Slug, "link": Https, "digit": Digit,
    "-9 to 9": Annotated[int, Integer(-9, 9)], "decimal": Annotated[float, Decimal()],
    "share": Annotated[float, Decimal(1.0)], "flag": Annotated[bool, YesNo()],
    "day": Annotated[str, Date()], "a or b": Annotated[str, Choice(("a", "b"))],
    "two texts at most": Annotated[tuple[Short, ...], Items(0, 2)],
    "one text or two": Annotated[tuple[Short, ...], Items(1, 2)],
    "two texts, or any": Annotated[tuple[Short, ...], Items(1, 2, "any")],
    "texts, or one": Annotated[tuple[Short, ...], Items(1, 9, single=True)],
    "equal texts": Annotated[tuple[Short, ...], Items(alike=True)],
    "digits by names": Mapping[Short, Digit], "texts by names": Mapping[Short, Short],
    "a text by its name at least": Annotated[Mapping[Short, Short], Items(1)],
    "texts by names of two letters": Mapping[Annotated[str, Text(2)], Short],
    "a mapping": Inner,
}


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
    root, _ = strict.read_yaml(content, "f")
    assert root is not None
    document = schema.schema_of(kind, "f")
    jsonschema.Draft202012Validator.check_schema(document)
    whole = schema.described(kind)
    return jsonschema.Draft202012Validator(document).is_valid(as_json(whole, whole, root.plain()))


@pytest.mark.parametrize(("kind", "written", "wanted"), [
    (kind, written, wanted) for kind, values in CASES["read"].items()
    for written, wanted in values.items()])
def test_a_value_is_read_as_declared(kind: str, written: str, wanted: Any) -> None:
    value, problems = read(KINDS[kind], written)
    assert problems == []
    assert value == (tuple(wanted) if isinstance(wanted, list) else wanted)
    assert type(value) in (type(wanted), tuple)
    assert schema_accepts(record_of(KINDS[kind]), f"x: {written}".encode())


def refused(kind: str, written: str) -> str:
    """What is said of a value that is not allowed."""
    value, [problem] = read(KINDS[kind], written)
    assert value is None
    assert problem.rule == "META-VALUE"
    assert_fit_for_a_log(str(problem))
    return str(problem).partition(" META-VALUE ")[2]


def all_refused() -> Iterator[tuple[str, list[str]]]:
    for kind, values in CASES["refused"].items():
        yield kind, [refused(kind, written) for written in values]


BEYOND_A_SCHEMA = ("the character", "several lines", "'2026-02-30'", "'2026-13'")
"""What a schema cannot say, or is not asked to: invisible characters, lines, days of a month."""


@pytest.mark.parametrize(("kind", "written"), [
    (kind, written) for kind, values in CASES["refused"].items() for written in values])
def test_what_is_not_allowed_is_refused_by_the_schema_too(kind: str, written: str) -> None:
    beyond = any(words in refused(kind, written) for words in BEYOND_A_SCHEMA)
    assert schema_accepts(record_of(KINDS[kind]), f"x: {written}".encode()) == beyond


IGNORABLE = [  # Default_Ignorable_Code_Point of Unicode 17, DerivedCoreProperties.txt
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]
BLANK = [(code, code) for code in (0x2800, 0x16FE4, 0x1D159)]
"""Drawn as nothing, though no property says so."""


def test_nothing_that_cannot_be_seen_stands_in_a_text() -> None:
    codes = [code for least, most in IGNORABLE + BLANK
             for code in (*range(least, most, max(1, (most - least) // 50)), most)]
    let_in = [f"{code:04X}" for code in codes for text in (chr(code), f"a{chr(code)}b")
              if not read(Text(80), text)[1]]
    assert let_in == []


def test_what_people_write_names_with_is_text() -> None:
    for text in ("\u2764\ufe0f lab", "\u2764\ufe0e", "\U0001f5a5\ufe0f", "na\u00efve",
                 "\u00a9\ufe0f", "\u0915\u094d\u0937", "\u5b66\u6821", "\U0001f469\U0001f3fd"):
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


def test_a_file_is_a_mapping_of_fields_that_files_have() -> None:
    assert schema.load(Pet, b"name: Rex\n", "f") == (Pet("Rex"), [])
    for content in (b"- a\n", b"text\n", b"---\n"):
        made, [problem] = schema.load(Pet, content, "f")
        assert made is None
        assert problem.expected == "a mapping with: name, age, toys, best"
    made, [problem] = schema.load(Pet, b"name: Rex\nseen: yes\n", "f")  # the program's own
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
        root, faults = strict.read_json(text.encode(), "f")
        found = schema.of_node(Pet, root, "f")[1] if root else faults
        return [str(one).partition(";")[0] for one in found]

    assert problems('{"name": "Rex", "age": 3, "toys": [{"what": "ball"}]}') == []
    assert problems('{"name": 3,\n "age": "3",\n "toys": [\n  {"who": true}]}') == [
        "f:1:10 META-VALUE name: 3", "f:2:9 META-VALUE age: '3'",
        "f:4:3 META-FIELD toys: no field 'what'", "f:4:4 META-FIELD toys: unknown field 'who'"]
    for text, said in {
        '{"a": 1,\n "a": 2}': "2:2 META-VALUE the key 'a' a second time",
        '{"a": NaN}': "1:7 META-VALUE the value NaN",
        "[" * 30 + "]" * 30: "1:22 META-VALUE nesting deeper than 20",
        "9" * 5000: "1:1 META-VALUE a number of 5000 characters",
        '{"a":\n x}': "2:2 META-VALUE Expecting value",
    }.items():
        assert problems(text) == [f"f:{said}"]


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

"""Declared fields: one table gives the strict reader, the JSON Schema and the documentation.

A *kind* knows how to read a YAML node, and how to say what it accepts. A file format is a
``Record`` of fields, which ``record_of`` takes from a dataclass; ``load`` reads a file by it and
returns every problem found, not the first.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from dataclasses import fields as fields_of
from functools import cache
from typing import Any, NamedTuple, Protocol, get_type_hints

from scorer.errors import Problem, counted, excerpt
from scorer.reading import strict_yaml
from scorer.reading.characters import selector_without_symbol, unwelcome_character
from scorer.reading.strict_yaml import Node

Complain = Callable[[Node, str, str, str, str], None]
"""``complain(node, rule, found, expected, advice)``"""

_FAULT = "META-VALUE"


class Kind(Protocol):
    """What a field may hold."""

    def read(self, node: Node, complain: Complain) -> Any:
        """The value; None after complaining."""

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the value."""

    def describe(self) -> str:
        """What is accepted, in a few words."""


@dataclass(frozen=True)
class Text:
    """A string without invisible or control characters, on one line unless ``lines``."""

    most: int = 300
    pattern: str | None = None
    said: str | None = None
    lines: bool = False

    def read(self, node: Node, complain: Complain) -> str | None:
        if not isinstance(node.value, str):
            complain(node, _FAULT, "a list or mapping", self.describe(), "write plain text")
            return None
        text = node.value if self.lines else node.value.rstrip("\n")
        bad = unwelcome_character(text.replace("\n", " "))
        bad = selector_without_symbol(text) if bad is None else bad
        if bad is not None:
            found = f"the character U+{ord(text[bad]):04X}"
            complain(node, _FAULT, found, self.describe(), "remove the character")
        elif "\n" in text and not self.lines:
            complain(node, _FAULT, "several lines", self.describe(), "write it on one line")
        elif not text.strip():
            complain(node, _FAULT, "nothing", self.describe(), "fill it in")
        elif len(text) > self.most:
            found = counted(len(text), "character")
            complain(node, _FAULT, found, self.describe(), "shorten the text")
        elif self.pattern is not None and not re.fullmatch(self.pattern, text):
            complain(node, _FAULT, excerpt(text), self.describe(), "mend the value")
        else:
            return text
        return None

    def schema(self) -> dict[str, Any]:
        pattern = f"^(?:{self.pattern})$" if self.pattern else r"\S"
        return {"type": "string", "minLength": 1, "maxLength": self.most, "pattern": pattern}

    def describe(self) -> str:
        return self.said or f"text of 1 to {self.most} characters"


def slug() -> Text:
    """A folder name: 1 to 40 of a-z, 0-9 and single inner hyphens.

    Two in a row join names in addresses (``<team>--<system>``), so that no two are the same.
    """
    said = "1 to 40 of a-z, 0-9 and single inner hyphens"
    return Text(40, r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,39}", said)


def is_slug(name: str) -> bool:
    """Whether a name can be that of a folder.

    >>> is_slug("my-team"), is_slug("-team"), is_slug("My Team")
    (True, False, False)
    """
    return re.fullmatch(slug().pattern or "", name) is not None


def plain(name: str) -> str:
    """A name of a field or column as people read it.

    >>> plain("training_data")
    'training data'
    """
    return name.replace("_", " ")


def https() -> Text:
    """A link that may be shown: https only, no blanks, no credentials."""
    return Text(300, r"https://[A-Za-z0-9.-]+(?::[0-9]+)?(?:[/?#][!-~]*)?", "an https:// link")


class Link(NamedTuple):
    """A title and where it leads."""

    title: str
    url: str


@dataclass(frozen=True)
class Integer:
    """A whole number in decimal digits."""

    least: int = 0
    most: int = 10**9

    def read(self, node: Node, complain: Complain) -> int | None:
        text = node.value
        number = isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,10}", text)
        if number and self.least <= int(number[0]) <= self.most:
            return int(number[0])
        complain(node, _FAULT, _shown(node), self.describe(), "write a whole number")
        return None

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def describe(self) -> str:
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True)
class Number:
    """A finite decimal number, from 0 up to ``most`` where that is given."""

    most: float | None = None

    def read(self, node: Node, complain: Complain) -> float | None:
        text = node.value
        if isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,9}(?:\.[0-9]{1,12})?", text):
            number = float(text)
            if self.most is None or 0 <= number <= self.most:
                return number
        complain(node, _FAULT, _shown(node), self.describe(), "write a decimal number")
        return None

    def schema(self) -> dict[str, Any]:
        bounds = {} if self.most is None else {"minimum": 0, "maximum": self.most}
        return {"type": "number", **bounds}

    def describe(self) -> str:
        bounds = "" if self.most is None else f" from 0 to {self.most:g}"
        return f"a decimal number{bounds}"


@dataclass(frozen=True)
class YesNo:
    """``true`` or ``false``; for people also ``yes`` and ``no``."""

    def read(self, node: Node, complain: Complain) -> bool | None:
        answers = {"true": True, "yes": True, "false": False, "no": False}
        if isinstance(node.value, str) and node.value in answers:
            return answers[node.value]
        complain(node, _FAULT, _shown(node), self.describe(), "write yes or no")
        return None

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def describe(self) -> str:
        return "yes or no"


@dataclass(frozen=True)
class Date:
    """A calendar day, ``2026-01-31``."""

    def read(self, node: Node, complain: Complain) -> str | None:
        text, advice = node.value, "write YYYY-MM-DD"
        if isinstance(text, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?", text):
            try:
                datetime.date.fromisoformat(text if len(text) == 10 else text + "-01")
                return text
            except ValueError:
                advice = _no_such_day(text)
        complain(node, _FAULT, _shown(node), self.describe(), advice)
        return None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"}

    def describe(self) -> str:
        return "a date, YYYY-MM-DD or YYYY-MM"


def _no_such_day(text: str) -> str:
    """What is wrong with a date that has the form of one.

    >>> _no_such_day("2026-13-01"), _no_such_day("2026-02-30"), _no_such_day("0000-01")
    ('there is no month 13', 'there is no day 30 in 2026-02', 'there is no year 0000')
    """
    year, month, *day = text.split("-")
    if not 1 <= int(month) <= 12:
        return f"there is no month {month}"
    if int(year) == 0:
        return f"there is no year {year}"
    return f"there is no day {''.join(day)} in {year}-{month}"


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, node: Node, complain: Complain) -> str | None:
        if isinstance(node.value, str) and node.value in self.words:
            return node.value
        complain(node, _FAULT, _shown(node), self.describe(), "choose one of them")
        return None

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words)}

    def describe(self) -> str:
        return "one of: " + ", ".join(self.words)


@dataclass(frozen=True)
class ListOf:
    """A list of values of one kind, each different."""

    kind: Kind
    least: int = 0
    most: int = 50

    def read(self, node: Node, complain: Complain) -> tuple[Any, ...] | None:
        if not isinstance(node.value, list) or not self.least <= len(node.value) <= self.most:
            is_list = isinstance(node.value, list)
            found = f"{len(node.value)} entries" if is_list else _shown(node)
            advice = "change their number" if is_list else "write a list"
            complain(node, _FAULT, found, self.describe(), advice)
            return None
        values = []
        for entry in node.value:
            value = self.kind.read(entry, complain)
            if value is not None and value in values:
                complain(entry, _FAULT, f"{_shown(entry)} a second time",
                         "different entries", "remove the repetition")
            values.append(value)
        return tuple(values)

    def schema(self) -> dict[str, Any]:
        return {
            "type": "array", "items": self.kind.schema(), "minItems": self.least,
            "maxItems": self.most, "uniqueItems": True,
        }

    def describe(self) -> str:
        return f"a list of {self.least} to {self.most}: {self.kind.describe()}"


@dataclass(frozen=True)
class ListOrWord(ListOf):
    """A list, or a word that stands for all there can be; read as an empty one."""

    word: str = "any"

    def read(self, node: Node, complain: Complain) -> tuple[Any, ...] | None:
        if node.value == self.word:
            return ()
        if isinstance(node.value, list):
            return super().read(node, complain)
        complain(node, _FAULT, _shown(node), self.describe(), f"write a list, or {self.word}")
        return None

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"const": self.word}, super().schema()]}

    def describe(self) -> str:
        return f"{self.word}, or {super().describe()}"


@dataclass(frozen=True)
class OneOrMore:
    """A value, or a list of several; read as a list either way."""

    kind: Kind
    most: int = 50

    def read(self, node: Node, complain: Complain) -> tuple[Any, ...] | None:
        if isinstance(node.value, list):
            return ListOf(self.kind, 1, self.most).read(node, complain)
        value = self.kind.read(node, complain)
        return None if value is None else (value,)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.kind.schema(), ListOf(self.kind, 1, self.most).schema()]}

    def describe(self) -> str:
        return f"{self.kind.describe()}, or a list of 1 to {self.most}"


@dataclass(frozen=True)
class MapOf:
    """A mapping from names to values of one kind."""

    kind: Kind
    key: Kind = Text(60)
    least: int = 0
    most: int = 50

    def read(self, node: Node, complain: Complain) -> dict[str, Any] | None:
        if not isinstance(node.value, dict) or not self.least <= len(node.value) <= self.most:
            is_mapping = isinstance(node.value, dict)
            found = f"{len(node.value)} names" if is_mapping else _shown(node)
            complain(node, _FAULT, found, self.describe(), "write name: value lines")
            return None
        for name, value in node.value.items():
            self.key.read(Node(name, *value.key), complain)
        return {name: self.kind.read(value, _inside(excerpt(name), complain))
                for name, value in node.value.items()}

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object", "additionalProperties": self.kind.schema(),
            "propertyNames": self.key.schema(), "minProperties": self.least,
            "maxProperties": self.most,
        }

    def describe(self) -> str:
        return f"names with values: {self.kind.describe()}"


@dataclass(frozen=True)
class Field:
    """One field of a record."""

    name: str
    kind: Kind
    doc: str
    required: bool = True
    default: Any = None


@dataclass(frozen=True)
class Record:
    """A mapping with exactly these fields."""

    fields: tuple[Field, ...]
    make: Callable[..., Any] = dict
    """Called with every field by name; unset ones have their default."""

    def read(self, node: Node, complain: Complain) -> Any:
        if not isinstance(node.value, dict):
            complain(node, _FAULT, _shown(node), self.describe(), "write name: value lines")
            return None
        known = {field.name: field for field in self.fields}
        for name, value in node.value.items():
            if name not in known:
                listed = "one of: " + ", ".join(known)
                complain(Node(name, *value.key), "META-FIELD", f"unknown field {excerpt(name)}",
                         listed, "remove or rename it")
        values = {}
        sound = True
        for field in self.fields:
            values[field.name] = field.default
            if field.name in node.value:
                value = node.value[field.name]
                values[field.name] = field.kind.read(value, _inside(field.name, complain))
                sound = sound and values[field.name] is not None
            elif field.required:
                complain(node, "META-FIELD", f"no field {field.name!r}", field.kind.describe(),
                         "add it")
                sound = False
        return self.make(**values) if sound else None

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": False,
            "required": [field.name for field in self.fields if field.required],
            "properties": {
                field.name: field.kind.schema() | {"description": field.doc}
                for field in self.fields
            },
        }

    def describe(self) -> str:
        return "a mapping with: " + ", ".join(field.name for field in self.fields)


@cache
def record_of(made: type) -> Record:
    """A dataclass as a record: each field is annotated with its kind and what it means.

    ``name: Annotated[str, Text(80), "The name people read."]`` is required, since it has no
    default. A field that is not annotated so is for the program: no file has it.
    """
    hints = get_type_hints(made, include_extras=True)
    found = []
    for field in fields_of(made):
        if about := getattr(hints[field.name], "__metadata__", ()):
            kind, doc = about
            factory = field.default_factory
            default = field.default if factory is MISSING else factory()
            required = default is MISSING
            found.append(Field(field.name, kind, doc, required, None if required else default))
    return Record(tuple(found), made)


LINK = Record((
    Field("title", Text(120), "What the link is."),
    Field("url", https(), "Where it leads."),
), Link)
"""A link as a mapping."""


def _inside(name: str, complain: Complain) -> Complain:
    """Complain about a part of the field with this name."""

    def of_part(node: Node, rule: str, found: str, expected: str, advice: str) -> None:
        complain(node, rule, f"{name}: {found}", expected, advice)

    return of_part


def _shown(node: Node) -> str:
    if isinstance(node.value, str):
        return excerpt(node.value)
    return "a list" if isinstance(node.value, list) else "a mapping"


def load(record: Record, content: bytes, path: str) -> tuple[Any, list[Problem]]:
    """Read a YAML file by its declaration: the record or None, and every problem found."""
    root, problems, unread = strict_yaml.recover(content, path)
    if root is None:
        return None, sorted(problems)
    value, faults = of_node(record, root, path)
    problems += [one for one in faults if not (one.rule == _FAULT and one.line in unread)]
    return (None if problems else value), sorted(problems)


def of_node(record: Record, root: Node, path: str) -> tuple[Any, list[Problem]]:
    """The same for a file that has been parsed."""
    problems: list[Problem] = []

    def complain(node: Node, rule: str, found: str, expected: str, advice: str) -> None:
        problems.append(Problem(path, node.line, node.column, rule, found, expected, advice))

    value = record.read(root, complain)
    return (None if problems else value), sorted(problems)


def table(record: Record, prefix: str = "") -> list[tuple[str, str, str, str]]:
    """Rows (name, required or optional, what is accepted, meaning) for documentation."""
    rows = []
    for field in record.fields:
        name = prefix + field.name
        inner, described = _inner(field.kind)
        need = "required" if field.required else "optional"
        rows.append((name, need, described, field.doc))
        if inner is not None:
            rows += table(inner, f"{name}{'[]' if isinstance(field.kind, ListOf) else ''}.")
    return rows


def _inner(kind: Kind) -> tuple[Record | None, str]:
    if isinstance(kind, Record):
        return kind, "a mapping"
    if isinstance(kind, ListOf) and isinstance(kind.kind, Record):
        return kind.kind, f"a list of {kind.least} to {kind.most} mappings"
    if isinstance(kind, MapOf) and isinstance(kind.kind, Record):
        return kind.kind, "names with mappings"
    return None, kind.describe()


def schema_document(record: Record, title: str) -> Mapping[str, Any]:
    """The JSON Schema (draft 2020-12) of a file format."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return head | record.schema()


def markdown_table(record: Record) -> str:
    """The documentation of a file format as a Markdown table."""
    lines = ["| field | | accepted | meaning |", "|---|---|---|---|"]
    lines += [f"| `{n}` | {need} | {kind} | {doc} |" for n, need, kind, doc in table(record)]
    return "\n".join(lines) + "\n"

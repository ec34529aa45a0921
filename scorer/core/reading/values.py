"""What a field may hold: kinds of values, each with its reader, its schema and its words.

A kind stands in the annotation of a record's field, where pydantic finds it:
``title: Annotated[str, Text(80), "What it is called."]``. YAML holds texts alone (``Scalar``), of
which numbers and flags are made here; JSON has its own, and there no text is taken for one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import (
    BeforeValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import (
    CoreSchema,
    InitErrorDetails,
    PydanticCustomError,
    PydanticKnownError,
    core_schema,
)

from scorer.core.errors import counted, excerpt
from scorer.core.reading.characters import selector_without_symbol, unwelcome_character
from scorer.core.reading.strict import Scalar

EXPECTED = "expected"
"""The key of a schema with the words for what is accepted; no published schema has it."""


def fault(actual: str, advice: str, expected: str = "") -> PydanticCustomError:
    """A value that is not allowed; ``expected``: what was, if not all that its kind accepts."""
    words = {"found": actual, "advice": advice, **({EXPECTED: expected} if expected else {})}
    return PydanticCustomError("fault", "{found}", words)


def shown(value: Any) -> str:
    """A value as messages quote it."""
    if isinstance(value, str):
        return excerpt(value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return excerpt(str(value))[1:-1]
    return "a list" if isinstance(value, list | tuple) else "a mapping"


class Kind:
    """What a value may be, as pydantic asks it."""

    def read(self, value: Any) -> Any:
        """The value as programs use it. Raises ``fault``."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema, and under EXPECTED what is accepted, in a few words."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True)
class Text(Kind):
    """A string without invisible or control characters, on one line unless ``lines``."""

    most: int = 300
    pattern: str | None = None
    words: str = ""
    lines: bool = False

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise fault(shown(value), "write plain text")
        text = str(value) if self.lines else value.rstrip("\n")
        bad = unwelcome_character(text.replace("\n", " "))
        bad = selector_without_symbol(text) if bad is None else bad
        if bad is not None:
            raise fault(f"the character U+{ord(text[bad]):04X}", "remove the character")
        if "\n" in text and not self.lines:
            raise fault("several lines", "write it on one line")
        if not text.strip():
            raise fault("nothing", "fill it in")
        if len(text) > self.most:
            raise fault(counted(len(text), "character"), "shorten the text")
        if self.pattern is not None and not re.fullmatch(self.pattern, text):
            raise fault(excerpt(text), "mend the value")
        return text

    def schema(self) -> dict[str, Any]:
        pattern = f"^(?:{self.pattern})$" if self.pattern else r"\S"
        return {"type": "string", "minLength": 1, "maxLength": self.most, "pattern": pattern,
                EXPECTED: self.words or f"text of 1 to {self.most} characters"}


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number in decimal digits."""

    least: int = 0
    most: int = 10**9

    def read(self, value: Any) -> int:
        digits = isinstance(value, Scalar) and re.fullmatch("-?[0-9]{1,10}", value)
        number = int(value) if digits else value
        if type(number) is int and self.least <= number <= self.most:
            return number
        raise fault(shown(value), "write a whole number")

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most,
                EXPECTED: f"a whole number from {self.least} to {self.most}"}


@dataclass(frozen=True)
class Decimal(Kind):
    """A finite decimal number, from 0 up to ``most`` where that is given."""

    most: float | None = None

    def read(self, value: Any) -> float:
        text = str(value) if type(value) in (Scalar, int, float) else ""
        if re.fullmatch(r"-?[0-9]{1,9}(?:\.[0-9]{1,12})?", text):
            number = float(text)
            if self.most is None or 0 <= number <= self.most:
                return number
        raise fault(shown(value), "write a decimal number")

    def schema(self) -> dict[str, Any]:
        bounds = {} if self.most is None else {"minimum": 0, "maximum": self.most}
        words = "" if self.most is None else f" from 0 to {self.most:g}"
        return {"type": "number", **bounds, EXPECTED: f"a decimal number{words}"}


@dataclass(frozen=True)
class YesNo(Kind):
    """``true`` or ``false``; for people also ``yes`` and ``no``."""

    def read(self, value: Any) -> bool:
        flags = {"true": True, "yes": True, "false": False, "no": False}
        flag = flags.get(value) if isinstance(value, Scalar) else value
        if isinstance(flag, bool):
            return flag
        raise fault(shown(value), "write yes or no")

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean", EXPECTED: "yes or no"}


@dataclass(frozen=True)
class Date(Kind):
    """A calendar day or month: ``2026-01-31``, ``2026-01``."""

    def read(self, value: Any) -> str:
        form = r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?"
        if not isinstance(value, str) or not re.fullmatch(form, value):
            raise fault(shown(value), "write YYYY-MM-DD")
        try:
            datetime.date.fromisoformat(value if len(value) == 10 else value + "-01")
        except ValueError:
            raise fault(shown(value), "write a day or month of the calendar") from None
        return str(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$",
                EXPECTED: "a date, YYYY-MM-DD or YYYY-MM"}


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]
    named: str = ""
    """The name by which ``schema.load`` may be told which of them there are."""

    def read(self, value: Any, words: Sequence[str] = ()) -> str:
        if isinstance(value, str) and value in (words or self.words):
            return str(value)
        raise fault(shown(value), "choose one of them", _one_of(words) if words else "")

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words), EXPECTED: _one_of(self.words)}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            lambda value, info: self.read(value, (info.context or {}).get(self.named, ())))


def _one_of(words: Sequence[str]) -> str:
    return "one of: " + ", ".join(words)


@dataclass(frozen=True)
class Items:
    """How many entries a list has, each different; or how many names a mapping has."""

    least: int = 0
    most: int = 50
    word: str = ""
    """Stands for all there can be, and is read as an empty list."""
    single: bool = False
    """Whether one value may stand there without a list."""
    alike: bool = False
    """Whether entries may be equal."""

    def _checked(self, value: Any, handler: core_schema.ValidatorFunctionWrapHandler) -> Any:
        if self.word and value == self.word:
            return ()
        if self.single and not isinstance(value, list):
            value = [value]
        if self.word and not isinstance(value, list):
            raise fault(shown(value), f"write a list, or {self.word}")
        if isinstance(value, list | dict) and not self.least <= len(value) <= self.most:
            names = isinstance(value, dict)
            raise fault(f"{len(value)} {'names' if names else 'entries'}",
                        "write name: value lines" if names else "change their number")
        read = handler(value)
        if isinstance(value, list) and not self.alike:
            twice = [InitErrorDetails(type=fault(f"{shown(value[at])} a second time",
                                                 "remove the repetition", "different entries"),
                                      loc=(at,), input=value[at])
                     for at, entry in enumerate(read) if entry in read[:at]]
            if twice:
                raise ValidationError.from_exception_data("list", twice)
        return read

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(
            lambda value: [*value] or self.word) if self.word else None
        return core_schema.no_info_wrap_validator_function(self._checked, handler(source),
                                                           serialization=written)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        inner = handler(schema)
        if inner["type"] == "object":
            return inner | {"minProperties": self.least, "maxProperties": self.most}
        several = inner | {"minItems": self.least, "maxItems": self.most,
                           "uniqueItems": not self.alike}
        if self.single:
            return {"anyOf": [inner["items"], several]}
        return {"anyOf": [{"const": self.word}, several]} if self.word else several


SLUG = Text(40, r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,39}",
            "1 to 40 of a-z, 0-9 and single inner hyphens")
"""A folder name. Two hyphens in a row join names in addresses (``<team>--<system>``), so that no
two are the same."""
Slug = Annotated[str, SLUG]
Https = Annotated[str, Text(300, r"https://[A-Za-z0-9.-]+(?::[0-9]+)?(?:[/?#][!-~]*)?",
                            "an https:// link")]
"""A link that may be shown: https only, no blanks, no credentials."""


@dataclass(frozen=True)
class Link:
    """A title and where it leads."""

    title: Annotated[str, Text(120), "What the link is."]
    url: Annotated[Https, "Where it leads."]


def is_slug(name: str) -> bool:
    """Whether a name can be that of a folder.

    >>> is_slug("my-team"), is_slug("-team"), is_slug("My Team")
    (True, False, False)
    """
    return re.fullmatch(SLUG.pattern or "", name) is not None


def plain(name: str) -> str:
    """A name of a field or column as people read it.

    >>> plain("training_data")
    'training data'
    """
    return name.replace("_", " ")


def _present(value: Any) -> Any:
    if value is None:
        raise fault("null", "write a value, or leave out the key", "a value")
    return value


def _unknown(value: Any) -> Any:
    raise PydanticKnownError("extra_forbidden")


Value = TypeVar("Value")
Optional = Annotated[Value | SkipJsonSchema[None], BeforeValidator(_present)]
"""What a document may leave out; never null."""
Internal = Annotated[Value, SkipJsonSchema(), BeforeValidator(_unknown)]
"""A field that programs fill in; no file has it."""

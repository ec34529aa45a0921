"""One definition for each file format: a class that decodes, encodes and describes its documents.

A subclass of ``Document`` names the keys of a JSON object with their types, limits and meanings.
Its JSON Schema is generated, so that what is published is what is read. Numbers are never made of
texts, nor flags of numbers; unknown keys, NaN and infinity are refused. Why so, and why pydantic:
docs/decisions/005-one-schema.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from pydantic.json_schema import GenerateJsonSchema, SkipJsonSchema

from scorer.errors import excerpt

MOST_PROBLEMS = 3
"""So many problems of a document are named; the rest is counted."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Value = TypeVar("Value")


def _given(value: Any) -> Any:
    if value is None:
        raise ValueError("null; expected a value, or no such key")
    return value


def _no_flag(value: Any) -> Any:
    if type(value) is not int:
        raise ValueError("expected the number 1")
    return value


def _a_flag(value: Any) -> Any:
    if type(value) is not bool:
        raise ValueError("expected true or false")
    return value


Number = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A finite number; whole ones keep their form, so that a document is written as it was read."""
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
One = Annotated[Literal[1], BeforeValidator(_no_flag)]
"""The only ``schema`` so far."""
Yes = Annotated[Literal[True], BeforeValidator(_a_flag)]
No = Annotated[Literal[False], BeforeValidator(_a_flag)]
Optional = Annotated[Value | SkipJsonSchema[None], BeforeValidator(_given)]
"""What a document may leave out; never null."""


STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False,
                    ser_json_inf_nan="constants")
"""For a dataclass that is a document itself (``__pydantic_config__``)."""


class Document(BaseModel):
    """A JSON object with these keys and no others."""

    model_config = ConfigDict(
        **STRICT, frozen=True, defer_build=True, serialize_by_alias=True)

    @property
    def others(self) -> dict[str, Any]:
        """What stands under keys that the class does not name, if it admits any."""
        return dict(self.__pydantic_extra__ or {})

    def to_json(self) -> dict[str, Any]:
        """The document, with the keys that it was given."""
        return self.model_dump(exclude_unset=True)

    @classmethod
    def read(cls, content: bytes) -> Self:
        """The document of a file. Raises ValueError with what is wrong."""
        try:
            return cls.model_validate_json(content)
        except ValidationError as fault:
            raise ValueError(problems(fault)) from fault


def problems(fault: ValidationError) -> str:
    """What is wrong with a document: ``key.key: found ...; expected ...``, the first three."""
    found = {".".join(str(part) for part in error["loc"] if part not in ("int", "float")):
             _problem(error) for error in reversed(fault.errors(include_url=False))}
    told = [f"{where}: {what}" if where else what
            for where, what in list(reversed(found.items()))[:MOST_PROBLEMS]]
    more = [f"and {len(found) - MOST_PROBLEMS} more"] if len(found) > MOST_PROBLEMS else []
    return ", ".join([*told, *more])


_EXPECTED = {"missing": "a key is missing", "extra_forbidden": "no key of this format",
             "int_type": "expected a number", "float_type": "expected a number"}


def _problem(error: Mapping[str, Any]) -> str:
    said = error["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    said = _EXPECTED.get(error["type"], said)
    found = error["input"]
    if isinstance(found, str):
        return f"found {excerpt(found)}; {said}"
    return f"found {found!r}"[:80] + f"; {said}" if isinstance(found, int | float) else said


class _Schema(GenerateJsonSchema):
    """Schemas without titles made of the names of our fields and classes."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(kind: Any, title: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a class of documents, or of several (``A | B``)."""
    made = TypeAdapter(kind).json_schema(schema_generator=_Schema)
    return {"$schema": DIALECT, **_plain(made), "title": title}


def _plain(schema: Any) -> Any:
    """Without what only says how pydantic makes the value: class names, None for a missing key."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema.replace("``", "") if isinstance(schema, str) else schema
    named = {key: {name: _plain(one) for name, one in schema[key].items()}
             for key in ("properties", "$defs") if key in schema}
    rest = {key: _plain(one) for key, one in schema.items()
            if key not in ("properties", "$defs", "title", "default")}
    return rest | named

"""Documents: what the program writes as JSON, each class with its keys, types and meanings.

Numbers are never made of texts, nor flags of numbers; unknown keys, NaN and infinity are refused.
Why so, and why pydantic: docs/decisions/005-one-schema.md.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from scorer.core.errors import excerpt
from scorer.core.reading import strict
from scorer.core.reading.values import EXPECTED, fault, shown

MOST_PROBLEMS = 3
"""So many problems of a document are named; the rest is counted."""


def _of_type(wanted: type, expected: str) -> BeforeValidator:
    def read(value: Any) -> Any:
        if type(value) is not wanted:
            raise fault(shown(value), "mend the value", expected)
        return value

    return BeforeValidator(read)


Number = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A finite number; whole ones keep their form, so that a document is written as it was read."""
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
One = Annotated[Literal[1], _of_type(int, "the number 1")]
"""The only ``schema`` so far."""
Yes = Annotated[Literal[True], _of_type(bool, "true")]
No = Annotated[Literal[False], _of_type(bool, "false")]

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

    def replace(self, **changes: Any) -> Self:
        """A copy with other values, which are not checked."""
        return self.model_copy(update=changes)

    @classmethod
    def read(cls, content: bytes) -> Self:
        """The document of a file. Raises ValueError with what is wrong."""
        try:
            return cls.model_validate_json(content)
        except ValidationError as wrong:
            raise ValueError(problems(wrong, content)) from wrong


def problems(wrong: ValidationError, content: bytes = b"") -> str:
    """What is wrong with a document: ``key.key (line:column): found ...; expected ...``, the
    first three.

    ``content``: the file's, by which lines are known.
    """
    root, _ = strict.read_json(content, "")
    sentences: dict[str, str] = {}
    for error in wrong.errors(include_url=False):
        keys = ".".join(str(part) for part in error["loc"] if part not in ("int", "float"))
        if root:
            node = root.at(error["loc"])
            keys = f"{keys} ({node.line}:{node.column})".lstrip()
        sentence = _EXPECTED.get(error["type"], error["msg"].removeprefix("Value error, ").replace(
            "Input should be", "expected"))
        if error["type"] == "fault":
            sentence = f"{error['ctx']['found']}; expected {error['ctx'][EXPECTED]}"
        elif isinstance(error["input"], str):
            sentence = f"found {excerpt(error['input'])}; {sentence}"
        elif isinstance(error["input"], int | float):
            sentence = f"found {error['input']!r}"[:80] + f"; {sentence}"
        sentences.setdefault(keys, sentence)
    named = [f"{keys}: {sentence}" if keys else sentence for keys, sentence in sentences.items()]
    more = [f"and {len(named) - MOST_PROBLEMS} more"] if len(named) > MOST_PROBLEMS else []
    return ", ".join([*named[:MOST_PROBLEMS], *more])


_EXPECTED = {"missing": "a key is missing", "extra_forbidden": "no key of this format",
             "int_type": "expected a number", "float_type": "expected a number"}

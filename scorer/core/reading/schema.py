"""The one schema layer: a record is a class, and its class is the format of its file.

The annotations of a dataclass, or of a ``Document``, say what each field may hold and what it
means. Pydantic reads YAML and JSON by them; every fault becomes a problem at its line and column.
The JSON Schema and the tables of the documentation come from the same annotations. In JSON, which
programs write, numbers are never made of texts, nor flags of numbers; unknown keys, NaN and
infinity are refused. Why so, and why pydantic: docs/decisions/005-one-schema.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Self, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from pydantic.json_schema import GenerateJsonSchema

from scorer.core.errors import Problem, excerpt
from scorer.core.reading import strict
from scorer.core.reading.strict import Node
from scorer.core.reading.values import EXPECTED, fault, shown

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = Mapping[str, Any]
Misfit = tuple[tuple[int | str, ...], str, str, str]
"""The keys and indices that lead to a value, what was found there, what was expected, advice."""


# ---- files of people ---------------------------------------------------------------------------


def load(kind: Any, content: bytes, path: str, **words: Sequence[str],
         ) -> tuple[Any, list[Problem]]:
    """The record in a YAML file, or None, and every problem found; ``kind``: its class.

    ``words``: what there is to choose from, where a ``Choice`` is named so.
    """
    root, faults = strict.read_yaml(content, path)
    return (None, faults) if root is None else of_node(kind, root, path, **words)


def of_node(kind: Any, root: Node, path: str, **words: Sequence[str]) -> tuple[Any, list[Problem]]:
    """The same for a file that has been parsed."""
    try:
        return adapter(kind).validate_python(root.plain(), strict=False, context=words), []
    except ValidationError as wrong:
        schema = described(kind)
        return None, sorted({_problem(error, root, schema, path)
                             for error in wrong.errors(include_url=False)})


def at_places(misfits: Sequence[Misfit], content: bytes, path: str) -> list[Problem]:
    """What of a sound record does not fit together, each at its place in the record's file."""
    root = strict.read_yaml(content, path)[0] if misfits else None
    return sorted(Problem(path, node.line, node.column, "META-VALUE", *sentence)
                  for keys, *sentence in misfits if root for node in (root.at(keys),))


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Pydantic's reader of a class; dataclasses refuse unknown fields unless they say otherwise."""
    if not hasattr(kind, "__pydantic_config__") and is_dataclass(kind):
        kind.__pydantic_config__ = STRICT  # type: ignore[union-attr]  # pydantic looks there
    return TypeAdapter(kind)


_MAPPING = "write name: value lines"
_ADVICE = {"dataclass_type": _MAPPING, "dict_type": _MAPPING, "tuple_type": "write a list"}
_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")


def _problem(error: Mapping[str, Any], root: Node, whole: Schema, path: str) -> Problem:
    """A fault that pydantic found, at its place and in our words."""
    loc, kind, context = error["loc"], error["type"], error.get("ctx", {})
    node = root.at(loc)
    position = node.line, node.column
    if kind == "missing" or kind in _UNKNOWN:
        (names, record), name = _below(whole, loc[:-1]), str(loc[-1])
        fields = record["properties"]
        if kind == "missing":
            return Problem(path, *position, "META-FIELD", f"{names}no field {name!r}",
                           describe(fields[name], whole), "add it")
        return Problem(path, *node.key, "META-FIELD", f"{names}unknown field {excerpt(name)}",
                       "one of: " + ", ".join(fields), "remove or rename it")
    names, inner = _below(whole, loc)
    value = context.get("found") or shown(error["input"])
    position = node.key if loc[-1:] == (_KEY,) else position
    return Problem(path, *position, "META-VALUE", f"{names}{value}",
                   context.get(EXPECTED) or describe(inner, whole),
                   context.get("advice") or _ADVICE.get(kind, "mend the value"))


_KEY = "[key]"
"""How pydantic ends the place of a name in a mapping."""


def _below(whole: Schema, loc: Sequence[int | str]) -> tuple[str, Schema]:
    """What messages begin with at a place, and the schema of what stands there."""
    names, above, here = [], whole, resolved(whole, whole)
    of_key = loc[-1:] == (_KEY,) and len(loc) > 1
    for part in loc[:-1] if of_key else loc:
        above = here
        name, inner = _part(here, part)
        names.append(name)
        here = resolved(inner, whole)
    if of_key:
        names.pop()
        here = above.get("propertyNames", {})
    return "".join(f"{name}: " for name in names if name), here


def _part(schema: Schema, part: int | str) -> tuple[str, Schema]:
    """The name of a part of a value, as messages say it, and its schema."""
    for choice in schema.get("anyOf", (schema,)):
        if part in choice.get("properties", ()):
            return str(part), choice["properties"][part]
        if isinstance(part, int) and "items" in choice:
            return "", choice["items"]
        if isinstance(choice.get("additionalProperties"), dict):
            return excerpt(str(part)), choice["additionalProperties"]
    return "", schema


def resolved(schema: Schema, whole: Schema) -> Schema:
    """A schema without references to another part of the whole."""
    if "$ref" not in schema:
        return schema
    return {**whole["$defs"][schema["$ref"].rpartition("/")[2]],
            **{key: value for key, value in schema.items() if key != "$ref"}}


# ---- documents of programs ----------------------------------------------------------------------

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
"""Of every dataclass and document."""


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


# ---- words and documentation -----------------------------------------------------------------


def describe(schema: Schema, whole: Schema) -> str:
    """What a schema accepts, in a few words."""
    schema = resolved(schema, whole)
    if EXPECTED in schema:
        return str(schema[EXPECTED])
    if "anyOf" in schema:
        first, second = schema["anyOf"][:2]
        if "const" in first:
            return f"{first['const']}, or {describe(second, whole)}"
        if second.get("type") == "array":
            return f"{describe(first, whole)}, or a list of 1 to {second['maxItems']}"
        return describe(first, whole)
    if schema.get("type") == "array":
        return f"{_count(schema)}: {describe(schema['items'], whole)}"
    if "properties" in schema:
        return "a mapping with: " + ", ".join(schema["properties"])
    if isinstance(schema.get("additionalProperties"), dict):
        return f"names with values: {describe(schema['additionalProperties'], whole)}"
    return "a value"


def _count(schema: Schema) -> str:
    most = f" to {schema['maxItems']}" if "maxItems" in schema else " or more"
    return f"a list of {schema.get('minItems', 0)}{most}"


class _Schema(GenerateJsonSchema):
    """Schemas without titles made of the names of our fields and classes; a text in a field's
    annotation is its description."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def dict_schema(self, schema: Any) -> Any:
        """With one schema for all names, also where they have a pattern."""
        made = super().dict_schema(schema)
        if "patternProperties" in made:
            [values] = made.pop("patternProperties").values()
            made |= {"additionalProperties": values,
                     "propertyNames": self.generate_inner(schema["keys_schema"])}
        return made

    def dataclass_schema(self, schema: Any) -> Any:
        made = super().dataclass_schema(schema)
        hints = get_type_hints(schema["cls"], include_extras=True)
        for field in schema["schema"]["fields"]:
            notes = getattr(hints[field["name"]], "__metadata__", ())
            name = field.get("validation_alias", field["name"])
            for text in (note for note in notes if isinstance(note, str)):
                made["properties"][name]["description"] = text
        return made


@cache
def described(kind: Any) -> Schema:
    """The schema of a class with the words of every value."""
    return adapter(kind).json_schema(schema_generator=_Schema)


def schema_of(kind: Any, title: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a class of documents, or of several (``A | B``)."""
    return {"$schema": DIALECT, **_plain(described(kind)), "title": title}


@dataclass(frozen=True)
class Format:
    """One file format."""

    name: str
    file: str
    """Which files of the repository are of it; ``<board>`` and the like stand for any name."""
    about: str
    title: str
    kind: Any
    """The record that such a file, or each line of a ``.jsonl``, is read by."""

    @property
    def path(self) -> str:
        """Where the site offers its schema, relative to its root."""
        return f"schemas/{self.name}.json"

    def document(self) -> Mapping[str, Any]:
        """The JSON Schema (draft 2020-12)."""
        return schema_of(self.kind, self.title)


_PYDANTIC = ("properties", "$defs", "title", "default", EXPECTED)


def _plain(schema: Any) -> Any:
    """Without what only says how pydantic makes the value: class names, None for a missing key."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema.replace("``", "") if isinstance(schema, str) else schema
    named = {key: {name: _plain(value) for name, value in schema[key].items()}
             for key in ("properties", "$defs") if key in schema}
    return {key: _plain(value) for key, value in schema.items() if key not in _PYDANTIC} | named


class FieldRow(NamedTuple):
    """A field as documentation has it."""

    name: str
    """With those of the records around it; ``[]`` stands behind lists, ``NAME`` for any name."""
    required: bool
    accepted: str
    meaning: str
    record: str | None
    """The name of the record that it holds, one or several; None for other values."""


def table(kind: Any, apart: Collection[str] = ()) -> list[FieldRow]:
    """Every field, and below a record those of it unless its name is ``apart``."""
    whole = described(kind)
    return list(rows(resolved(whole, whole), whole, apart))


def rows(record: Schema, whole: Schema, apart: Collection[str] = (), prefix: str = "",
         ) -> Iterator[FieldRow]:
    """The same of a part of a schema."""
    for name, field in record["properties"].items():
        schema = resolved(field, whole)
        holder, mark, words = next(
            ((schema[key], mark, words) for key, mark, words in (
                ("items", "[]", f"{_count(schema)} mappings"),
                ("additionalProperties", ".NAME", "names with mappings"))
             if isinstance(schema.get(key), dict)), (field, "", "a mapping"))
        inner = resolved(holder, whole)
        title = holder.get("$ref", "").rpartition("/")[2] if "properties" in inner else None
        yield FieldRow(prefix + name, name in record.get("required", ()),
                       describe(schema, whole) if title is None else words,
                       field.get("description", "").replace("``", ""), title)
        if title is not None and title not in apart:
            yield from rows(inner, whole, apart, f"{prefix}{name}{mark}.")


def markdown_table(kind: Any) -> str:
    """The documentation of a file format as a Markdown table."""
    lines = ["| field | | accepted | meaning |", "|---|---|---|---|"]
    lines += [f"| `{row.name}` | {'required' if row.required else 'optional'} | {row.accepted} | "
              f"{row.meaning} |" for row in table(kind)]
    return "\n".join(lines) + "\n"

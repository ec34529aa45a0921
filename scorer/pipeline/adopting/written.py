"""A file of declared fields as YAML that explains itself: every field with its meaning.

The other direction of ``schema.load``: what is written here, that reads.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from scorer.core.reading.schema import Schema, describe, described, resolved

WIDTH = 96


class _Dumper(yaml.SafeDumper):
    """Writes yes and no, and text of several lines as such."""


_Dumper.add_representer(bool, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:bool", "yes" if value else "no"))
_Dumper.add_representer(str, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:str", value, style="|" if "\n" in value else None))


def commented(kind: type, values: Any, remarks: Mapping[str, str] | None = None) -> str:
    """The fields of a record with their values, each below a comment that says what it means.

    ``values`` is a mapping or an object with one attribute a field; what is optional and None is
    shown as a comment. ``remarks`` says more of a field, by its name.
    """
    whole = described(kind)
    return _fields(whole, whole, values, remarks or {})


def _fields(record: Schema, whole: Schema, values: Any, remarks: Mapping[str, str]) -> str:
    return "".join(_comment(field["description"]) + _comment(remarks.get(name, ""))
                   + _field(name, resolved(field, whole), whole, _of(values, name))
                   for name, field in resolved(record, whole)["properties"].items())


def _comment(text: str) -> str:
    lines = textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ")
    return "".join(f"{line}\n" for line in lines)


def _field(name: str, schema: Schema, whole: Schema, value: Any) -> str:
    if value is None:
        return f"# {name}:  # {describe(schema, whole)}\n"
    if "properties" in schema:
        key = _dump({name: {}}).partition(":")[0]
        return f"{key}:\n{textwrap.indent(_fields(schema, whole, value, {}), '  ')}"
    return _dump({name: _plain(schema, whole, value)})


def _dump(document: Any) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def _plain(schema: Schema, whole: Schema, value: Any) -> Any:
    """A value as YAML has it, without what is optional and says nothing new."""
    schema = resolved(schema, whole)
    if "properties" in schema:
        parts = {name: (field, _of(value, name)) for name, field in schema["properties"].items()}
        plain = {name: _plain(field, whole, part) for name, (field, part) in parts.items()
                 if part is not None}
        return {name: part for name, part in plain.items() if name in schema["required"]
                or part != schema["properties"][name].get("default")}
    word, *several = schema.get("anyOf", (schema,))
    if "const" in word and not value:
        return word["const"]
    if isinstance(value, list | tuple):
        return [_plain([word, *several][-1]["items"], whole, part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(schema["additionalProperties"], whole, part)
                for key, part in value.items()}
    return value


def _of(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else getattr(values, name)

"""A file of declared fields as YAML that explains itself: every field with its meaning.

The other direction of ``fields.load``: what is written here, that reads.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from scorer.reading.fields import Field, Kind, ListOf, ListOrWord, MapOf, Record

WIDTH = 96


class _Dumper(yaml.SafeDumper):
    """Writes yes and no, and text of several lines as such; folds between words of a list alone."""

    def write_plain(self, text: str, split: bool = True) -> None:
        """Keep the words of one entry on one line."""
        super().write_plain(text, split=False)


_Dumper.add_representer(bool, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:bool", "yes" if value else "no"))
_Dumper.add_representer(str, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:str", value, style="|" if "\n" in value else None))


def commented(record: Record, values: Any, remarks: Mapping[str, str] | None = None) -> str:
    """The fields of a record with their values, each below a comment that says what it means.

    ``values`` is a mapping or an object with one attribute a field; what is optional and None is
    shown as a comment. ``remarks`` says more of a field, by its name.
    """
    remarks = remarks or {}
    return "".join(_comment(field.doc) + _comment(remarks.get(field.name, ""))
                   + _field(field, _of(values, field.name)) for field in record.fields)


def _comment(text: str) -> str:
    lines = textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ")
    return "".join(f"{line}\n" for line in lines)


def _field(field: Field, value: Any) -> str:
    if value is None:
        return f"# {field.name}:  # {field.kind.describe()}\n"
    if isinstance(field.kind, Record):
        key = _dump(field.name, {}).partition(":")[0]
        return f"{key}:\n{textwrap.indent(commented(field.kind, value), '  ')}"
    return _dump(field.name, _plain(field.kind, value))


def _dump(name: str, value: Any) -> str:
    """An entry of a mapping; lists and mappings of plain values lie on one line."""
    return yaml.dump({name: value}, Dumper=_Dumper, sort_keys=False, allow_unicode=True,
                     width=WIDTH, default_flow_style=None if isinstance(value, list | dict)
                     else False)


def _plain(kind: Kind, value: Any) -> Any:
    """A value as YAML has it, without what is optional and says nothing new."""
    if isinstance(kind, Record):
        parts = [(field, _of(value, field.name)) for field in kind.fields]
        return {field.name: _plain(field.kind, part) for field, part in parts
                if part is not None and (field.required or part != field.default)}
    if isinstance(kind, ListOrWord) and not value:
        return kind.word
    if isinstance(kind, ListOf):
        return [_plain(kind.kind, part) for part in value]
    if isinstance(kind, MapOf):
        return {key: _plain(kind.kind, part) for key, part in value.items()}
    return value


def _of(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else getattr(values, name)

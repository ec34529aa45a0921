"""A file of declared fields as YAML that explains itself: every field with its meaning.

The other direction of ``fields.load``: what is written here, that reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorer.reading.fields import Field, Kind, ListOf, ListOrWord, MapOf, Record

WIDTH = 96
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*")
_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null", "y", "n"})
"""Which other readers of YAML take for something else than text."""


def commented(record: Record, values: Any, remarks: Mapping[str, str] | None = None) -> str:
    """The fields of a record with their values, each below a comment that says what it means.

    ``values`` is a mapping or an object with one attribute a field; what is optional and None is
    shown as a comment. ``remarks`` says more of a field, by its name.
    """
    return "\n".join(_record(record, values, "", remarks or {})) + "\n"


def _record(record: Record, values: Any, indent: str, remarks: Mapping[str, str]) -> Iterator[str]:
    for field in record.fields:
        yield from _comment(field.doc, indent)
        yield from _comment(remarks.get(field.name, ""), indent)
        yield from _field(field, _of(values, field.name), indent)


def _of(values: Any, name: str) -> Any:
    return values.get(name) if isinstance(values, Mapping) else getattr(values, name)


def _field(field: Field, value: Any, indent: str) -> Iterator[str]:
    name = _scalar(field.name)
    if value is None:
        yield f"{indent}# {name}:  # {field.kind.describe()}"
    elif isinstance(field.kind, Record):
        yield f"{indent}{name}:"
        yield from _record(field.kind, value, indent + "  ", {})
    elif isinstance(field.kind, MapOf) and value:
        yield f"{indent}{name}:"
        yield from (f"{indent}  {_scalar(key)}: {_flow(field.kind.kind, one)}"
                    for key, one in value.items())
    elif isinstance(field.kind, ListOrWord) and not value:
        yield f"{indent}{name}: {field.kind.word}"
    elif isinstance(field.kind, ListOf):
        yield from _list(name, field.kind, value, indent)
    elif isinstance(value, str) and "\n" in value:
        yield f"{indent}{name}: |"
        yield from (f"{indent}  {line}".rstrip() for line in value.rstrip("\n").split("\n"))
    else:
        yield f"{indent}{name}: {_scalar(value)}"


def _list(name: str, kind: ListOf, values: Sequence[Any], indent: str) -> Iterator[str]:
    line = f"{indent}{name}: [{', '.join(_flow(kind.kind, value) for value in values)}]"
    if len(line) <= WIDTH and not (values and isinstance(kind.kind, Record)):
        yield line
        return
    yield f"{indent}{name}:"
    yield from (f"{indent}  - {_flow(kind.kind, value)}" for value in values)


def _flow(kind: Kind, value: Any) -> str:
    """A value on one line."""
    if isinstance(kind, Record):
        pairs = [(field, _of(value, field.name)) for field in kind.fields]
        shown = [f"{_scalar(field.name)}: {_flow(field.kind, one)}" for field, one in pairs
                 if one is not None and (field.required or one != field.default)]
        return "{" + ", ".join(shown) + "}"
    if isinstance(kind, ListOf):
        return "[" + ", ".join(_flow(kind.kind, one) for one in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """A value as YAML that every reader takes for the same.

    >>> _scalar(True), _scalar(17), _scalar("is a"), _scalar("no"), _scalar("a: b")
    ('yes', '17', 'is a', '"no"', '"a: b"')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _comment(text: str, indent: str) -> Iterator[str]:
    """A sentence as lines of comment."""
    line = f"{indent}#"
    for word in text.split():
        if len(line) + len(word) >= WIDTH:
            yield line
            line = f"{indent}#"
        line += f" {word}"
    if text:
        yield line

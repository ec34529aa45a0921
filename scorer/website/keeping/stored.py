"""Our own frozen records as JSON and back, by their types: nothing is ever run to read them. Pure.

Records are lists of their fields in order, mappings are lists of pairs. It is for values that this
very code made (``Kept.value``), so there are no names, no versions and no checks.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

Read = Callable[[Any], Any]


def plain(value: Any) -> Any:
    """A record as lists, texts and numbers.

    >>> plain(((1, "a"), {"b": None}))
    [[1, 'a'], [['b', None]]]
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return [[plain(key), plain(one)] for key, one in value.items()]
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value)]
    return [plain(one) for one in value]


@cache
def reader(kind: Any) -> Read:
    """What makes a value of a type from what ``plain`` made of it.

    Raises TypeError for a type that it does not know.

    >>> reader(tuple[tuple[int, str], dict[str, int | None]])([[1, "a"], [["b", None]]])
    ((1, 'a'), {'b': None})
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind in (Any, bool, int, float, str, types.NoneType):
        return lambda value: value
    if origin in (types.UnionType, Union):
        return _optional([part for part in parts if part is not types.NoneType])
    if origin is tuple:
        return _tuple(parts)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, one = map(reader, parts)
        return lambda value: {key(name): one(inner) for name, inner in value}
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        return _record(kind)
    raise TypeError(f"no record is made of {kind!r}")


def _optional(kinds: list[Any]) -> Read:
    if len(kinds) != 1:
        raise TypeError(f"several types in one place: {kinds!r}")
    read = reader(kinds[0])
    return lambda value: None if value is None else read(value)


def _tuple(parts: tuple[Any, ...]) -> Read:
    if parts[1:] == (...,):
        one = reader(parts[0])
        return lambda value: tuple([one(inner) for inner in value])
    each = [reader(part) for part in parts]
    return lambda value: tuple(
        [read(inner) for read, inner in zip(each, value, strict=True)])


def _record(kind: Any) -> Read:
    hints = get_type_hints(kind)
    names = ([field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields)
    each = [reader(hints[name]) for name in names]
    return lambda value: kind(*[read(inner) for read, inner in zip(each, value, strict=True)])

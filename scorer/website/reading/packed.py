"""Values of a split's items in less memory: pickled and compressed in blocks. Pure.

A large board has half a million items over all its systems; as objects they fill gigabytes. Only
the last four sequences that somebody asked for are at hand as objects.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar, overload

Value = TypeVar("Value", covariant=True)

BLOCK = 40
"""Values in one block."""


class Packed(Sequence[Value]):
    """A sequence that cannot change; ``window`` gives the same with some of its blocks alone."""

    def __init__(self, blocks: Mapping[int, bytes], length: int) -> None:
        self._blocks = blocks
        self._length = length
        self._last: tuple[int, Sequence[Any]] = (-1, ())

    @classmethod
    def of(cls, values: Sequence[Value]) -> Packed[Value]:
        """The same values, packed."""
        if isinstance(values, Packed):
            return values
        starts = range(0, len(values), BLOCK)
        return cls({number: zlib.compress(pickle.dumps(tuple(values[start : start + BLOCK])), 1)
                    for number, start in enumerate(starts)}, len(values))

    def window(self, start: int, stop: int) -> Packed[Value]:
        """The values from ``start`` to ``stop`` at their places; others cannot be asked for."""
        numbers = range(start // BLOCK, -(-min(stop, self._length) // BLOCK))
        return Packed({number: self._blocks[number] for number in numbers}, self._length)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Value: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Value, ...]: ...

    def __getitem__(self, place: int | slice) -> Value | tuple[Value, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(self._length)[place])
        number, place = divmod(range(self._length)[place], BLOCK)
        if len(self._blocks) * BLOCK >= self._length:
            value: Value = _whole(self)[number * BLOCK + place]
            return value
        last = self._last
        if last[0] != number:
            last = self._last = number, self._unpacked(number)
        found: Value = last[1][place]
        return found

    def __iter__(self) -> Iterator[Value]:
        """Raises LookupError for a window: its values would seem to be the first ones."""
        if len(self._blocks) * BLOCK < self._length:
            raise LookupError("a window is asked for its values by their places")
        return iter(_whole(self))

    def _unpacked(self, number: int) -> Sequence[Any]:
        found: Sequence[Any] = pickle.loads(  # noqa: S301  # what this process packed
            zlib.decompress(self._blocks[number]))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Packed, (self._blocks, self._length)


@lru_cache(maxsize=4)
def _whole(values: Packed[Value]) -> Sequence[Value]:
    """All values of a sequence; whoever goes through them often does it one system at a time."""
    return [value for number in values._blocks for value in values._unpacked(number)]

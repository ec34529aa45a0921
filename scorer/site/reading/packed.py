"""Values of a split's items in less memory: pickled and compressed in blocks. Pure.

A large board has half a million items over all its systems; as objects they fill gigabytes. At hand
as objects are the last block of each sequence, and the last four sequences that somebody went
through.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar, overload

Value = TypeVar("Value", covariant=True)

BLOCK = 40
"""Values in one block."""


class Packed(Sequence[Value]):
    """A sequence that cannot change."""

    def __init__(self, blocks: Sequence[bytes], length: int) -> None:
        self._blocks = blocks
        self._length = length
        self._last: tuple[int, Sequence[Any]] = (-1, ())

    @classmethod
    def of(cls, values: Sequence[Value]) -> Packed[Value]:
        """The same values, packed."""
        if isinstance(values, Packed):
            return values
        starts = range(0, len(values), BLOCK)
        return cls([zlib.compress(pickle.dumps(tuple(values[start : start + BLOCK])), 1)
                    for start in starts], len(values))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Value: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Value, ...]: ...

    def __getitem__(self, place: int | slice) -> Value | tuple[Value, ...]:
        if isinstance(place, slice):
            return tuple(self[position] for position in range(self._length)[place])
        number, place = divmod(range(self._length)[place], BLOCK)
        last = self._last
        if last[0] != number:
            last = self._last = number, self._unpacked(number)
        value: Value = last[1][place]
        return value

    def __iter__(self) -> Iterator[Value]:
        return iter(_whole(self))

    def _unpacked(self, number: int) -> Sequence[Any]:
        values: Sequence[Any] = pickle.loads(  # noqa: S301  # what this process packed
            zlib.decompress(self._blocks[number]))
        return values


@lru_cache(maxsize=4)
def _whole(values: Packed[Value]) -> Sequence[Value]:
    """All values of a sequence; whoever goes through them often does it one system at a time."""
    return [value for number in range(len(values._blocks)) for value in values._unpacked(number)]

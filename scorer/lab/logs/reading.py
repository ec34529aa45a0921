"""Files and JSON of strangers, read piece by piece: what is not asked for is passed over unbuilt.

Whatever a log unpacks to, no more of it is held than the shape that a reader names, within bounds.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from scorer.core.errors import MOST_SHOWN, DataError, UsageError, excerpt

MOST_BYTES = 4 * 2**30
"""Bytes that are read of one log, unpacked, or of all logs of a folder."""
MOST_VALUES = 20_000_000
"""Names, numbers, texts, beginnings and ends in them."""
MOST_SAMPLES = 100_000
"""Samples in them, each epoch or filter by itself."""
MOST_LETTERS = 4 * 2**20
"""Characters of the samples' ids and clusters."""
MOST_SCORES = 300_000
"""Scores that are held of them."""
MOST_LEVELS = 100
LONGEST_TOKEN = 16 * 2**20
"""Bytes of one text or number."""
LONGEST_TEXT = 2**20
"""Characters that are held of one text; the rest is cut off."""
MOST_HELD = 50_000
"""Values that are held of one entry."""
MOST_TEXT = 16 * 2**20
"""Characters that are held of one entry."""
_BLOCK = 256 * 1024
"""Bytes that are read at once."""
_LARGEST_BLOCK = 4 * 2**20
"""Within a long text as many as it has so far, up to these: it is looked at again each time."""

Shape: TypeAlias = "Mapping[str, Shape] | bool"
"""What is held of a value: all (True), nothing (False), or of an object its names and of a list its
elements (``*``, which also stands for every other name). An empty shape leaves empty lists and
objects; numbers and texts are held."""


def clean(text: str) -> str:
    r"""Text that stays on its line and can be written in UTF-8: the rest is spelled out.

    >>> clean("acc\n\nA is better")
    'acc\\n\\nA is better'
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\n", r"\n")


class LogFault(UsageError):
    """A log cannot be used: where, what was found, what to do."""

    def __init__(self, place: str, found: str, advice: str) -> None:
        super().__init__(f"{clean(place)}: {found}; {advice}")


def missing_extra(place: str, found: str, advice: str) -> DataError:
    """A log cannot be read with what is installed here."""
    return DataError(f"{clean(place)}: {found}; {advice}")


class NotJSON(LogFault):
    """A document that is no JSON."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(place, f"not JSON ({why})", "the log is cut off or damaged: copy it "
                         "again, or run the evaluation again")


def opened(path: Path) -> BinaryIO:
    """A regular file. Raises LogFault for what cannot be read, and for devices and pipes."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise LogFault(str(path), "not a regular file", "name a log")
        return path.open("rb")
    except OSError as fault:
        raise LogFault(str(path), f"cannot be read ({fault.strerror or fault})",
                       "name a file that is there") from None


class Budget:
    """What may still be read of one log, or of all logs of a folder, whatever parts it has."""

    def __init__(self) -> None:
        self._left = {"bytes": MOST_BYTES, "values": MOST_VALUES, "samples": MOST_SAMPLES,
                      "letters": MOST_LETTERS, "scores": MOST_SCORES}

    @property
    def spent(self) -> bool:
        """Whether nothing more may be read."""
        return min(self._left["bytes"], self._left["values"]) < 0

    def take(self, what: str, where: str, count: int = 1) -> None:
        """Raises LogFault where so much more is too much."""
        self._left[what] -= count
        if self._left[what] < 0:
            most = {"bytes": f"{MOST_BYTES >> 30} GiB, unpacked",
                    "letters": f"{MOST_LETTERS >> 20} million characters of ids and clusters",
                    "values": f"{MOST_VALUES:,} values", "samples": f"{MOST_SAMPLES:,} samples",
                    "scores": f"{MOST_SCORES:,} scores"}
            raise LogFault(where, f"more than {most[what]}",
                           "split the log, or name one with fewer or smaller samples")


class LogFaults:
    """The faults of one log, to be raised together."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, where: str, problem: str, advice: str) -> None:
        """Note one. Raises UsageError where there have been MOST_SHOWN; no more are looked for."""
        self._lines.append(str(LogFault(where, problem, advice)))
        if len(self._lines) == MOST_SHOWN:
            self._lines.append(f"{MOST_SHOWN} faults, perhaps others")
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise UsageError with every fault."""
        if self._lines:
            raise UsageError("\n".join(self._lines))


class Readable(Protocol):
    """What bytes are read from, some at a time."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""


def entries(file: Readable, where: str, shape: Mapping[str, Shape], budget: Budget,
            apart: str = "") -> Iterator[tuple[str, Any]]:
    """The names and values of a JSON object that ``shape`` has, one after the other.

    The list at the name ``apart`` is given element by element, so that one of them is held at a
    time. Of a list instead of an object the elements are given, under no name.
    """
    document = _Document(file, where, budget)
    event, value = document.next()
    if event == "start_array":
        yield from (("", element) for element in document.elements(shape.get("*", False)))
    elif event != "start_map":
        raise LogFault(where, f"{excerpt(str(value))}, where an object or a list was expected",
                       "name a log as its harness wrote it")
    else:
        while (event := (token := document.next())[0]) != "end_map":
            name = token[1]
            wanted = shape.get(name, shape.get("*", False))
            event, value = document.next()
            if name == apart and event == "start_array" and isinstance(wanted, Mapping):
                yield from ((name, item) for item in document.elements(wanted.get("*", False)))
            elif wanted is False:
                document.skip(event)
            else:
                yield name, document.named(name, event, value, wanted)
    document.end()


class _Document:
    """The events of one document, each taken once."""

    def __init__(self, file: Readable, place: str, budget: Budget) -> None:
        try:
            import ijson
        except ImportError:
            raise missing_extra(place, "logs are read by ijson, which is not installed",
                                "pip install 'whyboard[logs]'") from None
        self._place, self._budget = place, budget
        self._source = _Source(file, place, budget)
        self._events = iter(ijson.basic_parse(self._source, buf_size=_BLOCK, use_float=True))
        self._fault: type[Exception] = ijson.JSONError
        self._level = 0
        self._values = self._letters = 0

    def next(self) -> tuple[str, Any]:
        """The next event and its value. Raises LogFault."""
        try:
            event, value = next(self._events)
        except StopIteration:
            raise NotJSON(self._place, "it ends too early") from None
        except (self._fault, ValueError) as fault:
            raise NotJSON(self._place, _reason(fault)) from None
        self._source.idle = 0
        self._budget.take("values", self._place)
        self._level += (event in ("start_map", "start_array")) - (event in ("end_map", "end_array"))
        if self._level > MOST_LEVELS:
            raise NotJSON(self._place, "nested too deeply")
        return str(event), value

    def end(self) -> None:
        """Read to the end, where nothing may be left but blanks."""
        try:
            for _ in self._events:
                pass
        except (self._fault, ValueError) as fault:
            raise NotJSON(self._place, _reason(fault)) from None

    def elements(self, shape: Shape) -> Iterator[Any]:
        """The elements of a list that has begun, one by one."""
        while (token := self.next())[0] != "end_array":
            self._values = self._letters = 0
            yield self._value(*token, shape)

    def named(self, name: str, event: str, value: Any, shape: Shape) -> Any:
        """The value at a name, held as far as ``shape`` asks for it; all names are one entry."""
        self._letters += len(name)
        return self._value(event, value, shape)

    def skip(self, event: str) -> None:
        """Pass over the value that begins with an event."""
        level = self._level
        if event in ("start_map", "start_array"):
            while self._level >= level:
                self.next()

    def _value(self, event: str, value: Any, shape: Shape) -> Any:
        self._values += 1
        if self._values > MOST_HELD or self._letters > MOST_TEXT:
            raise LogFault(self._place, f"an entry with more than {MOST_HELD:,} values or "
                           f"{MOST_TEXT >> 20} MiB of text", "leave out what is not needed")
        if event == "start_map":
            held: dict[str, Any] = {}
            while (token := self.next())[0] != "end_map":
                name, (event, value) = token[1], self.next()
                self._letters += len(name)
                wanted = shape if shape is True else _named(shape, name)
                if wanted is False:
                    self.skip(event)
                else:
                    held[name] = self._value(event, value, wanted)
            return held
        if event == "start_array":
            listed = []
            wanted = shape if shape is True else _named(shape, "*")
            while (token := self.next())[0] != "end_array":
                if wanted is False:
                    self.skip(token[0])
                else:
                    listed.append(self._value(*token, wanted))
            return listed
        if isinstance(value, str):
            value = value[:LONGEST_TEXT + 1]
            self._letters += len(value)
        return value


def _named(shape: Shape, name: str) -> Shape:
    return shape.get(name, shape.get("*", False)) if isinstance(shape, Mapping) else False


def _reason(fault: Exception) -> str:
    """What a parser says, without the bytes of the log that it shows."""
    match = re.match(r"(?:b.)?([\w ,.:-]*)", str(fault))
    return match[1] if match else "damaged"


class _Source:
    """Bytes for a parser: bounded, without a mark of order, and with numbers that JSON has in place
    of NaN and Infinity, which harnesses write and JSON has not."""

    def __init__(self, file: Readable, place: str, budget: Budget) -> None:
        self._file, self._place, self._budget = file, place, budget
        self._begun = False
        self._rest = b""
        self._in_text = False
        self.idle = 0
        """Bytes since the last event."""

    def read(self, size: int) -> bytes:
        """Some bytes; none at the end."""
        while size:
            block = self._file.read(min(max(_BLOCK, self.idle), _LARGEST_BLOCK))
            if not self._begun:
                block = block.removeprefix(b"\xef\xbb\xbf")
                self._begun = True
            self._budget.take("bytes", self._place, len(block))
            self.idle += len(block)
            if self.idle > LONGEST_TOKEN + _LARGEST_BLOCK:
                raise LogFault(self._place, "a text, or blanks, of more than "
                               f"{LONGEST_TOKEN >> 20} MiB", "leave out what is not needed")
            whole = self._rest + block
            cut = _whole_words(whole) if block else len(whole)
            self._rest = whole[cut:]
            if cut or not block:
                return self._numbers(whole[:cut])
        return b""

    def _numbers(self, block: bytes) -> bytes:
        """Whole words and escapes, with numbers for those that JSON has not."""
        begins_in_text = self._in_text
        quotes = block.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"')
        self._in_text ^= bool(quotes % 2)
        if b"NaN" not in block and b"Infinity" not in block:
            return block
        opening = b'"' if begins_in_text else b""
        return _WORDS.sub(_number, opening + block)[len(opening):]


_WORD_BEGUN = re.compile(rb"[NaInfity]{1,8}\Z")
"""What may be a part of NaN or of Infinity."""
_WORDS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|NaN|Infinity', re.DOTALL)


def _whole_words(block: bytes) -> int:
    """How many bytes of a block end with neither a part of a word nor of an escape."""
    begun = _WORD_BEGUN.search(block[-8:])
    end = len(block) - (len(begun[0]) if begun else 0)
    strokes = end - len(block[:end].rstrip(b"\\"))
    return end - strokes % 2


def _number(word: re.Match[bytes]) -> bytes:
    return {b"N": b"null", b"I": b"1e300"}.get(word[0][:1], word[0])


def object_of(value: Any) -> Mapping[str, Any]:
    """An object of a log; empty for what is none."""
    return value if isinstance(value, dict) else {}

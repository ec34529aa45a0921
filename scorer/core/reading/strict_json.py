"""Strict JSON: every value with its place, and what surprises is refused.

Equal keys, NaN, deep nesting and large files are errors. Records convert the values
(``schema.py``). Documents of ours are read faster (``documents.py``); here their faults are found.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left

from scorer.core.errors import Problem, excerpt
from scorer.core.reading.strict_yaml import DEEPEST, Node, Refused, decoded

LARGEST = 2 * 1024 * 1024
LONGEST_NUMBER = 30
_BETWEEN = re.compile(r"[ \t\n\r,:]*")
_WORD = re.compile(r"[^\s,\]}]+")
_WORDS = {"true": True, "false": False, "null": None}
_string = json.JSONDecoder().raw_decode


def read(content: bytes, path: str, largest: int = LARGEST) -> tuple[Node | None, list[Problem]]:
    """The document's root node, or None and the one problem found."""
    try:
        text = decoded(content, largest)
        json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
        return _Text(text).node(0, 0)[0], []
    except Refused as refused:
        line, column, what, advice = refused.args
    except json.JSONDecodeError as broken:
        line, column, what, advice = broken.lineno, broken.colno, broken.msg, "mend the JSON"
    except RecursionError:
        line, column, what, advice = 1, 1, f"nesting deeper than {DEEPEST}", "mend the JSON"
    expected = "one plain JSON document"
    return None, [Problem(path, line, column, "META-VALUE", what, expected, advice)]


class _Text:
    """A text that is known to be JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends = [match.start() for match in re.finditer("\n", text)]

    def place(self, at: int) -> tuple[int, int]:
        """One-based line and column of a position."""
        line = bisect_left(self.ends, at)
        return line + 1, at - (self.ends[line - 1] if line else -1)

    def refused(self, at: int, what: str) -> Refused:
        """That what stands at a position is refused."""
        return Refused(*self.place(at), what, "use plain keys, strings, numbers and lists")

    def node(self, at: int, depth: int) -> tuple[Node, int]:
        """The value that begins behind a position, and the position behind it."""
        at = self._next(at)
        if depth > DEEPEST:
            raise self.refused(at, f"nesting deeper than {DEEPEST}")
        place, start = self.place(at), self.text[at]
        if start == "{":
            members: dict[str, Node] = {}
            while self.text[at := self._next(at + 1)] != "}":
                key, end = _string(self.text, at)
                if key in members:
                    raise self.refused(at, f"the key {excerpt(key)} a second time")
                node, end = self.node(end, depth + 1)
                members[key] = Node(node.value, node.line, node.column, self.place(at))
                at = end - 1
            return Node(members, *place), at + 1
        if start == "[":
            nodes = []
            while self.text[at := self._next(at + 1)] != "]":
                node, end = self.node(at, depth + 1)
                nodes.append(node)
                at = end - 1
            return Node(nodes, *place), at + 1
        if start == '"':
            value, end = _string(self.text, at)
            return Node(value, *place), end
        match = _WORD.match(self.text, at)
        word = match[0] if match else ""
        if word in ("NaN", "Infinity", "-Infinity"):
            raise self.refused(at, f"the value {word}")
        if len(word) > LONGEST_NUMBER:
            raise self.refused(at, f"a number of {len(word)} characters")
        value = _WORDS[word] if word in _WORDS else json.loads(word)
        return Node(value, *place), at + len(word)

    def _next(self, at: int) -> int:
        """The position of the next sign that is no blank and separates nothing."""
        match = _BETWEEN.match(self.text, at)
        return match.end() if match else at

"""Strict YAML: every scalar is text with its place, everything surprising is refused.

YAML 1.1 turns ``no`` into False, ``3.10`` into 3.1 and lets the last of two equal keys win; files
written by strangers may also hold anchors that grow without bound. So documents are composed, not
constructed: scalars stay strings, and anchors, aliases, tags, merge keys, equal keys, several
documents, deep nesting and large files are errors. Records convert them (``schema.py``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import yaml

from scorer.core.errors import Problem, excerpt

LARGEST = 64 * 1024
DEEPEST = 20
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
"""Line ends to YAML and to nobody else: places would not be those of an editor."""
_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Twenty times as fast, where PyYAML was built with libyaml; its words for faults differ."""
_SLOW = re.compile(r"[\t\ufeff]|\?\s|[|>][-+0-9]*#|^---", re.M)
"""What libyaml takes for something else than PyYAML does."""


class Scalar(str):
    """A text of YAML, which may stand for a number or a flag, and where it begins."""

    line: int
    column: int


@dataclass(frozen=True)
class Node:
    """A value of YAML or JSON with its place (one-based line and column)."""

    value: Any
    """A mapping or list of nodes, or a scalar: a ``Scalar`` of YAML, any value of JSON."""
    line: int
    column: int
    key: tuple[int, int] = (1, 1)
    """The place of its key, if it is the value of one."""

    def plain(self) -> Any:
        """The value without places; those of scalars of YAML stay."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        return [node.plain() for node in self.value] if isinstance(self.value, list) else self.value

    def at(self, parts: Sequence[int | str]) -> Node:
        """The node that keys and indices lead to; those that lead nowhere are passed over."""
        node = self
        for part in parts:
            below = dict(enumerate(node.value)) if isinstance(node.value, list) else node.value
            if isinstance(below, dict) and part in below:
                node = below[part]
        return node


class _BadYaml(Exception):
    """What is refused: its line and column, and what it is."""


def read(content: bytes, path: str) -> tuple[Node | None, list[Problem]]:
    """The document's root node, or None and the problems found.

    Returns at most one problem: after a fault of notation nothing further can be trusted.
    """

    def refuse(line: int, column: int, actual: str, advice: str) -> tuple[None, list[Problem]]:
        expected = "one plain YAML document"
        return None, [Problem(path, line, column, "META-YAML", actual, expected, advice)]

    if len(content) > LARGEST:
        return refuse(1, 1, f"more than {LARGEST} bytes", "shorten the file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        return refuse(line, 1, f"byte {fault.start} is not UTF-8", "save the file as UTF-8")
    odd = _ODD_BREAK.search(text)
    if odd is not None:
        detail = f"the line-separating character U+{ord(odd.group()):04X}"
        return refuse(*_place(text, odd.start()), detail, "end lines with LF")
    if _SLOW.search(text) is None:
        with suppress(_BadYaml, yaml.YAMLError, ValueError):
            return _root(text, _FAST), []
    try:  # for the words and places of faults
        return _root(text, yaml.SafeLoader), []
    except _BadYaml as refused:
        line, column, what = refused.args
        return refuse(line, column, what, "use plain keys, strings and lists")
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        if fault.problem == "found unexpected end of stream" and fault.context_mark:
            opened = fault.context_mark
            return refuse(opened.line + 1, opened.column + 1, "a quotation mark without its second",
                          "close it")
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = (fault.problem or "unreadable YAML").encode("ascii", "backslashreplace").decode()
        if not message.startswith("mapping values are not allowed"):
            return refuse(line, column, message, "mend the YAML")
        if ": " in text.split("\n")[line - 1][: column - 1]:
            return refuse(line, column, "': ' inside a value", "quote a value that contains ': '")
        return refuse(line, column, "a key inside the value above", "begin the key in the column "
                      "of the other keys, or quote a value that contains ': '")
    except yaml.reader.ReaderError as fault:
        detail = f"the character U+{ord(text[fault.position]):04X}"
        return refuse(*_place(text, fault.position), detail, "remove the character")
    except ValueError:  # PyYAML lets escapes such as "\U00110000" and huge versions through
        return refuse(1, 1, "a number that is too large in an escape or a directive",
                      "remove it")


def _place(text: str, position: int) -> tuple[int, int]:
    """One-based line and column of a position."""
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


def _root(text: str, loader: Any) -> Node:
    """Walk the parser's events; recursion is bounded by DEEPEST."""
    events = yaml.parse(text, Loader=loader)
    next(events)  # the start of the stream
    if isinstance(next(events), yaml.StreamEndEvent):
        raise _BadYaml(1, 1, "an empty file")
    root = _node(events, next(events), 0)
    next(events)  # the end of the document
    following = next(events)
    if not isinstance(following, yaml.StreamEndEvent):
        mark = following.start_mark
        raise _BadYaml(mark.line + 1 if mark else 1, 1, "a second document")
    return root


def _node(events: Any, event: Any, depth: int) -> Node:
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, yaml.AliasEvent):
        raise _BadYaml(line, column, "an alias (*name)")
    if event.anchor:
        raise _BadYaml(line, column, "an anchor (&name)")
    if event.tag:
        raise _BadYaml(line, column, "a tag (!name)")
    if depth > DEEPEST:
        raise _BadYaml(line, column, f"nesting deeper than {DEEPEST}")
    if isinstance(event, yaml.ScalarEvent):
        scalar = Scalar(event.value)
        scalar.line, scalar.column = line, column
        return Node(scalar, line, column)
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_node(events, event, depth + 1))
        return Node(items, line, column)
    mapping: dict[str, Node] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _node(events, event, depth + 1)
        if not isinstance(key.value, str):
            raise _BadYaml(key.line, key.column, "a key that is not plain text")
        if key.value == "<<":
            raise _BadYaml(key.line, key.column, "a merge key (<<)")
        if key.value in mapping:
            raise _BadYaml(key.line, key.column, f"the key {excerpt(key.value)} a second time")
        value = _node(events, next(events), depth + 1)
        mapping[key.value] = Node(value.value, value.line, value.column, (key.line, key.column))
    return Node(mapping, line, column)

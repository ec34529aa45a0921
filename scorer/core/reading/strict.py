"""Strict YAML and JSON: every value with its place, and what surprises is refused.

YAML 1.1 turns ``no`` into False, ``3.10`` into 3.1 and lets the last of two equal keys win; files
written by strangers may also hold anchors that grow without bound. So documents are composed, not
constructed: scalars stay strings, and anchors, aliases, tags, merge keys, equal keys, several
documents, deep nesting and large files are errors. So are equal keys, NaN and deep nesting in JSON.
Records convert the values (``schema.py``). JSON documents of ours are read faster
(``schema.Document``); here their faults are found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from scorer.core.errors import Problem, excerpt

LARGEST = 64 * 1024
LARGEST_JSON = 2 * 1024 * 1024
DEEPEST = 20
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
"""Line ends to YAML and to nobody else: places would not be those of an editor."""
PLAIN = "use plain keys, strings and lists"


class Scalar(str):
    """A text of YAML, which may stand for a number or a flag."""


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
        """The value without places."""
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


class Refused(Exception):
    """What is refused: its line and column, what was found, what to do."""


def _decoded(content: bytes, largest: int, encoding: str = "utf-8") -> str:
    """A file's text. Raises Refused for one that is too large or not UTF-8."""
    if len(content) > largest:
        raise Refused(1, 1, f"more than {largest} bytes", "shorten the file")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise Refused(line, 1, f"byte {fault.start} is not UTF-8", "save the file as UTF-8"
                      ) from fault


def read_yaml(content: bytes, path: str) -> tuple[Node | None, list[Problem]]:
    """The document's root node, or None and the problems found.

    Returns at most one problem: after a fault of notation nothing further can be trusted.
    """
    try:
        text = _decoded(content, LARGEST, "utf-8-sig")
        odd = _ODD_BREAK.search(text)
        if odd is not None:
            raise Refused(*_place(text, odd.start()), "the line-separating character "
                          f"U+{ord(odd.group()):04X}", "end lines with LF")
        return _root(text), []
    except Refused as refused:
        line, column, what, advice = refused.args
    except yaml.MarkedYAMLError as fault:
        line, column, what, advice = _marked(fault)
    except yaml.reader.ReaderError as fault:
        line, column = _place(text, fault.position)
        what, advice = f"the character U+{ord(text[fault.position]):04X}", "remove the character"
    except ValueError:  # PyYAML lets escapes such as "\U00110000" and huge versions pass
        line, column, advice = 1, 1, "remove it"
        what = "a number that is too large in an escape or a directive"
    expected = "one plain YAML document"
    return None, [Problem(path, line, column, "META-YAML", what, expected, advice)]


def _marked(fault: yaml.MarkedYAMLError) -> tuple[int, int, str, str]:
    """Place, words and advice of a fault that PyYAML found."""
    mark, message = fault.problem_mark or fault.context_mark, fault.problem or "unreadable YAML"
    what = message.encode("ascii", "backslashreplace").decode()
    advice = "mend the YAML"
    if message == "found unexpected end of stream" and fault.context_mark:
        mark, what, advice = fault.context_mark, "a quotation mark without its second", "close it"
    elif message.startswith("mapping values are not allowed"):
        what = "': ' inside a value, or a key in another column"
        advice = "quote a value that contains ': ', and begin keys in one column"
    return (*((mark.line + 1, mark.column + 1) if mark else (1, 1)), what, advice)


def _place(text: str, position: int) -> tuple[int, int]:
    """One-based line and column of a position."""
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


def _root(text: str) -> Node:
    """Walk the parser's events; recursion is bounded by DEEPEST."""
    events = yaml.parse(text, Loader=yaml.SafeLoader)
    next(events)  # the start of the stream
    if isinstance(next(events), yaml.StreamEndEvent):
        raise Refused(1, 1, "an empty file", PLAIN)
    root = _node(events, next(events), 0)
    next(events)  # the end of the document
    following = next(events)
    if not isinstance(following, yaml.StreamEndEvent):
        mark = following.start_mark
        raise Refused(mark.line + 1 if mark else 1, 1, "a second document", PLAIN)
    return root


def _node(events: Any, event: Any, depth: int) -> Node:
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, yaml.AliasEvent):
        raise Refused(line, column, "an alias (*name)", PLAIN)
    if event.anchor:
        raise Refused(line, column, "an anchor (&name)", PLAIN)
    if event.tag:
        raise Refused(line, column, "a tag (!name)", PLAIN)
    if depth > DEEPEST:
        raise Refused(line, column, f"nesting deeper than {DEEPEST}", PLAIN)
    if isinstance(event, yaml.ScalarEvent):
        return Node(Scalar(event.value), line, column)
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_node(events, event, depth + 1))
        return Node(items, line, column)
    mapping: dict[str, Node] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _node(events, event, depth + 1)
        if not isinstance(key.value, str):
            raise Refused(key.line, key.column, "a key that is not plain text", PLAIN)
        if key.value == "<<":
            raise Refused(key.line, key.column, "a merge key (<<)", PLAIN)
        if key.value in mapping:
            what = f"the key {excerpt(key.value)} a second time"
            raise Refused(key.line, key.column, what, PLAIN)
        mapping[key.value] = replace(_node(events, next(events), depth + 1),
                                     key=(key.line, key.column))
    return Node(mapping, line, column)


# ---- JSON ------------------------------------------------------------------------------------

LONGEST_NUMBER = 30
_SIMPLE = "use plain keys, strings, numbers and lists"
_TOKEN = re.compile(r'\n|"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s,:{}\[\]"]+')
Token = tuple[str, int, int]
"""What stands in JSON between commas and colons, its line and column."""


def read_json(content: bytes, path: str) -> tuple[Node | None, list[Problem]]:
    """The document's root node, or None and the one problem found."""
    try:
        text = _decoded(content, LARGEST_JSON)
        json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
        tokens = _tokens(text)
        return _json_node(tokens, next(tokens), 0), []
    except Refused as refused:
        line, column, what, advice = refused.args
    except json.JSONDecodeError as broken:
        line, column, what, advice = broken.lineno, broken.colno, broken.msg, "mend the JSON"
    except RecursionError:
        line, column, what, advice = 1, 1, f"nesting deeper than {DEEPEST}", "mend the JSON"
    expected = "one plain JSON document"
    return None, [Problem(path, line, column, "META-VALUE", what, expected, advice)]


def _tokens(text: str) -> Iterator[Token]:
    """The tokens of a text that is known to be JSON."""
    line, end = 1, -1
    for match in _TOKEN.finditer(text):
        if match[0] == "\n":
            line, end = line + 1, match.start()
        else:
            yield match[0], line, match.start() - end


def _json_node(tokens: Iterator[Token], token: Token, depth: int) -> Node:
    """The value that begins with a token."""
    word, line, column = token
    if depth > DEEPEST:
        raise Refused(line, column, f"nesting deeper than {DEEPEST}", _SIMPLE)
    if word == "{":
        members: dict[str, Node] = {}
        while (key := next(tokens))[0] != "}":
            name = json.loads(key[0])
            if name in members:
                raise Refused(*key[1:], f"the key {excerpt(name)} a second time", _SIMPLE)
            members[name] = replace(_json_node(tokens, next(tokens), depth + 1), key=key[1:])
        return Node(members, line, column)
    if word == "[":
        nodes = []
        while (item := next(tokens))[0] != "]":
            nodes.append(_json_node(tokens, item, depth + 1))
        return Node(nodes, line, column)
    if word in ("NaN", "Infinity", "-Infinity"):
        raise Refused(line, column, f"the value {word}", _SIMPLE)
    if word[0] != '"' and len(word) > LONGEST_NUMBER:
        raise Refused(line, column, f"a number of {len(word)} characters", _SIMPLE)
    return Node(json.loads(word), line, column)

"""A model's answer as a label and a graph: what a graph must look like, and the form ``code``.

In that form the answer is two assignments in Python's notation, which are read by their signs and
never run: ``stance = "support"`` and ``graph = [("concept", "relation", "concept"), ...]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scorer.core.graph import EDGE_SEPARATOR, PART_SEPARATOR
from scorer.tasks.answers import (
    UNPARSABLE,
    AnswerColumn,
    Found,
    UnreadableValue,
    is_fence,
    lines_of,
    with_article,
)
from scorer.tasks.graphs.graph_items import Gold, Settings

GRAPH = "graph"
_STRING = r"""(?:"(?:[^"\\\n]|\\["'\\])*+"|'(?:[^'\\\n]|\\["'\\])*+')"""
_GAP = r"(?:\s|#[^\n]*\n)*+"
_STRINGS = rf"{_GAP}{_STRING}(?:{_GAP},{_GAP}{_STRING})*+(?:{_GAP},)?+{_GAP}"
_TUPLE = rf"(?:\({_STRINGS}\)|\[{_STRINGS}\])"
_EDGES = re.compile(
    rf"{_GAP}\[{_GAP}(?:{_TUPLE}(?:{_GAP},{_GAP}{_TUPLE})*+(?:{_GAP},)?+{_GAP})?+\]")
"""A whole list of tuples of strings; nothing in it is tried twice."""
_COMMENT = re.compile(rf"({_STRING})|#[^\n]*")
_NAMED = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]{0,80})?=(?!=)")
_UNFIT = re.compile(r"[();\t\n\r]")


def words(settings: Settings) -> dict[str, str]:
    """What templates of prompts may say of a board's graphs; empty for what it does not have."""
    rules = settings.graph
    most = [most for most in (rules.most_edges, rules.strict_most_edges) if most is not None]
    return {
        "inputs": listing([with_article(text.name) for text in settings.texts]),
        "relations": ", ".join(rules.relations) or "your own short phrases",
        "least_edges": str(rules.least_edges),
        "most_edges": str(min(most)) if most else "",
        "concept_words": str(rules.concept_words or ""),
        "acyclic": "yes" if rules.acyclic else "",
        "connected": "yes" if rules.connected else "",
        "text_concepts": listing([f"at least {text.concepts} from the {text.name}"
                                  for text in settings.texts if text.concepts]),
    }


def listing(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> listing(["a", "b", "c"]), listing(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _no_graph(text: str) -> str:
    """Why a text is no graph; whatever stands between its first and last bracket is judged by the
    rules of the board."""
    if len(text) > 2 and text[0] == "(" and text[-1] == ")":
        return ""
    return "does not begin with '(' and end with ')'"


GRAPH_COLUMN = AnswerColumn(GRAPH, wrong=_no_graph)


def assignments(columns: Sequence[AnswerColumn], text: str) -> Found:
    """The values of assignments ``name = value`` that begin a line.

    >>> one = AnswerColumn("stance", ("support", "counter"))
    >>> assignments([one], '```python\\nstance = "support"  # because\\n```')
    {'stance': ['support']}
    """
    text = "\n".join("" if is_fence(line) else line for line in lines_of(text))
    names = {column.name for column in columns}
    values: dict[str, list[str | UnreadableValue]] = {}
    for line in re.finditer(r"^.*$", text, re.MULTILINE):
        named = _NAMED.match(line[0])
        if named is not None and named[1] in names:
            start = line.start() + named.end()
            values.setdefault(named[1], []).append(
                _graph(text, start) if named[1] == GRAPH else _label(named[1], text, start))
    return values


def _label(name: str, text: str, start: int) -> str | UnreadableValue:
    string = re.compile(rf"{_GAP}({_STRING})").match(text, start)
    return _plain(string[1]) if string else UnreadableValue(UNPARSABLE, f"{name} is no string")


def _graph(text: str, start: int) -> str | UnreadableValue:
    """A list of tuples of strings in the board's notation."""
    found = _EDGES.match(text, start)
    if found is None:
        return UnreadableValue(UNPARSABLE, "graph is not a whole list of tuples of strings")
    tuples = re.findall(_TUPLE, _COMMENT.sub(lambda part: part[1] or "", found[0]))
    edges = [[_plain(string) for string in re.findall(_STRING, edge)] for edge in tuples]
    if not edges:
        return UnreadableValue(UNPARSABLE, "graph is an empty list")
    if any(not part.strip() or _UNFIT.search(part) for edge in edges for part in edge):
        return UnreadableValue(UNPARSABLE, "graph has a string that is empty or has brackets, a "
                               "semicolon, a tab or a line end, which no edge can hold")
    return f"({EDGE_SEPARATOR.join(map(PART_SEPARATOR.join, edges))})"


def _plain(sign: str) -> str:
    """The text of a string; only quotes and backslashes can be escaped.

    >>> print(_plain(r"'the cat\\'s pet'"))
    the cat's pet
    """
    return re.sub(r"\\(.)", r"\1", sign[1:-1])


def as_code(gold: Gold) -> str:
    """The first gold graph as a list in Python's notation, an edge a line."""
    escaped = gold.graphs[0].text[1:-1].replace("\\", "\\\\").replace('"', '\\"')
    edges = (edge.replace(PART_SEPARATOR, '", "') for edge in escaped.split(EDGE_SEPARATOR))
    return "[\n" + "".join(f'    ("{edge}"),\n' for edge in edges) + "]"

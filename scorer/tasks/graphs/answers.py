"""A model's answer as a label and a graph: what a graph must look like, and the form ``code``.

In that form the answer is two assignments in Python's notation, which are read by their signs and
never run: ``stance = "support"`` and ``graph = [("concept", "relation", "concept"), ...]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scorer.core.graph import EDGE_SEPARATOR, PART_SEPARATOR
from scorer.tasks.answers import (
    UNPARSABLE,
    AnswerColumn,
    Found,
    UnreadableValue,
    is_fence,
    lines_of,
    titled,
    with_article,
)
from scorer.tasks.graphs.graph_items import Gold, Settings

GRAPH = "graph"
_STRING = r'"(?:[^"\\\n]|\\["\'\\])*"|' + r"'(?:[^'\\\n]|\\[\"'\\])*'"
_SIGN = re.compile(rf"\s*(?:#[^\n]*\n\s*)*(?:({_STRING})|([\[\](),]))")
_NAMED = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]{0,80})?=(?!=)")
_UNFIT = re.compile(r"[();\t\n\r]")


def columns(settings: Settings) -> list[AnswerColumn]:
    """The label if there is one, and the graph."""
    label = [AnswerColumn(settings.labels.name, settings.labels.values)] if settings.labels else []
    return [*label, AnswerColumn(GRAPH, wrong=_no_graph)]


def words(settings: Settings) -> dict[str, str]:
    """What templates of prompts may say of a board of graphs; empty for what it does not have."""
    rules, labels = settings.graph, settings.labels
    most = [most for most in (rules.most_edges, rules.strict_most_edges) if most is not None]
    return {
        "inputs": listing([with_article(text.name) for text in settings.texts]),
        "label": labels.name if labels else "",
        "label_title": titled(labels.name) if labels else "",
        "labels": " or ".join(labels.values) if labels else "",
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
            signs = _signs(text, line.start() + named.end())
            value: str | UnreadableValue
            if named[1] == GRAPH:
                value = _graph(signs)
            else:
                sign = next(signs, "")
                value = _plain(sign) if sign[:1] in ("'", '"') else UnreadableValue(
                    UNPARSABLE, f"{named[1]} is no string")
            values.setdefault(named[1], []).append(value)
    return values


def _signs(text: str, start: int) -> Iterator[str]:
    """Strings, brackets and commas from a place on, up to the first other sign."""
    while (match := _SIGN.match(text, start)) is not None:
        yield match[1] or match[2]
        start = match.end()


def _graph(signs: Iterator[str]) -> str | UnreadableValue:
    """A list of tuples of strings in the board's notation."""
    if next(signs, "") != "[":
        return UnreadableValue(UNPARSABLE, "graph is no list")
    edges: list[list[str]] = []
    expected = {"(", "[", "]"}
    for sign in signs:
        if sign not in expected:
            break
        if sign == "]":
            written = EDGE_SEPARATOR.join(map(PART_SEPARATOR.join, edges))
            return (f"({written})" if edges
                    else UnreadableValue(UNPARSABLE, "graph is an empty list"))
        if sign == ",":
            expected = {"(", "[", "]"}
            continue
        parts = _parts(signs, ")" if sign == "(" else "]")
        if isinstance(parts, UnreadableValue):
            return parts
        edges.append(parts)
        expected = {",", "]"}
    return UnreadableValue(UNPARSABLE, "graph is not a whole list of tuples of strings")


def _parts(signs: Iterator[str], end: str) -> list[str] | UnreadableValue:
    """The strings of one tuple."""
    parts: list[str] = []
    ready = True
    for sign in signs:
        if sign == end and parts:
            return parts
        if sign == "," and not ready:
            ready = True
        elif sign[0] in "'\"" and ready:
            parts.append(_plain(sign))
            ready = False
            if not parts[-1].strip() or _UNFIT.search(parts[-1]):
                return UnreadableValue(UNPARSABLE, "graph has a string that is empty or has "
                                       "brackets, a semicolon, a tab or a line end, which no edge "
                                       "can hold")
        else:
            break
    return UnreadableValue(UNPARSABLE, "graph is not a whole list of tuples of strings")


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

"""Columns of a board's own files, as a recipe takes them from a record.

Numbers stay as they are written, and equal sources give equal bytes on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.boards.import_records import (
    FieldFault,
    ImportRecord,
    Making,
    as_text,
    at_path,
    kind_of,
    named,
    value_at,
)
from scorer.boards.recipes import KEY, LISTING, STEPS, TEXT, WHOLE, Column, Nodes, Steps
from scorer.core.errors import excerpt
from scorer.core.reading.characters import UNWELCOME

BETWEEN = " | "
"""Between the entries of a listing."""
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNFIT = str.maketrans({"(": "[", ")": "]", ";": ","})
"""What stands for signs that the notation of graphs needs for itself."""


def texts_of(column: Column, entry: ImportRecord, work: Making) -> Iterator[tuple[str, str]]:
    """The columns that one column of a recipe makes of a record, each with its path."""
    if column.each is None:
        value = value_at(entry, column.field)
        if not (column.optional and _is_empty(value)):
            nodes = (None if column.nodes is None else _node_texts(
                column.nodes, value_at(entry, column.nodes.field), column.nodes.field))
            yield column.field, _one(column, value, column.field, work, nodes)
        return
    listed = value_at(entry, column.each)
    if not isinstance(listed, list) or not listed:
        raise FieldFault(column.each, kind_of(listed) if listed else "nothing there",
                         "a list with an entry or more")
    order = list(range(len(listed)))
    if column.highest_first is not None:
        numbers = [_number(item, column.highest_first, f"{column.each}.{index}")
                   for index, item in enumerate(listed)]
        order.sort(key=lambda index: -numbers[index])
    for index in order[: column.most]:
        outer = f"{column.each}.{index}"
        path = outer if column.field == WHOLE else f"{outer}.{column.field}"
        nodes = (None if column.nodes is None else _node_texts(
            column.nodes, at_path(listed[index], column.nodes.field, outer),
            f"{outer}.{column.nodes.field}"))
        yield path, _one(column, at_path(listed[index], column.field, outer), path, work, nodes)


def _node_texts(nodes: Nodes, listed: Any, path: str) -> dict[str, str]:
    """The concepts that stand for the ids of nodes."""
    if not isinstance(listed, (list, dict)):
        raise FieldFault(path, kind_of(listed), "a list or a mapping of nodes")
    texts: dict[str, str] = {}
    for index, (key, node) in enumerate(named(listed)):
        at = f"{path}.{key if isinstance(listed, dict) else index}"
        name = key if nodes.id == KEY else as_text(at_path(node, nodes.id, at), f"{at}.{nodes.id}")
        if name in texts:
            raise FieldFault(at, f"the id {excerpt(name)} again", "an id of its own for each node")
        if nodes.ids and (": " in name or UNWELCOME.search(name)
                          or " ".join(name.translate(_UNFIT).split()) != name or not name):
            raise FieldFault(at, f"the id {excerpt(name)}", "an id that can stand before `: `: "
                             "without that sign, brackets, semicolons and odd blanks")
        text = as_text(at_path(node, nodes.text, at), at if nodes.text == WHOLE else
                        f"{at}.{nodes.text}")
        texts[name] = f"{name}: {text}" if nodes.ids else text
    return texts


def _number(value: Any, path: str, where: str) -> float:
    content = at_path(value, path, where)
    try:
        number = float(content) if isinstance(content, str) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FieldFault(f"{where}.{path}", kind_of(content), "a number")
    return number


def _one(column: Column, value: Any, path: str, work: Making, nodes: Mapping[str, str] | None,
         ) -> str:
    if column.default is not None and _is_empty(value):
        return column.default
    if column.form == TEXT:
        text = as_text(value, path)
        if column.after is not None:
            _, words, text = text.rpartition(column.after)
            if not words:
                raise FieldFault(path, excerpt(text), f"a text with {excerpt(column.after)} in it")
        return _plain(column, text, path, work)
    if column.form == LISTING:
        entries = [_tidy(text, work) for text in _listing(column, value, path)]
        work.changed += sum(BETWEEN in entry for entry in entries)
        return BETWEEN.join(entry.replace(BETWEEN, " / ") for entry in entries)
    if column.form == STEPS:
        assert column.steps is not None
        edges = list(_steps(column.steps, as_text(value, path), path, work))
    else:
        edges = list(_triples(column, value, path, work, nodes))
    if not edges and column.default is not None:
        return column.default
    if not edges:
        raise FieldFault(path, "no edge", "an edge or more, or a default for none")
    return "".join(f"({'; '.join(edge)})" for edge in edges)


def _is_empty(value: Any) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def _plain(column: Column, text: str, path: str, work: Making) -> str:
    text = _tidy(text, work)
    if not column.values:
        if not text and column.default is None:
            raise FieldFault(path, "an empty text", "a text")
        return text or str(column.default)
    if text not in column.values:
        raise FieldFault(path, excerpt(text), "one of: " + ", ".join(column.values))
    return column.values[text]


def _listing(column: Column, value: Any, path: str) -> Iterator[str]:
    def text(item: Any, at: str) -> str:
        if not column.parts:
            return as_text(item, at)
        return ": ".join(as_text(at_path(item, part, at), f"{at}.{part}") for part in column.parts)

    if isinstance(value, dict) and value:
        yield from (f"{name}: {text(item, f'{path}.{name}')}" for name, item in value.items())
    elif isinstance(value, list) and value:
        yield from (text(item, f"{path}.{index}") for index, item in enumerate(value))
    else:
        raise FieldFault(path, kind_of(value) if value else "nothing there",
                         "a list or a mapping with an entry or more")


def _triples(column: Column, value: Any, path: str, work: Making, nodes: Mapping[str, str] | None,
             ) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, list):
        raise FieldFault(path, kind_of(value), "a list of edges")
    for index, edge in enumerate(value):
        parts = []
        for number, part in enumerate(column.parts or ("0", "1", "2")):
            at = f"{path}.{index}.{part}"
            text = as_text(at_path(edge, part, f"{path}.{index}"), at)
            if number == 1 and column.relations:
                if text not in column.relations:
                    raise FieldFault(at, excerpt(text), "one of the relations")
                text = column.relations[text]
            elif number == 1 and column.words:
                text = _INNER_CAPITAL.sub(" ", text).lower()
            elif number != 1 and nodes is not None:
                if text not in nodes:
                    raise FieldFault(at, excerpt(text), "the id of a node" + (
                        "" if nodes else ", of which there is none"))
                text = nodes[text]
            parts.append(_node(text, at, work))
        yield tuple(parts)


def _steps(steps: Steps, text: str, path: str, work: Making) -> Iterator[tuple[str, ...]]:
    """Edges from each premise of a step to its conclusion; a step that lacks a part is an error."""
    text = _tidy(text, work)
    if steps.before is not None:
        text = text.removeprefix(steps.before.strip())
    for number, step in enumerate(text.split(";"), start=1):
        if not step.strip():
            continue
        before, arrow, conclusion = step.partition("->")
        premises = before.split("&")
        if steps.loose and not all(part.strip() for part in (*premises, arrow, conclusion)):
            yield (_node(step, path, work),)
            continue
        if not arrow or ("->" in conclusion and not steps.loose):
            raise FieldFault(path, f"step {number} {'with two' if arrow else 'without'} ->",
                             "premises -> conclusion")
        for premise in premises:
            yield (_node(premise, path, work), steps.relation, _node(conclusion, path, work))


def _node(text: str, path: str, work: Making) -> str:
    """A text as a part of an edge: without the signs that edges are written with."""
    part = " ".join(_tidy(text, work).split(" ")).strip()
    fit = " ".join(part.translate(_UNFIT).split())
    if not fit:
        raise FieldFault(path, "an empty part of an edge", "a text")
    work.changed += fit != part
    return fit


def _tidy(text: str, work: Making) -> str:
    """A text as a column can hold it: blanks for tabs and line ends, no invisible characters."""
    flat = " ".join(text.replace("\t", " ").splitlines())
    result = UNWELCOME.sub("", flat).strip(" ")
    work.changed += result != text.strip(" ")
    return result

"""Batches made of gold, submissions, triplets, texts of one's own, or answers to another batch.

Which items are taken hangs on a seed and on nothing else: rows are ordered by a digest of the seed
and their number, the same for every system, and each label gives its share. So two systems are
judged on the same rows as far as both may be. Ids and the order of items tell nothing of a system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.golds import needed_golds
from scorer.boards.submission import predictions_path
from scorer.core.errors import SubmissionError, UsageError, counted, excerpt
from scorer.core.files import sha256, sha256_file, write_together
from scorer.core.graph import format_graph
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import open_file, read_lines, read_rows, text_of
from scorer.core.records import Edge
from scorer.people import organisers, stages
from scorer.people.answers import read_graph
from scorer.people.records import (
    ALL,
    GOLD,
    GRAPH,
    LABEL,
    LABELS,
    LONGEST_CONCEPT,
    MOST_TRIPLETS,
    ORIGINS,
    TEXT,
    TRIPLETS,
    Batch,
    Form,
    Origin,
)
from scorer.people.sheets import unescaped
from scorer.people.stages import VERIFY, ItemCandidate
from scorer.people.validate import Workplace
from scorer.scoring.checking import check_file
from scorer.tasks.graphs.facts import places

TRIPLETS_FORMAT = "cckg-triplets/1"
TRIPLET_COLUMNS = ("item", "head", "relation", "tail", "head_from", "tail_from")
TOPIC = "topic"
"""The last column of a file of texts; it may be absent."""
LONGEST_TOPIC = 300
NODES = "nodes"
"""Of an item with triplets: where their concepts come from."""
LARGEST_TRIPLETS = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class BatchRequest:
    """What a batch is to be like."""

    name: str
    form: Form
    board: str = ""
    """The name of the board whose items they are, if any."""
    made_of: str
    """A board's split, or a batch, in words."""
    seed: int
    items: int | None = None
    """Of each system; None: all there are."""
    labels: Sequence[str] = ()
    """Gold labels that are taken; none: all."""
    needed: int | None = None
    topics: Sequence[str] = ()
    licence: str = ""
    every: bool = False
    """Whether items that fail a gate are taken too."""


Source = tuple[str, list[ItemCandidate]]
"""The name of a system, a batch or a file, and the items that it has."""

# ---- where items come from ---------------------------------------------------------------------


def golds_of(board: Board, split: str, home: Path) -> tuple[Any, ...]:
    """The items of a split. Raises UsageError where gold is not public, DataError if not there."""
    if board.split(split).gold != "public":
        raise UsageError(f"{board.id} {split}: gold is {board.split(split).gold}; batches are made "
                         "of splits with public gold")
    return needed_golds(board, split, home).items


def _of_board(board: Board, golds: Sequence[Any], split: str, name: str,
              rows: Iterable[tuple[int, Mapping[str, Any]]], predictions: str = "",
              ) -> list[ItemCandidate]:
    """Items of a board by their rows, each with what is shown beside its input.

    ``predictions``: the digest of the file that this is from.
    """
    task, candidates = board.task, []
    for row, shown in rows:
        gold = golds[row - 1]
        inputs = dict(zip(task.input_columns, gold.texts, strict=True))
        label = next((content.label for content in task.gold_contents(gold)), None) or ""
        candidates.append(ItemCandidate(Origin(
            source=f"{board.id}-{split}:{row}", system=name, predictions=predictions, label=label),
            {**inputs, **task.item_words(gold), **shown}))
    return candidates


def _columns(board: Board, answer: Any) -> dict[str, str]:
    return dict(zip(board.task.prediction_columns, board.task.write_prediction(answer),
                    strict=True))


def of_gold(board: Board, golds: Sequence[Any], split: str) -> Source:
    """Every item with its own first gold answer."""
    answers = ([*board.task.gold_predictions(gold)][:1] for gold in golds)
    return GOLD, _of_board(board, golds, split, GOLD, (
        (row, _columns(board, first[0]) if first else {})
        for row, first in enumerate(answers, start=1)))


def of_submission(board: Board, golds: Sequence[Any], folder: Path, split: str, *,
                  every: bool = False) -> Source:
    """The items of a submission that pass every gate; ``every``: also those that do not.

    Raises SubmissionError with the faults of its predictions.
    """
    path = predictions_path(folder, split)
    if not path.is_file():
        raise UsageError(f"{path}: no such file; name the folder of a submission to {split}")
    checked = check_file(board, path, texts=[gold.texts for gold in golds])
    if not checked.ok:
        raise SubmissionError(checked.problems, checked.total)
    system = "/".join(folder.resolve().parts[-2:])
    return system, _of_board(board, golds, split, system, (
        (row, _columns(board, answer.prediction))
        for row, (gold, answer) in enumerate(zip(golds, checked.answers, strict=True), start=1)
        if every or board.task.verdict(gold, answer.prediction, answer.found
                                       ).annotation == board.task.passed),
        sha256_file(path))


def of_triplets(board: Board, golds: Sequence[Any], path: Path, split: str) -> Source:
    """The items of a list of triplets, as `scorer predict` writes them for annotators.

    Raises UsageError with the first fault of a line, SubmissionError if the bytes are no lines.
    """
    table = read_lines(open_file(path, largest=LARGEST_TRIPLETS))
    lines = [text_of(number, line, table.problems) or ""
             for number, line in enumerate(table.lines, start=1)]
    table.problems.raise_if_any()
    rows = {str(row) for row in range(1, len(golds) + 1)}
    listed: dict[int, tuple[dict[Edge, None], dict[str, str]]] = {}
    for number, line in enumerate(lines, start=1):
        cells = [unescaped(cell)[0] for cell in line.split("\t")]
        if cells[0] == "#format" and cells[1:] != [TRIPLETS_FORMAT]:
            raise UsageError(f"{path}:{number}: format {excerpt(' '.join(cells[1:]))}; expected "
                             f"{TRIPLETS_FORMAT}; name a list of triplets")
        if cells == [""] or cells[0].startswith("#") or cells == list(TRIPLET_COLUMNS):
            continue
        if (len(cells) != len(TRIPLET_COLUMNS) or cells[0] not in rows
                or not {*cells[4:]} <= {*ORIGINS} or unwelcome_character("".join(cells)) is not None
                or not all(0 < len(cell) <= LONGEST_CONCEPT for cell in cells)):
            raise UsageError(
                f"{path}:{number}: {excerpt(' '.join(cells))}; expected "
                f"{', '.join(TRIPLET_COLUMNS)} between tabs, each of up to {LONGEST_CONCEPT} "
                f"characters, an item from 1 to {len(golds)}, and "
                f"where concepts come from: {', '.join(ORIGINS)}; mend the line")
        edge = Edge(*(" ".join(cell.replace("_", " ").split()) for cell in cells[1:4]))
        edges, nodes = listed.setdefault(int(cells[0]), ({}, {}))
        edges[edge] = None
        nodes |= zip((edge.source, edge.target), cells[4:], strict=True)
    return path.stem, _of_board(board, golds, split, path.stem, (
        (row, {TRIPLETS: tuple(edges), NODES: nodes})
        for row, (edges, nodes) in sorted(listed.items()) if len(edges) <= MOST_TRIPLETS))


def of_batch(workplace: Workplace, batch: str, form: Form) -> Source:
    """The items of a batch of annotators that go on to the next stage. Raises UsageError if none
    does."""
    candidates = stages.derived(stages.Stages(workplace), batch, form)
    if not candidates:
        raise UsageError(f"batch {batch}: no item goes on to {form.kind}, by the answers that are "
                         "there; scorer annotations status says how many are missing")
    return f"batch {batch}", candidates


def of_texts(form: Form, path: Path) -> Source:
    """The lines of a file of one's own: what the form's items hold, and perhaps a topic.

    Raises SubmissionError with every fault of the file, UsageError if the form needs more.
    """
    fields = {part.source or part.name: part.kind for part in form.item if not part.optional}
    others = [part.name for part in form.item
              if not part.optional and part.kind not in (TEXT, LABEL, GRAPH)]
    if others or not fields:
        raise UsageError(f"form {form.kind} needs {', '.join(others) or 'no items'}, which lines "
                         "of texts do not have; choose another form, or --gold, --submission or "
                         "--triplets")
    label = next((column for column, kind in fields.items() if kind == LABEL), "")
    table = read_rows(open_file(path), [*fields, TOPIC], optional=1)
    name = re.sub(r"[^\w.-]+", "-", path.name)[:100]
    lines: dict[tuple[str, ...], int] = {}
    candidates = []
    for row in table.rows:
        texts, topic = row.fields[:len(fields)], (*row.fields, "")[len(fields)].strip()
        first = lines.setdefault(texts, row.line)
        if first != row.line:
            table.problems.add(row.line, 1, "META-VALUE", f"the texts of line {first} again",
                               "different texts on each line", "remove one of them")
        if len(topic) > LONGEST_TOPIC:
            table.problems.add(row.line, 1, "META-VALUE", f"a topic of {len(topic)} characters",
                               f"at most {LONGEST_TOPIC}", "shorten it")
        values = dict(zip(fields, texts, strict=True))
        candidates.append(ItemCandidate(Origin(
            source=f"{name}:{row.line}", label=values.get(label, ""), topic=topic), values))
    table.problems.raise_if_any()
    return path.name, candidates


# ---- which are taken ---------------------------------------------------------------------------


def sample(candidates: Sequence[ItemCandidate], count: int | None,
           seed: int) -> list[ItemCandidate]:
    """So many of some candidates, from each label in proportion; the same for the same seed.

    Raises UsageError if there are fewer.

    >>> items = [ItemCandidate(Origin(source=f"b:{row}", label="ab"[row % 4 == 0]), {})
    ...          for row in range(1, 13)]
    >>> sorted(item.origin.label for item in sample(items, 4, seed=1))
    ['a', 'a', 'a', 'b']
    """
    ordered = sorted(candidates, key=lambda item: sha256(f"{seed}|{item.origin.source}".encode()))
    if count is None:
        return ordered
    if count > len(ordered):
        raise UsageError(f"{ordered[0].origin.system}: {counted(len(ordered), 'item')} may be "
                         f"judged, fewer than {count}; lower --items")
    labelled: dict[str, list[ItemCandidate]] = {}
    for item in ordered:
        labelled.setdefault(item.origin.label, []).append(item)
    shares = {label: count * len(items) // len(ordered) for label, items in labelled.items()}
    rest = sorted(shares, key=lambda label: (-(count * len(labelled[label]) % len(ordered)), label))
    for label in rest[: count - sum(shares.values())]:
        shares[label] += 1
    return [item for label, items in labelled.items() for item in items[:shares[label]]]


def make(annotations: Path, wanted: BatchRequest, sources: Sequence[Source],
         ) -> tuple[list[Batch], list[str]]:
    """Write the batches of some systems' items, as many as hold them, and their keys, all or none.

    Returns them, and what to tell of them. Raises UsageError, also where one is there already.
    """
    form, names = wanted.form, [name for name, _ in sources]
    if form.adjudicates:
        raise UsageError(f"form {form.kind} settles answers to a batch; it has no batches of its "
                         "own")
    if len({*names}) < len(names):
        raise UsageError("two of these sources have one name, which the key tells them apart by; "
                         f"rename one: {', '.join(names)}")
    asks = any(question.topics for question in form.questions)
    if asks != bool(wanted.topics):
        raise UsageError(f"form {form.kind} asks for {'a' if asks else 'no'} topic; "
                         f"{'name' if asks else 'leave out'} --topics FILE")
    items, notes = _drawn(wanted, sources)
    parts = -(-len(items) // form.most_items)
    size = -(-len(items) // parts)
    files: dict[Path, bytes] = {}
    batches = []
    for number, start in enumerate(range(0, len(items), size), start=1):
        name = wanted.name if parts == 1 else f"{wanted.name}-{number}"
        batch, content, key = _batch(wanted, name, items[start : start + size])
        batches.append(batch)
        files[organisers.path_of(annotations, name, organisers.KEY_SUFFIX)] = key
        files[organisers.path_of(annotations, name)] = content
    if there := [path for path in files if path.exists()]:
        raise UsageError(f"{there[0]} is there already; answers name a batch by its digest, so "
                         "make one of another name")
    write_together(files)
    return batches, notes


def _drawn(wanted: BatchRequest, sources: Sequence[Source]
           ) -> tuple[list[tuple[dict[str, Any], Origin]], list[str]]:
    """The items of all systems in the order of their batches, and how many of each were drawn."""
    items, notes = list[tuple[dict[str, Any], Origin]](), list[str]()
    for name, candidates in sources:
        able = [candidate for candidate in candidates
                if not wanted.labels or candidate.origin.label in wanted.labels]
        if not able:
            raise UsageError(f"{name}: no item may be judged; leave it out, or choose "
                             "--labels all or --every-item")
        taken = sample(able, wanted.items, wanted.seed)
        notes.append(f"{name}: {counted(len(taken), 'item')} of {len(able)} that may be judged")
        items += [(_item(wanted, candidate), candidate.origin) for candidate in taken]
    if (wanted.labels and wanted.form.kind == VERIFY
            and any(origin.predictions for _, origin in items)):
        notes.append("note: items of chosen labels are no random sample, so votes on them "
                     "count for no system; --labels all draws one")
    items.sort(key=lambda pair: sha256(f"{wanted.seed}|order|{pair[0]['id']}".encode()))
    return items, notes


def _batch(wanted: BatchRequest, name: str, items: Sequence[tuple[dict[str, Any], Origin]],
           ) -> tuple[Batch, bytes, bytes]:
    """A batch with its bytes and those of its key."""
    form = wanted.form
    key = organisers.key_content({item["id"]: origin for item, origin in items}, {
        "seed": str(wanted.seed),
        "items of each system": ALL if wanted.items is None else str(wanted.items),
        LABELS: ", ".join(wanted.labels) or ALL, "made of": wanted.made_of,
        **({"every item": "yes"} if wanted.every else {})})
    document = {
        "format": Batch.format, "batch": name, "kind": form.kind, "guideline": form.guideline,
        "needed": wanted.needed or form.needed, "board": wanted.board, "licence": wanted.licence,
        "key_sha256": sha256(key),
        "topics": [{"key": str(number), "text": text}
                   for number, text in enumerate(wanted.topics, start=1)],
        "items": [item for item, _ in items]}
    content = organisers.content({key: value for key, value in document.items() if value})
    batch, problems = organisers.parse_batch(content, {form.kind: form}, f"{name}.json")
    if batch is None:
        raise UsageError("\n".join(map(str, problems[:5])))
    return batch, content, key


def _item(wanted: BatchRequest, candidate: ItemCandidate) -> dict[str, Any]:
    """An item as its batch has it."""
    form, (origin, values) = wanted.form, candidate
    digest = sha256(f"{wanted.seed}|{origin.source}|{origin.system}|{wanted.name}".encode())
    item: dict[str, Any] = {"id": f"{form.kind}-{digest[:8]}"}
    for part in form.item:
        listed = part.kind == TRIPLETS and TRIPLETS in values
        column = TRIPLETS if listed else part.source or part.name
        if column not in values:
            if not part.optional:
                raise UsageError(f"form {form.kind} needs {column}, which these items do not have; "
                                 f"they have: {', '.join(values)}")
        elif part.kind == TRIPLETS:
            triplets = values[column] if column == TRIPLETS else _edges(values[column])
            item[part.name] = [{"c1": edge.source, "rel": edge.relation, "c2": edge.target}
                               for edge in triplets]
            if triplets:
                item["nodes"] = values.get(NODES) or _nodes(triplets, form, values)
        elif part.kind == GRAPH:
            item[part.name] = format_graph(_edges(values[column]))
        else:
            item[part.name] = int(values[column]) if part.kind == "number" else values[column]
    return item


def _edges(graph: str) -> tuple[Edge, ...]:
    """The triplets of a graph, each once, in its order."""
    facts, fault = read_graph(graph)
    if fault is not None:
        raise UsageError(f"{excerpt(graph)}: {fault.text}")
    return tuple(dict.fromkeys(facts))


def _nodes(triplets: Sequence[Edge], form: Form, values: Mapping[str, Any]) -> dict[str, str]:
    """In which of the first two texts of an item each concept occurs; the first is the premise."""
    texts = [values.get(text.source or text.name, "") for text in form.item
             if text.kind == TEXT][:2]
    names = {(): "neither", (0,): "premise", (1,): "conclusion", (0, 1): "both"}
    return {concept: names[tuple(places(concept, texts))]
            for edge in triplets for concept in (edge.source, edge.target)}

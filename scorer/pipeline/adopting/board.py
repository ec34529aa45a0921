"""A new board from a like one and data: ``scorer board new``.

What the data show is taken from them, the rest from the like board, and what only a person knows is
a placeholder that ``scorer board check`` names. All faults are listed at once, and nothing is
written unless all is well.

Data are a folder of files, or what people wrote and found correct (``--from``): the items of closed
batches whose last graph was found to have the item's own label. Their texts, labels and constraints
are those of the form by which the graphs were written.
"""

from __future__ import annotations

import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic_core import to_jsonable_python

from scorer import boards
from scorer.boards import Board, Split
from scorer.boards.reading import PLACEHOLDER
from scorer.core.errors import DataError, Problem, SubmissionError, UsageError, counted
from scorer.core.files import new_folder, sha256, sha256_file, write_atomically
from scorer.core.reading.schema import Schema, described, resolved
from scorer.core.reading.tsv import LARGEST_FILE, Problems, open_file, read_rows, rows_bytes
from scorer.core.reading.values import SLUG, is_slug
from scorer.core.records import SPLITS
from scorer.metrics.catalogue import METRICS
from scorer.people import organisers
from scorer.people.records import CLOSED, Form
from scorer.people.stages import CORRECT, PENDING, WRONG, History, Stages
from scorer.people.validate import Workplace
from scorer.tasks.graphs.diff import ROUNDS
from scorer.tasks.graphs.graph_items import Labels, Settings, folded
from scorer.tasks.registry import AnyTask

_PLACEHOLDERS = {
    "summary": "what a system is given and what it must answer, in one or two sentences.",
    "licence": "what may be done with the data, and who says so.",
    "attribution": "the line below every example: name, authors, licence.",
    "citation": "BibTeX to cite when the board is used.",
}


@dataclass(frozen=True)
class NewBoard:
    """A board that is not written yet."""

    name: str
    text: str
    """Of board.yaml."""
    files: Mapping[str, bytes]
    """Of its folder of data, by name."""
    notes: tuple[str, ...]
    """What the data show, one line each."""


def new(name: str, like: Board, data: Path, *, values: Mapping[str, Any] | None = None,
        remarks: Mapping[str, str] | None = None) -> NewBoard:
    """The board ``name`` for ``data/train.tsv``, ``dev.tsv`` and ``test.tsv``, those there are.

    Files have the gold columns of the task, or its input columns alone: such a split waits for
    hidden gold. ``values`` are fields of board.yaml that are known, ``remarks`` comments on
    fields. Raises SubmissionError with every fault, UsageError if there is no file.
    """
    files = {split: data / f"{split}.tsv" for split in SPLITS if (data / f"{split}.tsv").is_file()}
    if not files:
        columns, optional = like.task.gold_columns
        must = columns[: len(columns) - optional]
        named = [*must, *(f"{column} (if any)" for column in columns[len(must) :])]
        raise UsageError(f"{data}: no data; put train.tsv, dev.tsv or test.tsv there, one item a "
                         f"line, columns: {', '.join(named)}")
    problems: list[Problem] = []
    if not is_slug(name):
        problems.append(Problem(name, 1, 1, "META-SLUG", "the board's name", SLUG.words,
                                "choose another name"))
    total = len(problems)
    settings, notes = like.task.fitted([row for path in files.values() for row in _raw(path)])
    made = replace(like, settings=settings)
    splits: dict[str, Split] = {}
    for split, path in files.items():
        splits[split], faults = _split(made.task, path)
        problems += sorted(faults.kept)
        total += faults.total
    if total:
        raise SubmissionError(problems, total)
    text = _text(name, made, {"splits": splits, **(values or {})}, remarks or {})
    return NewBoard(name, text, {path.name: path.read_bytes() for path in files.values()},
                    (*notes, *_sizes(splits)))


def write(board: NewBoard, folder: Path) -> Path:
    """Write the board below a folder of boards, whole or not at all; returns its folder.

    Raises UsageError if it is there already, SubmissionError if it could not be read there.
    """
    path = folder / board.name
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name, or remove it first")
    try:
        with new_folder(path) as made:
            write_atomically(made / boards.FILE_NAME, board.text.encode())
            for file, content in board.files.items():
                write_atomically(made / "data" / file, content)
            _, problems = boards.read(made, path.name)
            if problems:
                shown = str(path / boards.FILE_NAME)
                raise SubmissionError([replace(problem, path=shown) for problem in problems])
    except OSError as fault:
        raise DataError(f"{path}: cannot be written ({fault.strerror}); make room or choose "
                        "another folder") from fault
    return path


# ---- reading -------------------------------------------------------------------------------


def _raw(path: Path) -> list[list[str]]:
    """The fields of every line of a file, whatever is wrong with it."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE)
    text = content.decode("utf-8-sig", errors="replace")
    return [line.removesuffix("\r").split("\t") for line in text.split("\n") if line]


def _split(task: AnyTask, path: Path) -> tuple[Split, Problems]:
    """What a file is as a split of a board, and what is wrong with it."""
    names = task.input_columns
    columns, optional = task.gold_columns
    rows = _raw(path)
    blind = bool(rows) and all(len(row) == len(names) for row in rows)
    table = read_rows(open_file(path), names if blind else columns,
                      optional=0 if blind else optional)
    golds = 1
    if not blind:
        items = [task.read_gold(row, table.problems) for row in table.rows]
        golds = max((task.gold_count(gold) for gold in items if gold is not None), default=1)
    return Split(file=path.name, rows=len(table.rows), gold="hidden" if blind else "public",
                 sha256=sha256_file(path), golds=golds), table.problems


def _sizes(splits: Mapping[str, Split]) -> Iterator[str]:
    for name, split in splits.items():
        more = {1: "", 2: ", up to two golds an item"}.get(split.golds,
                                                           f", up to {split.golds} golds an item")
        if split.gold == "hidden":
            more = ", without gold: it waits for hidden gold (scorer handbook hidden-gold)"
        yield f"{name}: {counted(split.rows, 'item')}{more}"


# ---- writing -------------------------------------------------------------------------------


def _text(name: str, like: Board, known: Mapping[str, Any], remarks: Mapping[str, str]) -> str:
    task = like.task
    metrics = [metric for metric in like.metrics  # those that bring no misfit with them
               if len(task.misfits([metric])) <= len(task.misfits([]))]
    ranking = [metric for metric in like.ranking if metric in metrics] or metrics[:1]
    if judged := [metric for metric in metrics if METRICS[metric].judge]:
        remarks = {"metrics": f"{' and '.join(judged)} come from judges trained on another "
                   "benchmark: measure one on your data first (scorer judge evaluate), or remove "
                   "them.", **remarks}
    values = {
        "schema": 1, "id": name, "version": "1.0", "task": like.task_name,
        "title": name.replace("-", " ").capitalize(),
        **{field: f"{PLACEHOLDER} {what}" for field, what in _PLACEHOLDERS.items()},
        "metrics": metrics, "ranking": ranking, "settings": like.settings,
        "release": like.release, "people": like.people, **known,
    }
    text = (f"# The board {name}, made like {like.id} by `scorer board new`. Edit it freely, then: "
            f"scorer board check {name}\n# What each key means: scorer handbook board\n")
    kind: type = boards.declaration(type(task))
    whole = described(kind)
    for field, value in _short(whole, whole, to_jsonable_python(values)).items():
        lines = textwrap.wrap(remarks.get(field, ""), WIDTH, initial_indent="# ",
                              subsequent_indent="# ")
        text += "".join(f"{line}\n" for line in lines) + _dump({field: value})
    return text


WIDTH = 96


class _Dumper(yaml.SafeDumper):
    """Writes yes and no, and text of several lines as such."""


_Dumper.add_representer(bool, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:bool", "yes" if value else "no"))
_Dumper.add_representer(str, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:str", value, style="|" if "\n" in value else None))


def _dump(document: Any) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def _short(schema: Schema, whole: Schema, value: Any) -> Any:
    """A value without what is optional and says nothing new."""
    schema = resolved(schema, whole)
    if "properties" in schema:
        short = {name: _short(field, whole, value[name])
                 for name, field in schema["properties"].items() if value.get(name) is not None}
        return {name: part for name, part in short.items() if name in schema.get("required", ())
                or part not in ({}, schema["properties"][name].get("default"))}
    word, *several = schema.get("anyOf", (schema,))
    if "const" in word and not value:
        return word["const"]
    if isinstance(value, list):
        return [_short([word, *several][-1]["items"], whole, part) for part in value]
    if isinstance(value, Mapping):
        return {key: _short(schema["additionalProperties"], whole, part)
                for key, part in value.items()}
    return value


# ---- from what people found correct ----------------------------------------------------------

REFINEMENT = "refinement_graphs_{split}.tsv"
DEFAULT = {"train": 80, "dev": 20}
"""No test split: answers of annotators are public, so no gold of theirs can be hidden."""


class VerifiedItem(NamedTuple):
    """An item that people found correct."""

    texts: tuple[str, ...]
    label: str
    graphs: tuple[str, ...]
    """Of every round; the last one is gold."""
    group: str
    """Its topic, else its first text: items of one group are in one split."""


def of_people(name: str, workplace: Workplace, like: Board, shares: Mapping[str, int], seed: int
        ) -> NewBoard:
    """The board of what people of a folder of annotations found correct, divided by shares.

    Raises UsageError if nothing was found correct, if graphs were written by forms that ask for
    different things, or if there are too few groups for the splits.
    """
    if not isinstance(like.settings, Settings):
        raise UsageError(f"{like.id} is no board of graphs; name one that is with --like")
    histories = Stages(workplace).histories()
    closed = [history for history in histories
              if all(step.batch.status == CLOSED for step in history.places)]
    correct = [history for history in closed if history.state == CORRECT]
    notes = [_outcomes(histories, closed)]
    if not correct:
        raise UsageError(f"{notes[0]}; close the batches in which graphs were written, verified "
                         "and refined, and verify more")
    settings = _settings(like.settings, correct)
    items: dict[tuple[str, ...], VerifiedItem] = {}
    for record in correct:
        values = record.places[0].item.texts
        texts = tuple(values[text.name] for text in settings.texts)
        items.setdefault(texts, VerifiedItem(texts, record.wanted, record.graphs,
                                             record.topic or folded(texts[0])))
    if len(items) < len(correct):
        notes.append(f"{counted(len(correct) - len(items), 'item')} of the same texts as another "
                     "left out")
    parts = divided([*items.values()], shares, seed)
    notes.append(_how(correct, parts, shares, seed))
    known, remarks = _about(name, workplace, correct)
    with tempfile.TemporaryDirectory() as folder:
        for split, part in parts.items():
            Path(folder, f"{split}.tsv").write_bytes(rows_bytes(
                (*gold.texts, gold.label, gold.graphs[-1]) for gold in part))
        made = new(name, replace(like, settings=settings), Path(folder), values=known,
                   remarks={"splits": notes[-1], **remarks})
    refined = any(len(item.graphs) > 1 for item in items.values())
    rounds = {REFINEMENT.format(split=split): rows_bytes(
        (*gold.texts, gold.label, *gold.graphs[-ROUNDS:]) for gold in part)
        for split, part in parts.items() if refined}
    return replace(made, notes=(*notes, *made.notes), files={**made.files, **rounds})


def _about(name: str, workplace: Workplace, correct: Sequence[History]
           ) -> tuple[dict[str, object], dict[str, str]]:
    """What board.yaml says, and remarks in it: whose licences, and whether nobody was a person."""
    steps = [step for history in correct for step in history.places]
    licences = sorted({step.batch.licence for step in steps if step.batch.licence})
    simulated = organisers.simulated(workplace.people,
                                     (who for step in steps for who in step.answers))
    known: dict[str, object] = {}
    remarks = {}
    if licences:
        remarks["licence"] = (f"Annotators agreed to {' and '.join(licences)} for what they wrote; "
                              "whose the texts are that they read, only you know.")
    if simulated:
        known = {"title": f"{name.replace('-', ' ').capitalize()[:60]} (simulated)",
                 "practice": True}
        remarks["title"] = (f"SIMULATED: {', '.join(simulated[:5])} answered in place of people. "
                            "Never publish it as anything else.")
    return known, remarks


def _outcomes(histories: Sequence[History], closed: Sequence[History]) -> str:
    states = Counter(history.state for history in closed)
    left = {"not correct": states[WRONG], "not verified": states[PENDING],
            "in open batches": len(histories) - len(closed)}
    named = ", ".join(f"{count} {what}" for what, count in left.items() if count)
    return (f"{counted(states[CORRECT], 'item')} found correct"
            f"{f'; left out: {named}' if named else ''}")


def _settings(like: Settings, correct: Sequence[History]) -> Settings:
    """What the form says that graphs were written by."""
    forms = {history.places[0].form.kind: history.places[0].form for history in correct}
    form, *others = forms.values()
    if any((other.graph, _labels(other)) != (form.graph, _labels(form)) for other in others):
        raise UsageError(f"graphs were written by forms that ask for different things: "
                         f"{', '.join(forms)}; make a folder of annotations for each")
    assert form.graph is not None
    return replace(like, texts=form.graph.texts, graph=form.graph.rules, labels=_labels(form))


def _labels(form: Form) -> Labels:
    return next(Labels(part.name, part.values) for part in form.item if part.name == form.label)


def divided(items: Sequence[VerifiedItem], shares: Mapping[str, int], seed: int
            ) -> dict[str, list[VerifiedItem]]:
    """Items by split, those of one group together: groups come in an order that the seed decides,
    and each goes where most items are missing; the last ones to splits that are empty.

    Raises UsageError if a split stays empty.

    >>> them = [VerifiedItem((text,), "support", (), text[0]) for text in ("a1", "a2", "b1", "c1")]
    >>> {name: len(part) for name, part in divided(them, {"train": 3, "dev": 1}, 1).items()}
    {'train': 2, 'dev': 2}
    """
    groups: dict[str, list[VerifiedItem]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    parts: dict[str, list[VerifiedItem]] = {split: [] for split in shares}
    wanted = {split: len(items) * share / sum(shares.values()) for split, share in shares.items()}
    order = sorted(groups, key=lambda name: sha256(f"{seed}|{name}".encode()))
    for left, name in zip(range(len(order), 0, -1), order, strict=True):
        empty = [split for split, part in parts.items() if not part]
        among = empty if len(empty) >= left else parts
        neediest = max(among, key=lambda split: wanted[split] - len(parts[split]))
        parts[neediest] += groups[name]
    empty = [split for split, part in parts.items() if not part]
    if empty:
        raise UsageError(f"{counted(len(items), 'item')} in {counted(len(groups), 'group')} of one "
                         f"topic or first text leave nothing for {', '.join(empty)}; ask for fewer "
                         "splits with --splits")
    return parts


def _how(correct: Sequence[History], parts: Mapping[str, Sequence[VerifiedItem]],
         shares: Mapping[str, int], seed: int) -> str:
    by = "topic" if all(history.topic for history in correct) else (
        "topic, or of one first text where no topic is known," if any(
            history.topic for history in correct) else "first text")
    sizes = ", ".join(f"{split} {len(part)} ({counted(len({row.group for row in part}), 'group')})"
                      for split, part in parts.items())
    splits = " ".join(f"{split}={share}" for split, share in shares.items())
    return f"Items of one {by} are in one split (--splits {splits}, --seed {seed}): {sizes}."

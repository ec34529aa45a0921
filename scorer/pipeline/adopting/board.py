"""A new board from a like one and data: ``scorer board new``.

What the data show is taken from them, the rest from the like board, and what only a person knows is
a placeholder that ``scorer board check`` names. All faults are listed at once, and nothing is
written unless all is well.

Data are a folder of files, or what people wrote and found correct (``--from``): the items of closed
batches whose last graph was found to have the item's own label. Their texts, labels and constraints
are those of the form by which the graphs were written.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer import boards
from scorer.boards import Board, Split
from scorer.boards.reading import PLACEHOLDER
from scorer.core.errors import Problem, SubmissionError, UsageError, counted
from scorer.core.files import new_folder, sha256, write_atomically
from scorer.core.reading.schema import adapter
from scorer.core.reading.tsv import File, Problems, open_file, read_rows, rows_bytes
from scorer.core.reading.values import SLUG, is_slug
from scorer.core.records import SPLITS
from scorer.metrics.catalogue import METRICS
from scorer.people import organisers
from scorer.people.records import CLOSED
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


def new(name: str, like: Board, data: Path) -> NewBoard:
    """The board ``name`` for ``data/train.tsv``, ``dev.tsv`` and ``test.tsv``, those there are.

    Files have the gold columns of the task, or its input columns alone: such a split waits for
    hidden gold. Raises SubmissionError with every fault, UsageError if there is no file.
    """
    paths = {split: data / f"{split}.tsv" for split in SPLITS}
    files = {split: open_file(path) for split, path in paths.items() if path.is_file()}
    if not files:
        columns, optional = like.task.gold_columns
        must = len(columns) - optional
        named = [*columns[:must], *(f"{column} (if any)" for column in columns[must:])]
        raise UsageError(f"{data}: no data; put train.tsv, dev.tsv or test.tsv there, one item a "
                         f"line, columns: {', '.join(named)}")
    return _made(name, like, files, {}, {})


def _made(name: str, like: Board, files: Mapping[str, File], values: Mapping[str, Any],
          remarks: Mapping[str, str]) -> NewBoard:
    """The same of files by their splits; ``values`` are fields of board.yaml that are known,
    ``remarks`` comments on fields."""
    problems = [] if is_slug(name) else [Problem(
        name, 1, 1, "META-SLUG", "the board's name", SLUG.words, "choose another name")]
    total = len(problems)
    # the fields of every line, whatever is wrong with it
    rows = {split: [line.removesuffix("\r").split("\t") for line in
                    file.content.decode("utf-8-sig", errors="replace").split("\n") if line]
            for split, file in files.items()}
    settings, notes = like.task.fitted([row for each in rows.values() for row in each])
    made = replace(like, settings=settings)
    splits: dict[str, Split] = {}
    for split, file in files.items():
        splits[split], faults = _split(made.task, split, file, rows[split])
        problems += sorted(faults.kept)
        total += faults.total
    if total:
        raise SubmissionError(problems, total)
    return NewBoard(name, _text(name, made, {"splits": splits, **values}, remarks),
                    {f"{split}.tsv": file.content for split, file in files.items()},
                    (*notes, *_sizes(splits)))


def _split(task: AnyTask, name: str, file: File, rows: Sequence[Sequence[str]],
           ) -> tuple[Split, Problems]:
    """What a file is as a split of a board, and what is wrong with it."""
    names, (columns, optional) = task.input_columns, task.gold_columns
    blind, golds = bool(rows) and all(len(row) == len(names) for row in rows), 1
    table = read_rows(file, names if blind else columns, optional=0 if blind else optional)
    if not blind:
        items = [task.read_gold(row, table.problems) for row in table.rows]
        golds = max((task.gold_count(gold) for gold in items if gold is not None), default=1)
    return Split(file=f"{name}.tsv", rows=len(table.rows), gold="hidden" if blind else "public",
                 sha256=sha256(file.content), golds=golds), table.problems


def _sizes(splits: Mapping[str, Split]) -> Iterator[str]:
    for name, split in splits.items():
        more = ""
        if split.golds > 1:
            more = f", up to {'two' if split.golds == 2 else split.golds} golds an item"
        if split.gold == "hidden":
            more = ", without gold: it waits for hidden gold (scorer handbook hidden-gold)"
        yield f"{name}: {counted(split.rows, 'item')}{more}"


def write(board: NewBoard, folder: Path) -> Path:
    """Write the board below a folder of boards, whole or not at all; returns its folder.

    Raises UsageError if it is there already, SubmissionError if it could not be read there.
    """
    path = folder / board.name
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name, or remove it first")
    with new_folder(path) as made:
        write_atomically(made / boards.FILE_NAME, board.text.encode())
        for file, content in board.files.items():
            write_atomically(made / "data" / file, content)
        _, problems = boards.read(made, path.name)
        if problems:
            shown = str(path / boards.FILE_NAME)
            raise SubmissionError([replace(problem, path=shown) for problem in problems])
    return path


# ---- writing -------------------------------------------------------------------------------


def _text(name: str, like: Board, known: Mapping[str, Any], remarks: Mapping[str, str]) -> str:
    task = like.task
    metrics = tuple(metric for metric in like.metrics  # those that bring no misfit with them
                    if len(task.misfits([metric])) <= len(task.misfits([])))
    if judged := [metric for metric in metrics if METRICS[metric].judge]:
        remarks = {"metrics": f"{' and '.join(judged)} come from judges trained on another "
                   "benchmark: measure one on your data first (scorer judge evaluate), or remove "
                   "them.", **remarks}
    kind: type = boards.declaration(type(task))
    made = kind(**{
        "schema": 1, "id": name, "version": "1.0", "task_name": like.task_name,
        "title": _title(name),
        **{field: f"{PLACEHOLDER} {what}" for field, what in _PLACEHOLDERS.items()},
        "metrics": metrics, "settings": like.settings, "release": like.release,
        "ranking": tuple(metric for metric in like.ranking if metric in metrics) or metrics[:1],
        "people": like.people, **known,
    })
    text = (f"# The board {name}, made like {like.id} by `scorer board new`. Edit it freely, then: "
            f"scorer board check {name}\n# What each key means: scorer handbook board\n")
    written = adapter(kind).dump_python(made, mode="json", by_alias=True, exclude_defaults=True,
                                        exclude_none=True)
    for field, value in written.items():
        lines = textwrap.wrap(remarks.get(field, ""), WIDTH, initial_indent="# ",
                              subsequent_indent="# ")
        text += "".join(f"{line}\n" for line in lines) + yaml.dump(
            {field: value}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
    return text


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


WIDTH = 96


class _Dumper(yaml.SafeDumper):
    """Writes yes and no, and text of several lines as such."""


_Dumper.add_representer(bool, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:bool", "yes" if value else "no"))
_Dumper.add_representer(str, lambda dumper, value: dumper.represent_scalar(
    "tag:yaml.org,2002:str", value, style="|" if "\n" in value else None))


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
              if all(step.batch.status == CLOSED for step in history.steps)]
    correct = [history for history in closed if history.state == CORRECT]
    states = Counter(history.state for history in closed)
    left = ", ".join(f"{count} {what}" for what, count in (
        ("not correct", states[WRONG]), ("not verified", states[PENDING]),
        ("in open batches", len(histories) - len(closed))) if count)
    found = f"{counted(len(correct), 'item')} found correct"
    notes = [f"{found}; left out: {left}" if left else found]
    if not correct:
        raise UsageError(f"{notes[0]}; close the batches in which graphs were written, verified "
                         "and refined, and verify more")
    settings = _settings(like.settings, correct)
    items: dict[tuple[str, ...], VerifiedItem] = {}
    for record in correct:
        values = record.steps[0].item.texts
        texts = tuple(values[text.name] for text in settings.texts)
        items.setdefault(texts, VerifiedItem(texts, record.wanted, record.graphs,
                                             record.topic or folded(texts[0])))
    if len(items) < len(correct):
        notes.append(f"{counted(len(correct) - len(items), 'item')} of the same texts as another "
                     "left out")
    parts = divided([*items.values()], shares, seed)
    notes.append(_how(correct, parts, shares, seed))
    known, remarks = _about(name, workplace, correct)
    files = {split: File(rows_bytes((*gold.texts, gold.label, gold.graphs[-1]) for gold in part),
                         f"{split}.tsv") for split, part in parts.items()}
    made = _made(name, replace(like, settings=settings), files, known,
                 {"splits": notes[-1], **remarks})
    rounds = {}
    if any(len(item.graphs) > 1 for item in items.values()):
        rounds = {REFINEMENT.format(split=split): rows_bytes(
            (*gold.texts, gold.label, *gold.graphs[-ROUNDS:]) for gold in part)
            for split, part in parts.items()}
    return replace(made, notes=(*notes, *made.notes), files={**made.files, **rounds})


def _about(name: str, workplace: Workplace, correct: Sequence[History]
           ) -> tuple[dict[str, object], dict[str, str]]:
    """What board.yaml says, and remarks in it: whose licences, and whether nobody was a person."""
    steps = [step for history in correct for step in history.steps]
    licences = sorted({step.batch.licence for step in steps if step.batch.licence})
    simulated = organisers.simulated(workplace.people,
                                     (who for step in steps for who in step.answers))
    known: dict[str, object] = {}
    remarks = {}
    if licences:
        remarks["licence"] = (f"Annotators agreed to {' and '.join(licences)} for what they wrote; "
                              "whose the texts are that they read, only you know.")
    if simulated:
        known = {"title": f"{_title(name)[:60]} (simulated)", "practice": True}
        remarks["title"] = (f"SIMULATED: {', '.join(simulated[:5])} answered in place of people. "
                            "Never publish it as anything else.")
    return known, remarks


def _settings(like: Settings, correct: Sequence[History]) -> Settings:
    """What the form says that graphs were written by."""
    forms = {history.steps[0].form.kind: history.steps[0].form for history in correct}
    asked = []
    for form in forms.values():
        label = next(part for part in form.item if part.name == form.label)
        if (one := (form.graph, Labels(label.name, label.values))) not in asked:
            asked.append(one)
    if len(asked) > 1:
        raise UsageError(f"graphs were written by forms that ask for different things: "
                         f"{', '.join(forms)}; make a folder of annotations for each")
    [(graph, labels)] = asked
    assert graph is not None
    return replace(like, texts=graph.texts, graph=graph.rules, labels=labels)


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

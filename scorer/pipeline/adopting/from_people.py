"""Data of a board made from what people wrote and found correct: ``scorer board new --from``.

Gold are the items of closed batches whose last graph was found to have the item's own label. Their
texts, labels and constraints are those of the form by which the graphs were written.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scorer.boards import Board
from scorer.core.errors import UsageError, counted
from scorer.core.files import sha256
from scorer.people import people
from scorer.people.records import CLOSED, Form
from scorer.people.stages import CORRECT, PENDING, WRONG, History, Stages
from scorer.people.validate import Workplace
from scorer.pipeline.adopting import board
from scorer.pipeline.adopting.board import NewBoard
from scorer.tasks.graphs.diff import ROUNDS
from scorer.tasks.graphs.graph_items import Labels, Settings, folded

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


def new(name: str, workplace: Workplace, like: Board, shares: Mapping[str, int], seed: int
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
            Path(folder, f"{split}.tsv").write_bytes(_rows(
                (*gold.texts, gold.label, gold.graphs[-1]) for gold in part))
        made = board.new(name, replace(like, settings=settings), Path(folder), values=known,
                         remarks={"splits": notes[-1], **remarks})
    refined = any(len(item.graphs) > 1 for item in items.values())
    rounds = {REFINEMENT.format(split=split): _rows(
        (*gold.texts, gold.label, *gold.graphs[-ROUNDS:]) for gold in part)
        for split, part in parts.items() if refined}
    return replace(made, notes=(*notes, *made.notes), files={**made.files, **rounds})


def _about(name: str, workplace: Workplace, correct: Sequence[History]
           ) -> tuple[dict[str, object], dict[str, str]]:
    """What board.yaml says, and remarks in it: whose licences, and whether nobody was a person."""
    steps = [step for history in correct for step in history.places]
    licences = sorted({step.batch.licence for step in steps if step.batch.licence})
    simulated = people.simulated(workplace.people,
                                 (who for step in steps for who, _ in step.answers))
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


def _rows(rows: Iterator[Sequence[str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()

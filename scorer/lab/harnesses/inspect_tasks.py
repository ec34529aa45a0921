"""Tasks of inspect_ai: ``inspect eval scorer/explagraphs --model ...``.

inspect_ai finds this module by the entry point of its name and asks, retries and logs; the messages
and the scores are ours. Every board that comes with the program has a task of its name (``-`` is
``_``); ``scorer/board`` takes any board. No gold is written into a log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

from inspect_ai import Task, model, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import EarlyStop, EarlyStopping, registry_info
from pydantic import JsonValue

from scorer.boards import boards_folder as own_boards
from scorer.boards import known_boards
from scorer.boards.prompts import read_answer
from scorer.core.errors import WhyboardError, excerpt
from scorer.core.files import home_folder
from scorer.core.records import ItemResult
from scorer.lab.harnesses.asking import Asking, ItemScorer, asking
from scorer.lab.harnesses.inspect_answers import CUT
from scorer.lab.logs.inspect_logs import NAME
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.tasks.answers import ANSWERED, EMPTY, REFUSAL, Answered

NEEDED = ("board", "split")
"""Options that are never None."""
SILENT_AFTER = 10
"""Items in a row without an answer after which no further one is asked."""
PACKAGE = "scorer"
REASONS = {ANSWERED: None, REFUSAL: "refusal", EMPTY: "no_response"}
"""Kinds of answers that inspect_ai has a word for; the others are of an invalid format."""
PATIENCE = model.GenerateConfig(max_retries=5, attempt_timeout=120, timeout=900)
"""A request is tried six times within a quarter of an hour; ``inspect eval``'s options override."""
_ROLES = {"system": model.ChatMessageSystem, "user": model.ChatMessageUser,
          "assistant": model.ChatMessageAssistant}


class _Task(Task):
    """A task that is found again by its name.

    In a checkout inspect_ai takes our module for a loose file: it would look for the task by the
    file's path when a run is resumed, and would run in the file's folder.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in ("__task_file__", "__task_run_dir__"):
            super().__setattr__(name, value)


@cache
def _asking(options: str) -> Asking:
    """Read once for the dataset, the scorer and the metric of a run; ``options``: JSON."""
    arguments = json.loads(options)
    home, learn_from, folder = (
        None if arguments[name] is None else Path(arguments[name])
        for name in ("home", "learn_from", "boards"))
    here = Path("boards") if known_boards(Path("boards")) else None
    try:
        return asking(
            arguments["board"], arguments["split"], prompt=arguments["prompt"],
            examples=arguments["examples"], choice=arguments["choice"], learn_from=learn_from,
            home=home or home_folder(), boards_folder=folder or here)
    except WhyboardError as fault:
        raise PrerequisiteError(str(fault)) from None


@cache
def _item_scorer(options: str) -> ItemScorer | None:
    """What scores the answers; None where the gold is not public."""
    setup, arguments = _asking(options), json.loads(options)
    metrics, models, board = arguments["metrics"], arguments["models"], setup.items.board
    names = tuple(name for name in board.metrics
                  if METRICS[name].encoder is None and METRICS[name].judge is None)
    if metrics is not None:
        names = () if metrics == "all" else tuple(name.strip() for name in metrics.split(","))
    if setup.items.gold is None:
        return None
    try:
        return ItemScorer(board, setup.items.gold, names, Models(
            allowed=models != "no", network=models == "fetch"))
    except WhyboardError as fault:
        raise PrerequisiteError(str(fault)) from None


def board(board: str, split: str = "dev", prompt: str | None = None, examples: int | None = None,
          choice: str | None = None, learn_from: str | None = None, home: str | None = None,
          boards: str | None = None, metrics: str | list[str] | None = None,
          models: str | bool = "auto") -> Task:
    """A split of any board of explanation graphs, choices or texts.

    ``prompt``: one that ``scorer prompts`` lists; ``examples``, ``choice``, ``learn_from``: how
    many, ``similar`` or ``fixed``, and a file to take them from instead of train; ``home``: where
    fetched data lie; ``boards``: a folder of boards; ``metrics``: names with commas between, or
    ``all``, else those that need no model; ``models``: auto, no or fetch, as for ``scorer score``.
    """
    models = "no" if models is False else models  # what YAML, in which -T is read, makes of no
    options = _options({
        "board": board, "split": split, "prompt": prompt, "examples": examples, "choice": choice,
        "learn_from": learn_from, "home": home, "boards": boards,
        "metrics": ",".join(map(str, metrics)) if isinstance(metrics, list) else metrics,
        "models": models})
    setup, scored = _asking(options), _item_scorer(options) is not None
    numbers = range(1, len(setup.items.texts) + 1)
    decoding, silence = setup.prompt.decoding, Silence()
    return _Task(
        dataset=MemoryDataset(
            [Sample(id=number, input=[_ROLES[message.role](content=message.content)
                                      for message in setup.messages(number)])
             for number in numbers],
            name=f"{setup.items.board.id}-{split}"),
        solver=silence.solver(),
        early_stopping=silence,
        scorer=whyboard(options) if scored else None,
        metrics=[of_split(options)] if scored else None,
        config=PATIENCE.merge(model.GenerateConfig(
            temperature=decoding.temperature, max_tokens=decoding.max_tokens)),
        score_on_error=True,
        version=setup.items.board.version,
        metadata={NAME: dict(setup.described()), "higher_is_better": {
            f"{NAME}/{name}": METRICS[name].better == "higher"
            for name in setup.items.board.metrics}})


def _options(arguments: Mapping[str, Any]) -> str:
    """The options as JSON. Raises PrerequisiteError for one that is of another kind."""
    for name, value in arguments.items():
        fits, expected = {
            "examples": (type(value) in (int, NoneType), "a number"),
            "models": (value in ("auto", "no", "fetch"), "auto, no or fetch"),
        }.get(name, (isinstance(value, str) or (value is None and name not in NEEDED), "text"))
        if not fits:
            raise PrerequisiteError(f"-T {name}={excerpt(str(value))}: expected {expected}")
    return json.dumps(arguments)


class Silence(EarlyStopping):
    """Ends a run in which many items in a row got no answer, so that a dead one is noticed soon.

    What was not asked is not in the log; ``inspect eval-retry`` asks it.
    """

    def __init__(self) -> None:
        self.failed = 0

    def solver(self) -> Solver:
        """Asks the model once for an item, and counts."""

        @solver(name="ask")
        def ask() -> Solver:
            async def solve(state: TaskState, generate: Generate) -> TaskState:
                try:
                    state = await generate(state)
                except Exception:
                    self.failed += 1
                    raise
                self.failed = 0
                return state

            return solve

        return ask()

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        return "silence"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002
        if self.failed < SILENT_AFTER:
            return None
        return EarlyStop(id=id, epoch=epoch, reason=f"{SILENT_AFTER} items in a row got no answer")

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]  # noqa: A002
    ) -> None:
        pass

    async def complete_task(self) -> dict[str, JsonValue]:
        return {}


@metric(name=NAME, scores="unreduced")
def of_split(given: str) -> Metric:
    """Every metric of the board over the items that were asked; of several epochs the mean.

    ``given``: the options as JSON; logs of earlier runs have the parameter under this name.
    """
    rated = _item_scorer(given)
    assert rated is not None

    def measure(scores: list[SampleScore]) -> Mapping[str, float]:
        epochs = [rated.split({number: (score.metadata or {})["columns"]  # as _score wrote them
                               for number, score in epoch.items()})
                  for epoch in _epochs(scores)]
        names = [name for name in (epochs[0] if epochs else ()) if all(name in e for e in epochs)]
        return {name: sum(epoch[name] for epoch in epochs) / len(epochs) for name in names}

    return measure


def _epochs(scores: Sequence[SampleScore]) -> list[dict[int, Score]]:
    epochs: list[dict[int, Score]] = []
    for score in scores:
        number = int(score.sample_id or 0)
        if all(number in epoch for epoch in epochs):
            epochs.append({})
        next(epoch for epoch in epochs if number not in epoch)[number] = score.score
    return epochs


@scorer(metrics=[], name=NAME)
def whyboard(given: str) -> Scorer:
    """The board's scores of one answer, as ``scorer score`` gives them."""
    setup, rated = _asking(given), _item_scorer(given)
    assert rated is not None

    async def score(state: TaskState, target: Target) -> Score:
        row = read_answer(setup.prompt, setup.items.board, state.output.completion,
                          cut=state.output.choices != [] and state.output.stop_reason in CUT)
        return _score(setup, row, rated.item(int(state.sample_id), row.columns))

    return score


def _score(setup: Asking, row: Answered, item: ItemResult) -> Score:
    """An item's numbers by metric, and beside them what they are of.

    A metric of the split that is no mean of its items stands among the metadata.
    """
    about = setup.described()
    means = [name for name in item.scores if METRICS[name].total is None]
    findings = [f"{finding.rule}: {finding.detail}"
                for finding in (*item.verdict.broken, *item.verdict.strict)]
    return Score(
        value={name: item.scores[name].value for name in means},
        answer=" | ".join(row.columns),
        explanation="\n".join([item.verdict.annotation, *filter(None, [row.said]), *findings]),
        reason=REASONS.get(row.kind, "invalid_response_format"),
        metadata={
            "answer": row.kind, "columns": [*row.columns], "annotation": item.verdict.annotation,
            "prompt": about["prompt"], "examples": about["examples"],
            "not_averaged": {name: mark.value for name, mark in item.scores.items()
                             if name not in means},
        })


def _of_board(name: str) -> Callable[..., Task]:
    def made(split: str = "dev", prompt: str | None = None, examples: int | None = None,
             choice: str | None = None, learn_from: str | None = None, home: str | None = None,
             metrics: str | list[str] | None = None, models: str | bool = "auto") -> Task:
        return board(name, split, prompt, examples, choice, learn_from, home, None, metrics, models)

    return made


def _declare(name: str, made: Callable[..., Task]) -> Callable[..., Task]:
    """Declare a task as ``scorer/<name>``.

    inspect_ai puts the package's name before that of a task by itself, but not in a checkout.
    """
    declared = task(name=name)(made)
    if "/" not in registry_info(declared).name:
        declared = task(name=f"{PACKAGE}/{name}")(made)
    return declared


TASKS = {name: _declare(name, made) for name, made in (
    ("board", board),
    *((name.replace("-", "_"), _of_board(name)) for name in known_boards(own_boards())),
)}
"""Every task by its name behind ``scorer/``."""

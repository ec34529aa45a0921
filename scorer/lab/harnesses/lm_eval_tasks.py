"""A split of a board as tasks of lm-evaluation-harness, and what it calls while it runs them.

``scorer export lm-eval`` writes a YAML file a task, and a module that makes a ``BoardTask``. No
item is written: the data are read where they lie when the tasks are run. Every answer is scored
when it comes; metrics of the whole split get all answers at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scorer import boards
from scorer.boards.prompts import SYSTEM as SYSTEM_FILE
from scorer.boards.prompts import messages, read_answer
from scorer.core.errors import DataError, NotMeasured, UsageError
from scorer.core.files import home_folder
from scorer.lab.harnesses.asking import Asking, ItemScorer, asking
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.models.registry import Models
from scorer.tasks.answers import ANSWERED

ROW, SYSTEM, PROMPT, TARGET, CONTEXT, ENDINGS = (
    "row", "system", "prompt", "target", "context", "endings")
"""Fields of a document beside the item's own columns."""
GAP = "\n\n"
"""Between messages, where a model reads them as one text; the harness puts none there."""
Answers = Mapping[str, Any]
"""What a metric of the whole split keeps of an item: ``row``, and the ``columns`` of its answer."""


def of_whole_split(info: MetricInfo) -> bool:
    """Whether a metric has no number for a single item that its value is the mean of."""
    return info.whole or info.total is not None


class BoardTask:
    """One split of a board, asked with one prompt. Nothing is read before it is needed."""

    def __init__(self, board: str, split: str, prompt: str, metrics: Sequence[str], *,
                 examples: int | None = None, choice: str | None = None,
                 learn_from: str | None = None, home: str | None = None, expected: Mapping[str, str]
                 ) -> None:
        """``board``: its name, or the path of its folder; ``expected``: what ``identity`` said
        when the folder was written."""
        self._board, self._split, self._prompt = board, split, prompt
        self._metrics, self._examples, self._choice = tuple(metrics), examples, choice
        self._learn_from = None if learn_from is None else Path(learn_from)
        self._home = home_folder() if home is None else Path(home)
        self._expected = expected

    def __deepcopy__(self, memo: object) -> BoardTask:
        """Itself: the harness copies a task's settings, functions and what they belong to."""
        return self

    @cached_property
    def _asked(self) -> Asking:
        setup = asking(
            self._board, self._split, prompt=self._prompt, examples=self._examples,
            choice=self._choice, learn_from=self._learn_from, home=self._home)
        basis = identity(setup)
        for name, value in self._expected.items():
            if basis.get(name) != value:
                raise DataError(f"{name} of board {setup.items.board.id} is {basis.get(name)}, and "
                                f"was {value} when this task was written; export it again")
        return setup

    def _scorer(self, metrics: tuple[str, ...]) -> ItemScorer:
        items = self._asked.items
        assert items.gold is not None, "only splits with public gold are exported"
        return ItemScorer(items.board, items.gold, metrics, Models(home=self._home))

    @cached_property
    def _items(self) -> ItemScorer:
        """Of the metrics that single items have."""
        return self._scorer(tuple(name for name in self._metrics
                                  if not of_whole_split(METRICS[name])))

    def dataset(self, **ignored: Any) -> Mapping[str, Any]:
        """The documents of the split, as ``custom_dataset``; metadata of a run are of no use."""
        import datasets  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return {self._split: datasets.Dataset.from_list(documents(self._asked))}

    def generated(self, document: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
        """Scores of an answer that a model wrote, as ``process_results``."""
        board = self._asked.items.board
        answer = read_answer(self._asked.prompt, board, results[0])
        return {**self._scores(int(document[ROW]), answer.columns),
                ANSWERED: float(answer.kind == ANSWERED)}

    def likelier(self, document: Mapping[str, Any], results: Sequence[tuple[float, bool]]
                 ) -> dict[str, Any]:
        """Scores of the ending with the greatest log-likelihood; of equal ones the first."""
        items, row = self._asked.items, int(document[ROW])
        choices = items.board.task.endings(items.texts[row - 1])
        assert choices is not None, "only a task with endings has such a file"
        best = max(range(len(results)), key=lambda index: (results[index][0], -index))
        return self._scores(row, choices.columns[best])

    def whole(self, metric: str) -> Callable[[Sequence[Answers]], float]:
        """The value of a metric of the whole split from all answers, as ``aggregation``."""

        def aggregate(answers: Sequence[Answers]) -> float:
            columns = {int(answer[ROW]): tuple(answer["columns"]) for answer in answers}
            return float(_measured(metric, self._scorer((metric,)).split(columns)))

        return aggregate

    def _scores(self, row: int, columns: Sequence[str]) -> dict[str, Any]:
        single = self._items.item(row, columns).scores
        return {metric: {ROW: row, "columns": list(columns)} if of_whole_split(METRICS[metric])
                else _measured(metric, single).value for metric in self._metrics}


def _measured(metric: str, values: Mapping[str, Any]) -> Any:
    if metric not in values:
        raise DataError(f"{metric} cannot be measured here; run scorer score on any predictions of "
                        "the board to read why, or export the task again without it")
    return values[metric]


def documents(setup: Asking) -> list[dict[str, Any]]:
    """One document an item: its columns, ``row``, ``system``, ``prompt`` (examples and the question
    as one text), ``target``, and ``context`` and ``endings`` where the task has them."""
    items, gold = setup.items, setup.items.gold
    assert gold is not None
    names = items.board.task.input_columns
    records = []
    for row, item in zip(gold.rows, gold.items, strict=True):
        texts, chat = items.texts[row - 1], setup.messages(row)
        # What a model should write: gold in the form that the prompt asks for.
        *_, target, _ = messages(setup.prompt, items.board, item.texts, [item])
        record: dict[str, Any] = {
            **dict(zip(names, texts, strict=True)), ROW: row,
            SYSTEM: "".join(f"{turn.content}{GAP}" for turn in chat if turn.role == "system"),
            PROMPT: GAP.join(turn.content for turn in chat if turn.role != "system"),
            TARGET: target.content,
        }
        choices = items.board.task.endings(texts)
        if choices is not None:
            record |= {CONTEXT: choices.context, ENDINGS: list(choices.endings)}
        records.append(record)
    return records


def identity(setup: Asking) -> dict[str, str]:
    """What the numbers depend on: version, items, gold and prompt, each by a version or digest."""
    items = setup.items
    assert items.gold is not None
    return {"version": items.board.version, "inputs_sha256": items.digest,
            "gold_sha256": items.gold.id.sha256, "prompt_sha256": setup.prompt.digest}


PREFIX = "whyboard_"
"""How every name begins: of tasks, of their tag, and of the files."""


class Folder(NamedTuple):
    """What is written."""

    files: Mapping[str, bytes]
    tag: str
    """Runs every task of the board."""
    tasks: tuple[str, ...]
    left_out: Mapping[str, str]
    """Metrics of the board that no task has, and why."""


def folder(setup: Asking, home: Path, learn_from: Path | None = None) -> Folder:
    """The files for one split and prompt. Raises UsageError where gold is not public."""
    board, split = setup.items.board, setup.items.split
    if setup.items.gold is None:
        raise UsageError(f"gold of {board.id} {split} is not public, so nothing can be scored "
                         f"outside; scorer import inspect makes submissions for such splits")
    left_out = {name: why for name in board.metrics if (why := _why_not(name, home))}
    metrics = [name for name in board.metrics if name not in left_out]
    tag = PREFIX + _name(board.id)
    module = f"{tag}_{split}_{_name(setup.prompt.name)}"
    files = {f"{module}.py": _module(setup, metrics, home, learn_from),
             f"{module}.yaml": _yaml(_generation(setup, tag, module, metrics))}
    tasks = [module]
    if board.task.endings(setup.items.texts[0]) is not None:
        tasks.append(f"{tag}_{split}_likelihood")
        files[f"{tasks[-1]}.yaml"] = _yaml(_likelihood(setup, tag, module, tasks[-1], metrics))
    return Folder(files, tag, tuple(tasks), left_out)


def _why_not(metric: str, home: Path) -> str:
    info = METRICS[metric]
    if info.function is None:
        return info.uncomputed()
    if info.encoder is not None or info.judge is not None:
        return "needs a model"
    try:
        if info.model is not None:
            Models(home=home)(info.model)
    except NotMeasured as reason:
        return str(reason)
    return ""


def _name(text: str) -> str:
    """A name of ours as part of a task's, which is a module's name too.

    >>> _name("G-BERTScore[minilm-l6]")
    'g_bertscore_minilm_l6'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _module(setup: Asking, metrics: Sequence[str], home: Path, learn_from: Path | None) -> bytes:
    board = setup.items.board
    comes_with_us = board.folder.resolve() == boards.boards_folder().resolve() / board.id
    place = board.id if comes_with_us else str(board.folder.resolve())
    how = {"examples": setup.examples.count, "choice": setup.examples.choice,
           "learn_from": None if learn_from is None else str(learn_from.resolve()),
           "home": str(home.resolve()), "expected": identity(setup)}
    lines = [
        f'"""Board {board.id}, split {setup.items.split}, prompt {setup.prompt.reference}.',
        "", "Written by scorer export lm-eval; whyboard must be installed where lm_eval runs.",
        '"""', "", "from scorer.lab.harnesses.lm_eval_tasks import BoardTask", "",
        "task = BoardTask(",
        f"    {place!r}, {setup.items.split!r}, {setup.prompt.name!r},",
        f"    {metrics!r},",
        *(f"    {name}={value!r}," for name, value in how.items()), ")",
        "dataset, generated, likelier = task.dataset, task.generated, task.likelier",
        *(f"{_name(name)} = task.whole({name!r})" for name in metrics
          if of_whole_split(METRICS[name]))]
    return ("\n".join(lines) + "\n").encode()


class _Function(str):
    """A function that a YAML file names."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes the tag of such names."""


_Dumper.add_representer(
    _Function, lambda dumper, value: dumper.represent_scalar("!function", str(value)))


def _yaml(task: Mapping[str, Any]) -> bytes:
    head = "# Written by scorer export lm-eval from board.yaml and the prompt.\n"
    return (head + yaml.dump(task, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)
            ).encode()


def _task(setup: Asking, tag: str, module: str, name: str, metrics: Sequence[str]
          ) -> dict[str, Any]:
    """What every task has."""
    return {
        "task": name, "tag": tag, "custom_dataset": _Function(f"{module}.dataset"),
        "test_split": setup.items.split, "num_fewshot": 0, "doc_to_target": TARGET,
        "metric_list": [{
            "metric": metric,
            "aggregation": (_Function(f"{module}.{_name(metric)}")
                            if of_whole_split(METRICS[metric]) else "mean"),
            "higher_is_better": METRICS[metric].better == "higher"} for metric in metrics],
        "metadata": {"version": setup.items.board.version, "board": setup.items.board.id,
                     "split": setup.items.split}}


def _generation(setup: Asking, tag: str, module: str, metrics: Sequence[str]) -> dict[str, Any]:
    """A model writes an answer, which is read as every answer to the prompt is."""
    decoding, task = setup.prompt.decoding, _task(setup, tag, module, module, metrics)
    task["metric_list"].append(
        {"metric": ANSWERED, "aggregation": "mean", "higher_is_better": True})
    task["metadata"] |= {"prompt": setup.prompt.reference, "examples": setup.examples.count,
                         "choice": setup.examples.choice}
    return {
        **task,
        "output_type": "generate_until",
        **({"description": "{{" + SYSTEM + "}}"} if SYSTEM_FILE in setup.prompt.templates else {}),
        "doc_to_text": PROMPT,
        "generation_kwargs": {
            "until": [], "do_sample": decoding.temperature > 0,
            "temperature": float(decoding.temperature), "max_gen_toks": decoding.max_tokens},
        "process_results": _Function(f"{module}.generated"),
    }


def _likelihood(setup: Asking, tag: str, module: str, name: str, metrics: Sequence[str]
                ) -> dict[str, Any]:
    """Of the endings of a text the likelier one is the answer; no prompt is asked."""
    return {
        **_task(setup, tag, module, name, metrics),
        "output_type": "multiple_choice",
        "doc_to_text": CONTEXT,
        "doc_to_choice": ENDINGS,
        "process_results": _Function(f"{module}.likelier"),
    }

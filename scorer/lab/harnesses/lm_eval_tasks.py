"""What lm-evaluation-harness calls while it runs a folder that ``scorer export lm-eval`` wrote.

Its documents are the items of a split with the prompt that is asked; every answer is scored by our
scorer when it comes. Metrics of the whole split get all answers at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.prompts.chat import messages, read_answer
from scorer.core.errors import DataError
from scorer.core.files import home_folder
from scorer.lab.harnesses.asking import Asking, asking
from scorer.lab.harnesses.item_scores import ItemScorer
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

    def __init__(
        self, board: str, split: str, prompt: str, metrics: Sequence[str], *,
        examples: int | None = None, choice: str | None = None, learn_from: str | None = None,
        home: str | None = None, expected: Mapping[str, str],
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
        asked = asking(
            self._board, self._split, prompt=self._prompt, examples=self._examples,
            choice=self._choice, learn_from=self._learn_from, home=self._home)
        found = identity(asked)
        for name, value in self._expected.items():
            if found.get(name) != value:
                raise DataError(f"{name} of board {asked.items.board.id} is {found.get(name)}, and "
                                f"was {value} when this task was written; export it again")
        return asked

    def _scorer(self, metrics: tuple[str, ...]) -> ItemScorer:
        found = ItemScorer.of(self._asked.items, metrics, Models(home=self._home))
        assert found is not None, "only splits with public gold are exported"
        return found

    @cached_property
    def _items(self) -> ItemScorer:
        return self._scorer(tuple(name for name in self._metrics
                                  if not of_whole_split(METRICS[name])))

    # ---- what the YAML files name ------------------------------------------------------------

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

    def likelier(
        self, document: Mapping[str, Any], results: Sequence[tuple[float, bool]]
    ) -> dict[str, Any]:
        """Scores of the ending with the greatest log-likelihood; of equal ones the first."""
        found = endings(self._asked.items.board, document)
        best = max(range(len(results)), key=lambda place: (results[place][0], -place))
        return self._scores(int(document[ROW]), found.columns[best])

    def whole(self, metric: str) -> Callable[[Sequence[Answers]], float]:
        """The value of a metric of the whole split from all answers, as ``aggregation``."""

        def aggregate(answers: Sequence[Answers]) -> float:
            scorer = self._scorer((metric,))
            columns = {int(one[ROW]): tuple(one["columns"]) for one in answers}
            scores = {row: scorer.item(row, columns[row]).scores for row in columns}
            return float(_measured(metric, scorer.split(scores, columns)))

        return aggregate

    def _scores(self, row: int, columns: Sequence[str]) -> dict[str, Any]:
        single = self._items.item(row, columns).scores
        return {metric: {ROW: row, "columns": list(columns)} if of_whole_split(METRICS[metric])
                else _measured(metric, single).value for metric in self._metrics}


def _measured(metric: str, found: Mapping[str, Any]) -> Any:
    if metric not in found:
        raise DataError(f"{metric} cannot be measured here; run scorer score on any predictions of "
                        "the board to read why, or export the task again without it")
    return found[metric]


def documents(asked: Asking) -> list[dict[str, Any]]:
    """One document an item: its columns, ``row``, ``system``, ``prompt`` (examples and the question
    as one text), ``target``, and ``context`` and ``endings`` where the task has them."""
    items, gold = asked.items, asked.items.gold
    assert gold is not None
    names = items.board.task.input_columns
    found = []
    for row, item in zip(gold.rows, gold.items, strict=True):
        texts, said = items.texts[row - 1], asked.messages(row)
        one: dict[str, Any] = {
            **dict(zip(names, texts, strict=True)), ROW: row,
            SYSTEM: "".join(f"{one.content}{GAP}" for one in said if one.role == "system"),
            PROMPT: GAP.join(one.content for one in said if one.role != "system"),
            TARGET: _target(asked, item),
        }
        choices = items.board.task.endings(texts)
        if choices is not None:
            one |= {CONTEXT: choices.context, ENDINGS: list(choices.endings)}
        found.append(one)
    return found


def _target(asked: Asking, gold: Any) -> str:
    """What a model should write: gold in the form that the prompt asks for."""
    *_, answer, _ = messages(asked.prompt, asked.items.board, gold.texts, [gold])
    return answer.content


def endings(board: Board, document: Mapping[str, Any]) -> Any:
    """The endings of a document, with what each stands for."""
    names = board.task.input_columns
    return board.task.endings(tuple(document[name] for name in names))


def identity(asked: Asking) -> dict[str, str]:
    """What the numbers depend on: version, items, gold and prompt, each by a version or digest."""
    items = asked.items
    assert items.gold is not None
    return {"version": items.board.version, "inputs_sha256": items.digest,
            "gold_sha256": items.gold.id.sha256, "prompt_sha256": asked.prompt.digest}

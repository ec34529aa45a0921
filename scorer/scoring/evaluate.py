"""The one loop: judge every item, score those that pass, fill in the rest, take means.

An item can never vanish: every metric has one score for every item of the split, and every mean
runs over all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds
from scorer.core.errors import NotMeasured, UsageError, excerpt
from scorer.core.records import Finding, Findings, ItemResult, ItemScore, Verdict
from scorer.core.results import (
    SCHEMA,
    HiddenGold,
    MetricValue,
    PublicGold,
    Result,
    ScorerVersion,
    Unmeasured,
)
from scorer.metrics.catalogue import METRICS, MetricInfo, options_text
from scorer.scoring.engines.outcomes import out_of_memory
from scorer.scoring.summary import summarise, with_null_of
from scorer.tasks.registry import AnyUse


class Scored(NamedTuple):
    """One metric over the items of one set of predictions."""

    value: MetricValue
    items: tuple[ItemScore, ...] | None


class _Judged(NamedTuple):
    """What was answered to some items, and what becomes of each."""

    golds: Sequence[Any]
    predictions: Sequence[Any]
    verdicts: Sequence[Verdict]


@dataclass
class Session:
    """One run over one board: models are loaded once, the same pair is never scored twice."""

    board: Board
    models: Callable[[str], Any]
    """Gives a model by its name, or raises NotMeasured with the reason."""
    tags: Callable[[str], str]
    """Gives a model's part of a signature by its name, without loading it."""
    metrics: tuple[str, ...] = ()
    """The metrics to compute; all of the board's if left out."""
    memory: dict[tuple[str, Hashable], ItemScore] = field(default_factory=dict)
    nulls: dict[Hashable, Findings] = field(default_factory=dict)
    """What the nulls seen so far break, by the item's texts and the null."""

    def __post_init__(self) -> None:
        """Raises UsageError for a metric that the board does not have."""
        for metric in self.metrics:
            if metric not in self.board.metrics:
                raise UsageError(f"board {self.board.id} has no metric {excerpt(metric)}; "
                                 f"choose from: {', '.join(self.board.metrics)}")
        self.metrics = self.metrics or self.board.metrics

    def evaluate(
        self, gold: Golds, predictions: Sequence[Any], *, split: str,
        findings: Sequence[Findings | None] = (), with_null: bool = True,
        reuse: Mapping[str, Scored] | None = None,
    ) -> Result:
        """Score one set of predictions, one for each item of the gold, in order.

        ``findings``: what checking found in each prediction; where it is not known, the rules are
        asked here. ``reuse`` gives metrics that are already known; they are taken as they are.
        Where the gold is public, values have intervals, and the submission's null is scored too if
        the task has one. Where it is hidden, metrics are asked of every item that could pass the
        gates with another label, and the gates are applied to the answers: how much work it is says
        nothing of the labels. Raises ValueError for predictions that are more or fewer than items.
        """
        board, task = self.board, self.board.task
        judged = self._judged(gold.items, predictions, findings or [None] * len(gold.items))
        nulls = self._nulls(judged) if with_null and gold.id.public else None
        clusters = [*map(task.cluster, gold.items)] if gold.id.public else None
        known = reuse or {}
        scored = {name: known[name] if name in known else self._scored(
            name, judged, nulls, clusters, gold.id) for name in self.metrics}
        items = tuple(
            ItemResult(
                row, judged.verdicts[index],
                {name: one.items[index] for name, one in scored.items() if one.items is not None},
                task.edge_count(predictions[index]),
            )
            for index, row in enumerate(gold.rows)
        )
        models = dict.fromkeys(METRICS[name].model for name, one in scored.items()
                               if one.value.value is not None)
        return Result.model_construct(
            schema=SCHEMA, board=board.id, board_version=board.version, task=board.task_name,
            split=split, team="", system="", counts=_counts(board, judged),
            metrics={name: one.value for name, one in scored.items()},
            gold=_gold(board, split, gold.id), scorer=ScorerVersion(version=__version__),
            models={model: self.tags(model) for model in models if model is not None},
        ).replace(items=items)

    def item(self, row: int, gold: Any, prediction: Any) -> ItemResult:
        """One item by itself, as ``evaluate`` gives it among the others of its split.

        Without the metrics whose score of an item depends on the other items, and without those
        that cannot be measured here.
        """
        judged, scores = self._judged([gold], [prediction], [None]), {}
        for name in self.metrics:
            if not METRICS[name].whole:
                with suppress(NotMeasured):
                    [scores[name]] = self._measure(METRICS[name], judged)
        return ItemResult(row, judged.verdicts[0], scores, self.board.task.edge_count(prediction))

    def signature(self, metric: str, gold_id: GoldId) -> str:
        """What has to be the same for two values of this metric to be comparable.

        Raises KeyError for a metric that the board's task does not use.
        """
        info, board = METRICS[metric], self.board
        return "|".join([
            metric, *info.signature, *([] if info.model is None else [self.tags(info.model)]),
            *options_text(board.task.use(metric).options(board.settings)),
            f"board:{board.id}-{board.version}", f"golds:{gold_id.golds}",
            *([f"against:{gold_id.against}"] if gold_id.against else []),
            f"gold:{gold_id.sha256[:12]}", f"scorer:{__version__}"])

    def _judged(self, golds: Sequence[Any], predictions: Sequence[Any],
                findings: Sequence[Findings | None]) -> _Judged:
        verdict = self.board.task.verdict
        return _Judged(golds, predictions, [
            verdict(*row) for row in zip(golds, predictions, findings, strict=True)])

    def _nulls(self, judged: _Judged) -> _Judged | None:
        """The nulls of some predictions; None if the task has none, or one does not tell its own.
        """
        task = self.board.task
        if not task.null_words:
            return None
        nulls = [*map(task.null, judged.golds, judged.predictions)]
        if None in nulls:
            return None
        broken = []
        for gold, null in zip(judged.golds, nulls, strict=True):
            # Every submission has the same ones, so each is asked for once.
            pair = tuple(gold.texts), null
            if pair not in self.nulls:
                self.nulls[pair] = task.diagnose(*pair)
            broken.append(self.nulls[pair])
        return self._judged(judged.golds, nulls, broken)

    def _scored(self, name: str, judged: _Judged, nulls: _Judged | None,
                clusters: Sequence[Hashable] | None, gold_id: GoldId) -> Scored:
        """One metric over all items, beside the same of the nulls; or why it is not measured."""
        info = METRICS[name]
        try:
            measured = self._measure(info, judged, blind=not gold_id.public)
            of_null = self._measure(info, nulls) if nulls else None
        except NotMeasured as missing:
            if out_of_memory(missing):  # a larger machine would measure it
                raise MemoryError(f"no room for what {name} needs") from missing
            return Scored(
                Unmeasured(value=None, reason=str(missing), n=len(judged.golds)), None)
        passed = [verdict.annotation == self.board.task.passed for verdict in judged.verdicts]
        value = summarise(info, measured, passed, clusters)
        if of_null is not None:
            value = with_null_of(value, info, measured, of_null)
        return Scored(value.replace(signature=self.signature(name, gold_id)), measured)

    def _measure(self, info: MetricInfo, judged: _Judged, *, blind: bool = False,
                 ) -> tuple[ItemScore, ...]:
        """One score an item. Raises NotMeasured with the reason.

        ``blind``: items are asked whatever their labels are, and none is known from before, for
        pairs may be equal because their labels are.
        """
        if info.function is None:
            raise NotMeasured(info.uncomputed())
        use = self.board.task.use(info.id)
        options = use.options(self.board.settings)
        if info.model is not None:
            options[info.role] = self.models(info.model)
        passing = [use.gate in (None, verdict.annotation) for verdict in judged.verdicts]
        rows = [row for row, verdict in enumerate(judged.verdicts)
                if passing[row] or (blind and not verdict.broken)]
        pairs = [use.select(judged.golds[row], judged.predictions[row]) for row in rows]
        if info.whole or blind:
            answers = [*map(rounded, info.compute(pairs, **options))] if pairs else []
        else:
            new = [pair for pair in dict.fromkeys(pairs) if (info.id, pair) not in self.memory]
            computed = info.compute(new, **options) if new else []
            self.memory |= {(info.id, pair): rounded(score)
                            for pair, score in zip(new, computed, strict=True)}
            answers = [self.memory[info.id, pair] for pair in pairs]
        scores = dict(zip(rows, answers, strict=True))
        shut_out = otherwise(info, use)
        return tuple(scores[row] if inside else shut_out for row, inside in enumerate(passing))


def _gold(board: Board, split: str, gold_id: GoldId) -> PublicGold | HiddenGold:
    gold: dict[str, Any] = {"id": gold_name(board, split, gold_id.sha256), "golds": gold_id.golds}
    if gold_id.against:
        gold["against"] = gold_id.against
    if gold_id.public:
        return PublicGold(**gold, public=True, sha256=gold_id.sha256)
    return HiddenGold(**gold, public=False, hmac_sha256=gold_id.sha256)


def rounded(score: ItemScore) -> ItemScore:
    """A score as its file has it, so that all that is made of it can be made again from there.

    >>> rounded(ItemScore(1 / 3)).value
    0.333333333
    """
    if score.value in (0.0, 1.0):
        return score
    return score._replace(value=float(f"{score.value:.9g}"))


def otherwise(info: MetricInfo, use: AnyUse) -> ItemScore:
    """The score of an item that a metric's gate keeps out."""
    return ItemScore(use.otherwise, dict.fromkeys(info.parts, use.otherwise))


def gold_name(board: Board, split: str, digest: str) -> str:
    """How results name the gold of a split that has a digest."""
    return f"{board.id}/{split}@{digest[:12]}"


def _counts(board: Board, judged: _Judged) -> dict[str, Any]:
    """How many items got each annotation, how many broke each rule, and what the task counts.

    ``broken`` counts items with the right label; an item that breaks a rule twice counts once.
    """
    def rules(findings: Iterable[Sequence[Finding]]) -> dict[str, int]:
        found = Counter(rule for item in findings for rule in {one.rule for one in item})
        return dict(sorted(found.items()))

    annotations, verdicts = board.task.annotations, judged.verdicts
    return {
        "items": len(verdicts),
        **dict.fromkeys(annotations, 0), **Counter(verdict.annotation for verdict in verdicts),
        "broken": rules(verdict.broken for verdict in verdicts
                        if verdict.annotation != annotations[0]),
        "strict": rules(verdict.strict for verdict in verdicts),
        **board.task.tally(judged.golds, verdicts),
    }


def key(result: Result) -> str:
    """What a result depends on, as 64 hexadecimal digits; decides whether it is stale.

    Over the predictions' bytes, the board and its version, the split, the scorer's version, the
    models' digests and the gold's id.
    """
    parts = {
        "board": [result.board, result.board_version, result.split],
        "models": result.models,
        "gold": result.gold.id,
        "predictions": result.predictions.sha256,
        "scorer": result.scorer.version,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

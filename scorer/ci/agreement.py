"""Whether a result on public gold is the one that the publisher makes of the same files.

Whatever needs no model is the publisher's own. Of a metric that needs one, the scores of items, the
null's mean and the test against it are taken as told, within bounds; gates and all that follows
from the scores are made again. The whole has to be what was handed over.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from scorer.board import Board
from scorer.ci.errors import Refused
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import ItemResult, ItemScore, MetricValue, Result
from scorer.results import files as results
from scorer.results.items import counts_of
from scorer.scoring.evaluate import GoldId, Scored, Session, key, otherwise
from scorer.scoring.summary import CLOSE, LAST_DIGIT, summarise, with_null_as_told

_TOLERANCES = {**dict.fromkeys(("low", "high", "clustered_se"), (0.0, LAST_DIGIT)),
               "p": (LAST_DIGIT, 0.0)}
"""Relative and absolute, of rounded numbers by their names."""


class Own(NamedTuple):
    """What the publisher computed."""

    result: Result
    """Without models."""
    clusters: tuple[Hashable, ...]
    """The cluster of each item."""


def agreed(told: Result, board: Board, own: Own) -> Result:
    """The result that the publisher makes of its own and of models' scores, which is published:
    what was handed over may differ in last digits. Raises Refused if it differs by more.

    ``told``: with every metric of the board, and every text of it plain.
    """
    try:
        made = _made(told, board, own)
        same = (_same(results.to_json(made), results.to_json(told))
                and _same(list(map(_plain, made.items)), list(map(_plain, told.items))))
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as fault:
        raise Refused("RESULT-FORMAT") from fault
    if not same:
        raise Refused("RESULT-DIFFERS")
    return made


def _made(told: Result, board: Board, own: Own) -> Result:
    """The result that must have been handed over if the scores of models are as told."""
    mine = own.result
    if len(told.items) != len(mine.items):
        raise Refused("RESULT-DIFFERS")
    scored = {name: _metric(name, told, board, own) for name in mine.metrics}
    measured = [name for name, one in scored.items() if one.items is not None]
    models = {model for name in measured if (model := METRICS[name].model) is not None}
    provenance = {**mine.provenance,
                  "models": {model: told.provenance["models"][model] for model in models}}
    if "errata" in provenance:
        without = {name: _without(name, told, mine, name in measured) for name in scored}
        provenance["errata"] = {**provenance["errata"], "without": without}
    result = replace(
        mine, metrics={name: one.value for name, one in scored.items()}, provenance=provenance,
        items=tuple(replace(item, scores={name: scores[place] for name in measured
                                          if (scores := scored[name].items) is not None})
                    for place, item in enumerate(mine.items)),
    )
    return replace(result, provenance={**provenance, "key": key(result)})


def _metric(name: str, told: Result, board: Board, own: Own) -> Scored:
    """One metric: the publisher's own where it has it; not measured where a model was missing."""
    info, mine, other = METRICS[name], own.result.metrics[name], told.metrics[name]
    if info.model is not None and other.value is None:
        return Scored(MetricValue(name, None, other.reason, n=mine.n), None)
    if mine.value is not None:
        return Scored(mine, tuple(item.scores[name] for item in own.result.items))
    return Scored(mine, None) if info.model is None else _of_model(info, told, board, own)


def _of_model(info: MetricInfo, told: Result, board: Board, own: Own) -> Scored:
    """A metric of which the scores of items are taken as told where its gate is open."""
    use, verdicts = board.task.use(info.id), [item.verdict for item in own.result.items]
    scores = tuple(
        _believed(info, item.scores[info.id]) if use.gate in (None, verdict.annotation)
        else otherwise(info, use)
        for item, verdict in zip(told.items, verdicts, strict=True)
    )
    passed = [verdict.annotation == board.task.passed for verdict in verdicts]
    other = told.metrics[info.id]
    value = replace(summarise(info, scores, passed, own.clusters), parts=_means(info, other))
    if board.task.has_null:
        try:
            value = with_null_as_told(value, info, other)
        except ValueError as fault:
            raise Refused("RESULT-RANGE") from fault
        _in_range(info, other.null)
    gold = told.provenance["gold"]
    identity = GoldId(gold["sha256"], gold["golds"], against=gold.get("against", ""))
    session = Session(board, _no_model, told.provenance["models"].__getitem__)
    return Scored(replace(value, signature=session.signature(info.id, identity)), scores)


def _believed(info: MetricInfo, score: ItemScore) -> ItemScore:
    """A model's score of one item. Raises Refused if it cannot be."""
    _in_range(info, score.value)
    possible = score.flag is None or (score.flag in info.flags and score.value == info.lowest)
    if not possible or (info.binary and score.value not in (0.0, 1.0)):
        raise Refused("RESULT-RANGE")
    return score


def _means(info: MetricInfo, told: MetricValue) -> Mapping[str, float]:
    """Means of parts, which files of items lack, as told. Raises Refused if they cannot be."""
    if set(told.parts) != set(info.parts):
        raise Refused("RESULT-FORMAT")
    for number in told.parts.values():
        _in_range(info, number)
    return told.parts


def _without(name: str, told: Result, mine: Result, measured: bool) -> float | None:
    """A metric's value under the gold without errata."""
    own: float | None = mine.provenance["errata"]["without"][name]
    if own is not None or not measured:
        return own if measured else None
    other: float = told.provenance["errata"]["without"][name]
    _in_range(METRICS[name], other)
    return other


def _in_range(info: MetricInfo, number: Any) -> None:
    if type(number) is not float or not info.lowest <= number <= info.highest + LAST_DIGIT:
        raise Refused("RESULT-RANGE")


def _plain(item: ItemResult) -> list[Any]:
    """What a file of items says of one of them."""
    return [item.row, item.verdict.annotation, item.edges,
            {name: [score.value, score.flag, {count: score.parts[count]
                                              for count in counts_of(name)}]
             for name, score in item.scores.items()}]


def _same(mine: Any, told: Any, name: str = "") -> bool:
    """Whether two values of JSON are the same, but for what differs between machines."""
    if isinstance(mine, Mapping) and isinstance(told, Mapping):
        return mine.keys() == told.keys() and all(_same(mine[part], told[part], part)
                                                  for part in mine)
    if isinstance(mine, list) and isinstance(told, list):
        return len(mine) == len(told) and all(map(_same, mine, told))
    if isinstance(mine, float) and isinstance(told, float):
        relative, absolute = _TOLERANCES.get(name, (CLOSE, CLOSE))
        return math.isclose(mine, told, rel_tol=relative, abs_tol=absolute)
    return type(mine) is type(told) and bool(mine == told)


def _no_model(name: str) -> Any:
    raise KeyError(name)

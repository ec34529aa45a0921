"""The leaderboard document of a board's split, from results with items and what rows are. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from scorer.boards import Board
from scorer.boards.published import NOTHING, Published
from scorer.boards.submission import CONSTRAINED, NULL, REFERENCE
from scorer.core.results import Interval, MetricValue
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.judging import JudgeRef, Judges, Standing, judge_band, standing
from scorer.scoring.leaderboard.about import APART, ScoredRow
from scorer.scoring.leaderboard.order import ordering, value_of, why_nobody
from scorer.scoring.leaderboard.people import PeopleColumn, PeopleColumns
from scorer.scoring.leaderboard.trust import conditions
from scorer.scoring.leaderboard.verdict import verdict
from scorer.scoring.results import leaderboard as document
from scorer.scoring.results.leaderboard import LeaderboardDocument, LeaderboardRows
from scorer.scoring.results.ranks import (
    ComparisonGroup,
    compared_row,
    comparison_groups,
    item_scores,
)
from scorer.scoring.results.signature import UNSTATED, difference
from scorer.scoring.summary import lift_verdict
from scorer.statistics import FEWEST, TIE
from scorer.statistics.comparison import compare, difference_interval, proportions_interval
from scorer.statistics.corpus import interval as drawn_interval
from scorer.statistics.corpus import resampled
from scorer.statistics.intervals import of_value
from scorer.statistics.paired import without_ties
from scorer.statistics.pairwise import Pairwise, holm
from scorer.statistics.ranks import Ranks
from scorer.tasks.base import WithNull

MOST_PAIRED = 200
"""So many rows have their pairs in the document."""
CLOSE = 10
SHOWN = 5
"""Columns of metrics that a page shows at first."""
HALVES, SEED = 100, 0


def leaderboard(board: Board, split: str, rows: Sequence[ScoredRow], judges: Judges,
                published: Published = NOTHING, people: PeopleColumns | None = None,
                ) -> LeaderboardDocument:
    """The document of a split; ``rows`` in any order.

    ``people``: what people said of these rows.
    """
    made = _Making(board, split, rows, judges, published, people)
    found = made.rows_document()
    return LeaderboardDocument.model_validate({
        **found.model_dump(exclude_unset=True), "verdict": verdict(found, made.stability()),
        "trust": conditions(found)})


class _Groups(NamedTuple):
    """The comparison groups of one metric, the largest first, with their ranks."""

    metric: MetricInfo
    groups: tuple[ComparisonGroup, ...]
    ranks: tuple[Ranks, ...]
    why_not: str = ""
    """Why nobody has a rank, where there is no group to say it."""

    @property
    def main(self) -> ComparisonGroup | None:
        """The largest group."""
        return self.groups[0] if self.groups else None

    @property
    def no_ranks(self) -> str:
        """Why nobody in it has a rank."""
        return (self.ranks[0].why_not if self.ranks else
                self.why_not or "it is not measured for any row")


@dataclass(frozen=True)
class _Making:
    board: Board
    split: str
    rows: Sequence[ScoredRow]
    judges: Judges
    published: Published
    people: PeopleColumns | None

    @cached_property
    def said(self) -> Mapping[str, PeopleColumn]:
        """The columns that people gave."""
        return {one.metric.id: one for one in self.people.columns} if self.people else {}

    @cached_property
    def metrics(self) -> Mapping[str, MetricInfo]:
        """Every column: the board's, and after the one that people correct those of people."""
        names = list(self.board.metrics)
        corrects = self.people.corrects if self.people else ""
        at = names.index(corrects) + 1 if corrects in names else len(names)
        names[at:at] = self.said
        return {name: self.said[name].metric if name in self.said else METRICS[name]
                for name in names}

    @cached_property
    def by_key(self) -> Mapping[str, ScoredRow]:
        """Every row."""
        return {row.key: row for row in self.rows}

    @cached_property
    def counting(self) -> list[ScoredRow]:
        """Rows that are no previews, or all where there is nothing else."""
        return [row for row in self.rows if row.kind != "preview"] or list(self.rows)

    @cached_property
    def order(self) -> document.Order:
        """What orders the rows."""
        return ordering(self.board, [row.result for row in self.counting], self.judges,
                        [row.result for row in self.rows],
                        self.people.order if self.people else None)

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        """Of the columns that judges give."""
        counting = [row.result for row in self.counting]
        found = {name: standing(name, counting, self.judges) for name in self.board.metrics}
        return {name: how for name, how in found.items() if how is not None}

    @cached_property
    def ordered(self) -> list[ScoredRow]:
        """Rows by what orders them, the unmeasured last; equal ones by key."""
        name = self.order.by
        sign = -1 if name is None or self.metrics[name].better == "higher" else 1

        def place(row: ScoredRow) -> tuple[bool, float, str]:
            value = self._number(row, name) if name else None
            return value is None, sign * (value or 0.0), row.key

        return sorted(self.rows, key=place)

    def _number(self, row: ScoredRow, name: str) -> float | None:
        """A row's value of a column, if it has one."""
        if name not in self.said:
            return value_of(row.result, name)
        value: float | None = self.said[name].values[row.key]["v"]
        return value

    @cached_property
    def groups(self) -> Mapping[str, _Groups]:
        """By metric."""
        return {name: self._groups(metric) for name, metric in self.metrics.items()}

    def _groups(self, metric: MetricInfo) -> _Groups:
        if metric.id in self.said:
            return self._groups_of_people(self.said[metric.id])
        groups = self._compared(metric)
        why = why_nobody(self.board, self.split, self.standings.get(metric.id))
        return _Groups(metric, tuple(groups),
                       tuple(Ranks({}, {}, why) if why else group.ranks for group in groups))

    def _groups_of_people(self, column: PeopleColumn) -> _Groups:
        assert self.people is not None
        why = why_nobody(self.board, self.split, None) or "; ".join(self.people.why_not)
        if column.kind == "votes":
            why = "people did not read the same items of every row"
        ranks = tuple(Ranks({}, {}, why) if why else group.ranks for group in column.groups)
        return _Groups(column.metric, column.groups, ranks, why)

    def _compared(self, metric: MetricInfo) -> Sequence[ComparisonGroup]:
        n = self.board.splits[self.split].rows
        compared = [compared_row(row.key, row.result.team, row.result, metric.id, n,
                                 withdrawn=bool(row.never_ranked))
                    for row in self.rows if metric.id in row.result.metrics]
        previews = {row.key for row in self.rows if row.kind == "preview"}
        return sorted(comparison_groups(compared, metric),
                      key=lambda group: -len([k for k in group.keys if k not in previews]))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the document calls each row: its key, which must not name an anonymous team."""
        return {row.key: row.document_key for row in self.rows}

    @cached_property
    def signatures(self) -> dict[str, int]:
        """Every signature, with its place."""
        found = (self._signature(row, name) for row in self.ordered for name in self.metrics)
        return {text: place for place, text in enumerate(dict.fromkeys(filter(None, found)))}

    def _signature(self, row: ScoredRow, name: str) -> str:
        if name in self.said:
            return self.said[name].signatures.get(row.key, "")
        value = row.result.metrics.get(name)
        return value.signature if value else ""

    @cached_property
    def ranks(self) -> Mapping[str, Mapping[str, list[int]]]:
        """By metric and key: first and last rank."""
        return {name: {key: [rank.first, rank.last] for told in one.ranks
                       for key, rank in told.holm.items()} for name, one in self.groups.items()}

    @cached_property
    def leading(self) -> tuple[str, ...]:
        """The keys of the ranked rows of the ordering column, best first."""
        one = self.groups.get(self.order.by or "")
        return one.main.eligible if one and one.main and one.ranks[0].holm else ()

    def rows_document(self) -> LeaderboardRows:
        """All but what follows from it."""
        split = self.board.splits[self.split]
        return LeaderboardRows.model_validate(_without_none({
            "schema": document.SCHEMA, "board": self.board.id, "board_version": self.board.version,
            "split": self.split, "items": split.rows, "gold": split.gold,
            "practice": self.board.practice,
            "null": task.null_words if isinstance(task := self.board.task, WithNull) else None,
            "signatures": list(self.signatures),
            "columns": [self._column(metric) for metric in self.metrics.values()],
            "order": self.order,
            "rows": [self._row(row) for row in self.ordered],
            "pairs": self._pairs(), "close": self._close(), "both_passed": self._both_passed(),
            "published": list(self._published()),
            "people": self._people(),
        }))

    def _people(self) -> dict[str, Any] | None:
        if self.people is None:
            return None
        return _without_none({
            "kappa": nine(self.people.kappa) if self.people.kappa is not None else None,
            "simulated": self.people.simulated, "why_not": list(self.people.why_not)})

    def _column_of_people(self, column: PeopleColumn) -> dict[str, Any]:
        name = column.metric.id
        return _without_none({
            "id": name, "people": column.kind, "better": column.metric.better, "range": [0, 1],
            "shown": self.shown.index(name) + 1 if name in self.shown else None,
            "no_ranks": self.groups[name].no_ranks or None})

    @cached_property
    def shown(self) -> list[str]:
        """The columns that a page shows at first: what orders the rows, then the board's choice."""
        measured = [name for name in self.metrics
                    if any(self._number(row, name) is not None for row in self.rows)]
        plain = [name for name in measured
                 if name not in self.standings or self.standings[name].ranks]
        wanted = [name for name in self.board.columns or plain if name in measured]
        order = [name for name in measured if name == self.order.by]
        return list(dict.fromkeys([*order, *wanted]))[:SHOWN]

    def _column(self, metric: MetricInfo) -> dict[str, Any]:
        if metric.id in self.said:
            return self._column_of_people(self.said[metric.id])
        groups, how = self.groups[metric.id], self.standings.get(metric.id)
        shown = self.shown
        values = [row.result.metrics.get(metric.id) for row in self.ordered]
        lacking = all(one is None or one.value is None for one in values)
        gap = (groups.main.smallest_gap(metric) if groups.main and groups.ranks[0].holm else None)
        reasons = [one.reason if one and one.reason else "not asked for" for one in values]
        return _without_none({
            "id": metric.id, "better": metric.better, "range": [metric.lowest, metric.highest],
            "shown": shown.index(metric.id) + 1 if metric.id in shown else None,
            "judge": how.judges[0].tag if how and len(how.judges) == 1 else None,
            "why_not_rank": how.because if how and not how.ranks else None,
            "no_ranks": groups.no_ranks or None,
            "gap": nine(gap.value) if gap else None,
            "unmeasured": list(dict.fromkeys(reasons)) if lacking and values else None})

    def _row(self, row: ScoredRow) -> dict[str, Any]:
        about, hidden = row.about, row.about.anonymous_until is not None
        facts = {name: list(value) if isinstance(value, tuple) else value
                 for name, value in about.facts}
        null = row.null_key(self.board)
        return _without_none({
            "key": self.names[row.key], "kind": row.kind, "role": self._role(row),
            "title": None if hidden else about.title, "by": None if hidden else about.by,
            "date": about.date or None, "description": about.description or None,
            "facts": facts or None,
            "saw_dev_gold": (about.saw_dev_gold and row.kind != "reference") or None,
            "tags": list(row.tags) or None,
            "links": None if hidden or not about.links else [vars(one) for one in about.links],
            "trust": {"third-party": "predictions-by-others", "reference": "reference"}.get(
                row.kind, "scored-here"),
            "anonymous_until": about.anonymous_until, "withdrawn": about.withdrawn or None,
            "null": null if self._is_null(null, row) else None,
            "rank": (self.ranks[self.order.by or ""][row.key] if row.key in self.leading
                     else None),
            "unranked": self._unranked(row) or None,
            "values": {name: self._value(row, metric) for name, metric in self.metrics.items()},
        })

    def _is_null(self, key: str, row: ScoredRow) -> bool:
        """Whether there is another row of a null's name and, for a system, with its value: hyphens
        of a team could make a name that is that of another's null."""
        found = self.by_key.get(key) if key != row.key else None
        own = row.result.metrics.get(self.order.by or "")
        if found is None or row.kind == "reference" or own is None or own.null is None:
            return found is not None
        return abs((value_of(found.result, self.order.by or "") or 0.0) - own.null) <= TIE

    @cached_property
    def nulls(self) -> set[str]:
        """The keys of rows that are nulls of others."""
        return {row.null_key(self.board) for row in self.rows} | {f"{REFERENCE}/{NULL}"}

    def _role(self, row: ScoredRow) -> str | None:
        if row.kind != "reference":
            return None
        made = self.board.task.baselines.get(row.result.system)
        known = made.role if made else ""
        if known or row.key in self.nulls:
            return known or "null"
        return "ceiling" if made and made.saw_gold else "baseline"

    def _unranked(self, row: ScoredRow) -> str:
        """Why a system has no rank by what orders the rows; empty for other rows."""
        name = self.order.by
        if row.kind == "reference" or row.key in self.leading:
            return ""
        if name is None:
            return "nothing may order the rows"
        group = next((one for one in self.groups[name].groups if row.key in one.keys), None)
        if row.never_ranked or group is None:
            return row.never_ranked or f"{name} is not measured"
        why = self.groups[name].ranks[self.groups[name].groups.index(group)].why_not
        if not why and row.key in group.unscored:
            return "no scores of items"
        if not why and group is not self.groups[name].main:
            return APART
        return why or "another row of its team is better"

    def _value_of_people(self, row: ScoredRow, metric: MetricInfo) -> dict[str, Any]:
        found, signature = self.said[metric.id].values[row.key], self._signature(row, metric.id)
        return _without_none({
            **{name: _nine(value) for name, value in found.items()},
            "sig": self.signatures.get(signature),
            "apart": self._apart(signature, metric.id) or None,
            "rank": self.ranks[metric.id].get(row.key), "top": self._top(row.key, metric) or None})

    def _value(self, row: ScoredRow, metric: MetricInfo) -> dict[str, Any]:
        if metric.id in self.said:
            value = self._value_of_people(row, metric)
            return {"v": None, **value}
        found = row.result.metrics.get(metric.id)
        if found is None or found.value is None:
            return {"v": None, "why": (found.reason if found else None) or "not asked for"}
        interval = _interval(found, metric)
        given = interval is not None and interval.low is not None
        return _without_none({
            "v": found.value,
            "ci": [interval.low, interval.high] if given and interval else None,
            "method": interval.method if interval else None,
            "note": (interval.note or None) if interval else None,
            "null": found.null, "lift": metric.lift(found),
            "vs_null": _versus(found, metric), "passed": found.passed.value, "n": found.n,
            "n_passed": found.passed.n if metric.graded else None,
            "parts": dict(found.parts) or None, "clustered_se": found.clustered_se,
            "sig": self.signatures.get(found.signature),
            "apart": self._apart(found.signature, metric.id) or None,
            "rank": self.ranks[metric.id].get(row.key), "top": self._top(row.key, metric) or None,
            **self._band(row, found, metric)})

    @cached_property
    def main_signatures(self) -> Mapping[str, str]:
        """By column: the signature of its ranked rows where it orders them, else of most systems.
        """
        systems = [row for row in self.ordered if row.kind != "reference"]
        counts = {name: Counter(filter(None, (self._signature(row, name) for row in systems)))
                  for name in self.metrics}
        found = {name: one.most_common(1)[0][0] for name, one in counts.items() if one}
        if self.leading and self.order.by:
            found[self.order.by] = self._signature(self.by_key[self.leading[0]], self.order.by)
        return found

    def _apart(self, signature: str, name: str) -> str:
        """What keeps a value from being compared with most of its column."""
        main = self.main_signatures.get(name)
        if not signature or main is None or signature == main:
            return ""
        found = (one.partition(": ") for one in difference(main, signature))
        pairs = ((key, *values.split(" / ", 1)) for key, _, values in found)
        return ", ".join(f"{key} {theirs}" + (f" instead of {ours}" if ours != UNSTATED else "")
                         for key, ours, theirs in pairs)

    def _top(self, key: str, metric: MetricInfo) -> bool:
        """Whether a ranked row of the largest group is not significantly worse than the best."""
        one = self.groups[metric.id]
        told = one.ranks[0].holm.get(key) if one.ranks else None
        return told is not None and one.groups[0].eligible[0] not in told.better

    def _band(self, row: ScoredRow, value: MetricValue, metric: MetricInfo) -> dict[str, Any]:
        judge: JudgeRef | None = self.judges.behind(row.result, metric.id)
        gate = self.board.task.gate_metric
        found = judge_band(value, row.result.metrics.get(gate) if gate else None, judge)
        if found is None:
            return {}
        return ({"no_band": found.why_not} if found.low is None or found.high is None
                else {"band": [nine(found.low), nine(found.high)]})

    def _pairs(self) -> dict[str, Any] | None:
        one = self.groups.get(self.order.by or "")
        if one is None or one.main is None or one.main.pairs is None:
            return None
        every, more = one.main.pairs, list(self._more(one.main.pairs))
        pairs = every.among(every.keys[:MOST_PAIRED])
        corrected = _by_holm(pairs, self.leading)
        tri = [[int(pairs.wins[a, b]), int(pairs.wins[b, a]), six(pairs.p[a, b]),
                corrected.get((a, b))] for a, b in combinations(range(len(pairs.keys)), 2)]
        return {"by": one.metric.id, "test": pairs.test, "tri": tri,
                "rows": [self.names[key] for key in pairs.keys], **({"more": more} if more else {})}

    def _more(self, pairs: Pairwise) -> Iterator[list[str | float]]:
        """Each row beyond the first MOST_PAIRED with the row above it, and with its null."""
        places = {key: place for place, key in enumerate(pairs.keys)}
        for key in pairs.keys[MOST_PAIRED:]:
            near = {places[key] - 1, places.get(self.by_key[key].null_key(self.board), places[key])}
            for other in sorted(near - {places[key]}):
                a, b = sorted((other, places[key]))
                yield [self.names[pairs.keys[a]], self.names[pairs.keys[b]],
                       int(pairs.wins[a, b]), int(pairs.wins[b, a]), six(pairs.p[a, b])]

    def _close(self) -> dict[str, Any]:
        wanted = {*self.leading[:CLOSE], f"{REFERENCE}/{NULL}"}
        wanted |= {row.null_key(self.board) for row in self.rows if row.key in wanted}
        order = [row.key for row in self.ordered if row.key in wanted]
        found = {}
        for name, one in self.groups.items():
            if self.leading and one.main and one.main.pairs:
                keys = [key for key in order if key in one.main.pairs.keys]
                if len(keys) > 1:
                    found[name] = {**_close_column(one.metric, one.main, keys),
                                   "rows": [self.names[key] for key in keys]}
        return found

    def _both_passed(self) -> list[dict[str, Any]]:
        """The leader, if it cannot break a constraint, and the first that can."""
        ranked = [self.by_key[key] for key in self.leading]
        others = [row for row in ranked if not _constrained(row)]
        if not ranked or not _constrained(ranked[0]) or not others:
            return []
        passed = self.board.task.passed
        both = [place for place, two in enumerate(
            zip(ranked[0].result.items, others[0].result.items, strict=True))
            if all(item.verdict.annotation == passed for item in two)]
        found = (_on_both(METRICS[name], ranked[0], others[0], both)
                 for name in self.board.metrics)
        return [{name: self.names.get(value, value) if name in ("a", "b", "better") else value
                 for name, value in one.items()} for one in found if one]

    def _published(self) -> Iterator[dict[str, Any]]:
        for source in self.published.sources:
            for row in source.values if source.split == self.split else ():
                yield _without_none({
                    "source": source.id, "title": source.title, "url": source.url,
                    "system": row.system, "by": row.by or source.by,
                    "date": row.date or source.date, "what": row.what or source.what,
                    "human": row.human or None,
                    "values": {name: source.value(row, name) for name in row.printed
                               if name in METRICS}})

    def stability(self) -> document.Stability | None:
        """In how many random halves of the items the first row is first."""
        one = self.groups.get(self.order.by or "")
        if (not self.leading or one is None or one.main is None or one.metric.total is not None
                or one.metric.id in self.said):
            return None
        scores = np.array([one.main.scores[key] for key in self.leading])
        return document.Stability(first=_first_in_halves(scores, one.metric.better), of=HALVES,
                                  seed=SEED)


def _first_in_halves(scores: Any, better: str) -> int:
    """How often row 0 of (m, n) scores is first, or equal to the first, in HALVES random halves."""
    n = scores.shape[1]
    signed = scores if better == "higher" else -scores
    source, count = np.random.PCG64(SEED), 0
    for _ in range(HALVES):
        half = np.argsort(source.random_raw(n), kind="stable")[: n // 2]
        means = signed[:, half].mean(axis=1)
        count += bool(means[0] >= means.max() - TIE)
    return count


def _by_holm(pairs: Pairwise, ranked: Sequence[str]) -> dict[tuple[int, int], float]:
    """p of two ranked rows, corrected among the lower row's tests with the rows above it."""
    places = [pairs.keys.index(key) for key in ranked if key in pairs.keys]
    found = {}
    for low in places:
        above = [high for high in places if pairs.ahead[high, low]]
        for high, p in zip(above, holm([float(pairs.p[high, low]) for high in above]), strict=True):
            found[high, low] = six(p)
    return {both: found.get(both, 1.0) for both in combinations(sorted(places), 2)}


def _close_column(metric: MetricInfo, group: ComparisonGroup, keys: Sequence[str]
                  ) -> dict[str, Any]:
    assert group.pairs is not None
    pairs = group.pairs.among(keys)
    tri = []
    for a, b in combinations(range(len(keys)), 2):
        low, high = _bounds(metric, group, keys[a], keys[b])
        tri.append([nine(pairs.means[a] - pairs.means[b]), low, high, six(pairs.p[a, b]),
                    int(pairs.wins[a, b]), int(pairs.wins[b, a])])
    return {"test": pairs.test, "tri": tri}


def _bounds(metric: MetricInfo, group: ComparisonGroup, a: str, b: str
            ) -> tuple[float | None, float | None]:
    """The interval of a difference, as ``comparison.compare`` gives it; nothing where none is."""
    if metric.total is not None:
        drawn = resampled(group.corpora[a]) - resampled(group.corpora[b])
        if not drawn.std(ddof=1):
            return None, None
        low, high = drawn_interval(drawn)
        return nine(low), nine(high)
    if group.pairs and group.pairs.test == "prediction-powered":
        return None, None  # not known of every item
    apart = without_ties(np.asarray(group.scores[a]) - np.asarray(group.scores[b]))
    found = (proportions_interval if metric.binary else difference_interval)(apart)
    return ((None, None) if found.low is None or found.high is None
            else (nine(found.low), nine(found.high)))


def _constrained(row: ScoredRow) -> bool:
    return CONSTRAINED in row.tags


def _on_both(metric: MetricInfo, a: ScoredRow, b: ScoredRow, items: Sequence[int]
             ) -> dict[str, Any] | None:
    """Two rows on some items of a column that compares answers with gold."""
    if not metric.graded or metric.binary or metric.judge or metric.total:
        return None
    n = len(a.result.items)
    one, two = item_scores(a.result, metric.id, n), item_scores(b.result, metric.id, n)
    if not one or not two or len(items) < FEWEST:
        return None
    found = compare([one[at] for at in items], [two[at] for at in items], binary=False,
                    better=metric.better)
    ahead = {"A": a.key, "B": b.key}.get(found.better or "")
    return {"a": a.key, "b": b.key, "column": metric.id, "n": found.n,
            "d": nine(found.difference), "p": six(found.p), "better": ahead}


def _interval(value: MetricValue, metric: MetricInfo) -> Interval | None:
    """The interval of a result's value; of hidden gold, what the released value allows."""
    if value.grid is not None and value.value is not None:
        return of_value(value.value, value.n, binary=metric.binary, source="the released value")
    return value.interval


def _versus(value: MetricValue, metric: MetricInfo) -> dict[str, Any] | None:
    word = lift_verdict(value, metric)
    if not word:
        return None
    return _without_none({"p": value.versus_null.p if value.versus_null else None, "verdict": word})


def _nine(value: Any) -> Any:
    if isinstance(value, float):
        return nine(value)
    if isinstance(value, Mapping):
        return {name: _nine(one) for name, one in value.items()}
    return [_nine(one) for one in value] if isinstance(value, list) else value


def nine(value: float) -> float:
    """As scores of items are written."""
    return float(f"{value:.9g}")


def six(value: float) -> float:
    """As p-values of results are written."""
    return float(f"{value:.6g}")


def _without_none(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value is not None}

"""The leaderboard document of a board's split, from results with items and what rows are. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from scorer.boards import Board
from scorer.boards.published import NOTHING, Published
from scorer.boards.submission import CONSTRAINED, NULL, REFERENCE
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.judging import Judges, Standing, judge_band, standing
from scorer.scoring.leaderboard.about import APART, ScoredRow, official
from scorer.scoring.leaderboard.order import (
    ColumnValues,
    PeopleColumns,
    ordering,
    value_of,
    why_nobody,
)
from scorer.scoring.leaderboard.pairs import close_column, pairs_of, stability_of
from scorer.scoring.leaderboard.verdict import conditions, verdict
from scorer.scoring.results import leaderboard as document
from scorer.scoring.results.leaderboard import (
    BothPassed,
    CloseColumn,
    Column,
    LeaderboardDocument,
    LeaderboardRows,
    Row,
    Value,
    VersusNull,
    nine,
    six,
)
from scorer.scoring.results.ranks import (
    ComparedRow,
    ComparisonGroup,
    compared_row,
    comparison_groups,
    on_both_passed,
)
from scorer.scoring.results.signature import UNSTATED, difference
from scorer.scoring.summary import lift_verdict
from scorer.statistics import FEWEST, TIE
from scorer.statistics.intervals import of_value

CLOSE = 10
"""So many systems are compared on every column."""
SHOWN = 5
"""Columns of metrics that a page shows at first."""


def leaderboard(board: Board, split: str, rows: Sequence[ScoredRow], judges: Judges,
                published: Published = NOTHING, people: PeopleColumns | None = None,
                ) -> LeaderboardDocument:
    """The document of a split; ``rows`` in any order.

    ``people``: what people said of these rows.
    """
    made = _Making(board, split, rows, judges, published, people)
    content = made.rows_document()
    parts = {name: value for name, value in content if name != "schema_"}
    return LeaderboardDocument.model_validate({
        **parts, "schema": document.SCHEMA, "verdict": verdict(content, made.stability()),
        "trust": [*conditions(content)]})


@dataclass(frozen=True)
class _Making:
    board: Board
    split: str
    rows: Sequence[ScoredRow]
    judges: Judges
    published: Published
    people: PeopleColumns | None

    @cached_property
    def by_key(self) -> Mapping[str, ScoredRow]:
        return {row.key: row for row in self.rows}

    @cached_property
    def order(self) -> document.Order:
        return ordering(self.board, [row.result for row in official(self.rows)], self.judges,
                        [row.result for row in self.rows], self.people)

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        counting = [row.result for row in official(self.rows)]
        states = {name: standing(name, counting, self.judges) for name in self.board.metrics}
        return {name: how for name, how in states.items() if how is not None}

    @cached_property
    def ordered(self) -> list[ScoredRow]:
        """Rows by what orders them, the unmeasured last; equal ones by key."""
        column = self.columns[self.order.by] if self.order.by else None
        sign = -1 if column is None or column.metric.better == "higher" else 1

        def place(row: ScoredRow) -> tuple[bool, float, str]:
            value = column.values[row.key].v if column else None
            return value is None, sign * (value or 0.0), row.key

        return sorted(self.rows, key=place)

    @cached_property
    def columns(self) -> Mapping[str, ColumnValues]:
        """Every column: the board's, and after the one that people correct those of people."""
        by_people = {column.metric.id: column for column in self.people.columns
                     } if self.people else {}
        names = list(self.board.metrics)
        corrects = self.people.corrects if self.people else ""
        at = names.index(corrects) + 1 if corrects in names else len(names)
        names[at:at] = by_people
        return {name: self._by_people(by_people[name]) if name in by_people
                else self._of_results(METRICS[name]) for name in names}

    def _by_people(self, column: ColumnValues) -> ColumnValues:
        assert self.people is not None
        why = ("people did not read the same items of every row" if column.kind == "votes" else
               why_nobody(self.board, self.split, None) or "; ".join(self.people.why_not))
        return replace(column, no_ranks=why, groups=tuple(
            replace(group, no_ranks=why) for group in column.groups))

    def _of_results(self, metric: MetricInfo) -> ColumnValues:
        why = why_nobody(self.board, self.split, self.standings.get(metric.id))
        previews = {row.key for row in self.rows if row.kind == "preview"}
        groups = sorted(comparison_groups(self.compared[metric.id], metric, why),
                        key=lambda group: -len([key for key in group.keys if key not in previews]))
        values = {row.key: row.result.metrics.get(metric.id) for row in self.rows}
        return ColumnValues(
            metric, None, {row.key: self._value(row, metric) for row in self.rows},
            {key: value.signature for key, value in values.items() if value}, tuple(groups), why)

    @cached_property
    def compared(self) -> Mapping[str, Sequence[ComparedRow]]:
        """By metric: the results to compare. A row's items are unpacked once, for all metrics."""
        compared: dict[str, list[ComparedRow]] = {name: [] for name in self.board.metrics}
        for row in self.rows:
            for name in compared.keys() & row.result.metrics.keys():
                compared[name].append(compared_row(
                    row.key, row.result.team, row.result, name,
                    self.board.splits[self.split].rows, withdrawn=bool(row.never_ranked)))
        return compared

    @property
    def main(self) -> ComparisonGroup | None:
        """The largest group of the ordering column."""
        groups = self.columns[self.order.by].groups if self.order.by else ()
        return groups[0] if groups else None

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the document calls each row: its key, which must not name an anonymous team."""
        return {row.key: row.document_key for row in self.rows}

    @cached_property
    def signatures(self) -> dict[str, int]:
        texts = (column.signatures.get(row.key)
                 for row in self.ordered for column in self.columns.values())
        return {text: index for index, text in enumerate(dict.fromkeys(filter(None, texts)))}

    @cached_property
    def ranks(self) -> Mapping[str, Mapping[str, list[int]]]:
        """By metric and key: first and last rank."""
        return {name: {key: [rank.first, rank.last] for group in column.groups
                       for key, rank in group.ranks.holm.items()}
                for name, column in self.columns.items()}

    @cached_property
    def leading(self) -> tuple[str, ...]:
        """The keys of the ranked rows of the ordering column, best first."""
        return self.main.eligible if self.main and self.main.ranks.holm else ()

    def rows_document(self) -> LeaderboardRows:
        """All but what follows from it."""
        split = self.board.splits[self.split]
        return LeaderboardRows.model_validate({
            "schema": document.SCHEMA, "board": self.board.id, "board_version": self.board.version,
            "split": self.split, "items": split.rows, "gold": split.gold,
            "practice": self.board.practice,
            "null": self.board.task.null_words,
            "signatures": list(self.signatures),
            "columns": [self._column(column) for column in self.columns.values()],
            "order": self.order,
            "rows": [self._row(row) for row in self.ordered],
            "pairs": self._pairs(), "close": self._close(), "both_passed": self._both_passed(),
            "published": list(self._published()),
            "people": document.People(
                kappa=None if self.people.kappa is None else nine(self.people.kappa),
                simulated=self.people.simulated, why_not=list(self.people.why_not),
            ) if self.people else None,
        })

    @cached_property
    def shown(self) -> list[str]:
        """The columns that a page shows at first: what orders the rows, then the board's choice."""
        measured = [name for name, column in self.columns.items()
                    if any(value.v is not None for value in column.values.values())]
        plain = [name for name in measured
                 if name not in self.standings or self.standings[name].ranks]
        wanted = [name for name in self.board.columns or plain if name in measured]
        order = [name for name in measured if name == self.order.by]
        return list(dict.fromkeys([*order, *wanted]))[:SHOWN]

    def _column(self, column: ColumnValues) -> Column:
        metric, groups, by_people = column.metric, column.groups, column.kind is not None
        how = self.standings.get(metric.id)
        values = [column.values[row.key] for row in self.ordered]
        unmeasured = values and not by_people and all(value.v is None for value in values)
        no_ranks = groups[0].ranks.why_not if groups else (
            column.no_ranks if by_people else "") or "it is not measured for any row"
        gap = groups[0].smallest_gap(metric) if (
            not by_people and groups and groups[0].ranks.holm) else None
        return Column(
            id=metric.id, people=column.kind, better=metric.better,
            range=[0, 1] if by_people else [metric.lowest, metric.highest],
            shown=self.shown.index(metric.id) + 1 if metric.id in self.shown else None,
            judge=how.judges[0].tag if how and len(how.judges) == 1 else None,
            why_not_rank=how.because if how and not how.ranks else None,
            no_ranks=no_ranks or None, gap=None if gap is None else nine(gap),
            unmeasured=list(dict.fromkeys(value.why or "" for value in values)
                            ) if unmeasured else None)

    def _row(self, row: ScoredRow) -> Row:
        null = row.null_key(self.board)
        return row.about.replace(
            kind=row.kind, role=self._role(row), null=null if self._is_null(null, row) else None,
            rank=self.ranks[self.order.by or ""][row.key] if row.key in self.leading else None,
            unranked=self._unranked(row) or None,
            values={name: column.values[row.key].replace(**self._rank(row, column))
                    for name, column in self.columns.items()})

    def _rank(self, row: ScoredRow, column: ColumnValues) -> dict[str, Any]:
        """What of a row's value in a column follows from other rows."""
        name, signature = column.metric.id, column.signatures.get(row.key, "")
        rank = column.groups[0].ranks.holm.get(row.key) if column.groups else None
        top = rank is not None and column.groups[0].eligible[0] not in rank.better
        return {"sig": self.signatures.get(signature),
                "apart": self._apart(signature, name) or None,
                "rank": self.ranks[name].get(row.key), "top": top or None}

    def _is_null(self, key: str, row: ScoredRow) -> bool:
        """Whether there is another row of a null's name and, for a system, with its value: hyphens
        of a team could make a name that is that of another's null."""
        other = self.by_key.get(key) if key != row.key else None
        own = row.result.metrics.get(self.order.by or "")
        if other is None or row.kind == "reference" or own is None or own.null is None:
            return other is not None
        return abs((value_of(other.result, self.order.by or "") or 0.0) - own.null) <= TIE

    @cached_property
    def nulls(self) -> set[str]:
        return {row.null_key(self.board) for row in self.rows} | {f"{REFERENCE}/{NULL}"}

    def _role(self, row: ScoredRow) -> Literal["ceiling", "null", "baseline"] | None:
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
        group = next((entry for entry in self.columns[name].groups
                      if row.key in entry.keys), None)
        if row.never_ranked or group is None:
            return row.never_ranked or f"{name} is not measured"
        if group.ranks.why_not:
            return group.ranks.why_not
        if row.key in group.unscored:
            return "no scores of items"
        return "another row of its team is better" if group is self.main else APART

    def _value(self, row: ScoredRow, metric: MetricInfo) -> Value:
        value = row.result.metrics.get(metric.id)
        if value is None or value.value is None:
            return Value(v=None, why=(value.reason if value else None) or "not asked for")
        interval = value.interval
        if value.grid is not None:  # of hidden gold: what the released value allows
            interval = of_value(value.value, value.n, binary=metric.binary,
                                source="the released value")
        lift = lift_verdict(value, metric)
        band = judge_band(value, row.result.metrics.get(self.board.task.gate_metric or ""),
                          self.judges.behind(row.result, metric.id))
        bounds = (None if band is None or band.low is None or band.high is None
                  else [nine(band.low), nine(band.high)])
        return Value(
            v=value.value, ci=_bounds(interval.low, interval.high) if interval else None,
            method=interval.method if interval else None,
            note=(interval.note or None) if interval else None,
            null=value.null, lift=metric.lift(value),
            vs_null=VersusNull(p=value.versus_null.p if value.versus_null else None,
                               verdict=lift) if lift else None,
            passed=value.passed.value, n=value.n,
            n_passed=value.passed.n if metric.graded else None,
            parts=dict(value.parts) or None, clustered_se=value.clustered_se,
            band=bounds, no_band=band.why_not if band and bounds is None else None)

    @cached_property
    def main_signatures(self) -> Mapping[str, str]:
        """By column: the signature of its ranked rows where it orders them, else of most systems.
        """
        systems = [row for row in self.ordered if row.kind != "reference"]
        counts = {name: Counter(filter(None, (column.signatures.get(row.key) for row in systems)))
                  for name, column in self.columns.items()}
        texts = {name: counter.most_common(1)[0][0] for name, counter in counts.items() if counter}
        if self.leading and self.order.by:
            texts[self.order.by] = self.columns[self.order.by].signatures[self.leading[0]]
        return texts

    def _apart(self, signature: str, name: str) -> str:
        """What keeps a value from being compared with most of its column."""
        main = self.main_signatures.get(name)
        if not signature or main is None or signature == main:
            return ""
        parts = (text.partition(": ") for text in difference(main, signature))
        pairs = ((key, *values.split(" / ", 1)) for key, _, values in parts)
        return ", ".join(f"{key} {theirs}" + (f" instead of {ours}" if ours != UNSTATED else "")
                         for key, ours, theirs in pairs)

    def _pairs(self) -> document.Pairs | None:
        if self.main is None or self.main.pairs is None:
            return None
        return pairs_of(self.columns[self.order.by or ""].metric, self.main.pairs, self.leading,
                        self.names, lambda key: self.by_key[key].null_key(self.board))

    def _close(self) -> dict[str, CloseColumn]:
        """The first systems, ranked ones before others, and what they are measured by: their nulls,
        baselines, nulls of no row, and previews."""
        if self.main is None or self.main.pairs is None:
            return {}
        rows = [row for row in self.ordered if row.key in self.main.pairs.keys]
        systems = sorted((row for row in rows if row.kind not in ("reference", "preview")
                          and not row.about.withdrawn), key=lambda row: row.key not in self.leading)
        null_of = {row.key: row.null_key(self.board) for row in self.rows}
        wanted = {row.key for row in systems[:CLOSE]}
        wanted |= {null_of[key] for key in wanted}
        wanted |= {row.key for row in rows if row.kind == "preview"
                   or self._role(row) == "baseline"
                   or (self._role(row) == "null" and row.key not in null_of.values())}
        columns = {}
        for name, column in self.columns.items() if systems else ():
            group = column.groups[0] if column.groups else None
            if group and group.pairs:
                keys = [row.key for row in rows
                        if row.key in wanted and row.key in group.pairs.keys]
                if len(keys) > 1:
                    columns[name] = close_column(column.metric, group, keys, self.names)
        return columns

    def _both_passed(self) -> list[BothPassed]:
        """The leader, if it cannot break a constraint, and the first that can, on the items that
        both passed: on each column that compares answers with gold."""
        ranked = [self.by_key[key] for key in self.leading]
        others = [row for row in ranked if CONSTRAINED not in row.tags]
        if not ranked or ranked[0] in others or not others:
            return []
        a, b, tests = ranked[0], others[0], list[BothPassed]()
        for name in self.board.metrics:
            metric = METRICS[name]
            grades = metric.graded and not (metric.binary or metric.judge or metric.total)
            if not grades or not any(
                    a.key in group.scores and b.key in group.scores
                    for group in self.columns[name].groups):
                continue
            test = on_both_passed(name, a.result, b.result, self.board.task.passed)
            if test is not None and test.n >= FEWEST:
                better = {"A": a, "B": b}.get(test.better or "")
                tests.append(BothPassed(
                    a=self.names[a.key], b=self.names[b.key], column=name, n=test.n,
                    d=nine(test.difference), p=six(test.p),
                    better=self.names[better.key] if better else None))
        return tests

    def _published(self) -> Iterator[document.Published]:
        for source in self.published.sources:
            for row in source.values if source.split == self.split else ():
                yield document.Published(
                    source=source.id, title=source.title, url=source.url, system=row.system,
                    by=row.by or source.by, date=row.date or source.date,
                    what=row.what or source.what, human=True if row.human else None,
                    values={name: source.value(row, name) for name in row.printed
                            if name in METRICS})

    def stability(self) -> document.Stability | None:
        """In how many random halves of the items the first row is first."""
        column = self.columns.get(self.order.by or "")
        if (not self.leading or self.main is None or column is None or column.kind is not None
                or column.metric.total is not None):
            return None
        return stability_of(column.metric, self.main, self.leading)


def _bounds(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [low, high]
